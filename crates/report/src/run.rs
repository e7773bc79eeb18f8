use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;
use tamis_select::{Excuse, Granularity, Known, Outcome, Reason, TestId, tame};

/// The command that made a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// `tamis test`: tests ran.
    Test,
    /// `tamis collect`: tests ran to be recorded.
    Collect,
    /// `tamis select`: none ran.
    Select,
}

/// When what the tests of a run use is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// While they ran.
    Now,
    /// With `tamis collect`.
    Later,
    /// Not at all.
    Never,
}

/// How long each part took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Phases {
    /// Deciding what to run.
    pub analysis: Duration,
    /// The build and its tests, without the other two.
    pub execution: Duration,
    /// Taking in what was recorded.
    pub collection: Duration,
}

/// How a build ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuildEnd {
    /// Whether it ended as a success.
    pub success: bool,
    /// Its exit code; absent if a signal ended it.
    pub exit_code: Option<i32>,
    /// Whether tamis was asked to stop.
    pub interrupted: bool,
}

/// Tests that `tamis select` cannot answer for, because the agent cannot skip them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unheld {
    /// Directory of their module relative to the project's root; empty for the root.
    pub module: String,
    /// Their test framework.
    pub framework: String,
}

impl fmt::Display for Unheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unheld { module, framework } = self;
        write!(f, "no answer for the tests of {}", tame(framework))?;
        if !module.is_empty() {
            write!(f, " in {}", tame(module))?;
        }
        f.write_str(
            ": tamis cannot keep them from running, so it ended their JVM before they ran; `tamis test` \
             runs them every time",
        )
    }
}

/// One test class that the build asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestReport {
    /// The test.
    pub test: TestId,
    /// Whether it had to run.
    pub selected: bool,
    /// How it ended now; absent if it did not run.
    pub outcome: Option<Outcome>,
    /// How long it took now.
    pub took: Option<Duration>,
    /// The reasons why it had to run; empty if it was skipped.
    pub reasons: Vec<Reason>,
    /// Its last run before.
    pub known: Option<Known>,
    /// The excused changes that would have selected it otherwise.
    pub excused: Vec<Excuse>,
    /// Whether nothing that it used has changed at all since its last run.
    pub unchanged: bool,
}

impl TestReport {
    /// Whether it failed and then passed although nothing at all that it used changed.
    pub(crate) fn is_flaky(&self) -> bool {
        let only_failed = self.reasons == [Reason::Failed];
        only_failed && self.unchanged && self.outcome == Some(Outcome::Passed)
    }
}

/// The answer of `tamis test` and `tamis select`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The command.
    pub kind: RunKind,
    /// When what its tests use is recorded.
    pub recorded: Recorded,
    /// The technique's name.
    pub technique: String,
    /// The granularity: what is selected or skipped.
    pub granularity: Granularity,
    /// How long it took.
    pub phases: Phases,
    /// The build; absent if none was needed.
    pub build: Option<BuildEnd>,
    /// Whether nothing at all was known before.
    pub first: bool,
    /// Whether tests ran without the agent.
    pub unrecorded: bool,
    /// The tests, sorted.
    pub tests: Vec<TestReport>,
    /// Of `tamis select`: the tests that it cannot answer for.
    pub unheld: Vec<Unheld>,
    /// Warnings for the user, as lower-case fragments.
    pub warnings: Vec<String>,
}

impl Run {
    /// The noun for one of its tests.
    pub(crate) fn noun(&self) -> &'static str {
        match self.granularity {
            Granularity::Class => "test class",
            Granularity::Method => "test",
        }
    }

    pub(crate) fn selected(&self) -> impl Iterator<Item = &TestReport> {
        self.tests.iter().filter(|test| test.selected)
    }

    /// The tests that ran, or would run. An unselected test may run all the same, if the agent cannot skip it.
    pub(crate) fn ran(&self) -> impl Iterator<Item = &TestReport> {
        self.tests
            .iter()
            .filter(|test| test.selected || test.outcome.is_some())
    }

    pub(crate) fn skipped(&self) -> impl Iterator<Item = &TestReport> {
        self.tests
            .iter()
            .filter(|test| !test.selected && test.outcome.is_none())
    }

    pub(crate) fn ended(&self, outcome: Outcome) -> impl Iterator<Item = &TestReport> {
        self.tests
            .iter()
            .filter(move |test| test.outcome == Some(outcome))
    }

    /// How long the skipped tests took when they last ran.
    pub fn saved(&self) -> Duration {
        let known = self.skipped().filter_map(|test| test.known);
        Duration::from_micros(known.map(|known| known.duration_us).sum())
    }

    /// How many of the skipped tests would have run without each rule.
    pub(crate) fn saved_by_rules(&self) -> BTreeMap<&str, u64> {
        let mut saved = BTreeMap::new();
        for test in self.skipped() {
            let rules: BTreeSet<&str> = test.excused.iter().map(|e| e.rule.as_str()).collect();
            for rule in rules {
                *saved.entry(rule).or_default() += 1;
            }
        }
        saved
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use tamis_select::Change;

    pub(crate) fn id(test: &str) -> TestId {
        TestId::new("core", test)
    }

    pub(crate) fn known(outcome: Outcome) -> Known {
        Known {
            outcome,
            last_run_ms: 1_000,
            duration_us: 19_000_000,
            classes: 14,
            isolated: false,
            shares: false,
        }
    }

    pub(crate) fn changed(class: &str) -> Reason {
        Reason::Class {
            class: class.into(),
            change: Change::Changed,
        }
    }

    pub(crate) fn ran(class: &str, outcome: Outcome, reasons: Vec<Reason>) -> TestReport {
        let is_new = reasons.contains(&Reason::New);
        TestReport {
            test: id(class),
            selected: true,
            outcome: Some(outcome),
            took: Some(Duration::from_millis(120)),
            reasons,
            known: (!is_new).then(|| known(Outcome::Passed)),
            excused: vec![],
            unchanged: true,
        }
    }

    pub(crate) fn skipped(class: &str) -> TestReport {
        TestReport {
            test: id(class),
            selected: false,
            outcome: None,
            took: None,
            reasons: vec![],
            known: Some(known(Outcome::Passed)),
            excused: vec![],
            unchanged: true,
        }
    }

    pub(crate) fn excuse(rule: &str, member: &str) -> Excuse {
        Excuse {
            rule: rule.into(),
            class: "a.A".into(),
            member: member.into(),
            change: "CIM".into(),
        }
    }

    /// A test that `rules` kept from running.
    pub(crate) fn saved(class: &str, rules: &[&str]) -> TestReport {
        TestReport {
            excused: rules.iter().map(|rule| excuse(rule, "m(int)")).collect(),
            ..skipped(class)
        }
    }

    pub(crate) fn run(kind: RunKind, tests: Vec<TestReport>) -> Run {
        let failed = tests
            .iter()
            .any(|test| test.outcome == Some(Outcome::Failed));
        Run {
            kind,
            recorded: Recorded::Now,
            technique: "ekstazi".into(),
            granularity: Granularity::Class,
            phases: Phases {
                analysis: Duration::from_micros(12_345),
                execution: Duration::from_millis(4_000),
                collection: Duration::from_millis(8),
            },
            build: Some(BuildEnd {
                success: !failed,
                exit_code: Some(failed.into()),
                interrupted: false,
            }),
            first: false,
            unrecorded: false,
            tests,
            unheld: vec![],
            warnings: vec![],
        }
    }
}
