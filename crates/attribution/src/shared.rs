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
//!
//! A unit may also change a root by ways that its code does not show. So whoever finds a root changed
//! shares the blame with all units that ended since somebody last looked at it. Looking at all roots when a
//! unit ends keeps these few; a root must have been looked at since the last unit ended before
//! somebody inherits through it: see [`Shared::is_seen`].

use crate::Bits;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a root looks like.
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
    /// How many units of [`Shared::ended`] had ended when it was last looked at.
    seen: usize,
}

impl Root {
    fn changed_by(&mut self, units: impl IntoIterator<Item = u32>) {
        for unit in units {
            if !self.writers.contains(&unit) {
                self.writers.push(unit);
            }
        }
    }
}

/// The roots, and the footprints of the units that changed them.
#[derive(Debug, Default)]
pub struct Shared {
    roots: HashMap<u32, Root>,
    footprints: HashMap<u32, Bits>,
    /// The units that ended since all roots were looked at.
    ended: Vec<u32>,
    /// Per unit and root that it found unchanged, the units that ended since the look before: it may have
    /// undone what they did.
    undone: HashMap<u32, HashMap<u32, Vec<u32>>>,
}

/// What a unit inherits.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heritage {
    /// What the units executed from which it inherits.
    pub footprint: Bits,
    /// Per root the units that changed it.
    pub from: BTreeMap<u32, Vec<u32>>,
}

impl Shared {
    /// A unit ends; its looks come behind this.
    pub fn ends(&mut self, unit: u32) {
        self.ended.push(unit);
    }

    /// Notes what a root looks like before any unit touched it: after the initializer of its class.
    pub fn baseline(&mut self, root: u32, state: State) {
        let seen = self.ended.len();
        self.roots.entry(root).or_insert(Root {
            last: state,
            writers: Vec::new(),
            seen,
        });
    }

    /// Whether anything is known of a root.
    pub fn knows(&self, root: u32) -> bool {
        self.roots.contains_key(&root)
    }

    /// Whether no unit ended since somebody looked at a root, or looking is of no use.
    pub fn is_seen(&self, root: u32) -> bool {
        let root = self.roots.get(&root);
        root.is_none_or(|root| root.seen == self.ended.len() || root.last == State::Unknown)
    }

    /// Whether a unit that ended may yet be blamed.
    pub fn may_blame(&self, unit: u32) -> bool {
        self.ended.contains(&unit)
    }

    /// All roots that are known have been looked at.
    pub fn saw_all(&mut self) {
        let writers = self.roots.values().flat_map(|root| &root.writers);
        let undone = self.undone.values().flat_map(HashMap::values).flatten();
        let needed: HashSet<u32> = writers.chain(undone).copied().collect();
        self.footprints.retain(|unit, _| needed.contains(unit));
        self.ended.clear();
        self.roots.values_mut().for_each(|root| root.seen = 0);
    }

    /// Notes what a root looks like when `unit` ends or in the midst of it; says whether the unit counts as
    /// one that changed it, and with it those that ended since somebody last looked.
    ///
    /// If it does for any root, all other roots that are known must be looked at too: they may lead to the
    /// same objects.
    pub fn look(&mut self, unit: u32, root: u32, state: State) -> bool {
        let ended = self.ended.len();
        let known = self.roots.entry(root).or_insert(Root {
            last: State::Unknown,
            writers: Vec::new(),
            seen: ended,
        });
        let is_same = known.last.is_same(state);
        let was_seen = known.last != State::Unknown;
        known.last = state;
        match is_same {
            // Nobody can say what changed it: those that touch it count.
            false if state == State::Unknown && !was_seen => known.changed_by([unit]),
            false => self.blame(unit, root),
            true => {
                let suspects = self.ended.get(known.seen..).unwrap_or(&self.ended);
                let mut suspects = suspects
                    .iter()
                    .copied()
                    .filter(|other| *other != unit)
                    .peekable();
                if suspects.peek().is_some() {
                    let undone = self
                        .undone
                        .entry(unit)
                        .or_default()
                        .entry(root)
                        .or_default();
                    undone.extend(suspects);
                }
                known.seen = ended;
            }
        }
        !is_same
    }

    /// A unit, and those that ended since somebody last looked, count as ones that changed a root.
    pub fn blame(&mut self, unit: u32, root: u32) {
        if let Some(known) = self.roots.get_mut(&root) {
            let suspects = self.ended.get(known.seen..).unwrap_or(&self.ended);
            known.changed_by(suspects.iter().copied().chain([unit]));
            known.seen = self.ended.len();
        }
    }

    /// What a unit inherits that may have read these roots.
    pub fn heritage(&self, unit: u32, read: impl IntoIterator<Item = u32>) -> Heritage {
        let undone = self.undone.get(&unit);
        let mut heritage = Heritage::default();
        let mut done = HashSet::new();
        for id in read {
            let Some(root) = self.roots.get(&id) else {
                continue;
            };
            let mut from = root.writers.clone();
            let undone = undone.and_then(|undone| undone.get(&id));
            from.extend(
                undone
                    .into_iter()
                    .flatten()
                    .filter(|unit| !root.writers.contains(unit)),
            );
            if from.is_empty() {
                continue;
            }
            for unit in from.iter().filter(|unit| done.insert(**unit)) {
                if let Some(footprint) = self.footprints.get(unit) {
                    heritage.footprint.union(footprint);
                }
            }
            heritage.from.insert(id, from);
        }
        heritage
    }

    /// Nobody will ask any more what a unit inherits.
    pub fn has_ended(&mut self, unit: u32) {
        self.undone.remove(&unit);
    }

    /// Keeps the footprint of a unit that changed some root or did not look at all when it ended, with all
    /// that it inherited.
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
            let heritage = shared.heritage(unit, [0]).footprint;
            if shared.look(unit, 0, State::Seen(*state)) {
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
        assert!(shared.look(1, 0, State::Unknown));
        assert!(shared.look(2, 0, State::Unknown));
        assert_eq!(
            shared.heritage(3, [0]).from,
            BTreeMap::from([(0, vec![1, 2])])
        );
    }

    /// What a unit does with one of three roots.
    #[derive(Debug, Clone, Copy)]
    enum Deed {
        Read(u32),
        /// Writes what it has read so far, and its own number if so, in a mix that only depends on them.
        Write(u32, u8),
    }

    fn deed() -> impl Strategy<Value = Deed> {
        prop_oneof![
            (0..3u32).prop_map(Deed::Read),
            (0..3u32, 0..4u8).prop_map(|(root, value)| Deed::Write(root, value)),
        ]
    }

    /// A deed, and whether its code shows it.
    fn hidden() -> impl Strategy<Value = (Deed, bool)> {
        (deed(), prop::bool::ANY)
    }

    #[test]
    fn all_that_ended_since_the_last_look_are_blamed() {
        let mut shared = Shared::default();
        let seen = State::Seen;
        (0..2).for_each(|root| shared.baseline(root, seen(0)));
        let end = |shared: &mut Shared, unit: u32, looks: &[(u32, u128)]| {
            shared.ends(unit);
            for (root, value) in looks {
                shared.look(unit, *root, seen(*value));
            }
            shared.keep(unit, bits(&[unit]));
        };
        let from = |shared: &Shared, root: u32| shared.heritage(9, [root]).from.remove(&root);
        end(&mut shared, 1, &[(0, 0)]);
        end(&mut shared, 2, &[]);
        end(&mut shared, 3, &[(0, 7)]);
        assert_eq!(
            from(&shared, 0),
            Some(vec![2, 3]),
            "1 looked and found nothing"
        );
        assert_eq!(from(&shared, 1), None);
        assert!(!shared.is_seen(1));
        end(&mut shared, 4, &[(1, 0)]);
        assert!(shared.is_seen(1));
        shared.saw_all();
        end(&mut shared, 5, &[(1, 9)]);
        assert_eq!(from(&shared, 1), Some(vec![5]), "before it all were seen");
        assert_eq!(
            shared.heritage(9, [0]).footprint,
            bits(&[2, 3]),
            "the footprints of those that are blamed are kept"
        );
        assert!(!shared.may_blame(4) && shared.may_blame(5));
    }

    proptest! {
        /// The model: every value carries the units that had a part in it. A unit must inherit from all
        /// that had a part in a value that it read and that an earlier unit left.
        #[test]
        fn no_unit_lacks_who_had_a_part_in_what_it_read(
            units in prop::collection::vec(prop::collection::vec(deed(), 0..6), 1..8),
        ) {
            let mut shared = Shared::default();
            let mut values: [(u8, BTreeSet<u32>); 3] = Default::default();
            (0..3).for_each(|root| shared.baseline(root, State::Seen(0)));
            for (unit, deeds) in (0u32..).zip(&units) {
                let before = values.clone();
                let mut parts = BTreeSet::from([unit]);
                let mut must = BTreeSet::new();
                let mut read = BTreeSet::new();
                for deed in deeds {
                    match *deed {
                        Deed::Read(root) => {
                            let (_, made_by) = &values[root as usize];
                            must.extend(made_by.iter().copied().filter(|maker| *maker != unit));
                            parts.extend(made_by);
                            read.insert(root);
                        }
                        Deed::Write(root, value) => values[root as usize] = (value, parts.clone()),
                    }
                }
                let heritage = shared.heritage(unit, read);
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
                    wrote |= shared.look(unit, root, State::Seen(u128::from(*value)));
                }
                if wrote {
                    shared.keep(unit, footprint);
                }
            }
        }

        /// The same where units also write by ways that nobody sees, and looks at all roots are rare. Values
        /// that nobody saw being written do not come back.
        #[test]
        fn no_unit_lacks_who_wrote_by_ways_that_nobody_sees(
            units in prop::collection::vec((prop::collection::vec(hidden(), 0..6), prop::bool::ANY), 1..9),
        ) {
            let mut shared = Shared::default();
            let mut values: [(u128, BTreeSet<u32>); 3] = Default::default();
            let mut looked = values.clone();
            (0..3).for_each(|root| shared.baseline(root, State::Seen(0)));
            let mut fresh = 0;
            for (unit, (deeds, is_due)) in (0u32..).zip(&units) {
                let mut parts = BTreeSet::from([unit]);
                let (mut must, mut touched) = (BTreeSet::new(), BTreeSet::new());
                for (deed, is_hidden) in deeds {
                    match *deed {
                        Deed::Read(root) => {
                            let (_, made_by) = &values[root as usize];
                            must.extend(made_by.iter().copied().filter(|maker| *maker != unit));
                            parts.extend(made_by);
                            touched.insert(root);
                        }
                        Deed::Write(root, value) => {
                            fresh += 1;
                            let (old, _) = looked[root as usize];
                            let puts_back = !is_hidden && value == 0;
                            let value = if puts_back { old } else { fresh };
                            values[root as usize] = (value, parts.clone());
                            if !is_hidden {
                                touched.insert(root);
                            }
                        }
                    }
                }
                shared.ends(unit);
                let mut look = |shared: &mut Shared, root: u32| {
                    let (now, before) = (&mut values[root as usize], &mut looked[root as usize]);
                    if now.0 == before.0 {
                        // Put back: what it was made by is what it was before.
                        now.1 = before.1.clone();
                    }
                    *before = now.clone();
                    shared.look(unit, root, State::Seen(now.0))
                };
                let mut has_changed = false;
                for root in &touched {
                    has_changed |= look(&mut shared, *root);
                }
                if has_changed || *is_due {
                    for root in (0..3).filter(|root| !touched.contains(root)) {
                        has_changed |= look(&mut shared, root);
                    }
                    shared.saw_all();
                }
                prop_assert!(touched.iter().all(|root| shared.is_seen(*root)));
                let mut footprint = shared.heritage(unit, touched).footprint;
                let has: BTreeSet<u32> = footprint.iter().collect();
                prop_assert!(has.is_superset(&must), "unit {unit}: {has:?} lacks some of {must:?}");
                footprint.insert(unit);
                if has_changed || shared.may_blame(unit) {
                    shared.keep(unit, footprint);
                }
                shared.has_ended(unit);
            }
        }
    }
}
