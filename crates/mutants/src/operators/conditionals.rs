//! Conditional jumps under another condition. Compilers mostly jump around what a condition guards,
//! so the condition of the jump is the opposite of the one in the source.

use crate::Operator;
use crate::body::Proposal;
use crate::change::NewCode;
use tamis_classfile::{Instruction, opcode};

/// Comparisons in the order of their opcodes, in three families: with 0, of ints, of references (which
/// have the first two only).
const COMPARISONS: [&str; 6] = ["==", "!=", "<", ">=", ">", "<="];
const NULLS: [&str; 2] = ["null", "not null"];
const IF_ICMPEQ: u8 = opcode::IFEQ + 6;

pub(super) fn propose(at: &Instruction<'_>, proposals: &mut Vec<Proposal>) {
    let (first, conditions) = match at.opcode {
        opcode::IFNULL | opcode::IFNONNULL => (opcode::IFNULL, &NULLS[..]),
        opcode::IFEQ..IF_ICMPEQ => (opcode::IFEQ, &COMPARISONS[..]),
        IF_ICMPEQ..=opcode::IF_ACMPNE => (IF_ICMPEQ, &COMPARISONS[..]),
        _ => return,
    };
    let condition = at.opcode - first;
    let mut propose = |operator, other: u8| {
        // References are compared by the opcodes that follow those of ints.
        let name = |condition: u8| conditions.get(usize::from(condition) % conditions.len());
        let (Some(old), Some(new)) = (name(condition), name(other)) else {
            return;
        };
        proposals.push(Proposal {
            operator,
            description: format!("jump if {old} becomes jump if {new}"),
            new: NewCode::same_length([&[first + other], at.operands].concat()),
        });
    };
    if let Some(boundary) = boundary(condition) {
        propose(Operator::ConditionalBoundary, boundary);
    }
    // Each condition stands beside its opposite.
    propose(Operator::NegatedConditional, condition ^ 1);
}

/// The condition that differs only for equal values.
fn boundary(condition: u8) -> Option<u8> {
    match condition {
        2 => Some(5),
        5 => Some(2),
        3 => Some(4),
        4 => Some(3),
        _ => None,
    }
}
