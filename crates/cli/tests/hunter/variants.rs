//! Every other way to fill a slot of an idiom with state, each as an edit of an idiom of its own: what
//! random edits may take long to meet, in two runs.

use crate::hunt::newly_left;
use crate::idioms;
use crate::model::{Check, Expr, Idiom, Program, Test, TestClass};
use crate::project::{Project, Tools, is_among};
use crate::recording::Recording;
use std::collections::BTreeMap;
use std::path::Path;

/// What edits of the idioms of one kind did.
#[derive(Debug, Default)]
struct Tried {
    edits: usize,
    /// Edits after which a test leaves something for the first time, which nobody can foresee.
    newly_left: usize,
    changed: usize,
    /// Changed tests that a technique left out.
    missed: usize,
}

/// Makes all these edits; a table by kinds, and how many tests were missed.
pub(crate) fn try_all(
    tools: &Tools,
    dir: &Path,
    jupiter: bool,
    by_method: bool,
) -> (String, usize) {
    let edits = idioms::state_edits(jupiter);
    let recording = Recording {
        by_method,
        receivers: true,
        blocks: true,
        ..Recording::default()
    };
    let project = Project::new(tools, dir, 1, recording);
    let before = program(edits.iter().map(|(before, _)| before), jupiter, by_method);
    let mut after = before.clone();
    after.idioms = edits.iter().map(|(_, after)| after.clone()).collect();
    assert!(project.compile(0, &before), "idioms compile");
    let seen = project.run(std::slice::from_ref(&before)).expect("in time");
    assert!(project.compile(0, &after), "edited idioms compile");
    let left_out = project.left_out();
    let now = project.run(std::slice::from_ref(&after)).expect("in time");
    let newly_left = newly_left(&seen, &now, by_method);
    let mut kinds: BTreeMap<&str, Tried> = BTreeMap::new();
    for idiom in &after.idioms {
        let tried = kinds.entry(&idiom.kind).or_default();
        tried.edits += 1;
        if newly_left.contains(idiom.name.as_str()) {
            tried.newly_left += 1;
            continue;
        }
        let start = format!("T{}x", &idiom.name[1..]);
        let of_idiom = |test: &&String| test.starts_with(&start);
        let tests = after.declared();
        let changed = tests.iter().filter(of_idiom);
        for test in changed.filter(|test| seen.texts.get(*test) != now.texts.get(*test)) {
            tried.changed += 1;
            let missed_by = left_out.iter().filter(|(_, tests)| is_among(tests, test));
            let missed_by: Vec<&str> = missed_by.map(|(technique, _)| *technique).collect();
            if !missed_by.is_empty() {
                tried.missed += 1;
                println!("MISSED {test} of {} by {missed_by:?}", idiom.kind);
            }
        }
    }
    let mut text = "| idiom | edits | of newly left state | tests changed | missed |\n".to_owned();
    text += "|---|---|---|---|---|\n";
    for (kind, tried) in &kinds {
        let Tried {
            edits,
            newly_left,
            changed,
            missed,
        } = tried;
        text += &format!("| `{kind}` | {edits} | {newly_left} | {changed} | {missed} |\n");
    }
    (text, kinds.values().map(|tried| tried.missed).sum())
}

/// A program of these idioms. Every method of an idiom is tested twice: by classes of their own, or by
/// single tests of one class.
fn program<'a>(idioms: impl Iterator<Item = &'a Idiom>, jupiter: bool, by_method: bool) -> Program {
    let mut program = Program {
        jupiter,
        idioms: idioms.cloned().collect(),
        ..Program::default()
    };
    for idiom in program.idioms.clone() {
        let entries = 2 * idioms::entries(&idiom.kind);
        let tests: Vec<Test> = (0..entries)
            .map(|at| test(&idiom, at, entries / 2))
            .collect();
        let groups = match by_method {
            true => vec![tests],
            false => tests.into_iter().map(|test| vec![test]).collect(),
        };
        let classes = groups.into_iter().enumerate();
        program.tests.extend(classes.map(|(at, tests)| TestClass {
            name: format!("T{}x{at}Test", &idiom.name[1..]),
            is_abstract: false,
            base: None,
            before: None,
            before_class: None,
            cached: None,
            shares: idioms::is_shared(&idiom).then(|| idiom.name.clone()),
            tests,
        }));
    }
    program
}

fn test(idiom: &Idiom, at: usize, entries: usize) -> Test {
    let check = match idioms::is_shared(idiom) {
        true => Check::Value(Expr::Number(1)),
        false => Check::Idiom(idiom.name.clone(), at % entries),
    };
    Test {
        name: format!("t{at}"),
        is_ignored: false,
        checks: vec![check],
        fails: None,
    }
}
