//! Code that the JDK runs once and whose results it keeps for the whole JVM: bundles, providers,
//! descriptions of beans, configuration of logs.
//!
//! Such code is known by a look-up: the JDK finds a class of the program by its name, on behalf of something
//! that caches. Whenever a method of such a class runs for the first time, what it may have called counts
//! for all who come later.

use crate::classes::{Classes, Family, Reach};
use crate::watchers::lookups::LookupOrigin;
use tamis_attribution::{Bits, HIGH, SparseBits, numbers};

/// The classes that the JDK caches, and what has been seen of them.
#[derive(Debug, Default)]
pub(crate) struct JdkCaches {
    /// The numbers of the names of those that it looked up itself, since the last boundary.
    new: Vec<u32>,
    /// The same for those that were looked up for its sake.
    new_others: Vec<u32>,
    /// The classes that belong to the first, and those that they may call.
    family: Family,
    reach: Reach,
    /// Whether the JDK caches any.
    is_any: bool,
    /// The probes of the first that ever fired.
    ran: Bits,
    /// The units that were active when one fired for the first time, as long as they last.
    during: Vec<u32>,
}

impl JdkCaches {
    /// A class was found by its name, by somebody who keeps; gives the mark of what is caches.
    pub(crate) fn found(
        &mut self,
        classes: &mut Classes,
        name: &[u8],
        by: LookupOrigin,
    ) -> Option<u32> {
        let name = classes.number_of(name);
        if by == LookupOrigin::JdkCache {
            self.is_any = true;
            self.new.push(name);
            return Some(classes.cached_by_jdk(name));
        }
        self.new_others.push(name);
        None
    }

    /// The probes that count for all units, of those that fired while the units `active` ran.
    pub(crate) fn settle(
        &mut self,
        classes: &Classes,
        active: &[u32],
        fired: &SparseBits,
    ) -> SparseBits {
        self.during.retain(|unit| active.contains(unit));
        if !self.is_any {
            return SparseBits::default();
        }
        self.family.grow(classes, self.new.drain(..));
        let others = self.new_others.drain(..);
        self.reach.grow(classes, self.family.ids(), others);
        // PseudoProbes stand behind the probes, and have none of their own.
        let runs_in =
            |number: u32, is_of: &dyn Fn(u32) -> bool| classes.runs_in(number).is_some_and(is_of);
        let of = |probes: &Bits, is_of: &dyn Fn(u32) -> bool| -> SparseBits {
            let words = fired.words().map(|(word, bits)| match word * 64 < HIGH {
                true => (word, bits & probes.word(word)),
                false => {
                    let events = numbers((word, bits)).filter(|number| runs_in(*number, is_of));
                    (
                        word,
                        events.fold(0, |bits, number| bits | 1 << (number % 64)),
                    )
                }
            });
            words.collect()
        };
        let ran = of(self.family.probes(), &|id| self.family.contains(id));
        let new = ran
            .words()
            .filter(|word| self.ran.insert_word(*word).1 != 0);
        if new.count() > 0 {
            self.during = active.to_vec();
        }
        match self.during.is_empty() {
            true => SparseBits::default(),
            false => of(self.reach.probes(), &|id| self.reach.contains(id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Loaded;

    /// Each class has two methods, whose probes are twice its position and the next.
    fn classes(all: &[(&str, &[&str], &[&str])]) -> Classes {
        let mut classes = Classes::default();
        for (at, (name, structural, types)) in (0..).zip(all) {
            let loaded = Loaded {
                name: name.as_bytes(),
                first_probe: Some(2 * at),
                structural: structural.iter().map(|name| name.as_bytes()).collect(),
                types: types.iter().map(|name| (0, name.as_bytes())).collect(),
                ..Loaded::default()
            };
            classes.add(&loaded, 2);
        }
        classes
    }

    fn settle(caches: &mut JdkCaches, classes: &Classes, unit: u32, fired: &[u32]) -> Vec<u32> {
        let fired = fired.iter().copied().collect();
        caches.settle(classes, &[unit], &fired).iter().collect()
    }

    #[test]
    fn what_a_cached_class_may_have_called_counts_once_for_all() {
        let mut classes = classes(&[
            ("Words", &[], &["Helper"]),
            ("Helper", &[], &["Role"]),
            ("Role", &[], &[]),
            ("Player", &["Role"], &[]),
            ("Test", &[], &[]),
        ]);
        let mut caches = JdkCaches::default();
        assert!(settle(&mut caches, &classes, 0, &[0, 2, 8]).is_empty());
        caches.found(&mut classes, b"Words", LookupOrigin::JdkCache);
        let mut check = |story: &str, unit: u32, fired: &[u32], expected: &[u32]| {
            assert_eq!(
                settle(&mut caches, &classes, unit, fired),
                expected,
                "{story}"
            );
        };
        check("another runs", 1, &[2, 8], &[]);
        check("it runs", 1, &[0, 2, 7, 8], &[0, 2, 7]);
        check("the unit goes on", 1, &[3, 8], &[3]);
        check("it runs again in another", 2, &[0, 3, 8], &[]);
        check("more of it runs", 2, &[1, 8], &[1]);
    }

    #[test]
    fn what_is_looked_up_for_a_cache_of_the_jdk_is_reached() {
        let mut classes = classes(&[("Words", &[], &[]), ("Named", &[], &[]), ("Test", &[], &[])]);
        let mut caches = JdkCaches::default();
        caches.found(&mut classes, b"Words", LookupOrigin::JdkCache);
        caches.found(&mut classes, b"Named", LookupOrigin::ForJdkCache);
        assert_eq!(settle(&mut caches, &classes, 0, &[2, 4]), []);
        assert_eq!(settle(&mut caches, &classes, 0, &[0, 2, 4]), [0, 2]);
    }
}
