//! Probes for basic blocks: [`insert`] puts one at the start of every block.
//!
//! An exception can leave a block half-way: its probe has been set by then. What the blocks are and
//! what a change of them means, `tamis_code::blocks` knows.

mod handlers;

use crate::hooks;
use crate::probes::{Probes, is_inherited, own_check, receiver_call, receiver_method};
use crate::runtime::{self, HOOK, PROBES, SEGMENT};
use handlers::leave_own_ranges;
use std::borrow::Cow;
use tamis_classfile::edit::{self, Insertion, InsideEdit, MethodEdit, PoolBuilder};
use tamis_classfile::{ClassFile, Code, Member, Result, access, opcode};
use tamis_code::blocks::Leaders;

/// A class with probes in its blocks.
#[derive(Debug)]
pub struct Patched {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// How many probes each method has, in class-file order; those of a method follow those of the
    /// method before it. As many as `Blocks::count` says means one per block, in the order of the
    /// code. One that had no room for them, would get too long for the JIT compiler, or is a class
    /// initializer, has one for its entry.
    pub probes: Vec<u16>,
    /// Whether some method with code or native code has no probe.
    pub unprobed: bool,
}

/// Inserts probes into all blocks of `class`, and the hooks and calls that [`crate::probes`]
/// inserts, those for `receivers` too. `reserve` is asked for that many consecutive probes; without them nothing is done.
pub fn insert(
    class: &ClassFile<'_>,
    receivers: bool,
    reserve: impl FnOnce(u16) -> Option<Probes>,
) -> Result<Option<Patched>> {
    let mut pool = PoolBuilder::new(class);
    let (mut sites, unprobed) = plan(class, receivers, &mut pool)?;
    if total(&sites) > SEGMENT as usize {
        let entries = sites.iter_mut().flatten();
        entries.for_each(|site| site.pcs.truncate(1));
    }
    let reserved = u16::try_from(total(&sites)).ok();
    let Some((count, probes)) = reserved.and_then(|count| Some((count, reserve(count)?))) else {
        return Ok(None);
    };
    let holder = pool.class(runtime::segment_class(probes.segment).as_bytes())?;
    let array = pool.field_ref(holder, PROBES.as_bytes(), b"[B")?;
    let receiver = match receivers {
        true => Some(receiver_method(&mut pool, holder)?),
        false => None,
    };
    let numbers = (0..count).map(|i| probes.first.wrapping_add(i));
    let code: Vec<Probe> = numbers.map(|number| probe(array, number)).collect();
    let mut rest = code.as_slice();
    let mut first = probes.first;
    let mut edits = Vec::with_capacity(sites.len());
    let mut counts = Vec::with_capacity(sites.len());
    for (index, site) in sites.into_iter().enumerate() {
        let blocks = site.as_ref().map_or(0, |site| site.pcs.len());
        let (own, behind) = rest.split_at_checked(blocks).unwrap_or_default();
        let at = Probes { first, ..probes };
        edits.extend(site.map(|site| site.edit(index, at, own, receiver)));
        counts.push(blocks as u16);
        first = first.wrapping_add(blocks as u16);
        rest = behind;
    }
    Ok(Some(Patched {
        bytes: edit::apply_inside(class, pool, &edits)?,
        probes: counts,
        unprobed,
    }))
}

/// Where the probes of each method go, and whether some method should have one and cannot.
fn plan(
    class: &ClassFile<'_>,
    receivers: bool,
    pool: &mut PoolBuilder,
) -> Result<(Vec<Option<Site>>, bool)> {
    let mut sites = Vec::with_capacity(class.methods().len());
    let mut unprobed = false;
    for method in class.methods() {
        let method = method?;
        let Some(code) = class.code(&method)? else {
            unprobed |= method.access & access::NATIVE != 0;
            sites.push(None);
            continue;
        };
        let tells = receivers && is_inherited(class, &method)?;
        let site = Site::plan(class, &method, &code, tells, pool)?;
        unprobed |= site.is_none();
        sites.push(site);
    }
    Ok((sites, unprobed))
}

fn total(sites: &[Option<Site>]) -> usize {
    sites.iter().flatten().map(|site| site.pcs.len()).sum()
}

type Probe = [u8; 8];

/// The length of code beyond which HotSpot does not compile a method (`DontCompileHugeMethods`).
const HUGE: usize = 8000;

/// What stands for a probe until it is known which it is.
const ROOM: &Probe = &[opcode::NOP; 8];

fn probe(array: u16, number: u16) -> Probe {
    let [a1, a2] = array.to_be_bytes();
    let [p1, p2] = number.to_be_bytes();
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

/// Where the probes of a method go, before it is known which they are.
struct Site {
    /// What else stands at the method's start and end, as long as it will be.
    edit: MethodEdit<'static>,
    /// The positions of its probes, one per block; of its entry alone if there is room for no more.
    pcs: Vec<u16>,
    /// Whether something jumps to the entry, so that its probe stands there too.
    is_loop: bool,
    is_initializer: bool,
    /// Where in what stands at its start it tells its receivers, if it does.
    tells: Option<usize>,
}

impl Site {
    /// `None` if there is not even room for a probe at the method's entry.
    fn plan(
        class: &ClassFile<'_>,
        method: &Member<'_>,
        code: &Code<'_>,
        tells: bool,
        pool: &mut PoolBuilder,
    ) -> Result<Option<Site>> {
        let is_initializer = class.pool.utf8(method.name)? == b"<clinit>";
        let mut edit = if is_initializer {
            initializer(code, pool)?
        } else {
            MethodEdit {
                prefix: Cow::Borrowed(ROOM),
                stack: 3,
                ..MethodEdit::default()
            }
        };
        let hook = hooks::edit(class, method, pool)?;
        if tells
            && hook.is_none()
            && let Some(check) = own_check(class, pool)?
        {
            edit.prefix.to_mut().extend_from_slice(&check);
            edit.frame_after_prefix = true;
        }
        let tells = tells.then_some(edit.prefix.len());
        if tells.is_some() {
            edit.prefix.to_mut().extend_from_slice(ROOM);
        }
        if let Some(hook) = hook {
            // The probe comes first; the hook may return.
            edit.prefix.to_mut().extend_from_slice(&hook.prefix);
            edit.frame_after_prefix = hook.frame_after_prefix;
            edit.epilogue = edit.epilogue.or(hook.epilogue);
        }
        // Whoever uses a class uses all of its initializer. What to think of code that makes no
        // sense is left to the JVM.
        if !is_initializer && let Ok(Leaders { mut pcs, is_loop }) = Leaders::of(code) {
            leave_own_ranges(code, &mut pcs)?;
            let inside = inside(&pcs, is_loop).map(|&pc| (pc, ROOM.as_slice()));
            let inside: Vec<Insertion<'_>> = inside.collect();
            let length = code.code.len() + edit.prefix.len() + inside.len() * ROOM.len();
            let stays_fast = length <= HUGE || code.code.len() > HUGE;
            if stays_fast && edit::has_room(code, &edit, &inside)? {
                return Ok(Some(Site {
                    edit,
                    pcs,
                    is_loop,
                    is_initializer,
                    tells,
                }));
            }
        }
        let fits = edit::has_room(code, &edit, &[])?;
        Ok(fits.then_some(Site {
            edit,
            pcs: vec![0],
            is_loop: false,
            is_initializer,
            tells,
        }))
    }

    /// The edit of the method at `index`, whose probes start at `at` and are `probes`.
    fn edit(
        mut self,
        index: usize,
        at: Probes,
        probes: &[Probe],
        receiver: Option<u16>,
    ) -> InsideEdit<'_> {
        if self.is_initializer {
            name_probe(&mut self.edit, at);
        } else if let (Some(place), Some(entry)) =
            (self.edit.prefix.to_mut().first_chunk_mut(), probes.first())
        {
            *place = *entry;
        }
        if let (Some(receiver), Some(start)) = (receiver, self.tells)
            && let Some(behind) = self.edit.prefix.to_mut().get_mut(start..)
            && let Some(place) = behind.first_chunk_mut()
        {
            *place = receiver_call(receiver, at.first);
        }
        let pcs = inside(&self.pcs, self.is_loop).copied();
        let probes = inside(probes, self.is_loop).map(Probe::as_slice);
        (index, self.edit, pcs.zip(probes).collect())
    }
}

/// Those of all blocks whose probes are not in the prefix alone.
fn inside<T>(all: &[T], is_loop: bool) -> impl Iterator<Item = &T> {
    all.iter().skip(usize::from(!is_loop))
}

/// The calls around a class initializer, with room for the arguments.
fn initializer(code: &Code<'_>, pool: &mut PoolBuilder) -> Result<MethodEdit<'static>> {
    let hook = pool.class(HOOK.as_bytes())?;
    let mut call = |entrance: runtime::Entrance| -> Result<Vec<u8>> {
        let (name, descriptor) = (entrance.name.as_bytes(), entrance.descriptor.as_bytes());
        let [m1, m2] = pool.method_ref(hook, name, descriptor)?.to_be_bytes();
        Ok([
            &[opcode::NOP; ARGUMENTS][..],
            &[opcode::INVOKESTATIC, m1, m2],
        ]
        .concat())
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

/// Bytes of two `sipush`.
const ARGUMENTS: usize = 6;

/// Writes the arguments of the calls around a class initializer: segment and index of its probe.
fn name_probe(edit: &mut MethodEdit<'_>, at: Probes) {
    let [s1, s2] = (at.segment as u16).to_be_bytes();
    let [p1, p2] = at.first.to_be_bytes();
    let arguments: [u8; ARGUMENTS] = [opcode::SIPUSH, s1, s2, opcode::SIPUSH, p1, p2];
    for code in std::iter::once(&mut edit.prefix).chain(&mut edit.epilogue) {
        if let Some(place) = code.to_mut().first_chunk_mut() {
            *place = arguments;
        }
    }
}

#[cfg(test)]
mod assembled;
