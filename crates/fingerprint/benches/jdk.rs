//! Fingerprints every class of the JDKs in `JAVA_HOME` and `/usr/lib/jvm`, and says how long one
//! takes on average: `cargo bench -p tamis-fingerprint --bench jdk [JDK ...]`.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use tamis_classfile::ClassFile;
use tamis_fingerprint::class_digest;

fn main() {
    let given: Vec<PathBuf> = env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(PathBuf::from)
        .collect();
    let jdks = if given.is_empty() { installed() } else { given };
    for jdk in jdks {
        measure(&jdk);
    }
}

fn installed() -> Vec<PathBuf> {
    let listed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut jdks: Vec<PathBuf> = env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .chain(listed.map(|entry| entry.path()))
        .filter(|jdk| jdk.join("bin/jimage").exists())
        .filter_map(|jdk| jdk.canonicalize().ok())
        .collect();
    jdks.sort();
    jdks.dedup();
    jdks
}

fn measure(jdk: &Path) {
    let directory = tempfile::tempdir().unwrap();
    let status = Command::new(jdk.join("bin/jimage"))
        .args(["extract", "--include", "regex:.*\\.class", "--dir"])
        .arg(directory.path())
        .arg(jdk.join("lib/modules"))
        .status()
        .unwrap();
    assert!(status.success(), "jimage failed");
    let mut classes = Vec::new();
    read_classes(directory.path(), &mut classes);
    assert!(!classes.is_empty(), "no classes in {}", jdk.display());
    let best = (0..5)
        .map(|_| digest_all(&classes))
        .min()
        .unwrap_or_default();
    let bytes: usize = classes.iter().map(Vec::len).sum();
    println!(
        "{}: {} classes of {} bytes on average, {:.2} us per class",
        jdk.display(),
        classes.len(),
        bytes / classes.len(),
        best.as_secs_f64() * 1e6 / classes.len() as f64,
    );
}

fn digest_all(classes: &[Vec<u8>]) -> Duration {
    let start = Instant::now();
    for bytes in classes {
        let class = ClassFile::parse(bytes).unwrap();
        std::hint::black_box(class_digest(&class).unwrap());
    }
    start.elapsed()
}

fn read_classes(directory: &Path, classes: &mut Vec<Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_classes(&path, classes);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            classes.push(fs::read(&path).unwrap());
        }
    }
}
