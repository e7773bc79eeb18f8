//! Code that compilers generate without a line of source that could be wrong.

use crate::Result;
use crate::body::{Body, Named};
use std::collections::BTreeSet;
use tamis_classfile::{ClassFile, Member, access, opcode};

/// Whether a class has no source of its own: descriptors of modules and packages, maps of switches.
pub(crate) fn is_generated_class(class: &ClassFile<'_>) -> Result<bool> {
    let flags = access::SYNTHETIC | access::MODULE;
    let name = class.name()?;
    Ok(class.access & flags != 0
        || name.ends_with(b"module-info")
        || name.ends_with(b"package-info"))
}

/// Whether a method is a bridge, an accessor or the like. The body of a lambda is called synthetic too,
/// but it has a source.
pub(crate) fn is_generated_method(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
    let name = class.pool.utf8(method.name)?;
    if is_synthetic(class, method)? {
        return Ok(!is_lambda(name));
    }
    let of_enum = class.access & access::ENUM != 0 && method.access & access::STATIC != 0;
    Ok(of_enum && is_enum_method(class, method)?)
}

/// The names that javac and Kotlin, and Scala, give to the bodies of lambdas.
fn is_lambda(name: &[u8]) -> bool {
    const LAMBDA: &[u8] = b"lambda$";
    name.starts_with(b"$anonfun$") || name.windows(LAMBDA.len()).any(|part| part == LAMBDA)
}

/// Whether it is `values()` or `valueOf(String)`.
fn is_enum_method(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
    let descriptor = class.pool.utf8(method.descriptor)?;
    Ok(match class.pool.utf8(method.name)? {
        b"values" => descriptor.starts_with(b"()["),
        b"valueOf" => descriptor.starts_with(b"(Ljava/lang/String;)L"),
        name => name == VALUES,
    })
}

/// What fills the array of an enum's values.
const VALUES: &[u8] = b"$values";

/// Before version 49 an attribute says what a flag says now.
fn is_synthetic(class: &ClassFile<'_>, member: &Member<'_>) -> Result<bool> {
    Ok(member.access & access::SYNTHETIC != 0
        || class.find(member.attributes, b"Synthetic")?.is_some())
}

/// Whether it is a field of this class that no source has: outer instances, values of an enum, the
/// switch of assertions.
pub(crate) fn is_generated_field(class: &ClassFile<'_>, field: &Named<'_>) -> Result<bool> {
    for member in class.fields() {
        let member = member?;
        if class.pool.utf8(member.name)? == field.name
            && class.pool.utf8(member.descriptor)? == field.descriptor
        {
            return is_synthetic(class, &member);
        }
    }
    Ok(false)
}

const ASSERTIONS: &[u8] = b"$assertionsDisabled";

/// The indexes of instructions in code that has a source, which the source does not say: finding out
/// whether assertions are on, the hash code of a string that is switched on, the call that makes the
/// values of an enum.
pub(crate) fn instructions(body: &Body<'_>) -> Result<BTreeSet<usize>> {
    let mut generated = BTreeSet::new();
    let mut asking = None;
    for (index, instruction) in body.instructions.iter().enumerate() {
        if !(opcode::GETSTATIC..=opcode::INVOKESTATIC).contains(&instruction.opcode) {
            continue;
        }
        let Some(named) = Named::by(body.class, instruction)? else {
            continue;
        };
        let next = body.instructions.get(index + 1);
        match (instruction.opcode, named.name) {
            (opcode::INVOKEVIRTUAL, b"desiredAssertionStatus") => asking = Some(index),
            (opcode::PUTSTATIC, ASSERTIONS) => {
                generated.extend(asking.take().unwrap_or(index)..=index);
            }
            (opcode::GETSTATIC, ASSERTIONS) => generated.extend([index, index + 1]),
            (opcode::INVOKEVIRTUAL, b"hashCode") if next.is_some_and(|n| n.switch().is_some()) => {
                generated.insert(index);
            }
            (opcode::INVOKESTATIC, VALUES) => {
                generated.insert(index);
            }
            _ => {}
        }
    }
    Ok(generated)
}
