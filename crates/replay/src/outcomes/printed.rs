use super::known_class;
use std::collections::{BTreeMap, BTreeSet};

/// The output of each test, as a digest, by `module:class` as in [`super::Outcomes`]. Tests that print nothing have none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Printed(BTreeMap<String, BTreeMap<String, u64>>);

impl Printed {
    pub(super) fn note(&mut self, (class, test): (String, String), digest: u64) {
        let tests = self.0.entry(class).or_default();
        // Parameters may give several tests one name, in any order.
        let before = tests.entry(test).or_default();
        *before = before.wrapping_add(digest);
    }

    /// The tests, with their classes, that print something else in the other one.
    pub(crate) fn unlike(&self, other: &Printed) -> BTreeSet<(String, String)> {
        let all = |printed: &Printed| -> BTreeSet<(String, String)> {
            let classes = printed.0.iter();
            classes
                .flat_map(|(class, tests)| tests.keys().map(|test| (class.clone(), test.clone())))
                .collect()
        };
        let digest = |printed: &Printed, (class, test): &(String, String)| {
            printed.0.get(class)?.get(test).copied()
        };
        let mut unlike: BTreeSet<(String, String)> = all(self);
        unlike.extend(all(other));
        unlike.retain(|test| digest(self, test) != digest(other, test));
        unlike
    }

    /// The same by classes that are known, see [`super::Outcomes::by_class`].
    pub(super) fn by_class(&self, known: &BTreeSet<String>) -> Printed {
        let mut printed = Printed::default();
        for (suite, tests) in &self.0 {
            for (test, digest) in tests {
                printed.note((known_class(suite, test, known), test.clone()), *digest);
            }
        }
        printed
    }
}
