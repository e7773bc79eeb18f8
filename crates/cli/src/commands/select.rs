use super::now_ms;
use super::test::untold;
use crate::arguments::Run as RunArguments;
use crate::console::Console;
use crate::error::Error;
use crate::execution::{Execution, Job, execute, no_verdict};
use crate::exit_code::ExitCode;
use crate::knowledge::{Opened, open_to_read, open_to_write, take_in};
use crate::run_dir::recorded_modules;
use crate::sources::Sources;
use crate::target::Target;
use crate::tests_of_run::{by_class, tests_of_run};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis_build::{BuildError, Purpose, Signals};
use tamis_recording::Ended;
use tamis_recording::run_dir::ENDED_CODE;
use tamis_report::{BuildEnd, Phases, Recorded, Run, RunKind, TestReport, Unheld};
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
    for words in [run.by_rules(), run.by_sharing()].into_iter().flatten() {
        console.progress(words);
    }
    run.unheld.iter().for_each(|unheld| console.warning(unheld));
    console.progress(run.closing());
    console.json(run.json())?;
    // Who reads the list must not take it for all that would run.
    Ok(match run.unheld.is_empty() && !run.unrecorded {
        true => ExitCode::Success,
        false => ExitCode::Failed,
    })
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
        Err(Error::Build(BuildError::NotAProject(dir))) => Target::without_build(&dir, arguments)?,
        other => other?,
    };
    let sources = Sources::read(&target.project);
    let is_listed_as = |listing: &str| {
        let now = target.driver.listing();
        now.is_some_and(|now| now.to_string() == listing)
    };
    match sources {
        _ if !arguments.command.is_empty() && !no_build => from_build(&target, console, signals),
        // Where classes are is told by the build: what was recorded may know some modules only.
        _ if target.choice.looks_at_classes_now() && !no_build && target.has_build => {
            from_build(&target, console, signals)
        }
        Some(Sources::Unknown) => from_store(&target, console, None, None),
        Some(Sources::Listed { listing, asked }) if is_listed_as(&listing) => {
            from_store(&target, console, Some(&asked), None)
        }
        _ if no_build || !target.has_build => {
            let stale = "the sources may have changed since the last run; this answer is for the \
                         class files as they are";
            from_store(&target, console, None, Some(stale))
        }
        _ => from_build(&target, console, signals),
    }
}

/// Answers from what is known. `asked` has the outermost classes that a build asks for, if that is known: others are not
/// listed, and those of which nothing is known are new.
fn from_store(
    target: &Target,
    console: &Console,
    asked: Option<&BTreeSet<TestId>>,
    warning: Option<&str>,
) -> Result<Run, Error> {
    let start = Instant::now();
    let Opened {
        store,
        warning: damaged,
    } = open_to_read(&target.project, console)?;
    if target.choice.looks_at_classes_now() && store.known_tests() == 0 {
        let message = "it is not known where classes are before tests ran with tamis once; let the build tell it: leave \
                       out `--no-build`";
        return Err(Error::Usage(message.to_owned()));
    }
    let scope = Scope {
        java_home: std::env::var_os("JAVA_HOME").map(PathBuf::from),
        statics: target.choice.statics().clone(),
        ..Scope::default()
    };
    let selection = store.choose(&target.project, &scope, &target.choice);
    let inside = target.project.module_name(&target.driver.location().dir);
    let known: BTreeSet<TestId> = {
        let verdicts = selection.verdicts.iter();
        verdicts.map(|verdict| verdict.test.outermost()).collect()
    };
    let new = asked
        .into_iter()
        .flatten()
        .filter(|test| !known.contains(test));
    let new = new.map(|test| Verdict::new(test.clone(), None, vec![Reason::New]));
    let is_asked = |test: &TestId| asked.is_none_or(|asked| asked.contains(&test.outermost()));
    let verdicts = selection.verdicts.into_iter().chain(new).filter(|verdict| {
        is_inside(&verdict.test.module, &inside) && is_asked(&verdict.test) && !is_gone(verdict)
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
        unheld: vec![],
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
        matches!(reason, Reason::Class { class, change: Change::Deleted } if class == verdict.test.class())
    })
}

fn report(verdict: Verdict) -> TestReport {
    let Verdict {
        test,
        selected,
        reasons,
        known,
        excused,
        unchanged,
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
        unchanged,
    }
}

fn from_build(target: &Target, console: &Console, signals: &Signals) -> Result<Run, Error> {
    target.driver.check()?;
    refuse_out_of_reach(target)?;
    let before = open_to_write(&target.project, console)?;
    console.progress("compiling to see what changed; no test runs");
    let listing = target.driver.listing();
    Sources::forget(&target.project)?;
    let execution = execute(target, &Job::new(Purpose::Select, true), console, signals)?;
    let modules = recorded_modules(&execution.spools);
    let unrecorded = target.driver.find_unrecorded(execution.started, &modules);
    let Execution {
        run_dir,
        spools,
        verdicts,
        unanswered,
        ended,
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
    // A JVM that the agent ended is meant to fail the build.
    let as_meant = !ended.is_empty();
    if !end.success && !as_meant {
        console.build_output(&printed);
    }
    let mut warnings: Vec<String> = before
        .warning
        .into_iter()
        .chain(unanswered.iter().map(no_verdict))
        .chain(absorbed.problems.clone())
        .chain(may_be_cut(&end, &ended, target))
        .collect();
    if !absorbed.ran.is_empty() {
        let ran = absorbed.ran.len();
        warnings.push(format!(
            "{ran} tests ran: the agent could not keep them from running"
        ));
    }
    warnings.extend(unrecorded.iter().map(|module| untold(module, target)));
    let run = Run {
        kind: RunKind::Select,
        recorded: Recorded::Now,
        technique: target.choice.to_string(),
        granularity: target.granularity,
        tests: tests_of_run(
            &absorbed,
            &verdicts,
            &unanswered,
            &before.store,
            target.granularity,
        ),
        phases: Phases {
            analysis,
            execution: took.saturating_sub(analysis),
            ..Phases::default()
        },
        build: Some(BuildEnd {
            success: end.success || as_meant,
            ..end
        }),
        first: false,
        unrecorded: !unrecorded.is_empty(),
        unheld: unheld(ended, &target.project),
        warnings,
    };
    if run.unheld.is_empty() {
        target.keep_sources(listing, &run)?;
    }
    Ok(run)
}

/// A build in which tests would run without the agent is not started: they would run.
fn refuse_out_of_reach(target: &Target) -> Result<(), Error> {
    match target.driver.find_out_of_reach() {
        None => Ok(()),
        Some(module) => Err(Error::Usage(format!(
            "the build would run its tests: with {} the agent cannot keep them from running; \
             `tamis select --no-build` answers for the class files as they are",
            module.cause.unwrap_or("a setting")
        ))),
    }
}

/// Says that tests may be missing where a build failed as it should: it may have stopped too early.
fn may_be_cut(end: &BuildEnd, ended: &[Ended], target: &Target) -> Option<String> {
    let fails = ended.contains(&Ended::Asked) && !end.success && !end.interrupted;
    (fails && target.driver.may_stop_early()).then(|| {
        format!(
            "the command failed because tamis ended its test JVMs with exit code {ENDED_CODE}, so that no build \
             tool takes their tests for passed; tests that it starts only after a success may be missing here \
             (`-v` shows its output)"
        )
    })
}

fn unheld(ended: Vec<Ended>, project: &Project) -> Vec<Unheld> {
    let unheld = ended.into_iter().filter_map(|ended| match ended {
        Ended::Asked => None,
        Ended::Unheld { framework, module } => Some(Unheld {
            module: project.module_name(Path::new(&module)),
            framework,
        }),
    });
    let unheld: BTreeSet<Unheld> = unheld.collect();
    unheld.into_iter().collect()
}
