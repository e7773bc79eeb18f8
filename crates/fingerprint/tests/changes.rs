//! What `diff` calls a change.

mod support;

use fastrand::Rng;
use support::model::Class;
use support::shuffle::members_and_attributes;
use support::{changes, everything, javac, jdk_classes, try_digest};
use tamis_classfile::ClassFile;
use tamis_fingerprint::{Fingerprint, Kind, Rules, UnknownName, diff};

/// Compiles each source before and after its edit, and compares the class `C`.
fn check(cases: &[(&str, &str, &[&str])]) {
    let compile = |sources: &mut dyn Iterator<Item = &str>| {
        let texts: Vec<String> = sources
            .enumerate()
            .map(|(i, source)| format!("package p{i}; {source}"))
            .collect();
        let paths = (0..texts.len()).map(|i| format!("p{i}/C.java"));
        javac(paths.zip(texts.iter().map(String::as_str)), &["-g"])
    };
    let before = compile(&mut cases.iter().map(|case| case.0));
    let after = compile(&mut cases.iter().map(|case| case.1));
    for (i, (old, new, expected)) in cases.iter().enumerate() {
        let path = format!("p{i}/C.class");
        let changes = changes(&before[&path], &after[&path], Rules::NONE).unwrap();
        assert_eq!(changes, *expected, "{old} to {new}");
    }
}

#[test]
fn every_kind_is_found() {
    check(&[
        (
            "class C {}",
            "class C { static { System.gc(); } }",
            &["ASI <clinit>"],
        ),
        (
            "class C { static { System.gc(); } }",
            "class C {}",
            &["DSI <clinit>"],
        ),
        (
            "class C { static { System.gc(); } }",
            "class C { static { System.exit(1); } }",
            &["CSI <clinit> body"],
        ),
        (
            "class C { C() {} }",
            "class C { C() {} C(int i) {} }",
            &["AI <init>"],
        ),
        (
            "class C { C() {} C(int i) {} }",
            "class C { C() {} }",
            &["DI <init>"],
        ),
        (
            "class C { int i = 1; }",
            "class C { int i = 2; }",
            &["CI <init> body"],
        ),
        ("class C {}", "class C { static void m() {} }", &["ASM m"]),
        ("class C { static void m() {} }", "class C {}", &["DSM m"]),
        (
            "class C { static int m() { return 1; } }",
            "class C { static int m() { return 2; } }",
            &["CSM m body"],
        ),
        ("class C {}", "class C { void m() {} }", &["AIM m"]),
        ("class C { void m() {} }", "class C {}", &["DIM m"]),
        (
            "class C { int m() { return 1; } }",
            "class C { int m() { return 2; } }",
            &["CIM m body"],
        ),
        ("class C {}", "class C { int f; }", &["AFD f"]),
        ("class C { int f; }", "class C {}", &["DFD f"]),
        (
            "class C { int f; }",
            "class C { static int f; }",
            &["CFD f flags"],
        ),
    ]);
}

#[test]
fn the_parts_that_differ_are_told() {
    check(&[
        (
            "class C { void m() {} }",
            "class C { @Deprecated public void m() throws Error { System.gc(); } }",
            &["CIM m flags mirror thrown body"],
        ),
        (
            "abstract class C { abstract void m(); }",
            "abstract class C { void m() {} }",
            &["CIM m flags body"],
        ),
        (
            "class C { static final int F = 1; }",
            "class C { @Deprecated static final int F = 2; }",
            &["CFD F mirror body"],
        ),
        (
            "@interface C { int value(); }",
            "@interface C { int value() default 1; }",
            &["CIM value mirror"],
        ),
    ]);
}

#[test]
fn a_method_that_becomes_static_is_another_one() {
    check(&[
        (
            "class C { void m() {} }",
            "class C { static void m() {} }",
            &["ASM m", "DIM m"],
        ),
        (
            "class C { void m(int i) {} }",
            "class C { void m(long i) {} }",
            &["AIM m", "DIM m"],
        ),
        (
            "class C { int f; }",
            "class C { long f; }",
            &["AFD f", "DFD f"],
        ),
    ]);
}

#[test]
fn the_head_is_told_apart_from_members() {
    check(&[
        ("class C {}", "final class C {}", &["CH"]),
        ("class C {}", "class C implements Cloneable {}", &["CH"]),
        (
            "class C { void m() {} }",
            "@Deprecated class C { void m() { System.gc(); } }",
            &["CH", "CIM m body"],
        ),
    ]);
}

#[test]
fn nested_classes_that_come_or_go_are_told_apart_from_the_head() {
    check(&[
        ("class C {}", "class C { class N {} }", &["+C$N"]),
        (
            "class C { class N {} void m() {} }",
            "class C { class N { class D {} } void m() { new Object() {}; } }",
            &["+C$1", "+C$N$D", "CIM m body"],
        ),
        ("class C { class N {} }", "class C {}", &["-C$N"]),
        (
            "class C { class N {} }",
            "class C { static class N {} }",
            &["-C$N"],
        ),
        (
            "class C { class N {} }",
            "class C { class M {} }",
            &["+C$M", "-C$N"],
        ),
    ]);
}

#[test]
fn a_nested_class_that_is_listed_twice_stays_in_the_head() {
    let bytes = &everything()["everything/Everything.class"];
    for (name, size) in [("InnerClasses", 8), ("NestMembers", 2)] {
        let mut twice = Class::parse(bytes);
        let data = twice.raw_attribute(name);
        let first = data[2..2 + size].to_vec();
        data.extend(first);
        data[1] += 1;
        let expected = ["CH"];
        assert_eq!(
            changes(bytes, &twice.bytes(), Rules::NONE).unwrap(),
            expected,
            "{name}"
        );
        let mut second = Class::parse(bytes);
        let data = second.raw_attribute(name).clone();
        let attribute = second.new_attribute(name, &data);
        second.attributes.push(attribute);
        assert_eq!(
            changes(bytes, &second.bytes(), Rules::NONE).unwrap(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_class_does_not_differ_from_itself_in_whatever_order() {
    let mut classes = jdk_classes();
    classes.extend(everything().clone());
    for (seed, (name, bytes)) in classes.iter().enumerate() {
        let shuffled = members_and_attributes(bytes, &mut Rng::with_seed(seed as u64));
        for after in [bytes, &shuffled] {
            for rules in [Rules::NONE, Rules::default()] {
                let none: [String; 0] = [];
                assert_eq!(changes(bytes, after, rules).unwrap(), none, "{name}");
            }
        }
    }
}

#[test]
fn something_differs_exactly_if_the_digests_do() {
    let mut random = Rng::with_seed(3);
    for (name, bytes) in everything() {
        let expected = try_digest(bytes);
        for _ in 0..2000 {
            let mut damaged = bytes.clone();
            let at = 10 + random.usize(..damaged.len() - 10);
            damaged[at] ^= 1 << random.usize(..8);
            let Ok(digest) = try_digest(&damaged) else {
                continue;
            };
            for rules in [Rules::NONE, Rules::default()] {
                // Members may have become two of one name.
                if let Ok(changes) = changes(bytes, &damaged, rules) {
                    assert_eq!(
                        changes.is_empty(),
                        Ok(digest) == expected,
                        "{name} {changes:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn two_members_of_one_name_are_an_error() {
    let bytes = &everything()["everything/Everything.class"];
    for fields in [true, false] {
        let mut class = Class::parse(bytes);
        let members = if fields {
            &mut class.fields
        } else {
            &mut class.methods
        };
        members.push(members[0].clone());
        let twice = class.bytes();
        assert!(changes(bytes, &twice, Rules::NONE).is_err());
        assert!(changes(&twice, bytes, Rules::NONE).is_err());
    }
}

#[test]
fn an_unreadable_class_is_an_error() {
    let classes = everything();
    let class = ClassFile::parse(&classes["everything/Everything.class"]).unwrap();
    let print = Fingerprint::of(&class).unwrap();
    let mut cut = Class::parse(&classes["everything/Everything.class"]);
    let attribute = cut.new_attribute("Signature", &[]);
    cut.methods[0].attributes.push(attribute);
    let bytes = cut.bytes();
    assert!(diff(&print, &ClassFile::parse(&bytes).unwrap(), Rules::NONE).is_err());
}

#[test]
fn kinds_are_read_as_they_are_written() {
    for kind in Kind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(*kind));
    }
    assert_eq!("cim".parse::<Kind>(), Err(UnknownName));
}
