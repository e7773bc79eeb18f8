//! Lists the classes of a class path, their members and the tests among them.
//!
//! ```text
//! cargo run -p tamis-snapshot --example list -- [--tests|--references] [--cache DIRECTORY] CLASS_PATH
//! ```
#![allow(clippy::print_stdout)]

use std::path::PathBuf;
use std::time::Instant;
use tamis_classpath::{Entries, Roots};
use tamis_snapshot::{Cache, Class, Snapshot, find_tests, is_surefire_default};

fn main() -> Result<(), String> {
    let (mut tests_only, mut references, mut cache, mut class_path) = (false, false, None, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--tests" => tests_only = true,
            "--references" => references = true,
            "--cache" => cache = arguments.next().map(PathBuf::from),
            _ => class_path = Some(argument),
        }
    }
    let class_path = class_path.ok_or("no class path")?;
    let paths: Vec<PathBuf> = std::env::split_paths(&class_path).collect();
    let directory = std::env::current_dir().map_err(|error| error.to_string())?;

    let start = Instant::now();
    let class_path = Entries::new(cache.clone()).class_path(&paths);
    let opened = start.elapsed();
    let cache = cache.map(|cache| Cache::new(cache, Roots::detect(&directory)));
    let snapshot = Snapshot::read(&class_path, cache.as_ref());
    let read = start.elapsed();
    let found = find_tests(&snapshot);
    let all = start.elapsed();

    if !tests_only {
        snapshot
            .classes()
            .for_each(|class| print(class, references));
    }
    for test in &found.tests {
        let name = test.class.name();
        let mark = if is_surefire_default(name) {
            ""
        } else {
            ", not run by Surefire's defaults"
        };
        println!("test {name} ({:?}{mark})", test.framework);
        for method in &test.methods {
            println!("  {}.{}{}", method.class, method.name, method.descriptor);
        }
    }
    for (class, why) in &found.unknown {
        println!("unknown {}: {why:?}", class.name());
    }
    for entry in snapshot.unreadable_entries() {
        println!("unreadable {}", entry.display());
    }
    let classes = snapshot.classes().count();
    let tests = found.tests.len();
    let methods: usize = found.tests.iter().map(|test| test.methods.len()).sum();
    println!("{classes} classes, {tests} test classes with {methods} test methods");
    println!("opened after {opened:.1?}, read after {read:.1?}, tests found after {all:.1?}");
    Ok(())
}

fn print(class: Class<'_>, references: bool) {
    println!("{} in {}", class.name(), class.entry().display());
    for version in class.versions() {
        let Some(facts) = version.facts() else {
            println!("  cannot be read");
            continue;
        };
        if version.release() > 0 {
            println!("  from Java {} on", version.release());
        }
        for member in facts.fields().chain(facts.methods()) {
            println!("  {}{}", member.name(), member.descriptor());
            if references {
                member
                    .references()
                    .for_each(|reference| println!("    {reference:?}"));
            }
        }
    }
}
