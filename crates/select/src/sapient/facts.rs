use crate::{Known, Reason, TestId};
use tamis_graph::{Changes, Outside, Program, Resource};

/// What static techniques decide on.
#[derive(Clone, Copy)]
pub struct StaticFacts<'a> {
    /// The classes of the project as they are now.
    pub program: &'a Program<'a>,
    /// Its files on the class path that are no classes.
    pub resources: &'a [Resource],
    /// The types that are not the project's.
    pub outside: &'a dyn Outside,
    /// The tests to decide for, by what they are compared with.
    pub compared: &'a [Compared],
}

impl std::fmt::Debug for StaticFacts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StaticFacts")
            .field("compared", &self.compared)
            .finish_non_exhaustive()
    }
}

/// Tests for which the same changed.
#[derive(Debug, Clone, Default)]
pub struct Compared {
    /// What changed.
    pub changes: Changes,
    /// Why all of them are affected, whatever they reach.
    pub everything: Option<Reason>,
    /// The tests.
    pub tests: Vec<StaticTest>,
}

/// A test class, or a single test of it.
#[derive(Debug, Clone)]
pub struct StaticTest {
    /// The test.
    pub test: TestId,
    /// The number of its class in the program; `None` if it is not there.
    pub class: Option<u32>,
    /// The numbers of suites that may run it: what they depend on concerns it, too.
    pub suites: Vec<u32>,
    /// Its last run, if it was recorded.
    pub known: Option<Known>,
    /// Why it runs whatever changed.
    pub due: Vec<Reason>,
}
