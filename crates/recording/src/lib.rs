//! The versioned format between the agent and the rest of tamis.
//!
//! A *spool* is a file that one JVM appends to: a magic line, then frames. Each frame carries its
//! length and a checksum, so a spool that was cut off anywhere is still good up to its last whole
//! frame. Everything a unit used and how it ended stands in **one** frame
//! ([`Record::UnitFinished`]): dependencies are never there without their outcome.
//!
//! This crate does no I/O; it turns records into bytes and bytes into records.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod ended;
mod record;
mod spool;

pub use ended::Ended;
pub use record::{ANY, Inherited, Record, ReflectionUse, UnitOutcome};
pub use spool::{Damage, MAGIC, Spool, frame, read};

/// The version of the format; readers refuse every other.
pub const VERSION: u32 = 11;

/// Names of files in a run directory, shared by the agent and the command.
pub mod run_dir {
    /// The configuration of the agent; `key=value` lines.
    pub const CONFIG: &str = "run.conf";
    /// Extension of spool files, one per JVM.
    pub const SPOOL_EXTENSION: &str = "spool";
    /// Extension of verdict files, one per module and class path.
    pub const VERDICT_EXTENSION: &str = "verdict";
    /// Extension of files that say why a JVM got no verdict, one per module and class path.
    pub const PROBLEM_EXTENSION: &str = "problem";
    /// Extension of files that hold an [`Ended`](crate::Ended), one per JVM that the agent ended.
    pub const ENDED_EXTENSION: &str = "ended";
    /// Exit code of JVMs that the agent ends.
    pub const ENDED_CODE: i32 = 75;

    /// A system property in one line: name and value with a space between them, both with bytes that
    /// are neither letters nor digits as `%` and two digits.
    pub fn property(name: &str, value: &[u8]) -> String {
        format!("{} {}", escaped(name.as_bytes()), escaped(value))
    }

    fn escaped(bytes: &[u8]) -> String {
        let mut text = String::new();
        for byte in bytes {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' => text.push(char::from(*byte)),
                _ => text.push_str(&format!("%{byte:02x}")),
            }
        }
        text
    }

    /// Reads what [`property`] wrote.
    pub fn read_property(text: &str) -> Option<(String, Vec<u8>)> {
        let (name, value) = text.split_once(' ')?;
        let name = String::from_utf8(unescaped(name)?).ok()?;
        Some((name, unescaped(value)?))
    }

    fn unescaped(text: &str) -> Option<Vec<u8>> {
        let mut parts = text.split('%');
        let mut bytes = parts.next()?.as_bytes().to_vec();
        for part in parts {
            let (byte, rest) = part.split_at_checked(2)?;
            bytes.push(u8::from_str_radix(byte, 16).ok()?);
            bytes.extend_from_slice(rest.as_bytes());
        }
        Some(bytes)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_property_survives_a_line() {
            for (name, value) in [("a.b", "c"), ("", "\n="), ("é %", "%41 \u{1F600}")] {
                let line = property(name, value.as_bytes());
                assert!(!line.contains('\n'), "{line}");
                let read = read_property(&line);
                assert_eq!(read, Some((name.to_owned(), value.as_bytes().to_vec())));
            }
            assert_eq!(read_property("a"), None);
            assert_eq!(read_property("a %4"), None);
        }
    }
}
