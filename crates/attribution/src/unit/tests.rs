use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn bits(probes: &[u32]) -> Bits {
    probes.iter().copied().collect()
}

fn ran(probes: &[u32]) -> SparseBits {
    probes.iter().copied().collect()
}

fn class() -> Unit<&'static str> {
    Unit::after("T", Bits::default())
}

/// Name, outcome, what ran in it and around it.
fn told(unit: Unit<&'static str>) -> Vec<(&'static str, UnitOutcome, Vec<u32>, Vec<u32>)> {
    let leaves = unit.split().unwrap_or_default().into_iter();
    leaves
        .map(|leaf| {
            let (ran, around) = (leaf.ran.iter().collect(), leaf.around.iter().collect());
            (leaf.name, leaf.outcome, ran, around)
        })
        .collect()
}

#[test]
fn what_runs_outside_all_tests_belongs_to_each() {
    let mut unit = Unit::after("T", bits(&[9]));
    unit.executed(&ran(&[1]));
    unit.start(&"a");
    unit.executed(&ran(&[2]));
    unit.finish(&"a");
    unit.executed(&ran(&[3]));
    unit.start(&"b");
    unit.start(&"b");
    unit.finish(&"b");
    unit.executed(&ran(&[4]));
    unit.inside_ends_with(&"b", UnitOutcome::Failed);
    unit.finish(&"b");
    assert_eq!(unit.ran(), bits(&[1, 2, 3, 4, 9]));
    assert_eq!(unit.outcome(), UnitOutcome::Failed);
    unit.merge_if_outside(&bits(&[7]));
    let around = vec![1, 3, 9];
    assert_eq!(
        told(unit),
        [
            ("a", UnitOutcome::Passed, vec![2], around.clone()),
            ("b", UnitOutcome::Failed, vec![4], around),
        ]
    );
}

#[test]
fn what_cannot_be_told_apart_stays_one_unit() {
    let one = || {
        let mut unit = class();
        unit.executed(&ran(&[1]));
        unit.start(&"a");
        unit
    };
    let mut whole = one();
    whole.finish(&"a");
    whole.merge_if_outside(&bits(&[2]));
    assert!(whole.split().is_some());
    let mut merged = one();
    merged.finish(&"a");
    merged.merge();
    assert!(merged.split().is_none());
    assert!(one().split().is_none(), "a test still runs");
    let mut shares = one();
    shares.finish(&"a");
    shares.merge_if_outside(&bits(&[1]));
    assert!(shares.split().is_none(), "one object for all");
    let mut apart = one();
    apart.finish(&"a");
    apart.have_own_objects();
    apart.merge_if_outside(&bits(&[1]));
    assert!(apart.split().is_some());
    let mut shared_outcome = one();
    shared_outcome.finish(&"a");
    shared_outcome.ends_with(UnitOutcome::Failed);
    assert!(shared_outcome.split().is_none(), "all of it failed");
    assert!(class().split().is_none(), "no tests");
}

#[test]
fn a_unit_inside_a_test_has_what_runs_around_it_in_the_test_and_in_the_class() {
    let mut unit = class();
    unit.executed(&ran(&[1]));
    unit.start(&"a");
    unit.executed(&ran(&[2]));
    for (name, probe) in [("first", 3), ("second", 4)] {
        let test = unit.inside_mut(&"a").unwrap();
        test.start(&name);
        unit.executed(&ran(&[probe]));
        unit.inside_mut(&"a").unwrap().finish(&name);
    }
    unit.executed(&ran(&[5]));
    unit.finish(&"a");
    unit.start(&"b");
    unit.executed(&ran(&[6]));
    unit.finish(&"b");
    let passed = UnitOutcome::Passed;
    assert_eq!(
        told(unit),
        [
            ("first", passed, vec![3], vec![1, 2, 5]),
            ("second", passed, vec![4], vec![1, 2, 5]),
            ("b", passed, vec![6], vec![1]),
        ]
    );
}

/// The names of the units from the outermost one, which has none, to one of them.
type Path = Vec<u8>;

#[derive(Debug, Clone)]
enum Event {
    Starts(Path),
    Ends(Path),
    Runs(Vec<u32>),
    EndsWith(Path, UnitOutcome),
    Merges(Path),
    HasObjectsApart(Path),
}

fn event() -> impl Strategy<Value = Event> {
    let path = || prop::collection::vec(0..2u8, 0..5);
    let outcome = prop_oneof![Just(UnitOutcome::Passed), Just(UnitOutcome::Failed)];
    prop_oneof![
        8 => path().prop_map(Event::Starts),
        8 => path().prop_map(Event::Ends),
        8 => prop::collection::vec(0..200u32, 1..3).prop_map(Event::Runs),
        1 => (path(), outcome).prop_map(|(path, outcome)| Event::EndsWith(path, outcome)),
        1 => path().prop_map(Event::Merges),
        1 => path().prop_map(Event::HasObjectsApart),
    ]
}

/// The plain way: of each unit, by its path, what is said at the top of `unit.rs`.
#[derive(Default)]
struct Model {
    /// How often each was started and not ended, in the order in which they were named.
    units: Vec<(Path, u32)>,
    ran: BTreeMap<Path, BTreeSet<u32>>,
    own: BTreeMap<Path, BTreeSet<u32>>,
    outcomes: BTreeMap<Path, UnitOutcome>,
    merged: BTreeSet<Path>,
    apart: BTreeSet<Path>,
}

impl Model {
    fn knows(&self, path: &[u8]) -> bool {
        path.is_empty() || self.units.iter().any(|(known, _)| known == path)
    }

    /// Those directly inside one.
    fn inside(&self, around: &[u8]) -> Vec<(Path, u32)> {
        let is_inside = |path: &Path| path.len() == around.len() + 1 && path.starts_with(around);
        let units = self.units.iter().filter(|(path, _)| is_inside(path));
        units.cloned().collect()
    }

    /// Whether it and all around it were started and have not ended.
    fn is_active(&self, path: &[u8]) -> bool {
        let is_open = |path: &[u8]| self.units.iter().any(|(p, depth)| p == path && *depth > 0);
        (1..=path.len()).all(|length| is_open(&path[..length]))
    }

    fn runs(&mut self, probes: &[u32]) {
        let all = [(Path::new(), 1)].into_iter().chain(self.units.clone());
        for (path, _) in all
            .filter(|(path, _)| self.is_active(path))
            .collect::<Vec<_>>()
        {
            self.ran.entry(path.clone()).or_default().extend(probes);
            if !self
                .inside(&path)
                .iter()
                .any(|(inside, _)| self.is_active(inside))
            {
                self.own.entry(path).or_default().extend(probes);
            }
        }
    }

    fn is_whole(&self, path: &[u8], constructors: &BTreeSet<u32>) -> bool {
        let inside = self.inside(path);
        let own = self.own.get(path).cloned().unwrap_or_default();
        let shares =
            path.is_empty() && !self.apart.contains(path) && !own.is_disjoint(constructors);
        let is_open = inside.iter().any(|(_, depth)| *depth > 0);
        self.merged.contains(path) || inside.is_empty() || is_open || shares
    }

    fn outcome(&self, path: &[u8]) -> UnitOutcome {
        let within = self
            .outcomes
            .iter()
            .filter(|(other, _)| other.starts_with(path));
        within
            .map(|(_, outcome)| *outcome)
            .max()
            .unwrap_or(UnitOutcome::Passed)
    }

    fn leaves(&self, path: &[u8], constructors: &BTreeSet<u32>) -> Vec<Path> {
        match self.is_whole(path, constructors) {
            true => vec![path.to_vec()],
            false => {
                let inside = self.inside(path).into_iter();
                inside
                    .flat_map(|(inside, _)| self.leaves(&inside, constructors))
                    .collect()
            }
        }
    }
}

/// The unit at a path, if it is known.
fn at<'u>(mut unit: &'u mut Unit<Path>, path: &[u8]) -> Option<&'u mut Unit<Path>> {
    for length in 1..=path.len() {
        unit = unit.inside_mut(&path[..length].to_vec())?;
    }
    Some(unit)
}

/// Lets something happen, unless it is inside a unit that is not known.
fn apply(unit: &mut Unit<Path>, model: &mut Model, event: Event) {
    let named = match &event {
        Event::Starts(path) | Event::Ends(path) | Event::EndsWith(path, _) => Some(path),
        _ => None,
    };
    let around = match (&event, named) {
        (_, Some(path)) => path.split_last().map(|(_, around)| around),
        (Event::Merges(path) | Event::HasObjectsApart(path), _) => Some(&path[..]),
        _ => Some(&[][..]),
    };
    let Some(around) = around.and_then(|around| at(unit, around)) else {
        return;
    };
    let known = named.map(|path| {
        if !model.knows(path) {
            model.units.push((path.clone(), 0));
        }
        model
            .units
            .iter()
            .position(|(known, _)| known == path)
            .unwrap()
    });
    match (event, known) {
        (Event::Starts(path), Some(known)) => {
            around.start(&path);
            model.units[known].1 += 1;
        }
        (Event::Ends(path), Some(known)) => {
            around.finish(&path);
            model.units[known].1 = model.units[known].1.saturating_sub(1);
        }
        (Event::EndsWith(path, outcome), _) => {
            around.inside_ends_with(&path, outcome);
            let worst = model.outcomes.entry(path.clone()).or_insert(outcome);
            *worst = outcome.max(*worst);
            model.merged.insert(path);
        }
        (Event::Runs(probes), _) => {
            unit.executed(&ran(&probes));
            model.runs(&probes);
        }
        (Event::Merges(path), _) => {
            around.merge();
            model.merged.insert(path);
        }
        (Event::HasObjectsApart(path), _) => {
            around.have_own_objects();
            model.apart.insert(path);
        }
        (Event::Starts(_) | Event::Ends(_), None) => unreachable!(),
    }
}

proptest! {
    #[test]
    fn units_at_any_depth_get_what_the_rules_say(
        events in prop::collection::vec(event(), 0..80),
        all_end in prop::bool::weighted(0.8),
        constructors in prop::collection::btree_set(0..200u32, 0..2),
    ) {
        let (mut unit, mut model) = (Unit::after(Path::new(), Bits::default()), Model::default());
        for event in events {
            apply(&mut unit, &mut model, event);
        }
        for (path, depth) in model.units.clone().into_iter().filter(|_| all_end) {
            (0..depth).for_each(|_| apply(&mut unit, &mut model, Event::Ends(path.clone())));
        }
        let set = |bits: &Bits| bits.iter().collect::<BTreeSet<_>>();
        let of = |sets: &BTreeMap<Path, BTreeSet<u32>>, path: &[u8]| {
            sets.get(path).cloned().unwrap_or_default()
        };
        let all = of(&model.ran, &[]);
        prop_assert_eq!(set(&unit.ran()), all.clone());
        prop_assert_eq!(unit.outcome(), model.outcome(&[]));
        unit.merge_if_outside(&constructors.iter().copied().collect());
        let expected = model.leaves(&[], &constructors);
        let Some(leaves) = unit.split() else {
            prop_assert_eq!(expected, [Path::new()]);
            return Ok(());
        };
        let names: Vec<Path> = leaves.iter().map(|leaf| leaf.name.clone()).collect();
        prop_assert_eq!(names, expected);
        let mut counted = BTreeSet::new();
        for leaf in leaves {
            let around = (0..leaf.name.len()).map(|length| &leaf.name[..length]);
            let around: BTreeSet<u32> = around.flat_map(|path| of(&model.own, path)).collect();
            prop_assert_eq!(set(&leaf.ran), of(&model.ran, &leaf.name));
            prop_assert_eq!(set(&leaf.around), around);
            prop_assert_eq!(leaf.outcome, model.outcome(&leaf.name));
            counted.extend(set(&leaf.ran));
            counted.extend(set(&leaf.around));
        }
        prop_assert_eq!(counted, all, "all that ran counts for somebody");
    }
}
