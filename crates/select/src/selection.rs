use crate::{Excuse, Reason, TechniqueName};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Which test: a test class in a module, or a single test of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestId {
    /// Directory of the module relative to the project's root, with `/`; empty for the root.
    pub module: String,
    /// Binary name of the test class, `a.b.FooTest`; of a single test `a.b.FooTest#bar`.
    pub class: String,
}

impl TestId {
    /// The class whose test it is.
    pub fn class_name(&self) -> &str {
        self.class.split('#').next().unwrap_or(&self.class)
    }

    /// The test class around it: nested classes belong to the outermost one.
    pub fn outermost(&self) -> TestId {
        TestId {
            module: self.module.clone(),
            class: outermost(self.class_name()).to_owned(),
        }
    }

    /// Whether it is `class`, nested in it, or a test of either.
    pub fn is_in(&self, class: &TestId) -> bool {
        let rest = self.class.strip_prefix(&class.class);
        self.module == class.module
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['$', '#']))
    }
}

fn outermost(class: &str) -> &str {
    let simple = class.rfind('.').map_or(0, |dot| dot + 1);
    let nested = class.get(simple + 1..).and_then(|rest| rest.find('$'));
    let end = nested.map_or(class.len(), |at| simple + 1 + at);
    class.get(..end).unwrap_or(class)
}

/// The class that must be there for the test called so to exist. A nested class may be inherited,
/// so of a single test it is the outermost one.
pub fn class_of_test(test: &str) -> &str {
    match test.split_once('#') {
        Some((class, _)) => outermost(class),
        None => test,
    }
}

/// What is selected or not.
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
    /// Whether it ran alone in its JVM, so that no other test did work for it.
    pub isolated: bool,
    /// Whether it may have read what other tests left, so that what they used counts for it, too.
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
    /// What is known of it; absent for a new test.
    pub known: Option<Known>,
    /// Of a test that need not run: what would select it if no rule excused changes. Of each rule a
    /// few are named.
    pub excused: Vec<Excuse>,
    /// Whether its class has tests now of which nothing is known: it must not be left out.
    #[serde(default)]
    pub grown: bool,
    /// Whether nothing at all that it used differs from what it was when it last ran.
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

/// What a technique decided.
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
    pub fn left_out(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        let mut classes: BTreeMap<&str, bool> = BTreeMap::new();
        for verdict in &self.verdicts {
            let name = verdict.test.class.as_str();
            let class = verdict.test.class_name();
            if name == class && !verdict.selected {
                names.insert(name);
            }
            if name != class {
                // Whether all of a class, nested ones included, need not run.
                let ends = class.match_indices('$').map(|(at, _)| at);
                for end in ends.chain([class.len()]) {
                    let around = class.get(..end).unwrap_or(class);
                    *classes.entry(around).or_insert(true) &= !verdict.selected && !verdict.grown;
                }
            }
        }
        let whole: BTreeMap<&str, bool> = self
            .verdicts
            .iter()
            .map(|verdict| (verdict.test.class.as_str(), verdict.selected))
            .filter(|(name, _)| !name.contains('#'))
            .collect();
        // A class that must run as a whole does so with those nested in it.
        let runs_whole = |class: &str| {
            let mut around = class.match_indices('$').map(|(at, _)| at);
            let selected = |end| whole.get(class.get(..end).unwrap_or(class)) == Some(&true);
            whole.contains_key(class) || around.any(selected)
        };
        for verdict in self.verdicts.iter().filter(|verdict| !verdict.selected) {
            let class = verdict.test.class_name();
            if verdict.test.class != class && !runs_whole(class) {
                names.insert(&verdict.test.class);
            }
        }
        let unaffected = classes
            .into_iter()
            .filter(|(class, all)| *all && !runs_whole(class));
        names.extend(unaffected.map(|(class, _)| class));
        names
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

    fn id(class: &str) -> TestId {
        TestId {
            module: String::new(),
            class: class.into(),
        }
    }

    #[test]
    fn nested_classes_and_single_tests_belong_to_the_outermost_class() {
        let check = |test: &str, outermost: &str| assert_eq!(id(test).outermost(), id(outermost));
        check("a.b.T", "a.b.T");
        check("a.b.T$In$In2#m", "a.b.T");
        check("T#m(int)", "T");
        check("a.$T$In", "a.$T");
        assert!(id("a.T$In#m").is_in(&id("a.T")));
        assert!(id("a.T").is_in(&id("a.T")));
        assert!(!id("a.TT#m").is_in(&id("a.T")));
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
            let left_out: Vec<&str> = selection.left_out().into_iter().collect();
            assert_eq!(left_out, expected);
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
        let left_out: Vec<&str> = selection.left_out().into_iter().collect();
        assert_eq!(left_out, ["T#a", "U$In#b"]);
    }
}
