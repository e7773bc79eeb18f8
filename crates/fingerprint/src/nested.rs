//! The classes nested in a class, as its own class file lists them.
//!
//! A class that comes is news for those alone who look at what the class around it declares: to no
//! other does the JVM read the list. One that goes, or is listed otherwise, concerns all who use its
//! members: its class file may still be there, and then the two disagree.

use std::collections::{BTreeMap, BTreeSet};

use tamis_classfile::{Reader, Result};
use xxhash_rust::xxh3::xxh3_128;

use crate::Digest;
use crate::printer::{EMPTY_SET, Place, Printer, counted};

/// A nested class that a class lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NestedPrint<'a> {
    /// Its internal name, in modified UTF-8.
    pub name: &'a [u8],
    /// Its entry in `InnerClasses`: owner, simple name and flags.
    pub entry: Digest,
    /// Whether `NestMembers` names it.
    pub mate: bool,
}

/// What the attributes of a class say of nested classes; of each attribute the first one counts here.
#[derive(Default)]
pub(crate) struct Nested<'a> {
    entries: Option<BTreeMap<&'a [u8], Digest>>,
    mates: Option<BTreeSet<&'a [u8]>>,
}

impl<'a> Nested<'a> {
    /// Both brought together.
    pub(crate) fn prints(self) -> Vec<NestedPrint<'a>> {
        let entries = self.entries.unwrap_or_default();
        let mates = self.mates.unwrap_or_default();
        let names: BTreeSet<&[u8]> = entries.keys().chain(&mates).copied().collect();
        let print = |name| NestedPrint {
            name,
            entry: entries.get(name).copied().unwrap_or(Digest::ABSENT),
            mate: mates.contains(name),
        };
        names.into_iter().map(print).collect()
    }
}

/// The names of those that are in `now` alone, and of those of `before` that are gone or are another.
pub(crate) fn compare(before: &[NestedPrint<'_>], now: &[NestedPrint<'_>]) -> [Vec<Box<[u8]>>; 2] {
    let mut left: BTreeMap<&[u8], &NestedPrint<'_>> =
        before.iter().map(|was| (was.name, was)).collect();
    let (mut added, mut lost) = (Vec::new(), Vec::new());
    for is in now {
        match left.remove(is.name) {
            None => added.push(is.name.into()),
            Some(was) if was == is => {}
            Some(_) => lost.push(is.name.into()),
        }
    }
    lost.extend(left.into_keys().map(Into::into));
    [added, lost]
}

impl<'a> Printer<'_, 'a> {
    /// Writes the nested classes that say something of this class: itself, its members, and local
    /// ones. The rest of what the table must hold are nested classes of others that code mentions,
    /// and what they are is read from their own class files.
    ///
    /// Those of a class go apart, but for itself: its own name and flags are there.
    pub(crate) fn inner_classes(&mut self, place: Place, r: &mut Reader<'a>) -> Result<()> {
        let pool = &self.class.pool;
        let this = self.class.name()?;
        let apart = place == Place::Class && self.nested.entries.is_none() && !self.in_order;
        let mut entries = BTreeMap::new();
        let start = self.buffer.len();
        self.set(counted(r)?, |p, ()| {
            let (inner, outer, name, access) = (r.u16()?, r.u16()?, r.u16()?, r.u16()?);
            let inner_name = pool.class_name(inner)?;
            if outer != 0 && inner_name != this && pool.class_name(outer)? != this {
                return Ok(());
            }
            let start = p.buffer.len();
            p.constant(inner)?;
            p.optional(outer)?;
            p.optional(name)?;
            p.u16(access);
            // The JVM refuses a second one of a name; it stays in the head.
            if apart && inner_name != this && !entries.contains_key(inner_name) {
                let written = p.buffer.get(start..).unwrap_or_default();
                entries.insert(inner_name, Digest(xxh3_128(written)));
                p.buffer.truncate(start);
            }
            Ok(())
        })?;
        if self.buffer.len() == start + EMPTY_SET {
            self.buffer.truncate(start);
        }
        if apart {
            self.nested.entries = Some(entries);
        }
        Ok(())
    }

    /// Writes the classes that have access to the private members of this one; those of a class go
    /// apart.
    pub(crate) fn nest_members(&mut self, place: Place, r: &mut Reader<'a>) -> Result<()> {
        let pool = &self.class.pool;
        let apart = place == Place::Class && self.nested.mates.is_none() && !self.in_order;
        let mut mates = BTreeSet::new();
        let start = self.buffer.len();
        self.set(counted(r)?, |p, ()| {
            let member = r.u16()?;
            // The JVM refuses a second one of a name; it stays in the head.
            match apart && mates.insert(pool.class_name(member)?) {
                true => Ok(()),
                false => p.constant(member),
            }
        })?;
        if apart {
            if self.buffer.len() == start + EMPTY_SET {
                self.buffer.truncate(start);
            }
            self.nested.mates = Some(mates);
        }
        Ok(())
    }
}
