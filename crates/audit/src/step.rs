use crate::Difference;
use serde::{Deserialize, Serialize};
use std::fmt;
use tamis_select::{Outcome, TestId};

/// One observation of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Step {
    /// All tests ran as they usually do.
    Usual {
        /// Per JVM, the tests in the order in which they ran.
        jvms: Vec<Vec<Ended>>,
    },
    /// All tests ran as they usually do once more.
    Repeated {
        /// How they ended.
        ended: Vec<Ended>,
        /// What they used in only one of the two runs.
        differences: Vec<TestDifference>,
    },
    /// All tests ran in another order.
    Reordered {
        /// The order that was asked for.
        order: Order,
        /// Per JVM, the tests in the order in which they ran.
        jvms: Vec<Vec<Ended>>,
        /// What they used here and not in the usual run.
        differences: Vec<TestDifference>,
    },
    /// A test ran alone in a fresh JVM.
    Alone {
        /// Its outcome.
        ended: Ended,
        /// What it used here and not in the usual run.
        difference: Difference,
        /// Whether this footprint is in the store now.
        taken_in: bool,
    },
    /// A test could not be run alone: it did not run, or only beside others.
    NotAlone {
        /// The test.
        test: TestId,
        /// Whether it ran beside others.
        ran: bool,
    },
    /// It was found out why a test ends differently.
    Narrowed {
        /// The test.
        test: TestId,
        /// Where it ends differently.
        circumstance: Circumstance,
        /// Why.
        cause: Cause,
    },
}

/// A test that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The test.
    pub test: TestId,
    /// Its outcome.
    pub outcome: Outcome,
    /// How many methods it executed.
    pub methods: usize,
}

impl Ended {
    /// Whether it failed, or never came to its end.
    pub fn failed(&self) -> bool {
        self.outcome >= Outcome::Failed
    }
}

/// Dependencies of a test in one run that it does not have in another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestDifference {
    /// The test.
    pub test: TestId,
    /// The dependencies.
    pub difference: Difference,
}

/// An order of test classes that a build tool can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// By name, backwards.
    Reverse,
    /// Random, with this seed.
    Random(u64),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Reverse => f.write_str("reverse order"),
            Order::Random(seed) => write!(f, "random order (seed {seed})"),
        }
    }
}

/// A circumstance in which a test ends differently than usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Circumstance {
    /// Alone in a fresh JVM.
    Alone,
    /// With all others in another order.
    Order(Order),
}

impl fmt::Display for Circumstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Circumstance::Alone => f.write_str("alone"),
            Circumstance::Order(order) => write!(f, "in {order}"),
        }
    }
}

/// Why a test ends differently than usual.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cause {
    /// What this test leaves behind.
    Test {
        /// The test.
        test: TestId,
    },
    /// No single test before it: several of them together, or their order.
    Several,
    /// Nothing that other tests do: it ends differently in the same circumstances.
    Flaky,
}
