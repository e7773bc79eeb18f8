use super::now_ms;
use crate::arguments::{Mode, Run as RunArguments};
use crate::console::Console;
use crate::error::Error;
use crate::execution::{Execution, Job, execute, no_verdict};
use crate::exit_code::ExitCode;
use crate::knowledge::{open_to_write, take_in};
use crate::run_dir::recorded_modules;
use crate::savings::Savings;
use crate::sources::Sources;
use crate::target::Target;
use crate::tests_of_run::tests_of_run;
use std::path::Path;
use std::time::Instant;
use tamis_build::{Purpose, Signals, Unrecorded};
use tamis_report::{Phases, Recorded, Run, RunKind};
use tamis_store::Absorbed;

/// `tamis test`: runs the build, lets the agents skip what no change affects, and keeps what ran.
pub(crate) fn test(
    start: &Path,
    arguments: &RunArguments,
    mode: Mode,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    run_tests(start, arguments, mode, RunKind::Test, console, signals)
}

/// Runs what is selected, and records it unless the mode is another one.
pub(super) fn run_tests(
    start: &Path,
    arguments: &RunArguments,
    mode: Mode,
    kind: RunKind,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    let target = Target::find(start, arguments)?;
    target.driver.check()?;
    let before = open_to_write(&target.project, console)?;
    if let Some(warning) = &before.warning {
        console.warning(warning);
    }
    // Taken before the build, so that what is edited while it runs counts as changed.
    let listing = target.driver.listing();
    Sources::forget(&target.project)?;

    let first = before.store.modules().is_empty();
    let records = mode == Mode::Online;
    let execution = execute(&target, &Job::new(Purpose::Test, records), console, signals)?;
    let Execution {
        run_dir,
        spools,
        verdicts,
        unanswered,
        end,
        started,
        took,
        analysis,
        ..
    } = execution;
    let collection = Instant::now();
    let modules = recorded_modules(&spools);
    let absorbed = take_in(&target.project, run_dir, spools)?;
    let tests = tests_of_run(
        &absorbed,
        &verdicts,
        &unanswered,
        &before.store,
        target.granularity,
    );
    let phases = Phases {
        analysis,
        execution: took.saturating_sub(analysis),
        collection: collection.elapsed(),
    };
    let unrecorded = target.driver.find_unrecorded(started, &modules);
    let mut run = Run {
        kind,
        recorded: match mode {
            Mode::Online => Recorded::Now,
            Mode::Offline => Recorded::Later,
            Mode::RunOnly => Recorded::Never,
        },
        technique: target.choice.to_string(),
        granularity: target.granularity,
        phases,
        build: Some(end),
        first,
        unrecorded: !unrecorded.is_empty(),
        tests,
        unheld: vec![],
        warnings: unanswered
            .iter()
            .map(no_verdict)
            .chain(warnings(&absorbed, &unrecorded, &target))
            .collect(),
    };
    target.keep_sources(listing, &run)?;
    Savings::add(&target.project, run.saved());
    tell(&run, console);
    run.warnings.extend(before.warning);
    console.json(run.json())?;
    Ok(exit_code(&run))
}

fn exit_code(run: &Run) -> ExitCode {
    match run.build {
        Some(end) if end.interrupted => ExitCode::Interrupted,
        Some(end) if end.success => ExitCode::Success,
        _ => ExitCode::Failed,
    }
}

fn tell(run: &Run, console: &Console) {
    let success = run.build.is_some_and(|end| end.success);
    if !console.quiet || !success || !run.warnings.is_empty() {
        console.closing(run.test_text(console.verbose, now_ms()));
    }
}

fn warnings(absorbed: &Absorbed, unrecorded: &[Unrecorded], target: &Target) -> Vec<String> {
    let mut warnings = absorbed.problems.clone();
    if absorbed.damaged > 0 {
        let number = absorbed.damaged;
        warnings.push(format!(
            "{number} of {} test JVMs did not shut down normally; the tests that they did not finish \
             will run again",
            absorbed.jvms
        ));
    }
    warnings.extend(unrecorded.iter().map(|module| untold(module, target)));
    warnings
}

/// Says that the tests of a module ran without the agent.
pub(super) fn untold(module: &Unrecorded, target: &Target) -> String {
    let name = match target.project.module_name(&module.module) {
        name if name.is_empty() => "this project".to_owned(),
        name => name,
    };
    let cause = match module.cause {
        Some(cause) => format!("they ran without the agent because of {cause}"),
        None => "they ran without the agent, or not with JUnit 4 or the JUnit Platform".into(),
    };
    format!(
        "all tests of {name} ran and nothing was recorded: {cause}; {}",
        module.remedy
    )
}
