//! Units, which nest to any depth: a test class, the tests in it, and what a test may consist of.
//!
//! - What runs counts for each unit that is active, as far as no unit inside it is: then it counts for that
//!   one. Several units inside one may be active at once, because a probe does not know its thread. A unit is
//!   active as long as it was started more often than it ended, and the units around it are, too.
//! - What runs in a unit outside of those inside it counts for each of them: for the tests of a class what its
//!   fixtures and extensions do.
//! - Units that cannot be told apart are one with the unit around them: if somebody says so, if one of
//!   them is still active when that one ends, or if an object was made that they share.
//! - A unit ends as the worst of those inside it. An outcome of a unit as a whole is shared by those inside
//!   it, so they cannot be told apart.

use crate::{Bits, SparseBits};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tamis_identity::TestName;
use tamis_recording::UnitOutcome;

/// A unit: a test class or a test that is tracked while it runs, with the units inside it.
#[derive(Debug)]
pub struct Unit<N = TestName> {
    name: N,
    /// The worst outcome of it as a whole.
    outcome: UnitOutcome,
    /// Probes that fired in it outside of the units inside it.
    ran: Bits,
    /// In the order in which they were first named.
    inside: Vec<Unit<N>>,
    /// The units inside it cannot be told apart.
    is_merged: bool,
    /// Each of those inside it has an object of its own, whenever that is made.
    has_objects_apart: bool,
    /// How often it was started and not yet ended.
    depth: u32,
    since: Instant,
    took: Duration,
}

/// A leaf: a unit without distinguishable units inside.
#[derive(Debug)]
pub struct Leaf<N = TestName> {
    /// Its name.
    pub name: N,
    /// Its outcome.
    pub outcome: UnitOutcome,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// Probes that fired while it was active.
    pub ran: Bits,
    /// What ran in the units around it outside of those inside them: it counts for this one, too.
    pub around: Rc<Bits>,
}

impl<N: Clone + PartialEq> Unit<N> {
    /// A unit before which this ran already, and counts for it.
    pub fn after(name: N, ran: Bits) -> Self {
        Unit {
            name,
            outcome: UnitOutcome::Passed,
            ran,
            inside: Vec::new(),
            is_merged: false,
            has_objects_apart: false,
            depth: 0,
            since: Instant::now(),
            took: Duration::ZERO,
        }
    }

    /// Its name.
    pub fn name(&self) -> &N {
        &self.name
    }

    /// The unit `name` inside it, if it is known.
    pub fn inside(&self, name: &N) -> Option<&Unit<N>> {
        self.inside.iter().find(|unit| unit.name == *name)
    }

    /// The unit `name` inside it, mutable.
    pub fn inside_mut(&mut self, name: &N) -> Option<&mut Unit<N>> {
        self.inside.iter_mut().find(|unit| unit.name == *name)
    }

    /// The unit `name` inside it, which is known from now on.
    fn known(&mut self, name: &N) -> Option<&mut Unit<N>> {
        if self.inside(name).is_none() {
            let unit = Unit::after(name.clone(), Bits::default());
            self.inside.push(unit);
        }
        self.inside_mut(name)
    }

    /// The unit `name` inside it starts.
    pub fn start(&mut self, name: &N) {
        if let Some(unit) = self.known(name) {
            if unit.depth == 0 {
                unit.since = Instant::now();
            }
            unit.depth += 1;
        }
    }

    /// The unit `name` inside it ends.
    pub fn finish(&mut self, name: &N) {
        if let Some(unit) = self.known(name)
            && unit.depth > 0
        {
            unit.depth -= 1;
            if unit.depth == 0 {
                unit.took += unit.since.elapsed();
            }
        }
    }

    /// Whether the unit `name` inside it was started and has not ended.
    pub fn is_active(&self, name: &N) -> bool {
        self.inside(name).is_some_and(|unit| unit.depth > 0)
    }

    /// Attributes what ran since the last boundary.
    pub fn executed(&mut self, ran: &SparseBits) {
        let mut is_inside = false;
        for unit in self.inside.iter_mut().filter(|unit| unit.depth > 0) {
            unit.executed(ran);
            is_inside = true;
        }
        if !is_inside {
            self.ran.add(ran);
        }
    }

    /// All that ran in it.
    pub fn ran(&self) -> Bits {
        let mut ran = self.ran.clone();
        self.inside.iter().for_each(|unit| unit.add_to(&mut ran));
        ran
    }

    /// Adds all that ran in it.
    pub(crate) fn add_to(&self, ran: &mut Bits) {
        ran.union(&self.ran);
        self.inside.iter().for_each(|unit| unit.add_to(ran));
    }

    /// Notes an outcome of it as a whole.
    pub fn ends_with(&mut self, outcome: UnitOutcome) {
        self.outcome = self.outcome.max(outcome);
        self.merge();
    }

    /// Notes an outcome of the unit `name` inside it.
    pub fn inside_ends_with(&mut self, name: &N, outcome: UnitOutcome) {
        if let Some(unit) = self.known(name) {
            unit.ends_with(outcome);
        }
    }

    /// Its outcome so far.
    pub fn outcome(&self) -> UnitOutcome {
        let inside = self.inside.iter().map(Unit::outcome);
        inside.fold(self.outcome, UnitOutcome::max)
    }

    /// The units inside it cannot be told apart.
    pub fn merge(&mut self) {
        self.is_merged = true;
    }

    /// The units inside it cannot be told apart if one of these ran outside of them: a constructor, which made an
    /// object that they share.
    pub fn merge_if_outside(&mut self, constructors: &Bits) {
        let is_shared = self.ran.and(constructors).next().is_some();
        self.is_merged |= is_shared && !self.has_objects_apart;
    }

    /// The framework makes an object for each unit inside, perhaps before it says that this one starts.
    pub fn have_own_objects(&mut self) {
        self.has_objects_apart = true;
    }

    /// Whether it is one unit: there are none inside that can be told apart.
    pub fn is_whole(&self) -> bool {
        let is_open = self.inside.iter().any(|unit| unit.depth > 0);
        self.is_merged || self.inside.is_empty() || is_open
    }

    /// The units inside it, at any depth, in which no others can be told apart; `None` if it is whole.
    pub fn split(&self) -> Option<Vec<Leaf<N>>> {
        let mut leaves = Vec::new();
        self.add_leaves(&Rc::default(), &mut leaves);
        (!self.is_whole()).then_some(leaves)
    }

    fn add_leaves(&self, around: &Rc<Bits>, leaves: &mut Vec<Leaf<N>>) {
        if self.is_whole() {
            leaves.push(Leaf {
                name: self.name.clone(),
                outcome: self.outcome(),
                micros: self.took.as_micros() as u64,
                ran: self.ran(),
                around: Rc::clone(around),
            });
            return;
        }
        let mut own = self.ran.clone();
        own.union(around);
        let around = Rc::new(own);
        for unit in &self.inside {
            unit.add_leaves(&around, leaves);
        }
    }
}

#[cfg(test)]
mod tests;
