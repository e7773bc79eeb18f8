//! Keeps what tests used and how they ended.
//!
//! A [`Store`] is one file, `.tamis/store`: read in one go, replaced as a whole, and believed only
//! if its checksum matches. [`Store::absorb`] takes in what the JVMs of a run recorded (see
//! `absorb.rs` and `locate.rs` for the rules), [`Store::select`] compares it with the class files
//! on disk.
//!
//! Nothing absolute of the project is in the store, so that it survives a move. Whatever is not
//! known, not readable or not consistent selects a test and never leaves one out.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod absorb;
mod compact;
mod decide;
mod dependencies;
mod error;
mod file;
mod footprint;
mod format;
mod inputs;
mod jvm;
mod locate;
mod model;
mod project;
#[cfg(test)]
mod properties;
mod query;
mod settings;
mod shapes;
mod statics;

pub use absorb::{Absorbed, Ran};
pub use decide::Scope;
pub use error::{StoreError, StoreWarning};
pub use file::Loaded;
pub use model::Store;
pub use project::{Lock, Project};
pub use query::{ModuleInfo, Share};
pub use settings::Settings;
pub use statics::{Ended, History, Reaching};
