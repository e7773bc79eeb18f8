//! Outcomes and output of tests, as replays compare them.

mod printed;

pub(crate) use printed::Printed;

use crate::rows::ClassOutcome;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tamis_build::{ReportedFact, ReportedTest, TestEnd};
use tamis_select::TestName;

/// The outcome of each test, by `module:class`. Nested classes belong to their outermost one.
///
/// As it is read, a test belongs to the class whose report it is in: that of a suite may have tests of classes
/// which nobody runs by themselves, such as those of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcomes(pub(crate) BTreeMap<String, BTreeMap<String, TestEnd>>);

/// All that reports say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reports {
    pub(crate) outcomes: Outcomes,
    pub(crate) printed: Printed,
}

impl Reports {
    /// Brings together what reports say of each test.
    pub(crate) fn of(reported: Vec<ReportedTest>) -> Reports {
        let mut all = Reports::default();
        for ReportedTest { suite, test, fact } in reported {
            match fact {
                ReportedFact::Ended(end) => all.outcomes.note((suite, test), end),
                ReportedFact::Printed(digest) => all.printed.note((suite, test), digest),
            }
        }
        all
    }

    /// The same by classes that are known, see [`Outcomes::by_class`].
    pub(crate) fn by_class(&self, known: &BTreeSet<String>) -> Reports {
        Reports {
            outcomes: self.outcomes.by_class(known),
            printed: self.printed.by_class(known),
        }
    }
}

impl Outcomes {
    fn note(&mut self, (class, test): (String, String), end: TestEnd) {
        let tests = self.0.entry(class).or_default();
        // Parameters may give several tests one name.
        tests
            .entry(test)
            .and_modify(|before| *before = (*before).max(end))
            .or_insert(end);
    }

    /// The same by classes that are known: a test belongs to its own class, and to the one whose report it is
    /// in if only that is known.
    pub(crate) fn by_class(&self, known: &BTreeSet<String>) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for (suite, tests) in &self.0 {
            for (test, end) in tests {
                outcomes.note((known_class(suite, test, known), test.clone()), *end);
            }
        }
        outcomes
    }

    /// How each class ended.
    pub(crate) fn classes(&self) -> BTreeMap<String, ClassOutcome> {
        let outcome = |tests: &BTreeMap<String, TestEnd>| match tests
            .values()
            .any(|end| *end == TestEnd::Failed)
        {
            true => ClassOutcome::Failed,
            false => ClassOutcome::Passed,
        };
        let classes = self.0.iter();
        classes
            .map(|(class, tests)| (class.clone(), outcome(tests)))
            .collect()
    }

    /// How many tests there are.
    pub(crate) fn tests(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// The classes that end differently in the other one, or are not in it.
    pub(crate) fn differing(&self, other: &Outcomes) -> Vec<String> {
        let differs = |(class, tests): &(&String, &BTreeMap<String, TestEnd>)| {
            other.0.get(*class) != Some(tests)
        };
        let differing = self.0.iter().filter(differs);
        differing.map(|(class, _)| class.clone()).collect()
    }

    /// The classes that do not end the same in both.
    pub(crate) fn unlike(&self, other: &Outcomes) -> BTreeSet<String> {
        let both = [self.differing(other), other.differing(self)];
        both.into_iter().flatten().collect()
    }
}

fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

/// The class of a test, in the module of the suite that ran it.
fn class_of(suite: &str, test: &str) -> String {
    let module = suite.split(':').next().unwrap_or_default();
    format!("{module}:{}", outermost(TestName::from(test).class()))
}

/// The class that a test belongs to: its own, or that of the suite if only that is known.
fn known_class(suite: &str, test: &str, known: &BTreeSet<String>) -> String {
    let class = class_of(suite, test);
    match known.contains(suite) && !known.contains(&class) {
        true => suite.to_owned(),
        false => class,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const REPORT: &str = "a.FooTest#passes passed
a.FooTest#fails failed
a.FooTest$Inner#errs failed x
a.FooTest#leftOut skipped
a.BarTest#triedAgain passed";

    /// What a report about a class says, from lines with a test, its end and what it prints.
    pub(crate) fn reported(suite: &str, lines: &str) -> Vec<ReportedTest> {
        let mut all = Vec::new();
        for line in lines.lines() {
            let mut words = line.split(' ');
            let test = words.next().unwrap();
            let mut add = |fact| {
                all.push(ReportedTest {
                    suite: suite.to_owned(),
                    test: test.to_owned(),
                    fact,
                });
            };
            add(ReportedFact::Ended(match words.next().unwrap() {
                "passed" => TestEnd::Passed,
                "skipped" => TestEnd::Skipped,
                "failed" => TestEnd::Failed,
                end => panic!("{end} is no end"),
            }));
            let digest = |text: &str| text.bytes().map(u64::from).sum();
            words.for_each(|word| add(ReportedFact::Printed(digest(word))));
        }
        all
    }

    fn read(lines: &str) -> Reports {
        Reports::of(reported("core:a.FooTest", lines))
    }

    fn outcomes(lines: &str) -> Outcomes {
        read(lines).outcomes.by_class(&BTreeSet::new())
    }

    #[test]
    fn a_test_of_a_suite_belongs_to_its_own_class_if_that_is_known_and_else_to_the_suite() {
        let check = |known: &[&str], expected: &[&str]| {
            let known = known.iter().map(|class| (*class).to_owned()).collect();
            let by_class = read(REPORT).outcomes.by_class(&known);
            let classes: Vec<&str> = by_class.0.keys().map(String::as_str).collect();
            assert_eq!(classes, expected, "{known:?}");
        };
        check(&[], &["core:a.BarTest", "core:a.FooTest"]);
        check(&["core:a.FooTest"], &["core:a.FooTest"]);
        let both = ["core:a.BarTest", "core:a.FooTest"];
        check(&both, &both);
    }

    #[test]
    fn the_worst_end_of_tests_with_one_name_counts() {
        let check = |lines: &str, expected| {
            let outcomes = outcomes(lines);
            let ends: Vec<TestEnd> = outcomes.0["core:a.FooTest"].values().copied().collect();
            assert_eq!(ends, [expected], "{lines}");
        };
        check("a.FooTest#a passed\na.FooTest#a skipped", TestEnd::Skipped);
        check("a.FooTest#a failed\na.FooTest#a passed", TestEnd::Failed);
    }

    #[test]
    fn classes_that_end_differently_or_are_new_differ() {
        let before = outcomes(REPORT);
        assert_eq!(before.tests(), 5);
        let check = |old: &str, new: &str, expected: &[&str]| {
            let now = outcomes(&REPORT.replace(old, new));
            assert_eq!(now.differing(&before), expected, "{new}");
        };
        check("", "", &[]);
        check("skipped", "passed", &["core:a.FooTest"]);
        check("a.BarTest", "a.NewTest", &["core:a.NewTest"]);
    }

    #[test]
    fn what_a_test_prints_is_compared_test_by_test() {
        let before = read(REPORT);
        let check = |old: &str, new: &str, expected: &[(&str, &str)]| {
            let now = read(&REPORT.replace(old, new));
            let unlike = now.printed.unlike(&before.printed);
            let unlike: Vec<(&str, &str)> = unlike
                .iter()
                .map(|(class, test)| (class.as_str(), test.as_str()))
                .collect();
            assert_eq!(unlike, expected, "{new}");
        };
        let inner = ("core:a.FooTest", "a.FooTest$Inner#errs");
        check("skipped", "failed", &[]);
        check("failed x", "failed y", &[inner]);
        check("failed x", "failed", &[inner]);
        check("failed x", "failed x y", &[inner]);
        let of_suite = ("core:a.FooTest", "a.FooTest#");
        check(
            "a.BarTest#triedAgain passed",
            "a.FooTest# passed y",
            &[of_suite],
        );
    }
}
