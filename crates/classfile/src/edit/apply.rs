use std::borrow::Cow;

use super::{Insertion, PoolBuilder, code, output::Output};
use crate::{ClassFile, Error, Result};

/// The first class file version whose verifier reads `StackMapTable`; before, it is ignored.
const STACK_MAP_MAJOR: u16 = 50;

/// An edit of one method: code to insert.
#[derive(Debug, Clone, Default)]
pub struct MethodEdit<'e> {
    /// Instructions inserted at pc 0; their length is a multiple of four, and they branch nowhere
    /// but to their own end. Branches of the method to its first instruction do not run them.
    pub prefix: Cow<'e, [u8]>,
    /// Whether the prefix branches to its own end, where a stack map frame is then needed. Not
    /// for constructors: `return` before `super()` does not verify.
    pub frame_after_prefix: bool,
    /// Operand stack that the prefix, the epilogue or an insertion needs.
    pub stack: u16,
    /// Instructions that replace the method's only `return`, which must be its last instruction
    /// (see [`single_trailing_return`](super::single_trailing_return)); they end in the same
    /// instruction themselves and branch nowhere.
    pub epilogue: Option<Cow<'e, [u8]>>,
}

impl MethodEdit<'_> {
    /// The length of what is new in the code.
    pub(super) fn growth(&self, inside: &[Insertion<'_>]) -> usize {
        let inside = inside.iter().map(|(_, piece)| piece.len()).sum::<usize>();
        self.prefix.len() + self.epilogue.as_ref().map_or(0, |e| e.len()) + inside
    }
}

/// Writes `class` with the constants of `pool` appended and `edits` applied; each names a method by
/// its index, in ascending order.
pub fn apply(
    class: &ClassFile<'_>,
    pool: PoolBuilder,
    edits: &[(usize, MethodEdit<'_>)],
) -> Result<Vec<u8>> {
    let edits = edits.iter();
    write(
        class,
        pool,
        edits.map(|(index, edit)| (*index, edit, &[][..])),
    )
}

/// An edit of the method with this index, with insertions inside of it in ascending order.
pub type InsideEdit<'e> = (usize, MethodEdit<'e>, Vec<Insertion<'e>>);

/// Does what [`apply`] does, and inserts code between instructions. Fails with
/// [`Error::TooLarge`] for a method that has no room for that (see [`has_room`](super::has_room)).
pub fn apply_inside(
    class: &ClassFile<'_>,
    pool: PoolBuilder,
    edits: &[InsideEdit<'_>],
) -> Result<Vec<u8>> {
    let edits = edits.iter();
    write(
        class,
        pool,
        edits.map(|(index, edit, inside)| (*index, edit, inside.as_slice())),
    )
}

fn write<'e>(
    class: &ClassFile<'_>,
    mut pool: PoolBuilder,
    edits: impl Iterator<Item = (usize, &'e MethodEdit<'e>, &'e [Insertion<'e>])> + Clone,
) -> Result<Vec<u8>> {
    if pool.first() != class.pool.count() {
        return Err(Error::Malformed {
            at: 8,
            what: "constants for another class",
        });
    }
    let stack_map = if class.major < STACK_MAP_MAJOR {
        code::StackMap::Ignored
    } else if edits.clone().any(|(_, edit, _)| edit.frame_after_prefix) {
        code::StackMap::Named(pool.utf8(b"StackMapTable")?)
    } else {
        code::StackMap::Read
    };
    // Frames may grow by two bytes; an attribute may be added.
    let growth = edits
        .clone()
        .map(|(_, edit, inside)| edit.growth(inside) + 2 * inside.len() + 16);
    let mut out = Output::new(class.bytes, growth.sum::<usize>() + pool.bytes().len());
    out.copy_to(8)?;
    out.u16(pool.count());
    out.skip_to(10);
    out.copy_to(class.pool.end())?;
    out.extend(pool.bytes());

    let mut methods = class.methods();
    let mut next = 0;
    for (index, edit, inside) in edits {
        let bad = Error::Malformed {
            at: methods.offset,
            what: "edit of no or an earlier method",
        };
        let ahead = index.checked_sub(next).ok_or(bad.clone())?;
        let method = methods.nth(ahead).ok_or(bad)??;
        next = index + 1;
        let code = class.code(&method)?;
        let what = "edit of a method without code";
        let code = code.ok_or(Error::Malformed {
            at: method.offset,
            what,
        })?;
        code::patch(&mut out, class, &code, edit, inside, stack_map)?;
    }
    out.finish()
}
