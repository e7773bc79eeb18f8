use super::{MethodEdit, attribute, class, edit, edited, nops};
use crate::{ClassFile, ExceptionHandler, Result, opcode::*};

#[test]
fn lines_move_except_the_first() {
    let lines = [0, 3, 0, 0, 0, 1, 0, 3, 0, 2, 0, 9, 0, 3];
    let expected = [0, 3, 0, 0, 0, 1, 0, 11, 0, 2, 0, 17, 0, 3];
    assert_eq!(
        edited("LineNumberTable", &lines, nops(8)).unwrap(),
        expected
    );
}

#[test]
fn parameters_stay_live_from_the_start_and_other_variables_move() {
    let variables = [
        0, 3, //
        0, 0, 0, 10, 0, 1, 0, 1, 0, 0, // the whole method
        0, 2, 0, 3, 0, 1, 0, 1, 0, 1, // a part of it
        0, 5, 255, 255, 0, 1, 0, 1, 0, 1, // nonsense
    ];
    let expected = [
        0, 3, //
        0, 0, 0, 18, 0, 1, 0, 1, 0, 0, //
        0, 10, 0, 3, 0, 1, 0, 1, 0, 1, //
        0, 5, 255, 255, 0, 1, 0, 1, 0, 1,
    ];
    for name in ["LocalVariableTable", "LocalVariableTypeTable"] {
        assert_eq!(
            edited(name, &variables, nops(8)).unwrap(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn attributes_that_are_not_known_stay_as_they_are() {
    for name in ["StackMap", "CharacterRangeTable", "Unheard"] {
        assert_eq!(
            edited(name, &[0, 1, 8, 0, 0], nops(8)).unwrap(),
            [0, 1, 8, 0, 0]
        );
    }
}

fn check_frames(frames: &[u8], prefix: usize, frame_after_prefix: bool, expected: &[u8]) {
    let change = MethodEdit {
        frame_after_prefix,
        ..nops(prefix)
    };
    let actual = edited("StackMapTable", frames, change).unwrap();
    assert_eq!(actual, expected, "{frames:?} behind {prefix} bytes");
}

#[test]
fn the_first_frame_moves_and_widens_where_it_must() {
    check_frames(&[0, 2, 4, 1], 8, false, &[0, 2, 12, 1]);
    check_frames(&[0, 1, 3], 60, false, &[0, 1, 63]);
    check_frames(&[0, 1, 4], 60, false, &[0, 1, 251, 0, 64]);
    check_frames(&[0, 1, 67, 7, 0, 2], 60, false, &[0, 1, 127, 7, 0, 2]);
    check_frames(
        &[0, 1, 68, 7, 0, 2],
        60,
        false,
        &[0, 1, 247, 0, 64, 7, 0, 2],
    );
    check_frames(&[0, 1, 250, 0, 4], 8, false, &[0, 1, 250, 0, 12]);
    check_frames(&[0, 0], 8, false, &[0, 0]);
}

#[test]
fn a_frame_is_added_behind_the_prefix_unless_one_comes_to_stand_there() {
    check_frames(&[0, 1, 4], 8, true, &[0, 2, 8, 3]);
    check_frames(&[0, 1, 4], 64, true, &[0, 2, 251, 0, 64, 3]);
    check_frames(&[0, 1, 68, 1], 8, true, &[0, 2, 8, 67, 1]);
    check_frames(&[0, 1, 252, 0, 1, 1], 8, true, &[0, 2, 8, 252, 0, 0, 1]);
    check_frames(&[0, 2, 0, 4], 8, true, &[0, 2, 8, 4]);
    check_frames(&[0, 1, 252, 0, 0, 1], 8, true, &[0, 1, 252, 0, 8, 1]);
    check_frames(&[0, 0], 8, true, &[0, 1, 8]);
}

#[test]
fn uninitialized_items_move_in_every_frame() {
    let frames = [
        0, 4, //
        65, 8, 0, 0, // one item on the stack
        253, 0, 1, 8, 0, 0, 1, // two locals more
        247, 0, 1, 8, 0, 2, //
        255, 0, 0, 0, 1, 8, 0, 1, 0, 2, 7, 0, 2, 8, 0, 3, // all anew
    ];
    let expected = [
        0, 4, //
        69, 8, 0, 4, //
        253, 0, 1, 8, 0, 4, 1, //
        247, 0, 1, 8, 0, 6, //
        255, 0, 0, 0, 1, 8, 0, 5, 0, 2, 7, 0, 2, 8, 0, 7,
    ];
    check_frames(&frames, 4, false, &expected);
}

#[test]
fn a_missing_stack_map_is_added_where_the_version_has_them() {
    let guard = MethodEdit {
        frame_after_prefix: true,
        ..nops(8)
    };
    let code = [RETURN];
    let new = edit(&class(50, &code, &[], &[]), guard.clone()).unwrap();
    assert_eq!(attribute(&new, "StackMapTable").unwrap(), [0, 1, 8]);
    let old = edit(&class(49, &code, &[], &[]), guard).unwrap();
    assert_eq!(attribute(&old, "StackMapTable"), None);
}

#[test]
fn type_annotations_move_with_what_they_name() {
    let annotations = |start: u8, length: u8, offset: u8| {
        let value = [
            0, 1, 0, 2, 0, 1, b'[', 0, 1, b'@', 0, 1, 0, 0, 0, 1, b'e', 0, 1, 0, 1,
        ];
        let mut bytes = vec![0, 4];
        // A local variable with a type path and values, `new`, a type argument, a catch.
        bytes.extend([0x40, 0, 1, 0, start, 0, length, 0, 1, 1, 0, 0]);
        bytes.extend(value);
        bytes.extend([0x44, 0, offset, 0, 0, 1, 0, 0]);
        bytes.extend([0x48, 0, offset, 1, 0, 0, 1, 0, 0]);
        bytes.extend([0x42, 0, 3, 0, 0, 1, 0, 0]);
        bytes
    };
    for name in [
        "RuntimeVisibleTypeAnnotations",
        "RuntimeInvisibleTypeAnnotations",
    ] {
        let moved = edited(name, &annotations(2, 4, 5), nops(8)).unwrap();
        assert_eq!(moved, annotations(10, 4, 13), "{name}");
    }
}

#[test]
fn handlers_keep_clear_of_the_prefix_and_include_the_epilogue_of_their_return() {
    let code = [NOP, NOP, RETURN];
    let handler = |start_pc, end_pc, handler_pc| ExceptionHandler {
        start_pc,
        end_pc,
        handler_pc,
        catch_type: 0,
    };
    let bytes = class(49, &code, &[handler(0, 3, 2), handler(1, 2, 2)], &[]);
    let epilogue = Some(vec![NOP, NOP, RETURN].into());
    let bytes = edit(
        &bytes,
        MethodEdit {
            epilogue,
            stack: 2,
            ..nops(4)
        },
    )
    .unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    let method = class.methods().next().unwrap().unwrap();
    let code = class.code(&method).unwrap().unwrap();
    assert_eq!(code.code, [NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, RETURN]);
    assert_eq!(code.max_stack, 3, "the epilogue may find a full stack");
    let handlers: Vec<_> = code.handlers().map(Result::unwrap).collect();
    assert_eq!(handlers, [handler(4, 9, 6), handler(5, 6, 6)]);
}
