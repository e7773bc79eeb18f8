//! Where tamis enters classes of test frameworks and of the JDK.
//!
//! A hook is a prefix of one of their methods. Hooks are found by the shape of the method, so that
//! custom JUnit 4 runners and notifiers are covered like JUnit's own.

mod frameworks;
mod jdk;

pub use frameworks::{
    is_named_as_framework, is_platform_launcher, is_sign_of_other_tests, is_sign_of_tests,
    is_surefire, looks_at_tests_alone,
};
pub use jdk::{HANDLES, LATER, OF_THE_JDK};

use crate::runtime::{self, Entrance, HOOK};
use std::borrow::Cow;
use tamis_classfile::edit::{self, MethodEdit, PoolBuilder};
use tamis_classfile::{ClassFile, Error, Member, Result, access, opcode};

/// What a hook does at the start of its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Calls the entrance with these local variables and goes on.
    Notify { locals: &'static [u8] },
    /// Calls the entrance with `this` and the first argument, and returns if it answers yes.
    Around,
    /// The same for a method that returns a runner, which a second entrance hands out.
    AroundRunner,
    /// Calls the entrance with the object that the method returns and its first argument, at its end.
    Result,
}

const THIS: u8 = opcode::ALOAD_0;
const FIRST: u8 = opcode::ALOAD_1;
const SECOND: u8 = opcode::ALOAD_2;

struct Hook {
    /// The class that declares the method; any class if absent.
    class: Option<&'static [u8]>,
    method: &'static [u8],
    /// Its descriptor; one that ends within the parameters stands for all that go on from there
    /// and, where the hook may end the method, return nothing.
    descriptor: &'static [u8],
    entrance: Entrance,
    shape: Shape,
}

impl Hook {
    fn is_static(&self) -> bool {
        let mut classes = jdk::WITH_STATIC_METHODS.iter();
        classes.any(|class| Some(class.as_bytes()) == self.class)
    }

    /// Whether it enters `method` of `class`.
    fn is_of(&self, class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
        let has_code = method.access & (access::ABSTRACT | access::NATIVE) == 0;
        let is_static = method.access & access::STATIC != 0;
        Ok(has_code
            && class.pool.utf8(method.name)? == self.method
            && self.fits(class.pool.utf8(method.descriptor)?)
            && self.class.is_none_or(|name| class.name() == Ok(name))
            && is_static == self.is_static())
    }

    /// The method that it enters, as messages call it: `java.lang.System.getenv()`.
    fn title(&self) -> String {
        let [class, method, descriptor] =
            [self.class.unwrap_or_default(), self.method, self.descriptor]
                .map(String::from_utf8_lossy);
        format!("{class}.{method}{descriptor}").replace('/', ".")
    }

    fn fits(&self, descriptor: &[u8]) -> bool {
        let returns = match self.shape {
            Shape::Notify { .. } => true,
            Shape::Result => descriptor.ends_with(b";"),
            Shape::Around | Shape::AroundRunner => descriptor.ends_with(b")V"),
        };
        match self.descriptor.contains(&b')') {
            // Whatever it returns.
            true if self.descriptor == b"()" => descriptor.starts_with(b"()"),
            true => descriptor == self.descriptor,
            false => descriptor.starts_with(self.descriptor) && returns,
        }
    }
}

/// The names of the methods that tamis enters in a class of this name.
pub fn of_class(class: &ClassFile<'_>) -> impl Iterator<Item = String> {
    hooks_of(class).map(Hook::title)
}

/// The names of all methods that tamis enters in classes of the JDK, from JDK 9 on.
pub fn of_the_jdk() -> impl Iterator<Item = String> {
    let classes = OF_THE_JDK.iter().filter_map(|names| names.first());
    let classes: Vec<&[u8]> = classes.chain(&LATER).map(|name| name.as_bytes()).collect();
    let is_of_them = move |hook: &&Hook| hook.class.is_some_and(|class| classes.contains(&class));
    jdk::HOOKS.iter().filter(is_of_them).map(Hook::title)
}

/// Those methods that tamis must enter in `class` and that it does not have. Without those that leave
/// tests out nothing is left out, which is safe.
pub fn missing(class: &ClassFile<'_>) -> Vec<String> {
    let is_there = |hook: &&Hook| {
        let mut methods = class.methods().flatten();
        methods.any(|method| hook.is_of(class, &method).unwrap_or(false))
    };
    let must = hooks_of(class).filter(|hook| !frameworks::may_be_missing(hook));
    let missing = must.filter(|hook| !is_there(hook));
    missing.map(Hook::title).collect()
}

fn all() -> impl Iterator<Item = &'static Hook> {
    frameworks::HOOKS.iter().chain(jdk::HOOKS)
}

fn hooks_of(class: &ClassFile<'_>) -> impl Iterator<Item = &'static Hook> {
    let name = class.name().ok();
    let is_of = move |hook: &&Hook| hook.class.is_some() && hook.class == name;
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
        if found.is_none() && hook.is_of(class, method)? {
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
            let mut end = vec![opcode::DUP, FIRST];
            end.extend(entrance(hook.entrance)?);
            end.push(opcode::ARETURN);
            epilogue = Some(Cow::Owned(end));
        }
        Shape::Notify { locals } => {
            prefix.extend_from_slice(locals);
            prefix.extend(entrance(hook.entrance)?);
            pad(&mut prefix);
        }
        Shape::Around => {
            prefix.extend([THIS, FIRST]);
            prefix.extend(entrance(hook.entrance)?);
            // Padding stands before the branch, so that the branch ends at the prefix's end.
            prefix.extend([opcode::NOP; 3]);
            prefix.extend([opcode::IFEQ, 0, 4, opcode::RETURN]);
        }
        Shape::AroundRunner => {
            prefix.extend([THIS, FIRST]);
            prefix.extend(entrance(hook.entrance)?);
            prefix.push(opcode::NOP);
            prefix.extend([opcode::IFEQ, 0, 10]);
            prefix.extend(entrance(runtime::RUNNER_BUILT)?);
            let [high, low] = pool.class(b"org/junit/runner/Runner")?.to_be_bytes();
            prefix.extend([opcode::CHECKCAST, high, low, opcode::ARETURN]);
        }
    }
    Ok(Some(MethodEdit {
        prefix: Cow::Owned(prefix),
        frame_after_prefix: matches!(hook.shape, Shape::Around | Shape::AroundRunner),
        stack: 2,
        epilogue,
    }))
}

pub(crate) fn pad(prefix: &mut Vec<u8>) {
    prefix.resize(prefix.len().next_multiple_of(4), opcode::NOP);
}
