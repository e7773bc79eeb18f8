use crate::{ClassOutcome, Replay, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Add;

/// How test classes changed that ended differently than at the step before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Endings {
    /// How many are new.
    pub new: usize,
    /// How many passed before and failed.
    pub failed: usize,
    /// How many failed before and passed.
    pub repaired: usize,
    /// How many passed in both or failed in both: single tests came, went, or ended differently.
    pub otherwise: usize,
}

impl Endings {
    /// The endings of one step.
    pub(crate) fn of(replay: &Replay, step: &Step) -> Endings {
        let before = replay.steps.iter().find(|other| {
            let before = step.before.as_deref();
            before == Some(other.revision.as_str())
        });
        let none = BTreeMap::new();
        let before = before.map_or(&none, |before| &before.retest.classes);
        let mut endings = Endings::default();
        for class in &step.retest.differing {
            let now = step.retest.classes.get(class);
            let number = match (before.get(class), now) {
                (None, _) => &mut endings.new,
                (Some(ClassOutcome::Passed), Some(ClassOutcome::Failed)) => &mut endings.failed,
                (Some(ClassOutcome::Failed), Some(ClassOutcome::Passed)) => &mut endings.repaired,
                _ => &mut endings.otherwise,
            };
            *number += 1;
        }
        endings
    }
}

impl Add for Endings {
    type Output = Endings;

    fn add(self, other: Endings) -> Endings {
        Endings {
            new: self.new + other.new,
            failed: self.failed + other.failed,
            repaired: self.repaired + other.repaired,
            otherwise: self.otherwise + other.otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{of, step};

    #[test]
    fn what_is_new_is_neither_failed_nor_repaired() {
        use ClassOutcome::{Failed, Passed};
        let classes = |all: &[(&str, ClassOutcome)]| {
            let all = all.iter();
            all.map(|(class, outcome)| ((*class).to_owned(), *outcome))
                .collect()
        };
        let mut first = step("a", None, 1.0, &[]);
        first.retest.classes =
            classes(&[("A", Passed), ("B", Failed), ("C", Passed), ("D", Failed)]);
        let mut second = step("b", Some("a"), 1.0, &[]);
        second.retest.classes = classes(&[
            ("A", Failed),
            ("B", Passed),
            ("C", Passed),
            ("D", Failed),
            ("E", Failed),
            ("F", Passed),
        ]);
        second.retest.differing = second.retest.classes.keys().cloned().collect();
        let replay = of(vec![first, second]);
        let expected = Endings {
            new: 2,
            failed: 1,
            repaired: 1,
            otherwise: 2,
        };
        assert_eq!(Endings::of(&replay, &replay.steps[1]), expected);
        assert_eq!(Endings::of(&replay, &replay.steps[0]), Endings::default());
    }
}
