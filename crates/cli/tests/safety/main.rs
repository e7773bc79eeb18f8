//! Runs every file of `fixtures/safety` as a test of its own: a small program in two revisions, and a
//! statement of which tests must run on the second one and which must not. Needs Maven, Maven Central
//! once, a C compiler, and JDK 17 and 25. `fixtures/README.md` says which variables it looks at.

#![allow(clippy::print_stdout)]

mod case;
mod compile;
mod files;
mod format;
mod jars;
#[path = "../../../classfile/tests/support/javac.rs"]
mod javac;
mod project;
mod prove;
mod run;
mod table;
mod tamis;

use case::Case;
use compile::Setup;
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex};
use table::Findings;

/// What the tests share: it is made when the first of them starts, and holds what they found.
struct Shared {
    setup: LazyLock<Setup, fn() -> Setup>,
    findings: Mutex<Findings>,
}

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Cases wait for processes and disks now and then: one more than there are cores keeps these busy.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(cores + 1);
    let all: Arc<[Arc<Case>]> = Case::all().into_iter().map(Arc::new).collect();
    let shared = Arc::new(Shared {
        setup: LazyLock::new(Setup::new),
        findings: Mutex::default(),
    });
    let mut trials = vec![
        Trial::test("every_idea_has_a_case", {
            let all = Arc::clone(&all);
            move || table::every_idea_has_a_case(&all)
        }),
        Trial::test("failures_are_read", || {
            prove::failures_are_read();
            Ok(())
        }),
    ];
    let chosen = all.iter().filter(|case| is_chosen(case));
    trials.extend(chosen.map(|case| trial(case, &shared)));
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Some(document) = std::env::var_os("SAFETY_TABLE") {
        let is_whole = std::env::var_os("SAFETY_CASES").is_none();
        let is_whole = is_whole && conclusion.num_filtered_out == 0;
        assert!(is_whole, "the table is one of all cases");
        let findings = shared.findings.lock().unwrap();
        table::write(Path::new(&document), &table::table(&all, &findings));
    }
    conclusion.exit_code()
}

/// Whether `SAFETY_CASES` names its start, or nothing.
fn is_chosen(case: &Case) -> bool {
    let chosen = std::env::var("SAFETY_CASES").unwrap_or_default();
    let mut starts = chosen.split(',');
    chosen.is_empty() || starts.any(|start| !start.is_empty() && case.name.starts_with(start))
}

fn trial(case: &Arc<Case>, shared: &Arc<Shared>) -> Trial {
    let (name, is_pending) = (case.name.clone(), case.pending.is_some());
    let (case, shared) = (Arc::clone(case), Arc::clone(shared));
    let test = move || match case.elsewhere.is_empty() {
        true => run(&case, &shared),
        false => table::tests_elsewhere(&case),
    };
    Trial::test(name, test).with_ignored_flag(is_pending)
}

fn run(case: &Case, shared: &Shared) -> Result<(), Failed> {
    let program = shared.setup.compile(case);
    let problems = run::check(&program, &shared.setup.jars);
    // A process that a test left behind may still write there.
    let _ = fs::remove_dir_all(&program.dir);
    let texts: Vec<String> = problems
        .iter()
        .map(|problem| problem.text.clone())
        .collect();
    let mut findings = shared.findings.lock().unwrap();
    findings.insert(case.name.clone(), problems);
    match texts.is_empty() {
        true => Ok(()),
        false => Err(texts.join("\n").into()),
    }
}
