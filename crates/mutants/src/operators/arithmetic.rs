//! Arithmetic with another operation on the same types, increments and negations.

use crate::Operator;
use crate::body::Proposal;
use crate::change::NewCode;
use tamis_classfile::{Instruction, opcode};

const TYPES: [&str; 4] = ["int", "long", "float", "double"];

/// The `wide` form of `iinc`: that opcode, the variable, the increment.
const WIDE_INCREMENT: u8 = opcode::IINC;

pub(super) fn propose(at: &Instruction<'_>, proposals: &mut Vec<Proposal>) {
    let (operator, description, instead) = match (at.opcode, at.operands) {
        (opcode::INEG..=opcode::DNEG, _) => {
            let of = type_name(at.opcode - opcode::INEG);
            let description = format!("removed negation of {of}");
            (Operator::RemovedNegation, description, vec![opcode::NOP])
        }
        (opcode::IINC, &[variable, by]) => {
            let by = by.cast_signed();
            let Some(back) = by.checked_neg().filter(|back| *back != by) else {
                return;
            };
            let instead = vec![opcode::IINC, variable, back.cast_unsigned()];
            (
                Operator::Increment,
                increment(by.into(), back.into()),
                instead,
            )
        }
        (opcode::WIDE, &[WIDE_INCREMENT, v1, v2, b1, b2]) => {
            let by = i16::from_be_bytes([b1, b2]);
            let Some(back) = by.checked_neg().filter(|back| *back != by) else {
                return;
            };
            let [b1, b2] = back.to_be_bytes();
            let instead = vec![opcode::WIDE, WIDE_INCREMENT, v1, v2, b1, b2];
            (Operator::Increment, increment(by, back), instead)
        }
        _ => match operation(at.opcode) {
            Some((description, other)) => (Operator::Arithmetic, description, vec![other]),
            None => return,
        },
    };
    proposals.push(Proposal {
        operator,
        description,
        new: NewCode::same_length(instead),
    });
}

fn increment(by: i16, back: i16) -> String {
    format!("increment by {by} becomes by {back}")
}

fn type_name(of: u8) -> &'static str {
    TYPES.get(usize::from(of)).unwrap_or(&"value")
}

/// What is done to an operation, and the opcode of the other one.
fn operation(code: u8) -> Option<(String, u8)> {
    // The first opcode of each operation is that of ints. Four types have arithmetic, two have bits.
    let (first, old, other, new) = match code {
        opcode::IADD..opcode::ISUB => (opcode::IADD, "+", opcode::ISUB, "-"),
        opcode::ISUB..opcode::IMUL => (opcode::ISUB, "-", opcode::IADD, "+"),
        opcode::IMUL..opcode::IDIV => (opcode::IMUL, "*", opcode::IDIV, "/"),
        opcode::IDIV..opcode::IREM => (opcode::IDIV, "/", opcode::IMUL, "*"),
        opcode::IREM..opcode::INEG => (opcode::IREM, "%", opcode::IMUL, "*"),
        opcode::ISHL..opcode::ISHR => (opcode::ISHL, "<<", opcode::ISHR, ">>"),
        opcode::ISHR..opcode::IUSHR => (opcode::ISHR, ">>", opcode::ISHL, "<<"),
        opcode::IUSHR..opcode::IAND => (opcode::IUSHR, ">>>", opcode::ISHL, "<<"),
        opcode::IAND..opcode::IOR => (opcode::IAND, "&", opcode::IOR, "|"),
        opcode::IOR..opcode::IXOR => (opcode::IOR, "|", opcode::IAND, "&"),
        opcode::IXOR..=opcode::LXOR => (opcode::IXOR, "^", opcode::IAND, "&"),
        _ => return None,
    };
    let of = code - first;
    Some((format!("{} {old} becomes {new}", type_name(of)), other + of))
}
