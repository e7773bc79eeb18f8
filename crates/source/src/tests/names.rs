use super::check;
use crate::change::Change;
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
fn members_that_mention_a_name_are_found() {
    let check = |source: &str, name: &str, expected: &[&str]| {
        let mut java = Java::new();
        let unit = java.unit(source).unwrap();
        let names = BTreeSet::from([name.to_owned()]);
        let found = compare(&unit, &unit, &Uncertain::names(&names));
        let members: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(members, expected, "{name}");
        // As if they had changed.
        assert!(
            Change::Unparsed
                != Change::Members {
                    classes: vec![],
                    members: found
                }
        );
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
    check(source, "n", &["~ A m(int)", "~ A n()"]);
    check(source, "SIZE", &["~ B <clinit>", "~ B LEAST of enum"]);
    check(source, "MAXI", &[]);
}
