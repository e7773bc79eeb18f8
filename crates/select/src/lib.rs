//! What a change selects: tests, their dependencies, and reasons as values.
//!
//! This crate does no I/O and reads no clock. [`Facts`] says what is known of each test and what
//! became of every class it used; a [`Technique`] turns facts into a [`Selection`] in which every
//! selected test has at least one [`Reason`], and a test without a reason is not selected.
//!
//! Tests that are not in a selection are unknown and therefore run: a selection only ever names
//! what may be left out.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod all;
mod ekstazi;
mod facts;
mod ids;
mod reason;
mod selection;

pub use all::All;
pub use ekstazi::Ekstazi;
pub use facts::{ClassPathState, Facts, TestFacts};
pub use ids::{Ids, IdsBuf, Malformed};
pub use reason::{Change, Reason};
pub use selection::{Known, Outcome, Selection, TestId, Verdict};

/// One way to select.
pub trait Technique: Sync {
    /// How users call it.
    fn name(&self) -> &'static str;

    /// Decides for every test of `facts`.
    fn select(&self, facts: &Facts<'_>) -> Selection;
}

/// All techniques, the default one first.
pub const TECHNIQUES: [&dyn Technique; 2] = [&Ekstazi, &All];

/// The technique that users call `name`.
pub fn technique(name: &str) -> Option<&'static dyn Technique> {
    TECHNIQUES
        .into_iter()
        .find(|technique| technique.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_technique_is_found_by_its_name() {
        for expected in TECHNIQUES {
            assert_eq!(
                technique(expected.name()).map(Technique::name),
                Some(expected.name())
            );
        }
        assert!(technique("none").is_none());
    }

    #[test]
    fn all_selects_what_no_change_affects() {
        let known = Known {
            outcome: Outcome::Passed,
            last_run_ms: 0,
            duration_us: 0,
            classes: 0,
        };
        let facts = Facts {
            tests: vec![TestFacts {
                test: TestId {
                    module: String::new(),
                    class: "a.T".into(),
                },
                known,
                distrust: None,
                runtime: "",
                classes: Ids::default(),
                class_path: ClassPathState::Known(0),
            }],
            changes: vec![vec![]],
            ..Facts::default()
        };
        assert_eq!(Ekstazi.select(&facts).selected().count(), 0);
        assert_eq!(All.select(&facts).selected().count(), 1);
    }
}
