use crate::due::{NAMED, decide, malformed};
use crate::{Change, Facts, Malformed, Reason, Selection, Technique, TechniqueName, TestFacts};

/// Selects a test class when any class that it used changed (Gligoric, Eloussi and Marinov,
/// ISSTA 2015), and while its last run gives no ground to leave it out.
#[derive(Debug, Clone, Copy)]
pub struct Ekstazi;

impl Technique for Ekstazi {
    fn name(&self) -> TechniqueName {
        TechniqueName::Ekstazi
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        // Most runs change nothing on most class paths; their lists need not be walked.
        let dirty: Vec<bool> = facts
            .changes
            .iter()
            .map(|states| states.iter().any(Option::is_some))
            .collect();
        decide(self.name(), facts, |path, test, reasons| {
            match (facts.changes.get(path), dirty.get(path)) {
                (_, Some(false)) => {}
                (Some(states), _) => changed_classes(facts, states, test, reasons),
                (None, _) => reasons.push(Reason::ClassPathUnknown),
            }
        })
    }
}

fn changed_classes(
    facts: &Facts<'_>,
    states: &[Option<Change>],
    test: &TestFacts<'_>,
    reasons: &mut Vec<Reason>,
) {
    let mut changed = Vec::new();
    for id in test.classes.iter() {
        let state = match id {
            Ok(id) => states.get(id as usize).zip(facts.names.get(id as usize)),
            Err(Malformed) => None,
        };
        match state {
            Some((None, _)) => {}
            Some((Some(change), name)) => changed.push((*name, *change)),
            None => {
                reasons.push(malformed("a class list"));
                return;
            }
        }
    }
    changed.sort_unstable();
    changed.dedup();
    let named = changed.iter().take(NAMED);
    reasons.extend(named.map(|(name, change)| Reason::Class {
        class: name.replace('/', "."),
        change: *change,
    }));
    if let Some(count) = changed.len().checked_sub(NAMED).filter(|count| *count > 0) {
        reasons.push(Reason::MoreClasses { count });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::passed as passed_test;
    use crate::{ClassPathState, IdsBuf, InputKind, Known, Outcome};

    const RUNTIME: &str = "OpenJDK 17";

    struct Case {
        outcome: Outcome,
        distrust: Option<&'static str>,
        runtime: Option<&'static str>,
        classes: IdsBuf,
        class_path: ClassPathState,
        states: Vec<Option<Change>>,
    }

    fn passed(classes: Vec<u32>, states: Vec<Option<Change>>) -> Case {
        Case {
            outcome: Outcome::Passed,
            distrust: None,
            runtime: None,
            classes: IdsBuf::pack(classes),
            class_path: ClassPathState::Known(0),
            states,
        }
    }

    fn check(case: Case, expected: &[Reason]) {
        let names: Vec<String> = (0..case.states.len())
            .map(|n| format!("a/C{n:02}"))
            .collect();
        let facts = Facts {
            tests: vec![TestFacts {
                known: Known {
                    outcome: case.outcome,
                    ..passed_test().known
                },
                distrust: case.distrust,
                classes: case.classes.as_ids(),
                class_path: case.class_path,
                ..passed_test()
            }],
            names: names.iter().map(String::as_str).collect(),
            changes: vec![case.states],
            runtime: case.runtime,
            ..Facts::default()
        };
        let selection = Ekstazi.select(&facts);
        assert_eq!(selection.verdicts[0].reasons, expected);
        assert_eq!(selection.verdicts[0].selected, !expected.is_empty());
    }

    fn class(class: &str, change: Change) -> Reason {
        Reason::Class {
            class: class.into(),
            change,
        }
    }

    #[test]
    fn a_test_whose_classes_are_unchanged_is_not_selected() {
        check(passed(vec![0, 1], vec![None, None]), &[]);
        check(passed(vec![0], vec![None, Some(Change::Changed)]), &[]);
        check(passed(vec![], vec![]), &[]);
    }

    #[test]
    fn every_change_of_a_used_class_selects() {
        let states = vec![
            Some(Change::Changed),
            None,
            Some(Change::Deleted),
            Some(Change::Added),
            Some(Change::Unreadable),
        ];
        check(
            passed(vec![0, 1, 2, 3, 4], states),
            &[
                class("a.C00", Change::Changed),
                class("a.C02", Change::Deleted),
                class("a.C03", Change::Added),
                class("a.C04", Change::Unreadable),
            ],
        );
    }

    #[test]
    fn many_changes_are_counted_and_not_all_named() {
        let mut expected: Vec<Reason> = (0..NAMED)
            .map(|n| class(&format!("a.C{n:02}"), Change::Changed))
            .collect();
        expected.push(Reason::MoreClasses { count: 10 });
        let all = NAMED + 10;
        check(
            passed((0..all as u32).collect(), vec![Some(Change::Changed); all]),
            &expected,
        );
    }

    #[test]
    fn what_failed_or_did_not_finish_stays_due() {
        let case = |outcome| Case {
            outcome,
            ..passed(vec![0], vec![None])
        };
        check(case(Outcome::Ignored), &[]);
        check(case(Outcome::Aborted), &[]);
        check(case(Outcome::Failed), &[Reason::Failed]);
        check(case(Outcome::Unfinished), &[Reason::Unfinished]);
    }

    #[test]
    fn a_test_is_unchanged_only_if_nothing_that_it_used_differs() {
        let check = |classes: Vec<u32>, path, changes: [Option<Change>; 2], expected: bool| {
            let classes = IdsBuf::pack(classes);
            let inputs = IdsBuf::pack(vec![0]);
            let facts = Facts {
                tests: vec![TestFacts {
                    classes: classes.as_ids(),
                    inputs: inputs.as_ids(),
                    class_path: path,
                    ..passed_test()
                }],
                names: vec!["a/C"],
                changes: vec![vec![changes[0]]],
                inputs: vec![(InputKind::File, "f".into())],
                input_changes: vec![vec![changes[1]]],
                ..Facts::default()
            };
            assert_eq!(Ekstazi.select(&facts).verdicts[0].unchanged, expected);
        };
        let known = ClassPathState::Known(0);
        let changed = Some(Change::Changed);
        check(vec![0], known, [None, None], true);
        check(vec![], known, [changed, None], true);
        check(vec![0], known, [changed, None], false);
        check(vec![0], known, [None, changed], false);
        check(vec![1], known, [None, None], false);
        check(vec![0], ClassPathState::Unknown, [None, None], false);
    }

    #[test]
    fn distrust_selects() {
        let case = Case {
            distrust: Some("lost a class"),
            ..passed(vec![0], vec![None])
        };
        check(
            case,
            &[Reason::Distrusted {
                why: "lost a class".into(),
            }],
        );
    }

    #[test]
    fn another_runtime_selects_and_the_same_does_not() {
        let case = |runtime| Case {
            runtime: Some(runtime),
            ..passed(vec![0], vec![None])
        };
        check(case(RUNTIME), &[]);
        let reason = Reason::Runtime {
            before: RUNTIME.into(),
            now: "OpenJDK 25".into(),
        };
        check(case("OpenJDK 25"), &[reason]);
    }

    #[test]
    fn an_unknown_class_path_selects() {
        let case = |class_path| Case {
            class_path,
            ..passed(vec![0], vec![None])
        };
        check(case(ClassPathState::Unknown), &[Reason::ClassPathUnknown]);
        check(case(ClassPathState::Known(7)), &[Reason::ClassPathUnknown]);
    }

    #[test]
    fn a_malformed_class_list_selects() {
        let dirty = vec![Some(Change::Changed)];
        let why = Reason::Store {
            why: "a class list is malformed".into(),
        };
        check(passed(vec![9], dirty.clone()), std::slice::from_ref(&why));
        let classes = IdsBuf(vec![0x80].into());
        check(
            Case {
                classes,
                ..passed(vec![], dirty)
            },
            &[why],
        );
    }
}
