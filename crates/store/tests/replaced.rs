//! Files that are replaced while tests run, in ways that leave old times; and clocks that jump. What
//! a test saw is never taken for what came into its place.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};
use support::{Fixture, Jvm, now_ms};
use tamis_fingerprint::raw;
use tamis_recording::{Record, UnitOutcome};

const HOUR_MS: u64 = 3_600_000;

fn project() -> Fixture {
    Fixture::new(&[
        ("classes/p/A.class", "A"),
        ("tests/p/T.class", "T"),
        ("v1/p/A.class", "A"),
        ("v2/p/A.class", "A2"),
        ("v3/p/Other.class", "A"),
    ])
}

/// Makes `link` lead to `target`, as `ln -sfn` does.
fn link(fixture: &Fixture, target: &str, link: &str) {
    let new = fixture.path("new-link");
    symlink(Path::new(target), &new).unwrap();
    fs::rename(new, fixture.path(link)).unwrap();
}

/// The project with a class directory that is a link.
fn linked(target: &str) -> Fixture {
    let fixture = project();
    fs::remove_dir_all(fixture.path("classes")).unwrap();
    link(&fixture, target, "classes");
    fixture
}

/// A test that uses `p.A` while `change` happens.
fn run(fixture: &mut Fixture, change: impl FnOnce(&Fixture)) {
    let jvm = fixture.later_jvm();
    let jvm = jvm.passed("p.T", &["tests/p/T", "classes/p/A"]);
    change(fixture);
    fixture.absorb([jvm]);
}

const CHANGED: [&str; 1] = ["p.T: p.A changed"];
const DELETED: [&str; 1] = ["p.T: p.A was deleted"];
const FRESH: [&str; 1] = ["p.T:"];

#[test]
fn a_link_to_a_class_directory_that_is_switched_under_the_run_is_a_change() {
    let mut fixture = linked("v1");
    run(&mut fixture, |fixture| link(fixture, "v2", "classes"));
    fixture.check(&CHANGED);
    link(&fixture, "v1", "classes");
    fixture.check(&FRESH);
    run(&mut fixture, |fixture| link(fixture, "v3", "classes"));
    fixture.check(&DELETED);
}

#[test]
fn a_link_on_the_way_of_a_link_that_is_switched_under_the_run_is_a_change() {
    let mut fixture = linked("current/.");
    link(&fixture, "v1", "current");
    run(&mut fixture, |fixture| link(fixture, "v2", "current"));
    fixture.check(&CHANGED);
}

#[test]
fn links_that_lead_in_a_circle_are_survived() {
    let mut fixture = linked("v1");
    run(&mut fixture, |fixture| {
        link(fixture, "other", "classes");
        link(fixture, "classes", "other");
    });
    fixture.check(&["p.T: p.A cannot be read; p.T cannot be read"]);
}

#[test]
fn a_link_to_a_package_that_is_switched_under_the_run_is_a_change() {
    let mut fixture = project();
    fs::remove_dir_all(fixture.path("classes/p")).unwrap();
    link(&fixture, "../v1/p", "classes/p");
    run(&mut fixture, |fixture| {
        link(fixture, "../v2/p", "classes/p")
    });
    fixture.check(&CHANGED);
}

#[test]
fn a_directory_that_is_moved_into_place_under_the_run_is_a_change() {
    for moved in ["classes", "classes/p"] {
        let mut fixture = project();
        run(&mut fixture, |fixture| {
            fs::rename(fixture.path(moved), fixture.path("old")).unwrap();
            let from = fixture.path(&moved.replace("classes", "v2"));
            fs::rename(from, fixture.path(moved)).unwrap();
        });
        fixture.check(&CHANGED);
    }
}

#[test]
fn a_link_is_followed_anew_each_time() {
    let mut fixture = linked("v1");
    run(&mut fixture, |_| {});
    fixture.check(&FRESH);
    link(&fixture, "v2", "classes");
    fixture.check(&CHANGED);
    fixture.write("v4/p/A.class", "A");
    link(&fixture, "v4", "classes");
    fixture.check(&FRESH);
}

#[test]
fn a_directory_that_is_written_to_under_the_run_hides_no_transformed_class() {
    let mut fixture = project();
    let mut jvm = fixture.later_jvm();
    let woven = jvm.loaded_as("p/A", "", raw(b"woven"), None);
    fixture.write("classes/p/report.txt", "a test wrote this");
    fixture.write("classes/report.txt", "and this");
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![woven])]);
    fixture.check(&FRESH);
}

/// A test that uses `l.X` of a jar while `change` happens to it.
fn run_with_jar(fixture: &mut Fixture, change: impl FnOnce(&Fixture)) {
    let mut jvm = fixture.later_jvm();
    let url = format!("file:{}", fixture.path("lib.jar").display());
    let used = jvm.loaded_as("l/X", &url, raw(b"one"), None);
    change(fixture);
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![used])]);
}

#[test]
fn a_jar_that_is_replaced_under_the_run_is_a_change_whatever_its_times_say() {
    let old = SystemTime::now() - Duration::from_secs(3600);
    let make_old = |fixture: &Fixture, jar: &str| {
        let file = fs::File::options().append(true).open(fixture.path(jar));
        file.unwrap().set_modified(old).unwrap();
    };
    let changes: [fn(&Fixture); 4] = [
        |fixture| fs::rename(fixture.path("two.jar"), fixture.path("lib.jar")).unwrap(),
        |fixture| {
            let two = fs::read(fixture.path("two.jar")).unwrap();
            fs::write(fixture.path("lib.jar"), two).unwrap();
        },
        |fixture| link(fixture, "two.jar", "lib.jar"),
        |fixture| {
            fs::remove_file(fixture.path("lib.jar")).unwrap();
            fs::hard_link(fixture.path("two.jar"), fixture.path("lib.jar")).unwrap();
        },
    ];
    for change in changes {
        let mut fixture = project();
        fixture.jar("lib.jar", &[("l/X.class", "one")]);
        fixture.jar("two.jar", &[("l/X.class", "two")]);
        make_old(&fixture, "lib.jar");
        make_old(&fixture, "two.jar");
        run_with_jar(&mut fixture, |fixture| {
            change(fixture);
            if !fixture.path("lib.jar").is_symlink() {
                make_old(fixture, "lib.jar");
            }
        });
        fixture.check(&["p.T: l.X changed"]);
    }
}

#[test]
fn a_jar_that_gains_a_version_under_the_run_is_a_change() {
    let mut fixture = project();
    fixture.jar("lib.jar", &[("l/X.class", "one")]);
    run_with_jar(&mut fixture, |fixture| {
        fixture.jar(
            "lib.jar",
            &[
                ("META-INF/MANIFEST.MF", "Multi-Release: true\n"),
                ("l/X.class", "one"),
                ("META-INF/versions/9/l/X.class", "two"),
            ],
        );
    });
    fixture.check(&["p.T: l.X changed"]);
}

#[test]
fn a_class_that_comes_before_one_of_another_loader_under_the_run_is_a_change() {
    let mut fixture = project();
    fixture.write("plugins/q/P.class", "P");
    let jvm = fixture.later_jvm();
    let jvm = jvm.passed("p.T", &["tests/p/T", "plugins/q/P"]);
    fixture.write("classes/q/P.class", "P2");
    fixture.absorb([jvm]);
    fixture.check(&["p.T: q.P changed"]);
}

#[test]
fn a_class_of_another_loader_behind_a_link_into_the_project_is_looked_for_behind_it() {
    let mut fixture = project();
    let outside = tempfile::tempdir().unwrap();
    let current = outside.path().join("current");
    symlink(fixture.path("v1"), &current).unwrap();
    let mut jvm = fixture.later_jvm();
    let url = format!("file:{}/", current.display());
    fs::remove_file(fixture.path("classes/p/A.class")).unwrap();
    let used = jvm.loaded_as("p/A", &url, raw(b"A"), None);
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![used])]);
    fixture.check(&FRESH);
    fs::remove_file(&current).unwrap();
    symlink(fixture.path("v2"), &current).unwrap();
    fixture.check(&CHANGED);
}

#[test]
fn a_class_of_an_entry_that_has_another_name_here_is_due() {
    // As a JVM calls a directory whose name is not UTF-8, or in an encoding that is not ours.
    let mut fixture = project();
    let odd = fixture.path("gr\u{fffd}n").to_str().unwrap().to_owned();
    let jvm = fixture.later_jvm();
    let mut jvm = jvm.started(|_, _, path| path.push(odd.clone()));
    let used = jvm.loaded_as("q/Odd", &format!("file:{odd}/"), raw(b"odd"), None);
    let test = jvm.loaded("tests/p/T");
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![test, used])]);
    fixture.check(&["p.T: q.Odd was deleted"]);
}

/// A run of a class that its loader changed, by a clock that `jump` sets.
fn run_by_clock(jump: impl FnOnce(&mut Jvm)) -> Fixture {
    let mut fixture = project();
    let mut jvm = fixture.later_jvm();
    let before = jvm.loaded_as("p/A", "", raw(b"before"), None);
    let mut jvm = jvm
        .unit("p.T", UnitOutcome::Passed, vec![before])
        .start("p.U");
    jump(&mut jvm);
    fixture.absorb([jvm]);
    fixture
}

fn times(jvm: &mut Jvm) -> Vec<&mut u64> {
    let records = jvm.records.iter_mut();
    let times = records.filter_map(|record| match record {
        Record::Jvm { started_ms, .. } => Some(started_ms),
        Record::UnitStarted { at_ms, .. } => Some(at_ms),
        _ => None,
    });
    times.collect()
}

#[test]
fn when_the_clock_was_set_back_no_file_counts_as_older_than_the_run() {
    let check = |jump: fn(&mut Jvm), expected: &str| {
        let fixture = run_by_clock(jump);
        let lines = support::lines(&fixture.select());
        assert_eq!(lines[0], expected);
    };
    check(|_| {}, "p.T:");
    // While the JVM ran, between two tests and after the last one.
    check(|jvm| *times(jvm)[0] += HOUR_MS, "p.T: p.A changed");
    check(|jvm| *times(jvm)[1] += HOUR_MS, "p.T: p.A changed");
    check(|jvm| *times(jvm)[2] += HOUR_MS, "p.T: p.A changed");
    check(|jvm| *times(jvm)[2] -= HOUR_MS, "p.T: p.A changed");
    // A clock that was wrong and is set forward.
    check(|jvm| *times(jvm)[0] -= HOUR_MS, "p.T: p.A changed");
    check(|jvm| *times(jvm)[0] = 0, "p.T: p.A changed");
}

#[test]
fn a_clock_that_was_set_back_between_runs_hides_no_change_and_no_end() {
    let mut fixture = project();
    let at = |fixture: &Fixture, outcome, ms: u64| {
        let files = ["tests/p/T", "classes/p/A"];
        let mut jvm = fixture.jvm().ended("p.T", outcome, &files);
        times(&mut jvm).into_iter().for_each(|time| *time = ms);
        jvm
    };
    let now = now_ms();
    fixture.absorb([at(&fixture, UnitOutcome::Passed, now + HOUR_MS)]);
    fixture.check(&FRESH);
    fixture.write("classes/p/A.class", "A3");
    fixture.check(&CHANGED);
    fixture.absorb([at(&fixture, UnitOutcome::Failed, now)]);
    fixture.check(&["p.T: failed last time"]);
    fixture.absorb([at(&fixture, UnitOutcome::Passed, now)]);
    fixture.check(&FRESH);
}
