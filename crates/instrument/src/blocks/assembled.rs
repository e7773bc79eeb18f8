//! Probes in code that is assembled by hand.

#[path = "../../../code/src/blocks/tests/class.rs"]
mod class;

use super::*;
use class::{Handler, class};
use tamis_classfile::opcode::*;

/// How many probes methods of `code` get.
fn check_probes(code: &[u8], methods: u16, expected: &[u16]) {
    let bytes = class(code, &[], methods);
    let class = ClassFile::parse(&bytes).unwrap();
    let probes = Probes {
        segment: 0,
        first: 0,
    };
    let patched = insert(&class, false, |count| {
        assert_eq!(count, expected.iter().sum::<u16>());
        Some(probes)
    });
    let patched = patched.unwrap().unwrap();
    assert_eq!(patched.probes, expected);
    assert_eq!(patched.unprobed, expected.contains(&0));
    assert!(ClassFile::parse(&patched.bytes).is_ok());
}

#[test]
fn methods_without_room_have_one_probe_or_none() {
    let branches = |count: usize, rest: usize| {
        [[IFEQ, 0, 3].repeat(count), vec![NOP; rest], vec![RETURN]].concat()
    };
    check_probes(&branches(0, 0), 2, &[1, 1]);
    check_probes(&branches(2, 0), 2, &[3, 3]);
    // What is short enough to be compiled stays so; what is not has nothing to lose.
    check_probes(&branches(10, 7_000), 1, &[11]);
    check_probes(&branches(10, 7_900), 1, &[1]);
    check_probes(&branches(10, 8_000), 1, &[11]);
    check_probes(&branches(10, 65_480), 1, &[1]);
    check_probes(&branches(10, 65_500), 1, &[0]);
    check_probes(&[&branches(0, 65_500)[..], &[NOP; 34]].concat(), 1, &[0]);
}

#[test]
fn a_class_with_more_blocks_than_a_segment_has_probes_has_one_per_method() {
    let returns = vec![RETURN; 800];
    check_probes(&returns, 40, &[800; 40]);
    check_probes(&returns, 41, &[1; 41]);
}

#[test]
fn the_probe_of_a_handler_that_covers_itself_stands_behind_what_it_covers() {
    const MONITOREXIT: u8 = 0xc3;
    let wait = [NOP, RETURN, ALOAD_0, INVOKESTATIC, 0, 2, NOP, ATHROW];
    let release = [NOP, RETURN, ALOAD_0, 0x19, 1, MONITOREXIT, NOP, ATHROW];
    let check_code = |code: &[u8], handlers: &[Handler], expected: &[u16]| {
        let bytes = class(code, handlers, 1);
        let class = ClassFile::parse(&bytes).unwrap();
        let method = class.methods().next().unwrap().unwrap();
        let code = class.code(&method).unwrap().unwrap();
        let mut pcs = Leaders::of(&code).unwrap().pcs;
        leave_own_ranges(&code, &mut pcs).unwrap();
        assert_eq!(pcs, expected, "{handlers:?}");
    };
    let check = |handlers: &[Handler], expected: &[u16]| check_code(&release, handlers, expected);
    check(&[[0, 1, 2, 0], [2, 6, 2, 0]], &[0, 6]);
    check(&[[0, 1, 2, 0], [2, 3, 2, 0], [0, 8, 0, 1]], &[0, 3]);
    // It ends with the block, or where no instruction starts, or does not start with the handler.
    check(&[[2, 8, 2, 0]], &[0, 2]);
    check(&[[2, 6, 2, 0], [0, 1, 6, 0]], &[0, 2, 6]);
    check(&[[2, 4, 2, 0]], &[0, 2]);
    check(&[[0, 6, 2, 0]], &[0, 2]);
    check(&[[3, 6, 2, 0]], &[0, 2]);
    // Some exceptions leave it.
    check(&[[2, 6, 2, 1]], &[0, 2]);
    check(&[[3, 4, 0, 1], [2, 6, 2, 0]], &[0, 2]);
    // What is called may take its time.
    check_code(&wait, &[[2, 6, 2, 0]], &[0, 2]);
    // The entry, whose probe is in the prefix.
    check(&[[0, 1, 0, 0]], &[0, 2]);
}

#[test]
fn without_probes_nothing_is_done() {
    let bytes = class(&[RETURN], &[], 1);
    let class = ClassFile::parse(&bytes).unwrap();
    assert!(insert(&class, false, |_| None).unwrap().is_none());
}
