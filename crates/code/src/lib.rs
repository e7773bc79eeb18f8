//! Tells what code refers to and how it flows. Pure: it reads class files, and nothing else.
//!
//! [`references`] says what a class and its methods refer to, known from their bytes alone;
//! [`nesting`] where it is declared, [`blocks`] what the control flow of a method is, and which parts of it a change touches,
//! [`names`] which names its reflective calls ask for, [`statements`] what the statements of a test are, and [`slices`] which of
//! them an assertion needs.
//! Nothing here panics or does I/O.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

#[cfg(test)]
#[allow(dead_code)] // the tests use a part
#[path = "../../instrument/src/assemble.rs"]
mod assemble;
pub mod blocks;
pub mod names;
mod nesting;
pub mod references;
pub mod slices;
pub mod statements;
mod words;

pub use nesting::{Nesting, nesting};
