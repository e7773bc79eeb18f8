//! Chains of edits, each judged by every technique and then run.

use crate::edits::edit;
use crate::generate;
use crate::model::{Program, State};
use crate::print::{LOST, sources};
use crate::project::{LeftOut, Project, Tools, is_among, techniques};
use crate::random::Random;
use crate::recording::{Order, Recording};
use crate::seen::Seen;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many programs share a JVM: starting it costs more than all their tests.
const PROGRAMS: usize = 16;

/// How many edits of a program are tried at each step, until one compiles.
const TRIES: usize = 4;

/// What one technique, or one way of recording, was tried on.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tried {
    edits: usize,
    tests: usize,
    changed: usize,
    selected: usize,
    missed: usize,
}

impl Tried {
    fn add(&mut self, other: &Tried) {
        self.edits += other.edits;
        self.tests += other.tests;
        self.changed += other.changed;
        self.selected += other.selected;
        self.missed += other.missed;
    }
}

/// What was hunted.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) programs: usize,
    pub(crate) edits: usize,
    pub(crate) compiled: usize,
    pub(crate) slow: usize,
    pub(crate) changed: usize,
    pub(crate) lost: usize,
    /// Tests that changed because an earlier one leaves a state in another way for the first time.
    pub(crate) newly_left: usize,
    /// By technique, and the same where single tests were told apart.
    pub(crate) tried: BTreeMap<(&'static str, bool), Tried>,
    /// How many steps had misses, by what was edited, where misses are only counted.
    pub(crate) missed: BTreeMap<String, usize>,
    /// Tests that were selected although nothing changed.
    pub(crate) again: BTreeSet<String>,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        self.programs += other.programs;
        self.edits += other.edits;
        self.compiled += other.compiled;
        self.slow += other.slow;
        self.changed += other.changed;
        self.lost += other.lost;
        self.newly_left += other.newly_left;
        for (key, tried) in other.tried {
            self.tried.entry(key).or_default().add(&tried);
        }
        for (edited, steps) in other.missed {
            *self.missed.entry(edited).or_default() += steps;
        }
        self.again.extend(other.again);
    }

    /// All of it: a line, and a table of techniques.
    pub(crate) fn text(&self) -> String {
        let Counts {
            programs,
            edits,
            compiled,
            slow,
            lost,
            newly_left,
            ..
        } = self;
        let again = self.again.len();
        let mut text = format!(
            "{programs} programs, {edits} edits, {compiled} compiled, {slow} too slow, {lost} \
             beyond the limits, {newly_left} of newly left state, {again} selected again\n\
             | technique | tests | edits that compiled | tests | changed | selected | missed |\n\
             |---|---|---|---|---|---|---|\n"
        );
        for technique in techniques() {
            for is_single in [false, true] {
                let none = Tried::default();
                let tried = self.tried.get(&(technique, is_single)).unwrap_or(&none);
                let kind = if is_single { "single" } else { "classes" };
                let Tried {
                    edits,
                    tests,
                    changed,
                    selected,
                    missed,
                } = tried;
                let share = *selected as f64 * 100.0 / (*tests).max(1) as f64;
                text += &format!(
                    "| {technique} | {kind} | {edits} | {tests} | {changed} | {selected} \
                     ({share:.1} %) | {missed} |\n"
                );
            }
        }
        if !self.missed.is_empty() {
            text += "| edited | steps with misses |\n|---|---|\n";
        }
        for (edited, steps) in &self.missed {
            text += &format!("| {edited} | {steps} |\n");
        }
        text
    }
}

/// A test that a technique left out although it changed.
#[derive(Debug, Clone)]
pub(crate) struct Miss {
    pub(crate) technique: &'static str,
    pub(crate) test: String,
}

/// Where tests were missed: the program before, the seeds of its edits, and what these were.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) seed: u64,
    pub(crate) recording: Recording,
    pub(crate) before: Program,
    pub(crate) edits: Vec<u64>,
    pub(crate) told: Vec<String>,
    pub(crate) misses: Vec<Miss>,
}

/// Several edits of a program; `None` if one finds nothing to do.
pub(crate) fn apply(program: &Program, edits: &[u64]) -> Option<(Program, Vec<String>)> {
    let mut after = program.clone();
    let told = edits.iter().map(|seed| edit(&mut after, *seed));
    let told = told.collect::<Option<Vec<String>>>()?;
    Some((after, told))
}

/// The tests of the second revision that did something else, or nothing before.
pub(crate) fn changed(before: (&Program, &Seen), after: (&Program, &Seen)) -> Vec<String> {
    let known = before.0.declared();
    let mut declared = after.0.declared();
    declared.retain(|test| {
        !known.contains(test) || before.1.texts.get(test) != after.1.texts.get(test)
    });
    declared
}

/// Several edits of a program, in a project where the result compiles.
fn step(
    project: &Project<'_>,
    number: usize,
    program: &Program,
    random: &mut Random,
    counts: &mut Counts,
) -> Option<Step> {
    let mut edits = vec![random.next()];
    while random.chance(25) {
        edits.push(random.next());
    }
    let (after, told) = apply(program, &edits)?;
    if sources(&after) == sources(program) {
        return None;
    }
    counts.edits += 1;
    let compiled = project.compile(number, &after);
    counts.compiled += usize::from(compiled);
    compiled.then_some(Step { after, edits, told })
}

/// What kinds of things were edited, of idioms their kinds.
fn kinds(told: &[String]) -> String {
    let kind = |words: &String| match words.split_once(" idiom of ") {
        Some((_, kind)) => kind.to_owned(),
        None => "others".to_owned(),
    };
    let kinds: BTreeSet<String> = told.iter().map(kind).collect();
    kinds.into_iter().collect::<Vec<_>>().join(", ")
}

struct Step {
    after: Program,
    edits: Vec<u64>,
    told: Vec<String>,
}

/// A chain of edits of a few programs that have nothing in common but their JVM.
pub(crate) fn chain(
    tools: &Tools,
    dir: &Path,
    seed: u64,
    steps: usize,
    is_over: &dyn Fn() -> bool,
) -> (Counts, Vec<Found>) {
    let random = &mut Random::new(seed);
    let mut counts = Counts::default();
    let shape = &mut Random::new(!seed);
    let recording = Recording {
        by_method: seed.is_multiple_of(2),
        receivers: !seed.is_multiple_of(3),
        blocks: !seed.is_multiple_of(4),
        selects: seed % 7 > 3,
        order: match shape.below(3) {
            0 => Order::Made,
            1 => Order::Reversed,
            _ => Order::Shuffled(seed),
        },
        two_jvms: shape.chance(25),
    };
    let state = match (crate::setting("HUNT_STATE", 1), recording.selects) {
        (0, _) => State::None,
        // A test does something else where one that was not selected left it nothing.
        (_, true) => State::Cached,
        (_, false) => State::Left,
    };
    let project = Project::new(tools, dir, PROGRAMS, recording);
    let mut programs = Vec::new();
    while programs.len() < PROGRAMS {
        let kind = (state, seed % 5 == 3);
        let program = generate::program(random, programs.len(), kind);
        if project.compile(programs.len(), &program) {
            programs.push(program);
        }
    }
    let (Some(mut seen), Some(alone)) = (project.run(&programs), project.texts_alone(&programs))
    else {
        counts.slow += 1;
        return (counts, Vec::new());
    };
    counts.programs += PROGRAMS;
    assert_eq!(
        alone, seen.texts,
        "seed {seed}: recording changes what tests do"
    );
    for (technique, left_out) in project.left_out() {
        let again = seen.passed.iter().filter(|test| !is_among(&left_out, test));
        counts
            .again
            .extend(again.map(|test| format!("seed {seed}: {technique} {test}")));
    }
    for turn in 0..steps {
        // On a slow machine the time may be over before the first one.
        if turn > 0 && is_over() {
            break;
        }
        let old = programs.clone();
        let mut done = Vec::new();
        for (number, program) in programs.iter_mut().enumerate() {
            let mut tries = 0..TRIES;
            let step = tries.find_map(|_| step(&project, number, program, random, &mut counts));
            if let Some(step) = step {
                program.clone_from(&step.after);
                done.push((number, step));
            }
        }
        let left_out = project.left_out();
        let Some(now) = project.run_after(&programs, &seen, &left_out) else {
            counts.slow += 1;
            break;
        };
        let mut found = Vec::new();
        for (number, step) in done {
            let before = &old[number];
            let is_single = recording.by_method;
            let misses = judge(
                &mut counts,
                (before, &seen),
                (&step, &now.done),
                &left_out,
                is_single,
            );
            if misses.is_empty() {
                continue;
            }
            if std::env::var_os("HUNT_TALLY").is_some() {
                *counts.missed.entry(kinds(&step.told)).or_default() += 1;
            } else {
                found.push(Found {
                    seed,
                    recording,
                    before: before.clone(),
                    edits: step.edits,
                    told: step.told,
                    misses,
                });
            }
        }
        if !found.is_empty() {
            return (counts, found);
        }
        seen = now.known;
    }
    (counts, Vec::new())
}

/// The idioms of which a test leaves a part of the state in another way than it found it, which it did
/// not do when it was recorded: nothing that was recorded tells who will see that.
pub(crate) fn newly_left<'a>(
    before: &'a Seen,
    after: &'a Seen,
    by_method: bool,
) -> BTreeSet<&'a str> {
    let (was, is) = (before.left(by_method), after.left(by_method));
    let parts = is.difference(&was).map(|(_, part)| part.split('.').next());
    parts.flatten().collect()
}

/// Whether that is so of a program.
pub(crate) fn leaves_more(program: &Program, before: &Seen, after: &Seen, by_method: bool) -> bool {
    let newly_left = newly_left(before, after, by_method);
    let mut idioms = program.idioms.iter();
    idioms.any(|idiom| newly_left.contains(idiom.name.as_str()))
}

/// The tests of a program that were left out although they changed.
fn judge(
    counts: &mut Counts,
    before: (&Program, &Seen),
    (step, now): (&Step, &Seen),
    left_out: &LeftOut,
    is_single: bool,
) -> Vec<Miss> {
    let changed = changed(before, (&step.after, now));
    let declared = step.after.declared();
    if std::env::var_os("HUNT_SHOW").is_some() {
        println!("{} changed after {}", changed.len(), step.told.join("; "));
    }
    counts.changed += changed.len();
    let leaves_more = leaves_more(&step.after, before.1, now, is_single);
    let mut misses = Vec::new();
    for (technique, left_out) in left_out {
        let tried = counts.tried.entry((technique, is_single)).or_default();
        let selected = declared.iter().filter(|test| !is_among(left_out, test));
        tried.edits += 1;
        tried.tests += declared.len();
        tried.changed += changed.len();
        tried.selected += selected.count();
        for test in changed.iter().filter(|test| is_among(left_out, test)) {
            // A class that was found by its name, and of which no code ran, is a known limit.
            let was = before.1.texts.get(test);
            if was.is_some_and(|text| text.contains(LOST)) {
                counts.lost += 1;
                continue;
            }
            if leaves_more {
                counts.newly_left += 1;
                continue;
            }
            tried.missed += 1;
            let test = test.clone();
            misses.push(Miss { technique, test });
        }
    }
    misses
}
