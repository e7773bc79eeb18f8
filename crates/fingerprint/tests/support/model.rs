//! A class taken apart down to its attributes, to be changed and put together again.

use tamis_classfile::{Attributes, ClassFile, Reader};

/// A class file; indexes into its pool stay what they are.
#[derive(Clone)]
pub(crate) struct Class {
    version: Vec<u8>,
    pool_count: u16,
    pool: Vec<u8>,
    /// Flags, names and interfaces.
    middle: Vec<u8>,
    pub(crate) fields: Vec<Member>,
    pub(crate) methods: Vec<Member>,
    pub(crate) attributes: Vec<Attribute>,
}

/// A field, a method or a record component.
#[derive(Clone)]
pub(crate) struct Member {
    /// Flags (not of record components), name and descriptor.
    pub(crate) head: Vec<u8>,
    pub(crate) attributes: Vec<Attribute>,
}

/// An attribute with its name.
#[derive(Clone)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    index: u16,
    pub(crate) content: Content,
}

/// What an attribute holds.
#[derive(Clone)]
pub(crate) enum Content {
    Raw(Vec<u8>),
    Code(Vec<u8>, Vec<Attribute>),
    Record(Vec<Member>),
}

impl Class {
    pub(crate) fn parse(bytes: &[u8]) -> Class {
        let class = ClassFile::parse(bytes).unwrap();
        let member = |member: tamis_classfile::Member<'_>| Member {
            head: bytes[member.offset..member.offset + 6].to_vec(),
            attributes: attributes(&class, member.attributes),
        };
        Class {
            version: bytes[..8].to_vec(),
            pool_count: class.pool.count(),
            pool: bytes[10..class.pool.end()].to_vec(),
            middle: bytes[class.pool.end()..class.fields().offset].to_vec(),
            fields: class.fields().map(|field| member(field.unwrap())).collect(),
            methods: class
                .methods()
                .map(|method| member(method.unwrap()))
                .collect(),
            attributes: attributes(&class, class.attributes()),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = self.version.clone();
        out.extend(self.pool_count.to_be_bytes());
        out.extend(&self.pool);
        out.extend(&self.middle);
        write_members(&mut out, &self.fields);
        write_members(&mut out, &self.methods);
        write_attributes(&mut out, &self.attributes);
        out
    }

    /// Another class file version.
    pub(crate) fn set_version(&mut self, major: u16, minor: u16) {
        self.version[4..6].copy_from_slice(&minor.to_be_bytes());
        self.version[6..8].copy_from_slice(&major.to_be_bytes());
    }

    /// Appends a text to the pool and returns its index.
    pub(crate) fn add_utf8(&mut self, text: &str) -> u16 {
        let mut entry = vec![1];
        entry.extend((text.len() as u16).to_be_bytes());
        entry.extend(text.bytes());
        self.add_constant(&entry)
    }

    /// Appends a constant (not a long or double) to the pool and returns its index.
    pub(crate) fn add_constant(&mut self, entry: &[u8]) -> u16 {
        self.pool.extend(entry);
        self.pool_count += 1;
        self.pool_count - 1
    }

    /// The content of the class's attribute `name`, which is not taken apart.
    pub(crate) fn raw_attribute(&mut self, name: &str) -> &mut Vec<u8> {
        let attribute = self.attributes.iter_mut().find(|a| a.name == name).unwrap();
        match &mut attribute.content {
            Content::Raw(data) => data,
            _ => panic!("{name} is taken apart"),
        }
    }

    /// An attribute whose name is appended to the pool.
    pub(crate) fn new_attribute(&mut self, name: &str, data: &[u8]) -> Attribute {
        let index = self.add_utf8(name);
        Attribute {
            name: name.to_owned(),
            index,
            content: Content::Raw(data.to_vec()),
        }
    }

    /// Calls `change` on every table of attributes, with the word for where it stands.
    pub(crate) fn each_table(&mut self, mut change: impl FnMut(&str, &mut Vec<Attribute>)) {
        for attribute in &mut self.attributes {
            if let Content::Record(components) = &mut attribute.content {
                components
                    .iter_mut()
                    .for_each(|c| change("component", &mut c.attributes));
            }
        }
        change("class", &mut self.attributes);
        self.fields
            .iter_mut()
            .for_each(|field| change("field", &mut field.attributes));
        for method in &mut self.methods {
            for attribute in &mut method.attributes {
                if let Content::Code(_, attributes) = &mut attribute.content {
                    change("code", attributes);
                }
            }
            change("method", &mut method.attributes);
        }
    }
}

fn attributes(class: &ClassFile<'_>, table: Attributes<'_>) -> Vec<Attribute> {
    table
        .map(|attribute| {
            let attribute = attribute.unwrap();
            let name = class.pool.utf8(attribute.name).unwrap();
            let content = match name {
                b"Code" => code(class, attribute.reader()),
                b"Record" => record(class, attribute.reader()),
                _ => Content::Raw(attribute.data.to_vec()),
            };
            let name = String::from_utf8(name.to_vec()).unwrap();
            Attribute {
                name,
                index: attribute.name,
                content,
            }
        })
        .collect()
}

/// The attributes of a table that `r` stands at.
fn table(class: &ClassFile<'_>, r: &mut Reader<'_>) -> Vec<Attribute> {
    (0..r.u16().unwrap())
        .map(|_| {
            let index = r.u16().unwrap();
            let length = r.u32().unwrap() as usize;
            let name = String::from_utf8(class.pool.utf8(index).unwrap().to_vec()).unwrap();
            Attribute {
                name,
                index,
                content: Content::Raw(r.take(length).unwrap().to_vec()),
            }
        })
        .collect()
}

fn code(class: &ClassFile<'_>, mut r: Reader<'_>) -> Content {
    let whole = r;
    let start = r.offset();
    r.u32().unwrap();
    let length = r.u32().unwrap() as usize;
    r.take(length).unwrap();
    let handlers = usize::from(r.u16().unwrap());
    r.take(handlers * 8).unwrap();
    let fixed = { whole }.take(r.offset() - start).unwrap().to_vec();
    Content::Code(fixed, table(class, &mut r))
}

fn record(class: &ClassFile<'_>, mut r: Reader<'_>) -> Content {
    let components = (0..r.u16().unwrap()).map(|_| Member {
        head: r.take(4).unwrap().to_vec(),
        attributes: table(class, &mut r),
    });
    Content::Record(components.collect())
}

fn write_members(out: &mut Vec<u8>, members: &[Member]) {
    out.extend((members.len() as u16).to_be_bytes());
    for member in members {
        out.extend(&member.head);
        write_attributes(out, &member.attributes);
    }
}

fn write_attributes(out: &mut Vec<u8>, attributes: &[Attribute]) {
    out.extend((attributes.len() as u16).to_be_bytes());
    for attribute in attributes {
        let mut data = Vec::new();
        match &attribute.content {
            Content::Raw(bytes) => data.extend(bytes),
            Content::Code(fixed, attributes) => {
                data.extend(fixed);
                write_attributes(&mut data, attributes);
            }
            Content::Record(components) => write_members(&mut data, components),
        }
        out.extend(attribute.index.to_be_bytes());
        out.extend((data.len() as u32).to_be_bytes());
        out.extend(data);
    }
}
