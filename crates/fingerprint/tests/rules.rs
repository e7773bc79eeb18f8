//! Which changes are excused, and which look like it and are not.

mod support;

use support::model::Class;
use support::{changes, javac, jdk_classes};
use tamis_classfile::{ClassFile, access};
use tamis_fingerprint::{Fingerprint, MemberPrint, Rule, Rules};

/// What of a class file the edits below touch.
type Edit = fn(&mut Class);

fn unchanged(_: &mut Class) {}

/// The texts of two revisions, an edit of the second one's class file, and what is found.
type Case<'c> = (&'c str, &'c str, Edit, &'c [&'c str]);

/// Compiles both revisions of each case and compares what `find` finds in the class `C`.
fn compare(cases: &[Case<'_>], find: fn(&[u8], &[u8], Rules) -> Vec<String>) {
    let compile = |sources: &mut dyn Iterator<Item = &str>| {
        let texts: Vec<String> = sources
            .enumerate()
            .map(|(i, source)| format!("package p{i}; import java.util.function.*; {source}"))
            .collect();
        let paths = (0..texts.len()).map(|i| format!("p{i}/C.java"));
        javac(paths.zip(texts.iter().map(String::as_str)), &["-g"])
    };
    let before = compile(&mut cases.iter().map(|case| case.0));
    let after = compile(&mut cases.iter().map(|case| case.1));
    for (i, (old, new, edit, expected)) in cases.iter().enumerate() {
        let path = format!("p{i}/C.class");
        let mut after = Class::parse(&after[&path]);
        edit(&mut after);
        let found = find(&before[&path], &after.bytes(), Rules::default());
        assert_eq!(found, *expected, "{old} to {new}");
    }
}

fn check_edited(cases: &[Case<'_>]) {
    compare(cases, all);
}

fn check(cases: &[(&str, &str, &[&str])]) {
    compare(&without_edit(cases), all);
}

/// Compares what is not excused, for lambdas whose numbers are not the same with every compiler.
fn check_unexcused(cases: &[(&str, &str, &[&str])]) {
    compare(&without_edit(cases), unexcused);
}

fn without_edit<'c>(cases: &[(&'c str, &'c str, &'c [&'c str])]) -> Vec<Case<'c>> {
    let cases = cases.iter();
    let cases = cases.map(|&(old, new, expected)| (old, new, unchanged as Edit, expected));
    cases.collect()
}

fn all(before: &[u8], after: &[u8], rules: Rules) -> Vec<String> {
    changes(before, after, rules).unwrap()
}

/// The changes that no rule excuses.
fn unexcused(before: &[u8], after: &[u8], rules: Rules) -> Vec<String> {
    let mut changes = all(before, after, rules);
    changes.retain(|change| !change.ends_with(')'));
    changes
}

#[test]
fn declared_exceptions_are_excused_alone() {
    check(&[
        (
            "class C { C() {} void m() {} static void s() throws Error {} }",
            "class C { C() throws Error {} void m() throws Exception {} static void s() {} }",
            &[
                "CI <init> thrown (throws)",
                "CIM m thrown (throws)",
                "CSM s thrown (throws)",
            ],
        ),
        (
            "class C { void m() {} }",
            "class C { void m() throws Error { System.gc(); } }",
            &["CIM m thrown body"],
        ),
        (
            "class C { void m() {} }",
            "class C { @Deprecated void m() throws Error {} }",
            &["CIM m mirror thrown"],
        ),
        (
            "class C { void m() {} }",
            "class C { public void m() throws Error {} }",
            &["CIM m flags thrown"],
        ),
    ]);
}

#[test]
fn final_is_excused_where_methods_cannot_be_overridden() {
    check(&[
        (
            "class C { private void p() {} static void s() {} static final void t() {} }",
            "class C { private final void p() {} static final void s() {} static void t() {} }",
            &[
                "CIM p flags (final)",
                "CSM s flags (final)",
                "CSM t flags (final)",
            ],
        ),
        (
            "class C { void m() {} }",
            "class C { final void m() {} }",
            &["CIM m flags"],
        ),
        (
            "class C { public final void m() {} }",
            "class C { public void m() {} }",
            &["CIM m flags"],
        ),
        (
            "class C { static void s() {} }",
            "class C { private static final void s() {} }",
            &["CSM s flags"],
        ),
    ]);
}

#[test]
fn final_is_excused_where_fields_are_assigned_by_their_initializer_alone() {
    let sets = "class C { private static Object f = C.class; static void m() { f = null; } }";
    let member = "class C { private Object f = C.class; void m() { f = null; } }";
    let lambda = "class C { private static Object f; static Runnable r = () -> { f = null; }; }";
    let flip: Edit = |class| class.fields[0].head[1] ^= access::FINAL as u8;
    check_edited(&[
        (
            "class C { private static Object f = C.class; private static final Object g; static { g = null; } }",
            "class C { private static final Object f = C.class; private static Object g; static { g = null; } }",
            unchanged,
            &["CFD f flags (final)", "CFD g flags (final)"],
        ),
        (
            "class C { private Object f = C.class; }",
            "class C { private final Object f = C.class; }",
            unchanged,
            &["CFD f flags (final)"],
        ),
        // Other threads may see it before it is set.
        (
            "class C { private final Object f = C.class; }",
            "class C { private Object f = C.class; }",
            unchanged,
            &["CFD f flags"],
        ),
        (
            "class C { static Object f = C.class; }",
            "class C { static final Object f = C.class; }",
            unchanged,
            &["CFD f flags"],
        ),
        // The compiler puts the value of a constant into the code that uses it.
        (
            "class C { private static int f = 1; }",
            "class C { private static final int f = 1; }",
            unchanged,
            &["CFD f flags body", "DSI <clinit>"],
        ),
        (sets, sets, flip, &["CFD f flags"]),
        (member, member, flip, &["CFD f flags"]),
        (lambda, lambda, flip, &["CFD f flags"]),
        (
            "class C { private static Object f = C.class; String m() { return \"f\"; } }",
            "class C { private static final Object f = C.class; String m() { return \"f\"; } }",
            unchanged,
            &["CFD f flags"],
        ),
        // A nest mate may assign it.
        (
            "class C { private static Object f = C.class; class N { void m() { f = null; } } }",
            "class C { private static Object f = C.class; class N { void m() { f = null; } } }",
            flip,
            &["CFD f flags"],
        ),
        (
            "class C { private static volatile Object f = C.class; }",
            "class C { private static volatile Object f = C.class; }",
            flip,
            &["CFD f flags"],
        ),
    ]);
}

#[test]
fn a_private_field_that_hides_nothing_is_excused() {
    let used = "class C { private int x; int m() { return x; } }";
    check(&[
        (
            "class C {}",
            "class C { private int x; }",
            &["AFD x (private-field)"],
        ),
        (
            "class C { int m() { return 0; } }",
            used,
            &["AFD x (private-field)", "CIM m body"],
        ),
        ("class C {}", "class C { int x; }", &["AFD x"]),
        (
            "class C { class N {} }",
            "class C { class N {} private int x; }",
            &["AFD x (private-field)"],
        ),
        // `m` has the same code and means another field.
        (
            "class C extends P { int m() { return x; } } class P { int x; }",
            "class C extends P { int m() { return x; } private int x; } class P { int x; }",
            &["AFD x"],
        ),
        (
            "class C implements P { int m() { return x; } } interface P { int x = new int[1].length; }",
            "class C implements P { int m() { return x; } private static int x; } interface P { int x = new int[1].length; }",
            &["AFD x"],
        ),
        (
            "class C {}",
            "class C { private static final long serialVersionUID = 1; }",
            &["AFD serialVersionUID"],
        ),
    ]);
}

#[test]
fn a_private_field_that_nothing_mentions_is_excused_when_it_goes() {
    check(&[
        (
            "class C { private int x; }",
            "class C {}",
            &["DFD x (private-field)"],
        ),
        (
            "class C extends Thread { private static int x; private transient int y; }",
            "class C extends Thread {}",
            &["DFD x (private-field)", "DFD y (private-field)"],
        ),
        // The superclass may be serializable, and objects are then written without it.
        (
            "class C extends java.util.Date { private int x; }",
            "class C extends java.util.Date {}",
            &["DFD x"],
        ),
        ("class C { int x; }", "class C {}", &["DFD x"]),
        // `m` has the same code and means another field.
        (
            "class C extends P { private static int x; int m() { return x; } } class P { static int x; }",
            "class C extends P { int m() { return x; } } class P { static int x; }",
            &["DFD x"],
        ),
        (
            "class C { private int x; class N {} }",
            "class C { class N {} }",
            &["DFD x"],
        ),
        (
            "class C { private int x; String m() { return \"x\"; } }",
            "class C { String m() { return \"x\"; } }",
            &["DFD x"],
        ),
        (
            "class C { private static final long serialVersionUID = 1; }",
            "class C {}",
            &["DFD serialVersionUID"],
        ),
    ]);
}

#[test]
fn a_private_method_that_nothing_mentions_is_excused_when_it_goes() {
    check(&[
        (
            "class C extends Thread { private void p() {} private static void s() {} }",
            "class C extends Thread {}",
            &[
                "DIM p (removed-private-method)",
                "DSM s (removed-private-method)",
            ],
        ),
        ("class C { void p() {} }", "class C {}", &["DIM p"]),
        (
            "class C { private C(int i) {} C() {} }",
            "class C { C() {} }",
            &["DI <init>"],
        ),
        (
            "class C { private native void p(); }",
            "class C {}",
            &["DIM p"],
        ),
        (
            "class C { private void p() {} class N {} }",
            "class C { class N {} }",
            &["DIM p"],
        ),
        (
            "class C { private Object readResolve() { return null; } }",
            "class C {}",
            &["DIM readResolve"],
        ),
        (
            "interface C { private void p() {} }",
            "interface C {}",
            &["DIM p"],
        ),
        (
            "class C { private void p() {} void q(Thread t) { t.start(); } private void start() {} }",
            "class C { void q(Thread t) { t.start(); } }",
            &["DIM p (removed-private-method)", "DIM start"],
        ),
    ]);
}

#[test]
fn private_methods_that_are_added_count() {
    check(&[
        ("class C {}", "class C { private void p() {} }", &["AIM p"]),
        (
            "final class C {}",
            "final class C { private static void p() {} }",
            &["ASM p"],
        ),
        (
            "interface C {}",
            "interface C { private void p() {} }",
            &["AIM p"],
        ),
    ]);
}

#[test]
fn lambdas_are_known_under_other_names() {
    check(&[
        // A number, with nest mates too.
        (
            "class C { class N {} void r(Runnable r) {} void m() { \
             r(() -> System.exit(1)); r(() -> System.exit(2)); } }",
            "class C { class N {} void r(Runnable r) {} void m() { \
             r(() -> System.exit(3)); r(() -> System.exit(1)); r(() -> System.exit(2)); } }",
            &[
                "ASM lambda$m$0",
                "CIM m body",
                "CSM lambda$m$1 was lambda$m$0 (renamed-synthetic)",
                "CSM lambda$m$2 was lambda$m$1 (renamed-synthetic)",
            ],
        ),
        // One that goes.
        (
            "class C { void r(Runnable r) {} void m() { r(() -> System.exit(1)); r(() -> System.exit(2)); } }",
            "class C { void r(Runnable r) {} void m() { r(() -> System.exit(2)); } }",
            &[
                "CIM m body",
                "CSM lambda$m$0 was lambda$m$1 (renamed-synthetic)",
                "DSM lambda$m$0 (removed-private-method)",
            ],
        ),
        // The method around it.
        (
            "class C extends Thread { Runnable m() { return () -> System.gc(); } }",
            "class C extends Thread { Runnable n() { return () -> System.gc(); } }",
            &[
                "AIM n",
                "CSM lambda$n$0 was lambda$m$0 (renamed-synthetic)",
                "DIM m",
            ],
        ),
    ]);
}

#[test]
fn a_lambda_does_not_change_those_behind_it() {
    let added: &[&str] = &["AIM a", "ASM lambda$a$0"];
    check_unexcused(&[
        (
            "class C { Runnable m() { return () -> System.gc(); } \
             Runnable k() { return () -> System.exit(1); } }",
            "class C { Runnable a() { return () -> System.exit(2); } \
             Runnable m() { return () -> System.gc(); } \
             Runnable k() { return () -> System.exit(1); } }",
            added,
        ),
        // Inside others.
        (
            "class C { Supplier<Supplier<Runnable>> m() { return () -> () -> () -> System.gc(); } }",
            "class C { Runnable a() { return () -> System.exit(2); } \
             Supplier<Supplier<Runnable>> m() { return () -> () -> () -> System.gc(); } }",
            added,
        ),
        // Serializable ones have names of another kind.
        (
            "class C { interface S extends Runnable, java.io.Serializable {} S m() { return () -> System.gc(); } \
             Runnable k() { return () -> System.exit(1); } }",
            "class C { interface S extends Runnable, java.io.Serializable {} S m() { return () -> System.gc(); } \
             Runnable a() { return () -> System.exit(2); } Runnable k() { return () -> System.exit(1); } }",
            added,
        ),
        // Equal ones keep their order.
        (
            "class C { void r(Runnable r) {} void m() { r(() -> {}); r(() -> {}); } }",
            "class C { void r(Runnable r) {} void a() { r(() -> System.gc()); } \
             void m() { r(() -> {}); r(() -> {}); } }",
            added,
        ),
    ]);
}

#[test]
fn a_lambda_with_another_body_counts() {
    check(&[
        (
            "class C { Runnable m() { return () -> System.exit(1); } }",
            "class C { Runnable m() { return () -> System.exit(2); } }",
            &["CSM lambda$m$0 body"],
        ),
        (
            "class C { void r(Runnable r) {} void m() { r(() -> System.exit(1)); } }",
            "class C { void r(Runnable r) {} void m() { r(() -> System.exit(3)); r(() -> System.exit(2)); } }",
            &["ASM lambda$m$1", "CIM m body", "CSM lambda$m$0 body"],
        ),
        // They change places.
        (
            "class C { void r(Runnable r) {} void m() { r(() -> System.exit(1)); r(() -> System.exit(2)); } }",
            "class C { void r(Runnable r) {} void m() { r(() -> System.exit(2)); r(() -> System.exit(1)); } }",
            &["CSM lambda$m$0 body", "CSM lambda$m$1 body"],
        ),
    ]);
}

#[test]
fn private_methods_under_other_names_are_the_same() {
    check(&[
        (
            "final class C { private int foo(int i) { return i; } int m() { return foo(1); } }",
            "final class C { private int baz(int i) { return i; } int m() { return baz(1); } }",
            &["CIM baz was foo (renamed)"],
        ),
        (
            "record C(int x) { private static int foo() { return 1; } int m() { return foo(); } }",
            "record C(int x) { private static int baz() { return 1; } int m() { return baz(); } }",
            &["CSM baz was foo (renamed)"],
        ),
        // Two change their names.
        (
            "class C { private static int foo() { return 1; } private static int bar() { return 2; } \
             int m() { return foo(); } }",
            "class C { private static int bar() { return 1; } private static int foo() { return 2; } \
             int m() { return bar(); } }",
            &["CSM bar was foo (renamed)", "CSM foo was bar (renamed)"],
        ),
        // The same, but `m` has the code that it had.
        (
            "class C { private static int foo() { return 1; } private static int bar() { return 2; } \
             int m() { return foo(); } }",
            "class C { private static int bar() { return 1; } private static int foo() { return 2; } \
             int m() { return foo(); } }",
            &["CSM bar body", "CSM foo body"],
        ),
        // The same, but for the code of a nest mate, which is what it was.
        (
            "class C { private static int foo() { return 1; } private static int bar() { return 2; } \
             int m() { return foo(); } class N { int k() { return foo(); } } }",
            "class C { private static int bar() { return 1; } private static int foo() { return 2; } \
             int m() { return bar(); } class N { int k() { return foo(); } } }",
            &["CIM m body", "CSM bar body", "CSM foo body"],
        ),
        // A subclass may inherit the new name from an interface.
        (
            "class C { private int foo() { return 1; } int m() { return foo(); } }",
            "class C { private int baz() { return 1; } int m() { return baz(); } }",
            &["AIM baz", "CIM m body", "DIM foo (removed-private-method)"],
        ),
        (
            "final class C { int foo() { return 1; } int m() { return foo(); } }",
            "final class C { int baz() { return 1; } int m() { return baz(); } }",
            &["AIM baz", "CIM m body", "DIM foo"],
        ),
        (
            "final class C { private Object readResolve() { return null; } }",
            "final class C { private Object resolve() { return null; } }",
            &["AIM resolve", "DIM readResolve"],
        ),
        (
            "final class C { private int foo() { return 1; } int m() { return foo(); } }",
            "final class C { private int baz() throws Error { return 1; } int m() { return baz(); } }",
            &["AIM baz", "CIM m body", "DIM foo (removed-private-method)"],
        ),
        // Somebody may find it by a text.
        (
            "final class C { private int foo() { return 1; } int m() { return foo(); } String n() { return \"foo\"; } }",
            "final class C { private int baz() { return 1; } int m() { return baz(); } String n() { return \"foo\"; } }",
            &["AIM baz", "CIM m body", "DIM foo"],
        ),
        // The old name is that of a method that others see.
        (
            "final class C { private int foo() { return 1; } int m() { return foo(); } }",
            "final class C { private int baz() { return 1; } int m() { return baz(); } int foo() { return 2; } }",
            &["AIM baz", "CIM foo flags body", "CIM m body"],
        ),
    ]);
}

#[test]
fn code_that_means_another_method_by_the_old_name_has_changed() {
    let before = "final class C { private static int foo() { return 1; } \
                  int m() { return foo(); } int k() { return foo(); } }";
    let after = "final class C { private static int baz() { return 1; } static int foo() { return 2; } \
                 int m() { return baz(); } int k() { return foo(); } }";
    // The last method but one is `foo`; without it, `k` calls what is inherited, if anything.
    let without_foo: Edit = |class| {
        class.methods.remove(2);
    };
    // A reference through another class, which may be a subclass.
    let other_owner: Edit = |class| {
        let utf8 = class.add_utf8("D").to_be_bytes();
        let owner = class
            .add_constant(&[&[7][..], &utf8].concat())
            .to_be_bytes();
        let name = class.add_utf8("foo").to_be_bytes();
        let descriptor = class.add_utf8("()I").to_be_bytes();
        let both = class.add_constant(&[&[12][..], &name, &descriptor].concat());
        class.add_constant(&[&[10][..], &owner, &both.to_be_bytes()].concat());
    };
    let consistent = "final class C { private static int baz() { return 1; } \
                      int m() { return baz(); } int k() { return baz(); } }";
    check_edited(&[
        (
            before,
            consistent,
            unchanged,
            &["CSM baz was foo (renamed)"],
        ),
        (
            before,
            after,
            without_foo,
            &["ASM baz", "CIM m body", "DSM foo"],
        ),
        (
            before,
            consistent,
            other_owner,
            &["ASM baz", "CIM k body", "CIM m body", "DSM foo"],
        ),
    ]);
}

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

/// The lambdas of a class that can swap names: two with one descriptor and names of one length.
fn lambdas<'a>(print: &Fingerprint<'a>) -> Vec<[MemberPrint<'a>; 2]> {
    let methods = &print.methods;
    // The names of serializable lambdas are texts of the class.
    if methods.iter().any(|m| m.name == b"$deserializeLambda$") {
        return Vec::new();
    }
    let lambda =
        |m: &&MemberPrint<'_>| m.access & access::SYNTHETIC != 0 && m.name.starts_with(b"lambda$");
    let mut pairs = Vec::new();
    for (index, first) in methods.iter().enumerate().filter(|(_, m)| lambda(m)) {
        for second in methods[index + 1..].iter().filter(lambda) {
            let key = |m: &MemberPrint<'a>| (m.descriptor, m.name.len());
            pairs.extend((key(first) == key(second)).then_some([*first, *second]));
        }
    }
    pairs
}

/// Where the text that `part` is stands in `whole`.
fn position(whole: &[u8], part: &[u8]) -> usize {
    part.as_ptr() as usize - whole.as_ptr() as usize
}

#[test]
fn lambdas_that_swap_names_are_excused_exactly_if_their_users_follow() {
    let mut swapped = 0;
    for (name, bytes) in &jdk_classes() {
        let class = ClassFile::parse(bytes).unwrap();
        let print = Fingerprint::of(&class).unwrap();
        for [first, second] in lambdas(&print) {
            // Which of several equal ones is meant cannot be told.
            let equals = |lambda: &MemberPrint<'_>| {
                let name = lambda.name;
                let called = print.methods.iter().map(|m| MemberPrint { name, ..*m });
                called.filter(|m| m == lambda).count()
            };
            if equals(&first) + equals(&second) > 2 {
                continue;
            }
            // The texts: everybody who refers to one of them refers to it under its new name.
            let mut texts = bytes.clone();
            for (from, to) in [(first.name, second.name), (second.name, first.name)] {
                let at = position(bytes, to);
                texts[at..at + to.len()].copy_from_slice(from);
            }
            let counting = unexcused(bytes, &texts, Rules::default());
            assert!(counting.is_empty(), "{name}: {counting:?}");
            // The names of the methods alone: who referred to one now refers to the other.
            let heads: Vec<_> = class.methods().map(|method| method.unwrap()).collect();
            let head = |name: &[u8]| {
                let is =
                    |m: &&tamis_classfile::Member<'_>| class.pool.utf8(m.name).unwrap() == name;
                *heads.iter().find(is).unwrap()
            };
            let (one, other) = (head(first.name), head(second.name));
            let mut names = bytes.clone();
            for (at, index) in [(one.offset, other.name), (other.offset, one.name)] {
                names[at + 2..at + 4].copy_from_slice(&index.to_be_bytes());
            }
            let counting = unexcused(bytes, &names, Rules::default());
            assert!(!counting.is_empty(), "{name}");
            swapped += 1;
        }
    }
    assert!(swapped > 5, "{swapped} swapped");
}
