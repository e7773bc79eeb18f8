//! Pseudo-probes: events that are attributed to units exactly like probe hits.

use std::collections::HashMap;
use tamis_attribution::HIGH;

/// An event without code of its own. It has a number from [`HIGH`] on and counts for the units that a probe would count
/// for that fires now: units that overlap, those that use an initializer, all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum PseudoProbe {
    /// A method (its probe) ran on an object of a class (the number of its name); `None` for a class that is not
    /// recorded: a proxy, a lambda, a hidden one.
    Receiver(u32, Option<u32>),
    /// A class was looked up, by the number of its name.
    Name(u32),
    /// The JDK found a class, by the number of its name, and caches what it got from it.
    CachedByJdk(u32),
    /// An input was read, by its number.
    Input(u32),
    /// An object that a framework caches was used, by its number: a context, a store.
    Shared(u32),
    /// A setting of the JVM was read, by its number.
    Setting(u32),
    /// A setting of the JVM was written, by its number.
    Written(u32),
}

/// All pseudo-probes, with their numbers.
#[derive(Debug, Default)]
pub(crate) struct PseudoProbes {
    all: Vec<PseudoProbe>,
    numbers: HashMap<PseudoProbe, u32>,
}

impl PseudoProbes {
    pub(crate) fn number(&mut self, event: PseudoProbe) -> u32 {
        *self.numbers.entry(event).or_insert_with(|| {
            self.all.push(event);
            HIGH + self.all.len() as u32 - 1
        })
    }

    pub(crate) fn get(&self, number: u32) -> Option<PseudoProbe> {
        self.all.get(number.checked_sub(HIGH)? as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudo_probe_has_one_number_and_is_found_by_it() {
        let mut probes = PseudoProbes::default();
        let all = [
            PseudoProbe::Receiver(3, Some(1)),
            PseudoProbe::Receiver(3, None),
            PseudoProbe::Name(3),
            PseudoProbe::CachedByJdk(3),
            PseudoProbe::Input(3),
            PseudoProbe::Shared(3),
            PseudoProbe::Setting(3),
            PseudoProbe::Written(3),
        ];
        for (number, event) in (HIGH..).zip(all) {
            assert_eq!(probes.number(event), number);
            assert_eq!(probes.number(event), number);
            assert_eq!(probes.get(number), Some(event));
        }
        assert_eq!(probes.get(HIGH + 8), None);
        assert_eq!(probes.get(3), None);
    }
}
