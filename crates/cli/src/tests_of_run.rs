//! Brings together what the verdicts said and what the JVMs did.

use crate::run_dir::NO_CAUSE;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;
use tamis_report::TestReport;
use tamis_select::{Excuse, Granularity, Known, Outcome, Reason, TestId, Verdict};
use tamis_store::{Absorbed, Store};

/// Every test that the build asked for: those that ran or would run, and those that were skipped.
pub(crate) fn tests_of_run(
    absorbed: &Absorbed,
    verdicts: &BTreeMap<TestId, Verdict>,
    unanswered: &[String],
    before: &Store,
    granularity: Granularity,
) -> Vec<TestReport> {
    let whole: BTreeMap<TestId, Verdict> = by_class(verdicts.values().cloned())
        .map(|verdict| (verdict.test.clone(), verdict))
        .collect();
    let judge = Judge {
        verdicts,
        whole,
        no_verdict: unanswered.first().map_or(NO_CAUSE, String::as_str),
        before,
    };
    let mut tests: BTreeMap<TestId, TestReport> = BTreeMap::new();
    for test in &absorbed.skipped {
        let of_class = verdicts.keys().filter(|id| id.is_in(test));
        let single = of_class.filter(|id| id.is_single());
        match granularity {
            // A class is left out as a whole, and stands for its tests.
            Granularity::Method if single.clone().next().is_some() => {
                tests.extend(single.map(|id| (id.clone(), judge.skipped(id))));
            }
            _ => {
                tests.insert(test.clone(), judge.skipped(test));
            }
        }
    }
    for test in &absorbed.wanted {
        tests.insert(test.clone(), judge.ran(test, None, None));
    }
    for ran in &absorbed.ran {
        let took = Duration::from_micros(ran.duration_us);
        let report = judge.ran(&ran.test, Some(ran.outcome), Some(took));
        tests.insert(ran.test.clone(), report);
    }
    for test in &absorbed.unfinished {
        tests.insert(
            test.clone(),
            judge.ran(test, Some(Outcome::Unfinished), None),
        );
    }
    tests.into_values().collect()
}

/// The verdicts on single tests brought together for their classes: one that must run is enough.
pub(crate) fn by_class(verdicts: impl Iterator<Item = Verdict>) -> impl Iterator<Item = Verdict> {
    let mut classes: BTreeMap<TestId, Verdict> = BTreeMap::new();
    for verdict in verdicts {
        let id = match verdict.test.is_single() {
            true => verdict.test.outermost(),
            false => verdict.test.clone(),
        };
        match classes.entry(id.clone()) {
            Entry::Vacant(vacant) => {
                vacant.insert(Verdict {
                    test: id,
                    ..verdict
                });
            }
            Entry::Occupied(mut occupied) => unite(occupied.get_mut(), verdict),
        }
    }
    classes.into_values()
}

fn unite(class: &mut Verdict, verdict: Verdict) {
    for reason in verdict.reasons {
        if !class.reasons.contains(&reason) {
            class.reasons.push(reason);
        }
    }
    for excuse in verdict.excused {
        if !class.excused.contains(&excuse) {
            class.excused.push(excuse);
        }
    }
    class.selected |= verdict.selected;
    class.unchanged &= verdict.unchanged;
    if class.selected {
        class.excused.clear();
    }
    class.known = match (class.known, verdict.known) {
        (Some(a), Some(b)) => Some(Known {
            outcome: a.outcome.max(b.outcome),
            last_run_ms: a.last_run_ms.max(b.last_run_ms),
            duration_us: a.duration_us.saturating_add(b.duration_us),
            classes: a.classes.max(b.classes),
            isolated: a.isolated && b.isolated,
            shares: a.shares || b.shares,
        }),
        (a, b) => a.or(b),
    };
}

struct Judge<'a> {
    verdicts: &'a BTreeMap<TestId, Verdict>,
    /// The same by class.
    whole: BTreeMap<TestId, Verdict>,
    /// Why a test that is known has no verdict, if it has none.
    no_verdict: &'a str,
    before: &'a Store,
}

impl Judge<'_> {
    fn ran(&self, test: &TestId, outcome: Option<Outcome>, took: Option<Duration>) -> TestReport {
        let known = self.known(test);
        let reasons = match (self.verdict(test), known) {
            (Some(verdict), _) => verdict.reasons.clone(),
            (None, Some(_)) => vec![Reason::Store {
                why: self.no_verdict.to_owned(),
            }],
            (None, None) => match self.whole.get(&test.outermost()) {
                // The class was recorded as a whole, and its tests are told apart now.
                Some(class) if !class.reasons.is_empty() && self.is_whole(class) => {
                    class.reasons.clone()
                }
                _ => vec![Reason::New],
            },
        };
        let selected = !reasons.is_empty();
        TestReport {
            test: test.clone(),
            selected,
            outcome,
            took,
            reasons,
            known,
            excused: self.excused(test),
            unchanged: self.verdict(test).is_some_and(|verdict| verdict.unchanged),
        }
    }

    fn is_whole(&self, class: &Verdict) -> bool {
        self.verdicts.contains_key(&class.test)
    }

    fn verdict(&self, test: &TestId) -> Option<&Verdict> {
        self.verdicts.get(test).or_else(|| self.whole.get(test))
    }

    fn skipped(&self, test: &TestId) -> TestReport {
        TestReport {
            test: test.clone(),
            selected: false,
            outcome: None,
            took: None,
            reasons: vec![],
            known: self.known(test),
            excused: self.excused(test),
            unchanged: true,
        }
    }

    fn excused(&self, test: &TestId) -> Vec<Excuse> {
        let verdict = self.verdict(test);
        verdict.map_or(vec![], |verdict| verdict.excused.clone())
    }

    fn known(&self, test: &TestId) -> Option<Known> {
        let from_verdict = self.verdict(test).and_then(|verdict| verdict.known);
        from_verdict.or_else(|| {
            let same_name = self.before.known(test.name.clone());
            same_name
                .into_iter()
                .find(|(id, _)| id == test)
                .map(|(_, known)| known)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis_store::Ran;

    fn id(test: &str) -> TestId {
        TestId::new("", test)
    }

    fn ran(class: &str) -> Ran {
        Ran {
            test: id(class),
            outcome: Outcome::Passed,
            duration_us: 5,
            is_complete: true,
        }
    }

    /// What is said of each test: `+` selected, `-` not, and how it ended.
    fn check(absorbed: Absorbed, expected: &str) {
        let known = Known {
            outcome: Outcome::Passed,
            last_run_ms: 1,
            duration_us: 2,
            classes: 3,
            isolated: false,
            shares: false,
        };
        let verdicts = BTreeMap::from([
            (
                id("Due"),
                Verdict::new(id("Due"), Some(known), vec![Reason::Failed]),
            ),
            (id("Fine"), Verdict::new(id("Fine"), Some(known), vec![])),
        ]);
        let tests = tests_of_run(
            &absorbed,
            &verdicts,
            &[],
            &Store::default(),
            Granularity::Class,
        );
        let said = tests.iter().map(|test| {
            let sign = if test.selected { '+' } else { '-' };
            let outcome = test
                .outcome
                .map_or("none".into(), |outcome| outcome.to_string());
            format!("{sign}{} {outcome} {:?}", test.test, test.reasons)
        });
        assert_eq!(said.collect::<Vec<_>>().join("; "), expected);
    }

    #[test]
    fn tests_that_ran_carry_the_reasons_of_the_verdict() {
        let absorbed = Absorbed {
            ran: vec![ran("Due"), ran("New")],
            skipped: vec![id("Fine")],
            ..Absorbed::default()
        };
        check(
            absorbed,
            "+Due passed [Failed]; -Fine none []; +New passed [New]",
        );
    }

    #[test]
    fn a_test_that_ran_although_it_need_not_is_not_selected() {
        let absorbed = Absorbed {
            ran: vec![ran("Fine")],
            ..Absorbed::default()
        };
        check(absorbed, "-Fine passed []");
    }

    #[test]
    fn what_one_jvm_skipped_and_another_ran_did_run() {
        let absorbed = Absorbed {
            skipped: vec![id("Due")],
            unfinished: vec![id("Due")],
            ..Absorbed::default()
        };
        check(absorbed, "+Due unfinished [Failed]");
    }

    #[test]
    fn a_class_is_excused_if_all_its_tests_need_not_run() {
        let excuse = |rule: &str| Excuse {
            rule: rule.into(),
            class: "A".into(),
            member: "m()".into(),
            change: "CIM".into(),
        };
        let saved = |test: &str, rules: &[&str]| Verdict {
            excused: rules.iter().map(|rule| excuse(rule)).collect(),
            ..Verdict::new(id(test), None, vec![])
        };
        let due = || Verdict::new(id("T#due"), None, vec![Reason::Failed]);
        let check = |verdicts: Vec<Verdict>, expected: &[&str]| {
            let class = by_class(verdicts.into_iter()).next().unwrap();
            let rules: Vec<&str> = class.excused.iter().map(|e| e.rule.as_str()).collect();
            assert_eq!(rules, expected);
        };
        let [a, b] = [saved("T#a", &["final"]), saved("T#b", &["final", "throws"])];
        check(vec![a.clone(), b.clone()], &["final", "throws"]);
        check(vec![due(), a.clone(), b.clone()], &[]);
        check(vec![a, due(), b], &[]);
    }

    #[test]
    fn a_run_that_only_asks_tells_what_would_run() {
        let absorbed = Absorbed {
            wanted: vec![id("Due"), id("New")],
            skipped: vec![id("Fine")],
            ..Absorbed::default()
        };
        check(
            absorbed,
            "+Due none [Failed]; -Fine none []; +New none [New]",
        );
    }
}
