//! Fields that keep the value of a fresh object or class: what an initializer stores is replaced.
//! Constants of static final fields are not stored but inlined by compilers, into other classes too.

use super::constants::number;
use crate::body::{Named, Proposal, Site};
use crate::change::NewCode;
use crate::descriptor::Type;
use crate::{Operator, Result, generated, text};
use tamis_classfile::opcode;

pub(super) fn propose(site: &Site<'_>, proposals: &mut Vec<Proposal>) -> Result<()> {
    let at = site.at()?;
    let class = site.body.class;
    let is_store = match site.body.name {
        b"<init>" => at.opcode == opcode::PUTFIELD,
        b"<clinit>" => at.opcode == opcode::PUTSTATIC,
        _ => false,
    };
    if !is_store || stores_known_value(site)? {
        return Ok(());
    }
    let Some(field) = Named::by(class, &at)? else {
        return Ok(());
    };
    if field.owner != Some(class.name()?) || generated::is_generated_field(class, &field)? {
        return Ok(());
    }
    if let Some(of) = Type::of_field(field.descriptor) {
        let (name, value) = (text::text(field.name), of.default_text());
        proposals.push(Proposal {
            operator: Operator::FieldInitializer,
            description: format!("field {name} becomes {value}"),
            new: NewCode::Bytes {
                before: vec![of.pop(), of.default()],
                instead: [&[at.opcode], at.operands].concat(),
            },
        });
    }
    Ok(())
}

/// Whether the value is null, or a number, which is changed where it is pushed.
fn stores_known_value(site: &Site<'_>) -> Result<bool> {
    let Some(before) = site.before() else {
        return Ok(false);
    };
    let is_null = before.opcode == opcode::ACONST_NULL;
    Ok(is_null || number(site.body.class, &before)?.is_some())
}
