use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

/// What changed since a revision.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceChanges {
    /// The files that differ, by path.
    pub files: Vec<FileChange>,
    /// Names that may now mean something else in files that do not differ, or that stand for another constant:
    /// what [`mentions`](crate::mentions) finds is compiled differently.
    pub names: BTreeSet<String>,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// From the root of the project on; starts with `..` if the file is in the repository, but not in the
    /// project. A path that is not UTF-8 is kept as it is.
    pub path: PathBuf,
    /// Where it was before, if it was renamed.
    pub before: Option<PathBuf>,
    /// What is different.
    pub change: Change,
}

/// What is different in a file. Classes have internal names, such as `a/b/Outer$Inner`.
///
/// Whether the file is compiled at all is not known here: if none of its classes is on a class path, it is
/// a file like any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A Java file of which both sides were parsed.
    Members {
        /// The classes that it declares now, but for local and anonymous ones.
        classes: Vec<String>,
        /// What is different in them, by class and member; nothing if only comments, white space or imports
        /// that are not used changed.
        members: Vec<MemberChange>,
    },
    /// A Java file that is new, gone or renamed: all its classes as a whole.
    Classes {
        /// Those that it declared.
        before: Vec<String>,
        /// Those that it declares now.
        now: Vec<String>,
    },
    /// A source of classes that cannot be told apart here: Kotlin, Groovy, Scala, or Java that was not
    /// understood. It stands for all classes whose attribute `SourceFile` has its name.
    Unparsed {
        /// Whether what is compiled from other files may be different now, nobody knows where: it may hold copies of
        /// inline functions and constants, or names may mean something else.
        copied: bool,
        /// Names that its classes may have, on either side, among others that are none.
        classes: BTreeSet<String>,
    },
    /// Any other file: a resource, a file of the build, what describes a package or a module, a submodule.
    Other,
}

/// A member that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberChange {
    /// The internal name of its class.
    pub class: String,
    /// Which member.
    pub member: Member,
    /// How it differs.
    pub kind: Kind,
    /// Whether class files without a name in the source belong to it: those of anonymous and local classes
    /// (their numbers may have moved), and of what Lombok makes. Lambdas count too.
    pub inside: bool,
    /// Whether more than its body or value differs: modifiers, types, or what names in these mean.
    pub head: bool,
}

/// How a member differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is new.
    Added,
    /// It is gone. Who used it changed too, or now uses another one of its name: those in the same file are
    /// reported, and [`mentions`](crate::mentions) finds the others. It may have overridden an inherited one.
    Deleted,
    /// It has other tokens, or is compiled together with what has.
    Changed,
}

/// A member of a class, as its source names it.
///
/// Parameters are the simple names of erased types, as written: `int`, `String`, `List`, `Entry`. Arrays
/// and variable arguments end with `[]`, and a type variable is its bound. `MemberChange::may_be` compares
/// them with a descriptor.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    /// The class as a whole: it is new or gone, or its head differs (modifiers, annotations, type parameters,
    /// supertypes, the header of a record, the constants of an enum and their order), or any name in it may
    /// mean something else. Everything in it counts as different.
    Class,
    /// The code that fields and initializer blocks are compiled to, in their order. The one that is not
    /// static is a part of each constructor, and these are reported too.
    Initializer {
        /// Whether it runs when the class is initialized.
        is_static: bool,
    },
    /// A constant of an enum. The static initializer is reported too.
    EnumConstant {
        /// Its name.
        name: String,
    },
    /// A field.
    Field {
        /// Its name.
        name: String,
        /// Whether javac may have copied its value into other classes: it is or was final, of a primitive
        /// type or `String`, with an initializer that may be a constant expression. What it is copied to does
        /// not refer to it: see [`mentions`](crate::mentions), also if it is new and hides another one.
        constant: bool,
    },
    /// A constructor, also one that javac writes. In a class file, those of inner classes and enums have
    /// parameters before these, and those of local classes behind.
    Constructor {
        /// The types of its parameters.
        parameters: Vec<String>,
    },
    /// A method, or an element of an annotation.
    Method {
        /// Its name.
        name: String,
        /// The types of its parameters.
        parameters: Vec<String>,
    },
}

impl Display for FileChange {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.path.display())?;
        if let Some(before) = &self.before {
            write!(out, " (was {})", before.display())?;
        }
        match &self.change {
            Change::Members { members, .. } if members.is_empty() => write!(out, ": nothing"),
            Change::Members { members, .. } => {
                let mut lines = members.iter();
                lines.try_for_each(|member| write!(out, "\n  {member}"))
            }
            Change::Classes { before, now } => {
                write!(out, ": [{}] -> [{}]", before.join(" "), now.join(" "))
            }
            Change::Unparsed { copied: true, .. } => write!(out, ": unparsed, copied"),
            Change::Unparsed { .. } => write!(out, ": unparsed"),
            Change::Other => write!(out, ": other"),
        }
    }
}

impl Display for MemberChange {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Added => '+',
            Kind::Deleted => '-',
            Kind::Changed => '~',
        };
        let inside = if self.inside { " {}" } else { "" };
        write!(out, "{kind} {} {}{inside}", self.class, self.member)
    }
}

impl Display for Member {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Member::Class => write!(out, "class"),
            Member::Method { name, parameters } => write!(out, "{name}({})", parameters.join(", ")),
            Member::Constructor { parameters } => write!(out, "<init>({})", parameters.join(", ")),
            Member::Field { name, constant } => {
                let constant = if *constant { " constant" } else { "" };
                write!(out, "{name}{constant}")
            }
            Member::EnumConstant { name } => write!(out, "{name} of enum"),
            Member::Initializer { is_static: true } => write!(out, "<clinit>"),
            Member::Initializer { is_static: false } => write!(out, "{{}}"),
        }
    }
}
