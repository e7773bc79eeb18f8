//! State that outlives the unit that made it: static fields and what they lead to.
//!
//! A *root* is a place where such state is found: a static field of the program, a cached context.
//! **Rule:** a unit that may read a root inherits the footprints of all units that changed the root
//! before. **Argument:** a unit sees what earlier units did only through state they left; all of it is
//! reached through a root; a unit that found a root in one state and left it in another is one of those
//! that made what comes later. What a unit changed and put back itself does not count: then its own code
//! decides nothing that others see, as long as it does not change.
//!
//! The caller says what each root looks like after a class initializer (which has a rule of its own) and
//! at the end of each unit that may have touched it. A unit whose effects were seen through another name
//! of the same objects must be told for that root too: see [`Shared::look`].

use crate::Bits;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The state of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Everything that it leads to, as one digest.
    Seen(u128),
    /// Nobody can say: no two such states are equal.
    Unknown,
}

impl State {
    fn is_same(self, other: State) -> bool {
        self == other && self != State::Unknown
    }
}

#[derive(Debug)]
struct Root {
    last: State,
    /// The units that changed it, each once, in this order.
    writers: Vec<u32>,
}

/// The roots, and the footprints of the units that changed them.
#[derive(Debug, Default)]
pub struct Shared {
    roots: HashMap<u32, Root>,
    footprints: HashMap<u32, Bits>,
}

/// The footprint that a unit inherits, and from whom.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heritage {
    /// The probes of the units from which it inherits.
    pub footprint: Bits,
    /// Per root the units that changed it.
    pub from: BTreeMap<u32, Vec<u32>>,
}

impl Shared {
    /// Notes the state of a root before any unit touched it: after the initializer of its class.
    pub fn baseline(&mut self, root: u32, state: State) {
        self.roots.entry(root).or_insert(Root {
            last: state,
            writers: Vec::new(),
        });
    }

    /// Whether anything is known of a root.
    pub fn knows(&self, root: u32) -> bool {
        self.roots.contains_key(&root)
    }

    /// Notes the state of a root when `unit` ends; returns whether the unit counts as one that changed it.
    ///
    /// If it does for any root, all other known roots must be observed too: they may lead to the
    /// same objects.
    pub fn observe(&mut self, unit: u32, root: u32, state: State) -> bool {
        let root = self.roots.entry(root).or_insert(Root {
            last: State::Unknown,
            writers: Vec::new(),
        });
        let is_same = root.last.is_same(state);
        root.last = state;
        if !is_same && !root.writers.contains(&unit) {
            root.writers.push(unit);
        }
        !is_same
    }

    /// Another unit ran when a root was found changed: it may have changed it, too.
    pub fn also_changed_by(&mut self, unit: u32, root: u32) {
        if let Some(root) = self.roots.get_mut(&root)
            && !root.writers.contains(&unit)
        {
            root.writers.push(unit);
        }
    }

    /// The heritage of a unit that may have read these roots.
    pub fn heritage(&self, read: impl IntoIterator<Item = u32>) -> Heritage {
        let mut heritage = Heritage::default();
        let mut done = HashSet::new();
        for id in read {
            let Some(root) = self.roots.get(&id).filter(|root| !root.writers.is_empty()) else {
                continue;
            };
            heritage.from.insert(id, root.writers.clone());
            for writer in root.writers.iter().filter(|writer| done.insert(**writer)) {
                if let Some(footprint) = self.footprints.get(writer) {
                    heritage.footprint.union(footprint);
                }
            }
        }
        heritage
    }

    /// Keeps the footprint of a unit that changed some root, with all that it inherited.
    pub fn keep(&mut self, unit: u32, footprint: Bits) {
        self.footprints.insert(unit, footprint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bits(numbers: &[u32]) -> Bits {
        numbers.iter().copied().collect()
    }

    /// Units end one after the other: what each executed, which root it read, what that looked like then.
    fn inherited(baseline: Option<u128>, units: &[(u32, u128)]) -> Vec<Bits> {
        let mut shared = Shared::default();
        if let Some(state) = baseline {
            shared.baseline(0, State::Seen(state));
        }
        let mut all = Vec::new();
        for (unit, (executed, state)) in (0..).zip(units) {
            let heritage = shared.heritage([0]).footprint;
            if shared.observe(unit, 0, State::Seen(*state)) {
                let mut footprint = bits(&[*executed]);
                footprint.union(&heritage);
                shared.keep(unit, footprint);
            }
            all.push(heritage);
        }
        all
    }

    #[test]
    fn who_reads_inherits_from_all_who_changed_the_root() {
        let check = |story: &str, baseline, units: &[(u32, u128)], expected: &[&[u32]]| {
            let expected: Vec<Bits> = expected.iter().map(|numbers| bits(numbers)).collect();
            assert_eq!(inherited(baseline, units), expected, "{story}");
        };
        check("nobody changes it", Some(5), &[(1, 5), (2, 5)], &[&[], &[]]);
        check(
            "the first one does",
            Some(5),
            &[(1, 6), (2, 6), (3, 6)],
            &[&[], &[1], &[1]],
        );
        check(
            "several do",
            Some(5),
            &[(1, 6), (2, 7), (3, 7)],
            &[&[], &[1], &[1, 2]],
        );
        check(
            "one undoes it",
            Some(5),
            &[(1, 6), (2, 5), (3, 5)],
            &[&[], &[1], &[1, 2]],
        );
        check(
            "no initializer was seen",
            None,
            &[(1, 5), (2, 5)],
            &[&[], &[1]],
        );
    }

    #[test]
    fn what_nobody_can_say_counts_as_changed_each_time() {
        let mut shared = Shared::default();
        shared.baseline(0, State::Unknown);
        assert!(shared.observe(1, 0, State::Unknown));
        assert!(shared.observe(2, 0, State::Unknown));
        assert_eq!(shared.heritage([0]).from, BTreeMap::from([(0, vec![1, 2])]));
    }

    /// An action of a unit on one of three roots.
    #[derive(Debug, Clone, Copy)]
    enum Action {
        Read(u32),
        /// Writes what it has read so far, and its own number if so, in a mix that only depends on them.
        Write(u32, u8),
    }

    fn action() -> impl Strategy<Value = Action> {
        prop_oneof![
            (0..3u32).prop_map(Action::Read),
            (0..3u32, 0..4u8).prop_map(|(root, value)| Action::Write(root, value)),
        ]
    }

    proptest! {
        /// The model: every value carries the units that had a part in it. A unit must inherit from all
        /// that had a part in a value that it read and that an earlier unit left.
        #[test]
        fn no_unit_lacks_who_had_a_part_in_what_it_read(
            units in prop::collection::vec(prop::collection::vec(action(), 0..6), 1..8),
        ) {
            let mut shared = Shared::default();
            let mut values: [(u8, BTreeSet<u32>); 3] = Default::default();
            (0..3).for_each(|root| shared.baseline(root, State::Seen(0)));
            for (unit, actions) in (0u32..).zip(&units) {
                let before = values.clone();
                let mut parts = BTreeSet::from([unit]);
                let mut must = BTreeSet::new();
                let mut read = BTreeSet::new();
                for action in actions {
                    match *action {
                        Action::Read(root) => {
                            let (_, made_by) = &values[root as usize];
                            must.extend(made_by.iter().copied().filter(|maker| *maker != unit));
                            parts.extend(made_by);
                            read.insert(root);
                        }
                        Action::Write(root, value) => values[root as usize] = (value, parts.clone()),
                    }
                }
                let heritage = shared.heritage(read);
                let mut footprint = heritage.footprint.clone();
                footprint.insert(unit);
                let has: BTreeSet<u32> = heritage.footprint.iter().collect();
                prop_assert!(has.is_superset(&must), "unit {unit}: {has:?} lacks some of {must:?}");
                let mut wrote = false;
                for root in 0..3u32 {
                    let (value, made_by) = &mut values[root as usize];
                    let (old, old_made_by) = &before[root as usize];
                    if value == old {
                        // Put back: what it was made by is what it was before.
                        *made_by = old_made_by.clone();
                    }
                    wrote |= shared.observe(unit, root, State::Seen(u128::from(*value)));
                }
                if wrote {
                    shared.keep(unit, footprint);
                }
            }
        }
    }
}
