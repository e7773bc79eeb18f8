//! Runs every folder of `fixtures/safety`: a small program in two revisions, and a statement of
//! which tests must run on the second one and which must not. Needs Maven, Maven Central once, and
//! JDK 17 and 25. `SAFETY_CASES=c01,t0` runs only the cases whose names start so.

#![allow(clippy::print_stdout)]

mod case;
mod compile;
mod jars;
mod javac;
mod run;
mod tamis;

use case::Case;
use std::sync::Mutex;

/// Cases that run at once.
const THREADS: usize = 2;

#[test]
fn every_case_holds() {
    let cases = chosen();
    let jars = jars::fetch();
    let dir = tempfile::tempdir().unwrap();
    let programs = compile::all(&cases, &jars, &dir.path().canonicalize().unwrap());
    let queue = Mutex::new(programs.into_iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(program) = { queue.lock().unwrap().next() } {
                    let problems = run::check(&program, &jars);
                    failures.lock().unwrap().extend(problems);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
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
