use crate::{Digest, Fingerprint, MemberPrint, NestedPrint, Outline};
use tamis_wire::{Reader, Writer};

/// Which digests of a member are written.
const MIRROR: u8 = 1;
const THROWN: u8 = 2;
const BODY: u8 = 4;

/// What is written of a nested class: its entry, and whether it is of the nest.
const ENTRY: u8 = 1;
const MATE: u8 = 2;

impl<'a> Fingerprint<'a> {
    /// As bytes that [`decode`](Fingerprint::decode) reads; digests of absent parts take no space.
    pub fn encode(&self) -> Vec<u8> {
        let members = self.fields.len() + self.methods.len();
        let mut out = Writer::with_capacity(64 + self.name.len() + 64 * members);
        out.digest(self.head.0)
            .fixed(self.access.to_le_bytes())
            .bytes(self.name)
            // One more than its length, or 0 where there is none.
            .length(self.super_class.map_or(0, |name| name.len() + 1))
            .raw(self.super_class.unwrap_or_default())
            .list(&self.interfaces, |out, name| out.bytes(name))
            .list(&self.fields, member)
            .list(&self.methods, member)
            .list(&self.nested, nested);
        out.finish()
    }

    /// Reads what [`encode`](Fingerprint::encode) wrote; `None` for anything else. Whatever the
    /// bytes are, the memory it takes is at most a small multiple of their length.
    pub fn decode(bytes: &'a [u8]) -> Option<Fingerprint<'a>> {
        tamis_wire::read(bytes, |from| {
            let head = read_digest(from)?;
            let outline = read_outline(from)?;
            Some(Fingerprint {
                head,
                access: outline.access,
                name: outline.name,
                super_class: outline.super_class,
                interfaces: outline.interfaces,
                fields: from.list(read_member)?,
                methods: from.list(read_member)?,
                nested: from.list(read_nested)?,
            })
        })
    }
}

impl<'a> Outline<'a> {
    /// Reads the outline of an encoded fingerprint; `None` exactly where
    /// [`Fingerprint::decode`] reads nothing.
    pub fn decode(bytes: &'a [u8]) -> Option<Outline<'a>> {
        tamis_wire::read(bytes, |from| {
            read_digest(from)?;
            let outline = read_outline(from)?;
            // Lists of nothing take no memory.
            from.list::<(), Vec<()>>(|from| read_member(from).map(drop))?;
            from.list::<(), Vec<()>>(|from| read_member(from).map(drop))?;
            from.list::<(), Vec<()>>(|from| read_nested(from).map(drop))?;
            Some(outline)
        })
    }
}

/// Writes a member; different ones give different bytes.
pub(crate) fn member<'w>(out: &'w mut Writer, print: &MemberPrint<'_>) -> &'w mut Writer {
    let written = mark(print.mirror != Digest::ABSENT, MIRROR)
        | mark(print.thrown != Digest::ABSENT, THROWN)
        | mark(print.body.is_some(), BODY);
    out.byte(written)
        .fixed(print.access.to_le_bytes())
        .bytes(print.name)
        .bytes(print.descriptor);
    for part in [print.mirror, print.thrown] {
        if part != Digest::ABSENT {
            out.digest(part.0);
        }
    }
    if let Some(body) = print.body {
        out.digest(body.0);
    }
    out
}

/// Writes a nested class; different ones give different bytes.
pub(crate) fn nested<'w>(out: &'w mut Writer, print: &NestedPrint<'_>) -> &'w mut Writer {
    out.byte(mark(print.entry != Digest::ABSENT, ENTRY) | mark(print.mate, MATE))
        .bytes(print.name);
    if print.entry != Digest::ABSENT {
        out.digest(print.entry.0);
    }
    out
}

fn mark(condition: bool, bit: u8) -> u8 {
    if condition { bit } else { 0 }
}

fn read_digest(from: &mut Reader<'_>) -> Option<Digest> {
    from.digest().map(Digest)
}

fn read_outline<'a>(from: &mut Reader<'a>) -> Option<Outline<'a>> {
    Some(Outline {
        access: from.fixed().map(u16::from_le_bytes)?,
        name: from.bytes()?,
        super_class: match from.number::<usize>()? {
            0 => None,
            length => Some(from.raw(length - 1)?),
        },
        interfaces: from.list(Reader::bytes)?,
    })
}

fn read_member<'a>(from: &mut Reader<'a>) -> Option<MemberPrint<'a>> {
    let written = from.byte()?;
    if written & !(MIRROR | THROWN | BODY) != 0 {
        return None;
    }
    Some(MemberPrint {
        access: from.fixed().map(u16::from_le_bytes)?,
        name: from.bytes()?,
        descriptor: from.bytes()?,
        mirror: read_part(from, written & MIRROR)?,
        thrown: read_part(from, written & THROWN)?,
        body: match written & BODY {
            0 => None,
            _ => Some(read_digest(from)?),
        },
    })
}

fn read_nested<'a>(from: &mut Reader<'a>) -> Option<NestedPrint<'a>> {
    let written = from.byte()?;
    if written & !(ENTRY | MATE) != 0 {
        return None;
    }
    Some(NestedPrint {
        name: from.bytes()?,
        entry: read_part(from, written & ENTRY)?,
        mate: written & MATE != 0,
    })
}

/// A digest if `written` is not 0; what is written is not absent.
fn read_part(from: &mut Reader<'_>, written: u8) -> Option<Digest> {
    match written {
        0 => Some(Digest::ABSENT),
        _ => read_digest(from).filter(|&digest| digest != Digest::ABSENT),
    }
}
