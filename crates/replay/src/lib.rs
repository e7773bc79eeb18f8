//! Techniques against the history of a project, and against mutants of it.

mod rows;

pub use rows::{
    Changes, Mutation, Outcome, Replay, Retest, Seconds, Setting, Skip, Step, Survey, Tried, Why,
};
