//! Where classes are: class path entries, jars and places that survive a move.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod maven;
mod place;

pub use place::{Base, Place, Roots};
