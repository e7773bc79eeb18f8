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

mod record;
mod spool;
mod wire;

pub use record::{ANY, Looks, Outcome, Record};
pub use spool::{Damage, MAGIC, Spool, frame, read};

/// The version of the format; readers refuse every other.
pub const VERSION: u32 = 5;

/// Names of files in a run directory, shared by the agent and the command.
pub mod run_dir {
    /// What the agent needs to know of the run; `key=value` lines.
    pub const CONFIG: &str = "run.conf";
    /// Extension of spool files, one per JVM.
    pub const SPOOL_EXTENSION: &str = "spool";
    /// Extension of verdict files, one per module and class path.
    pub const VERDICT_EXTENSION: &str = "verdict";
}
