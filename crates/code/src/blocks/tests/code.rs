//! Blocks of code that is assembled by hand.

use super::super::*;
use super::class::{Handler, class};
use tamis_classfile::opcode::*;
use tamis_classfile::{ClassFile, Result};

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
