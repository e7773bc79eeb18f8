//! Inserts hooks into classes of test frameworks and of the JDK.
//!
//! A hook is a prefix of one of their methods. Those of frameworks stand in [`tamis_frameworks`], those of the JDK
//! here.

mod jdk;
mod releases;

pub use jdk::{CLASSES, HANDLES, JdkClass};
pub use releases::Releases;

use crate::runtime::HOOK;
use std::borrow::Cow;
use tamis_classfile::edit::{self, MethodEdit, PoolBuilder};
use tamis_classfile::{ClassFile, Error, Member, Result, access, opcode};
use tamis_frameworks::{Entrance, FIRST, Hook, Shape, THIS};

fn is_static(hook: &Hook) -> bool {
    let mut classes = jdk::WITH_STATIC_METHODS.iter();
    classes.any(|class| Some(*class) == hook.class)
}

/// Whether a hook enters `method` of `class`.
fn is_of(hook: &Hook, class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
    let has_code = method.access & (access::ABSTRACT | access::NATIVE) == 0;
    let is_static_method = method.access & access::STATIC != 0;
    Ok(has_code
        && class.pool.utf8(method.name)? == hook.method.as_bytes()
        && fits(hook, class.pool.utf8(method.descriptor)?)
        && hook
            .class
            .is_none_or(|name| class.name() == Ok(name.as_bytes()))
        && is_static_method == is_static(hook))
}

fn fits(hook: &Hook, descriptor: &[u8]) -> bool {
    let returns = match hook.shape {
        Shape::Notify { .. } => true,
        Shape::Result => descriptor.ends_with(b";"),
        Shape::Around | Shape::AroundResult { .. } => descriptor.ends_with(b")V"),
    };
    match hook.descriptor.contains(')') {
        // Whatever it returns.
        true if hook.descriptor == "()" => descriptor.starts_with(b"()"),
        true => descriptor == hook.descriptor.as_bytes(),
        false => descriptor.starts_with(hook.descriptor.as_bytes()) && returns,
    }
}

/// The method that a hook enters, as messages call it: `java.lang.System.getenv()`.
fn title(hook: &Hook) -> String {
    let Hook {
        class,
        method,
        descriptor,
        ..
    } = hook;
    format!("{}.{method}{descriptor}", class.unwrap_or_default()).replace('/', ".")
}

/// The instruction that loads a local variable with an object.
fn load(local: u8) -> u8 {
    opcode::ALOAD_0 + local
}

/// The names of the methods that tamis enters in a class of this name.
pub fn of_class(class: &ClassFile<'_>) -> impl Iterator<Item = String> {
    hooks_of(class).map(title)
}

/// The names of all methods that tamis enters in the classes that a release of the JDK must have.
pub fn of_release(release: u16) -> impl Iterator<Item = String> {
    let is_of_release = move |hook: &&Hook| {
        let mut classes = CLASSES
            .iter()
            .filter(|class| Some(class.name) == hook.class);
        classes.any(|class| class.releases.contains(release))
    };
    jdk::HOOKS.iter().filter(is_of_release).map(title)
}

/// The methods that tamis must enter and that `class` does not have. Without those that leave
/// tests out nothing is left out, which is safe.
pub fn missing(class: &ClassFile<'_>) -> Vec<String> {
    let is_there = |hook: &&Hook| {
        let mut methods = class.methods().flatten();
        methods.any(|method| is_of(hook, class, &method).unwrap_or(false))
    };
    let must = hooks_of(class).filter(|hook| !hook.may_be_missing);
    let missing = must.filter(|hook| !is_there(hook));
    missing.map(title).collect()
}

fn all() -> impl Iterator<Item = &'static Hook> {
    tamis_frameworks::hooks().chain(jdk::HOOKS)
}

fn hooks_of(class: &ClassFile<'_>) -> impl Iterator<Item = &'static Hook> {
    let name = class.name().ok();
    let is_of = move |hook: &&Hook| {
        let class = hook.class.map(str::as_bytes);
        class.is_some() && class == name
    };
    all().filter(is_of)
}

/// The edit that hooks `method` of `class`, if it is one that tamis enters.
pub(crate) fn edit(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    pool: &mut PoolBuilder,
) -> Result<Option<MethodEdit<'static>>> {
    let mut found = None;
    for hook in all() {
        if found.is_none() && is_of(hook, class, method)? {
            found = Some(hook);
        }
    }
    let Some(hook) = found else {
        return Ok(None);
    };
    let hook_class = pool.class(HOOK.as_bytes())?;
    let mut entrance = |e: Entrance| {
        let index = pool.method_ref(hook_class, e.name.as_bytes(), e.descriptor.as_bytes())?;
        let [high, low] = index.to_be_bytes();
        Ok([opcode::INVOKESTATIC, high, low])
    };
    let (mut prefix, mut epilogue) = (Vec::with_capacity(16), None);
    match hook.shape {
        Shape::Result => {
            let has_one_end = match class.code(method)? {
                Some(code) => edit::single_trailing_return(&code)?,
                None => false,
            };
            if !has_one_end {
                return Err(Error::Malformed {
                    at: method.offset,
                    what: "a hook at the end of a method that has several",
                });
            }
            let mut end = vec![opcode::DUP, load(FIRST)];
            end.extend(entrance(hook.entrance)?);
            end.push(opcode::ARETURN);
            epilogue = Some(Cow::Owned(end));
        }
        Shape::Notify { locals } => {
            prefix.extend(locals.iter().map(|local| load(*local)));
            prefix.extend(entrance(hook.entrance)?);
            pad(&mut prefix);
        }
        Shape::Around => {
            prefix.extend([THIS, FIRST].map(load));
            prefix.extend(entrance(hook.entrance)?);
            // Padding stands before the branch, so that the branch ends at the prefix's end.
            prefix.extend([opcode::NOP; 3]);
            prefix.extend([opcode::IFEQ, 0, 4, opcode::RETURN]);
        }
        Shape::AroundResult { class, result } => {
            prefix.extend([THIS, FIRST].map(load));
            prefix.extend(entrance(hook.entrance)?);
            prefix.push(opcode::NOP);
            prefix.extend([opcode::IFEQ, 0, 10]);
            prefix.extend(entrance(result)?);
            let [high, low] = pool.class(class.as_bytes())?.to_be_bytes();
            prefix.extend([opcode::CHECKCAST, high, low, opcode::ARETURN]);
        }
    }
    Ok(Some(MethodEdit {
        prefix: Cow::Owned(prefix),
        frame_after_prefix: matches!(hook.shape, Shape::Around | Shape::AroundResult { .. }),
        stack: 2,
        epilogue,
    }))
}

pub(crate) fn pad(prefix: &mut Vec<u8>) {
    prefix.resize(prefix.len().next_multiple_of(4), opcode::NOP);
}
