//! Published jars of many compilers and ages, read, patched, verified and linked.

mod support;

use std::collections::BTreeSet;

use support::archive::{check_pairs, load_pairs, write_pairs};
use support::jars::{JARS, classes, fetch};
use support::walk::walk;
use tamis_classfile::ClassFile;

#[test]
fn published_jars_read_verify_and_link_when_patched() {
    fetch();
    let mut files = Vec::new();
    for (_, artifact, _) in JARS {
        let classes = classes(artifact);
        for class in &classes {
            let walked = ClassFile::parse(&class.bytes).and_then(|parsed| walk(&parsed));
            walked.unwrap_or_else(|e| panic!("{artifact} {}: {e}", class.file));
        }
        let (pairs, edited) = write_pairs(&classes, artifact);
        assert!(edited > 100, "{artifact}: {edited} methods");
        files.push(pairs);
    }
    check_pairs(&files);
    load_pairs(&files);
}

/// The other test would prove less if the old jars were not old.
#[test]
fn the_jars_reach_back_to_java_1_1_and_have_subroutines() {
    const JSR: u8 = 0xa8;
    fetch();
    let mut versions = BTreeSet::new();
    let mut subroutines = 0;
    for (_, artifact, _) in JARS {
        for class in classes(artifact) {
            let class = ClassFile::parse(&class.bytes).expect("class");
            versions.insert(class.major);
            for method in class.methods() {
                let Some(code) = class.code(&method.expect("method")).expect("code") else {
                    continue;
                };
                let opcodes = code.instructions().map(|i| i.expect("instruction").opcode);
                subroutines += opcodes.filter(|&o| o == JSR).count();
            }
        }
    }
    let old = versions.range(..=52).copied();
    assert!(old.eq(45..=52), "{versions:?}");
    assert!(subroutines > 100, "{subroutines} subroutine calls");
}
