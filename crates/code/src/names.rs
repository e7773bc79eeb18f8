//! Which names reflective code asks for.
//!
//! A [`Finder`] interprets the code of one method without running it: texts, classes and parameters are
//! followed through locals, branches, concatenations and arrays to the calls that find something by its
//! name ([`Lookup`]), and to the calls that hand them on ([`Passed`]). Who knows all methods can so follow
//! a parameter to its callers.
//!
//! What is not known is [`Values::Unknown`], and no look-up is left out that can run. Fields, results of
//! other methods and what the JVM computes are unknown. Exceptions: an object that code lost track of is not
//! followed, and methods with subroutines (`jsr`) or too much of anything have all their look-ups unknown.

mod apis;
mod calls;
mod finder;
mod flow;
mod frame;
mod machine;
mod strings;
#[cfg(test)]
mod tests;
mod types;
mod values;

pub use finder::Finder;
pub(crate) use types::{Type, words_of};
pub use values::{MAX_VALUES, Value, Values};

/// What a look-up finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A class.
    Class,
    /// A method of a class, or all of them.
    Method(Reach),
    /// A field of a class, or all of them.
    Field(Reach),
    /// A constructor of a class; its name is always `<init>`.
    Constructor(Reach),
    /// The providers of a service. The name is that of the service's class.
    Service,
    /// A resource bundle: a class or a resource. The name lacks the locale.
    Bundle,
    /// A resource. Relative to the package of a class if one is asked.
    Resource,
}

/// Which members of a class a look-up sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// The public ones, with those that are inherited.
    Public,
    /// Those that the class itself declares.
    Declared,
    /// Those that the code around may access, with those that are inherited: handles.
    Handle,
}

/// A call that finds something by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookup {
    /// What it finds.
    pub target: Target,
    /// The class that is asked; `None` if there is none.
    pub on: Option<Values>,
    /// The name that is asked for; unknown too where all are asked for.
    pub name: Values,
}

/// An argument that a method is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed<'a> {
    /// Internal name of the class that the call names; the method may be inherited.
    pub owner: &'a [u8],
    /// Name of the method.
    pub name: &'a [u8],
    /// Its descriptor.
    pub descriptor: &'a [u8],
    /// Which of its declared parameters.
    pub argument: u16,
    /// What it is given by all calls in this method together.
    pub values: Vec<Value>,
}

/// What one method does with names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names<'a> {
    /// Every look-up.
    pub lookups: Vec<Lookup>,
    /// Arguments of calls outside of the `java` packages, for parameters of the types `String`, `CharSequence`,
    /// `Class`, `Object` and arrays of these. One that is not here is unknown. What a lambda captures
    /// is among them, as the first arguments of its method.
    pub passed: Vec<Passed<'a>>,
    /// Texts that the method makes of others, in order; they need not stand in any constant.
    pub texts: Vec<Box<str>>,
}
