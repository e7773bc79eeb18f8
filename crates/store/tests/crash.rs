//! Recordings that end anywhere, and recordings that say anything.

mod support;

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;
use support::{Fixture, Jvm, compile, now_ms};
use tamis_recording::{Damage, Record, Spool, UnitOutcome, read};
use tamis_select::TestName;
use tamis_store::Store;
use xxhash_rust::xxh3::xxh3_64;

/// All tests of the project. Those of `p.V` are told apart.
const TESTS: [&str; 6] = ["p.T", "p.U", "p.V#a", "p.V#b", "p.V#c", "p.W"];

/// A class in two revisions.
static A: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    ["1", "2"].map(|n| compile("A", &format!("class A {{ int m() {{ return {n}; }} }}")))
});

/// A project whose tests have all passed; then what all of them but `p.V#c` and `p.W` use changed.
fn changed() -> Fixture {
    let mut fixture = Fixture::new(&[
        ("classes/p/B.class", "B"),
        ("classes/p/C.class", "C"),
        ("classes/p/D.class", "D"),
        ("tests/p/T.class", "T"),
        ("tests/p/U.class", "U"),
        ("tests/p/V.class", "V"),
        ("tests/p/W.class", "W"),
    ]);
    fixture.write("classes/A.class", &A[0]);
    let jvm = fixture.jvm().passed("p.W", &["tests/p/W", "classes/p/D"]);
    let jvm = jvm.split(
        "p.V",
        &[
            ("p.V#a", &["tests/p/V", "classes/A"]),
            ("p.V#b", &["tests/p/V", "classes/p/C"]),
            ("p.V#c", &["tests/p/V", "classes/p/D"]),
        ],
    );
    let jvm = jvm.passed("p.T", &["tests/p/T", "classes/A"]);
    let jvm = jvm.passed("p.U", &["tests/p/U", "classes/p/B"]);
    fixture.absorb([jvm]);
    assert_eq!(due(&fixture, &fixture.store), BTreeSet::new());
    fixture.write("classes/A.class", &A[1]);
    fixture.write("classes/p/B.class", "B2");
    fixture.write("classes/p/C.class", "C2");
    fixture
}

/// The run of all that is due then.
fn run(fixture: &Fixture) -> Jvm {
    let skipped = ["p.W", "p.V#c"].map(|test| Record::Skipped { test: test.into() });
    let jvm = skipped.into_iter().fold(fixture.jvm(), Jvm::record);
    let jvm = jvm.executed("p.T", &["tests/p/T", "classes/A"], &[(1, 1)], &[1]);
    let jvm = jvm.split(
        "p.V",
        &[
            ("p.V#a", &["tests/p/V", "classes/A"]),
            ("p.V#b", &["tests/p/V", "classes/p/C"]),
        ],
    );
    let jvm = jvm.passed("p.U", &["tests/p/U", "classes/p/B"]);
    jvm.record(Record::Closed)
}

/// The tests that would run: all that are not left out, by themselves or with their class.
fn due(fixture: &Fixture, store: &Store) -> BTreeSet<&'static str> {
    let scope = tamis_store::Scope::default();
    let selection = store.select(&fixture.project(), &scope, &tamis_select::Ekstazi);
    let left_out = selection.left_out();
    let runs = |test: &&str| {
        let test = TestName::from(*test);
        !left_out.contains(&test) && !left_out.contains(&test.whole_class())
    };
    TESTS.into_iter().filter(runs).collect()
}

/// The tests that must run when only these records have survived: those that had to run before, as
/// long as their end is not there, and all of a class that did not end.
fn due_after(records: &[Record]) -> BTreeSet<&'static str> {
    let mut names = Vec::new();
    let mut due = BTreeSet::from(["p.T", "p.U", "p.V#a", "p.V#b"]);
    for record in records {
        match record {
            Record::UnitStarted { test, .. } => {
                names.push(test.to_string());
                due.extend((test.to_string() == "p.V").then_some("p.V#c"));
            }
            Record::UnitFinished { unit, .. } => match names[*unit as usize].as_str() {
                "p.V" => due.retain(|test| !test.starts_with("p.V")),
                part if part.contains('#') => {}
                test => drop(due.remove(test)),
            },
            _ => {}
        }
    }
    due
}

fn absorbed(fixture: &Fixture, spool: Spool) -> Store {
    let mut store = fixture.store.clone();
    store.absorb(&fixture.project(), vec![spool]);
    store
}

#[test]
fn a_spool_cut_after_any_byte_frees_only_tests_whose_end_is_there() {
    let fixture = changed();
    let jvm = run(&fixture);
    let (bytes, ends) = jvm.bytes();
    let mut seen = HashSet::new();
    for length in 0..=bytes.len() {
        let spool = read(&bytes[..length]);
        let whole = ends.iter().filter(|end| **end <= length).count();
        let records = &jvm.records[..whole.saturating_sub(1)];
        assert_eq!(spool.records, records, "cut at {length}");
        if seen.insert(format!("{} {:?}", records.len(), spool.damage)) {
            let store = absorbed(&fixture, spool);
            assert_eq!(due(&fixture, &store), due_after(records), "cut at {length}");
        }
    }
    assert_eq!(due_after(&jvm.records), BTreeSet::new());
}

#[test]
fn after_a_kill_at_any_record_the_next_run_makes_good() {
    let fixture = changed();
    let (bytes, ends) = run(&fixture).bytes();
    for end in ends {
        let mut store = absorbed(&fixture, read(&bytes[..end]));
        let next = run(&fixture).spool();
        store.absorb(&fixture.project(), vec![next]);
        assert_eq!(due(&fixture, &store), BTreeSet::new(), "cut at {end}");
        // What was killed and what came after it may also be taken in together.
        let both = vec![read(&bytes[..end]), run(&fixture).spool()];
        let mut store = fixture.store.clone();
        store.absorb(&fixture.project(), both);
        let unfinished = due(&fixture, &store);
        assert!(unfinished.is_subset(&TESTS.into()), "cut at {end}");
        assert!(!unfinished.contains("p.W"), "cut at {end}");
    }
}

#[test]
fn a_spool_with_any_byte_changed_frees_only_tests_whose_end_is_there() {
    let fixture = changed();
    let jvm = run(&fixture);
    let (bytes, ends) = jvm.bytes();
    let mut seen = HashSet::new();
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut flipped = bytes.clone();
            flipped[at] ^= flip;
            let spool = read(&flipped);
            let whole = ends.iter().filter(|end| **end <= at).count();
            let records = &jvm.records[..whole.saturating_sub(1)];
            assert_eq!(spool.records, records, "byte {at}");
            let damage = spool.damage.expect("damage is noticed");
            if seen.insert(format!("{} {:?}", records.len(), spool.damage)) {
                let store = absorbed(&fixture, spool);
                let due = due(&fixture, &store);
                assert!(due_after(records).is_subset(&due), "byte {at}: {due:?}");
                assert!(!due.contains("p.W"), "byte {at}");
                if damage == Damage::Corrupt {
                    let all = due_after(&[]);
                    assert!(all.is_subset(&due), "byte {at}: {due:?}");
                }
            }
        }
    }
}

#[test]
fn a_record_that_says_anything_breaks_nothing() {
    let fixture = changed();
    let (bytes, ends) = run(&fixture).bytes();
    let project = fixture.project();
    for frame in ends.windows(2) {
        let payload = frame[0] + 12..frame[1];
        for at in payload.clone().step_by(2) {
            let mut poisoned = bytes.clone();
            poisoned[at] ^= 1 << (at % 8);
            let sum = xxh3_64(&poisoned[payload.clone()]).to_le_bytes();
            poisoned[frame[0] + 4..frame[0] + 12].copy_from_slice(&sum);
            let spool = read(&poisoned);
            if spool.damage.is_none() {
                let store = absorbed(&fixture, spool);
                due(&fixture, &store);
                // A file that survives a power cut takes its time.
                if at % 16 == 0 {
                    store.save(&project).unwrap();
                    assert_eq!(Store::load(&project).unwrap().warning, None, "byte {at}");
                }
            }
        }
    }
}

#[test]
fn a_class_that_ended_once_and_was_killed_once_is_due_with_all_its_tests() {
    let fixture = changed();
    let project = fixture.project();
    let killed = fixture.jvm().start("p.V").spool();
    let mut store = fixture.store.clone();
    store.absorb(&project, vec![run(&fixture).spool(), killed]);
    let tests = due(&fixture, &store);
    assert_eq!(tests, BTreeSet::from(["p.V#a", "p.V#b", "p.V#c"]));
    store.absorb(&project, vec![run(&fixture).spool()]);
    assert_eq!(due(&fixture, &store), BTreeSet::new());
}

#[test]
fn a_class_that_ran_as_a_whole_and_test_by_test_keeps_both_ends() {
    let fixture = changed();
    let project = fixture.project();
    let jvm = fixture.jvm();
    let whole = jvm
        .ended("p.V", UnitOutcome::Failed, &["tests/p/V"])
        .spool();
    let mut store = fixture.store.clone();
    store.absorb(&project, vec![run(&fixture).spool(), whole]);
    let tests = due(&fixture, &store);
    assert_eq!(tests, BTreeSet::from(["p.V#a", "p.V#b", "p.V#c"]));
    store.absorb(&project, vec![run(&fixture).spool()]);
    assert_eq!(due(&fixture, &store), BTreeSet::new());
}

#[test]
fn of_two_builds_at_once_a_failure_that_came_later_stays() {
    let files = [("tests/p/T.class", "T")];
    let ended = |fixture: &Fixture, outcome, at: u64| {
        let mut jvm = fixture.jvm().ended("p.T", outcome, &["tests/p/T"]);
        for record in &mut jvm.records {
            if let Record::UnitStarted { at_ms, .. } = record {
                *at_ms = at;
            }
        }
        jvm
    };
    let now = now_ms();
    for (first, second, expected) in [
        (
            UnitOutcome::Failed,
            UnitOutcome::Passed,
            "p.T: failed last time",
        ),
        (
            UnitOutcome::Passed,
            UnitOutcome::Failed,
            "p.T: failed last time",
        ),
        (UnitOutcome::Passed, UnitOutcome::Passed, "p.T:"),
    ] {
        // The one that was absorbed first had started later.
        let mut fixture = Fixture::new(&files);
        fixture.absorb([ended(&fixture, first, now + 1000)]);
        fixture.absorb([ended(&fixture, second, now)]);
        fixture.check(&[expected]);
        fixture.absorb([ended(&fixture, UnitOutcome::Passed, now + 500)]);
        fixture.check(&["p.T:"]);
    }
}
