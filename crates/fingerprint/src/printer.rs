use std::mem::take;

use tamis_classfile::{Attributes, ClassFile, Member, Reader, Result, access};
use xxhash_rust::xxh3::xxh3_128;

use crate::attributes::{Part, part};
use crate::constants::{Bootstrap, Names};
use crate::nested::Nested;
use crate::{Digest, MemberPrint, NestedPrint, version};

/// What an attribute belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Class,
    Field,
    Method,
    Code,
    RecordComponent,
}

/// How many bytes an empty set takes.
pub(crate) const EMPTY_SET: usize = size_of::<u32>();

/// Writes the parts of a class as unambiguous bytes and hashes them.
///
/// Everything written is either of a fixed size or preceded by its count, and every constant is
/// written as the digest of its content, so equal bytes mean equal structures.
pub(crate) struct Printer<'c, 'a> {
    pub(crate) class: &'c ClassFile<'a>,
    /// What to call methods of this class where code refers to them, instead of their names.
    pub(crate) names: &'c Names<'c>,
    /// A stack of unfinished parts: each is hashed and cut off again when it is complete.
    pub(crate) buffer: Vec<u8>,
    /// A stack of the digests of unfinished sets.
    elements: Vec<u128>,
    /// The digest of each constant; 0 where it is not computed yet.
    pub(crate) constants: Vec<u128>,
    pub(crate) bootstraps: Option<Vec<Bootstrap<'a>>>,
    /// How deep the constant being resolved lies inside other dynamic constants.
    pub(crate) depth: u32,
    /// What the head says of nested classes.
    pub(crate) nested: Nested<'a>,
    /// Whether the order of sets counts, and nested classes are part of the head.
    pub(crate) in_order: bool,
    /// The digest of the pool's bytes, once it was needed.
    pub(crate) raw_pool: Option<u128>,
    /// The ordinal of the instruction at each offset of the current method.
    pub(crate) ordinals: Vec<u32>,
    /// Where in the buffer an ordinal is to be written, and the offset of its instruction.
    pub(crate) targets: Vec<(usize, usize)>,
}

impl<'c, 'a> Printer<'c, 'a> {
    pub(crate) fn new(class: &'c ClassFile<'a>, names: &'c Names<'c>) -> Result<Self> {
        version::check(class)?;
        Ok(Printer {
            class,
            names,
            buffer: Vec::with_capacity(4096),
            elements: Vec::with_capacity(32),
            constants: vec![0; usize::from(class.pool.count())],
            bootstraps: None,
            depth: 0,
            nested: Nested::default(),
            in_order: false,
            raw_pool: None,
            ordinals: Vec::new(),
            targets: Vec::new(),
        })
    }

    /// The digest of everything but fields, methods and nested classes, and the latter.
    pub(crate) fn head(&mut self) -> Result<(Digest, Vec<NestedPrint<'a>>)> {
        let class = self.class;
        let digest = self.digest(|p| {
            p.u32(version::semantics(class));
            p.u16(class.access);
            p.constant(class.this_class)?;
            p.optional(class.super_class)?;
            p.sequence(class.interface_names(), |p, name| {
                let digest = xxh3_128(name);
                p.u128(digest);
                Ok(())
            })?;
            p.attributes(Place::Class, class.attributes())
        })?;
        Ok((Digest(digest), take(&mut self.nested).prints()))
    }

    /// The checksums of a field or method.
    pub(crate) fn member(&mut self, place: Place, member: &Member<'a>) -> Result<MemberPrint<'a>> {
        let class = self.class;
        let (mut code, mut strict) = (None, false);
        if place == Place::Method {
            code = class.code(member)?;
            strict = member.access & access::STRICT != 0 && version::strict_counts(class);
        }
        let (mut thrown, mut body) = (None, None);
        let start = self.buffer.len();
        if strict && code.is_none() {
            self.u8(1);
        }
        self.set(member.attributes, |p, attribute| {
            let found = match part(place, class.pool.utf8(attribute.name)?) {
                Part::Thrown => &mut thrown,
                Part::Body => &mut body,
                Part::Mirror => return p.attribute(place, &attribute),
            };
            // The JVM refuses a second one; it counts all the same.
            if found.is_some() {
                return p.attribute(place, &attribute);
            }
            let digest = p.digest(|p| match &code {
                Some(code) if code.attribute.offset == attribute.offset => {
                    p.u8(strict.into());
                    p.code(code)
                }
                _ => p.attribute(place, &attribute),
            })?;
            *found = Some(Digest(digest));
            Ok(())
        })?;
        let mirror = match self.buffer.get(start..) {
            Some(bytes) if bytes.len() > EMPTY_SET => Digest(xxh3_128(bytes)),
            _ => Digest::ABSENT,
        };
        self.buffer.truncate(start);
        Ok(MemberPrint {
            name: class.pool.utf8(member.name)?,
            descriptor: class.pool.utf8(member.descriptor)?,
            access: member.access,
            mirror,
            thrown: thrown.unwrap_or(Digest::ABSENT),
            body,
        })
    }

    /// Writes the attributes that count, as a set.
    pub(crate) fn attributes(&mut self, place: Place, attributes: Attributes<'a>) -> Result<()> {
        self.set(attributes, |p, attribute| p.attribute(place, &attribute))
    }

    /// The digest of what `write` writes.
    pub(crate) fn digest(&mut self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<u128> {
        let start = self.buffer.len();
        write(self)?;
        let digest = xxh3_128(self.buffer.get(start..).unwrap_or_default());
        self.buffer.truncate(start);
        Ok(digest)
    }

    /// Writes items in their order, and where they end.
    pub(crate) fn sequence<T>(
        &mut self,
        items: impl Iterator<Item = Result<T>>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        for item in items {
            self.u8(1);
            write(self, item?)?;
        }
        self.u8(0);
        Ok(())
    }

    /// Writes items so that their order does not matter, unless it counts here; an item that writes nothing is
    /// not there.
    pub(crate) fn set<T>(
        &mut self,
        items: impl Iterator<Item = Result<T>>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        let base = self.elements.len();
        for item in items {
            let item = item?;
            let start = self.buffer.len();
            write(self, item)?;
            if self.buffer.len() > start {
                let bytes = self.buffer.get(start..).unwrap_or_default();
                self.elements.push(xxh3_128(bytes));
                self.buffer.truncate(start);
            }
        }
        let elements = self.elements.get_mut(base..).unwrap_or_default();
        if !self.in_order {
            elements.sort_unstable();
        }
        self.buffer.extend((elements.len() as u32).to_le_bytes());
        elements
            .iter()
            .for_each(|element| self.buffer.extend(element.to_le_bytes()));
        self.elements.truncate(base);
        Ok(())
    }

    pub(crate) fn u8(&mut self, value: u8) {
        self.buffer.push(value);
    }

    pub(crate) fn u16(&mut self, value: u16) {
        self.buffer.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.buffer.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u128(&mut self, value: u128) {
        self.buffer.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }
}

/// As many times `Ok` as the next two bytes say: the items of a table that `reader` stands at.
pub(crate) fn counted(reader: &mut Reader<'_>) -> Result<impl Iterator<Item = Result<()>> + use<>> {
    Ok((0..reader.u16()?).map(|_| Ok(())))
}
