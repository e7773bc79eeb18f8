//! What the agent does with a class when it is loaded, over every class of the JDKs in `JAVA_HOME`
//! and `/usr/lib/jvm`: `cargo bench -p tamis-agent --bench load --profile agent [-- JDK ...]`.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use std::{env, fs};

use tamis_classfile::ClassFile;
use tamis_code::references::{self, Kind};
use tamis_fingerprint::{Fingerprint, raw};
use tamis_instrument::probes::{self, Probes};

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
    let bytes: usize = classes.iter().map(Vec::len).sum();
    println!(
        "{}: {} classes of {} bytes on average; us per class, best of 5:",
        jdk.display(),
        classes.len(),
        bytes / classes.len(),
    );
    for (what, step) in STEPS {
        let best = (0..5)
            .map(|_| time(&classes, step))
            .min()
            .unwrap_or_default();
        println!(
            "{what:>40} {:6.2}",
            best.as_secs_f64() * 1e6 / classes.len() as f64
        );
    }
}

type Step = fn(&[u8]);

const STEPS: [(&str, Step); 6] = [
    ("checksum of the bytes", |bytes| {
        std::hint::black_box(raw(bytes));
    }),
    ("read", |bytes| {
        std::hint::black_box(ClassFile::parse(bytes).unwrap());
    }),
    ("read, fingerprint", |bytes| {
        print(&ClassFile::parse(bytes).unwrap());
    }),
    ("read, references", |bytes| {
        refer(&ClassFile::parse(bytes).unwrap())
    }),
    ("read, rewrite", |bytes| {
        std::hint::black_box(insert(&ClassFile::parse(bytes).unwrap()));
    }),
    ("all of it", |bytes| {
        std::hint::black_box(raw(bytes));
        let class = ClassFile::parse(bytes).unwrap();
        print(&class);
        refer(&class);
        std::hint::black_box(insert(&class));
    }),
];

fn print(class: &ClassFile<'_>) {
    let print = Fingerprint::of(class).unwrap();
    std::hint::black_box((print.class(), print.encode()));
}

fn insert(class: &ClassFile<'_>) -> Option<Vec<u8>> {
    probes::insert(
        class,
        Probes {
            segment: 0,
            first: 0,
        },
        false,
    )
    .ok()
    .map(|patched| patched.bytes)
}

fn refer(class: &ClassFile<'_>) {
    references::structural(class, &mut |name| {
        std::hint::black_box(name);
    })
    .unwrap();
    references::shown(class, &mut |name| {
        std::hint::black_box(name);
    })
    .unwrap();
    for method in class.methods() {
        if let Some(code) = class.code(&method.unwrap()).unwrap() {
            references::of_code(class, &code, &mut |owner, kind| {
                if let Kind::Call { name, .. } = kind {
                    std::hint::black_box(references::reflection_kinds(owner, name));
                }
                std::hint::black_box(owner);
            })
            .unwrap();
        }
    }
}

fn time(classes: &[Vec<u8>], step: Step) -> Duration {
    let start = Instant::now();
    classes.iter().for_each(|bytes| step(bytes));
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
