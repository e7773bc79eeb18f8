//! What is reported between a revision and a working tree, with real repositories.

#[path = "support/mod.rs"]
mod support;

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use support::{Repository, lines};
use tamis_source::{SourceError, changes};

const A: &str = "package p; class A { void m() { } }";

fn check(repository: &Repository, expected: &[&str]) {
    let found = changes(repository.path(), "HEAD").unwrap();
    assert_eq!(lines(&found.files), expected);
}

#[test]
fn staged_unstaged_and_new_files_are_compared() {
    let repository = Repository::new(&[
        ("src/p/A.java", A),
        ("src/p/B.java", A),
        ("src/p/C.java", A),
        ("pom.xml", ""),
        ("a.txt", ""),
        (".gitignore", "ignored*"),
    ]);
    check(&repository, &[]);
    repository.write("src/p/A.java", "package p; class A { void m() { n(); } }");
    repository.git(&["add", "-A"]);
    repository.write(
        "src/p/B.java",
        "package p; /* B */ class A { void m() { } }",
    );
    repository.remove("src/p/C.java");
    repository.write("src/q/New.java", "package q; class New { }");
    repository.write("src/q/ignored.java", "");
    repository.write("pom.xml", "<project/>");
    repository.remove("a.txt");
    let expected = [
        "a.txt: other",
        "pom.xml: other",
        "src/p/A.java\n  ~ p/A m()",
        "src/p/B.java: nothing",
        "src/p/C.java: [p/A] -> []",
        "src/q/New.java: [] -> [q/New]",
    ];
    check(&repository, &expected);
    repository.commit();
    check(&repository, &[]);
    let found = changes(repository.path(), "HEAD~1").unwrap();
    assert_eq!(lines(&found.files), expected);
}

#[test]
fn renamed_files_are_their_classes() {
    let repository = Repository::new(&[
        ("A.java", &format!("{A}\n// The same, and a bit more.\n")),
        ("B.kt", "class B\nfun b() = 1\nfun c() = 2\n"),
        ("r.txt", "a\nb\nc\nd\ne\n"),
    ]);
    repository.rename("A.java", "B.java");
    repository.rename("B.kt", "C.java");
    repository.rename("r.txt", "s.txt");
    repository.git(&["add", "-A"]);
    check(
        &repository,
        &[
            "B.java (was A.java): [p/A] -> [p/A]",
            "B.kt: unparsed",
            "C.java: unparsed, copied",
            "s.txt (was r.txt): other",
        ],
    );
}

#[test]
fn other_languages_and_other_files_are_not_parsed() {
    let repository = Repository::new(&[
        ("a.kt", ""),
        ("a.groovy", ""),
        ("a.scala", ""),
        ("src/test/resources/p/A.java", A),
        ("Broken.java", A),
        ("build.gradle.kts", ""),
    ]);
    for name in [
        "a.kt",
        "a.groovy",
        "a.scala",
        "build.gradle.kts",
        "src/test/resources/p/A.java",
    ] {
        repository.write(name, "// Another one.");
    }
    repository.write("Broken.java", "class A {");
    check(
        &repository,
        &[
            "Broken.java: unparsed, copied",
            "a.groovy: unparsed",
            "a.kt: unparsed",
            "a.scala: unparsed",
            "build.gradle.kts: other",
            "src/test/resources/p/A.java: other",
        ],
    );
}

#[test]
fn descriptions_of_packages_and_modules_count_unless_they_say_the_same() {
    let repository = Repository::new(&[
        ("a/package-info.java", "/** A. */ package a;"),
        ("b/package-info.java", "@X package b;"),
        ("c/package-info.java", "@X package c;"),
        ("module-info.java", "module a { }"),
        ("d/module-info.java", "module d { }"),
    ]);
    repository.write("a/package-info.java", "/** B. */ package b;");
    repository.write("b/package-info.java", "/** B. */ @X package b;");
    repository.write("c/package-info.java", "@Y package c;");
    repository.write("e/package-info.java", "package e;");
    repository.write("module-info.java", "module a { requires b; }");
    repository.remove("d/module-info.java");
    check(
        &repository,
        &[
            "a/package-info.java: nothing",
            "b/package-info.java: nothing",
            "c/package-info.java: other",
            "d/module-info.java: other",
            "e/package-info.java: nothing",
            "module-info.java: other",
        ],
    );
}

#[test]
fn bytes_that_are_no_text_are_compared_too() {
    let repository = Repository::new(&[]);
    let latin = |letter: u8| [b"class A { String s = \"".as_slice(), &[letter], b"\"; }"].concat();
    let name = std::ffi::OsStr::from_bytes(b"odd \xff\n\"name.txt");
    repository.write_bytes("Latin.java", &latin(0xe9));
    repository.write_bytes("Same.java", &latin(0xe9));
    repository.write_bytes("Ends.java", b"class A { // a\r\n int a;\r\n }");
    repository.write_bytes("Mark.java", b"\xef\xbb\xbfclass A { }");
    repository.write_bytes("Zero.java", b"class A { }");
    fs::write(repository.path().join(name), "a").unwrap();
    repository.commit();
    repository.write_bytes("Latin.java", &latin(0xe8));
    repository.write_bytes("Same.java", &[&latin(0xe9), b"// \xe8".as_slice()].concat());
    repository.write_bytes("Ends.java", b"class A { // a\n int a;\n }");
    repository.write_bytes("Mark.java", b"class A { }");
    repository.write_bytes("Zero.java", b"\0\xff\xfe");
    fs::write(repository.path().join(name), "b").unwrap();
    let found = changes(repository.path(), "HEAD").unwrap();
    assert_eq!(
        lines(&found.files),
        [
            "Ends.java: nothing",
            "Latin.java\n  ~ A {}\n  ~ A s\n  ~ A <init>()",
            "Mark.java: nothing",
            "Same.java: nothing",
            "Zero.java: unparsed, copied",
            "odd \u{fffd}\n\"name.txt: other",
        ]
    );
    assert_eq!(found.files[5].path.as_os_str(), name);
}

#[test]
fn links_modes_and_submodules_are_no_files() {
    let repository = Repository::new(&[
        ("A.java", A),
        ("B.java", A),
        ("C.java", A),
        ("sub/a.txt", ""),
    ]);
    repository.remove("A.java");
    symlink("C.java", repository.path().join("A.java")).unwrap();
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(repository.path().join("B.java"), executable).unwrap();
    let nested = Repository::new(&[("x", "")]);
    let target = repository.path().join("nested");
    fs::rename(nested.path(), &target).unwrap();
    check(
        &repository,
        &[
            "A.java: unparsed, copied",
            "B.java: nothing",
            "nested: other",
        ],
    );
    repository.git(&["-c", "advice.addEmbeddedRepo=false", "add", "nested"]);
    repository.commit();
    fs::write(target.join("x"), "changed").unwrap();
    check(&repository, &["nested: other"]);
}

#[test]
fn what_is_no_longer_tracked_but_there_is_compared() {
    let repository = Repository::new(&[("A.java", A), ("B.java", A)]);
    repository.git(&["rm", "-q", "--cached", "A.java", "B.java"]);
    repository.write("A.java", "package p; class A { }");
    repository.write(".gitignore", "B.java\n.gitignore\n");
    check(&repository, &["A.java\n  - p/A m()", "B.java: nothing"]);
}

#[test]
fn conflicts_are_not_parsed() {
    let repository = Repository::new(&[("A.java", A), ("a.txt", "a")]);
    let change = |text: &str| {
        repository.write("A.java", &A.replace("{ }", text));
        repository.write("a.txt", text);
        repository.commit();
    };
    repository.git(&["checkout", "-q", "-b", "other"]);
    change("{ a(); }");
    repository.git(&["checkout", "-q", "main"]);
    change("{ b(); }");
    repository.git_fails(&["merge", "-q", "other"]);
    check(&repository, &["A.java: unparsed, copied", "a.txt: other"]);
}

#[test]
fn files_beside_the_project_belong_to_it() {
    let repository = Repository::new(&[
        ("core/src/A.java", A),
        ("web/src/A.java", A),
        ("pom.xml", ""),
    ]);
    for name in ["core/src/A.java", "web/src/A.java"] {
        repository.write(name, "package p; class A { }");
    }
    repository.write("pom.xml", "<project/>");
    repository.write("web/new.txt", "");
    let found = changes(&repository.path().join("core"), "HEAD").unwrap();
    assert_eq!(
        lines(&found.files),
        [
            "../pom.xml: other",
            "../web/new.txt: other",
            "../web/src/A.java\n  - p/A m()",
            "src/A.java\n  - p/A m()",
        ]
    );
}

#[test]
fn settings_of_the_user_hide_nothing() {
    let repository = Repository::new(&[
        ("core/A.java", A),
        ("pom.xml", ""),
        (".gitattributes", "*.java diff=none\n"),
    ]);
    for setting in [
        ["diff.relative", "true"],
        ["diff.external", "false"],
        ["diff.none.textconv", "echo"],
        ["diff.noprefix", "true"],
        ["color.ui", "always"],
        ["diff.renames", "copies"],
        ["status.showUntrackedFiles", "no"],
    ] {
        repository.git(&[&["config"], &setting[..]].concat());
    }
    repository.write("core/A.java", "package p; class A { }");
    repository.write("pom.xml", "<project/>");
    repository.write("core/new.txt", "");
    let found = changes(&repository.path().join("core"), "HEAD").unwrap();
    assert_eq!(
        lines(&found.files),
        ["../pom.xml: other", "A.java\n  - p/A m()", "new.txt: other",]
    );
}

#[test]
fn what_cannot_be_answered_is_an_error_that_says_what_to_do() {
    let check = |error: SourceError, expected: &[&str]| {
        let text = error.to_string();
        assert!(expected.iter().all(|part| text.contains(part)), "{text}");
    };
    let repository = Repository::new(&[("A.java", A), (".gitignore", "out\n")]);
    let nowhere = tempfile::tempdir().unwrap();
    check(
        changes(nowhere.path(), "HEAD").unwrap_err(),
        &["not in a git repository"],
    );
    check(
        changes(&nowhere.path().join("no"), "HEAD").unwrap_err(),
        &["git rev-parse", "no"],
    );
    check(
        changes(repository.path(), "nothing").unwrap_err(),
        &["no revision `nothing`", "git fetch", "origin/main"],
    );
    check(
        changes(repository.path(), "--all").unwrap_err(),
        &["no revision `--all`"],
    );
    check(
        changes(repository.path(), "HEAD..HEAD").unwrap_err(),
        &["no revision"],
    );
    let ignored = repository.path().join("out/project");
    fs::create_dir_all(&ignored).unwrap();
    fs::write(ignored.join("A.java"), A).unwrap();
    check(
        changes(&ignored, "HEAD").unwrap_err(),
        &["git ignores all files", "out/project"],
    );
    let shallow = repository.shallow_clone();
    check(
        changes(shallow.path(), "HEAD~1").unwrap_err(),
        &["shallow", "--unshallow"],
    );
}

#[test]
fn names_that_mean_something_else_in_other_files_are_told() {
    let check = |before: &str, now: &str, expected: &[&str]| {
        let repository = Repository::new(&[("p/A.java", before)]);
        repository.write("p/A.java", now);
        let found = changes(repository.path(), "HEAD").unwrap();
        let names: Vec<_> = found.names.iter().map(String::as_str).collect();
        assert_eq!(names, expected, "{before} -> {now}");
    };
    check(
        "class A { void m() {} }",
        "class A { void m() { n(); } }",
        &[],
    );
    check("class A { void m() {} }", "class A { }", &["m"]);
    check(
        "class A { static final int X = 1; }",
        "class A { static final int X = 2; }",
        &["X"],
    );
    // Constants that its subclasses and users mention may be inherited from elsewhere.
    check("class A { }", "class A extends B { }", &["A"]);
    check("class A { class B { } }", "class A { }", &["A$B", "B"]);
    // Others are compiled against a method as it is declared.
    let check_method = |before: &str, now: &str, expected: &[&str]| {
        let class = |method: &str| format!("class A {{ {method} }}");
        check(&class(before), &class(now), expected);
    };
    check_method("void m() {}", "private void m() {}", &["m"]);
    check_method("int m() { return 1; }", "long m() { return 1; }", &["m"]);
    check_method("void m(int... a) {}", "void m(int[] a) {}", &["m"]);
    check_method("void m(List<A> a) {}", "void m(List<B> a) {}", &["m"]);
    check_method("int f;", "private int f;", &["f"]);
    check_method("int f = 1;", "int f = 2;", &[]);
    check_method("A(int a) {}", "private A(int a) {}", &["A"]);
    check_method("", "private A() {}", &["A"]);
    check_method("void m() {}", "@Override synchronized void m() {}", &[]);
    check(
        "import a.D; class A { void m(D d) {} }",
        "import b.D; class A { void m(D d) {} }",
        &["m"],
    );
    // What a lambda can be of.
    check(
        "interface A { void m(); }",
        "interface A { void m(); void n(); }",
        &["A"],
    );
    check(
        "class $A$B { int m() { return 1; } }",
        "class $A$B extends C { int m() { return 1; } }",
        &["$A$B", "B"],
    );

    let moved = Repository::new(&[(
        "one/A.java",
        "class A { static final int X = 1; void m() {} }",
    )]);
    moved.rename("one/A.java", "two.java");
    std::fs::create_dir(moved.path().join("two")).unwrap();
    moved.rename("two.java", "two/A.java");
    moved.write("two/A.java", "class A { static final int X = 2; }");
    moved.git(&["add", "-A"]);
    let found = changes(moved.path(), "HEAD").unwrap();
    assert!(found.names.contains("X"), "{found:?}");
}
