//! Blocks of code that is assembled by hand.

use super::super::*;
use tamis_classfile::opcode::*;

/// `start_pc`, `end_pc`, `handler_pc`, `catch_type`.
type Handler = [u16; 4];

const STATIC: u16 = 8;

/// A class with methods of this code, all alike.
fn class(code: &[u8], handlers: &[Handler], methods: u16) -> Vec<u8> {
    let words = |words: &[u16]| {
        words
            .iter()
            .flat_map(|w| w.to_be_bytes())
            .collect::<Vec<_>>()
    };
    let content = [
        words(&[4, 4]),
        (code.len() as u32).to_be_bytes().to_vec(),
        code.to_vec(),
        words(&[handlers.len() as u16]),
        words(handlers.as_flattened()),
        words(&[0]),
    ]
    .concat();
    let length = (content.len() as u32).to_be_bytes().to_vec();
    let method = [words(&[STATIC, 3, 4, 1, 5]), length, content].concat();
    // Class 2 is called by constant 1; 3 to 5 are name, descriptor and "Code".
    let pool = [
        &[1, 0, 1, b'C', 7, 0, 1, 1, 0, 1, b'm', 1, 0, 3][..],
        b"()V",
        &[1, 0, 4],
        b"Code",
    ];
    [
        vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 49, 0, 6],
        pool.concat(),
        words(&[0x21, 2, 0, 0, 0, methods]),
        method.repeat(methods.into()),
        words(&[0]),
    ]
    .concat()
}

/// The blocks of code in which constants differ by their index.
fn of(code: &[u8], handlers: &[Handler]) -> Result<Blocks> {
    let bytes = class(code, handlers, 1);
    let class = ClassFile::parse(&bytes).unwrap();
    let method = class.methods().next().unwrap().unwrap();
    let hash = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(1, |h: u128, &b| h.wrapping_mul(1_000_003) ^ u128::from(b))
    };
    Blocks::of(&class.code(&method).unwrap().unwrap(), hash, |index| {
        Ok(u128::from(index))
    })
}

fn check(before: (&[u8], &[Handler]), now: (&[u8], &[Handler]), expected: Option<&[u16]>) {
    let compared = compare(&of(before.0, before.1).unwrap(), &of(now.0, now.1).unwrap());
    assert_eq!(compared.as_deref(), expected, "{before:?} {now:?}");
}

fn check_same(before: &[u8], now: &[u8]) {
    check((before, &[]), (now, &[]), Some(&[]));
}

#[test]
#[rustfmt::skip]
fn forms_of_instructions_that_mean_the_same_are_the_same() {
    check_same(&[LDC, 1, RETURN], &[LDC_W, 0, 1, RETURN]);
    check_same(&[GOTO, 0, 3, RETURN], &[GOTO_W, 0, 0, 0, 5, RETURN]);
    check_same(&[IFEQ, 0, 7, NOP, GOTO, 0, 3, RETURN], &[IFEQ, 0, 4, NOP, RETURN]);
    let table = [TABLESWITCH, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 24, 0, 0, 0, 25, RETURN, NOP, RETURN];
    let lookup = [LOOKUPSWITCH, 0, 0, 0, 0, 0, 0, 21, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, RETURN, NOP, RETURN];
    check_same(&table, &lookup);
    let lookup_2 = [&lookup[..15], &[2], &lookup[16..]].concat();
    check((&table, &[]), (&lookup_2, &[]), Some(&[1, 2]));
}

#[test]
fn operands_count() {
    for (before, now) in [
        (&[LDC, 1, RETURN][..], &[LDC, 2, RETURN][..]),
        (&[SIPUSH, 0, 1, RETURN], &[SIPUSH, 0, 2, RETURN]),
        (&[WIDE, 0x15, 0, 1, RETURN], &[WIDE, 0x15, 0, 2, RETURN]),
        (
            &[INVOKEINTERFACE, 0, 1, 1, 0, RETURN],
            &[INVOKEINTERFACE, 0, 1, 2, 0, RETURN],
        ),
        (
            &[MULTIANEWARRAY, 0, 1, 1, RETURN],
            &[MULTIANEWARRAY, 0, 1, 2, RETURN],
        ),
        (&[NOP, RETURN], &[NOP, NOP, RETURN]),
        (&[NOP, RETURN], &[NOP, ARETURN]),
    ] {
        check((before, &[]), (now, &[]), Some(&[0]));
    }
}

#[test]
fn a_block_depends_on_which_of_its_instructions_are_covered_by_what() {
    // Two blocks: code, and what is or could be a handler.
    let code = &[NOP, NOP, NOP, RETURN, ATHROW][..];
    let covered = |handlers: &[Handler]| of(code, handlers).unwrap();
    let check = |before: &[Handler], now: &[Handler], expected: &[u16]| {
        let compared = compare(&covered(before), &covered(now));
        assert_eq!(compared.as_deref(), Some(expected), "{before:?} {now:?}");
    };
    let whole = [0, 4, 4, 2];
    check(&[whole], &[whole], &[]);
    check(&[whole], &[[0, 2, 4, 2], [2, 4, 4, 2]], &[]);
    check(&[whole], &[], &[0, 1]);
    check(&[], &[whole], &[0, 1]);
    check(&[whole], &[[0, 3, 4, 2]], &[0, 1]);
    check(&[whole], &[[1, 4, 4, 2]], &[0, 1]);
    check(&[[0, 2, 4, 2]], &[[1, 3, 4, 2]], &[0, 1]);
    check(&[whole], &[[0, 4, 4, 0]], &[0, 1]);
    check(&[whole, [0, 4, 4, 0]], &[[0, 4, 4, 0], whole], &[0, 1]);
    // The second instruction is covered twice or once.
    check(&[whole, [1, 2, 4, 0]], &[whole], &[0, 1]);
    // A range that covers nothing.
    check(&[whole], &[whole, [3, 3, 4, 2]], &[]);
}

#[test]
fn a_handler_that_other_instructions_reach_is_another_block() {
    let code = [NOP, RETURN, ATHROW, NOP, ATHROW];
    check(
        (&code, &[[0, 1, 2, 0]]),
        (&code, &[[0, 1, 3, 0]]),
        Some(&[1, 2]),
    );
    check(
        (&code, &[[0, 1, 2, 0], [1, 2, 3, 0]]),
        (&code, &[[0, 1, 3, 0], [1, 2, 2, 0]]),
        Some(&[1, 2]),
    );
    // One that covers itself.
    check(
        (&code, &[[0, 5, 2, 0]]),
        (&code, &[[0, 5, 2, 0]]),
        Some(&[]),
    );
}

#[test]
fn nothing_is_known_about_subroutines() {
    for code in [
        &[JSR, 0, 4, RETURN, 0x4b, RET, 0][..],
        &[JSR_W, 0, 0, 0, 6, RETURN, 0x4b, RET, 0],
        &[RETURN, WIDE, RET, 0, 0],
    ] {
        assert_eq!(of(code, &[]).unwrap().count(), 0, "{code:?}");
        check((code, &[]), (code, &[]), None);
    }
}

#[test]
fn nothing_is_known_about_a_multitude_of_handlers() {
    let code = [vec![RETURN; 10_000], vec![ATHROW]].concat();
    let handlers = |count| vec![[0, 10_000, 10_000, 0]; count];
    assert_eq!(of(&code, &handlers(20)).unwrap().count(), 10_001);
    assert_eq!(of(&code, &handlers(60_000)).unwrap().count(), 0);
}

#[test]
#[rustfmt::skip]
fn code_that_makes_no_sense_is_an_error() {
    for (code, handlers) in [
        (&[][..], &[][..]),
        (&[NOP], &[]),
        (&[RETURN, IFEQ, 0, 0], &[]),
        (&[GOTO, 0, 1, RETURN], &[]),
        (&[GOTO, 0, 4, RETURN], &[]),
        (&[RETURN], &[[0, 1, 1, 0]]),
        (&[RETURN, SIPUSH], &[]),
        (&[LOOKUPSWITCH, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], &[]),
    ] {
        assert!(of(code, handlers).is_err(), "{code:?}");
    }
}

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
