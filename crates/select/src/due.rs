//! Reasons that all techniques share: those that have nothing to do with changes of code.

use crate::{
    Change, ClassPathState, Facts, Ids, Outcome, Reason, Selection, TechniqueName, TestFacts,
    Verdict,
};

/// How many classes or members a test's reasons name one by one.
pub(crate) const NAMED: usize = 20;

/// Decides for every test: it is due for its own reasons, and for those that `changed` finds on its
/// class path.
pub(crate) fn decide(
    technique: TechniqueName,
    facts: &Facts<'_>,
    changed: impl Fn(usize, &TestFacts<'_>, &mut Vec<Reason>),
) -> Selection {
    let verdict = |test: &TestFacts<'_>| {
        let mut reasons = due(facts, test);
        match test.class_path {
            ClassPathState::Known(path) if path < facts.changes.len() => {
                changed_inputs(facts, path, test, &mut reasons);
                changed(path, test, &mut reasons);
            }
            _ => reasons.push(Reason::ClassPathUnknown),
        }
        Verdict {
            unchanged: is_unchanged(facts, test),
            ..Verdict::new(test.test.clone(), Some(test.known), reasons)
        }
    };
    Selection {
        technique,
        verdicts: facts.tests.iter().map(verdict).collect(),
    }
}

fn due(facts: &Facts<'_>, test: &TestFacts<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    match test.known.outcome {
        // What decided that it is disabled, or that an assumption fails, is among what it used.
        Outcome::Passed | Outcome::Ignored | Outcome::Aborted => {}
        Outcome::Failed => reasons.push(Reason::Failed),
        Outcome::Unfinished => reasons.push(Reason::Unfinished),
    }
    if let Some(why) = test.distrust {
        reasons.push(Reason::Distrusted {
            why: why.to_owned(),
        });
    }
    let is_known = |now: &&str| test.runtime.lines().any(|runtime| runtime == *now);
    if let Some(now) = facts.runtime.filter(|now| !is_known(now)) {
        reasons.push(Reason::Runtime {
            before: test.runtime.to_owned(),
            now: now.to_owned(),
        });
    }
    reasons
}

/// Whether nothing that a test used differs in any way, whether that can reach it or not.
fn is_unchanged(facts: &Facts<'_>, test: &TestFacts<'_>) -> bool {
    let ClassPathState::Known(path) = test.class_path else {
        return false;
    };
    let all_same = |ids: Ids<'_>, changes: Option<&Vec<Option<Change>>>| {
        ids.iter().all(|id| {
            let change = id.ok().and_then(|id| changes?.get(id as usize));
            change == Some(&None)
        })
    };
    all_same(test.classes, facts.changes.get(path))
        && all_same(test.inputs, facts.input_changes.get(path))
}

/// Finds changed inputs, which all techniques compare in the same way.
fn changed_inputs(facts: &Facts<'_>, path: usize, test: &TestFacts<'_>, reasons: &mut Vec<Reason>) {
    let changes = facts.input_changes.get(path);
    let mut more = 0;
    for id in test.inputs.iter() {
        let id = id.map(|id| id as usize).ok();
        let change = id.and_then(|id| changes?.get(id).zip(facts.inputs.get(id)));
        match change {
            Some((None, _)) => {}
            Some((Some(change), (input, name))) if reasons.len() < NAMED => {
                reasons.push(Reason::Input {
                    input: *input,
                    name: name.clone(),
                    change: *change,
                });
            }
            Some((Some(_), _)) => more += 1,
            None => {
                reasons.push(malformed("a list of files"));
                return;
            }
        }
    }
    if more > 0 {
        reasons.push(Reason::MoreClasses { count: more });
    }
}

/// The store says something of a test that makes no sense.
pub(crate) fn malformed(what: &str) -> Reason {
    Reason::Store {
        why: format!("{what} is malformed"),
    }
}
