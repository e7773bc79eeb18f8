//! Hooks: where tamis enters a class.

/// A static native method of ours that entered code calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entrance {
    /// Java name.
    pub name: &'static str,
    /// Java descriptor.
    pub descriptor: &'static str,
}

/// The action of a hook in its method. Local variables are given by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Calls the entrance at the start, with these local variables, and goes on.
    Notify {
        /// The local variables.
        locals: &'static [u8],
    },
    /// Calls the entrance at the start, with `this` and the first argument, and returns if it answers yes.
    Around,
    /// The same for a method that returns an object.
    AroundResult {
        /// The class of the object.
        class: &'static str,
        /// The entrance that hands it out.
        result: Entrance,
    },
    /// Calls the entrance at the end, with the object that the method returns and its first argument.
    Result,
}

/// The local variable with the object of a method; in a static one, its first argument.
pub const THIS: u8 = 0;
/// The local variable with the first argument.
pub const FIRST: u8 = 1;
/// The local variable with the second argument.
pub const SECOND: u8 = 2;

/// A method that tamis enters.
#[derive(Debug, Clone, Copy)]
pub struct Hook {
    /// The class that declares it; any class if absent.
    pub class: Option<&'static str>,
    /// Its name.
    pub method: &'static str,
    /// Its descriptor; one that ends within the parameters stands for all that go on from there and, where the
    /// hook may end the method, return nothing.
    pub descriptor: &'static str,
    /// The entrance that it calls.
    pub entrance: Entrance,
    /// How.
    pub shape: Shape,
    /// Whether nothing is lost if the class does not have it.
    pub may_be_missing: bool,
}

impl Hook {
    /// A hook at the start of a method of one class.
    pub const fn new(
        class: &'static str,
        method: &'static str,
        descriptor: &'static str,
        entrance: Entrance,
        shape: Shape,
    ) -> Hook {
        let of_any = Hook::of_any_class(method, descriptor, entrance, shape);
        Hook {
            class: Some(class),
            ..of_any
        }
    }

    /// The same for a method of any class.
    pub const fn of_any_class(
        method: &'static str,
        descriptor: &'static str,
        entrance: Entrance,
        shape: Shape,
    ) -> Hook {
        Hook {
            class: None,
            method,
            descriptor,
            entrance,
            shape,
            may_be_missing: false,
        }
    }

    /// The same, for a method without which nothing is lost.
    pub const fn that_may_be_missing(self) -> Hook {
        Hook {
            may_be_missing: true,
            ..self
        }
    }
}

/// Declares entrances, and the list of them.
#[macro_export]
macro_rules! declare_entrances {
    ($($(#[$doc:meta])* $constant:ident = $name:literal $descriptor:literal;)*) => {
        $($(#[$doc])* pub const $constant: $crate::Entrance =
            $crate::Entrance { name: $name, descriptor: $descriptor };)*
        /// All values.
        pub const ENTRANCES: &[$crate::Entrance] = &[$($constant),*];
    };
}
