//! Types that are not the project's: those of libraries and of the JDK.

use std::collections::HashSet;

/// What a type declares that others can override.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// The internal names of its direct supertypes.
    pub supertypes: Vec<String>,
    /// Names and descriptors of its methods that are neither private nor static.
    pub methods: HashSet<(String, String)>,
}

/// Where to ask for types that are not the project's.
pub trait Outside {
    /// What the type with this internal name declares; `None` if nobody can say, and then it may call any method of
    /// those that inherit from it.
    fn declared(&self, name: &str) -> Option<Declared>;

    /// Whether code of this type, or what it refers to, may see the members of the objects and classes that it is
    /// given. Types of the JDK are known.
    fn reflects(&self, name: &str) -> bool {
        let _ = name;
        false
    }
}

/// Nothing is known of any type but `java.lang.Object`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl Outside for Nothing {
    fn declared(&self, name: &str) -> Option<Declared> {
        (name == OBJECT).then(object)
    }
}

pub(crate) const OBJECT: &str = "java/lang/Object";

/// What `java.lang.Object` declares that can be overridden.
pub(crate) fn object() -> Declared {
    let methods = [
        ("equals", "(Ljava/lang/Object;)Z"),
        ("hashCode", "()I"),
        ("toString", "()Ljava/lang/String;"),
        ("clone", "()Ljava/lang/Object;"),
        ("finalize", "()V"),
    ];
    let methods = methods.map(|(name, descriptor)| (name.to_owned(), descriptor.to_owned()));
    Declared {
        supertypes: Vec::new(),
        methods: methods.into(),
    }
}
