//! The single tests of a test class, where they are units of their own.
//!
//! What runs while a test of the class is active belongs to that test; the rest (fixtures of the
//! class, what its initializers and extensions do) belongs to each of them. Where tests cannot be
//! told apart the class stays one unit.

use crate::{Bits, SparseBits};
use std::time::{Duration, Instant};
use tamis_identity::TestName;
use tamis_recording::Outcome;

/// A test of a test class: a method, with all its invocations.
#[derive(Debug)]
pub struct Part {
    /// Which.
    pub name: TestName,
    /// What ran while it was active.
    pub probes: Bits,
    /// How it ended.
    pub outcome: Outcome,
    /// How often it was started and not yet ended.
    depth: u32,
    since: Instant,
    took: Duration,
}

impl Part {
    /// How long it took, in microseconds.
    pub fn micros(&self) -> u64 {
        self.took.as_micros() as u64
    }
}

/// The tests of one class.
#[derive(Debug, Default)]
pub struct Parts {
    parts: Vec<Part>,
    /// What ran while none of them was active.
    shared: Bits,
    /// They cannot be told apart.
    merged: bool,
    /// Each of them has an object of its own, whenever that is made.
    objects_apart: bool,
}

impl Parts {
    /// Parts of a class before which this ran already.
    pub fn after(ran: &Bits) -> Self {
        Parts {
            shared: ran.clone(),
            ..Parts::default()
        }
    }

    /// Hands out what ran since the last boundary.
    pub fn executed(&mut self, ran: &SparseBits) {
        let mut nobody = true;
        for part in self.parts.iter_mut().filter(|part| part.depth > 0) {
            part.probes.add(ran);
            nobody = false;
        }
        if nobody {
            self.shared.add(ran);
        }
    }

    /// Tests of this class cannot be told apart.
    pub fn merge(&mut self) {
        self.merged = true;
    }

    /// The framework makes an object for each test, perhaps before it says that the test starts.
    pub fn have_own_objects(&mut self) {
        self.objects_apart = true;
    }

    fn part(&mut self, name: &TestName) -> Option<&mut Part> {
        let at = match self.parts.iter().rposition(|part| part.name == *name) {
            Some(at) => at,
            None => {
                self.parts.push(Part {
                    name: name.clone(),
                    probes: Bits::default(),
                    outcome: Outcome::Passed,
                    depth: 0,
                    since: Instant::now(),
                    took: Duration::ZERO,
                });
                self.parts.len() - 1
            }
        };
        self.parts.get_mut(at)
    }

    /// What ran while the test `name` was active.
    pub fn probes_of(&self, name: &TestName) -> Option<&Bits> {
        let part = self.parts.iter().find(|part| part.name == *name);
        part.map(|part| &part.probes)
    }

    /// The test `name` starts.
    pub fn start(&mut self, name: &TestName) {
        if let Some(part) = self.part(name) {
            if part.depth == 0 {
                part.since = Instant::now();
            }
            part.depth += 1;
        }
    }

    /// Whether the test `name` runs now.
    pub fn is_active(&mut self, name: &TestName) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| part.name == *name && part.depth > 0)
    }

    /// The test `name` ends.
    pub fn finish(&mut self, name: &TestName) {
        if let Some(part) = self.part(name) {
            part.depth = part.depth.saturating_sub(1);
            if part.depth == 0 {
                part.took += part.since.elapsed();
            }
        }
    }

    /// Notes an outcome of the test `name`.
    pub fn outcome(&mut self, name: &TestName, outcome: Outcome) {
        if let Some(part) = self.part(name) {
            part.outcome = part.outcome.max(outcome);
        }
    }

    /// What ran outside all of them, and they; `None` if the class is one unit. A constructor of the
    /// class that ran outside them made an object that they share.
    pub fn split(self, constructors: &Bits) -> Option<(Bits, Vec<Part>)> {
        let shares_object = !self.objects_apart && self.shared.and(constructors).next().is_some();
        let whole = self.merged || shares_object || self.parts.is_empty();
        let ended = self.parts.iter().all(|part| part.depth == 0);
        (!whole && ended).then_some((self.shared, self.parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(probes: &[u32]) -> Bits {
        probes.iter().copied().collect()
    }

    #[test]
    fn what_runs_outside_all_tests_belongs_to_each() {
        let mut parts = Parts::after(&bits(&[9]));
        parts.executed(&[1].into_iter().collect());
        parts.start(&"T#a".into());
        parts.executed(&[2].into_iter().collect());
        parts.finish(&"T#a".into());
        parts.executed(&[3].into_iter().collect());
        parts.start(&"T#b".into());
        parts.start(&"T#b".into());
        parts.finish(&"T#b".into());
        parts.executed(&[4].into_iter().collect());
        parts.outcome(&"T#b".into(), Outcome::Failed);
        parts.finish(&"T#b".into());
        let (shared, parts) = parts.split(&bits(&[7])).unwrap();
        assert_eq!(shared, bits(&[1, 3, 9]));
        let told = |part: &Part| (part.name.clone(), part.probes.clone(), part.outcome);
        assert_eq!(
            parts.iter().map(told).collect::<Vec<_>>(),
            [
                ("T#a".into(), bits(&[2]), Outcome::Passed),
                ("T#b".into(), bits(&[4]), Outcome::Failed)
            ]
        );
    }

    #[test]
    fn what_cannot_be_told_apart_stays_one_unit() {
        let one = || {
            let mut parts = Parts::default();
            parts.executed(&[1].into_iter().collect());
            parts.start(&"T#a".into());
            parts
        };
        let mut whole = one();
        whole.finish(&"T#a".into());
        assert!(whole.split(&bits(&[2])).is_some());
        let mut merged = one();
        merged.finish(&"T#a".into());
        merged.merge();
        assert!(merged.split(&bits(&[])).is_none());
        assert!(one().split(&bits(&[])).is_none(), "a test still runs");
        let mut shares = one();
        shares.finish(&"T#a".into());
        assert!(shares.split(&bits(&[1])).is_none(), "one object for all");
        let mut apart = one();
        apart.finish(&"T#a".into());
        apart.have_own_objects();
        assert!(apart.split(&bits(&[1])).is_some());
        assert!(Parts::default().split(&bits(&[])).is_none(), "no tests");
    }
}
