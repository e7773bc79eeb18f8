//! Rules for lambdas and private methods that only have other names.

use crate::support::jdk_classes;
use crate::{Edit, check, check_edited, check_unexcused, unchanged, unexcused};
use tamis_classfile::{ClassFile, access};
use tamis_fingerprint::{Fingerprint, MemberPrint, Rules};

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
