//! Techniques against the history of a project, and against mutants of it.

mod area;
mod contest;
mod error;
mod history;
mod repository;
mod rows;
mod surefire;
mod technique;

pub use error::Error;
pub use history::{Plan, Played, history};
pub use repository::Range;
pub use rows::{
    Changes, Mutation, Outcome, Replay, Retest, Seconds, Setting, Skip, Step, Survey, Tried, Why,
};
pub use technique::Technique;
