//! The hunter: makes random programs and random edits of them, runs all tests of every revision, and
//! fails when a test that did something else was not selected. `docs/hunter.md` says more.
//!
//! `HUNT_SEED`, `HUNT_EDITS` per program (20) and `HUNT_SECONDS` (60) say what is hunted for how long,
//! `HUNT_STATE=0` makes programs whose tests share no state. `HUNT_STATIC=1` hunts the techniques that need no recording;
//! they do not see state, so give both.

#![allow(clippy::print_stdout)]

mod case;
mod edits;
#[path = "../safety/format.rs"]
mod format;
mod generate;
mod hunt;
mod idioms;
#[expect(dead_code, reason = "the hunter needs no JaCoCo")]
#[path = "../safety/jars.rs"]
mod jars;
#[path = "../../../classfile/tests/support/javac.rs"]
mod javac;
mod model;
mod print;
mod project;
mod random;
mod recording;
mod seen;
mod shrink;
#[path = "../safety/tamis.rs"]
mod tamis;
mod variants;

use hunt::Counts;
use project::Tools;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Programs that are edited at once.
const THREADS: usize = 2;

/// A hunt ends after so many misses: each takes a while to be made smaller.
const ENOUGH: usize = 3;

#[test]
fn no_test_that_changed_is_left_out() {
    let start = Instant::now();
    let time = Duration::from_secs(setting("HUNT_SECONDS", 60));
    let (seed, steps) = (seed(), setting("HUNT_EDITS", 20) as usize);
    // Not by `println`, which shows nothing where a test passes.
    writeln!(std::io::stdout(), "HUNT_SEED={seed}").unwrap();
    let errors = || match std::env::var_os("HUNT_SHOW") {
        Some(_) => Stdio::inherit(),
        None => Stdio::null(),
    };
    let tools: Vec<Tools> = (0..THREADS).map(|_| Tools::start(errors())).collect();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let cases = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hunter");
    let (next, counts) = (AtomicU64::new(seed), Mutex::new(Counts::default()));
    let reports = Mutex::new(Vec::new());
    let is_over = || start.elapsed() > time || reports.lock().unwrap().len() >= ENOUGH;
    std::thread::scope(|scope| {
        for (thread, tools) in tools.iter().enumerate() {
            let root = dir.join(thread.to_string());
            let (next, counts, reports) = (&next, &counts, &reports);
            let (cases, is_over) = (&cases, &is_over);
            scope.spawn(move || {
                while !is_over() {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let (count, found) = hunt::chain(tools, &root, seed, steps, is_over);
                    counts.lock().unwrap().add(count);
                    for found in &found {
                        let report = shrink::report(tools, &root, cases, found);
                        println!("{report}");
                        reports.lock().unwrap().push(report);
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    println!("{}", counts.text());
    for tools in &tools {
        println!("{:.1?}", tools.times.lock().unwrap());
    }
    counts
        .again
        .iter()
        .for_each(|test| println!("selected again: {test}"));
    let reports = reports.into_inner().unwrap();
    assert!(reports.is_empty(), "tests were missed, see above");
    assert!(
        counts.again.is_empty(),
        "tests were selected although nothing changed"
    );
    assert!(counts.changed > 0, "nothing was hunted");
}

#[test]
fn no_edit_of_an_idiom_with_state_is_missed() {
    if setting("HUNT_STATE", 1) == 0 {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let tools = Tools::start(Stdio::null());
    let mut missed = 0;
    for (jupiter, by_method) in [(true, false), (false, false), (false, true)] {
        let (table, count) = variants::try_all(&tools, &dir, jupiter, by_method);
        println!("Jupiter: {jupiter}, single tests: {by_method}\n{table}");
        missed += count;
    }
    assert_eq!(missed, 0, "tests were missed, see above");
}

#[test]
fn idioms_compile() {
    let dir = tempfile::tempdir().unwrap();
    let show = std::env::var_os("HUNT_SHOW").is_some();
    let tools = Tools::start(if show {
        Stdio::inherit()
    } else {
        Stdio::null()
    });
    let project = project::Project::new(&tools, dir.path(), 1, recording::Recording::default());
    let compiles = |idiom: &model::Idiom| {
        let program = model::Program {
            idioms: vec![idiom.clone()],
            ..model::Program::default()
        };
        project.compile(0, &program)
    };
    for (first, others) in idioms::variants() {
        assert!(compiles(&first), "{}", first.kind);
        if show {
            let refused = others.iter().filter(|other| !compiles(other)).count();
            println!("{}: {refused} of {} refused", first.kind, others.len());
        }
    }
}

/// Where random numbers start: another number in each run.
fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(1, |now| now.as_millis() as u64 % 1_000_000_000);
    setting("HUNT_SEED", now)
}

fn setting(name: &str, usual: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
        Err(_) => usual,
    }
}
