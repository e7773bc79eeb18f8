//! Compares what tests used and how they ended: together in one JVM, again, in another order, alone.
//!
//! A [`Step`] is one observation; [`Findings`] are what all observations of an audit say. This crate does
//! no I/O: footprints and steps in, findings out.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod difference;
mod findings;
mod narrow;
mod plan;
mod step;

pub use difference::Difference;
pub use findings::{Dependent, Findings, Hidden, Source, Unstable};
pub use narrow::{Narrowed, narrow};
pub use plan::{batch, sample};
pub use step::{Cause, Circumstance, Ended, Order, Step, TestDifference};
