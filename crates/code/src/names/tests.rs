//! Names in code that is assembled by hand, or at random.

use super::*;
use crate::assemble::Assembler;
use proptest::collection::vec;
use proptest::prelude::*;
use tamis_classfile::opcode::*;
use tamis_classfile::{ClassFile, Result, access};

const DUP_X1: u8 = 0x5a;
const DUP_X2: u8 = 0x5b;
const DUP2: u8 = 0x5c;
const DUP2_X1: u8 = 0x5d;
const DUP2_X2: u8 = 0x5e;
const SWAP: u8 = 0x5f;

/// The constants that code here may use, by their indexes.
struct Pool {
    name: u16,
    class: u16,
    for_name: u16,
    helper: u16,
    arrays: u16,
    strings: u16,
    builder: u16,
    init: u16,
    append: u16,
    to_string: u16,
}

impl Pool {
    fn new(a: &mut Assembler) -> Self {
        let builder = "java/lang/StringBuilder";
        let append = "(Ljava/lang/String;)Ljava/lang/StringBuilder;";
        Pool {
            name: a.string("p.A"),
            class: a.class("p/A"),
            for_name: a.method_ref(
                "java/lang/Class",
                "forName",
                "(Ljava/lang/String;)Ljava/lang/Class;",
            ),
            helper: a.method_ref("p/H", "help", "(Ljava/lang/Object;)V"),
            arrays: a.method_ref("p/H", "all", "([Ljava/lang/String;)V"),
            strings: a.class("java/lang/String"),
            builder: a.class(builder),
            init: a.method_ref(builder, "<init>", "()V"),
            append: a.method_ref(builder, "append", append),
            to_string: a.method_ref(builder, "toString", "()Ljava/lang/String;"),
        }
    }
}

/// Finds the names in a static method `m(String, String[])` of this code.
fn find(code: impl FnOnce(&Pool) -> Vec<u8>) -> Result<(Vec<Lookup>, usize)> {
    let mut a = Assembler::default();
    let code = code(&Pool::new(&mut a));
    let descriptor = "(Ljava/lang/String;[Ljava/lang/String;)V";
    a.method(access::STATIC, "m", descriptor, (8, 8), &code);
    let bytes = a.finish(access::SUPER, "p/C", &[]);
    let class = ClassFile::parse(&bytes)?;
    let finder = Finder::new(&class)?;
    let method = class.methods().next().unwrap()?;
    let names = finder.find(&method, &class.code(&method)?.unwrap())?;
    Ok((names.lookups, names.passed.len()))
}

fn with(opcode: u8, constant: u16) -> Vec<u8> {
    let [high, low] = constant.to_be_bytes();
    vec![opcode, high, low]
}

fn check(code: impl FnOnce(&Pool) -> Vec<u8>, expected: &[Values]) {
    let (lookups, _) = find(code).unwrap();
    let names: Vec<_> = lookups.into_iter().map(|lookup| lookup.name).collect();
    assert_eq!(names, expected);
}

fn known(text: &str) -> Values {
    Values::of([Value::Text(text.into())])
}

#[test]
fn names_survive_the_moves_of_the_stack() {
    // What stands below the name, and what is done to it.
    for (below, moves) in [
        (&[][..], &[DUP, POP][..]),
        (&[], &[ICONST_0, SWAP]),
        (&[], &[ICONST_0, DUP_X1, POP]),
        (&[LCONST_1], &[DUP_X2]),
        (&[], &[ICONST_0, DUP2, POP]),
        (&[], &[LCONST_1, DUP2_X1, POP2]),
        (&[LCONST_1], &[ICONST_0, DUP2_X2, POP]),
        (&[], &[LCONST_1, 0x41, ICONST_0, 0x3e]),
    ] {
        let code = |pool: &Pool| {
            let name = with(LDC_W, pool.name);
            let call = with(INVOKESTATIC, pool.for_name);
            [below, &name, moves, &call, &[RETURN]].concat()
        };
        check(code, &[known("p.A")]);
    }
}

#[test]
fn in_code_with_subroutines_every_name_is_unknown() {
    let code = |pool: &Pool| {
        let call = [with(LDC_W, pool.name), with(INVOKESTATIC, pool.for_name)].concat();
        [
            call.clone(),
            vec![JSR, 0, 4, RETURN],
            call,
            vec![0x4c, RET, 1],
        ]
        .concat()
    };
    check(code, &[Values::Unknown, Values::Unknown]);
}

#[test]
fn code_that_no_verifier_takes_has_unknown_names() {
    for code in [vec![POP], vec![0x19, 200], vec![0x5e], vec![AALOAD]] {
        let code = |pool: &Pool| [code, with(INVOKESTATIC, pool.for_name), vec![RETURN]].concat();
        check(code, &[Values::Unknown]);
    }
}

#[test]
fn a_builder_with_two_names_is_the_same_builder() {
    let code = |pool: &Pool| {
        let append = [with(LDC_W, pool.name), with(INVOKEVIRTUAL, pool.append)].concat();
        [
            with(NEW, pool.builder),
            vec![DUP],
            with(INVOKESPECIAL, pool.init),
            vec![0x4d, ALOAD_2, 0x4e, ALOAD_2],
            append.clone(),
            vec![POP, 0x2d],
            append,
            vec![POP, ALOAD_2],
            with(INVOKEVIRTUAL, pool.to_string),
            with(INVOKESTATIC, pool.for_name),
            vec![RETURN],
        ]
        .concat()
    };
    check(code, &[known("p.Ap.A")]);
}

/// One instruction; most make sense where there is something on the stack.
fn instruction(kind: u8, operand: u8, pool: &Pool) -> Vec<u8> {
    let wide = |opcode| vec![opcode, 0, operand % 24];
    match kind % 20 {
        0 | 1 => with(LDC_W, pool.name),
        2 => with(LDC_W, pool.class),
        3 => with(INVOKESTATIC, pool.for_name),
        4 => with(INVOKESTATIC, pool.helper),
        5 => with(INVOKESTATIC, pool.arrays),
        6 => [vec![ICONST_0 + operand % 4], with(ANEWARRAY, pool.strings)].concat(),
        7 => [
            with(NEW, pool.builder),
            vec![DUP],
            with(INVOKESPECIAL, pool.init),
        ]
        .concat(),
        8 => with(INVOKEVIRTUAL, pool.append),
        9 => with(INVOKEVIRTUAL, pool.to_string),
        10 => vec![ALOAD_0 + operand % 4],
        11 => vec![0x4b + operand % 4],
        12 => vec![DUP + operand % 7],
        13 => vec![AALOAD],
        14 => vec![0x53],
        15 => vec![ICONST_0 + operand % 5],
        16 => wide(IFEQ),
        17 => wide(GOTO),
        18 => vec![POP],
        _ => vec![operand],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_as_code_do_not_panic(code in vec(any::<u8>(), 0..64)) {
        let _ = find(|_| code);
    }

    #[test]
    fn any_instructions_as_code_do_not_panic(code in vec(any::<(u8, u8)>(), 0..40)) {
        let _ = find(|pool| {
            let code = code.into_iter();
            let mut code: Vec<u8> = code.flat_map(|(kind, operand)| instruction(kind, operand, pool)).collect();
            code.push(RETURN);
            code
        });
    }
}
