use std::fmt;

/// Why a class file cannot be read or edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The input ends before the structure that starts at this offset is complete.
    Truncated {
        /// Offset of the read that went past the end.
        at: usize,
    },
    /// The first four bytes are not `CAFEBABE`.
    NotAClass,
    /// A constant-pool index is out of range or names an entry of another kind.
    BadConstant {
        /// The index.
        index: u16,
    },
    /// The structure at this offset breaks a rule of the specification.
    Malformed {
        /// Where it starts.
        at: usize,
        /// What is wrong, as a lower-case fragment.
        what: &'static str,
    },
    /// An edit would exceed a limit of the format (65,535 constants, 65,535 bytes of code).
    TooLarge {
        /// Which limit, as a lower-case fragment.
        what: &'static str,
    },
}

/// The result of reading or editing.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Truncated { at } => write!(f, "truncated at byte {at}"),
            Error::NotAClass => write!(f, "not a class file"),
            Error::BadConstant { index } => write!(f, "bad constant-pool index {index}"),
            Error::Malformed { at, what } => write!(f, "{what} at byte {at}"),
            Error::TooLarge { what } => write!(f, "too large: {what}"),
        }
    }
}

impl std::error::Error for Error {}
