//! Inserts probes: one at the entry of every method that has code, two calls around a class initializer, and,
//! where receivers are recorded, a call behind the probe of every method that objects of subclasses may inherit,
//! made for those objects. A method that would outgrow the format stays as it is and is reported.

use crate::hooks;
use crate::runtime::{self, HOOK, PROBES, RECEIVER};
use std::borrow::Cow;
use tamis_classfile::edit::{self, Insertion, MethodEdit, PoolBuilder};
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
    let ended = initializer_ended(class, &mut pool, probes)?;
    let mut edits = Vec::with_capacity(class.methods().len());
    let mut unprobed = false;
    for (index, method) in class.methods().enumerate() {
        let method = method?;
        let Some(code) = class.code(&method)? else {
            unprobed |= method.access & access::NATIVE != 0;
            continue;
        };
        let probe = probes.first.wrapping_add(index as u16);
        let mut inside = Vec::new();
        let mut edit = if is_initializer(class, &method)? {
            let edit = initializer(&mut pool, &code, probes.segment, probe, &ended)?;
            if edit.epilogue.is_none() {
                inside = before_returns(&code, &edit, &ended)?;
            }
            edit
        } else {
            MethodEdit {
                prefix: Cow::Owned(entry_probe(array, probe).to_vec()),
                stack: 3,
                ..MethodEdit::default()
            }
        };
        let hook = hooks::edit(class, &method, &mut pool)?;
        if let Some(receiver) = receiver
            && is_inherited(class, &method)?
        {
            if hook.is_none()
                && let Some(check) = own_check(class, &mut pool)?
            {
                edit.prefix.to_mut().extend_from_slice(&check);
                edit.frame_after_prefix = true;
            }
            let call = receiver_call(receiver, probe);
            edit.prefix.to_mut().extend_from_slice(&call);
        }
        if let Some(hook) = hook {
            // The probe comes first; the hook may return.
            edit.prefix.to_mut().extend_from_slice(&hook.prefix);
            edit.frame_after_prefix = hook.frame_after_prefix;
            edit.epilogue = edit.epilogue.or(hook.epilogue);
        }
        if edit.prefix.len() + edit.epilogue.as_ref().map_or(0, |e| e.len()) + code.code.len()
            > MAX_CODE
        {
            unprobed = true;
            continue;
        }
        edits.push((index, edit, inside));
    }
    Ok(Instrumented {
        bytes: edit::apply_inside(class, pool, &edits)?,
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
            && edit.prefix.len() + edit.epilogue.as_ref().map_or(0, |e| e.len()) + code.code.len()
                <= MAX_CODE
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

/// Leaves out the [`receiver_call`] that follows, and ends the prefix, for an object of the method's
/// own class, of which nothing is recorded. `None` where there is no such object, or where the class
/// file is too old to name a class.
///
/// The JIT compiler compares headers of objects with constants here. A branch of the method's own, and
/// not one in what is called, tells it how often that happens in this method.
pub(crate) fn own_check(class: &ClassFile<'_>, pool: &mut PoolBuilder) -> Result<Option<[u8; 12]>> {
    const CLASS_CONSTANTS: u16 = 49;
    if class.access & access::ABSTRACT != 0 || class.major < CLASS_CONSTANTS {
        return Ok(None);
    }
    let object = pool.class(b"java/lang/Object")?;
    let get_class = pool.method_ref(object, b"getClass", b"()Ljava/lang/Class;")?;
    let [g1, g2] = get_class.to_be_bytes();
    let [c1, c2] = class.this_class.to_be_bytes();
    #[rustfmt::skip]
    let code = [
        opcode::ALOAD_0, opcode::INVOKEVIRTUAL, g1, g2, opcode::LDC_W, c1, c2,
        opcode::IF_ACMPEQ, 0, 13, opcode::NOP, opcode::NOP,
    ];
    Ok(Some(code))
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
/// when it starts and when it ends. One that throws, or has no room for that, is taken to last until the
/// unit around it ends.
fn initializer(
    pool: &mut PoolBuilder,
    code: &Code<'_>,
    segment: u32,
    probe: u16,
    ended: &[u8],
) -> Result<MethodEdit<'static>> {
    let mut prefix = initializer_call(pool, runtime::INITIALIZER_STARTED, segment, probe)?;
    hooks::pad(&mut prefix);
    let has_one_end = edit::single_trailing_return(code)?;
    let epilogue = has_one_end.then(|| Cow::Owned([ended, &[opcode::RETURN]].concat()));
    Ok(MethodEdit {
        prefix: Cow::Owned(prefix),
        stack: 2,
        epilogue,
        ..MethodEdit::default()
    })
}

fn initializer_call(
    pool: &mut PoolBuilder,
    entrance: runtime::Entrance,
    segment: u32,
    probe: u16,
) -> Result<Vec<u8>> {
    let hook = pool.class(HOOK.as_bytes())?;
    let (name, descriptor) = (entrance.name.as_bytes(), entrance.descriptor.as_bytes());
    let method = pool.method_ref(hook, name, descriptor)?;
    let [s1, s2] = (segment as u16).to_be_bytes();
    let [p1, p2] = probe.to_be_bytes();
    let [m1, m2] = method.to_be_bytes();
    #[rustfmt::skip]
    let call = [
        opcode::SIPUSH, s1, s2, opcode::SIPUSH, p1, p2, opcode::INVOKESTATIC, m1, m2,
    ];
    Ok(call.to_vec())
}

/// The call that tells the end of the initializer of `class`; empty if it has none.
fn initializer_ended(
    class: &ClassFile<'_>,
    pool: &mut PoolBuilder,
    probes: Probes,
) -> Result<Vec<u8>> {
    for (index, method) in class.methods().enumerate() {
        if is_initializer(class, &method?)? {
            let probe = probes.first.wrapping_add(index as u16);
            return initializer_call(pool, runtime::INITIALIZER_ENDED, probes.segment, probe);
        }
    }
    Ok(Vec::new())
}

/// Puts a call before each `return` of a method, if there is room.
fn before_returns<'e>(
    code: &Code<'_>,
    edit: &MethodEdit<'_>,
    call: &'e [u8],
) -> Result<Vec<Insertion<'e>>> {
    let mut inside = Vec::new();
    for instruction in code.instructions() {
        let instruction = instruction?;
        if instruction.opcode == opcode::RETURN {
            inside.push((instruction.pc as u16, call));
        }
    }
    Ok(match edit::has_room(code, edit, &inside)? {
        true => inside,
        false => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::Assembler;
    use crate::blocks;

    #[test]
    fn an_initializer_tells_its_end_before_each_return() {
        let check = |code: &[u8], expected: &[(usize, u8)]| {
            let mut a = Assembler::default();
            a.method(access::STATIC, "<clinit>", "()V", (1, 1), code);
            let mut bytes = a.finish(access::SUPER, "A", &[]);
            // Without stack maps.
            bytes[7] = 49;
            let class = ClassFile::parse(&bytes).unwrap();
            let probes = Probes {
                segment: 0,
                first: 7,
            };
            let patched = insert(&class, probes, false).unwrap().bytes;
            let class = ClassFile::parse(&patched).unwrap();
            let method = class.methods().next().unwrap().unwrap();
            let code = class.code(&method).unwrap().unwrap();
            let all: Vec<_> = code.instructions().map(Result::unwrap).collect();
            let call = |pair: &[tamis_classfile::Instruction<'_>]| {
                pair[0].opcode == opcode::INVOKESTATIC && pair[1].opcode == opcode::RETURN
            };
            let told = all.windows(2).filter(|pair| call(pair)).count();
            let shape: Vec<(usize, u8)> = all
                .iter()
                .filter(|i| matches!(i.opcode, opcode::RETURN | opcode::GOTO))
                .map(|i| (i.pc, i.opcode))
                .collect();
            assert_eq!(shape, expected);
            let returns = expected.iter().filter(|(_, code)| *code == opcode::RETURN);
            assert_eq!(told, returns.count(), "each return is told");
        };
        check(&[opcode::RETURN], &[(21, opcode::RETURN)]);
        // To the end and back, as Byte Buddy's own classes have it.
        check(
            &[opcode::GOTO, 0, 4, opcode::RETURN, opcode::GOTO, 0xff, 0xff],
            &[(12, opcode::GOTO), (24, opcode::RETURN), (25, opcode::GOTO)],
        );
    }

    /// The names of the methods that tell their receivers, in a class with these flags and of this
    /// version, and of those among them that look whether the object is of their own class before.
    fn check(flags: u16, major: u8, expected: &[&str], looking: &[&str]) {
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
        let hooked = "(Lorg/junit/runner/notification/RunNotifier;)V";
        a.method(access::PUBLIC, "run", hooked, (0, 2), &[opcode::RETURN]);
        let mut bytes = a.finish(access::SUPER | flags, "A", &[]);
        bytes[7] = major;
        let class = ClassFile::parse(&bytes).unwrap();
        let site = Probes {
            segment: 0,
            first: 0,
        };
        for (receivers, expected, looking) in [(false, &[][..], &[][..]), (true, expected, looking)]
        {
            let patched = insert(&class, site, receivers).unwrap();
            assert!(!patched.unprobed);
            let in_blocks = blocks::insert(&class, receivers, |_| Some(site)).unwrap();
            for bytes in [patched.bytes, in_blocks.unwrap().bytes] {
                assert_eq!(
                    methods_with(&bytes, opcode::SIPUSH, opcode::INVOKESTATIC),
                    expected
                );
                assert_eq!(
                    methods_with(&bytes, opcode::LDC_W, opcode::IF_ACMPEQ),
                    looking
                );
            }
        }
    }

    /// The names of the methods on objects that have these two instructions in a row.
    fn methods_with(bytes: &[u8], first: u8, second: u8) -> Vec<String> {
        let patched = ClassFile::parse(bytes).unwrap();
        let has = |method: &Member<'_>| {
            let code = patched.code(method).unwrap().unwrap();
            let instructions = code.instructions().map(|i| i.unwrap().opcode);
            let opcodes: Vec<u8> = instructions.collect();
            method.access & access::STATIC == 0 && opcodes.windows(2).any(|w| w == [first, second])
        };
        let methods = patched.methods().map(Result::unwrap).filter(has);
        let names = methods.map(|method| patched.pool.utf8(method.name).unwrap());
        names
            .map(|name| String::from_utf8(name.into()).unwrap())
            .collect()
    }

    #[test]
    fn methods_that_subclasses_inherit_tell_their_receivers() {
        let all = &["inherited", "kept", "run"];
        check(0, 49, all, &["inherited", "kept"]);
        check(access::FINAL, 49, &[], &[]);
    }

    #[test]
    fn only_where_objects_of_the_own_class_exist_and_it_has_a_name_they_are_left_out() {
        let all = &["inherited", "kept", "run"];
        check(access::ABSTRACT, 49, all, &[]);
        check(0, 48, all, &[]);
        check(0, 52, all, &["inherited", "kept"]);
    }
}
