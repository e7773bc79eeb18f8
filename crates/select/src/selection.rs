use crate::Reason;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which test: a test class in a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestId {
    /// Directory of the module relative to the project's root, with `/`; empty for the root.
    pub module: String,
    /// Binary name of the test class, `a.b.FooTest`.
    pub class: String,
}

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.class)
    }
}

/// How a test ended, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything in it passed.
    Passed,
    /// It was disabled as a whole.
    Ignored,
    /// An assumption failed.
    Aborted,
    /// Something in it failed.
    Failed,
    /// It started and its end was never seen.
    Unfinished,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Passed => "passed",
            Outcome::Ignored => "ignored",
            Outcome::Aborted => "aborted",
            Outcome::Failed => "failed",
            Outcome::Unfinished => "unfinished",
        })
    }
}

/// What is known of a test from its own last run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// How it ended.
    pub outcome: Outcome,
    /// When it ran, in milliseconds since 1970.
    pub last_run_ms: u64,
    /// How long it took.
    pub duration_us: u64,
    /// How many classes it used.
    pub classes: usize,
}

/// Whether a test must run, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The test.
    pub test: TestId,
    /// Whether it must run; true exactly if there are reasons.
    pub selected: bool,
    /// Why.
    pub reasons: Vec<Reason>,
    /// What is known of it; absent for a new test.
    pub known: Option<Known>,
}

impl Verdict {
    /// The verdict that follows from `reasons`.
    pub fn new(test: TestId, known: Option<Known>, reasons: Vec<Reason>) -> Self {
        Verdict {
            test,
            selected: !reasons.is_empty(),
            reasons,
            known,
        }
    }
}

/// What a technique decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The technique's name.
    pub technique: String,
    /// One verdict per known test, sorted by test.
    pub verdicts: Vec<Verdict>,
}

impl Selection {
    /// The tests that must run.
    pub fn selected(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| verdict.selected)
    }

    /// The tests that need not run.
    pub fn skipped(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| !verdict.selected)
    }
}
