//! What is looked at beside code: each module watches one way to look, and tells the unit that is running.

pub(crate) mod arguments;
pub(crate) mod callers;
pub(crate) mod class_readers;
pub(crate) mod environment;
pub(crate) mod file_natives;
pub(crate) mod files;
pub(crate) mod kept;
pub(crate) mod lookups;
pub(crate) mod outside;
pub(crate) mod processes;
pub(crate) mod reflection;
pub(crate) mod resources;
pub(crate) mod test_files;
