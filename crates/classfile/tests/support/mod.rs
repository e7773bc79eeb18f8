#![allow(dead_code)] // each test program uses a part
//! What the slow tests share: JDKs, jars, class archives and the edit that they apply.

pub(crate) mod archive;
pub(crate) mod dump;
pub(crate) mod jars;
pub(crate) mod javac;
pub(crate) mod jdk;
pub(crate) mod patch;
pub(crate) mod process;
pub(crate) mod walk;

pub(crate) use process::{run, scratch};
