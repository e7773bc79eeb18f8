//! Techniques against the history of a project, and against mutants of it.
//!
//! `history` works on a clone and starts builds; what is computed and shown from [`Replay`] does no I/O and reads no clock: rows in, text out. Text carries ANSI
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

mod area;
mod conclusion;
mod contest;
mod csv;
mod error;
mod figures;
mod history;
mod mutation;
mod outcomes;
mod page;
mod phrases;
mod repository;
mod rows;
#[cfg(test)]
mod samples;
mod statistics;
mod tables;
mod text;
mod variant;

pub use conclusion::{
    CLEARLY_BELOW, Conclusion, FEWEST_STEPS, Judgement, MOST_PROBLEMS, SHORT_SUITE, conclusion,
};
pub use csv::{json, mutants_csv, steps_csv};
pub use error::Error;
pub use figures::{
    Comparison, Endings, Figures, Missed, MutantChoice, MutantFailure, MutantFigures, MutantGroup,
    MutantMiss, Paired, Problem, Sapient, Share, Technique, Tested, fault_coverage, new_faults,
    reduced_test_size, test_scale_benefits,
};
pub use history::{Plan, Played, history};
pub use mutation::{Faults, mutation};
pub use page::page;
pub use repository::Range;
pub use rows::{
    Alone, Changes, ClassOutcome, Mutation, Replay, Retest, Seconds, Setting, Skip, Step, Survey,
    Tried, Unmutated, Why,
};
pub use statistics::{FEWEST_PAIRS, Spread, Wilcoxon, holm, mean, median, wilcoxon};
pub use text::{markdown, text};
pub use variant::TechniqueVariant;
