use crate::{Error, Reader, Result};

/// Constant-pool tags (table 4.4-A).
#[allow(missing_docs)]
pub mod tag {
    pub const UTF8: u8 = 1;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const LONG: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const CLASS: u8 = 7;
    pub const STRING: u8 = 8;
    pub const FIELDREF: u8 = 9;
    pub const METHODREF: u8 = 10;
    pub const INTERFACE_METHODREF: u8 = 11;
    pub const NAME_AND_TYPE: u8 = 12;
    pub const METHOD_HANDLE: u8 = 15;
    pub const METHOD_TYPE: u8 = 16;
    pub const DYNAMIC: u8 = 17;
    pub const INVOKE_DYNAMIC: u8 = 18;
    pub const MODULE: u8 = 19;
    pub const PACKAGE: u8 = 20;
}

/// One entry; indexes point to other entries of the same pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Constant<'a> {
    Utf8(&'a [u8]),
    Integer(u32),
    Float(u32),
    Long(u64),
    Double(u64),
    Class { name: u16 },
    String { utf8: u16 },
    Field { class: u16, name_and_type: u16 },
    Method { class: u16, name_and_type: u16 },
    InterfaceMethod { class: u16, name_and_type: u16 },
    NameAndType { name: u16, descriptor: u16 },
    MethodHandle { kind: u8, reference: u16 },
    MethodType { descriptor: u16 },
    Dynamic { bootstrap: u16, name_and_type: u16 },
    InvokeDynamic { bootstrap: u16, name_and_type: u16 },
    Module { name: u16 },
    Package { name: u16 },
}

/// Bytes of an entry by its tag, the text of `Utf8` not included; 0 where there is no such tag.
const SIZES: [u8; 21] = [
    0, 3, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3,
];

/// The constant pool: offsets into the class file, entries decoded on demand.
#[derive(Debug, Clone)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Offset of each entry's tag; 0 for index 0 and for the gap after a long or double.
    offsets: Vec<u32>,
    end: usize,
}

impl<'a> ConstantPool<'a> {
    /// Reads the pool that starts with its count at `reader`; `bytes` is the whole class file.
    pub(crate) fn parse(bytes: &'a [u8], reader: &mut Reader<'a>) -> Result<Self> {
        let count = usize::from(reader.u16()?);
        // An entry takes at least three bytes, so a lying count cannot make us allocate much.
        let mut offsets = Vec::with_capacity(count.min(bytes.len() / 3 + 1));
        offsets.push(0);
        let start = reader.offset();
        let mut at = start;
        while offsets.len() < count {
            let entry = bytes.get(at..).and_then(|rest| rest.first_chunk());
            let Some(&[tag, high, low]) = entry else {
                return Err(Error::Truncated { at });
            };
            offsets.push(u32::try_from(at).map_err(|_| Error::Truncated { at })?);
            let what = "unknown constant tag";
            at += match SIZES.get(usize::from(tag)) {
                Some(0) | None => return Err(Error::Malformed { at, what }),
                Some(&size) if tag == tag::UTF8 => {
                    usize::from(size) + usize::from(u16::from_be_bytes([high, low]))
                }
                Some(&size) => usize::from(size),
            };
            if matches!(tag, tag::LONG | tag::DOUBLE) {
                if offsets.len() >= count {
                    let what = "wide constant without its gap";
                    return Err(Error::Malformed { at, what });
                }
                offsets.push(0);
            }
        }
        reader.take(at - start)?;
        Ok(ConstantPool {
            bytes,
            offsets,
            end: at,
        })
    }

    /// The number of slots, index 0 included, as the format counts them.
    pub fn count(&self) -> u16 {
        u16::try_from(self.offsets.len()).unwrap_or(u16::MAX)
    }

    /// The offset in the class file just behind the last entry.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The pool's bytes from the tag of the entry at `index` on.
    fn entry(&self, index: u16) -> Result<&'a [u8]> {
        match self.offsets.get(usize::from(index)) {
            Some(&offset) if offset != 0 => self.bytes.get(offset as usize..self.end),
            _ => None,
        }
        .ok_or(Error::BadConstant { index })
    }

    /// The entry at `index`.
    pub fn get(&self, index: u16) -> Result<Constant<'a>> {
        let mut r = Reader::new(self.entry(index)?, 0);
        Ok(match r.u8()? {
            tag::UTF8 => {
                let length = usize::from(r.u16()?);
                Constant::Utf8(r.take(length)?)
            }
            tag::INTEGER => Constant::Integer(r.u32()?),
            tag::FLOAT => Constant::Float(r.u32()?),
            tag::LONG => Constant::Long(r.u64()?),
            tag::DOUBLE => Constant::Double(r.u64()?),
            tag::CLASS => Constant::Class { name: r.u16()? },
            tag::STRING => Constant::String { utf8: r.u16()? },
            tag::FIELDREF => Constant::Field {
                class: r.u16()?,
                name_and_type: r.u16()?,
            },
            tag::METHODREF => Constant::Method {
                class: r.u16()?,
                name_and_type: r.u16()?,
            },
            tag::INTERFACE_METHODREF => Constant::InterfaceMethod {
                class: r.u16()?,
                name_and_type: r.u16()?,
            },
            tag::NAME_AND_TYPE => Constant::NameAndType {
                name: r.u16()?,
                descriptor: r.u16()?,
            },
            tag::METHOD_HANDLE => Constant::MethodHandle {
                kind: r.u8()?,
                reference: r.u16()?,
            },
            tag::METHOD_TYPE => Constant::MethodType {
                descriptor: r.u16()?,
            },
            tag::DYNAMIC => Constant::Dynamic {
                bootstrap: r.u16()?,
                name_and_type: r.u16()?,
            },
            tag::INVOKE_DYNAMIC => Constant::InvokeDynamic {
                bootstrap: r.u16()?,
                name_and_type: r.u16()?,
            },
            tag::MODULE => Constant::Module { name: r.u16()? },
            tag::PACKAGE => Constant::Package { name: r.u16()? },
            _ => return Err(Error::BadConstant { index }),
        })
    }

    /// The modified UTF-8 bytes of the `Utf8` entry at `index`.
    pub fn utf8(&self, index: u16) -> Result<&'a [u8]> {
        match self.entry(index)? {
            &[tag::UTF8, high, low, ref rest @ ..] => {
                rest.get(..usize::from(u16::from_be_bytes([high, low])))
            }
            _ => None,
        }
        .ok_or(Error::BadConstant { index })
    }

    /// The internal name (`java/lang/String`, `[I`) of the `Class` entry at `index`.
    pub fn class_name(&self, index: u16) -> Result<&'a [u8]> {
        match self.get(index)? {
            Constant::Class { name } => self.utf8(name),
            _ => Err(Error::BadConstant { index }),
        }
    }

    /// Name and descriptor of the `NameAndType` entry at `index`.
    pub fn name_and_type(&self, index: u16) -> Result<(&'a [u8], &'a [u8])> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => {
                Ok((self.utf8(name)?, self.utf8(descriptor)?))
            }
            _ => Err(Error::BadConstant { index }),
        }
    }

    /// Owner, name and descriptor of the method, of a class or an interface, at `index`.
    pub fn method(&self, index: u16) -> Result<[&'a [u8]; 3]> {
        match self.get(index)? {
            Constant::Method {
                class,
                name_and_type,
            }
            | Constant::InterfaceMethod {
                class,
                name_and_type,
            } => {
                let (name, descriptor) = self.name_and_type(name_and_type)?;
                Ok([self.class_name(class)?, name, descriptor])
            }
            _ => Err(Error::BadConstant { index }),
        }
    }

    /// Every used index with its entry, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u16, Result<Constant<'a>>)> + '_ {
        (1..self.count())
            .filter(|&i| self.offsets.get(usize::from(i)).is_some_and(|&o| o != 0))
            .map(|i| (i, self.get(i)))
    }
}
