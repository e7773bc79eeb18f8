//! Reads and patches anything. Start it with a directory of class files as the corpus:
//! `cargo +nightly fuzz run edit <directory> -- -malloc_limit_mb=64`.
#![no_main]

#[allow(dead_code)] // its lengths are for other tests
#[path = "../../tests/support/patch.rs"]
mod patch;
#[path = "../../tests/support/walk.rs"]
mod walk;

use libfuzzer_sys::fuzz_target;
use tamis_classfile::ClassFile;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(class) = ClassFile::parse(bytes) {
        let _ = walk::walk(&class);
        if let Ok(patched) = patch::patch(&class) {
            let again = ClassFile::parse(&patched.bytes).expect("a patched class is a class");
            assert_eq!(again.methods().len(), patched.inserted.len());
        }
    }
});
