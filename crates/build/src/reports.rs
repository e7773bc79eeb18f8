use serde::{Deserialize, Serialize};

/// A statement of a build tool's report on a test. There may be several about one test: parameters may give several tests one
/// name, and a test may print to two streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedTest {
    /// The directory of the module relative to the project's, and the outermost class that the report is about:
    /// `core:a.FooTest`. The report of a suite may have tests of other classes.
    pub suite: String,
    /// The class and the name of the test, `a.FooTest$Inner#adds`; no name stands for the class as a whole.
    pub test: String,
    /// The statement.
    pub fact: ReportedFact,
}

/// A fact that a report states of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportedFact {
    /// How it ended.
    Ended(TestEnd),
    /// A digest of what it printed to one stream.
    Printed(u64),
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestEnd {
    /// It passed.
    Passed,
    /// It did not run to its end because it, or somebody, said so.
    Skipped,
    /// It failed, or could not run.
    Failed,
}
