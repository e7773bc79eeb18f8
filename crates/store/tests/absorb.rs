//! What is kept of a run.

mod support;

use std::fs;
use support::{Fixture, compile};
use tamis_fingerprint::raw;
use tamis_recording::{Damage, Record, UnitOutcome};
use tamis_select::TestId;
use tamis_store::Ran;

fn one_class() -> Fixture {
    Fixture::new(&[
        ("classes/p/A.class", "A"),
        ("classes/p/B.class", "B"),
        ("tests/p/T.class", "T"),
        ("tests/p/U.class", "U"),
    ])
}

fn test(name: &str) -> TestId {
    TestId::new("", name)
}

#[test]
fn a_test_that_failed_stays_due_until_it_ends_otherwise() {
    let mut fixture = one_class();
    let files = ["tests/p/T", "classes/p/A"];
    fixture.absorb([fixture.jvm().ended("p.T", UnitOutcome::Failed, &files)]);
    fixture.check(&["p.T: failed last time"]);
    fixture.absorb([fixture.jvm().ended("p.T", UnitOutcome::Aborted, &files)]);
    fixture.check(&["p.T:"]);
    fixture.absorb([fixture.jvm().ended("p.T", UnitOutcome::Ignored, &files)]);
    fixture.check(&["p.T:"]);
    fixture.absorb([fixture.jvm().ended("p.T", UnitOutcome::Passed, &files)]);
    fixture.check(&["p.T:"]);
}

#[test]
fn records_of_one_run_are_united() {
    let mut fixture = one_class();
    let first = fixture
        .jvm()
        .passed("p.T", &["classes/p/A"])
        .passed("p.U", &["tests/p/U"]);
    let second = fixture
        .jvm()
        .ended("p.T", UnitOutcome::Failed, &["classes/p/B"]);
    let second = second.passed("p.T", &["tests/p/T"]);
    let absorbed = fixture.absorb([first, second]);
    let ran = |class, outcome, duration_us| Ran {
        test: test(class),
        outcome,
        duration_us,
        is_complete: true,
    };
    assert_eq!(
        absorbed.ran,
        [
            ran("p.T", tamis_select::Outcome::Failed, 30),
            ran("p.U", tamis_select::Outcome::Passed, 10),
        ]
    );
    assert_eq!(absorbed.jvms, 2);
    fixture.write("classes/p/A.class", "A2");
    fixture.write("classes/p/B.class", "B2");
    fixture.check(&["p.T: failed last time; p.A changed; p.B changed", "p.U:"]);
}

#[test]
fn a_test_that_did_not_end_keeps_its_dependencies_and_is_due() {
    let mut fixture = one_class();
    fixture.pass(&[("p.T", &["tests/p/T", "classes/p/A"])]);
    let absorbed = fixture.absorb([fixture.jvm().start("p.T").start("p.U")]);
    assert_eq!(absorbed.unfinished, [test("p.T"), test("p.U")]);
    assert_eq!(absorbed.ran, []);
    fixture.check(&[
        "p.T: did not finish last time",
        "p.U: did not finish last time",
    ]);
    fixture.write("classes/p/A.class", "A2");
    fixture.check(&[
        "p.T: did not finish last time; p.A changed",
        "p.U: did not finish last time",
    ]);
    fixture.pass(&[
        ("p.T", &["tests/p/T", "classes/p/A"]),
        ("p.U", &["tests/p/U"]),
    ]);
    fixture.check(&["p.T:", "p.U:"]);
    // Ended in one JVM and not in another: it is due.
    let ended = fixture.jvm().passed("p.U", &["tests/p/U"]);
    let absorbed = fixture.absorb([ended, fixture.jvm().start("p.U")]);
    assert_eq!(absorbed.unfinished, [test("p.U")]);
    fixture.check(&["p.T:", "p.U: did not finish last time"]);
}

#[test]
fn tests_that_did_not_run_keep_their_state() {
    let mut fixture = one_class();
    fixture.pass(&[
        ("p.T", &["tests/p/T", "classes/p/A"]),
        ("p.U", &["tests/p/U"]),
    ]);
    fixture.write("classes/p/A.class", "A2");
    let jvm = fixture.jvm().passed("p.U", &["tests/p/U"]);
    let jvm = jvm.record(Record::Skipped { test: "p.T".into() });
    let jvm = jvm.record(Record::Wanted {
        test: "p.New".into(),
    });
    let absorbed = fixture.absorb([jvm]);
    assert_eq!(absorbed.skipped, [test("p.T")]);
    assert_eq!(absorbed.wanted, [test("p.New")]);
    fixture.check(&["p.T: p.A changed", "p.U:"]);
}

#[test]
fn whole_frames_of_a_damaged_spool_count() {
    let mut fixture = one_class();
    let jvm = fixture.jvm().passed("p.T", &["tests/p/T"]).start("p.U");
    let mut spool = jvm.spool();
    spool.damage = Some(Damage::CutOff);
    let nothing = tamis_recording::read(b"tamis sp");
    let absorbed = fixture
        .store
        .absorb(&fixture.project(), vec![spool, nothing]);
    assert_eq!((absorbed.jvms, absorbed.damaged), (2, 2));
    let killed = fixture.jvm().start("p.U");
    let ended = fixture.jvm().record(Record::Closed);
    let absorbed = fixture.absorb([killed, ended]);
    assert_eq!((absorbed.jvms, absorbed.damaged), (2, 1));
    fixture.check(&["p.T:", "p.U: did not finish last time"]);
}

#[test]
fn a_problem_distrusts_all_tests_of_its_jvm() {
    let mut fixture = one_class();
    let sick = fixture.jvm().passed("p.T", &["tests/p/T"]);
    let sick = sick.record(Record::Problem {
        message: "lost a class".into(),
    });
    let absorbed = fixture.absorb([sick, fixture.jvm().passed("p.U", &["tests/p/U"])]);
    assert_eq!(absorbed.problems, ["lost a class"]);
    fixture.check(&["p.T: recorded incompletely: lost a class", "p.U:"]);
}

#[test]
fn a_class_that_is_not_described_distrusts() {
    let mut fixture = one_class();
    fixture.absorb([fixture.jvm().unit("p.T", UnitOutcome::Passed, vec![7])]);
    fixture.check(&[
        "p.T: recorded incompletely: class 7 was used, but the recording does not describe it",
    ]);
}

#[test]
fn a_suite_is_known_and_is_no_test() {
    let mut fixture = one_class();
    let mut jvm = fixture.jvm().passed("p.T", &["tests/p/T"]).start("p.U");
    jvm.records.push(Record::UnitFinished {
        unit: 1,
        outcome: UnitOutcome::Failed,
        container: true,
        split: false,
        duration_us: 1,
        classes: vec![],
        checked: vec![],
        members: vec![],
        inputs: vec![],
        reflection: tamis_recording::ReflectionUse::default(),
        inspected: Vec::new(),
        created: vec![],
        distrust: None,
        receivers: None,
        inherited: Vec::new(),
        changed: Vec::new(),
    });
    let absorbed = fixture.absorb([jvm]);
    assert_eq!(absorbed.ran.len(), 1);
    assert_eq!(fixture.store.modules()[0].tests, 1);
    fixture.check(&["p.T:"]);
}

#[test]
fn a_deleted_test_is_not_listed_and_is_forgotten_with_the_next_run() {
    let mut fixture = one_class();
    fixture.pass(&[("p.T", &["tests/p/T"]), ("p.U", &["tests/p/U"])]);
    fixture.remove("tests/p/U.class");
    fixture.check(&["p.T:"]);
    assert_eq!(fixture.store.known("p.U").len(), 1);
    fixture.pass(&[("p.T", &["tests/p/T"])]);
    assert_eq!(fixture.store.known("p.U").len(), 0);
}

#[test]
fn a_class_of_another_loader_is_looked_for_where_it_came_from() {
    let mut fixture = one_class();
    fixture.write("plugins/q/P.class", "P");
    fixture.pass(&[("p.T", &["tests/p/T", "plugins/q/P"])]);
    fixture.check(&["p.T:"]);
    fixture.write("plugins/q/P.class", "P2");
    fixture.check(&["p.T: q.P changed"]);
    fixture.remove("plugins/q/P.class");
    fixture.check(&["p.T: q.P was deleted"]);
    fixture.write("plugins/q/P.class", "P");
    // Its loader may ask the class path first.
    fixture.write("classes/q/P.class", "P");
    fixture.check(&["p.T: q.P was added"]);
}

#[test]
fn a_class_of_another_loader_depends_on_its_namesake_on_the_path() {
    let mut fixture = one_class();
    fixture.write("plugins/p/A.class", "plugin");
    let jvm = fixture.later_jvm().passed("p.T", &["plugins/p/A"]);
    fixture.absorb([jvm]);
    fixture.check(&["p.T:"]);
    fixture.write("classes/p/A.class", "A2");
    fixture.check(&["p.T: p.A changed"]);
}

#[test]
fn a_test_class_of_another_loader_exists() {
    let mut fixture = one_class();
    fixture.write("isolated/q/V.class", "V");
    fixture.pass(&[("q.V", &["isolated/q/V"])]);
    fixture.check(&["q.V:"]);
    fixture.remove("isolated/q/V.class");
    fixture.check(&[]);
}

#[test]
fn a_class_that_its_loader_transforms_is_compared_with_its_file() {
    let mut fixture = one_class();
    let mut jvm = fixture.later_jvm();
    let woven = jvm.loaded_as("p/A", "", raw(b"woven"), None);
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![woven])]);
    fixture.check(&["p.T:"]);
    fixture.write("classes/p/A.class", "A2");
    fixture.check(&["p.T: p.A changed"]);
}

#[test]
fn a_class_that_changed_under_the_run_is_due() {
    let mut fixture = one_class();
    let mut jvm = fixture
        .jvm()
        .started(|started_ms, _, _| *started_ms -= 60_000);
    let before = jvm.loaded("classes/p/A");
    fixture.write("classes/p/A.class", "A2");
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![before])]);
    fixture.check(&["p.T: p.A changed"]);
    fixture.write("classes/p/A.class", "A");
    fixture.check(&["p.T:"]);
}

#[test]
fn a_class_that_was_deleted_under_the_run_is_due() {
    let mut fixture = one_class();
    let mut jvm = fixture
        .jvm()
        .started(|started_ms, _, _| *started_ms -= 60_000);
    let before = jvm.loaded("classes/p/A");
    fs::remove_dir_all(fixture.path("classes")).unwrap();
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![before])]);
    fixture.check(&["p.T: p.A was deleted"]);
}

#[test]
fn a_class_that_was_generated_is_no_dependency() {
    let mut fixture = one_class();
    let mut jvm = fixture.later_jvm();
    let host = format!("file:{}/", fixture.path("classes").display());
    let classes = vec![
        jvm.loaded_as("p/A$Mock$1", &host, raw(b"generated"), None),
        jvm.loaded_as("p/Proxy1", "", raw(b"generated"), None),
        jvm.loaded_as("java/util/X", "jrt:/java.base", raw(b"runtime"), None),
        jvm.loaded_as("q/Temporary", "file:/nowhere/at/all/", raw(b"gone"), None),
    ];
    fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, classes)]);
    fixture.check(&["p.T:"]);
    assert_eq!(fixture.store.known("p.T")[0].1.classes, 0);
}

#[test]
fn a_class_from_an_archive_in_an_archive_distrusts() {
    let mut fixture = one_class();
    for url in [
        "jar:file:/app.jar!/lib/x.jar!/",
        "jar:nested:/app.jar/!lib/x.jar!/",
    ] {
        let mut jvm = fixture.jvm();
        let nested = jvm.loaded_as("q/Nested", url, raw(b"n"), None);
        fixture.absorb([jvm.unit("p.T", UnitOutcome::Passed, vec![nested])]);
        let why = "q/Nested comes from an archive inside an archive";
        fixture.check(&[&format!("p.T: recorded incompletely: {why}")]);
    }
}

#[test]
fn a_jar_that_vanished_from_the_class_path_distrusts() {
    let mut fixture = one_class();
    let boot = fixture
        .path("target/surefirebooter1.jar")
        .to_str()
        .unwrap()
        .to_owned();
    fixture.write("target/x", "");
    let jvm = fixture.jvm().started(|started_ms, _, path| {
        *started_ms -= 60_000;
        path.insert(0, boot);
    });
    fixture.absorb([jvm.passed("p.T", &["tests/p/T"])]);
    let why = "surefirebooter1.jar was on the class path and is gone";
    fixture.check(&[&format!("p.T: recorded incompletely: {why}")]);
}

#[test]
fn a_multi_release_class_is_the_same_whichever_version_was_loaded() {
    let mut fixture = one_class();
    let jar = |nine: &str| {
        fixture.jar(
            "lib.jar",
            &[
                ("META-INF/MANIFEST.MF", "Multi-Release: true\n"),
                ("l/X.class", "base"),
                ("META-INF/versions/9/l/X.class", nine),
            ],
        );
    };
    jar("nine");
    let mut jvm = fixture.later_jvm();
    let x = jvm.loaded_as("l/X", "", raw(b"nine"), Some(raw(b"smart")));
    let spool = jvm.unit("p.T", UnitOutcome::Passed, vec![x]).spool();
    let mut store = std::mem::take(&mut fixture.store);
    store.absorb(&fixture.project(), vec![spool]);
    fixture.store = store;
    fixture.check(&["p.T:"]);
}

#[test]
fn relative_class_path_entries_are_relative_to_the_module() {
    let mut fixture = one_class();
    let jvm = fixture
        .jvm()
        .started(|_, _, path| *path = vec!["classes".into(), "tests".into()]);
    fixture.absorb([jvm.passed("p.T", &["tests/p/T", "classes/p/A"])]);
    fixture.check(&["p.T:"]);
    fixture.write("classes/p/A.class", "A2");
    fixture.check(&["p.T: p.A changed"]);
}

#[test]
fn a_class_without_methods_hides_no_other() {
    let plain = compile("Plain", "class Plain { void m() { } }");
    let marker = compile("Zero", "interface Zero { }");
    let mut fixture = Fixture::new(&[("tests/PlainTest.class", "test")]);
    fixture.write("classes/Plain.class", &plain);
    fixture.write("classes/Zero.class", &marker);
    let mut jvm = fixture.jvm();
    let test = jvm.loaded("tests/PlainTest");
    // Where a class without methods lies, the next one starts.
    let zero = jvm.loaded_at("classes/Zero", 50);
    let plain = jvm.loaded_at("classes/Plain", 50);
    let used = vec![test, zero, plain];
    let jvm = jvm.unit_with("PlainTest", UnitOutcome::Passed, used, vec![51], vec![]);
    fixture.absorb([jvm]);
    assert_eq!(fixture.store.affected("Plain#m").len(), 1);
    assert_eq!(fixture.store.affected("Plain#<init>").len(), 0);
}

#[test]
fn methods_in_another_order_are_the_same_methods() {
    let source = |methods: &str| compile("Calc", &format!("class Calc {{ {methods} }}"));
    let (a, b) = ("int a() { return 1; }", "int b() { return 2; }");
    let files = [
        ("tests/OneTest.class", "one"),
        ("tests/TwoTest.class", "two"),
    ];
    let mut fixture = Fixture::new(&files);
    // The constructor is the first method, as javac writes it.
    fixture.write("classes/Calc.class", source(&format!("{a} {b}")));
    let uses = |fixture: &Fixture, test: &str, method: u32| {
        let file = format!("tests/{test}");
        let files = [file.as_str(), "classes/Calc"];
        fixture.jvm().executed(test, &files, &[(1, method)], &[])
    };
    let one = uses(&fixture, "OneTest", 1);
    fixture.absorb([one]);
    fixture.write("classes/Calc.class", source(&format!("{b} {a}")));
    let two = uses(&fixture, "TwoTest", 1);
    fixture.absorb([two]);
    let affected = |asked: &str| -> Vec<String> {
        let tests = fixture.store.affected(asked).into_iter();
        tests.map(|test| test.to_string()).collect()
    };
    assert_eq!(affected("Calc#a"), ["OneTest"]);
    assert_eq!(affected("Calc#b"), ["TwoTest"]);
}
