//! The nodes of a member graph: five for each class, one for each member, text and resource.

use crate::program::{Member, Program};
use std::fmt;

/// The number of a node.
pub(crate) type Node = u32;

/// In which way a class matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Of {
    /// What it is declared as: its supertypes, flags and annotations.
    Head,
    /// Code uses it, so that it is initialized.
    Use,
    /// Objects of it are made.
    Object,
    /// Code has its name or its literal.
    Name,
    /// Which members it has.
    Members,
}

const WAYS: u32 = 5;

/// Which number means what.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Numbers {
    types: u32,
    members: u32,
    texts: u32,
    resources: u32,
}

/// What a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Type(u32, Of),
    Member(u32),
    Text(u32),
    Resource(u32),
    Flag(Flag),
}

/// What reached code does that concerns a test as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flag {
    /// It looks for members by names that are known.
    LooksForNames,
    /// It uses members that reflection found, wherever it got them from.
    UsesMembers,
    /// It may see all members of the classes that it has.
    SeesMembers,
    /// It may make objects of the classes that it has.
    MakesObjects,
    /// It initializes classes that it has, and so makes the constants of enums.
    Initializes,
    /// It asks packages for their annotations.
    SeesPackages,
    /// It looks for resources by names that nobody knows.
    ReadsAnyResource,
    /// It looks for classes by names that nobody knows.
    LooksForAnyClass,
}

const FLAGS: [Flag; 8] = [
    Flag::LooksForNames,
    Flag::UsesMembers,
    Flag::SeesMembers,
    Flag::MakesObjects,
    Flag::Initializes,
    Flag::SeesPackages,
    Flag::ReadsAnyResource,
    Flag::LooksForAnyClass,
];

const OF: [Of; WAYS as usize] = [Of::Head, Of::Use, Of::Object, Of::Name, Of::Members];

impl Numbers {
    pub(crate) fn new(types: usize, members: usize, texts: usize, resources: usize) -> Self {
        Numbers {
            types: types as u32,
            members: members as u32,
            texts: texts as u32,
            resources: resources as u32,
        }
    }

    pub(crate) fn of_type(self, id: u32, of: Of) -> Node {
        id * WAYS + of as u32
    }

    pub(crate) fn member(self, id: u32) -> Node {
        self.types * WAYS + id
    }

    pub(crate) fn text(self, id: u32) -> Node {
        self.types * WAYS + self.members + id
    }

    pub(crate) fn resource(self, id: u32) -> Node {
        self.types * WAYS + self.members + self.texts + id
    }

    pub(crate) fn flag(self, flag: Flag) -> Node {
        self.types * WAYS + self.members + self.texts + self.resources + flag as u32
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        self.flag(Flag::LooksForNames) as usize + FLAGS.len()
    }

    pub(crate) fn meaning(self, node: Node) -> Meaning {
        let types = self.types * WAYS;
        if node < types {
            let of = OF.get((node % WAYS) as usize).copied();
            return Meaning::Type(node / WAYS, of.unwrap_or(Of::Head));
        }
        let mut rest = node - types;
        if rest < self.members {
            return Meaning::Member(rest);
        }
        rest -= self.members;
        if rest < self.texts {
            return Meaning::Text(rest);
        }
        rest -= self.texts;
        if rest < self.resources {
            return Meaning::Resource(rest);
        }
        let flag = FLAGS.get((rest - self.resources) as usize).copied();
        Meaning::Flag(flag.unwrap_or(Flag::LooksForAnyClass))
    }
}

/// A node as people know it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeName {
    /// A class, by its internal name.
    Class(String),
    /// A member of a class.
    Member {
        /// The internal name of the class.
        class: String,
        /// Its name.
        name: String,
        /// Its descriptor.
        descriptor: String,
    },
    /// A file of the class path.
    Resource(String),
    /// A text that code has.
    Text(String),
    /// Reflection that may find more than is known.
    Reflection,
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeName::Class(name) => f.write_str(name),
            NodeName::Member { class, name, .. } => write!(f, "{class}.{name}"),
            NodeName::Resource(path) => f.write_str(path),
            NodeName::Text(text) => write!(f, "{text:?}"),
            NodeName::Reflection => f.write_str("reflection"),
        }
    }
}

impl Program<'_> {
    pub(crate) fn member_name(&self, member: &Member<'_>) -> NodeName {
        NodeName::Member {
            class: self.name(member.class).to_owned(),
            name: member.name.to_owned(),
            descriptor: member.descriptor.to_owned(),
        }
    }
}
