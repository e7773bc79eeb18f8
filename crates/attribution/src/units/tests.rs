use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn bits(probes: &[u32]) -> Bits {
    probes.iter().copied().collect()
}

fn ran(probes: &[u32]) -> SparseBits {
    probes.iter().copied().collect()
}

fn start(units: &mut Units, name: &str) {
    assert!(matches!(units.start(name, vec![], false), Start::New(_)));
}

fn finish(units: &mut Units, name: &str) -> Vec<u32> {
    all(&units.finish(name).unwrap()).iter().collect()
}

/// What counts for a unit, from before it too.
fn all(class: &TestClass) -> Bits {
    let mut all = class.unit.ran();
    all.union(&class.outer);
    all
}

fn names(class: &TestClass) -> Vec<&str> {
    let mut names: Vec<&str> = class.classes().collect();
    names.sort_unstable();
    names
}

#[test]
fn a_unit_gets_what_runs_between_its_start_and_its_end() {
    let mut units = Units::default();
    start(&mut units, "A");
    units.executed(&ran(&[1, 2]));
    assert_eq!(finish(&mut units, "A"), [1, 2]);
    start(&mut units, "B");
    units.executed(&ran(&[3]));
    assert_eq!(finish(&mut units, "B"), [3]);
}

#[test]
fn what_runs_while_no_unit_is_active_counts_for_those_that_come_later() {
    let mut units = Units::default();
    units.executed(&ran(&[1]));
    start(&mut units, "A");
    assert_eq!(finish(&mut units, "A"), [1]);
    units.executed(&ran(&[2]));
    start(&mut units, "B");
    assert_eq!(finish(&mut units, "B"), [1, 2]);
}

#[test]
fn units_that_overlap_share_what_runs_from_the_start_of_the_first() {
    let mut units = Units::default();
    start(&mut units, "A");
    units.executed(&ran(&[1]));
    start(&mut units, "B");
    units.executed(&ran(&[2]));
    assert_eq!(finish(&mut units, "A"), [1, 2]);
    units.executed(&ran(&[3]));
    assert_eq!(finish(&mut units, "B"), [1, 2, 3]);
}

#[test]
fn a_suite_gives_its_classes_what_it_ran_and_gets_nothing_of_theirs() {
    let mut units = Units::default();
    units.start("All", vec![], true);
    units.executed(&ran(&[1]));
    start(&mut units, "A");
    units.executed(&ran(&[2]));
    let inner = units.finish("A").unwrap();
    assert_eq!(inner.unit.ran(), bits(&[1, 2]));
    assert_eq!(names(&inner), ["A", "All"]);
    let suite = units.finish("All").unwrap();
    assert!(suite.is_container);
    assert_eq!(suite.unit.ran(), bits(&[1]));
}

#[test]
fn what_is_nested_in_a_class_is_part_of_it_but_not_of_a_suite() {
    let check = |suite: bool, expected: bool| {
        let mut units = Units::default();
        units.start("A", vec![], suite);
        let part = units.start("A$B", vec![], false) == Start::Part;
        assert_eq!(part, expected, "suite: {suite}");
    };
    check(false, true);
    check(true, false);
}

#[test]
fn a_class_that_starts_twice_ends_twice() {
    let mut units = Units::default();
    start(&mut units, "A");
    assert_eq!(units.start("A", vec![], false), Start::Part);
    assert!(units.finish("A").is_none());
    assert!(units.finish("A").is_some());
    assert!(units.finish("A").is_none());
}

#[test]
fn an_announced_class_starts_once_and_has_what_ran_before_its_start() {
    let mut units = Units::default();
    assert!(matches!(units.announce("A", vec![]), Start::New(_)));
    units.executed(&ran(&[1]));
    assert_eq!(units.start("A", vec![], false), Start::Part);
    assert_eq!(units.announce("A$Inner", vec![]), Start::Part);
    assert_eq!(finish(&mut units, "A"), [1]);
    start(&mut units, "B");
    assert_eq!(finish(&mut units, "B"), []);
}

#[test]
fn an_announcement_can_be_taken_back_once() {
    let mut units = Units::default();
    units.announce("A", vec![]);
    assert!(units.is_announced("A"));
    assert!(!units.is_announced("A"));
    assert!(units.finish("A").is_some());
}

#[test]
fn the_worst_outcome_counts_and_one_of_an_unknown_class_counts_for_all() {
    let check = |test: Option<&str>, expected: [UnitOutcome; 2]| {
        let mut units = Units::default();
        start(&mut units, "A");
        start(&mut units, "B");
        units.outcome(test, UnitOutcome::Failed);
        units.outcome(test, UnitOutcome::Aborted);
        let outcomes = ["A", "B"].map(|name| units.finish(name).unwrap().unit.outcome());
        assert_eq!(outcomes, expected, "{test:?}");
    };
    check(Some("A"), [UnitOutcome::Failed, UnitOutcome::Passed]);
    check(Some("B$Inner"), [UnitOutcome::Passed, UnitOutcome::Failed]);
    check(Some("C"), [UnitOutcome::Failed, UnitOutcome::Failed]);
    check(None, [UnitOutcome::Failed, UnitOutcome::Failed]);
}

#[test]
fn a_single_test_that_fails_under_another_name_counts_for_all_active_units() {
    let check = |class: &str, expected: [UnitOutcome; 2]| {
        let mut units = Units::new(true);
        start(&mut units, "A");
        start(&mut units, "B");
        units.part_outcome(class, &"A#test".into(), UnitOutcome::Failed);
        let outcomes = ["A", "B"].map(|name| units.finish(name).unwrap().unit.outcome());
        assert_eq!(outcomes, expected, "{class}");
    };
    check("A", [UnitOutcome::Failed, UnitOutcome::Passed]);
    check(
        "junit.framework.TestSuite$1",
        [UnitOutcome::Failed, UnitOutcome::Failed],
    );
}

#[test]
fn making_a_runner_counts_for_its_class_alone() {
    let mut units = Units::default();
    units.construction_started("A", 1);
    units.executed(&ran(&[1]));
    units.construction_ended("A", 1);
    start(&mut units, "B");
    assert_eq!(finish(&mut units, "B"), []);
    start(&mut units, "A");
    assert_eq!(finish(&mut units, "A"), [1]);
}

#[test]
fn runners_made_while_another_is_made_are_parts_of_it() {
    let mut units = Units::default();
    units.construction_started("Outer", 1);
    units.executed(&ran(&[1]));
    units.construction_started("Outer$Inner", 1);
    units.executed(&ran(&[2]));
    units.construction_ended("Outer$Inner", 1);
    units.construction_ended("Outer", 1);
    start(&mut units, "Outer");
    let unit = units.finish("Outer").unwrap();
    assert_eq!(names(&unit), ["Outer", "Outer$Inner"]);
    assert_eq!(all(&unit), bits(&[1, 2]));
    start(&mut units, "Outer$Inner");
    assert_eq!(finish(&mut units, "Outer$Inner"), [2]);
}

#[test]
fn an_initializer_has_what_ran_inside_it_also_in_others() {
    let mut units = Units::default();
    units.initializer_started(7, 1);
    units.executed(&ran(&[1]));
    units.initializer_started(8, 1);
    units.executed(&ran(&[2]));
    let seen = |class, probes: &[u32], broken| Initialized {
        class,
        probes: ran(probes),
        broken,
    };
    assert_eq!(units.initializer_ended(8, 1), [seen(8, &[2], false)]);
    units.executed(&ran(&[3]));
    assert_eq!(units.initializer_ended(7, 1), [seen(7, &[1, 2, 3], false)]);
}

#[test]
fn what_happens_on_one_thread_is_no_part_of_an_initializer_on_another() {
    let mut units = Units::default();
    start(&mut units, "A");
    units.initializer_started(7, 1);
    units.executed_on(2, &ran(&[1]));
    units.executed_on(1, &ran(&[2]));
    let ended = units.initializer_ended(7, 1);
    assert_eq!(ended.first().map(|seen| &seen.probes), Some(&ran(&[2])));
    assert_eq!(finish(&mut units, "A"), [1, 2]);
    units.initializer_started(7, 1);
    units.executed_on(2, &ran(&[3]));
    start(&mut units, "B");
    assert_eq!(finish(&mut units, "B"), [3], "outside of the initializer");
}

#[test]
fn an_initializer_that_threw_ends_with_the_one_around_it_or_with_the_unit() {
    let mut units = Units::default();
    units.initializer_started(7, 1);
    units.initializer_started(8, 1);
    let ended = units.initializer_ended(7, 1);
    let broken: Vec<_> = ended.iter().map(|seen| (seen.class, seen.broken)).collect();
    assert_eq!(broken, [(7, false), (8, true)]);

    units.initializer_started(9, 1);
    units.initializer_started(10, 2);
    let settled = units.settle_initializers(1);
    assert_eq!(settled.iter().map(|s| s.class).collect::<Vec<_>>(), [9, 10]);
    // The one on the other thread goes on.
    units.executed(&ran(&[5]));
    let ended = units.initializer_ended(10, 2);
    assert_eq!(ended.first().map(|s| &s.probes), Some(&ran(&[5])));
    assert_eq!(units.initializer_ended(9, 1), []);
}

#[test]
fn only_a_class_that_lost_tests_is_cut() {
    let mut units = Units::default();
    units.filtered("A".into(), 3);
    units.filtered("A".into(), 2);
    assert_eq!(units.unfiltered("A"), Some(3));
    assert_eq!(units.unfiltered("B"), None);
    assert!(!units.is_cut("A"));
    units.cut("A");
    assert!(units.is_cut("A"));
}

/// What happens to initializers.
#[derive(Debug, Clone)]
enum Happens {
    Starts(u32, u64),
    Ends(u32, u64),
    UnitEnds(u64),
    Runs(Vec<u32>),
    RunsOn(u64, Vec<u32>),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        3 => (0..6u32, 0..3u64).prop_map(|(class, thread)| Happens::Starts(class, thread)),
        3 => (0..6u32, 0..3u64).prop_map(|(class, thread)| Happens::Ends(class, thread)),
        1 => (0..3u64).prop_map(Happens::UnitEnds),
        4 => prop::collection::vec(0..300u32, 0..4).prop_map(Happens::Runs),
        4 => (0..3u64, prop::collection::vec(0..300u32, 0..4)).prop_map(|(thread, ran)| Happens::RunsOn(thread, ran)),
    ]
}

/// The plain way: every initializer that runs notes everything.
#[derive(Default)]
struct Model(Vec<(u32, u64, BTreeSet<u32>)>);

impl Model {
    /// Ends those of `thread` from `position` on.
    fn close(&mut self, thread: u64, position: usize) -> Vec<(u32, BTreeSet<u32>)> {
        let mut closed = Vec::new();
        let mut at = position;
        while at < self.0.len() {
            match self.0[at].1 == thread {
                true => {
                    let (class, _, probes) = self.0.remove(at);
                    closed.push((class, probes));
                }
                false => at += 1,
            }
        }
        closed
    }
}

proptest! {
    #[test]
    fn every_running_initializer_gets_all_that_may_run_on_its_thread(events in prop::collection::vec(happens(), 0..60)) {
        let (mut units, mut model) = (Units::default(), Model::default());
        for event in events {
            let (found, expected) = match event {
                Happens::Starts(class, thread) => {
                    units.initializer_started(class, thread);
                    model.0.push((class, thread, BTreeSet::new()));
                    continue;
                }
                Happens::Runs(probes) => {
                    units.executed(&ran(&probes));
                    model.0.iter_mut().for_each(|running| running.2.extend(&probes));
                    continue;
                }
                Happens::RunsOn(thread, probes) => {
                    units.executed_on(thread, &ran(&probes));
                    let on_thread = model.0.iter_mut().filter(|running| running.1 == thread);
                    on_thread.for_each(|running| running.2.extend(&probes));
                    continue;
                }
                Happens::Ends(class, thread) => {
                    let position = model.0.iter().rposition(|r| r.0 == class && r.1 == thread);
                    let expected = position.map_or_else(Vec::new, |at| model.close(thread, at));
                    (units.initializer_ended(class, thread), expected)
                }
                Happens::UnitEnds(thread) => {
                    let mut expected = model.close(thread, 0);
                    expected.extend(model.0.iter().map(|r| (r.0, r.2.clone())));
                    (units.settle_initializers(thread), expected)
                }
            };
            let found: Vec<_> = found.iter().map(|s| (s.class, s.probes.iter().collect())).collect();
            prop_assert_eq!(found, expected);
        }
    }
}

/// What frameworks tell of test classes, which may run at the same time, and of a test in each.
#[derive(Debug, Clone)]
enum Told {
    Starts(usize),
    Ends(usize),
    TestStarts(usize),
    TestEnds(usize),
    Runs,
}

fn told() -> impl Strategy<Value = Told> {
    prop_oneof![
        (0..3usize).prop_map(Told::Starts),
        (0..3usize).prop_map(Told::Ends),
        (0..3usize).prop_map(Told::TestStarts),
        (0..3usize).prop_map(Told::TestEnds),
        Just(Told::Runs),
        Just(Told::Runs),
    ]
}

/// A class that runs: what counts for it, and for each of its tests.
#[derive(Debug, Clone, Default)]
struct ModelClass {
    of_class: BTreeSet<u32>,
    around: BTreeSet<u32>,
    of_test: BTreeSet<u32>,
    test_runs: bool,
    has_test: bool,
}

proptest! {
    #[test]
    fn classes_that_run_at_the_same_time_get_all_that_runs(events in prop::collection::vec(told(), 0..60)) {
        let names = ["A", "B", "C"];
        let test = |class: usize| TestName::of_method(names[class], "test");
        let (mut units, mut outside) = (Units::new(true), BTreeSet::new());
        let mut model: [Option<ModelClass>; 3] = Default::default();
        for (event, probe) in events.into_iter().zip(0..) {
            match event {
                Told::Starts(class) if model[class].is_none() => {
                    let others = model.iter().flatten();
                    let before: BTreeSet<u32> = others.flat_map(|other| other.of_class.clone()).collect();
                    start(&mut units, names[class]);
                    model[class] = Some(ModelClass { of_class: before.clone(), around: before, ..ModelClass::default() });
                }
                Told::TestStarts(class) if model[class].as_ref().is_some_and(|class| !class.test_runs) => {
                    units.splittable(names[class]).unwrap().start(&test(class));
                    let class = model[class].as_mut().unwrap();
                    (class.test_runs, class.has_test) = (true, true);
                }
                Told::TestEnds(class) if model[class].as_ref().is_some_and(|class| class.test_runs) => {
                    units.splittable(names[class]).unwrap().finish(&test(class));
                    model[class].as_mut().unwrap().test_runs = false;
                }
                Told::Runs => {
                    units.executed(&ran(&[probe]));
                    if model.iter().all(Option::is_none) {
                        outside.insert(probe);
                    }
                    for class in model.iter_mut().flatten() {
                        class.of_class.insert(probe);
                        match class.test_runs {
                            true => class.of_test.insert(probe),
                            false => class.around.insert(probe),
                        };
                    }
                }
                Told::Ends(number) if model[number].is_some() => {
                    let ended = units.finish(names[number]).unwrap();
                    let expected = model[number].take().unwrap();
                    let set = |bits: &Bits| bits.iter().collect::<BTreeSet<_>>();
                    prop_assert_eq!(set(&ended.outer), outside.clone());
                    prop_assert_eq!(set(&ended.unit.ran()), expected.of_class);
                    let tests = ended.unit.split();
                    prop_assert_eq!(tests.is_some(), expected.has_test && !expected.test_runs);
                    for found in tests.into_iter().flatten() {
                        prop_assert_eq!(found.name, test(number));
                        prop_assert_eq!(set(&found.ran), expected.of_test.clone());
                        prop_assert_eq!(set(&found.around), expected.around.clone());
                    }
                }
                _ => {}
            }
        }
    }
}
