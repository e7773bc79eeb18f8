use std::fmt;

/// A text that is no name of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownName;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown name")
    }
}

impl std::error::Error for UnknownName {}

/// An enumeration whose values have names.
macro_rules! named {
    (
        $(#[$outer:meta])*
        pub enum $type:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)* }
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $type { $($(#[$doc])* $value,)* }

        impl $type {
            /// Every value.
            pub const ALL: &[$type] = &[$($type::$value,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $($type::$value => $name,)* }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::UnknownName;

            fn from_str(name: &str) -> std::result::Result<$type, $crate::UnknownName> {
                let mut all = $type::ALL.iter().copied();
                all.find(|value| value.name() == name)
                    .ok_or($crate::UnknownName)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use named;
