//! Calls that are not made: their arguments are taken from the stack, and a result is made up.

use crate::body::{Named, Proposal, Site};
use crate::change::NewCode;
use crate::descriptor::Signature;
use crate::{Operator, Result, text};
use tamis_classfile::opcode;

pub(super) fn propose(site: &Site<'_>, proposals: &mut Vec<Proposal>) -> Result<()> {
    let at = site.at()?;
    if !(opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC).contains(&at.opcode) {
        return Ok(());
    }
    let Some(called) = Named::by(site.body.class, &at)? else {
        return Ok(());
    };
    // An object must be initialized.
    let signature = Signature::of(called.descriptor).filter(|_| !called.name.starts_with(b"<"));
    let Some(signature) = signature else {
        return Ok(());
    };
    let mut new: Vec<u8> = signature.arguments.iter().rev().map(|a| a.pop()).collect();
    if !matches!(at.opcode, opcode::INVOKESTATIC | opcode::INVOKEDYNAMIC) {
        new.push(opcode::POP);
    }
    new.extend(signature.result.map(|result| result.default()));
    // As many instructions as there is room for take the place of the call.
    let length = 1 + at.operands.len();
    let instead = new.split_off(new.len().saturating_sub(length));
    let callee = callee(&called);
    let (operator, description) = match signature.result {
        None => (Operator::RemovedCall, format!("removed call of {callee}")),
        Some(result) => {
            let value = result.default_text();
            let description = format!("{value} instead of call of {callee}");
            (Operator::CallResult, description)
        }
    };
    proposals.push(Proposal {
        operator,
        description,
        new: NewCode::Bytes {
            before: new,
            instead,
        },
    });
    Ok(())
}

/// What is called, without types.
fn callee(called: &Named<'_>) -> String {
    let name = text::text(called.name);
    match called.owner {
        Some(owner) => format!("{}.{name}", text::class(owner)),
        None => format!("dynamic {name}"),
    }
}
