//! Who mentions a name, in real repositories.

#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use support::{Repository, lines};
use tamis_source::mentions;

fn check(repository: &Repository, directory: &str, name: &str, expected: &[&str]) {
    let names = BTreeSet::from([name.to_owned()]);
    let found = mentions(&repository.path().join(directory), &names).unwrap();
    assert_eq!(lines(&found), expected, "{name}");
}

#[test]
fn members_that_mention_a_constant_are_found_in_all_files_that_git_knows() {
    let repository = Repository::new(&[
        (
            "A.java",
            "class A { static final int MAX = 1; int max() { return MAX; } }",
        ),
        (
            "core/B.java",
            "class B { void m() { f(A.MAX); } void n() { f(\"MAX\"); } }",
        ),
        ("core/C.java", "class C { int MAXIMUM; /* MAX */ }"),
        ("core/D.kt", "val d = A.MAX"),
        ("core/Broken.java", "class MAX {"),
        ("core/package-info.java", "@Size(A.MAX) package core;"),
        ("core/gone.java", "class MAX {}"),
        ("core/text.txt", "MAX"),
        (".gitignore", "out"),
    ]);
    repository.remove("core/gone.java");
    repository.write("core/New.java", "class New { int a = A.MAX; }");
    repository.write("out/Made.java", "class Made { int a = A.MAX; }");
    let expected = [
        "../A.java\n  ~ A <clinit>\n  ~ A max()",
        "B.java\n  ~ B m()",
        "Broken.java: unparsed, copied",
        "D.kt: unparsed",
        "New.java\n  ~ New {}\n  ~ New a\n  ~ New <init>()",
        "package-info.java: other",
    ];
    check(&repository, "core", "MAX", &expected);
    check(&repository, "core", "NOTHING", &[]);
}

#[test]
fn constants_that_are_computed_from_constants_are_followed() {
    let repository = Repository::new(&[
        ("A.java", "class A { static final int ONE = 1; }"),
        (
            "B.java",
            "class B { static final int TWO = A.ONE + 1; static final int X = f(A.ONE); }",
        ),
        ("C.kt", "const val FOUR: Int = B.TWO * 2"),
        ("D.java", "class D { int n() { return X; } }"),
        (
            "E.java",
            "class E { int one() { return ONE; } int two() { return TWO; } }",
        ),
        (
            "F.java",
            "class F { static final int TWO = 3; int f() { return 5; } }",
        ),
    ]);
    check(
        &repository,
        "",
        "ONE",
        &[
            "A.java\n  ~ A <clinit>",
            "B.java\n  ~ B <clinit>\n  ~ B TWO constant\n  ~ B X",
            "C.kt: unparsed, copied",
            "E.java\n  ~ E one()\n  ~ E two()",
            "F.java\n  ~ F <clinit>",
        ],
    );
}

#[test]
fn a_class_that_is_gone_gives_names_of_imports_and_subclasses_another_meaning() {
    let repository = Repository::new(&[
        (
            "B.java",
            "import static p.A.*; class B { int b() { return X; } }",
        ),
        (
            "C.java",
            "import static p.A.Y; class C { int c() { return Y; } int d() { return Z; } }",
        ),
        ("D.java", "class D extends A { int d() { return X; } }"),
        (
            "E.java",
            "class E { int e() { return D.X; } int f() { return 1; } }",
        ),
    ]);
    check(
        &repository,
        "",
        "A",
        &[
            "B.java\n  ~ B class {}",
            "C.java\n  ~ C c()",
            "D.java\n  ~ D class {}",
            "E.java\n  ~ E e()",
        ],
    );
}

#[test]
fn sources_that_are_not_parsed_may_copy_what_they_mention() {
    let repository = Repository::new(&[
        ("B.kt", "fun b() = A.m()"),
        ("C.kt", "inline fun c() = A.m()"),
    ]);
    check(
        &repository,
        "",
        "m",
        &["B.kt: unparsed", "C.kt: unparsed, copied"],
    );
}

#[test]
fn heads_that_mention_a_name_make_their_own_names_uncertain() {
    let repository = Repository::new(&[
        (
            "Run.java",
            "class Run { static void run(Step s) {} static void run(Other o) {} }",
        ),
        ("Use.java", "class Use { void use() { Run.run(() -> 1); } }"),
    ]);
    check(
        &repository,
        "",
        "Step",
        &["Run.java\n  ~ Run run(Step)", "Use.java\n  ~ Use use() {}"],
    );
}
