//! A loaded class, as the agent keeps it.

use super::uses::Use;
use tamis_attribution::SparseBits;

/// A class that is loaded.
#[derive(Debug, Default)]
pub(crate) struct Class {
    pub(crate) name: u32,
    pub(crate) raw: u128,
    pub(super) code: u128,
    pub(crate) smart: Option<u128>,
    pub(crate) location: u32,
    pub(super) first_probe: Option<u32>,
    /// How many probes it has.
    pub(super) probes: u32,
    /// How many probes each method has; none at all if each has one.
    pub(crate) counts: Box<[u16]>,
    /// Where the probes of each method end, counted from the first one.
    pub(super) ends: Box<[u32]>,
    pub(super) mixed: bool,
    /// Its fingerprint, encoded, until the spool has it.
    pub(crate) print: Vec<u8>,
    /// Its basic blocks, encoded, until the spool has them.
    pub(crate) blocks: Vec<u8>,
    /// Whether its first object has been told of.
    pub(super) created: bool,
    /// Its place among those that were asked for their members.
    pub(super) asked: Option<u32>,
    /// Every unit depends on it and on all it refers to, because its use cannot be seen.
    pub(super) assumed: bool,
    pub(super) structural: Box<[u32]>,
    pub(super) around: Box<[u32]>,
    /// The names of loaded classes that linking it may need and that come from elsewhere.
    pub(super) linked: Vec<u32>,
    pub(super) shown: Box<[u32]>,
    /// Sorted by method.
    pub(super) types: Box<[(u16, u32)]>,
    /// The same for type checks.
    pub(super) checks: Box<[(u16, u32)]>,
    /// The same for calls on objects.
    pub(super) calls: Box<[(u16, u32)]>,
    /// The name of its superclass.
    pub(super) superclass: u32,
    /// Sorted by method: name of the class, signature.
    pub(super) static_calls: Box<[(u16, (u32, u64))]>,
    /// Sorted.
    pub(super) statics: Box<[u64]>,
    /// Whether it is a library's: then only static fields count that the project names.
    pub(super) is_library: bool,
    /// Sorted by method: what it uses of static fields.
    pub(super) static_uses: Box<[(u16, Use)]>,
    /// Its initializer did not end as it should: calls of its methods may end before they begin.
    pub(super) broken: bool,
    /// Probes that fired while its initializer ran.
    pub(super) initializer: Option<SparseBits>,
    /// If some of these see members: how many classes had been asked for theirs when it ended.
    pub(super) initializer_sees: Option<u32>,
    /// Whether the spool has its record.
    pub(crate) written: bool,
    /// There is no such class: it was looked up in vain.
    pub(crate) absent: bool,
}

impl Class {
    /// One that was looked up in vain.
    pub(super) fn absent(name: u32) -> Class {
        Class {
            name,
            absent: true,
            ..Class::default()
        }
    }

    /// The method that has the probe of this index.
    pub(super) fn method(&self, index: u32) -> u16 {
        match self.ends.is_empty() {
            true => index as u16,
            false => self.ends.partition_point(|end| *end <= index) as u16,
        }
    }
}
