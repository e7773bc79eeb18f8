//! Where probes go: one at the entry of every method that has code, two calls around a class
//! initializer, and where receivers are asked for, a call behind the probe of every method that
//! objects of subclasses may inherit. A method that would outgrow the format stays as it is, and that
//! is said.

use crate::hooks;
use crate::runtime::{self, HOOK, PROBES, RECEIVER};
use std::borrow::Cow;
use tamis_classfile::edit::{self, MethodEdit, PoolBuilder};
use tamis_classfile::{ClassFile, Code, Member, Result, access, opcode};

/// The limit of a method's code (section 4.7.3 of the specification).
const MAX_CODE: usize = 65_535;

/// The probes of one class: consecutive, inside one segment, one per method in class-file order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probes {
    /// The segment.
    pub segment: u32,
    /// Index in the segment of the first method's probe.
    pub first: u16,
}

/// A class with probes in it.
#[derive(Debug)]
pub struct Instrumented {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// Whether some method with code or native code has no probe.
    pub unprobed: bool,
}

/// Inserts probes into every method of `class`, and hooks into those of test frameworks. With
/// `receivers`, inherited methods tell the class of the object they run on.
pub fn insert(class: &ClassFile<'_>, probes: Probes, receivers: bool) -> Result<Instrumented> {
    let mut pool = PoolBuilder::new(class);
    let holder = pool.class(runtime::segment_class(probes.segment).as_bytes())?;
    let array = pool.field_ref(holder, PROBES.as_bytes(), b"[B")?;
    let receiver = match receivers {
        true => Some(receiver_method(&mut pool, holder)?),
        false => None,
    };
    let mut edits = Vec::with_capacity(class.methods().len());
    let mut unprobed = false;
    for (index, method) in class.methods().enumerate() {
        let method = method?;
        let Some(code) = class.code(&method)? else {
            unprobed |= method.access & access::NATIVE != 0;
            continue;
        };
        let probe = probes.first.wrapping_add(index as u16);
        let mut edit = if is_initializer(class, &method)? {
            initializer(&mut pool, &code, probes.segment, probe)?
        } else {
            MethodEdit {
                prefix: Cow::Owned(entry_probe(array, probe).to_vec()),
                stack: 3,
                ..MethodEdit::default()
            }
        };
        if let Some(receiver) = receiver
            && is_inherited(class, &method)?
        {
            let call = receiver_call(receiver, probe);
            edit.prefix.to_mut().extend_from_slice(&call);
        }
        if let Some(hook) = hooks::edit(class, &method, &mut pool)? {
            // The probe comes first; the hook may return.
            edit.prefix.to_mut().extend_from_slice(&hook.prefix);
            edit.frame_after_prefix = hook.frame_after_prefix;
        }
        if edit.prefix.len() + edit.epilogue.as_ref().map_or(0, |e| e.len()) + code.code.len()
            > MAX_CODE
        {
            unprobed = true;
            continue;
        }
        edits.push((index, edit));
    }
    Ok(Instrumented {
        bytes: edit::apply(class, pool, &edits)?,
        unprobed,
    })
}

/// Inserts the hooks into the methods of test frameworks and nothing else; `None` if the class has no
/// such method.
pub fn insert_hooks(class: &ClassFile<'_>) -> Result<Option<Vec<u8>>> {
    let mut pool = PoolBuilder::new(class);
    let mut edits = Vec::new();
    for (index, method) in class.methods().enumerate() {
        let method = method?;
        if let Some(edit) = hooks::edit(class, &method, &mut pool)?
            && let Some(code) = class.code(&method)?
            && edit.prefix.len() + code.code.len() <= MAX_CODE
        {
            edits.push((index, edit));
        }
    }
    match edits.is_empty() {
        true => Ok(None),
        false => edit::apply(class, pool, &edits).map(Some),
    }
}

fn is_initializer(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
    Ok(class.pool.utf8(method.name)? == b"<clinit>")
}

/// Whether objects of subclasses may inherit a method.
pub(crate) fn is_inherited(class: &ClassFile<'_>, method: &Member<'_>) -> Result<bool> {
    let alone = access::PRIVATE | access::STATIC;
    Ok(class.access & access::FINAL == 0
        && method.access & alone == 0
        // Before version 51 an initializer need not be called static.
        && !class.pool.utf8(method.name)?.starts_with(b"<"))
}

/// The method of a segment's class that is told of receivers.
pub(crate) fn receiver_method(pool: &mut PoolBuilder, holder: u16) -> Result<u16> {
    let (name, descriptor) = (RECEIVER.name.as_bytes(), RECEIVER.descriptor.as_bytes());
    pool.method_ref(holder, name, descriptor)
}

/// Tells on which object a method runs.
pub(crate) fn receiver_call(receiver: u16, probe: u16) -> [u8; 8] {
    let [r1, r2] = receiver.to_be_bytes();
    let [p1, p2] = probe.to_be_bytes();
    [
        opcode::ALOAD_0,
        opcode::SIPUSH,
        p1,
        p2,
        opcode::INVOKESTATIC,
        r1,
        r2,
        opcode::NOP,
    ]
}

fn entry_probe(array: u16, probe: u16) -> [u8; 8] {
    let [a1, a2] = array.to_be_bytes();
    let [p1, p2] = probe.to_be_bytes();
    [
        opcode::GETSTATIC,
        a1,
        a2,
        opcode::SIPUSH,
        p1,
        p2,
        opcode::ICONST_1,
        opcode::BASTORE,
    ]
}

/// A class initializer runs once, and what runs inside it belongs to its class: the agent is told
/// when it starts and when it ends. One that throws, or that has more than one way out, is taken
/// to last until the unit around it ends.
fn initializer(
    pool: &mut PoolBuilder,
    code: &Code<'_>,
    segment: u32,
    probe: u16,
) -> Result<MethodEdit<'static>> {
    let hook = pool.class(HOOK.as_bytes())?;
    let mut call = |entrance: runtime::Entrance| -> Result<Vec<u8>> {
        let method = pool.method_ref(
            hook,
            entrance.name.as_bytes(),
            entrance.descriptor.as_bytes(),
        )?;
        let [s1, s2] = (segment as u16).to_be_bytes();
        let [p1, p2] = probe.to_be_bytes();
        let [m1, m2] = method.to_be_bytes();
        Ok(vec![
            opcode::SIPUSH,
            s1,
            s2,
            opcode::SIPUSH,
            p1,
            p2,
            opcode::INVOKESTATIC,
            m1,
            m2,
        ])
    };
    let mut prefix = call(runtime::INITIALIZER_STARTED)?;
    hooks::pad(&mut prefix);
    let epilogue = if edit::single_trailing_return(code)? {
        let mut epilogue = call(runtime::INITIALIZER_ENDED)?;
        epilogue.push(opcode::RETURN);
        Some(Cow::Owned(epilogue))
    } else {
        None
    };
    Ok(MethodEdit {
        prefix: Cow::Owned(prefix),
        stack: 2,
        epilogue,
        ..MethodEdit::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::Assembler;
    use crate::blocks;

    /// The names of the methods that tell their receivers, in a class with these flags.
    fn check(flags: u16, expected: &[&str]) {
        let mut a = Assembler::default();
        for (access, name) in [
            (access::STATIC, "<clinit>"),
            (0, "<init>"),
            (access::STATIC, "of"),
            (access::PRIVATE, "own"),
            (access::PUBLIC, "inherited"),
            (access::FINAL, "kept"),
        ] {
            a.method(access, name, "()V", (0, 1), &[opcode::RETURN]);
        }
        let bytes = a.finish(access::SUPER | flags, "A", &[]);
        let class = ClassFile::parse(&bytes).unwrap();
        let site = Probes {
            segment: 0,
            first: 0,
        };
        for (receivers, expected) in [(false, &[][..]), (true, expected)] {
            let patched = insert(&class, site, receivers).unwrap();
            assert!(!patched.unprobed);
            let in_blocks = blocks::insert(&class, receivers, |_| Some(site)).unwrap();
            for bytes in [patched.bytes, in_blocks.unwrap().bytes] {
                check_patched(&bytes, expected);
            }
        }
    }

    fn check_patched(bytes: &[u8], expected: &[&str]) {
        let patched = ClassFile::parse(bytes).unwrap();
        let tells = |method: &Member<'_>| {
            let code = patched.code(method).unwrap().unwrap();
            let mut instructions = code.instructions().map(Result::unwrap);
            instructions.any(|i| i.opcode == opcode::ALOAD_0)
        };
        let methods = patched.methods().map(Result::unwrap).filter(tells);
        let names: Vec<_> = methods
            .map(|method| patched.pool.utf8(method.name).unwrap())
            .collect();
        let expected: Vec<_> = expected.iter().map(|name| name.as_bytes()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn methods_that_subclasses_inherit_tell_their_receivers() {
        check(0, &["inherited", "kept"]);
        check(access::FINAL, &[]);
    }
}
