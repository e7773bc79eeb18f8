use std::borrow::Cow;

use super::{PoolBuilder, code, output::Output};
use crate::{ClassFile, Error, Result};

/// The first class file version whose verifier reads `StackMapTable`; before, it is ignored.
const STACK_MAP_MAJOR: u16 = 50;

/// What to insert into one method.
#[derive(Debug, Clone, Default)]
pub struct MethodEdit<'e> {
    /// Instructions inserted at pc 0; their length is a multiple of four, and they branch nowhere
    /// but to their own end. Branches of the method to its first instruction do not run them.
    pub prefix: Cow<'e, [u8]>,
    /// Whether the prefix branches to its own end, where a stack map frame is then needed. Not
    /// for constructors: `return` before `super()` does not verify.
    pub frame_after_prefix: bool,
    /// Operand stack that the prefix or the epilogue needs.
    pub stack: u16,
    /// Instructions that replace the method's only `return`, which must be its last instruction
    /// (see [`single_trailing_return`](super::single_trailing_return)); they end in `return`
    /// themselves and branch nowhere.
    pub epilogue: Option<Cow<'e, [u8]>>,
}

impl MethodEdit<'_> {
    fn growth(&self) -> usize {
        // A frame may grow by two bytes and another by three; an attribute may be added.
        self.prefix.len() + self.epilogue.as_ref().map_or(0, |e| e.len()) + 16
    }
}

/// Writes `class` with the constants of `pool` appended and `edits` applied; each names a method by
/// its index, in ascending order.
pub fn apply(
    class: &ClassFile<'_>,
    mut pool: PoolBuilder,
    edits: &[(usize, MethodEdit<'_>)],
) -> Result<Vec<u8>> {
    if pool.first() != class.pool.count() {
        return Err(Error::Malformed {
            at: 8,
            what: "constants for another class",
        });
    }
    let stack_map = if class.major < STACK_MAP_MAJOR {
        code::StackMap::Ignored
    } else if edits.iter().any(|(_, edit)| edit.frame_after_prefix) {
        code::StackMap::Named(pool.utf8(b"StackMapTable")?)
    } else {
        code::StackMap::Read
    };
    let growth = edits.iter().map(|(_, edit)| edit.growth()).sum::<usize>() + pool.bytes().len();
    let mut out = Output::new(class.bytes, growth);
    out.copy_to(8)?;
    out.u16(pool.count());
    out.skip_to(10);
    out.copy_to(class.pool.end())?;
    out.extend(pool.bytes());

    let mut methods = class.methods();
    let mut next = 0;
    for (index, edit) in edits {
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
        code::patch(&mut out, class, &code, edit, stack_map)?;
    }
    out.finish()
}
