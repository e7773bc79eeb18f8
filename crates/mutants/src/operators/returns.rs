//! Another value in the place of the one that a method returns.

use super::constants::number;
use crate::body::{Proposal, Site};
use crate::change::NewCode;
use crate::descriptor::{Signature, Type};
use crate::{Operator, Result};
use tamis_classfile::opcode;

pub(super) fn propose(site: &Site<'_>, proposals: &mut Vec<Proposal>) -> Result<()> {
    let at = site.at()?;
    let result = match at.opcode {
        opcode::IRETURN..=opcode::ARETURN => Signature::of(site.body.descriptor),
        _ => None,
    };
    let Some(result) = result.and_then(|signature| signature.result) else {
        return Ok(());
    };
    let mut propose = |operator, description: String, before: &[u8]| {
        proposals.push(Proposal {
            operator,
            description,
            new: NewCode::Bytes {
                before: before.to_vec(),
                instead: vec![at.opcode],
            },
        });
    };
    let before = site.before();
    let constant = match &before {
        Some(before) => number(site.body.class, before)?,
        None => None,
    };
    if let Some(negation) = negation(result)
        && constant.is_none()
    {
        let description = "returns the negative value".to_owned();
        propose(Operator::InsertedNegation, description, &[negation]);
    }
    // Constants are changed where they are pushed.
    let is_null = before.is_some_and(|before| before.opcode == opcode::ACONST_NULL);
    if constant.is_none() && !is_null {
        let mut values = vec![(result.default_text(), result.default())];
        if result == Type::BOOLEAN {
            values.push(("true", opcode::ICONST_1));
        }
        for (text, push) in values {
            let description = format!("returns {text}");
            propose(Operator::ReturnValue, description, &[result.pop(), push]);
        }
    }
    Ok(())
}

/// The instruction that negates a value, for those that are numbers and not characters, bytes or truth.
fn negation(of: Type) -> Option<u8> {
    let types = [Type::INT, Type::LONG, Type::FLOAT, Type::DOUBLE];
    let index = types.iter().position(|known| *known == of)?;
    Some(opcode::INEG + u8::try_from(index).ok()?)
}
