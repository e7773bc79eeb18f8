use super::{MethodEdit, PoolBuilder, apply, class, edit, nops};
use crate::edit::single_trailing_return;
use crate::{ClassFile, Error, Result, opcode::*};

fn check_error(result: Result<Vec<u8>>, expected: &str) {
    match result {
        Err(Error::Malformed { what, .. } | Error::TooLarge { what }) => assert_eq!(what, expected),
        other => panic!("{other:?} and not {expected}"),
    }
}

#[test]
fn code_may_grow_to_65535_bytes_and_no_further() {
    let code = |length: usize| [vec![NOP; length - 1], vec![RETURN]].concat();
    assert!(edit(&class(52, &code(65_531), &[], &[]), nops(4)).is_ok());
    let too_large = edit(&class(52, &code(65_532), &[], &[]), nops(4));
    check_error(too_large, "code of a method");
}

#[test]
fn the_pool_may_grow_to_65535_slots_and_no_further() {
    let bytes = class(52, &[RETURN], &[], &[]);
    let mut pool = PoolBuilder::new(&ClassFile::parse(&bytes).unwrap());
    let added = std::iter::from_fn(|| pool.utf8(b"").ok()).last();
    assert_eq!(added, Some(65_534));
    assert_eq!(
        pool.utf8(b""),
        Err(Error::TooLarge {
            what: "constant pool"
        })
    );
}

#[test]
fn edits_that_make_no_sense_are_errors() {
    let bytes = class(52, &[NOP, RETURN, NOP], &[], &[]);
    check_error(edit(&bytes, nops(3)), "prefix not a multiple of four bytes");
    let epilogue = MethodEdit {
        epilogue: Some(vec![RETURN].into()),
        ..nops(0)
    };
    check_error(
        edit(&bytes, epilogue),
        "epilogue without a single trailing return",
    );
    check_error(
        edit(&class(52, &[], &[], &[]), nops(4)),
        "method with empty code",
    );
    check_error(
        edit(&class(44, &[RETURN], &[], &[]), nops(4)),
        "code older than version 45.3",
    );

    let class = ClassFile::parse(&bytes).unwrap();
    let twice = [(0, nops(4)), (0, nops(4))];
    let result = apply(&class, PoolBuilder::new(&class), &twice);
    check_error(result, "edit of no or an earlier method");
    let other = self::class(52, &[RETURN], &[], &[("More", &[])]);
    let result = apply(
        &class,
        PoolBuilder::new(&ClassFile::parse(&other).unwrap()),
        &[],
    );
    check_error(result, "constants for another class");
}

#[test]
fn annotations_nested_without_end_are_an_error() {
    let mut nested = vec![0, 1, 0x13, 0, 0, 1, 0, 1, 0, 1];
    nested.extend([b'[', 0, 1].repeat(10_000));
    let bytes = class(
        52,
        &[RETURN],
        &[],
        &[("RuntimeVisibleTypeAnnotations", &nested)],
    );
    check_error(edit(&bytes, nops(4)), "annotation nested too deeply");
}

#[test]
fn only_one_return_at_the_very_end_is_single_and_trailing() {
    let check = |code: &[u8], expected| {
        let bytes = class(52, code, &[], &[]);
        let class = ClassFile::parse(&bytes).unwrap();
        let method = class.methods().next().unwrap().unwrap();
        let code = class.code(&method).unwrap().unwrap();
        assert_eq!(
            single_trailing_return(&code),
            Ok(expected),
            "{:?}",
            code.code
        );
    };
    check(&[RETURN], true);
    check(&[NOP, RETURN], true);
    check(&[SIPUSH, RETURN, RETURN, RETURN], true);
    check(&[RETURN, RETURN], false);
    check(&[SIPUSH, NOP, RETURN], false);
    check(&[NOP], false);
}
