#![allow(dead_code)] // each test program uses a part
//! What the tests share: JDKs, jars, and a JVM that judges mutants.

#[path = "../../../classfile/tests/support/jars.rs"]
pub(crate) mod jars;
#[path = "../../../classfile/tests/support/javac.rs"]
pub(crate) mod javac;
#[path = "../../../classfile/tests/support/jdk.rs"]
pub(crate) mod jdk;
pub(crate) mod judge;
#[path = "../../../classfile/tests/support/process.rs"]
pub(crate) mod process;

pub(crate) use process::{run, scratch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jdk::Jdk;
use tamis_mutants::{Mutant, Operator, mutants};

/// What `jars` needs.
pub(crate) mod archive {
    /// A class file with its path inside a jar.
    pub(crate) struct Class {
        pub(crate) file: String,
        pub(crate) bytes: Vec<u8>,
    }
}

/// The source of this name beside the tests.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/java")
        .join(name)
}

/// Classes by their names with dots.
pub(crate) type Classes = BTreeMap<String, Vec<u8>>;

/// Compiles sources, of `tests/java` of class files or with full paths.
pub(crate) fn compile(jdk: &Jdk, sources: &[&str], options: &[&str], name: &str) -> Classes {
    // Test programs may run at the same time, and what an older source had must not stay.
    let name = format!("{name}-{}", env!("CARGO_CRATE_NAME"));
    let _ = std::fs::remove_dir_all(scratch(&format!("{name}-{}", jdk.version)));
    let dir = jdk.compile(sources, options, &name);
    let files = std::fs::read_dir(dir).expect("classes").flatten();
    files
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let name = name.strip_suffix(".class")?.to_owned();
            Some((name, std::fs::read(file.path()).expect("class")))
        })
        .collect()
}

/// The classes of `Samples.java`: for each operator one of its name, with those nested in it, all of
/// whose mutants by that operator show in what its method `run` returns.
pub(crate) static SAMPLES: LazyLock<Classes> = LazyLock::new(|| {
    let source = source("Samples.java");
    let source = source.to_str().expect("plain path");
    compile(&Jdk::find(17), &[source], &["-g"], "samples")
});

/// The mutants of an operator in its sample, with the original classes.
pub(crate) fn of_sample(operator: Operator) -> Vec<(Mutant, &'static [u8])> {
    let name = format!("{operator:?}");
    let nested = format!("{name}$");
    let classes = SAMPLES
        .iter()
        .filter(|(class, _)| **class == name || class.starts_with(&nested));
    let all = classes.flat_map(|(_, bytes)| {
        let mutants = mutants(bytes).expect("mutants");
        mutants.into_iter().map(|mutant| (mutant, bytes.as_slice()))
    });
    all.filter(|(mutant, _)| mutant.operator == operator)
        .collect()
}
