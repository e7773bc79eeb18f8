//! Tables of the classes of one entry: each name and reference once, classes refer to them by number.

use tamis_fingerprint::Digest;

/// The classes of one entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    pub(crate) texts: Vec<Box<str>>,
    pub(crate) references: Vec<ReferenceRow>,
    /// By name, then by release.
    pub(crate) classes: Vec<ClassRow>,
}

/// A class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClassRow {
    /// Its internal name.
    pub(crate) name: u32,
    /// The Java version that it is for; 0 for all.
    pub(crate) release: u32,
    /// The digest of its bytes; `None` if it cannot be read.
    pub(crate) raw: Option<Digest>,
    /// What it says; `None` if that makes no sense.
    pub(crate) facts: Option<Box<FactsRow>>,
}

/// What a class file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FactsRow {
    pub(crate) digest: Digest,
    /// Its fingerprint, encoded.
    pub(crate) print: Box<[u8]>,
    pub(crate) access: u16,
    pub(crate) declared: DeclaredRow,
    pub(crate) super_class: Option<u32>,
    pub(crate) interfaces: Vec<u32>,
    pub(crate) annotations: Vec<u32>,
    /// Whatever it names.
    pub(crate) classes: Vec<u32>,
    /// The source file it was compiled from, without its directory.
    pub(crate) source: Option<u32>,
    /// What annotations of it and of its members name, as references.
    pub(crate) annotation_values: Vec<u32>,
    pub(crate) fields: Vec<MemberRow>,
    pub(crate) methods: Vec<MemberRow>,
}

/// Where a class is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeclaredRow {
    TopLevel,
    Member { outer: u32, access: u16 },
    Local,
}

/// A field or a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemberRow {
    pub(crate) name: u32,
    pub(crate) descriptor: u32,
    pub(crate) access: u16,
    pub(crate) annotations: Vec<u32>,
    /// What its code refers to.
    pub(crate) references: Vec<u32>,
    /// What its code looks for by names that do not stand in it.
    pub(crate) asks: Vec<AskRow>,
    /// The arguments that it gives others, as far as it is known what they are.
    pub(crate) passed: Vec<PassedRow>,
}

/// A look-up by a name that does not stand in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct AskRow {
    pub(crate) target: Asked,
    /// The parameter that has the name; `None` if nobody knows it.
    pub(crate) parameter: Option<u16>,
}

/// An argument whose values are texts and classes in the code, and these parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PassedRow {
    /// The name and the descriptor of the method that gets it.
    pub(crate) name: u32,
    pub(crate) descriptor: u32,
    pub(crate) argument: u16,
    pub(crate) parameters: Vec<u16>,
}

/// What is looked for by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asked {
    /// A class, or the providers of a service.
    Class,
    /// A method or a field of a class.
    Member,
    /// A class of which an object is made.
    Constructor,
    /// A resource.
    Resource,
}

impl Asked {
    pub(crate) const ALL: [Asked; 4] = [
        Asked::Class,
        Asked::Member,
        Asked::Constructor,
        Asked::Resource,
    ];
}

/// A reference of code: a kind, and as many texts as that has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ReferenceRow {
    pub(crate) kind: ReferenceKind,
    /// Class, name and descriptor; those that there are not are 0.
    pub(crate) texts: [u32; 3],
}

/// The kinds of [`crate::Reference`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ReferenceKind {
    Type,
    New,
    Literal,
    Check,
    Text,
    Handle,
    Field,
    StaticCall,
    SpecialCall,
    VirtualCall,
    HandleCall,
    /// Its texts are the interface, the method and the body: `a/b/C.name(I)V`.
    Lambda,
}

impl ReferenceKind {
    pub(crate) const ALL: [ReferenceKind; 12] = [
        ReferenceKind::Type,
        ReferenceKind::New,
        ReferenceKind::Literal,
        ReferenceKind::Check,
        ReferenceKind::Text,
        ReferenceKind::Handle,
        ReferenceKind::Field,
        ReferenceKind::StaticCall,
        ReferenceKind::SpecialCall,
        ReferenceKind::VirtualCall,
        ReferenceKind::HandleCall,
        ReferenceKind::Lambda,
    ];

    /// How many texts a reference of this kind has.
    pub(crate) fn texts(self) -> usize {
        match self {
            ReferenceKind::Type
            | ReferenceKind::New
            | ReferenceKind::Literal
            | ReferenceKind::Check
            | ReferenceKind::Text => 1,
            ReferenceKind::Handle => 2,
            ReferenceKind::Field
            | ReferenceKind::StaticCall
            | ReferenceKind::SpecialCall
            | ReferenceKind::VirtualCall
            | ReferenceKind::HandleCall
            | ReferenceKind::Lambda => 3,
        }
    }
}

impl Tables {
    /// The class files of a name.
    pub(crate) fn named(&self, name: &str) -> &[ClassRow] {
        let start = self
            .classes
            .partition_point(|class| self.text(class.name) < name);
        let rest = self.classes.get(start..).unwrap_or_default();
        let end = rest.partition_point(|class| self.text(class.name) == name);
        rest.get(..end).unwrap_or_default()
    }

    /// Whether the classes are in their order.
    pub(crate) fn is_in_order(&self) -> bool {
        let key = |class: &ClassRow| (self.text(class.name), class.release);
        self.classes.is_sorted_by(|a, b| key(a) <= key(b))
    }

    /// The text with this number; all numbers here have one.
    pub(crate) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", |text| text)
    }
}
