//! The classes of a project as they are now, whatever was recorded of it: what they declare, what their
//! code refers to, and which of them are tests.
//!
//! A [`Snapshot`] lists all classes of a class path, each where a JVM finds it first. What is read of them
//! stands in a [`Cache`], a file per entry of the class path: a jar or class file that did not change since
//! costs a look at its times, and one with the same bytes is not analysed again. A cache that is damaged
//! is not believed. [`find_tests`] finds the tests without running anything.
//!
//! Three answers as in `tamis_classpath`: a class is present, absent or unknown. Nothing here
//! panics on what it reads.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod analysis;
mod archive;
mod cache;
mod class;
mod finder;
mod merge;
mod snapshot;
mod tables;
mod wire;

pub use archive::{ArchiveNames, hash_of_name};
pub use cache::Cache;
pub use class::{Class, Declared, Facts, Member, Passed, Reference, Version};
pub use finder::{
    FoundTests, Framework, TestClass, TestMethod, Unknown, find_tests, is_surefire_default,
};
pub use snapshot::Snapshot;
pub use tables::Asked;
pub use tamis_code::references::Invoke;
