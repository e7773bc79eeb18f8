//! Code inserted between instructions.

use super::super::{Insertion, apply_inside, has_room};
use super::{MethodEdit, PoolBuilder, attribute, class, nops};
use crate::{ClassFile, Code, Error, ExceptionHandler, Result, opcode::*};

/// Not in any of the code here, so that it is seen where it was inserted.
const NEW: u8 = 0x02;

/// `bytes` with so many bytes before the instructions at these positions.
fn edit(bytes: &[u8], prefix: usize, inside: &[(u16, usize)]) -> Result<Vec<u8>> {
    let piece = [NEW; 2000];
    let inside = inside.iter().map(|&(pc, length)| (pc, &piece[..length]));
    let inside: Vec<Insertion<'_>> = inside.collect();
    let class = ClassFile::parse(bytes)?;
    let room = has_room(&code(&class), &nops(prefix), &inside)?;
    let edited = apply_inside(
        &class,
        PoolBuilder::new(&class),
        &[(0, nops(prefix), inside)],
    );
    let too_large = matches!(edited, Err(Error::TooLarge { .. }));
    assert_eq!(room, !too_large, "whether there is room");
    edited
}

fn code<'a>(class: &ClassFile<'a>) -> Code<'a> {
    let method = class.methods().next().unwrap().unwrap();
    class.code(&method).unwrap().unwrap()
}

fn check(before: &[u8], inside: &[(u16, usize)], expected: &[u8]) {
    let edited = edit(&class(52, before, &[], &[]), 0, inside).unwrap();
    assert_eq!(
        code(&ClassFile::parse(&edited).unwrap()).code,
        expected,
        "{before:?} {inside:?}"
    );
}

#[test]
fn jumps_to_an_instruction_reach_what_is_inserted_before_it() {
    let forth = [IFEQ, 0, 4, NOP, RETURN];
    check(&forth, &[(4, 1)], &[IFEQ, 0, 4, NOP, NEW, RETURN]);
    check(&forth, &[(3, 2)], &[IFEQ, 0, 6, NEW, NEW, NOP, RETURN]);
    check(
        &forth,
        &[(0, 1), (3, 1), (4, 1)],
        &[NEW, IFEQ, 0, 5, NEW, NOP, NEW, RETURN],
    );
    let back = [NOP, NOP, GOTO, 0xff, 0xfe];
    check(&back, &[(0, 1)], &[NEW, NOP, NOP, GOTO, 0xff, 0xfd]);
    check(&back, &[(1, 1)], &[NOP, NEW, NOP, GOTO, 0xff, 0xfd]);
    check(&back, &[(2, 1)], &[NOP, NOP, NEW, GOTO, 0xff, 0xfd]);
    check(
        &[JSR_W, 0, 0, 0, 5, RET, 1],
        &[(5, 1)],
        &[JSR_W, 0, 0, 0, 5, NEW, RET, 1],
    );
}

#[test]
fn a_prefix_is_not_run_again_by_a_jump_to_the_start() {
    let loops = class(52, &[NOP, GOTO, 0xff, 0xff], &[], &[]);
    let edited = edit(&loops, 4, &[(0, 1)]).unwrap();
    let edited = ClassFile::parse(&edited).unwrap();
    assert_eq!(code(&edited).code, [0, 0, 0, 0, NEW, NOP, GOTO, 0xff, 0xfe]);
}

#[test]
#[rustfmt::skip]
fn switches_get_new_padding_and_distances() {
    let table = [
        TABLESWITCH, 0, 0, 0, //
        0, 0, 0, 25, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0, NOP, RETURN,
    ];
    check(
        &[&[NOP; 4][..], &table].concat(),
        &[(4, 1), (29, 1)],
        &[
            NOP, NOP, NOP, NOP, NEW, TABLESWITCH, 0, 0, //
            0, 0, 0, 24, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 23, 255, 255, 255, 255, NOP, NEW, RETURN,
        ],
    );
    let lookup = [
        NOP, NOP, NOP, LOOKUPSWITCH, //
        0, 0, 0, 21, 0, 0, 0, 1, 0, 0, 0, 7, 255, 255, 255, 253, RETURN, NOP, NOP, NOP, RETURN,
    ];
    check(
        &lookup,
        &[(1, 3), (24, 2)],
        &[
            NOP, NEW, NEW, NEW, NOP, NOP, LOOKUPSWITCH, 0, //
            0, 0, 0, 22, 0, 0, 0, 1, 0, 0, 0, 7, 255, 255, 255, 250, RETURN, NOP, NOP, NOP, NEW, NEW, RETURN,
        ],
    );
}

/// `opcode` that jumps over `distance` bytes, its own included, and back from there by a jump.
fn over(opcode: u8, distance: usize) -> Vec<u8> {
    let mut code = vec![opcode];
    code.extend(i16::try_from(distance).unwrap().to_be_bytes());
    code.resize(distance, NOP);
    code.push(GOTO);
    code.extend((-i16::try_from(distance).unwrap()).to_be_bytes());
    code
}

#[test]
fn jumps_that_go_too_far_get_their_wide_form() {
    let far = over(GOTO, 32_767);
    let edited = edit(&class(52, &far, &[], &[]), 0, &[(100, 1)]).unwrap();
    let edited = ClassFile::parse(&edited).unwrap();
    let bytes = code(&edited).code;
    assert_eq!(
        bytes[..5],
        [&[GOTO_W][..], &32_770_i32.to_be_bytes()].concat()
    );
    assert_eq!(
        bytes[32_770..],
        [&[GOTO_W][..], &(-32_770_i32).to_be_bytes()].concat()
    );
    let near = over(JSR, 32_760);
    let edited = edit(&class(49, &near, &[], &[]), 0, &[(100, 1)]).unwrap();
    let edited = ClassFile::parse(&edited).unwrap();
    let bytes = code(&edited).code;
    assert_eq!(bytes[..3], [&[JSR][..], &32_761_i16.to_be_bytes()].concat());
}

fn check_error(result: Result<Vec<u8>>, expected: &str) {
    match result {
        Err(Error::Malformed { what, .. } | Error::TooLarge { what }) => assert_eq!(what, expected),
        other => panic!("{other:?} and not {expected}"),
    }
}

#[test]
fn conditional_branches_that_would_go_too_far_are_too_large() {
    for opcode in [IFEQ, IFNULL, IFNONNULL] {
        let fits = class(52, &over(opcode, 32_766), &[], &[]);
        assert!(edit(&fits, 0, &[(100, 1)]).is_ok());
        let too_far = class(52, &over(opcode, 32_767), &[], &[]);
        check_error(edit(&too_far, 0, &[(100, 1)]), "distance of a branch");
    }
}

#[test]
fn code_grows_to_65535_bytes_and_the_stack_to_65535_slots() {
    let code = |length: usize| {
        class(
            52,
            &[vec![NOP; length - 1], vec![RETURN]].concat(),
            &[],
            &[],
        )
    };
    assert!(edit(&code(65_530), 4, &[(100, 1)]).is_ok());
    check_error(edit(&code(65_531), 4, &[(100, 1)]), "code of a method");
    let bytes = code(10);
    let class = ClassFile::parse(&bytes).unwrap();
    let tall = MethodEdit {
        stack: 0xffff,
        ..nops(0)
    };
    let inside: &[Insertion<'_>] = &[(0, &[NEW])];
    assert_eq!(has_room(&self::code(&class), &tall, inside), Ok(false));
    let result = apply_inside(
        &class,
        PoolBuilder::new(&class),
        &[(0, tall, inside.to_vec())],
    );
    check_error(result, "operand stack");
}

#[test]
fn insertions_and_branches_at_no_instruction_are_errors() {
    let bytes = class(52, &[GOTO, 0, 3, RETURN], &[], &[]);
    for inside in [
        &[(1, 1)][..],
        &[(4, 1)],
        &[(3, 1), (0, 1)],
        &[(3, 1), (3, 1)],
    ] {
        check_error(edit(&bytes, 0, inside), "insertion at no instruction");
    }
    for target in [1, 4, 0x7f] {
        let bytes = class(52, &[GOTO, 0, target, RETURN], &[], &[]);
        check_error(edit(&bytes, 0, &[(3, 1)]), "branch to no instruction");
    }
}

/// What becomes of the attribute `name` of `code` with so many bytes inserted.
fn moved(code: &[u8], inside: &[(u16, usize)], name: &str, data: &[u8]) -> Vec<u8> {
    let bytes = edit(&class(52, code, &[], &[(name, data)]), 4, inside).unwrap();
    attribute(&bytes, name).unwrap()
}

const TEN: &[u8] = &[NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, RETURN];

#[test]
fn frames_stand_where_their_instructions_are_reached() {
    let check = |frames: &[u8], inside: &[(u16, usize)], expected: &[u8]| {
        assert_eq!(
            moved(TEN, inside, "StackMapTable", frames),
            expected,
            "{frames:?} {inside:?}"
        );
    };
    check(&[0, 3, 1, 1, 1], &[(3, 2)], &[0, 3, 5, 1, 3]);
    check(&[0, 2, 1, 1], &[(1, 2)], &[0, 2, 5, 3]);
    check(&[0, 1, 0], &[(0, 2)], &[0, 1, 4]);
    check(&[0, 2, 1, 1], &[(1, 62)], &[0, 2, 5, 63]);
    check(&[0, 2, 1, 1], &[(1, 63)], &[0, 2, 5, 251, 0, 64]);
    check(
        &[0, 2, 65, 1, 65, 1],
        &[(2, 63)],
        &[0, 2, 69, 1, 247, 0, 64, 1],
    );
    check(
        &[0, 2, 251, 0, 1, 250, 0, 1],
        &[(2, 1)],
        &[0, 2, 251, 0, 5, 250, 0, 2],
    );
}

#[test]
fn uninitialized_items_name_the_instruction_and_not_what_is_before_it() {
    let frames = [0, 2, 66, 8, 0, 2, 66, 8, 0, 5];
    let expected = [0, 2, 70, 8, 0, 9, 69, 8, 0, 14];
    let inside = [(2, 3), (5, 2)];
    assert_eq!(moved(TEN, &inside, "StackMapTable", &frames), expected);
}

#[test]
fn lines_and_variables_include_what_is_inserted_before_their_first_instruction() {
    let lines = [0, 3, 0, 0, 0, 1, 0, 3, 0, 2, 0, 9, 0, 3];
    let expected = [0, 3, 0, 0, 0, 1, 0, 7, 0, 2, 0, 15, 0, 3];
    assert_eq!(moved(TEN, &[(3, 2)], "LineNumberTable", &lines), expected);
    let variables = [
        0, 3, //
        0, 0, 0, 10, 0, 1, 0, 1, 0, 0, // the whole method
        0, 3, 0, 2, 0, 1, 0, 1, 0, 1, // up to another insertion
        0, 2, 0, 1, 0, 1, 0, 1, 0, 1, // up to the first
    ];
    let expected = [
        0, 3, //
        0, 0, 0, 17, 0, 1, 0, 1, 0, 0, //
        0, 7, 0, 4, 0, 1, 0, 1, 0, 1, //
        0, 6, 0, 1, 0, 1, 0, 1, 0, 1,
    ];
    let inside = [(3, 2), (5, 1)];
    assert_eq!(
        moved(TEN, &inside, "LocalVariableTable", &variables),
        expected
    );
}

#[test]
fn type_annotations_name_the_instruction_and_not_what_is_before_it() {
    let annotations = |start: u8, length: u8, offset: u8| {
        let mut bytes = vec![0, 2];
        bytes.extend([0x40, 0, 1, 0, start, 0, length, 0, 1, 0, 0, 1, 0, 0]);
        bytes.extend([0x44, 0, offset, 0, 0, 1, 0, 0]);
        bytes
    };
    let name = "RuntimeVisibleTypeAnnotations";
    let moved = moved(TEN, &[(3, 2), (5, 1)], name, &annotations(3, 2, 5));
    assert_eq!(moved, annotations(7, 4, 12));
}

#[test]
fn handlers_cover_what_is_inserted_before_what_they_cover() {
    let handler = |start_pc, end_pc, handler_pc| ExceptionHandler {
        start_pc,
        end_pc,
        handler_pc,
        catch_type: 0,
    };
    let bytes = class(49, TEN, &[handler(0, 10, 9), handler(3, 5, 5)], &[]);
    let edited = edit(&bytes, 4, &[(3, 1), (5, 2), (9, 3)]).unwrap();
    let edited = ClassFile::parse(&edited).unwrap();
    let handlers: Vec<_> = code(&edited).handlers().map(Result::unwrap).collect();
    assert_eq!(handlers, [handler(4, 20, 16), handler(7, 10, 10)]);
    assert_eq!(code(&edited).max_stack, 1);
}
