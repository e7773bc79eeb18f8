use crate::{ClassFile, Error, Result, tag};

/// Constants to be appended to the pool of one class; existing entries keep their indexes.
///
/// Nothing is looked up in the existing pool: a duplicate entry is harmless, a search costs time
/// for every class that a JVM loads.
#[derive(Debug, Clone)]
pub struct PoolBuilder {
    first: u16,
    count: u16,
    bytes: Vec<u8>,
}

impl PoolBuilder {
    /// Starts behind the last constant of `class`.
    pub fn new(class: &ClassFile<'_>) -> Self {
        let first = class.pool.count();
        PoolBuilder {
            first,
            count: first,
            bytes: Vec::new(),
        }
    }

    /// The number of slots that the class had, index 0 included.
    pub(super) fn first(&self) -> u16 {
        self.first
    }

    /// The number of slots with those appended, as the format counts them.
    pub(super) fn count(&self) -> u16 {
        self.count
    }

    /// The appended entries.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes the next index for an entry that starts with `tag`.
    fn entry(&mut self, tag: u8) -> Result<u16> {
        let index = self.count;
        self.count = index.checked_add(1).ok_or(Error::TooLarge {
            what: "constant pool",
        })?;
        self.bytes.push(tag);
        Ok(index)
    }

    fn value(&mut self, tag: u8, value: &[u8]) -> Result<u16> {
        let index = self.entry(tag)?;
        self.bytes.extend_from_slice(value);
        Ok(index)
    }

    /// An entry that takes two indexes.
    fn wide(&mut self, tag: u8, value: &[u8; 8]) -> Result<u16> {
        let index = self.value(tag, value)?;
        self.count = self.count.checked_add(1).ok_or(Error::TooLarge {
            what: "constant pool",
        })?;
        Ok(index)
    }

    fn pair(&mut self, tag: u8, first: u16, second: u16) -> Result<u16> {
        let index = self.entry(tag)?;
        self.bytes.extend_from_slice(&first.to_be_bytes());
        self.bytes.extend_from_slice(&second.to_be_bytes());
        Ok(index)
    }

    /// A `Utf8` entry of `text`, which is modified UTF-8.
    pub fn utf8(&mut self, text: &[u8]) -> Result<u16> {
        let length = u16::try_from(text.len()).map_err(|_| Error::TooLarge {
            what: "text constant",
        })?;
        let index = self.entry(tag::UTF8)?;
        self.bytes.extend_from_slice(&length.to_be_bytes());
        self.bytes.extend_from_slice(text);
        Ok(index)
    }

    /// A `String` entry of `text`, which is modified UTF-8.
    pub fn string(&mut self, text: &[u8]) -> Result<u16> {
        let utf8 = self.utf8(text)?;
        self.value(tag::STRING, &utf8.to_be_bytes())
    }

    /// An `Integer` entry.
    pub fn integer(&mut self, value: i32) -> Result<u16> {
        self.value(tag::INTEGER, &value.to_be_bytes())
    }

    /// A `Float` entry.
    pub fn float(&mut self, value: f32) -> Result<u16> {
        self.value(tag::FLOAT, &value.to_be_bytes())
    }

    /// A `Long` entry.
    pub fn long(&mut self, value: i64) -> Result<u16> {
        self.wide(tag::LONG, &value.to_be_bytes())
    }

    /// A `Double` entry.
    pub fn double(&mut self, value: f64) -> Result<u16> {
        self.wide(tag::DOUBLE, &value.to_be_bytes())
    }

    /// A `Class` entry for an internal name such as `java/lang/String`.
    pub fn class(&mut self, name: &[u8]) -> Result<u16> {
        let name = self.utf8(name)?;
        let index = self.entry(tag::CLASS)?;
        self.bytes.extend_from_slice(&name.to_be_bytes());
        Ok(index)
    }

    /// A `NameAndType` entry.
    pub fn name_and_type(&mut self, name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let name = self.utf8(name)?;
        let descriptor = self.utf8(descriptor)?;
        self.pair(tag::NAME_AND_TYPE, name, descriptor)
    }

    /// A `Fieldref` entry; `class` is the index of a `Class` entry, old or new.
    pub fn field_ref(&mut self, class: u16, name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.pair(tag::FIELDREF, class, name_and_type)
    }

    /// A `Methodref` entry; `class` is the index of a `Class` entry, old or new.
    pub fn method_ref(&mut self, class: u16, name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let name_and_type = self.name_and_type(name, descriptor)?;
        self.pair(tag::METHODREF, class, name_and_type)
    }
}
