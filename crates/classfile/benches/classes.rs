//! Time per class to parse and to parse and patch all classes of JDK 25:
//! `cargo bench -p tamis-classfile`.
#![allow(clippy::print_stdout)] // its output is its purpose

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use support::dump::{Class, jdk_classes};
use support::{jdk::Jdk, walk::walk};
use tamis_classfile::edit::{MethodEdit, PoolBuilder, apply};
use tamis_classfile::opcode::{BASTORE, GETSTATIC, ICONST_1, SIPUSH};
use tamis_classfile::{ClassFile, Result};

fn main() {
    let classes = jdk_classes(&Jdk::find(25));
    let bytes: usize = classes.iter().map(|class| class.bytes.len()).sum();
    println!("{} classes, {:.1} MB", classes.len(), bytes as f64 / 1e6);
    measure("parse", &classes, |bytes| {
        ClassFile::parse(bytes).map(|class| class.bytes.len())
    });
    measure("parse, read every instruction", &classes, |bytes| {
        walk(&ClassFile::parse(bytes)?)
    });
    measure("parse, probe every method", &classes, probe);
}

/// Prints the best of several passes: the others measure what else the machine does.
fn measure(what: &str, classes: &[Class], work: impl Fn(&[u8]) -> Result<usize>) {
    let pass = || -> Duration {
        let start = Instant::now();
        for class in classes {
            black_box(work(&class.bytes)).unwrap_or_else(|e| panic!("{}: {e}", class.file));
        }
        start.elapsed()
    };
    let best = (0..15).map(|_| pass()).min().unwrap_or_default();
    println!(
        "{what}: {} ns per class",
        best.as_nanos() / classes.len().max(1) as u128
    );
}

/// The probe of the agent: a store into a static byte array.
fn probe(bytes: &[u8]) -> Result<usize> {
    let class = ClassFile::parse(bytes)?;
    let mut pool = PoolBuilder::new(&class);
    let helper = pool.class(b"tamis/Probes")?;
    let [high, low] = pool.field_ref(helper, b"hits", b"[B")?.to_be_bytes();
    let probe = [GETSTATIC, high, low, SIPUSH, 0, 1, ICONST_1, BASTORE];
    let mut edits = Vec::with_capacity(class.methods().len());
    for (index, method) in class.methods().enumerate() {
        if class
            .code(&method?)?
            .is_some_and(|code| code.code.len() < 65_000)
        {
            let prefix = probe[..].into();
            edits.push((
                index,
                MethodEdit {
                    prefix,
                    stack: 3,
                    ..Default::default()
                },
            ));
        }
    }
    Ok(apply(&class, pool, &edits)?.len())
}
