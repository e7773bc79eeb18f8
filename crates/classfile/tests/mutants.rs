//! Classes with random damage: an error or a result, never a panic, never much memory.

mod support;

use std::alloc::System;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use support::{jdk::Jdk, patch::patch, walk::walk};
use tamis_classfile::ClassFile;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[derive(Debug, Clone)]
enum Damage {
    Write(Vec<u8>),
    Insert(Vec<u8>),
    Remove(u8),
    Cut,
}

fn damage() -> impl Strategy<Value = Damage> {
    let word = |word: u16| Damage::Write(word.to_be_bytes().to_vec());
    prop_oneof![
        8 => any::<[u8; 1]>().prop_map(|byte| Damage::Write(byte.to_vec())),
        4 => (0..0x200_u16).prop_map(word),
        4 => (0xFF00_u16..).prop_map(word),
        1 => vec(any::<u8>(), 1..9).prop_map(Damage::Insert),
        1 => any::<u8>().prop_map(Damage::Remove),
        1 => Just(Damage::Cut),
    ]
}

fn apply(damage: &Damage, at: Index, bytes: &mut Vec<u8>) {
    let at = at.index(bytes.len() + 1);
    let end = |length: usize| bytes.len().min(at + length);
    match damage {
        Damage::Write(new) => drop(bytes.splice(at..end(new.len()), new.iter().copied())),
        Damage::Insert(new) => drop(bytes.splice(at..at, new.iter().copied())),
        Damage::Remove(length) => drop(bytes.drain(at..end(usize::from(*length)))),
        Damage::Cut => bytes.truncate(at),
    }
}

/// Reads and patches `bytes`; what is patched without an error is a class again.
fn exercise(bytes: &[u8]) {
    if let Ok(class) = ClassFile::parse(bytes) {
        let _ = walk(&class);
        if let Ok(patched) = patch(&class) {
            let again = ClassFile::parse(&patched.bytes).expect("patched class");
            assert_eq!(again.methods().len(), patched.inserted.len());
        }
    }
}

#[test]
fn damaged_classes_neither_panic_nor_allocate_without_bound() {
    let jdk = Jdk::find(25);
    let dir = jdk.compile(&["Exercise.java", "Modern.java"], &["-g"], "mutants");
    let files = std::fs::read_dir(dir).expect("classes");
    let seeds: Vec<Vec<u8>> = files
        .map(|file| std::fs::read(file.expect("file").path()).expect("class"))
        .collect();
    let config = ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        ..Default::default()
    };
    proptest!(config, |(seed in any::<Index>(), damages in vec((damage(), any::<Index>()), 1..4))| {
        let mut bytes = seed.get(&seeds).clone();
        damages.iter().for_each(|(damage, at)| apply(damage, *at, &mut bytes));
        let region = Region::new(ALLOCATOR);
        exercise(&bytes);
        let allocated = region.change().bytes_allocated;
        prop_assert!(allocated < 64 * bytes.len() + 4096, "{allocated} for {} bytes", bytes.len());
    });
}
