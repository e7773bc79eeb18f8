use crate::tables::{
    Asked, ClassRow, DeclaredRow, FactsRow, MemberRow, ReferenceKind, ReferenceRow, Tables,
};
use std::path::Path;
use tamis_code::references::Invoke;
use tamis_fingerprint::{Digest, Fingerprint};

/// A class of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct Class<'s> {
    pub(crate) entry_number: usize,
    pub(crate) entry: &'s Path,
    pub(crate) tables: &'s Tables,
    /// Its class files, by release; one at least.
    pub(crate) files: &'s [ClassRow],
}

impl<'s> Class<'s> {
    /// Its internal name.
    pub fn name(&self) -> &'s str {
        let first = self.files.first();
        first.map_or("", |file| self.tables.text(file.name))
    }

    /// The entry of the class path that holds it.
    pub fn entry(&self) -> &'s Path {
        self.entry
    }

    /// The number of that entry in [`Snapshot::entries`](crate::Snapshot::entries).
    pub fn entry_number(&self) -> usize {
        self.entry_number
    }

    /// Its class files: several where a multi-release jar has one for some releases of Java.
    pub fn versions(&self) -> impl Iterator<Item = Version<'s>> + use<'s> {
        let tables = self.tables;
        self.files.iter().map(move |row| Version { tables, row })
    }

    /// The facts of its first class file, which is the one for all releases if there is one; `None` if it
    /// cannot be read or makes no sense.
    pub fn facts(&self) -> Option<Facts<'s>> {
        self.versions().next()?.facts()
    }
}

/// A class file.
#[derive(Debug, Clone, Copy)]
pub struct Version<'s> {
    tables: &'s Tables,
    row: &'s ClassRow,
}

impl<'s> Version<'s> {
    /// The release of Java from which on it counts; 0 for all.
    pub fn release(&self) -> u32 {
        self.row.release
    }

    /// The digest of its bytes; `None` if it cannot be read.
    pub fn raw(&self) -> Option<Digest> {
        self.row.raw
    }

    /// Its facts; `None` if it cannot be read or makes no sense.
    pub fn facts(&self) -> Option<Facts<'s>> {
        let tables = self.tables;
        let row = self.row.facts.as_deref()?;
        Some(Facts { tables, row })
    }
}

/// Facts about a class file.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'s> {
    tables: &'s Tables,
    row: &'s FactsRow,
}

/// The place where a class is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared<'s> {
    /// In a package.
    TopLevel,
    /// In another class.
    Member {
        /// The internal name of that class.
        outer: &'s str,
        /// The access flags that the source gives it; those of the class file lack some.
        access: u16,
    },
    /// In code.
    Local,
}

impl<'s> Facts<'s> {
    /// The digest of its fingerprint.
    pub fn digest(&self) -> Digest {
        self.row.digest
    }

    /// Its fingerprint.
    pub fn fingerprint(&self) -> Option<Fingerprint<'s>> {
        Fingerprint::decode(&self.row.print)
    }

    /// The access flags of the class file.
    pub fn access(&self) -> u16 {
        self.row.access
    }

    /// The place where it is declared.
    pub fn declared(&self) -> Declared<'s> {
        match self.row.declared {
            DeclaredRow::TopLevel => Declared::TopLevel,
            DeclaredRow::Member { outer, access } => Declared::Member {
                outer: self.tables.text(outer),
                access,
            },
            DeclaredRow::Local => Declared::Local,
        }
    }

    /// The internal name of its superclass.
    pub fn super_class(&self) -> Option<&'s str> {
        self.row.super_class.map(|name| self.tables.text(name))
    }

    /// The internal names of its direct superinterfaces.
    pub fn interfaces(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        texts(self.tables, &self.row.interfaces)
    }

    /// The internal names of the types of its annotations that are visible at run time.
    pub fn annotations(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        texts(self.tables, &self.row.annotations)
    }

    /// The internal names of all classes that it names in any way, but for itself.
    pub fn classes(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        texts(self.tables, &self.row.classes)
    }

    /// The name of the source file that it was compiled from, without its directory.
    pub fn source(&self) -> Option<&'s str> {
        self.row.source.map(|name| self.tables.text(name))
    }

    /// What the annotations visible at run time name that it and its members have: classes that stand in values are
    /// [`Reference::Literal`], their own types [`Reference::Type`], texts [`Reference::Text`].
    pub fn annotation_values(&self) -> impl Iterator<Item = Reference<'s>> + use<'s> {
        references(self.tables, &self.row.annotation_values)
    }

    /// Its fields, in the order of the class file.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Member<'s>> + use<'s> {
        members(self.tables, &self.row.fields)
    }

    /// Its methods, in the order of the class file.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Member<'s>> + use<'s> {
        members(self.tables, &self.row.methods)
    }
}

/// A field or a method.
#[derive(Debug, Clone, Copy)]
pub struct Member<'s> {
    tables: &'s Tables,
    row: &'s MemberRow,
}

impl<'s> Member<'s> {
    /// Its name.
    pub fn name(&self) -> &'s str {
        self.tables.text(self.row.name)
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> &'s str {
        self.tables.text(self.row.descriptor)
    }

    /// Its access flags.
    pub fn access(&self) -> u16 {
        self.row.access
    }

    /// The internal names of the types of its annotations that are visible at run time.
    pub fn annotations(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        texts(self.tables, &self.row.annotations)
    }

    /// The references of its code, each once.
    pub fn references(&self) -> impl Iterator<Item = Reference<'s>> + use<'s> {
        references(self.tables, &self.row.references)
    }

    /// What its code looks for by names that do not stand in it: what it is, and the parameter that has the name, if
    /// one has.
    pub fn asks(&self) -> impl Iterator<Item = (Asked, Option<u16>)> + use<'s> {
        let asks = self.row.asks.iter();
        asks.map(|ask| (ask.target, ask.parameter))
    }

    /// The arguments that it gives other methods, as far as it is known what they are. One that is not here is unknown.
    pub fn passed(&self) -> impl Iterator<Item = Passed<'s>> + use<'s> {
        let tables = self.tables;
        let rows = self.row.passed.iter();
        rows.map(move |row| Passed {
            name: tables.text(row.name),
            descriptor: tables.text(row.descriptor),
            argument: row.argument,
            parameters: &row.parameters,
        })
    }

    /// The numbers of [`Member::references`] among those of the entry.
    pub fn reference_numbers(&self) -> &'s [u32] {
        &self.row.references
    }
}

/// An argument whose values are texts and classes that stand in the code, and parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed<'s> {
    /// The name of the method that gets it.
    pub name: &'s str,
    /// The descriptor of that method.
    pub descriptor: &'s str,
    /// Which of its declared parameters.
    pub argument: u16,
    /// The parameters of the method that gives it, whose values it may have, too.
    pub parameters: &'s [u16],
}

/// A reference of code. Classes have internal names; see [`tamis_code::references::Kind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Reference<'s> {
    /// A class that is used in any way but those below.
    Type(&'s str),
    /// A class of which an object is made.
    New(&'s str),
    /// A class literal.
    Literal(&'s str),
    /// A class in a cast, an `instanceof` or a handler.
    Check(&'s str),
    /// A field that is read or written. Its class may inherit it.
    Field {
        class: &'s str,
        name: &'s str,
        descriptor: &'s str,
    },
    /// A method that is called. Its class may inherit it, and others may override it.
    Call {
        class: &'s str,
        name: &'s str,
        descriptor: &'s str,
        invoke: Invoke,
    },
    /// An object that implements the method of an interface with this one, by a lambda or a reference to a method. There
    /// is no call through a handle beside it.
    Lambda {
        interface: &'s str,
        method: &'s str,
        class: &'s str,
        name: &'s str,
        descriptor: &'s str,
    },
    /// A method or field that may be used at any later time.
    Handle { class: &'s str, name: &'s str },
    /// A text that may be the name of a class or member.
    Text(&'s str),
}

pub(crate) fn reference<'s>(tables: &'s Tables, row: &ReferenceRow) -> Reference<'s> {
    let [class, name, descriptor] = row.texts.map(|number| tables.text(number));
    match row.kind {
        ReferenceKind::Type => Reference::Type(class),
        ReferenceKind::New => Reference::New(class),
        ReferenceKind::Literal => Reference::Literal(class),
        ReferenceKind::Check => Reference::Check(class),
        ReferenceKind::Text => Reference::Text(class),
        ReferenceKind::Handle => Reference::Handle { class, name },
        ReferenceKind::Field => Reference::Field {
            class,
            name,
            descriptor,
        },
        ReferenceKind::Lambda => {
            let (interface, method, body) = (class, name, descriptor);
            let (class, member) = body.split_once('.').unwrap_or_default();
            let (name, descriptor) = member.split_at(member.rfind('(').unwrap_or(0));
            Reference::Lambda {
                interface,
                method,
                class,
                name,
                descriptor,
            }
        }
        kind => Reference::Call {
            class,
            name,
            descriptor,
            invoke: match kind {
                ReferenceKind::StaticCall => Invoke::Static,
                ReferenceKind::SpecialCall => Invoke::Special,
                ReferenceKind::VirtualCall => Invoke::Virtual,
                _ => Invoke::Handle,
            },
        },
    }
}

fn references<'s>(
    tables: &'s Tables,
    numbers: &'s [u32],
) -> impl Iterator<Item = Reference<'s>> + use<'s> {
    let rows = numbers
        .iter()
        .filter_map(|number| tables.references.get(*number as usize));
    rows.map(move |row| reference(tables, row))
}

fn texts<'s>(tables: &'s Tables, numbers: &'s [u32]) -> impl Iterator<Item = &'s str> + use<'s> {
    numbers.iter().map(move |number| tables.text(*number))
}

fn members<'s>(
    tables: &'s Tables,
    rows: &'s [MemberRow],
) -> impl ExactSizeIterator<Item = Member<'s>> + use<'s> {
    rows.iter().map(move |row| Member { tables, row })
}
