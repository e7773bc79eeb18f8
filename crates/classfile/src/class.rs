use crate::{Code, ConstantPool, Error, Reader, Result};

/// A class file; all parts borrow from the bytes it was parsed from.
#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    /// The whole class file.
    pub bytes: &'a [u8],
    /// Minor version; 65535 marks preview features.
    pub minor: u16,
    /// Major version: 45 is Java 1.1, 52 Java 8, 69 Java 25.
    pub major: u16,
    /// The constant pool.
    pub pool: ConstantPool<'a>,
    /// Class access flags.
    pub access: u16,
    /// Constant-pool index of this class.
    pub this_class: u16,
    /// Constant-pool index of the superclass; 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    interfaces: &'a [u8],
    fields: Members<'a>,
    methods: Members<'a>,
    attributes: Attributes<'a>,
}

impl<'a> ClassFile<'a> {
    /// Parses the structure of `bytes` down to attributes; their contents are read on demand.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut r = Reader::new(bytes, 0);
        if r.u32()? != 0xCAFE_BABE {
            return Err(Error::NotAClass);
        }
        let minor = r.u16()?;
        let major = r.u16()?;
        let pool = ConstantPool::parse(bytes, &mut r)?;
        let access = r.u16()?;
        let this_class = r.u16()?;
        let super_class = r.u16()?;
        let count = usize::from(r.u16()?);
        let interfaces = r.take(count * 2)?;
        let fields = Members::parse(&mut r)?;
        let methods = Members::parse(&mut r)?;
        let attributes = Attributes::parse(&mut r)?;
        if !r.is_empty() {
            return Err(Error::Malformed {
                at: r.offset(),
                what: "bytes after the class",
            });
        }
        Ok(ClassFile {
            bytes,
            minor,
            major,
            pool,
            access,
            this_class,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
        })
    }

    /// The internal name of this class, in modified UTF-8.
    pub fn name(&self) -> Result<&'a [u8]> {
        self.pool.class_name(self.this_class)
    }

    /// The internal name of the superclass, if there is one.
    pub fn super_name(&self) -> Result<Option<&'a [u8]>> {
        match self.super_class {
            0 => Ok(None),
            index => self.pool.class_name(index).map(Some),
        }
    }

    /// The internal names of the direct superinterfaces, in order.
    pub fn interface_names(&self) -> impl Iterator<Item = Result<&'a [u8]>> + '_ {
        self.interfaces.chunks_exact(2).map(|pair| {
            let mut r = Reader::new(pair, 0);
            self.pool.class_name(r.u16()?)
        })
    }

    /// The fields, in order.
    pub fn fields(&self) -> Members<'a> {
        self.fields
    }

    /// The methods, in order.
    pub fn methods(&self) -> Members<'a> {
        self.methods
    }

    /// The attributes of the class itself.
    pub fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }

    /// The first attribute called `name` among `attributes`.
    pub fn find(&self, attributes: Attributes<'a>, name: &[u8]) -> Result<Option<Attribute<'a>>> {
        for attribute in attributes {
            let attribute = attribute?;
            if self.pool.utf8(attribute.name)? == name {
                return Ok(Some(attribute));
            }
        }
        Ok(None)
    }

    /// The `Code` attribute of `method`, if it has one.
    pub fn code(&self, method: &Member<'a>) -> Result<Option<Code<'a>>> {
        match self.find(method.attributes, b"Code")? {
            // Before 45.3 its sizes were narrower; no compiler that anyone uses wrote that.
            Some(attribute) if (self.major, self.minor) < (45, 3) => Err(Error::Malformed {
                at: attribute.offset,
                what: "code older than version 45.3",
            }),
            Some(attribute) => Code::parse(attribute).map(Some),
            None => Ok(None),
        }
    }
}

/// A field or a method.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Where its structure starts in the class file.
    pub offset: usize,
    /// Access flags.
    pub access: u16,
    /// Constant-pool index of the name.
    pub name: u16,
    /// Constant-pool index of the descriptor.
    pub descriptor: u16,
    /// Its attributes.
    pub attributes: Attributes<'a>,
}

impl<'a> Member<'a> {
    fn parse(r: &mut Reader<'a>) -> Result<Self> {
        Ok(Member {
            offset: r.offset(),
            access: r.u16()?,
            name: r.u16()?,
            descriptor: r.u16()?,
            attributes: Attributes::parse(r)?,
        })
    }
}

/// A table of fields or methods whose structure has been checked; iterate over it.
#[derive(Debug, Clone, Copy)]
pub struct Members<'a> {
    reader: Reader<'a>,
    left: u16,
    /// Where the table's count stands in the class file.
    pub offset: usize,
}

impl<'a> Members<'a> {
    fn parse(r: &mut Reader<'a>) -> Result<Self> {
        let offset = r.offset();
        let left = r.u16()?;
        let reader = *r;
        for _ in 0..left {
            Member::parse(r)?;
        }
        Ok(Members {
            reader,
            left,
            offset,
        })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(Member::parse(&mut self.reader))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(self.left), Some(usize::from(self.left)))
    }
}

impl ExactSizeIterator for Members<'_> {}

/// One attribute: the constant-pool index of its name, and its content.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    /// Constant-pool index of the name.
    pub name: u16,
    /// The content, without name and length.
    pub data: &'a [u8],
    /// Where `data` starts in the class file; name and length are the six bytes before it.
    pub offset: usize,
}

impl<'a> Attribute<'a> {
    /// A reader of the content.
    pub fn reader(&self) -> Reader<'a> {
        Reader::new(self.data, self.offset)
    }
}

/// A table of attributes whose structure has been checked; iterate over it.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    reader: Reader<'a>,
    left: u16,
    /// Where the table's count stands in the class file.
    pub offset: usize,
}

impl<'a> Attributes<'a> {
    pub(crate) fn parse(r: &mut Reader<'a>) -> Result<Self> {
        let offset = r.offset();
        let left = r.u16()?;
        let reader = *r;
        for _ in 0..left {
            r.u16()?;
            let length = r.u32()? as usize;
            r.take(length)?;
        }
        Ok(Attributes {
            reader,
            left,
            offset,
        })
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut next = || {
            let name = self.reader.u16()?;
            let length = self.reader.u32()? as usize;
            let offset = self.reader.offset();
            Ok(Attribute {
                name,
                data: self.reader.take(length)?,
                offset,
            })
        };
        Some(next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(self.left), Some(usize::from(self.left)))
    }
}

impl ExactSizeIterator for Attributes<'_> {}
