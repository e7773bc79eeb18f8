//! Turns a class into checksums that ignore what cannot change behaviour.
//!
//! `docs/fingerprint.md` lists what counts and why, attribute by attribute. What the checksums
//! stand for is the *content* of a class: constant-pool entries and bootstrap arguments are
//! resolved, branch targets are ordinals of instructions, and what the specification leaves
//! unordered is sorted. An error means that nothing is known about the class; no digest ever
//! stands for "unreadable".
//!
//! [`diff`] compares the checksums of a class with a class file, member by member; [`Rules`] are
//! the differences that cannot alter behaviour.
//!
//! Nothing here panics, does I/O or recurses deeper than a fixed limit, and the work is linear in
//! the size of the class (apart from sorting).
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod annotations;
mod attributes;
mod change;
mod code;
mod constants;
mod declarations;
mod ignorable;
mod names;
mod nested;
mod printer;
mod renamed;
mod version;
mod wire;

use std::fmt;

pub use attributes::{ATTRIBUTES, Treatment};
pub use change::{Before, Diff, Kind, MemberChange, MethodKey, diff};
use constants::Names;
pub use declarations::declarations;
pub use ignorable::{Rule, Rules};
pub use names::UnknownName;
pub use nested::NestedPrint;
use printer::{Place, Printer};
use tamis_classfile::{ClassFile, Members, Result};
use tamis_wire::Writer;
use xxhash_rust::xxh3::xxh3_128;

/// A 128-bit checksum (XXH3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub u128);

impl Digest {
    /// The digest of an absent part.
    pub const ABSENT: Digest = Digest(0);
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The checksum of bytes as they are.
pub fn raw(bytes: &[u8]) -> Digest {
    Digest(xxh3_128(bytes))
}

/// A number for the name and the descriptor of a method (FNV-1a); equal ones have equal numbers.
pub fn signature(name: &[u8], descriptor: &[u8]) -> u64 {
    name.iter()
        .chain(descriptor)
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
}

/// The checksums of one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint<'a> {
    /// Version, flags, name, supertypes and attributes of the class itself, without what they say of
    /// classes nested in it. It concerns every member: a different head can change the meaning of
    /// equal members.
    pub head: Digest,
    /// The access flags, which are part of the head.
    pub access: u16,
    /// The internal name, in modified UTF-8, which is part of the head.
    pub name: &'a [u8],
    /// The internal name of the superclass, which is part of the head.
    pub super_class: Option<&'a [u8]>,
    /// The internal names of the direct superinterfaces, which are part of the head.
    pub interfaces: Vec<&'a [u8]>,
    /// The fields, in the order of the class file.
    pub fields: Vec<MemberPrint<'a>>,
    /// The methods, in the order of the class file.
    pub methods: Vec<MemberPrint<'a>>,
    /// The nested classes that it lists, without itself, sorted by name.
    pub nested: Vec<NestedPrint<'a>>,
}

/// The outline of a fingerprint: the name, flags and supertypes of the class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'a> {
    /// As in [`Fingerprint`].
    pub access: u16,
    /// As in [`Fingerprint`].
    pub name: &'a [u8],
    /// As in [`Fingerprint`].
    pub super_class: Option<&'a [u8]>,
    /// As in [`Fingerprint`].
    pub interfaces: Vec<&'a [u8]>,
}

/// The checksums of one field or method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemberPrint<'a> {
    /// Its name, in modified UTF-8.
    pub name: &'a [u8],
    /// Its descriptor, in modified UTF-8.
    pub descriptor: &'a [u8],
    /// Its access flags.
    pub access: u16,
    /// The attributes that only reflection and tools can see: all that are in no other part.
    pub mirror: Digest,
    /// The exceptions that a method declares.
    pub thrown: Digest,
    /// The code of a method, or the constant value of a field.
    pub body: Option<Digest>,
}

impl<'a> Fingerprint<'a> {
    /// The checksums of `class`.
    pub fn of(class: &ClassFile<'a>) -> Result<Fingerprint<'a>> {
        Fingerprint::under(class, &Names::new())
    }

    /// The checksums of `class` if its methods had other names, as far as code refers to them.
    fn under(class: &ClassFile<'a>, names: &Names<'_>) -> Result<Fingerprint<'a>> {
        let mut printer = Printer::new(class, names)?;
        let (head, nested) = printer.head()?;
        Ok(Fingerprint {
            head,
            access: class.access,
            name: class.name()?,
            super_class: class.super_name()?,
            interfaces: class.interface_names().collect::<Result<_>>()?,
            fields: members(&mut printer, Place::Field, class.fields())?,
            methods: members(&mut printer, Place::Method, class.methods())?,
            nested,
        })
    }

    /// The checksum of the whole class; the order of its members does not matter.
    pub fn class(&self) -> Digest {
        let mut bytes = Vec::with_capacity(48 + 16 * (self.fields.len() + self.methods.len()));
        bytes.extend(self.head.0.to_le_bytes());
        let mut buffer = Writer::with_capacity(256);
        for members in [&self.fields, &self.methods] {
            let digests = members.iter().map(|member| {
                buffer.clear();
                wire::member(&mut buffer, member);
                xxh3_128(buffer.as_bytes())
            });
            let mut digests: Vec<u128> = digests.collect();
            digests.sort_unstable();
            bytes.extend((digests.len() as u64).to_le_bytes());
            digests
                .iter()
                .for_each(|digest| bytes.extend(digest.to_le_bytes()));
        }
        buffer.clear();
        for nested in &self.nested {
            wire::nested(&mut buffer, nested);
        }
        bytes.extend(xxh3_128(buffer.as_bytes()).to_le_bytes());
        raw(&bytes)
    }
}

impl<'a> MemberPrint<'a> {
    /// What tells it from the others of its class.
    fn key(&self) -> (&'a [u8], &'a [u8]) {
        (self.name, self.descriptor)
    }
}

fn members<'a>(
    printer: &mut Printer<'_, 'a>,
    place: Place,
    members: Members<'a>,
) -> Result<Vec<MemberPrint<'a>>> {
    members
        .map(|member| printer.member(place, &member?))
        .collect()
}

/// Calls `body` with a function that gives the digest of what stands at an index of the constant
/// pool of `class`.
pub fn constants<T>(
    class: &ClassFile<'_>,
    body: impl FnOnce(&mut dyn FnMut(u16) -> Result<u128>) -> Result<T>,
) -> Result<T> {
    with_names(class, &Names::new(), body)
}

/// The same for the class that `diff` compared with an earlier one, and with the names that methods
/// had there as far as they were only renamed.
pub fn constants_under<T>(
    class: &ClassFile<'_>,
    diff: &Diff,
    body: impl FnOnce(&mut dyn FnMut(u16) -> Result<u128>) -> Result<T>,
) -> Result<T> {
    let names = diff.names.iter();
    let names = names.map(|((name, descriptor), digest)| ((&name[..], &descriptor[..]), *digest));
    with_names(class, &names.collect(), body)
}

fn with_names<T>(
    class: &ClassFile<'_>,
    names: &Names<'_>,
    body: impl FnOnce(&mut dyn FnMut(u16) -> Result<u128>) -> Result<T>,
) -> Result<T> {
    let mut printer = Printer::new(class, names)?;
    body(&mut |index| printer.constant_digest(index))
}

/// The checksum of the whole class: `Fingerprint::of(class)?.class()`.
pub fn class_digest(class: &ClassFile<'_>) -> Result<Digest> {
    Fingerprint::of(class).map(|print| print.class())
}
