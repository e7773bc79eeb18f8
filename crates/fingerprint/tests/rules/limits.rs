//! Where rules excuse nothing.

use crate::check;
use crate::support::{changes, javac};
use tamis_fingerprint::{Rule, Rules};

#[test]
fn nothing_is_excused_where_native_code_may_find_it() {
    check(&[(
        "class C { native void n(); private void p() {} private int x; void m() {} }",
        "class C { native void n(); void m() throws Error {} }",
        &["CIM m thrown", "DFD x", "DIM p"],
    )]);
}

#[test]
fn nothing_is_excused_where_the_head_differs() {
    check(&[(
        "class C { void m() {} private int x; Runnable r() { return () -> System.gc(); } }",
        "public class C { void m() throws Error {} Runnable s() { return () -> System.gc(); } }",
        &[
            "AIM s",
            "ASM lambda$s$0",
            "CH",
            "CI <init> flags",
            "CIM m thrown",
            "DFD x",
            "DIM r",
            "DSM lambda$r$0",
        ],
    )]);
}

#[test]
fn a_nested_class_that_comes_leaves_the_rules_that_do_not_ask_for_nest_mates() {
    check(&[
        (
            "class C { void m() {} Runnable r() { return () -> System.gc(); } }",
            "class C { void m() throws Error {} private int x; class N { int k = x; } \
             Runnable q() { return () -> System.exit(1); } \
             Runnable r() { return () -> System.gc(); } }",
            &[
                "+C$N",
                "AFD x (private-field)",
                "AIM q",
                "ASM lambda$q$0",
                "CIM m thrown (throws)",
                "CSM lambda$r$1 was lambda$r$0 (renamed-synthetic)",
            ],
        ),
        (
            "class C { private Object f = C.class; private void p() {} private int x; }",
            "class C { private final Object f = C.class; class N { Object k = f; } }",
            &["+C$N", "CFD f flags", "DFD x", "DIM p"],
        ),
        (
            "class C { class N {} void m() {} }",
            "class C { void m() throws Error {} }",
            &["-C$N", "CIM m thrown"],
        ),
    ]);
}

#[test]
fn a_rule_that_is_switched_off_excuses_nothing() {
    let before = "final class C { void t() {} static void f() {} private int x; private void p() {} \
                  private static int foo() { return 1; } int m() { return foo(); } \
                  Runnable r() { return () -> System.gc(); } Runnable s() { return () -> System.exit(1); } }";
    let after = "final class C { void t() throws Error {} static final void f() {} \
                 private static int baz() { return 1; } int m() { return baz(); } \
                 Runnable q() { return () -> System.gc(); } Runnable s() { return () -> System.exit(1); } }";
    let compile = |source: &str| {
        javac([("C.java".to_owned(), source)], &[])
            .remove("C.class")
            .unwrap()
    };
    let (before, after) = (compile(before), compile(after));
    let excused = changes(&before, &after, Rules::default()).unwrap();
    for rule in Rule::ALL {
        let mark = format!("({rule})");
        let has = |changes: &[String]| changes.iter().any(|change| change.contains(&mark));
        assert!(has(&excused), "{rule}: {excused:?}");
        let rules = Rules::default().without(*rule);
        assert!(!has(&changes(&before, &after, rules).unwrap()), "{rule}");
        assert_eq!(rule.name().parse(), Ok(*rule));
    }
    let none = Rule::ALL
        .iter()
        .fold(Rules::default(), |rules, rule| rules.without(*rule));
    assert_eq!(none, Rules::NONE);
}
