//! Brings together what the verdicts said and what the JVMs did.

use std::collections::BTreeMap;
use std::time::Duration;
use tamis_report::TestReport;
use tamis_select::{Known, Outcome, Reason, TestId, Verdict};
use tamis_store::{Absorbed, Store};

/// Every test that the build asked for: those that ran or would run, and those that were skipped.
pub(crate) fn tests_of_run(
    absorbed: &Absorbed,
    verdicts: &BTreeMap<TestId, Verdict>,
    before: &Store,
) -> Vec<TestReport> {
    let judge = Judge { verdicts, before };
    let mut tests: BTreeMap<TestId, TestReport> = BTreeMap::new();
    for test in &absorbed.skipped {
        tests.insert(test.clone(), judge.skipped(test));
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

struct Judge<'a> {
    verdicts: &'a BTreeMap<TestId, Verdict>,
    before: &'a Store,
}

impl Judge<'_> {
    fn ran(&self, test: &TestId, outcome: Option<Outcome>, took: Option<Duration>) -> TestReport {
        let known = self.known(test);
        let reasons = match (self.verdicts.get(test), known) {
            (Some(verdict), _) => verdict.reasons.clone(),
            (None, Some(_)) => vec![Reason::Store {
                why: "no verdict could be had".into(),
            }],
            (None, None) => vec![Reason::New],
        };
        let selected = !reasons.is_empty();
        TestReport {
            test: test.clone(),
            selected,
            outcome,
            took,
            reasons,
            known,
        }
    }

    fn skipped(&self, test: &TestId) -> TestReport {
        TestReport {
            test: test.clone(),
            selected: false,
            outcome: None,
            took: None,
            reasons: vec![],
            known: self.known(test),
        }
    }

    fn known(&self, test: &TestId) -> Option<Known> {
        let from_verdict = self.verdicts.get(test).and_then(|verdict| verdict.known);
        from_verdict.or_else(|| {
            let same_name = self.before.known(&test.class);
            same_name
                .into_iter()
                .find(|(id, _)| id == test)
                .map(|(_, known)| known)
        })
    }
}
