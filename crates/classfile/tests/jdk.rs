//! Every class of the JDKs of this machine, read and patched.

mod support;

use support::archive::{Class, check_pairs, write_pairs};
use support::dump::jdk_classes;
use support::{jdk::Jdk, walk::walk};
use tamis_classfile::ClassFile;

fn parse_all(classes: &[Class]) {
    for class in classes {
        let walked = ClassFile::parse(&class.bytes).and_then(|parsed| walk(&parsed));
        walked.unwrap_or_else(|e| panic!("{}: {e}", class.file));
    }
}

fn check(feature: u32, at_least: usize) {
    let classes = jdk_classes(&Jdk::find(feature));
    assert!(classes.len() > at_least, "only {} classes", classes.len());
    parse_all(&classes);
    let (pairs, edited) = write_pairs(&classes, &format!("jdk-{feature}"));
    assert!(edited > at_least * 5, "only {edited} methods were edited");
    check_pairs(&[pairs]);
}

#[test]
fn jdk_17_reads_and_verifies_when_patched() {
    check(17, 20_000);
}

#[test]
fn jdk_25_reads_and_verifies_when_patched() {
    check(25, 20_000);
}
