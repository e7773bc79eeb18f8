//! Damaged class files: an error or mutants, never a panic.

mod support;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use support::SAMPLES;
use tamis_classfile::ClassFile;
use tamis_mutants::mutants;

/// Lists mutants and applies some; what is made without an error is another class.
fn exercise(bytes: &[u8], original: &[u8]) {
    let Ok(found) = mutants(bytes) else {
        return;
    };
    let step = found.len() / 20 + 1;
    for mutant in found.iter().step_by(step) {
        if let Ok(mutated) = mutant.apply(bytes) {
            ClassFile::parse(&mutated).expect("mutated class");
            assert_ne!(mutated, bytes, "{mutant:?}");
        }
        // Not its own class any more, or just so.
        let _ = mutant.apply(original);
    }
}

#[test]
fn damaged_classes_do_not_panic() {
    let seeds: Vec<&Vec<u8>> = SAMPLES.values().collect();
    let config = ProptestConfig {
        cases: 10_000,
        failure_persistence: None,
        ..Default::default()
    };
    let damages = vec((any::<Index>(), any::<u8>()), 1..5);
    let cut = proptest::option::weighted(0.1, any::<Index>());
    proptest!(config, |(seed in any::<Index>(), damages in damages, cut in cut)| {
        let original = *seed.get(&seeds);
        let mut bytes = original.clone();
        for (at, byte) in &damages {
            *at.get_mut(&mut bytes) = *byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        exercise(&bytes, original);
    });
}

#[test]
fn every_cut_of_a_class_is_an_error() {
    let bytes = &SAMPLES["ReturnValue"];
    for end in 0..bytes.len() {
        assert!(mutants(&bytes[..end]).is_err(), "{end}");
    }
}
