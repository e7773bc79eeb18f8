//! A change shows in the part where it is, and nowhere else.

mod support;

use std::collections::BTreeSet;

use support::javac;
use tamis_classfile::{ClassFile, access};
use tamis_fingerprint::{Fingerprint, class_digest};

/// The parts whose digests differ, by name; `head` for the head.
fn changed(before: &[u8], after: &[u8]) -> BTreeSet<String> {
    let [before, after] = [before, after].map(|bytes| {
        let class = ClassFile::parse(bytes).unwrap();
        let print = Fingerprint::of(&class).unwrap();
        assert_eq!(print.class(), class_digest(&class).unwrap());
        print
    });
    assert_ne!(before.class(), after.class());
    let mut changed = BTreeSet::new();
    changed.extend((before.head != after.head).then(|| "head".to_owned()));
    let members = [
        (&before.fields, &after.fields),
        (&before.methods, &after.methods),
    ];
    for (before, after) in members {
        let both = || before.iter().chain(after);
        let once = both().filter(|member| both().filter(|other| other == member).count() == 1);
        changed.extend(once.map(|member| String::from_utf8(member.name.to_vec()).unwrap()));
    }
    changed
}

#[test]
fn changes_show_in_their_part_alone() {
    let source = "class C { int f; static int g = 1; void a() { b(1); } void b(int i) {} }";
    let edits = [
        ("b(1)", "b(2)", "a"),
        ("g = 1", "g = 2", "<clinit>"),
        ("int f", "public int f", "f"),
        ("void b(int i)", "public void b(int i)", "b"),
        ("class C", "final class C", "head"),
        ("void a", "void added() {} void a", "added"),
    ];
    let compile = |texts: Vec<String>| {
        let texts: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(i, text)| format!("package p{i}; {text}"))
            .collect();
        let paths = (0..texts.len()).map(|i| format!("p{i}/C.java"));
        javac(paths.zip(texts.iter().map(String::as_str)), &["-g"])
    };
    let before = compile(edits.iter().map(|_| source.to_owned()).collect());
    let after = compile(
        edits
            .iter()
            .map(|(old, new, _)| source.replace(old, new))
            .collect(),
    );
    for (i, (old, new, expected)) in edits.iter().enumerate() {
        let path = format!("p{i}/C.class");
        let changed = changed(&before[&path], &after[&path]);
        assert_eq!(
            changed,
            BTreeSet::from([expected.to_string()]),
            "{old} to {new}"
        );
    }
}

#[test]
fn members_carry_their_names_descriptors_and_flags() {
    let source = "class C { private long f; static void m(int i) {} }";
    let classes = javac([("C.java".to_owned(), source)], &[]);
    let class = ClassFile::parse(&classes["C.class"]).unwrap();
    let print = Fingerprint::of(&class).unwrap();
    let members: Vec<(&[u8], &[u8], u16)> = print
        .fields
        .iter()
        .chain(&print.methods)
        .map(|member| (member.name, member.descriptor, member.access))
        .collect();
    let expected: [(&[u8], &[u8], u16); 3] = [
        (b"f", b"J", access::PRIVATE),
        (b"<init>", b"()V", 0),
        (b"m", b"(I)V", access::STATIC),
    ];
    assert_eq!(members, expected);
}
