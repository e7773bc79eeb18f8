//! Techniques against the history of a project, and against mutants of it.
//!
//! What is computed and shown from [`Replay`] does no I/O and reads no clock: rows in, text out. Text carries ANSI
//! styles; whoever prints it decides whether they stay.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod figures;
mod rows;
#[cfg(test)]
mod samples;
mod statistics;

pub use figures::{
    Comparison, Figures, Missed, MutantChoice, MutantFigures, MutantGroup, MutantMiss, Paired,
    Problem, Sapient, Share, Technique, Tested,
};
pub use rows::{
    Changes, Mutation, Outcome, Replay, Retest, Seconds, Setting, Skip, Step, Survey, Tried, Why,
};
pub use statistics::{FEWEST_PAIRS, Spread, Wilcoxon, holm, mean, median, wilcoxon};
