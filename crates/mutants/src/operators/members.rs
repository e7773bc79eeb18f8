//! Operators that change the class itself: a method or an interface less.

use crate::Result;
use crate::body::Named;
use tamis_classfile::{ClassFile, Member, access, opcode};

/// Superclasses of which nothing is inherited that a class would override by chance.
const ROOTS: [&[u8]; 3] = [b"java/lang/Object", b"java/lang/Record", b"java/lang/Enum"];

/// What every class inherits and may override.
const OF_OBJECT: [(&[u8], &[u8]); 3] = [
    (b"equals", b"(Ljava/lang/Object;)Z"),
    (b"hashCode", b"()I"),
    (b"toString", b"()Ljava/lang/String;"),
];

/// Interfaces without methods that the JDK asks for: to lack them breaks little or everything.
const MARKERS: [&[u8]; 6] = [
    b"java/io/Serializable",
    b"java/lang/Cloneable",
    b"java/lang/annotation/Annotation",
    b"java/rmi/Remote",
    b"java/util/EventListener",
    b"java/util/RandomAccess",
];

/// Whether a method may override another. It cannot be known from the class alone; if it does not, who
/// calls it gets an error once it is removed, which is a fault too.
pub(crate) fn may_override(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
    let never = access::ABSTRACT | access::STATIC | access::PRIVATE | access::FINAL;
    let seen = access::PUBLIC | access::PROTECTED;
    let name = class.pool.utf8(method.name)?;
    if method.access & never != 0 || method.access & seen == 0 || name.starts_with(b"<") {
        return Ok(false);
    }
    let descriptor = class.pool.utf8(method.descriptor)?;
    let extends = class
        .super_name()?
        .is_some_and(|name| !ROOTS.contains(&name));
    let implements = class.interface_names().next().is_some();
    Ok(extends || implements || OF_OBJECT.contains(&(name, descriptor)))
}

/// Interfaces of a class that is not abstract, with their indexes.
pub(crate) fn droppable_interfaces<'a>(class: &ClassFile<'a>) -> Result<Vec<(usize, &'a [u8])>> {
    let mut interfaces = Vec::new();
    if class.access & (access::ABSTRACT | access::INTERFACE) != 0 {
        return Ok(interfaces);
    }
    for (index, name) in class.interface_names().enumerate() {
        let name = name?;
        if !MARKERS.contains(&name) && !is_called_as_super(class, name)? {
            interfaces.push((index, name));
        }
    }
    Ok(interfaces)
}

/// Whether there is code such as `I.super.run()`, which does not verify unless `I` is implemented.
fn is_called_as_super(class: &ClassFile<'_>, interface: &[u8]) -> Result<bool> {
    for method in class.methods() {
        let Some(code) = class.code(&method?)? else {
            continue;
        };
        for instruction in code.instructions() {
            let instruction = instruction?;
            if instruction.opcode == opcode::INVOKESPECIAL
                && let Some(called) = Named::by(class, &instruction)?
                && called.owner == Some(interface)
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
