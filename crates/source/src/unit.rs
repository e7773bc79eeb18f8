//! What a Java file declares, as tokens. Values only: the parser is known to `java` alone.

use crate::change::Member;
use std::collections::BTreeMap;

/// A Java file.
#[derive(Debug, Default)]
pub(crate) struct Unit<'s> {
    pub(crate) imports: Vec<Import<'s>>,
    /// Its classes by internal names, but for local and anonymous ones.
    pub(crate) types: BTreeMap<String, Type<'s>>,
    /// Whether it mentions Lombok, which makes members of fields and annotations.
    pub(crate) has_lombok: bool,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import<'s> {
    pub(crate) tokens: Vec<&'s str>,
    /// The simple name that it gives a meaning; `None` if it does so for any name.
    pub(crate) name: Option<&'s str>,
}

/// A class, interface, enum, record or annotation.
#[derive(Debug, Default)]
pub(crate) struct Type<'s> {
    /// The declaration up to its body, without its name.
    pub(crate) head: Vec<&'s str>,
    /// The constants of an enum, in order.
    pub(crate) constants: Vec<&'s str>,
    /// What it declares, and what javac adds, which has no tokens. No field is said to be a constant here:
    /// see [`Code::is_constant`].
    pub(crate) members: BTreeMap<Member, Code<'s>>,
    /// What constructors start with: fields with initializers and blocks, in order.
    pub(crate) instance: Code<'s>,
    /// What the static initializer consists of, in order.
    pub(crate) statics: Code<'s>,
}

/// Modifiers that only say how the body runs, and what repeats what is known.
const OF_BODY: [&str; 5] = ["Override", "native", "strictfp", "synchronized", "@"];

/// A piece of code.
#[derive(Debug, Default)]
pub(crate) struct Code<'s> {
    pub(crate) tokens: Vec<&'s str>,
    /// How many of them come before the body or the value.
    pub(crate) head: usize,
    /// Whether it declares anonymous or local classes, or lambdas.
    pub(crate) has_classes: bool,
    /// Of a field: whether javac may copy its value.
    pub(crate) is_constant: bool,
}

impl<'s> Code<'s> {
    /// What others compile against: all but the body, and what nobody compiles against.
    pub(crate) fn head(&self) -> impl Iterator<Item = &'s str> {
        let head = self.tokens.get(..self.head).unwrap_or_default();
        head.iter()
            .copied()
            .filter(|token| !OF_BODY.contains(token))
    }

    pub(crate) fn append(&mut self, other: Code<'s>) {
        if self.tokens.is_empty() {
            self.head = other.head;
        }
        self.tokens.extend(other.tokens);
        self.has_classes |= other.has_classes;
        self.is_constant |= other.is_constant;
    }
}
