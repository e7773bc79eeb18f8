use std::collections::HashMap;

use tamis_classfile::{Constant, Error, Reader, Result, tag};
use xxhash_rust::xxh3::xxh3_128;

use crate::printer::Printer;

/// Dynamic constants among the bootstrap arguments of dynamic constants go no deeper than this.
const MAX_DEPTH: u32 = 64;

/// One entry of the `BootstrapMethods` attribute.
pub(crate) struct Bootstrap<'a> {
    method: u16,
    arguments: &'a [u8],
    /// 0 where it is not computed yet.
    digest: u128,
}

/// By name and descriptor of a method: the digest that stands for its name.
pub(crate) type Names<'n> = HashMap<(&'n [u8], &'n [u8]), u128>;

impl<'a> Printer<'_, 'a> {
    /// Writes the content of the constant at `index`, as its digest.
    #[inline]
    pub(crate) fn constant(&mut self, index: u16) -> Result<()> {
        let digest = self.constant_digest(index)?;
        self.u128(digest);
        Ok(())
    }

    /// The digest of the content of the constant at `index`.
    #[inline]
    pub(crate) fn constant_digest(&mut self, index: u16) -> Result<u128> {
        match self.constants.get(usize::from(index)) {
            Some(&digest) if digest != 0 => Ok(digest),
            _ => self.new_constant(index),
        }
    }

    /// Writes the content of the constant at `index`, or that there is none if `index` is 0.
    pub(crate) fn optional(&mut self, index: u16) -> Result<()> {
        self.u8(u8::from(index != 0));
        match index {
            0 => Ok(()),
            _ => self.constant(index),
        }
    }

    fn new_constant(&mut self, index: u16) -> Result<u128> {
        let digest = match self.class.pool.get(index)? {
            Constant::Utf8(text) => xxh3_128(text),
            constant => self.digest(|p| p.write_constant(constant))?,
        };
        if let Some(slot) = self.constants.get_mut(usize::from(index)) {
            *slot = digest;
        }
        Ok(digest)
    }

    // What a constant refers to is checked to be of the right kind before it is followed, so that
    // only dynamic constants can form cycles.
    fn write_constant(&mut self, constant: Constant<'a>) -> Result<()> {
        match constant {
            Constant::Utf8(text) => self.bytes(text),
            Constant::Integer(value) => self.number(tag::INTEGER, value.into()),
            Constant::Float(bits) => self.number(tag::FLOAT, bits.into()),
            Constant::Long(value) => self.number(tag::LONG, value),
            Constant::Double(bits) => self.number(tag::DOUBLE, bits),
            Constant::Class { name } => self.text(tag::CLASS, name)?,
            Constant::String { utf8 } => self.text(tag::STRING, utf8)?,
            Constant::MethodType { descriptor } => self.text(tag::METHOD_TYPE, descriptor)?,
            Constant::Module { name } => self.text(tag::MODULE, name)?,
            Constant::Package { name } => self.text(tag::PACKAGE, name)?,
            Constant::NameAndType { name, descriptor } => {
                self.text(tag::NAME_AND_TYPE, name)?;
                self.utf8(descriptor)?;
            }
            Constant::Field {
                class,
                name_and_type,
            } => {
                self.reference(tag::FIELDREF, class, name_and_type)?;
            }
            Constant::Method {
                class,
                name_and_type,
            } => {
                self.reference(tag::METHODREF, class, name_and_type)?;
            }
            Constant::InterfaceMethod {
                class,
                name_and_type,
            } => {
                self.reference(tag::INTERFACE_METHODREF, class, name_and_type)?;
            }
            Constant::MethodHandle { kind, reference } => self.method_handle(kind, reference)?,
            Constant::Dynamic {
                bootstrap,
                name_and_type,
            } => {
                self.dynamic(tag::DYNAMIC, bootstrap, name_and_type)?;
            }
            Constant::InvokeDynamic {
                bootstrap,
                name_and_type,
            } => {
                self.dynamic(tag::INVOKE_DYNAMIC, bootstrap, name_and_type)?;
            }
        }
        Ok(())
    }

    fn number(&mut self, tag: u8, bits: u64) {
        self.u8(tag);
        self.bytes(&bits.to_le_bytes());
    }

    fn text(&mut self, tag: u8, index: u16) -> Result<()> {
        self.u8(tag);
        self.utf8(index)
    }

    fn utf8(&mut self, index: u16) -> Result<()> {
        let digest = match self.constants.get(usize::from(index)) {
            Some(&digest) if digest != 0 => digest,
            _ => xxh3_128(self.class.pool.utf8(index)?),
        };
        if let Some(slot) = self.constants.get_mut(usize::from(index)) {
            *slot = digest;
        }
        self.u128(digest);
        Ok(())
    }

    fn reference(&mut self, tag: u8, class: u16, name_and_type: u16) -> Result<()> {
        match self.class.pool.get(class)? {
            Constant::Class { name } => self.text(tag, name)?,
            _ => return Err(Error::BadConstant { index: class }),
        }
        match self.class.pool.get(name_and_type)? {
            Constant::NameAndType { name, descriptor } => {
                match self.given_name(tag, class, name_and_type)? {
                    Some(digest) => self.u128(digest),
                    None => self.utf8(name)?,
                }
                self.utf8(descriptor)
            }
            _ => Err(Error::BadConstant {
                index: name_and_type,
            }),
        }
    }

    /// What `names` says of the method that a reference means.
    fn given_name(&self, tag: u8, class: u16, name_and_type: u16) -> Result<Option<u128>> {
        if self.names.is_empty() || tag == tag::FIELDREF {
            return Ok(None);
        }
        let pool = &self.class.pool;
        if pool.class_name(class)? != self.class.name()? {
            return Ok(None);
        }
        let key = pool.name_and_type(name_and_type)?;
        Ok(self.names.get(&key).copied())
    }

    fn name_and_type(&mut self, index: u16) -> Result<()> {
        match self.class.pool.get(index)? {
            Constant::NameAndType { name, descriptor } => {
                self.utf8(name)?;
                self.utf8(descriptor)
            }
            _ => Err(Error::BadConstant { index }),
        }
    }

    fn method_handle(&mut self, kind: u8, reference: u16) -> Result<()> {
        self.u8(tag::METHOD_HANDLE);
        self.u8(kind);
        match self.class.pool.get(reference)? {
            Constant::Field { .. } | Constant::Method { .. } | Constant::InterfaceMethod { .. } => {
                self.constant(reference)
            }
            _ => Err(Error::BadConstant { index: reference }),
        }
    }

    fn dynamic(&mut self, tag: u8, bootstrap: u16, name_and_type: u16) -> Result<()> {
        self.u8(tag);
        self.name_and_type(name_and_type)?;
        let digest = self.bootstrap_digest(bootstrap)?;
        self.u128(digest);
        Ok(())
    }

    /// The digest of a bootstrap method with its arguments, computed once.
    fn bootstrap_digest(&mut self, index: u16) -> Result<u128> {
        let (method, arguments) = match self.bootstraps()?.get(usize::from(index)) {
            Some(entry) if entry.digest != 0 => return Ok(entry.digest),
            Some(entry) => (entry.method, entry.arguments),
            None => return Err(Error::BadConstant { index }),
        };
        if self.depth == MAX_DEPTH {
            return Err(Error::BadConstant { index });
        }
        self.depth += 1;
        let digest = self.digest(|p| {
            p.constant(method)?;
            let mut r = Reader::new(arguments, 0);
            while !r.is_empty() {
                p.constant(r.u16()?)?;
            }
            Ok(())
        })?;
        self.depth -= 1;
        if let Some(entry) = self.bootstraps()?.get_mut(usize::from(index)) {
            entry.digest = digest;
        }
        Ok(digest)
    }

    fn bootstraps(&mut self) -> Result<&mut Vec<Bootstrap<'a>>> {
        if self.bootstraps.is_none() {
            self.bootstraps = Some(self.read_bootstraps()?);
        }
        Ok(self.bootstraps.get_or_insert_default())
    }

    fn read_bootstraps(&self) -> Result<Vec<Bootstrap<'a>>> {
        let class = self.class;
        let Some(attribute) = class.find(class.attributes(), b"BootstrapMethods")? else {
            return Ok(Vec::new());
        };
        let mut r = attribute.reader();
        let mut entries = Vec::new();
        for _ in 0..r.u16()? {
            let method = r.u16()?;
            let count = usize::from(r.u16()?);
            entries.push(Bootstrap {
                method,
                arguments: r.take(count * 2)?,
                digest: 0,
            });
        }
        Ok(entries)
    }

    /// Writes the constant pool as it is, for attributes that may hold indexes into it.
    pub(crate) fn raw_pool(&mut self) {
        let class = self.class;
        let digest = *self.raw_pool.get_or_insert_with(|| {
            xxh3_128(class.bytes.get(8..class.pool.end()).unwrap_or_default())
        });
        self.u128(digest);
    }
}
