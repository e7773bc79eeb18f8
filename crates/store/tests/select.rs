//! What a change on disk selects.

mod support;

use std::fs;
use std::path::PathBuf;
use support::{Fixture, RUNTIME, compile, lines};
use tamis_fingerprint::{Rules, signature};
use tamis_recording::{Record, UnitOutcome};
use tamis_select::Hyrts;
use tamis_store::{Project, Scope, Store};

/// Two tests; both use `p/Shared`, each its own class.
fn two_tests() -> Fixture {
    let mut fixture = Fixture::new(&[
        ("classes/p/A.class", "A"),
        ("classes/p/B.class", "B"),
        ("classes/p/Shared.class", "S"),
        ("tests/p/ATest.class", "AT"),
        ("tests/p/BTest.class", "BT"),
    ]);
    fixture.pass(&[
        (
            "p.ATest",
            &["tests/p/ATest", "classes/p/A", "classes/p/Shared"],
        ),
        (
            "p.BTest",
            &["tests/p/BTest", "classes/p/B", "classes/p/Shared"],
        ),
    ]);
    fixture
}

#[test]
fn an_identical_revision_selects_nothing() {
    two_tests().check(&["p.ATest:", "p.BTest:"]);
}

#[test]
fn a_change_selects_the_tests_that_used_the_class() {
    let fixture = two_tests();
    fixture.write("classes/p/A.class", "A2");
    fixture.check(&["p.ATest: p.A changed", "p.BTest:"]);
    fixture.write("classes/p/Shared.class", "S2");
    fixture.check(&[
        "p.ATest: p.A changed; p.Shared changed",
        "p.BTest: p.Shared changed",
    ]);
    fixture.write("classes/p/Unrelated.class", "U");
    fixture.write("classes/p/A.class", "A");
    fixture.write("classes/p/Shared.class", "S");
    fixture.check(&["p.ATest:", "p.BTest:"]);
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen() {
    let fixture = two_tests();
    let path = fixture.path("classes/p/A.class");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fixture.write("classes/p/A.class", "a");
    fs::File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    fixture.check(&["p.ATest: p.A changed", "p.BTest:"]);
}

#[test]
fn a_change_that_cannot_change_behaviour_selects_nothing() {
    let mut fixture = Fixture::new(&[("tests/CTest.class", "t")]);
    fixture.write(
        "classes/C.class",
        compile("C", "class C { int f() { return 1; } }"),
    );
    fixture.pass(&[("CTest", &["tests/CTest", "classes/C"])]);
    let lower = compile("C", "// A comment.\n\nclass C { int f() { return 1; } }");
    assert_ne!(lower, fs::read(fixture.path("classes/C.class")).unwrap());
    fixture.write("classes/C.class", lower);
    fixture.check(&["CTest:"]);
    fixture.write(
        "classes/C.class",
        compile("C", "class C { int f() { return 2; } }"),
    );
    fixture.check(&["CTest: C changed"]);
}

#[test]
fn a_deleted_or_unreadable_class_selects() {
    let fixture = two_tests();
    fixture.remove("classes/p/A.class");
    fixture.check(&["p.ATest: p.A was deleted", "p.BTest:"]);
    fs::create_dir(fixture.path("classes/p/A.class")).unwrap();
    fixture.check(&["p.ATest: p.A cannot be read", "p.BTest:"]);
}

#[test]
fn a_class_that_shadows_another_selects() {
    let mut fixture = two_tests();
    fixture.write("tests/p/Helper.class", "H");
    fixture.pass(&[("p.ATest", &["tests/p/ATest", "tests/p/Helper"])]);
    fixture.write("classes/p/Helper.class", "other");
    fixture.check(&["p.ATest: p.Helper changed", "p.BTest:"]);
    fixture.write("classes/p/Helper.class", "H");
    fixture.check(&["p.ATest:", "p.BTest:"]);
}

#[test]
fn a_test_is_compared_with_its_own_last_run() {
    let mut fixture = two_tests();
    fixture.write("classes/p/Shared.class", "S2");
    // Only one of them runs with the change: the other stays stale.
    fixture.pass(&[(
        "p.ATest",
        &["tests/p/ATest", "classes/p/A", "classes/p/Shared"],
    )]);
    fixture.check(&["p.ATest:", "p.BTest: p.Shared changed"]);
    // And with the change reverted it is the other way round.
    fixture.write("classes/p/Shared.class", "S");
    fixture.check(&["p.ATest: p.Shared changed", "p.BTest:"]);
}

#[test]
fn a_jar_that_is_replaced_selects_only_tests_that_used_a_changed_class() {
    let mut fixture = Fixture::new(&[("tests/ATest.class", "AT"), ("tests/BTest.class", "BT")]);
    fixture.jar("lib.jar", &[("l/X.class", "x"), ("l/Y.class", "y")]);
    let url = format!("file:{}", fixture.path("lib.jar").display());
    let mut jvm = fixture.jvm();
    let x = jvm.loaded_as("l/X", &url, tamis_fingerprint::raw(b"x"), None);
    let y = jvm.loaded_as("l/Y", &url, tamis_fingerprint::raw(b"y"), None);
    let jvm =
        jvm.unit("ATest", UnitOutcome::Passed, vec![x])
            .unit("BTest", UnitOutcome::Passed, vec![y]);
    fixture.absorb([jvm]);
    fixture.check(&["ATest:", "BTest:"]);
    fixture.jar(
        "lib.jar",
        &[("l/X.class", "x"), ("l/Y.class", "y2"), ("l/Z.class", "z")],
    );
    fixture.check(&["ATest:", "BTest: l.Y changed"]);
    fixture.remove("lib.jar");
    fixture.check(&["ATest: l.X was deleted", "BTest: l.Y was deleted"]);
    let whole = "PK\x05\x06 and no archive all the same";
    fixture.write("lib.jar", whole);
    fixture.check(&["ATest: l.X cannot be read", "BTest: l.Y cannot be read"]);
}

#[test]
fn another_runtime_selects_everything() {
    let fixture = two_tests();
    let scope = |runtime: &str| Scope {
        runtime: Some(runtime.into()),
        ..Scope::default()
    };
    assert_eq!(
        lines(&fixture.select_in(&scope(RUNTIME))),
        ["p.ATest:", "p.BTest:"]
    );
    let reason = format!(
        "ran on … {}, now … 25",
        RUNTIME.trim_start_matches("OpenJDK ")
    );
    let expected = [format!("p.ATest: {reason}"), format!("p.BTest: {reason}")];
    assert_eq!(lines(&fixture.select_in(&scope("OpenJDK 25"))), expected);
}

#[test]
fn an_added_method_concerns_all_users_if_a_type_of_the_jdk_may_have_it() {
    let bag = |body: &str| {
        let source = format!("class Bag extends java.util.ArrayList<String> {{ {body} }}");
        compile("Bag", &source)
    };
    let (before, after) = (bag(""), bag("public void first() {}"));
    let list = |supertypes: &[&str], methods: &[&str]| Record::Outside {
        name: "java/util/ArrayList".into(),
        supertypes: supertypes.iter().map(|name| name.to_string()).collect(),
        methods: methods
            .iter()
            .map(|name| signature(name.as_bytes(), b"()V"))
            .collect(),
    };
    let check = |types: &[Record], expected: usize| {
        let mut fixture = Fixture::new(&[("tests/BagTest.class", "test")]);
        fixture.write("classes/Bag.class", &before);
        // Two JVMs that may tell different things.
        for types in [&[][..], types] {
            let files = ["tests/BagTest", "classes/Bag"];
            let jvm = fixture.jvm().executed("BagTest", &files, &[(1, 0)], &[1]);
            let jvm = types
                .iter()
                .fold(jvm, |jvm, record| jvm.record(record.clone()));
            fixture.absorb([jvm]);
        }
        fixture.store.save(&fixture.project()).unwrap();
        let store = Store::load(&fixture.project()).unwrap().store;
        fixture.write("classes/Bag.class", &after);
        let technique = Hyrts::basic(vec![], Rules::default());
        let selection = store.select(&fixture.project(), &Scope::default(), &technique);
        assert_eq!(selection.selected().count(), expected, "{types:?}");
    };
    check(&[], 1);
    check(&[list(&[], &["clear"])], 0);
    check(&[list(&[], &["clear", "first"])], 1);
    check(&[list(&[], &["first"]), list(&[], &["clear"])], 1);
    check(&[list(&["java/util/AbstractList"], &["clear"])], 1);
}

#[test]
fn a_class_is_only_checked_if_all_records_of_a_test_say_so() {
    let source = |body: &str| compile("Bag", &format!("class Bag {{ {body} }}"));
    let (before, after) = (source(""), source("static int size;"));
    let check = |checked: &[bool], expected: usize| {
        let mut fixture = Fixture::new(&[("tests/BagTest.class", "test")]);
        fixture.write("classes/Bag.class", &before);
        let jvm = |checked: &bool| {
            let files = ["tests/BagTest", "classes/Bag"];
            let jvm = fixture.jvm().executed("BagTest", &files, &[], &[]);
            jvm.checking(if *checked { &[1] } else { &[] })
        };
        let jvms: Vec<_> = checked.iter().map(jvm).collect();
        fixture.absorb(jvms);
        fixture.store.save(&fixture.project()).unwrap();
        let store = Store::load(&fixture.project()).unwrap().store;
        fixture.write("classes/Bag.class", &after);
        let technique = Hyrts::basic(vec![], Rules::default());
        let selection = store.select(&fixture.project(), &Scope::default(), &technique);
        assert_eq!(selection.selected().count(), expected, "{checked:?}");
    };
    check(&[true], 0);
    check(&[true, true], 0);
    check(&[false], 1);
    check(&[true, false], 1);
    check(&[false, true], 1);
}

#[test]
fn a_given_class_path_replaces_the_recorded_one() {
    let fixture = two_tests();
    let check = |paths: &[&str], expected: &[&str]| {
        let class_path: Vec<PathBuf> = paths.iter().map(|path| fixture.path(path)).collect();
        let scope = Scope {
            class_path: Some(class_path),
            ..Scope::default()
        };
        assert_eq!(lines(&fixture.select_in(&scope)), expected);
    };
    check(&["classes", "tests"], &["p.ATest:", "p.BTest:"]);
    check(
        &["tests"],
        &[
            "p.ATest: p.A was deleted; p.Shared was deleted",
            "p.BTest: p.B was deleted; p.Shared was deleted",
        ],
    );
    fixture.write("new/p/Shared.class", "S2");
    check(
        &["new", "classes", "tests"],
        &["p.ATest: p.Shared changed", "p.BTest: p.Shared changed"],
    );
    let unknown = [
        "p.ATest: its class path is unknown",
        "p.BTest: its class path is unknown",
    ];
    check(&[], &unknown);
    check(&["nothing", "there"], &unknown);
    // The tests are not there: a selection has nothing to say of them.
    check(&["classes"], &[]);
}

#[test]
fn a_scope_is_limited_to_its_module() {
    let mut fixture = two_tests();
    fixture.write("core/tests/p/ATest.class", "AT");
    let class_path = vec![fixture.path("core/tests").to_str().unwrap().to_owned()];
    let core = fixture.jvm().started(|_, _, path| *path = class_path);
    let core = core.module(&fixture.path("core")).passed("p.ATest", &[]);
    fixture.absorb([core]);
    let select = |module: Option<&str>| {
        let scope = Scope {
            module: module.map(str::to_owned),
            ..Scope::default()
        };
        let verdicts = fixture.select_in(&scope).verdicts;
        let name =
            |verdict: tamis_select::Verdict| format!("{}:{}", verdict.test.module, verdict.test);
        verdicts.into_iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(select(None), [":p.ATest", ":p.BTest", "core:p.ATest"]);
    assert_eq!(select(Some("")), [":p.ATest", ":p.BTest"]);
    assert_eq!(select(Some("core")), ["core:p.ATest"]);
    assert_eq!(select(Some("other")), Vec::<String>::new());
}

#[test]
fn a_change_in_a_sibling_module_selects() {
    let mut fixture = Fixture::new(&[
        ("core/p/Core.class", "c"),
        ("app/tests/p/AppTest.class", "t"),
    ]);
    let path = ["app/tests", "core"].map(|path| fixture.path(path).to_str().unwrap().to_owned());
    let app = fixture
        .jvm()
        .started(|_, _, class_path| *class_path = path.to_vec());
    let mut app = app.module(&fixture.path("app"));
    let core = app.loaded("core/p/Core");
    fixture.absorb([app.unit("p.AppTest", UnitOutcome::Passed, vec![core])]);
    fixture.check(&["p.AppTest:"]);
    fixture.write("core/p/Core.class", "c2");
    fixture.check(&["p.AppTest: p.Core changed"]);
}

#[test]
fn a_moved_project_selects_nothing() {
    let fixture = two_tests();
    fixture.store.save(&fixture.project()).unwrap();
    let bytes = fs::read(fixture.path(".tamis/store")).unwrap();
    let absolute = fixture.dir.path().to_str().unwrap().as_bytes();
    assert!(
        !bytes
            .windows(absolute.len())
            .any(|window| window == absolute)
    );

    let elsewhere = tempfile::tempdir().unwrap();
    let root = elsewhere.path().join("moved here");
    fs::rename(fixture.dir.path(), &root).unwrap();
    let project = Project { root };
    let loaded = Store::load(&project).unwrap();
    assert_eq!(loaded.warning, None);
    let selection = loaded
        .store
        .select(&project, &Scope::default(), &tamis_select::Ekstazi);
    assert_eq!(lines(&selection), ["p.ATest:", "p.BTest:"]);
    fs::write(project.root.join("classes/p/B.class"), "B2").unwrap();
    let selection = loaded
        .store
        .select(&project, &Scope::default(), &tamis_select::Ekstazi);
    assert_eq!(lines(&selection), ["p.ATest:", "p.BTest: p.B changed"]);
}

#[test]
fn tests_are_found_by_name_and_by_the_classes_they_used() {
    let fixture = two_tests();
    let names = |tests: Vec<tamis_select::TestId>| {
        tests.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        names(fixture.store.affected("p.Shared")),
        ["p.ATest", "p.BTest"]
    );
    assert_eq!(names(fixture.store.affected("p.A")), ["p.ATest"]);
    assert_eq!(names(fixture.store.affected("A")), ["p.ATest"]);
    assert_eq!(names(fixture.store.affected("red")), Vec::<String>::new());
    let known = |class| {
        let known = fixture.store.known(class).into_iter();
        known
            .map(|(test, known)| (test.to_string(), known.classes))
            .collect::<Vec<_>>()
    };
    assert_eq!(known("p.ATest"), [("p.ATest".to_owned(), 3)]);
    assert_eq!(known("ATest"), [("p.ATest".to_owned(), 3)]);
    assert_eq!(known("Test"), []);
    let modules = fixture.store.modules();
    assert_eq!(modules.len(), 1);
    assert_eq!((modules[0].module.as_str(), modules[0].tests), ("", 2));
    let path: Vec<String> = modules[0]
        .class_path
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        path,
        ["project:classes", "project:tests", "project:lib.jar"]
    );
}
