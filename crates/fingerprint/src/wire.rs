use crate::{Digest, Fingerprint, MemberPrint, NestedPrint, Outline};

/// Which digests of a member are written.
const MIRROR: u8 = 1;
const THROWN: u8 = 2;
const BODY: u8 = 4;

/// What is written of a nested class: its entry, and whether it is of the nest.
const ENTRY: u8 = 1;
const MATE: u8 = 2;

/// The least bytes of an encoded member, of an encoded nested class and of an encoded name.
const MEMBER: usize = 5;
const NESTED: usize = 2;
const NAME: usize = 1;

impl<'a> Fingerprint<'a> {
    /// As bytes that [`decode`](Fingerprint::decode) reads: numbers in LEB128, names with their
    /// length, digests as 16 bytes, those of absent parts not at all.
    pub fn encode(&self) -> Vec<u8> {
        let members = self.fields.len() + self.methods.len();
        let mut out = Vec::with_capacity(64 + self.name.len() + 64 * members);
        digest(&mut out, self.head);
        out.extend(self.access.to_le_bytes());
        text(&mut out, self.name);
        // One more than its length, or 0 where there is none.
        number(&mut out, self.super_class.map_or(0, |name| name.len() + 1));
        out.extend(self.super_class.unwrap_or_default());
        number(&mut out, self.interfaces.len());
        self.interfaces.iter().for_each(|name| text(&mut out, name));
        for members in [&self.fields, &self.methods] {
            number(&mut out, members.len());
            members.iter().for_each(|print| member(&mut out, print));
        }
        number(&mut out, self.nested.len());
        self.nested.iter().for_each(|print| nested(&mut out, print));
        out
    }

    /// Reads what [`encode`](Fingerprint::encode) wrote; `None` for anything else. Whatever the
    /// bytes are, the memory it takes is at most a small multiple of their length.
    pub fn decode(bytes: &'a [u8]) -> Option<Fingerprint<'a>> {
        let mut input = Input(bytes);
        let head = input.digest()?;
        let outline = input.outline()?;
        let print = Fingerprint {
            head,
            access: outline.access,
            name: outline.name,
            super_class: outline.super_class,
            interfaces: outline.interfaces,
            fields: input.list(MEMBER, Input::member)?,
            methods: input.list(MEMBER, Input::member)?,
            nested: input.list(NESTED, Input::nested)?,
        };
        input.0.is_empty().then_some(print)
    }
}

impl<'a> Outline<'a> {
    /// Reads the outline of an encoded fingerprint; `None` exactly where
    /// [`Fingerprint::decode`] reads nothing.
    pub fn decode(bytes: &'a [u8]) -> Option<Outline<'a>> {
        let mut input = Input(bytes);
        input.digest()?;
        let outline = input.outline()?;
        // Lists of nothing take no memory.
        input.list(MEMBER, |input| input.member().map(drop))?;
        input.list(MEMBER, |input| input.member().map(drop))?;
        input.list(NESTED, |input| input.nested().map(drop))?;
        input.0.is_empty().then_some(outline)
    }
}

/// Writes a member; different ones give different bytes.
pub(crate) fn member(out: &mut Vec<u8>, print: &MemberPrint<'_>) {
    let written = mark(print.mirror != Digest::ABSENT, MIRROR)
        | mark(print.thrown != Digest::ABSENT, THROWN)
        | mark(print.body.is_some(), BODY);
    let [low, high] = print.access.to_le_bytes();
    out.extend_from_slice(&[written, low, high]);
    text(out, print.name);
    text(out, print.descriptor);
    for part in [print.mirror, print.thrown] {
        if part != Digest::ABSENT {
            digest(out, part);
        }
    }
    if let Some(body) = print.body {
        digest(out, body);
    }
}

/// Writes a nested class; different ones give different bytes.
pub(crate) fn nested(out: &mut Vec<u8>, print: &NestedPrint<'_>) {
    out.push(mark(print.entry != Digest::ABSENT, ENTRY) | mark(print.mate, MATE));
    text(out, print.name);
    if print.entry != Digest::ABSENT {
        digest(out, print.entry);
    }
}

fn mark(condition: bool, bit: u8) -> u8 {
    if condition { bit } else { 0 }
}

fn number(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn text(out: &mut Vec<u8>, text: &[u8]) {
    number(out, text.len());
    out.extend_from_slice(text);
}

fn digest(out: &mut Vec<u8>, digest: Digest) {
    out.extend_from_slice(&digest.0.to_le_bytes());
}

/// What is left to read.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn digest(&mut self) -> Option<Digest> {
        self.array().map(|bytes| Digest(u128::from_le_bytes(bytes)))
    }

    /// A number below 2^28 in its shortest form.
    fn number(&mut self) -> Option<usize> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.u8()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return (byte != 0 || shift == 0).then_some(value);
            }
        }
        None
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(length)
    }

    /// A list of items that take at least `least` bytes each.
    fn list<T>(
        &mut self,
        least: usize,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.number()?;
        if count > self.0.len() / least {
            return None;
        }
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(read(self)?);
        }
        Some(items)
    }

    fn outline(&mut self) -> Option<Outline<'a>> {
        Some(Outline {
            access: self.u16()?,
            name: self.text()?,
            super_class: match self.number()? {
                0 => None,
                length => Some(self.take(length - 1)?),
            },
            interfaces: self.list(NAME, Input::text)?,
        })
    }

    fn member(&mut self) -> Option<MemberPrint<'a>> {
        let written = self.u8()?;
        if written & !(MIRROR | THROWN | BODY) != 0 {
            return None;
        }
        Some(MemberPrint {
            access: self.u16()?,
            name: self.text()?,
            descriptor: self.text()?,
            mirror: self.part(written & MIRROR)?,
            thrown: self.part(written & THROWN)?,
            body: match written & BODY {
                0 => None,
                _ => Some(self.digest()?),
            },
        })
    }

    fn nested(&mut self) -> Option<NestedPrint<'a>> {
        let written = self.u8()?;
        if written & !(ENTRY | MATE) != 0 {
            return None;
        }
        Some(NestedPrint {
            name: self.text()?,
            entry: self.part(written & ENTRY)?,
            mate: written & MATE != 0,
        })
    }

    /// A digest if `written` is not 0; what is written is not absent.
    fn part(&mut self, written: u8) -> Option<Digest> {
        match written {
            0 => Some(Digest::ABSENT),
            _ => self.digest().filter(|&digest| digest != Digest::ABSENT),
        }
    }
}
