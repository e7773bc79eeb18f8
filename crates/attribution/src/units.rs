//! Which test classes are running, and which of them gets what the probes saw.
//!
//! What runs while several units are active counts for each of them, because a probe does not know
//! its thread: a unit gets at least what it used. What runs while none is active counts for every
//! unit that comes later.

use crate::{Bits, Parts, SparseBits};
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use tamis_identity::{TestName, is_part};
use tamis_recording::Outcome;

/// A test class that runs.
#[derive(Debug)]
pub struct Unit {
    /// Its number in this JVM.
    pub id: u32,
    /// Binary name of the test class.
    pub name: String,
    /// The worst outcome so far.
    pub outcome: Outcome,
    /// Whether other test classes ran inside it.
    pub container: bool,
    /// It runs other test classes: what is nested in its class is no part of it.
    suite: bool,
    /// What ran while it was active.
    pub probes: Bits,
    /// What ran before it and counts for it: known when it ends.
    pub outer: Bits,
    /// Its single tests, if they count.
    pub parts_of_class: Option<Parts>,
    /// The names of the units around it.
    ancestors: Vec<String>,
    /// Other classes that belong to it, executed or not.
    parts: HashSet<String>,
    started: Instant,
    /// How often it was started and not yet ended: frameworks nest a class in itself.
    depth: u32,
    /// How many of those starts were announced and have not come yet.
    announced: u32,
}

impl Unit {
    /// How long it has run, in microseconds.
    pub fn micros(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    /// An outcome of the class as a whole: its tests share it.
    fn ends_with(&mut self, outcome: Outcome) {
        self.outcome = self.outcome.max(outcome);
        if let Some(parts) = &mut self.parts_of_class {
            parts.merge();
        }
    }

    /// The names of the classes that it is, runs in and has as parts.
    pub fn classes(&self) -> impl Iterator<Item = &String> {
        self.ancestors.iter().chain(&self.parts).chain([&self.name])
    }
}

/// An initializer that runs now.
#[derive(Debug)]
struct Running {
    class: u32,
    thread: u64,
    /// What ran since it started and before the next one did, and in those behind it that have ended.
    probes: SparseBits,
    /// What is known to have happened on its thread meanwhile, likewise.
    on_thread: SparseBits,
}

/// What ran in an initializer.
#[derive(Debug, PartialEq, Eq)]
pub struct Initialized {
    /// The class that was initialized.
    pub class: u32,
    /// What ran meanwhile.
    pub probes: SparseBits,
    /// Its end was not seen: it may have thrown.
    pub broken: bool,
}

/// The units of a JVM, and what ran outside them.
#[derive(Debug, Default)]
pub struct Units {
    active: Vec<Unit>,
    /// In the order in which they started. All of them get what runs, on any thread: the last one notes it, and
    /// hands it to the one before when it ends, so that what runs is noted once.
    initializers: Vec<Running>,
    /// What making the runner of a class executed.
    construction: HashMap<String, Bits>,
    /// Classes whose runners are being made, with their threads.
    constructing: Vec<(String, u64)>,
    /// Per class that a runner says it runs, the classes it was made for and those for which
    /// runners were made meanwhile.
    made_with: HashMap<String, HashSet<String>>,
    /// What ran while no unit was active, and in no initializer: it counts for all that come later.
    ambient: Bits,
    /// All that ran while no unit was active.
    outside: Bits,
    newly_outside: Bits,
    /// All that has ever run.
    ever: Bits,
    /// How many tests a class had before some were left out.
    unfiltered: HashMap<String, i32>,
    /// Test classes of which only some tests run.
    cut: HashSet<String>,
    next: u32,
    /// Whether single tests are units.
    by_method: bool,
}

/// What happened to a class that was to start.
#[derive(Debug, PartialEq, Eq)]
pub enum Start {
    /// It is a unit of its own, with this id.
    New(u32),
    /// It is part of a unit that runs.
    Part,
}

impl Units {
    /// No units yet; `by_method` says whether single tests are units.
    pub fn new(by_method: bool) -> Self {
        Units {
            by_method,
            ..Units::default()
        }
    }

    /// The single tests of the class `name`, or of the class around it, if they count.
    pub fn parts(&mut self, name: &str) -> Option<&mut Parts> {
        self.around(name)?.parts_of_class.as_mut()
    }

    /// A test runs that belongs to no known class: nobody's tests can be told apart.
    pub fn merge_all(&mut self) {
        let parts = self
            .active
            .iter_mut()
            .filter_map(|unit| unit.parts_of_class.as_mut());
        parts.for_each(Parts::merge);
    }

    /// The id for another unit.
    pub fn next_id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Credits what ran since the last boundary, on any thread.
    pub fn executed(&mut self, ran: &SparseBits) {
        if let Some(innermost) = self.initializers.last_mut() {
            innermost.probes.union(ran);
        }
        self.credit(ran, self.initializers.is_empty());
    }

    /// Credits what happened on `thread` alone: an initializer that another thread runs has no part in it.
    pub fn executed_on(&mut self, thread: u64, ran: &SparseBits) {
        let mut initializers = self.initializers.iter_mut();
        let innermost = initializers.rfind(|running| running.thread == thread);
        let is_outside_initializers = innermost.is_none();
        if let Some(innermost) = innermost {
            innermost.on_thread.union(ran);
        }
        self.credit(ran, is_outside_initializers);
    }

    /// Credits all but initializers.
    fn credit(&mut self, ran: &SparseBits, is_outside_initializers: bool) {
        if ran.is_empty() {
            return;
        }
        self.ever.add(ran);
        for (at, (name, thread)) in self.constructing.iter().enumerate() {
            // A runner that is made while another is made on the same thread has it for itself.
            let later = self.constructing.get(at + 1..).unwrap_or_default();
            if !later.iter().any(|(_, other)| other == thread) {
                let made = self.construction.entry(name.clone()).or_default();
                made.add(ran);
            }
        }
        let inner: Vec<bool> = self
            .active
            .iter()
            .map(|u| {
                !self
                    .active
                    .iter()
                    .any(|other| other.ancestors.contains(&u.name))
            })
            .collect();
        let is_outside = !inner.contains(&true);
        for (unit, inner) in self.active.iter_mut().zip(inner) {
            if inner {
                unit.probes.add(ran);
                if let Some(parts) = &mut unit.parts_of_class {
                    parts.executed(ran);
                }
            }
        }
        if is_outside {
            self.outside.add(ran);
            self.newly_outside.add(ran);
            // What makes a runner counts for its tests, and what runs in an initializer for those who use
            // its class.
            if self.constructing.is_empty() && is_outside_initializers {
                self.ambient.add(ran);
            }
        }
    }

    /// What ran while no unit was active since the last call; `None` while one is active.
    pub fn newly_outside(&mut self) -> Option<Bits> {
        let is_outside = self.active.is_empty();
        is_outside.then(|| std::mem::take(&mut self.newly_outside))
    }

    /// All that ran while no unit was active.
    pub fn ever_outside(&self) -> &Bits {
        &self.outside
    }

    /// This counts for all units that end from now on.
    pub fn kept(&mut self, kept: &SparseBits) {
        self.ambient.add(kept);
    }

    /// A test class will start, and what decides about that runs now. What is nested in a class
    /// that runs needs no announcement.
    pub fn announce(&mut self, name: &str, ancestors: Vec<String>) -> Start {
        if self.around(name).is_some_and(|unit| unit.name != name) {
            return Start::Part;
        }
        let announced = self
            .around(name)
            .map_or(0, |unit| std::mem::take(&mut unit.announced));
        let start = self.start(name, ancestors, false);
        if let Some(unit) = self.around(name) {
            unit.announced = announced + 1;
        }
        start
    }

    /// Takes back an announcement, if there is one.
    pub fn is_announced(&mut self, name: &str) -> bool {
        match self.around(name) {
            Some(unit) if unit.name == name && unit.announced > 0 => {
                unit.announced -= 1;
                true
            }
            _ => false,
        }
    }

    /// A test class starts inside `ancestors` (outermost first). A suite that runs is one of them,
    /// also where another thread started it.
    pub fn start(&mut self, name: &str, ancestors: Vec<String>, suite: bool) -> Start {
        if self.is_announced(name) {
            return Start::Part;
        }
        if let Some(unit) = self.around(name) {
            unit.depth += 1;
            return Start::Part;
        }
        let mut ancestors = ancestors;
        let mut probes = Bits::default();
        for unit in &self.active {
            probes.union(&unit.probes);
            if unit.suite && !ancestors.contains(&unit.name) {
                ancestors.push(unit.name.clone());
            }
        }
        self.mark_containers(&ancestors);
        let id = self.next_id();
        let parts_of_class = (self.by_method && !suite).then(|| Parts::after(&probes));
        self.active.push(Unit {
            id,
            name: name.into(),
            outcome: Outcome::Passed,
            container: suite,
            suite,
            probes,
            outer: Bits::default(),
            parts_of_class,
            ancestors,
            parts: HashSet::new(),
            started: Instant::now(),
            depth: 1,
            announced: 0,
        });
        Start::New(id)
    }

    /// Marks the units around a class that starts or is skipped: they are suites.
    pub fn mark_containers(&mut self, ancestors: &[String]) {
        for unit in &mut self.active {
            if ancestors.contains(&unit.name) {
                unit.container = true;
            }
        }
    }

    /// All that has run in this JVM.
    pub fn ever(&self) -> &Bits {
        &self.ever
    }

    /// The ids of the units that are active.
    pub fn active(&self) -> Vec<u32> {
        self.active.iter().map(|unit| unit.id).collect()
    }

    /// Whether a test class runs, and not only suites.
    pub fn inside_test(&self) -> bool {
        self.active.iter().any(|unit| !unit.suite)
    }

    /// The active unit that `name` is, or is nested in.
    pub fn around(&mut self, name: &str) -> Option<&mut Unit> {
        let position = self.position(name)?;
        self.active.get_mut(position)
    }

    fn position(&self, name: &str) -> Option<usize> {
        let belongs = |unit: &Unit| match unit.suite {
            true => unit.name == name,
            false => is_part(name, &unit.name),
        };
        self.active.iter().rposition(belongs)
    }

    /// Notes an outcome for the unit of `name`; if none is known by it, for all active ones.
    pub fn outcome(&mut self, name: Option<&str>, outcome: Outcome) {
        if let Some(unit) = name.and_then(|n| self.around(n)) {
            unit.ends_with(outcome);
            return;
        }
        self.active
            .iter_mut()
            .for_each(|unit| unit.ends_with(outcome));
    }

    /// Notes an outcome for a single test of the class `class`.
    pub fn part_outcome(&mut self, class: &str, part: &TestName, outcome: Outcome) {
        match self.around(class) {
            Some(unit) => {
                unit.outcome = unit.outcome.max(outcome);
                if let Some(parts) = &mut unit.parts_of_class {
                    parts.outcome(part, outcome);
                }
            }
            // It goes by the name of another class: JUnit 3 warns so of a class that it cannot make.
            None => self.outcome(None, outcome),
        }
    }

    /// A test class ends; gives the unit if it is the end of it.
    pub fn finish(&mut self, name: &str) -> Option<Unit> {
        let position = self.position(name)?;
        let unit = self.active.get_mut(position)?;
        unit.depth -= 1;
        if unit.depth > 0 {
            return None;
        }
        let mut unit = self.active.remove(position);
        unit.outer.union(&self.ambient);
        let made_with = self.made_with.get(&unit.name).into_iter().flatten();
        unit.parts.extend(made_with.cloned());
        let constructions = unit
            .classes()
            .filter_map(|name| self.construction.get(name));
        let mut outer = Bits::default();
        constructions.for_each(|construction| outer.union(construction));
        unit.outer.union(&outer);
        Some(unit)
    }

    /// Tests of this class, which has that many, may be left out from now on.
    pub fn filtered(&mut self, name: String, tests: i32) {
        let before = self.unfiltered.entry(name).or_default();
        *before = tests.max(*before);
    }

    /// How many tests this class had before some may have been left out.
    pub fn unfiltered(&self, name: &str) -> Option<i32> {
        self.unfiltered.get(name).copied()
    }

    /// Only some tests of this class run.
    pub fn cut(&mut self, name: &str) {
        self.cut.insert(name.into());
    }

    /// Whether only some tests of this class ran.
    pub fn is_cut(&self, name: &str) -> bool {
        self.cut.contains(name)
    }

    /// A class belongs to the unit of `name`, even if nothing of it runs.
    pub fn add_part(&mut self, name: &str, part: String) {
        if let Some(unit) = self.around(name) {
            unit.parts.insert(part);
        }
    }

    /// The runner of the class `name` is being made on `thread`.
    pub fn construction_started(&mut self, name: &str, thread: u64) {
        for (outer, _) in self.constructing.iter().filter(|(_, t)| *t == thread) {
            let with = self.made_with.entry(outer.clone()).or_default();
            with.insert(name.into());
        }
        self.constructing.push((name.into(), thread));
    }

    /// The runner of the class `name` has been made on `thread`.
    pub fn construction_ended(&mut self, name: &str, thread: u64) {
        if let Some(at) = self
            .constructing
            .iter()
            .rposition(|(n, t)| n == name && *t == thread)
        {
            self.constructing.remove(at);
        }
    }

    /// The initializer of `class` starts on `thread`.
    pub fn initializer_started(&mut self, class: u32, thread: u64) {
        self.initializers.push(Running {
            class,
            thread,
            probes: SparseBits::default(),
            on_thread: SparseBits::default(),
        });
    }

    /// The initializer of `class` ended, and with it those inside it that never said so.
    pub fn initializer_ended(&mut self, class: u32, thread: u64) -> Vec<Initialized> {
        let position = self
            .initializers
            .iter()
            .rposition(|r| r.class == class && r.thread == thread);
        let mut ended = match position {
            Some(position) => self.close_initializers(thread, position),
            None => Vec::new(),
        };
        if let Some(outermost) = ended.first_mut() {
            outermost.broken = false;
        }
        ended
    }

    /// All initializers of `thread` from `position` on end now, without having said so.
    fn close_initializers(&mut self, thread: u64, position: usize) -> Vec<Initialized> {
        let mut closed = Vec::new();
        for at in (position..self.initializers.len()).rev() {
            if self
                .initializers
                .get(at)
                .is_some_and(|r| r.thread == thread)
            {
                closed.extend(self.seen_in(at));
                let ended = self.initializers.remove(at);
                let before = self.initializers.get_mut(..at).unwrap_or_default();
                if let Some(before) = before.last_mut() {
                    before.probes.union(&ended.probes);
                }
                if let Some(around) = before.iter_mut().rfind(|r| r.thread == thread) {
                    around.on_thread.union(&ended.on_thread);
                }
            }
        }
        closed.reverse();
        closed
    }

    /// What the initializer at `position` has seen so far.
    fn seen_in(&self, position: usize) -> Option<Initialized> {
        let since = self.initializers.get(position..).unwrap_or_default();
        let (running, later) = since.split_first()?;
        let mut probes = running.probes.clone();
        probes.union(&running.on_thread);
        for later in later {
            probes.union(&later.probes);
            if later.thread == running.thread {
                probes.union(&later.on_thread);
            }
        }
        Some(Initialized {
            class: running.class,
            probes,
            broken: true,
        })
    }

    /// Initializers that threw stay open; the end of a unit on their thread closes them. Those of
    /// other threads go on, and what they saw so far is given too.
    pub fn settle_initializers(&mut self, thread: u64) -> Vec<Initialized> {
        let mut seen = self.close_initializers(thread, 0);
        let open = 0..self.initializers.len();
        seen.extend(open.filter_map(|position| self.seen_in(position)));
        seen
    }
}

#[cfg(test)]
mod tests;
