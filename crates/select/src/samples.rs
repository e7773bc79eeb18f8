//! A test to start from in the tests of techniques.

use crate::{ClassPathState, Ids, Known, Outcome, TestFacts, TestId, UnloggedReflection};

/// A test that passed on the first class path and used nothing.
pub(crate) fn passed<'a>() -> TestFacts<'a> {
    TestFacts {
        test: TestId::new("", "a.T"),
        known: Known {
            outcome: Outcome::Passed,
            last_run_ms: 1,
            duration_us: 2,
            classes: 0,
            isolated: false,
            shares: false,
        },
        distrust: None,
        runtime: "OpenJDK 17",
        classes: Ids::default(),
        checked: Ids::default(),
        whole: Ids::default(),
        members: Ids::default(),
        inputs: Ids::default(),
        reflection: UnloggedReflection::default(),
        logs: &[],
        receivers: None,
        home: None,
        class_path: ClassPathState::Known(0),
    }
}
