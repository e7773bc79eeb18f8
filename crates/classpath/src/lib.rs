//! Locations of classes: class path entries, jars and places that survive a move.
//!
//! [`Entries`] opens directories and jars, [`ClassPath`] looks classes up in them in the order of
//! a JVM, and a [`Place`] names a file in a way that survives a move of the project. A lookup has
//! three answers, and "unknown" is one of them: an unreadable file, a broken jar and
//! everything behind it never equal anything.
//!
//! Lookups always read class files in directories. Jars are read once and indexed in a cache, see
//! `index.rs`. [`Entry::class_sources`] lists what classes an entry has, by stamps that change with a file.
//! [`Jdk`] reads the classes of an installed JDK, which are on no class path.
//! Nothing here writes anywhere else, and nothing panics on what it reads.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod class_path;
mod directory;
mod entry;
mod index;
mod jar;
mod jdk;
mod manifest;
mod maven;
pub mod parallel;
mod place;
mod sources;
mod stamp;

pub use class_path::{ClassPath, Entries, Found, Lookup};
pub use entry::Entry;
pub use jdk::Jdk;
pub use place::{Base, NotAPlace, Place, Roots};
pub use sources::{ClassFiles, ClassSource};
pub use stamp::changed_since;
