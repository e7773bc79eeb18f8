use super::now_ms;
use crate::arguments::Run as RunArguments;
use crate::console::Console;
use crate::error::Error;
use crate::execution::{Execution, Job, execute};
use crate::exit_code::ExitCode;
use crate::knowledge::{Opened, open_to_read, open_to_write, take_in};
use crate::sources::Sources;
use crate::target::{Driver, Target};
use crate::tests_of_run::{by_class, tests_of_run};
use std::path::Path;
use std::time::Instant;
use tamis_build::{BuildError, Purpose, Signals, find_command_place};
use tamis_report::{Phases, Recorded, Run, RunKind, TestReport};
use tamis_select::{Change, Granularity, Reason, TestId, Verdict};
use tamis_store::{Project, Scope};

/// `tamis select`: what `tamis test` would run now.
pub(crate) fn select(
    start: &Path,
    arguments: &RunArguments,
    no_build: bool,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    let run = ask(start, arguments, no_build, console, signals)?;
    if let Some(code) = failure(&run) {
        console.progress(run.closing());
        console.json(run.json())?;
        return Ok(code);
    }
    run.warnings
        .iter()
        .for_each(|warning| console.warning(warning));
    console.answer(run.select_text(console.verbose, now_ms()));
    if let Some(words) = run.by_rules() {
        console.progress(words);
    }
    console.progress(run.closing());
    console.json(run.json())?;
    Ok(ExitCode::Success)
}

/// How a build that was to answer ended, if not well.
pub(super) fn failure(run: &Run) -> Option<ExitCode> {
    match run.build {
        Some(end) if end.interrupted => Some(ExitCode::Interrupted),
        Some(end) if !end.success => Some(ExitCode::Failed),
        _ => None,
    }
}

/// Finds out what would run: from the class files if they are those of the sources, or else from a
/// build that compiles and asks, but runs no test.
pub(super) fn ask(
    start: &Path,
    arguments: &RunArguments,
    no_build: bool,
    console: &Console,
    signals: &Signals,
) -> Result<Run, Error> {
    let target = match Target::find(start, arguments) {
        Err(Error::Build(BuildError::NotAProject(dir))) => without_build_tool(&dir, arguments)?,
        other => other?,
    };
    let sources = Sources::read(&target.project);
    let by_command = matches!(target.driver, Driver::Command(_));
    match sources {
        _ if by_command && !arguments.command.is_empty() && !no_build => {
            from_build(&target, console, signals)
        }
        Some(Sources::Command) => from_store(&target, console, |_| true, None),
        Some(Sources::Maven { listing, asked })
            if target
                .listing()
                .is_some_and(|now| now.to_string() == listing) =>
        {
            from_store(
                &target,
                console,
                |test| asked.contains(&test.outermost()),
                None,
            )
        }
        _ if no_build || by_command => {
            let stale = "the sources may have changed since the last run; this answer is for the \
                         class files as they are";
            from_store(&target, console, |_| true, Some(stale))
        }
        _ => from_build(&target, console, signals),
    }
}

/// A project whose tests were run by a command needs no build tool to be asked about.
fn without_build_tool(dir: &Path, arguments: &RunArguments) -> Result<Target, Error> {
    let place = find_command_place(dir)?;
    let project = Project {
        root: place.root.clone(),
    };
    if !project.dir().exists() {
        return Err(BuildError::NotAProject(dir.to_owned()).into());
    }
    let command = vec!["command".to_owned()];
    let target = Target::find(
        dir,
        &RunArguments {
            command,
            maven: vec![],
            ..arguments.clone()
        },
    )?;
    Ok(target)
}

fn from_store(
    target: &Target,
    console: &Console,
    asked: impl Fn(&TestId) -> bool,
    warning: Option<&str>,
) -> Result<Run, Error> {
    let start = Instant::now();
    let Opened {
        store,
        warning: damaged,
    } = open_to_read(&target.project, console)?;
    let selection = store.select(
        &target.project,
        &Scope::default(),
        target.choice.technique().as_ref(),
    );
    let inside = target.project.module_name(&target.place.dir);
    let verdicts = selection.verdicts.into_iter().filter(|verdict| {
        is_inside(&verdict.test.module, &inside) && asked(&verdict.test) && !is_gone(verdict)
    });
    Ok(Run {
        kind: RunKind::Select,
        recorded: Recorded::Now,
        technique: target.choice.to_string(),
        granularity: target.granularity,
        tests: match target.granularity {
            Granularity::Method => verdicts.map(report).collect(),
            Granularity::Class => by_class(verdicts).map(report).collect(),
        },
        phases: Phases {
            analysis: start.elapsed(),
            ..Phases::default()
        },
        build: None,
        first: false,
        unrecorded: false,
        warnings: damaged
            .into_iter()
            .chain(warning.map(str::to_owned))
            .collect(),
    })
}

fn is_inside(module: &str, dir: &str) -> bool {
    let rest = module.strip_prefix(dir);
    dir.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether the test class itself was deleted: no build will ask for it any more.
fn is_gone(verdict: &Verdict) -> bool {
    verdict.reasons.iter().any(|reason| {
        matches!(reason, Reason::Class { class, change: Change::Deleted } if class == verdict.test.class_name())
    })
}

fn report(verdict: Verdict) -> TestReport {
    let Verdict {
        test,
        selected,
        reasons,
        known,
        excused,
        ..
    } = verdict;
    TestReport {
        test,
        selected,
        outcome: None,
        took: None,
        reasons,
        known,
        excused,
    }
}

fn from_build(target: &Target, console: &Console, signals: &Signals) -> Result<Run, Error> {
    target.check()?;
    let before = open_to_write(&target.project, console)?;
    console.progress("compiling to see what changed; no test runs");
    let listing = target.listing();
    Sources::forget(&target.project)?;
    let execution = execute(target, &Job::new(Purpose::Select, true), console, signals)?;
    let Execution {
        run_dir,
        spools,
        verdicts,
        end,
        took,
        analysis,
        printed,
        ..
    } = execution;
    let absorbed = before.store.clone().absorb(&target.project, spools.clone());
    if absorbed.ran.is_empty() && absorbed.unfinished.is_empty() {
        run_dir.remove()?;
    } else {
        take_in(&target.project, run_dir, spools)?;
    }
    if !end.success {
        console.build_output(&printed);
    }
    let mut warnings: Vec<String> = before
        .warning
        .into_iter()
        .chain(absorbed.problems.clone())
        .collect();
    if !absorbed.ran.is_empty() {
        let ran = absorbed.ran.len();
        warnings.push(format!(
            "{ran} tests ran: the agent could not hold them back"
        ));
    }
    let run = Run {
        kind: RunKind::Select,
        recorded: Recorded::Now,
        technique: target.choice.to_string(),
        granularity: target.granularity,
        tests: tests_of_run(&absorbed, &verdicts, &before.store, target.granularity),
        phases: Phases {
            analysis,
            execution: took.saturating_sub(analysis),
            ..Phases::default()
        },
        build: Some(end),
        first: false,
        unrecorded: false,
        warnings,
    };
    target.keep_sources(listing, &run)?;
    Ok(run)
}
