//! The checksum of the declarations of a class, as tools see them that skip the code of methods.

use tamis_classfile::{ClassFile, Result};
use tamis_wire::Writer;

use crate::constants::Names;
use crate::printer::{Place, Printer};
use crate::{Digest, members, raw, wire};

/// The checksum of all that a class declares: everything in its file but the code of methods and what a
/// [`Fingerprint`](crate::Fingerprint) ignores too.
///
/// Unlike in a fingerprint, the order of the file and the exact version count: such tools show members,
/// annotations and nested classes in that order, and may refuse a version.
pub fn declarations(class: &ClassFile<'_>) -> Result<Digest> {
    let names = Names::new();
    let mut printer = Printer::new(class, &names)?;
    printer.in_order = true;
    let (head, _) = printer.head()?;
    let fields = members(&mut printer, Place::Field, class.fields())?;
    let mut methods = members(&mut printer, Place::Method, class.methods())?;
    methods.iter_mut().for_each(|method| method.body = None);
    let mut out = Writer::with_capacity(64 * (1 + fields.len() + methods.len()));
    out.fixed(class.major.to_le_bytes())
        .fixed(class.minor.to_le_bytes())
        .digest(head.0);
    for members in [fields, methods] {
        out.fixed((members.len() as u64).to_le_bytes());
        for print in &members {
            wire::member(&mut out, print);
        }
    }
    Ok(raw(out.as_bytes()))
}
