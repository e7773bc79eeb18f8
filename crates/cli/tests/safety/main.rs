//! Runs every folder of `fixtures/safety`: a small program in two revisions, and a statement of
//! which tests must run on the second one and which must not. Needs Maven, Maven Central once, a C
//! compiler, and JDK 17 and 25. `SAFETY_CASES=c01,t0` runs only the cases whose names start so.

#![allow(clippy::print_stdout)]

mod case;
mod compile;
mod files;
mod jars;
mod javac;
mod project;
mod prove;
mod run;
mod table;
mod tamis;

use case::Case;
use std::path::Path;
use std::sync::{Mutex, mpsc};
use table::Findings;

/// Cases that run at once.
const THREADS: usize = 2;

#[test]
fn every_case_holds() {
    let cases = chosen();
    let jars = jars::fetch();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let (compiled, programs) = mpsc::channel();
    let (programs, findings) = (Mutex::new(programs), Mutex::new(Findings::new()));
    std::thread::scope(|scope| {
        let (cases, jars) = (&cases, &jars);
        scope.spawn(move || compile::all(cases, jars, &dir, &compiled));
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Ok(program) = { programs.lock().unwrap().recv() } {
                    let problems = run::check(&program, jars);
                    let name = program.case.name.clone();
                    findings.lock().unwrap().insert(name, problems);
                }
            });
        }
    });
    let findings = findings.into_inner().unwrap();
    let table = table::table(&cases, &findings);
    println!("{table}");
    if let Some(document) = std::env::var_os("SAFETY_TABLE") {
        let is_whole = std::env::var_os("SAFETY_CASES").is_none();
        assert!(is_whole, "the table is one of all cases");
        table::write(Path::new(&document), &table);
    }
    let problems = findings.into_values().flatten();
    let problems: Vec<String> = problems.map(|problem| problem.text).collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

/// The cases, sorted by name.
fn chosen() -> Vec<Case> {
    let chosen = std::env::var("SAFETY_CASES").unwrap_or_default();
    let chosen: Vec<&str> = chosen.split(',').filter(|name| !name.is_empty()).collect();
    let all = Case::all();
    assert!(!all.is_empty(), "no cases");
    all.into_iter()
        .filter(|case| chosen.is_empty() || chosen.iter().any(|c| case.name.starts_with(c)))
        .collect()
}
