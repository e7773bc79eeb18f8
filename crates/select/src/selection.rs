use crate::{Excuse, Reason, TechniqueName, TestId, TestName};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The granularity: what is selected or skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// Test classes.
    #[default]
    Class,
    /// Single tests, where they can be told apart.
    Method,
}

impl fmt::Display for Granularity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Granularity::Class => "class",
            Granularity::Method => "method",
        })
    }
}

/// The outcome of a test, from best to worst.
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

/// The results of a test's own last run.
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
    /// Whether it ran alone in its JVM, so that no other test did work for it.
    pub isolated: bool,
    /// Whether it may have read state that other tests left, so that it inherits what they used.
    #[serde(default)]
    pub shares: bool,
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
    /// Its last run; absent for a new test.
    pub known: Option<Known>,
    /// For a test that need not run: the excused changes that would select it otherwise. Of each rule a
    /// few are named.
    pub excused: Vec<Excuse>,
    /// Whether its class has unknown tests now: then it must not be skipped.
    #[serde(default)]
    pub grown: bool,
    /// Whether nothing that it used has changed at all since its last run.
    #[serde(default)]
    pub unchanged: bool,
}

impl Verdict {
    /// The verdict that follows from `reasons`.
    pub fn new(test: TestId, known: Option<Known>, reasons: Vec<Reason>) -> Self {
        Verdict {
            test,
            selected: !reasons.is_empty(),
            reasons,
            known,
            excused: vec![],
            grown: false,
            unchanged: false,
        }
    }
}

/// The names of the classes around a nested one, as far as its name tells.
fn classes_around(class: &str) -> impl Iterator<Item = &str> {
    let ends = class.match_indices('$').map(|(at, _)| at);
    ends.filter_map(move |end| class.get(..end))
}

/// The decision of a technique.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The technique's name.
    pub technique: TechniqueName,
    /// One verdict per known test, sorted by test.
    pub verdicts: Vec<Verdict>,
}

impl Selection {
    /// The names of the tests that need not run: classes of which nothing need run, and single
    /// tests of the others. A class that was last run as a whole runs as a whole.
    pub fn left_out(&self) -> BTreeSet<TestName> {
        let mut names = BTreeSet::new();
        // Whether all single tests of a class, nested ones included, need not run.
        let mut by_tests: BTreeMap<&str, bool> = BTreeMap::new();
        let mut whole: BTreeMap<&str, bool> = BTreeMap::new();
        for verdict in &self.verdicts {
            let class = verdict.test.class();
            match verdict.test.is_single() {
                true => {
                    for around in classes_around(class).chain([class]) {
                        *by_tests.entry(around).or_insert(true) &=
                            !verdict.selected && !verdict.grown;
                    }
                }
                false => {
                    whole.insert(class, verdict.selected);
                    names.extend((!verdict.selected).then(|| verdict.test.name.clone()));
                }
            }
        }
        // A class that must run as a whole does so with those nested in it.
        let runs_whole = |class: &str| {
            let mut around = classes_around(class);
            whole.contains_key(class) || around.any(|around| whole.get(around) == Some(&true))
        };
        let single = self.skipped().filter(|verdict| verdict.test.is_single());
        let single = single.filter(|verdict| !runs_whole(verdict.test.class()));
        names.extend(single.map(|verdict| verdict.test.name.clone()));
        let unaffected = by_tests
            .into_iter()
            .filter(|(class, all)| *all && !runs_whole(class));
        names.extend(unaffected.map(|(class, _)| TestName::of_class(class)));
        names
    }

    /// Takes over what was decided statically for tests without a usable recording. What a recording says counts,
    /// unless it says nothing but that it cannot be used.
    pub fn decide_unrecorded(&mut self, statically: Selection) {
        let verdicts = std::mem::take(&mut self.verdicts).into_iter();
        let mut all: BTreeMap<TestId, Verdict> = verdicts
            .map(|verdict| (verdict.test.clone(), verdict))
            .collect();
        let classes: BTreeSet<TestId> = all.keys().map(TestId::whole_class).collect();
        for verdict in statically.verdicts {
            match all.get_mut(&verdict.test) {
                Some(known) => {
                    if known.selected && known.reasons.iter().all(Reason::is_of_recording) {
                        *known = Verdict {
                            grown: known.grown,
                            ..verdict
                        };
                    }
                }
                // Of a class whose single tests are known, new ones are.
                None if classes.contains(&verdict.test) => {}
                None => drop(all.insert(verdict.test.clone(), verdict)),
            }
        }
        self.verdicts = all.into_values().collect();
    }

    /// The tests that must run.
    pub fn selected(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| verdict.selected)
    }

    /// The tests that need not run.
    pub fn skipped(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| !verdict.selected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(test: &str) -> TestId {
        TestId::new("", test)
    }

    fn left_out(selection: &Selection) -> Vec<String> {
        let left_out = selection.left_out();
        left_out.iter().map(TestName::to_string).collect()
    }

    #[test]
    fn what_is_decided_statically_counts_where_a_recording_says_nothing() {
        let distrusted = || Reason::Distrusted {
            why: "agent".into(),
        };
        let select = |tests: Vec<(&str, Vec<Reason>)>| Selection {
            technique: TechniqueName::All,
            verdicts: tests
                .into_iter()
                .map(|(name, reasons)| Verdict::new(id(name), None, reasons))
                .collect(),
        };
        let check = |recorded: Vec<(&str, Vec<Reason>)>, statically, expected: &[&str]| {
            let mut selection = select(recorded);
            selection.decide_unrecorded(select(statically));
            let selected: Vec<_> = selection
                .selected()
                .map(|one| one.test.to_string())
                .collect();
            assert_eq!(selected, expected);
        };
        check(vec![("T", vec![distrusted()])], vec![("T", vec![])], &[]);
        check(
            vec![("T", vec![distrusted()])],
            vec![("T", vec![Reason::New])],
            &["T"],
        );
        // Nobody decided otherwise.
        check(vec![("T", vec![distrusted()])], vec![], &["T"]);
        // It failed, too, or what was recorded changed.
        check(
            vec![("T", vec![distrusted(), Reason::Failed])],
            vec![("T", vec![])],
            &["T"],
        );
        check(
            vec![("T", vec![Reason::Failed])],
            vec![("T", vec![])],
            &["T"],
        );
        // A usable recording is not overruled.
        check(vec![("T", vec![])], vec![("T", vec![Reason::New])], &[]);
        // A test that was never recorded.
        check(
            vec![],
            vec![("T", vec![Reason::New]), ("U", vec![])],
            &["T"],
        );
        // A class of which single tests are known.
        check(
            vec![("T#a", vec![distrusted()])],
            vec![("T", vec![])],
            &["T#a"],
        );
    }

    #[test]
    fn a_class_is_left_out_if_all_its_tests_are() {
        let check = |tests: &[(&str, bool)], expected: &[&str]| {
            let verdict = |(name, selected): &(&str, bool)| {
                let reasons = if *selected {
                    vec![Reason::Failed]
                } else {
                    vec![]
                };
                Verdict::new(id(name), None, reasons)
            };
            let selection = Selection {
                technique: TechniqueName::All,
                verdicts: tests.iter().map(verdict).collect(),
            };
            assert_eq!(left_out(&selection), expected);
        };
        check(&[("T", false), ("U", true)], &["T"]);
        check(&[("T#a", false), ("T#b", false)], &["T", "T#a", "T#b"]);
        check(&[("T#a", false), ("T#b", true)], &["T#a"]);
        check(&[("T#a", false), ("T$In#b", true)], &["T#a"]);
        check(&[("T#a", true), ("T$In#b", false)], &["T$In", "T$In#b"]);
        // It was last run as a whole.
        check(&[("T", true), ("T#a", false)], &[]);
        check(
            &[("T", true), ("T$In#a", false), ("TT#b", false)],
            &["TT", "TT#b"],
        );
        check(&[("T", false), ("T$In#a", false)], &["T", "T$In", "T$In#a"]);
    }

    #[test]
    fn a_class_with_new_tests_is_not_left_out() {
        let mut selection = Selection {
            technique: TechniqueName::All,
            verdicts: ["T#a", "U$In#b"]
                .map(|name| Verdict::new(id(name), None, vec![]))
                .into(),
        };
        selection
            .verdicts
            .iter_mut()
            .for_each(|verdict| verdict.grown = true);
        assert_eq!(left_out(&selection), ["T#a", "U$In#b"]);
    }
}
