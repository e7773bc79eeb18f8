use super::check;
use crate::compare::{Uncertain, compare};
use crate::java::Java;
use std::collections::BTreeSet;

const CLASSES: &str = "
    class A {
        B field;
        int initialized = B.get();
        void uses() { new B(); }
        void says() { f(\"B\"); /* B */ }
    }
    class C extends B { void m() {} }
    class D { void m() {} }
";

fn check_imports(before: &str, now: &str, expected: &[&str]) {
    check(
        &format!("{before}{CLASSES}"),
        &format!("{now}{CLASSES}"),
        expected,
    );
}

#[test]
fn an_import_changes_what_mentions_its_name() {
    let expected = [
        "~ A {}",
        "~ A field",
        "~ A initialized",
        "~ A <init>()",
        "~ A uses()",
        "~ C class {}",
    ];
    check_imports("import a.B;", "import b.B;", &expected);
    check_imports("", "import b.B;", &expected);
    check_imports("import b.B;", "", &expected);
    check_imports(
        "",
        "import static b.X.get;",
        &["~ A {}", "~ A initialized", "~ A <init>()"],
    );
}

#[test]
fn an_import_that_is_not_used_or_only_moved_changes_nothing() {
    check_imports("", "import a.X;", &[]);
    check_imports("import a.X; import a.B;", "import a.B; import a.X;", &[]);
    check_imports("import a.B;", "import a.B; import a.B;", &[]);
    check_imports("import a.B;", "import a . B;", &[]);
}

#[test]
fn an_import_on_demand_may_change_anything() {
    let expected = ["~ A class {}", "~ C class {}", "~ D class {}"];
    check_imports("", "import a.*;", &expected);
    check_imports("import static a.X.*;", "", &expected);
    check_imports("import a.*; import b.*;", "import b.*; import a.*;", &[]);
}

#[test]
fn what_is_gone_may_be_hidden_no_longer() {
    let body = |body: &str| format!("class A extends B {{ int m() {{ return f(x); }} {body} }}");
    check(
        &body("int f(int i) { return 1; }"),
        &body(""),
        &["- A f(int)", "~ A m()"],
    );
    check(&body("int x;"), &body(""), &["- A x", "~ A m()"]);
    check(
        &body("static class f { }"),
        &body(""),
        &["~ A m()", "- A$f class {}"],
    );
    check(&body("int g() { return 1; }"), &body(""), &["- A g()"]);
}

#[test]
fn a_constructor_that_is_gone_may_be_replaced_by_an_old_one() {
    let class = |constructors: &str| {
        format!(
            "class A {{ {constructors} static A of() {{ return new A(1); }} }} class B extends A {{ }}"
        )
    };
    let both = class("A(int i) { } A(long l) { }");
    check(
        &both,
        &class("A(long l) { }"),
        &[
            "- A <init>(int)",
            "~ A <init>(long)",
            "~ A of()",
            "~ B class {}",
        ],
    );
    // The new one is called, and so are those who call it known.
    check(
        &class("A(int i) { }"),
        &class("A(long l) { }"),
        &["- A <init>(int)", "+ A <init>(long)"],
    );
}

#[test]
fn members_that_mention_a_name_are_found() {
    let check = |source: &str, name: &str, expected: &[&str]| {
        let mut java = Java::new();
        let unit = java.unit(source).unwrap();
        let names = BTreeSet::from([name.to_owned()]);
        let found = compare(&unit, &unit, &Uncertain::names(&names, &unit));
        let members: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(members, expected, "{name}");
    };
    let source = "
        @Size(MAX) class A {
            static final int TWICE = 2 * A.MAX;
            int m(int i) { switch (i) { case B.MAX: return 1; default: return n(); } }
            int n() { return MAXIMUM; }
            @Size(LEAST) void o() {}
        }
        enum B { MAX, LEAST(Other.SIZE) }
    ";
    check(
        source,
        "MAX",
        &[
            "~ A class {}",
            "~ A <clinit>",
            "~ A TWICE constant",
            "~ A m(int)",
            "~ B <clinit>",
            "~ B MAX of enum",
        ],
    );
    check(source, "n", &["~ A m(int)"]);
    check(source, "SIZE", &["~ B <clinit>", "~ B LEAST of enum"]);
    check(source, "MAXI", &[]);
}
