use crate::{Change, Ids, Known, TestId};

/// Everything a technique decides on.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// The tests to decide for, sorted.
    pub tests: Vec<TestFacts<'a>>,
    /// Internal names of the classes that tests used; a class id is an index here.
    pub names: Vec<&'a str>,
    /// Per class path, what became of each class id; `None` if nothing that matters.
    pub changes: Vec<Vec<Option<Change>>>,
    /// The runtime on which tests would run; `None` if it is the one they last ran on.
    pub runtime: Option<&'a str>,
}

/// What is known of one test.
#[derive(Debug)]
pub struct TestFacts<'a> {
    /// The test.
    pub test: TestId,
    /// Its last run.
    pub known: Known,
    /// Why its classes may be incomplete, if so.
    pub distrust: Option<&'a str>,
    /// The runtime of its last run.
    pub runtime: &'a str,
    /// The classes it used.
    pub classes: Ids<'a>,
    /// Where its classes are looked for.
    pub class_path: ClassPathState,
}

/// Whether the class path of a test is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassPathState {
    /// It is not.
    Unknown,
    /// It is the one with this index in [`Facts::changes`].
    Known(usize),
}
