//! Lambdas and references to methods: objects with one method, whose body is another method of the program.

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

/// The lambdas that `code` makes, of those methods that it uses in no other way through a method handle.
pub fn lambdas<'a>(class: &ClassFile<'a>, code: &Code<'a>) -> Result<Vec<Lambda<'a>>> {
    let pool = &class.pool;
    let (mut sites, mut others) = (BTreeSet::new(), BTreeSet::new());
    for instruction in code.instructions() {
        let instruction = instruction?;
        let Some(index) = instruction.constant() else {
            continue;
        };
        match (instruction.opcode, pool.get(index)?) {
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
                return Ok(Vec::new());
            }
            _ => {}
        }
    }
    if sites.is_empty() {
        return Ok(Vec::new());
    }
    let bootstraps = bootstrap_methods(class)?;
    let mut lambdas = BTreeSet::new();
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
                Constant::Dynamic { .. } => return Ok(Vec::new()),
                _ => {}
            }
        }
        let (name, descriptor) = pool.name_and_type(name_and_type)?;
        match (is_factory, &bodies[..], interface_of(descriptor)) {
            (true, [body], Some(interface)) => {
                lambdas.insert(Lambda {
                    interface,
                    method: name,
                    body: *body,
                });
            }
            _ => others.extend(bodies),
        }
    }
    lambdas.retain(|lambda| !others.contains(&lambda.body));
    Ok(lambdas.into_iter().collect())
}

/// The interface that the call of a factory with this descriptor makes an object of.
fn interface_of(descriptor: &[u8]) -> Option<&[u8]> {
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
