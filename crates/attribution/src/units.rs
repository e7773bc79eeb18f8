//! The running test classes: attributes probe hits to them.
//!
//! What runs while several units are active counts for each of them, because a probe does not know
//! its thread: a unit gets at least what it used. What runs while none is active counts for every
//! unit that comes later. Suites hold classes as [`Unit`]s hold others, but each class is settled when it ends, and may
//! be in several suites: so it has what these ran until it started.

use crate::initializers::Initializers;
use crate::runners::Runners;
use crate::{Bits, Initialized, SparseBits, Unit};
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use tamis_identity::{TestName, is_part};
use tamis_recording::UnitOutcome;

/// A test class that runs, or a suite.
#[derive(Debug)]
pub struct TestClass {
    /// Its number in this JVM.
    pub id: u32,
    /// Probes that fire in it, per single test if these are units.
    pub unit: Unit,
    /// Probes that fired before it and count for it: known when it ends.
    pub outer: Bits,
    /// Whether other test classes ran inside it.
    pub is_container: bool,
    /// It runs other test classes: what is nested in its class is no part of it.
    is_suite: bool,
    /// The names of the classes around it.
    ancestors: Vec<String>,
    /// Other classes that belong to it, executed or not.
    parts: HashSet<String>,
    started: Instant,
    /// How often it was started and not yet ended: frameworks nest a class in itself.
    depth: u32,
    /// How many of those starts were announced and have not come yet.
    announced: u32,
}

impl TestClass {
    /// Its binary name.
    pub fn name(&self) -> &str {
        self.unit.name().class()
    }

    /// How long it has run, in microseconds.
    pub fn micros(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    /// The names of the classes that it is, runs in and has as parts.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        let others = self.ancestors.iter().chain(&self.parts);
        others.map(String::as_str).chain([self.name()])
    }
}

/// The units of a JVM, and what ran outside them.
#[derive(Debug, Default)]
pub struct Units {
    active: Vec<TestClass>,
    initializers: Initializers,
    runners: Runners,
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

/// The result of starting a class.
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

    /// The unit of the class `name`, or of the class around it, if its single tests are units inside it.
    pub fn splittable(&mut self, name: &str) -> Option<&mut Unit> {
        let by_method = self.by_method;
        let class = self.around(name)?;
        (by_method && !class.is_suite).then_some(&mut class.unit)
    }

    /// A test runs that belongs to no known class: nobody's tests can be told apart.
    pub fn merge_all(&mut self) {
        self.active.iter_mut().for_each(|class| class.unit.merge());
    }

    /// The id for another unit.
    pub fn next_id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Credits what ran since the last boundary, on any thread.
    pub fn executed(&mut self, ran: &SparseBits) {
        let is_in_initializer = self.initializers.executed(ran);
        self.credit(ran, is_in_initializer);
    }

    /// Credits what happened on `thread` alone: an initializer that another thread runs has no part in it.
    pub fn executed_on(&mut self, thread: u64, ran: &SparseBits) {
        let is_in_initializer = self.initializers.executed_on(thread, ran);
        self.credit(ran, is_in_initializer);
    }

    /// Credits all but initializers.
    fn credit(&mut self, ran: &SparseBits, is_in_initializer: bool) {
        if ran.is_empty() {
            return;
        }
        self.ever.add(ran);
        self.runners.executed(ran);
        let holds_others = |class: &TestClass| {
            let mut all = self.active.iter();
            all.any(|other| other.ancestors.iter().any(|name| name == class.name()))
        };
        let holds_others: Vec<bool> = self.active.iter().map(holds_others).collect();
        let is_outside = !holds_others.contains(&false);
        for (class, holds_others) in self.active.iter_mut().zip(holds_others) {
            if !holds_others {
                class.unit.executed(ran);
            }
        }
        if is_outside {
            self.outside.add(ran);
            self.newly_outside.add(ran);
            // What makes a runner counts for its tests, and what runs in an initializer for those who use
            // its class.
            if !self.runners.is_any_made() && !is_in_initializer {
                self.ambient.add(ran);
            }
        }
    }

    /// Probes that fired while no unit was active since the last call; `None` while one is active.
    pub fn newly_outside(&mut self) -> Option<Bits> {
        let is_outside = self.active.is_empty();
        is_outside.then(|| std::mem::take(&mut self.newly_outside))
    }

    /// All that ran while no unit was active.
    pub fn ever_outside(&self) -> &Bits {
        &self.outside
    }

    /// Counts what ran for all units that end from now on.
    pub fn count_for_all(&mut self, ran: &SparseBits) {
        self.ambient.add(ran);
    }

    /// A test class will start, and what decides about that runs now. What is nested in a class
    /// that runs needs no announcement.
    pub fn announce(&mut self, name: &str, ancestors: Vec<String>) -> Start {
        if self.around(name).is_some_and(|class| class.name() != name) {
            return Start::Part;
        }
        let announced = self
            .around(name)
            .map_or(0, |class| std::mem::take(&mut class.announced));
        let start = self.start(name, ancestors, false);
        if let Some(class) = self.around(name) {
            class.announced = announced + 1;
        }
        start
    }

    /// Takes back an announcement, if there is one.
    pub fn is_announced(&mut self, name: &str) -> bool {
        match self.around(name) {
            Some(class) if class.name() == name && class.announced > 0 => {
                class.announced -= 1;
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
        if let Some(class) = self.around(name) {
            class.depth += 1;
            return Start::Part;
        }
        let mut ancestors = ancestors;
        let mut ran = Bits::default();
        for class in &self.active {
            class.unit.add_to(&mut ran);
            if class.is_suite && !ancestors.iter().any(|name| name == class.name()) {
                ancestors.push(class.name().into());
            }
        }
        self.mark_containers(&ancestors);
        let id = self.next_id();
        self.active.push(TestClass {
            id,
            unit: Unit::after(TestName::of_class(name), ran),
            outer: Bits::default(),
            is_container: suite,
            is_suite: suite,
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
        for class in &mut self.active {
            class.is_container |= ancestors.iter().any(|name| name == class.name());
        }
    }

    /// All that has run in this JVM.
    pub fn ever(&self) -> &Bits {
        &self.ever
    }

    /// Whether an initializer runs on `thread`.
    pub fn is_initializing(&self, thread: u64) -> bool {
        self.initializers.run_on(thread)
    }

    /// The ids of the units that are active.
    pub fn active(&self) -> Vec<u32> {
        self.active.iter().map(|class| class.id).collect()
    }

    /// Whether a test class runs, and not only suites.
    pub fn inside_test(&self) -> bool {
        self.active.iter().any(|class| !class.is_suite)
    }

    /// The active class that `name` is, or is nested in.
    pub fn around(&mut self, name: &str) -> Option<&mut TestClass> {
        let position = self.position(name)?;
        self.active.get_mut(position)
    }

    fn position(&self, name: &str) -> Option<usize> {
        let belongs = |class: &TestClass| match class.is_suite {
            true => class.name() == name,
            false => is_part(name, class.name()),
        };
        self.active.iter().rposition(belongs)
    }

    /// Notes an outcome of the class of `name` as a whole; if none is known by it, of all active ones.
    pub fn outcome(&mut self, name: Option<&str>, outcome: UnitOutcome) {
        if let Some(class) = name.and_then(|n| self.around(n)) {
            class.unit.ends_with(outcome);
            return;
        }
        let all = self.active.iter_mut();
        all.for_each(|class| class.unit.ends_with(outcome));
    }

    /// Notes an outcome for a single test of the class `class`.
    pub fn part_outcome(&mut self, class: &str, part: &TestName, outcome: UnitOutcome) {
        if let Some(unit) = self.splittable(class) {
            unit.inside_ends_with(part, outcome);
        } else {
            // It may go by the name of another class: JUnit 3 warns so of a class that it cannot make.
            self.outcome(Some(class), outcome);
        }
    }

    /// A test class ends; gives it if it is the end of it.
    pub fn finish(&mut self, name: &str) -> Option<TestClass> {
        let position = self.position(name)?;
        let class = self.active.get_mut(position)?;
        class.depth -= 1;
        if class.depth > 0 {
            return None;
        }
        let mut class = self.active.remove(position);
        let made_with: Vec<String> = self.runners.made_with(class.name()).cloned().collect();
        class.parts.extend(made_with);
        let made = self.runners.made(class.classes());
        class.outer.union(&made);
        class.outer.union(&self.ambient);
        Some(class)
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
        if let Some(class) = self.around(name) {
            class.parts.insert(part);
        }
    }

    /// The runner of the class `name` is being made on `thread`.
    pub fn construction_started(&mut self, name: &str, thread: u64) {
        self.runners.started(name, thread);
    }

    /// The runner of the class `name` has been made on `thread`.
    pub fn construction_ended(&mut self, name: &str, thread: u64) {
        self.runners.ended(name, thread);
    }

    /// The initializer of `class` starts on `thread`.
    pub fn initializer_started(&mut self, class: u32, thread: u64) {
        self.initializers.started(class, thread);
    }

    /// The initializer of `class` ended, and with it those inside it that never said so.
    pub fn initializer_ended(&mut self, class: u32, thread: u64) -> Vec<Initialized> {
        self.initializers.ended(class, thread)
    }

    /// Initializers that threw stay open; the end of a unit on their thread closes them. Those of
    /// other threads go on, and what they saw so far is given too.
    pub fn settle_initializers(&mut self, thread: u64) -> Vec<Initialized> {
        self.initializers.settle(thread)
    }
}

#[cfg(test)]
mod tests;
