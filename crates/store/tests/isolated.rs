//! What is kept of tests that ran alone in their JVM.

mod support;

use std::collections::BTreeSet;
use support::{Fixture, Jvm};
use tamis_recording::{Record, UnitOutcome};
use tamis_select::TestId;

const T: [&str; 2] = ["tests/p/T", "classes/p/A"];

fn fixture() -> Fixture {
    Fixture::new(&[
        ("classes/p/A.class", "A"),
        ("tests/p/T.class", "T"),
        ("tests/p/U.class", "U"),
    ])
}

/// The tests that count as isolated after this run.
fn check(jvms: impl FnOnce(&Fixture) -> Vec<Jvm>, expected: &[&str]) {
    let mut fixture = fixture();
    let jvms = jvms(&fixture);
    fixture.absorb(jvms);
    let isolated = fixture.store.isolated();
    let isolated: Vec<String> = isolated.iter().map(ToString::to_string).collect();
    assert_eq!(isolated, expected);
}

#[test]
fn a_test_is_isolated_if_no_other_class_ran_in_any_of_its_jvms() {
    let t = |fixture: &Fixture| fixture.jvm().passed("p.T", &T);
    let skipped = Record::Skipped { test: "p.U".into() };
    check(|f| vec![t(f)], &["p.T"]);
    check(|f| vec![t(f).record(skipped)], &["p.T"]);
    check(|f| vec![t(f).start("p.U")], &[]);
    check(|f| vec![t(f).passed("p.T", &T)], &["p.T"]);
    check(|f| vec![t(f).passed("p.U", &["tests/p/U"]), t(f)], &[]);
    check(|f| vec![f.jvm().split("p.T", &[("p.T#a", &T)])], &[]);
}

/// Whether `p.T`, recorded alone with the class `A`, still depends on it after a run beside `p.U`
/// that did not see it, with that outcome, and of which the verdict said that nothing has changed.
fn check_kept(outcome: UnitOutcome, unchanged: bool, expected: bool) {
    let mut fixture = fixture();
    fixture.absorb([fixture.jvm().passed("p.T", &T)]);
    let shared = fixture.jvm().ended("p.T", outcome, &["tests/p/T"]);
    let shared = shared.passed("p.U", &["tests/p/U"]);
    let unchanged = unchanged.then(|| TestId::new("", "p.T"));
    let project = fixture.project();
    let unchanged = BTreeSet::from_iter(unchanged);
    let absorbed = fixture
        .store
        .absorb_keeping(&project, &[shared.spool()], &unchanged);
    assert_eq!(absorbed.ran.len(), 2);
    assert_eq!(!fixture.store.affected("p.A").is_empty(), expected);
    assert_eq!(!fixture.store.isolated().is_empty(), expected);
}

#[test]
fn what_a_test_used_alone_is_kept_until_something_of_it_changes_or_it_fails() {
    check_kept(UnitOutcome::Passed, true, true);
    check_kept(UnitOutcome::Passed, false, false);
    check_kept(UnitOutcome::Failed, true, false);
}

#[test]
fn a_footprint_names_classes_and_inputs() {
    let mut fixture = fixture();
    fixture.absorb([fixture.jvm().passed("p.T", &T)]);
    let footprints = fixture.store.footprints();
    let footprint = footprints.values().next().unwrap();
    let classes: Vec<&str> = footprint.classes.iter().map(|name| &**name).collect();
    assert_eq!(classes, ["p.A", "p.T"]);
    assert!(footprint.isolated);
}
