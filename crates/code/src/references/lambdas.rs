//! Lambdas and references to methods: objects with one method, whose body is another method.

use super::bootstrap_methods;
use std::collections::BTreeSet;
use tamis_classfile::{ClassFile, Code, Constant, ConstantPool, Error, Result, opcode};

const FACTORY: [&[u8]; 2] = [b"java/lang/invoke/LambdaMetafactory", b"metafactory"];

/// An object that code makes of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lambda<'a> {
    /// The internal name of the interface that it implements.
    pub interface: &'a [u8],
    /// The name of the method that it implements.
    pub method: &'a [u8],
    /// What runs then: owner, name and descriptor.
    pub body: [&'a [u8]; 3],
}

/// What code makes otherwise than by `new`: arrays, and the objects of dynamic call sites.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Made<'a> {
    /// Interfaces and classes that these objects may be of.
    pub types: BTreeSet<&'a [u8]>,
    /// Classes of the elements of arrays that it makes.
    pub elements: BTreeSet<&'a [u8]>,
    /// The lambdas whose bodies nothing else can come to: javac wrote them into the same class, and no other handle
    /// leads there. When a reference to any other method is made, that is linked, which is more than nothing.
    pub lambdas: BTreeSet<Lambda<'a>>,
}

/// What `code` makes otherwise than by `new`.
pub fn made<'a>(class: &ClassFile<'a>, code: &Code<'a>) -> Result<Made<'a>> {
    let mut found = Made::default();
    let pool = &class.pool;
    let (mut sites, mut others, mut is_open) = (BTreeSet::new(), BTreeSet::new(), false);
    for instruction in code.instructions() {
        let instruction = instruction?;
        let Some(index) = instruction.constant() else {
            continue;
        };
        match (instruction.opcode, pool.get(index)?) {
            (opcode::ANEWARRAY | opcode::MULTIANEWARRAY, Constant::Class { name }) => {
                found.elements.extend(element_of(pool.utf8(name)?));
            }
            (
                opcode::INVOKEDYNAMIC,
                Constant::InvokeDynamic {
                    bootstrap,
                    name_and_type,
                },
            ) => {
                sites.insert((bootstrap, name_and_type));
            }
            (
                opcode::LDC | opcode::LDC_W | opcode::LDC2_W,
                Constant::MethodHandle { reference, .. },
            ) => {
                others.extend(method(pool, reference)?);
            }
            // What it is made of may be any handle.
            (opcode::LDC | opcode::LDC_W | opcode::LDC2_W, Constant::Dynamic { .. }) => {
                is_open = true;
            }
            _ => {}
        }
    }
    if sites.is_empty() {
        return Ok(found);
    }
    let bootstraps = bootstrap_methods(class)?;
    for (bootstrap, name_and_type) in sites {
        let entry = bootstraps.get(usize::from(bootstrap)).copied().flatten();
        let (factory, mut arguments) = entry.ok_or(Error::BadConstant { index: bootstrap })?;
        let is_factory = match pool.get(factory)? {
            Constant::MethodHandle { reference, .. } => {
                let factory = method(pool, reference)?;
                factory.is_some_and(|[owner, name, _]| [owner, name] == FACTORY)
            }
            _ => false,
        };
        let mut bodies = Vec::new();
        while !arguments.is_empty() {
            match pool.get(arguments.u16()?)? {
                Constant::MethodHandle { reference, .. } => bodies.extend(method(pool, reference)?),
                // Interfaces that the object implements, too.
                Constant::Class { name } => drop(found.types.insert(pool.utf8(name)?)),
                Constant::Dynamic { .. } => is_open = true,
                _ => {}
            }
        }
        let (name, descriptor) = pool.name_and_type(name_and_type)?;
        let interface = type_of(descriptor);
        found.types.extend(interface);
        match (is_factory, &bodies[..], interface) {
            (true, [body], Some(interface)) if is_written_here(class, body)? => {
                found.lambdas.insert(Lambda {
                    interface,
                    method: name,
                    body: *body,
                });
            }
            _ => others.extend(bodies),
        }
    }
    let is_alone = |lambda: &Lambda<'_>| !is_open && !others.contains(&lambda.body);
    found.lambdas.retain(is_alone);
    Ok(found)
}

/// Whether javac wrote this method into the class for a lambda.
fn is_written_here(class: &ClassFile<'_>, [owner, name, _]: &[&[u8]; 3]) -> Result<bool> {
    Ok(*owner == class.name()? && name.starts_with(b"lambda$"))
}

/// The class that this is, or that its innermost elements are of; `None` for those that are no objects.
fn element_of(name: &[u8]) -> Option<&[u8]> {
    let dimensions = name.iter().take_while(|byte| **byte == b'[').count();
    match dimensions {
        0 => Some(name),
        _ => name
            .get(dimensions..)?
            .strip_prefix(b"L")?
            .strip_suffix(b";"),
    }
}

/// The type of what a call site with this descriptor makes.
fn type_of(descriptor: &[u8]) -> Option<&[u8]> {
    let end = descriptor.iter().position(|byte| *byte == b')')?;
    descriptor
        .get(end + 1..)?
        .strip_prefix(b"L")?
        .strip_suffix(b";")
}

/// The method that a handle leads to; `None` if that is a field.
fn method<'a>(pool: &ConstantPool<'a>, reference: u16) -> Result<Option<[&'a [u8]; 3]>> {
    match pool.get(reference)? {
        Constant::Field { .. } => Ok(None),
        _ => pool.method(reference).map(Some),
    }
}
