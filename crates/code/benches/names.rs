//! Time per class to parse it, to find what it refers to, and to find the names it asks for, over all classes of a jar:
//! `cargo bench -p tamis-code --bench names -- JAR ...`.
#![allow(clippy::print_stdout)] // its output is its purpose

use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::time::{Duration, Instant};
use tamis_classfile::{ClassFile, Result};
use tamis_code::names::{Finder, Values};
use tamis_code::references::of_code;

fn main() {
    for jar in std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"))
    {
        let classes = classes(&jar);
        println!("{jar}: {} classes", classes.len());
        count(&classes);
        let parse = best(&classes, |class| Ok(class.methods().len()));
        let refer = best(&classes, references);
        let names = best(&classes, names);
        let per_class = |time: Duration| time.as_nanos() / classes.len().max(1) as u128;
        println!(
            "parse {} ns, references {} ns, names {} ns per class",
            per_class(parse),
            per_class(refer.saturating_sub(parse)),
            per_class(names.saturating_sub(parse))
        );
    }
}

fn classes(jar: &str) -> Vec<Vec<u8>> {
    let mut zip = zip::ZipArchive::new(File::open(jar).unwrap()).unwrap();
    let mut classes = Vec::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        if entry.name().ends_with(".class") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            classes.push(bytes);
        }
    }
    classes
}

/// The best of several passes: the others measure what else the machine does.
fn best(classes: &[Vec<u8>], work: impl Fn(&ClassFile<'_>) -> Result<usize>) -> Duration {
    let pass = || {
        let start = Instant::now();
        for bytes in classes {
            black_box(ClassFile::parse(bytes).and_then(|class| work(&class))).unwrap();
        }
        start.elapsed()
    };
    (0..10).map(|_| pass()).min().unwrap_or_default()
}

fn references(class: &ClassFile<'_>) -> Result<usize> {
    let mut count = 0;
    for method in class.methods() {
        if let Some(code) = class.code(&method?)? {
            of_code(class, &code, &mut |_, _| count += 1)?;
        }
    }
    Ok(count)
}

fn names(class: &ClassFile<'_>) -> Result<usize> {
    let finder = Finder::new(class)?;
    let mut count = 0;
    for method in class.methods() {
        let method = method?;
        if let Some(code) = class.code(&method)? {
            let names = finder.find(&method, &code)?;
            count += names.lookups.len() + names.passed.len();
        }
    }
    Ok(count)
}

/// Prints how much is found.
fn count(classes: &[Vec<u8>]) {
    let (mut lookups, mut known, mut passed, mut texts) = (0, 0, 0, 0);
    for bytes in classes {
        let class = ClassFile::parse(bytes).unwrap();
        let finder = Finder::new(&class).unwrap();
        for method in class.methods() {
            let method = method.unwrap();
            if let Some(code) = class.code(&method).unwrap() {
                let names = finder.find(&method, &code).unwrap();
                let is_known = |name: &Values| *name != Values::Unknown;
                let of_known = names.lookups.iter().filter(|lookup| is_known(&lookup.name));
                known += of_known.count();
                lookups += names.lookups.len();
                passed += names.passed.len();
                texts += names.texts.len();
            }
        }
    }
    println!("{lookups} look-ups, {known} of known names; {passed} arguments; {texts} texts");
}
