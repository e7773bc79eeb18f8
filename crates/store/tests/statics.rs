//! What static techniques select, with class files on disk and no build.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Fixture, RUNTIME, lines};
use tamis_select::{Choice, TestId};
use tamis_store::{Ended, Scope};

/// `ATest` and `BTest` use a class each, and `BTest` a file.
const SOURCES: [(&str, &str, &str); 4] = [
    (
        "classes",
        "A",
        "public class A { int f() { return 1; } int g() { return 1; } }",
    ),
    ("classes", "B", "public class B { int f() { return 1; } }"),
    (
        "tests",
        "ATest",
        "public class ATest { public void t() { new A().f(); } }",
    ),
    (
        "tests",
        "BTest",
        "public class BTest {
            public void t() { new B().f(); B.class.getResource(\"/data/b.txt\"); }
        }",
    ),
];

/// Both tests passed on the classes as they are.
fn passed() -> Fixture {
    let mut fixture = Fixture::new(&[("classes/data/b.txt", "b")]);
    compile_all(&fixture, &SOURCES);
    fixture.pass(&[
        ("ATest", &["tests/ATest", "classes/A"]),
        ("BTest", &["tests/BTest", "classes/B"]),
    ]);
    keep(&fixture, &["ATest", "BTest"], true);
    fixture
}

/// Compiles sources that refer to each other.
fn compile_all(fixture: &Fixture, sources: &[(&str, &str, &str)]) {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut javac = Command::new(match std::env::var_os("JAVA_HOME") {
        Some(home) => std::path::PathBuf::from(home).join("bin/javac"),
        None => "javac".into(),
    });
    javac.arg("-d").arg(&out);
    for (_, name, text) in sources {
        let file = dir.path().join(format!("{name}.java"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        javac.arg(file);
    }
    assert!(javac.status().unwrap().success());
    for (entry, name, _) in sources {
        let class = out.join(format!("{name}.class"));
        let package = class.parent().unwrap();
        for file in fs::read_dir(package).unwrap() {
            let file = file.unwrap().path();
            let stem = file.file_stem().unwrap().to_str().unwrap();
            if file == class || stem.starts_with(&format!("{name}$")) {
                let path = file.strip_prefix(&out).unwrap().to_str().unwrap();
                fixture.write(&format!("{entry}/{path}"), fs::read(&file).unwrap());
            }
        }
    }
}

/// Remembers that these tests passed on the classes as they are, all of each or only a part.
fn keep(fixture: &Fixture, tests: &[&str], is_complete: bool) {
    let project = fixture.project();
    let class_path = ["classes", "tests", "lib.jar"].map(|entry| fixture.path(entry));
    let baseline = project.keep_baseline(&class_path, RUNTIME);
    assert!(baseline.is_some());
    let ended = tests.iter().map(|test| Ended {
        class: TestId::new("", *test),
        failed: false,
        is_complete,
        baseline,
    });
    project.add_to_history(ended.collect()).unwrap();
}

fn select(fixture: &Fixture, choice: &str, scope: Scope) -> Vec<String> {
    let choice: Choice = choice.parse().unwrap();
    let scope = Scope {
        statics: choice.statics().clone(),
        ..scope
    };
    let selection = fixture.store.choose(&fixture.project(), &scope, &choice);
    lines(&selection)
}

#[track_caller]
fn check(fixture: &Fixture, choice: &str, expected: &[&str]) {
    assert_eq!(select(fixture, choice, Scope::default()), expected);
}

const A_CHANGED: [(&str, &str, &str); 4] = {
    let mut sources = SOURCES;
    sources[0].2 = "public class A { int f() { return 2; } int g() { return 1; } }";
    sources
};

#[test]
fn what_did_not_change_selects_nothing() {
    for technique in ["firewall", "fest", "mest"] {
        check(&passed(), technique, &["ATest:", "BTest:"]);
    }
}

#[test]
fn a_member_selects_who_reaches_it_and_a_class_who_depends_on_it() {
    let fixture = passed();
    compile_all(&fixture, &A_CHANGED);
    let reached = "ATest: ATest#t() → A#f() (changed)";
    check(&fixture, "mest", &[reached, "BTest:"]);
    check(&fixture, "fest", &["ATest: ATest → A (changed)", "BTest:"]);

    let mut sources = SOURCES;
    sources[0].2 = "public class A { int f() { return 1; } int g() { return 2; } }";
    compile_all(&fixture, &sources);
    check(&fixture, "mest", &["ATest:", "BTest:"]);
    check(&fixture, "fest", &["ATest: ATest → A (changed)", "BTest:"]);
}

#[test]
fn a_class_that_is_gone_or_cannot_be_read_selects_who_names_it() {
    let fixture = passed();
    fixture.write("classes/A.class", "no class");
    let check_all = |a: &str| {
        for technique in ["firewall", "fest", "mest"] {
            let selected = select(&fixture, technique, Scope::default());
            assert!(selected[0].starts_with(a), "{selected:?}");
            assert_eq!(selected[1], "BTest:");
        }
    };
    check_all("ATest: ATest");
    fixture.remove("classes/A.class");
    check_all("ATest: ATest");
    // A test class itself is no exception.
    compile_all(&fixture, &SOURCES);
    fixture.write("tests/ATest.class", "no class");
    check_all("ATest: ATest changed");
}

#[test]
fn a_file_selects_who_has_its_name() {
    let fixture = passed();
    let path = "BTest#t() → \"/data/b.txt\" → data/b.txt (changed)";
    for change in [Some("c"), None] {
        match change {
            Some(text) => fixture.write("classes/data/b.txt", text),
            None => fixture.remove("classes/data/b.txt"),
        }
        check(&fixture, "mest", &["ATest:", &format!("BTest: {path}")]);
        check(
            &fixture,
            "fest",
            &["ATest:", "BTest: BTest → data/b.txt (changed)"],
        );
        check(&fixture, "firewall", &["ATest:", "BTest:"]);
    }
}

#[test]
fn a_file_that_nobody_names_selects_all() {
    let fixture = passed();
    fixture.write("classes/data/c.txt", "c");
    check(
        &fixture,
        "mest",
        &[
            "ATest: ATest → data/c.txt (changed)",
            "BTest: BTest → data/c.txt (changed)",
        ],
    );
}

/// `ATest` passed with a library that is not in the project.
fn passed_with_library(library: &Path) -> Fixture {
    let mut fixture = passed();
    fixture.jar(library.to_str().unwrap(), &[("l/L.class", "one")]);
    pass_with_library(&mut fixture, "ATest", library);
    fixture
}

/// A test passes on a class path with a library that is not the project's.
fn pass_with_library(fixture: &mut Fixture, test: &str, library: &Path) {
    let class_path = ["classes", "tests"].map(|entry| fixture.path(entry));
    let class_path = [&class_path[..], &[library.to_owned()]].concat();
    let texts = class_path
        .iter()
        .map(|path| path.to_str().unwrap().to_owned());
    let texts = texts.collect();
    let jvm = fixture.jvm().started(|_, _, path| *path = texts);
    let class = format!("tests/{test}");
    fixture.absorb([jvm.passed(test, &[&class])]);
    let project = fixture.project();
    let baseline = project.keep_baseline(&class_path, RUNTIME);
    let ended = Ended {
        class: TestId::new("", test),
        failed: false,
        is_complete: true,
        baseline,
    };
    project.add_to_history(vec![ended]).unwrap();
}

#[test]
fn a_library_that_uses_the_project_leads_to_its_classes() {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join("library.jar");
    let mut fixture = passed();
    let compile = |fixture: &Fixture, number: u32| {
        let used =
            format!("package p; public class A {{ public static int f() {{ return {number}; }} }}");
        let user = "package l; public class H { public static int h() { return p.A.f(); } }";
        let test = "public class CTest { public void t() { l.H.h(); } }";
        compile_all(
            fixture,
            &[
                ("classes", "p/A", &used),
                ("library", "l/H", user),
                ("tests", "CTest", test),
            ],
        );
    };
    compile(&fixture, 1);
    let user = fs::read(fixture.path("library/l/H.class")).unwrap();
    fixture.jar(library.to_str().unwrap(), &[("l/H.class", user)]);
    pass_with_library(&mut fixture, "CTest", &library);
    let of_test = |choice: &str| {
        let selected = select(&fixture, choice, Scope::default());
        selected
            .into_iter()
            .find(|line| line.starts_with("CTest"))
            .unwrap()
    };
    assert_eq!(of_test("mest"), "CTest:");
    compile(&fixture, 2);
    assert_eq!(
        of_test("mest"),
        "CTest: CTest#t() → l.H#h() → p.A#f() (changed)"
    );
    assert_eq!(of_test("fest"), "CTest: CTest → l.H → p.A (changed)");
}

#[test]
fn a_library_selects_all() {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join("library.jar");
    let fixture = passed_with_library(&library);
    let selected = || select(&fixture, "mest", Scope::default()).remove(0);
    assert_eq!(selected(), "ATest:");
    fixture.jar(library.to_str().unwrap(), &[("l/L.class", "two")]);
    let reason = selected();
    assert!(reason.ends_with("library.jar changed"), "{reason}");
}

/// Commits the sources below `src`, and nothing else.
fn commit(fixture: &Fixture) {
    fixture.write(".gitignore", "*\n!src\n!src/*\n");
    let settings = ["-c", "user.name=A", "-c", "user.email=a@b"];
    let steps: [&[&str]; 3] = [
        &["init", "-q"],
        &["add", "src"],
        &["commit", "-q", "-m", "One"],
    ];
    for step in steps {
        let mut git = Command::new("git");
        git.current_dir(fixture.dir.path())
            .args(settings)
            .args(step);
        assert!(git.status().unwrap().success(), "{step:?}");
    }
}

#[test]
fn a_source_of_a_library_selects_all_that_changed_since_a_revision() {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join("library.jar");
    let fixture = passed_with_library(&library);
    let source = "package l; class L { int f() { return 1; } }";
    fixture.write("src/L.java", source);
    fixture.write("src/M.java", "package l; class M { int f() { return 1; } }");
    commit(&fixture);
    let selected = || select(&fixture, "mest since=HEAD", Scope::default()).remove(0);
    assert_eq!(selected(), "ATest:");
    // Nothing on the class path comes from it.
    fixture.write("src/M.java", "package l; class M { int f() { return 2; } }");
    assert_eq!(selected(), "ATest:");
    fixture.write("src/L.java", source.replace('1', "2"));
    let reason = selected();
    assert!(reason.ends_with("library.jar changed"), "{reason}");
}

#[test]
fn a_source_that_is_not_parsed_selects_who_uses_its_classes_or_all_if_others_may_copy_it() {
    let dir = tempfile::tempdir().unwrap();
    let library = dir.path().join("library.jar");
    let fixture = passed_with_library(&library);
    fixture.write("src/L.kt", "package l\nclass L {}");
    fixture.write("src/M.kt", "package m\nclass M {}");
    commit(&fixture);
    let selected = || select(&fixture, "mest since=HEAD", Scope::default()).remove(0);
    let check = |end: &str| {
        let reason = selected();
        assert!(reason.ends_with(end), "{reason}");
    };
    fixture.write("src/M.kt", "package m\nclass M { fun f() = 1 }");
    check("ATest:");
    fixture.write("src/M.kt", "package m\nclass M { inline fun f() = 1 }");
    check("src/M.kt changed");
    fixture.write("src/M.kt", "package m\nclass M {}");
    fixture.write("src/L.kt", "package l\nclass L { fun f() = 1 }");
    check("library.jar changed");
}

#[test]
fn nested_classes_of_jupiter_are_tests_of_the_class_around_them() {
    let fixture = passed();
    let annotation = |name: &str| {
        format!(
            "package org.junit.jupiter.api;
            import java.lang.annotation.*;
            @Retention(RetentionPolicy.RUNTIME) public @interface {name} {{ }}"
        )
    };
    let (test, nested) = (annotation("Test"), annotation("Nested"));
    let sources = [
        ("classes", "org/junit/jupiter/api/Test", &*test),
        ("classes", "org/junit/jupiter/api/Nested", &*nested),
        (
            "tests",
            "CTest",
            "import org.junit.jupiter.api.*;
            class CTest { @Test void t() { } @Nested class In { @Test void t() { } } }",
        ),
    ];
    compile_all(&fixture, &sources);
    check(&fixture, "mest", &["ATest:", "BTest:", "CTest: new"]);
}

#[test]
fn another_runtime_selects_all() {
    let scope = Scope {
        runtime: Some("OpenJDK 25".into()),
        ..Scope::default()
    };
    let reason = "ran on … 17.0.1, now … 25";
    let expected = ["ATest", "BTest"].map(|test| format!("{test}: {reason}"));
    assert_eq!(select(&passed(), "mest", scope), expected);
}

#[test]
fn without_what_was_kept_everything_runs() {
    let why = "it is not known what the classes were like when it last ran";
    let all = ["ATest", "BTest"].map(|test| format!("{test}: {why}"));
    let all = all.each_ref().map(String::as_str);
    for name in ["history", "baselines"] {
        let fixture = passed();
        let path = fixture.path(".tamis").join(name);
        let files = match path.is_dir() {
            true => fs::read_dir(&path)
                .unwrap()
                .map(|f| f.unwrap().path())
                .collect(),
            false => vec![path],
        };
        assert!(!files.is_empty());
        for file in files {
            let whole = fs::read(&file).unwrap();
            let mut changed = whole.clone();
            let middle = changed.len() / 2;
            changed[middle] ^= 1;
            for bytes in [&whole[..whole.len() - 1], &changed, b""] {
                fs::write(&file, bytes).unwrap();
                check(&fixture, "mest", &all);
            }
            fs::remove_file(&file).unwrap();
            check(&fixture, "mest", &all);
        }
    }
}

#[test]
fn a_run_of_a_part_leaves_the_rest_to_be_compared_with_what_was_before() {
    let fixture = passed();
    compile_all(&fixture, &A_CHANGED);
    keep(&fixture, &["ATest"], false);
    let reached = "ATest: ATest#t() → A#f() (changed)";
    check(&fixture, "mest", &[reached, "BTest:"]);
    keep(&fixture, &["ATest"], true);
    check(&fixture, "mest", &["ATest:", "BTest:"]);
}

#[test]
fn tests_are_compared_with_their_own_last_run() {
    let fixture = passed();
    compile_all(&fixture, &A_CHANGED);
    keep(&fixture, &["BTest"], true);
    let reached = "ATest: ATest#t() → A#f() (changed)";
    check(&fixture, "mest", &[reached, "BTest:"]);
    // Reverted: `ATest` saw this, and `BTest` does not use it.
    compile_all(&fixture, &SOURCES);
    check(&fixture, "mest", &["ATest:", "BTest:"]);
}

#[test]
fn a_test_that_failed_is_selected_for_some_runs() {
    let fixture = passed();
    let project = fixture.project();
    let class_path = ["classes", "tests", "lib.jar"].map(|entry| fixture.path(entry));
    let baseline = project.keep_baseline(&class_path, RUNTIME);
    let run = |failed: bool| {
        let ended = Ended {
            class: TestId::new("", "ATest"),
            failed,
            is_complete: true,
            baseline,
        };
        project.add_to_history(vec![ended]).unwrap();
    };
    run(true);
    check(
        &fixture,
        "mest",
        &["ATest: failed in the last run", "BTest:"],
    );
    run(false);
    check(&fixture, "mest", &["ATest: failed 2 runs ago", "BTest:"]);
    check(&fixture, "mest recent-runs=1", &["ATest:", "BTest:"]);
    (0..9).for_each(|_| run(false));
    check(&fixture, "mest", &["ATest:", "BTest:"]);
}

#[test]
fn a_test_that_never_ran_is_new_and_one_that_was_not_recorded_is_not() {
    let fixture = passed();
    let annotation = "package org.junit;
        import java.lang.annotation.*;
        @Retention(RetentionPolicy.RUNTIME) public @interface Test { }";
    let test = "public class CTest { @org.junit.Test public void t() { new A().f(); } }";
    let more = [
        ("classes", "org/junit/Test", annotation),
        ("tests", "CTest", test),
    ];
    compile_all(&fixture, &[&SOURCES[..], &more].concat());
    check(&fixture, "mest", &["ATest:", "BTest:", "CTest: new"]);
    keep(&fixture, &["CTest"], true);
    check(&fixture, "mest", &["ATest:", "BTest:", "CTest:"]);
    compile_all(&fixture, &[&A_CHANGED[..], &more].concat());
    let reach = |test: &str| format!("{test}: {test}#t() → A#f() (changed)");
    check(
        &fixture,
        "mest",
        &[&reach("ATest"), "BTest:", &reach("CTest")],
    );
}
