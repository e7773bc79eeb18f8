//! Runs the build of a target with the agent in its test JVMs.

use crate::agent_library;
use crate::console::Console;
use crate::error::Error;
use crate::run_dir::{RunDir, Settings};
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};
use tamis_build::{AgentOption, Build, Output, Purpose, Signals, TestOptions, run};
use tamis_recording::{Ended, Spool};
use tamis_report::BuildEnd;
use tamis_select::{TechniqueName, TestId, Verdict};

/// A build that ended, with all that the agents left of it.
pub(crate) struct Execution {
    pub(crate) run_dir: RunDir,
    pub(crate) spools: Vec<Spool>,
    pub(crate) verdicts: BTreeMap<TestId, Verdict>,
    /// Why JVMs got no verdict on what need not run, where they got none: they ran everything.
    pub(crate) unanswered: Vec<String>,
    /// The JVMs that the agent ended, in a run that only asks.
    pub(crate) ended: Vec<Ended>,
    pub(crate) end: BuildEnd,
    pub(crate) started: SystemTime,
    pub(crate) took: Duration,
    pub(crate) analysis: Duration,
    /// What the build printed, where it was not shown.
    pub(crate) printed: Vec<u8>,
}

/// A build to run: the options beside those of its target.
pub(crate) struct Job {
    pub(crate) purpose: Purpose,
    /// Whether what tests use is recorded.
    pub(crate) records: bool,
    /// Whether all tests run, whatever the technique says.
    pub(crate) everything: bool,
    /// The test classes to run, whatever the technique says; all others are left out.
    pub(crate) only: Option<BTreeSet<TestId>>,
    /// How tests are to run, whatever the project and the user say.
    pub(crate) options: TestOptions,
    /// Where to keep what the build prints instead of showing it.
    pub(crate) log: Option<PathBuf>,
}

impl Job {
    pub(crate) fn new(purpose: Purpose, records: bool) -> Job {
        Job {
            purpose,
            records,
            everything: false,
            only: None,
            options: TestOptions::default(),
            log: None,
        }
    }
}

/// Runs the build; it is shown while it runs, or kept to be shown if it fails.
pub(crate) fn execute(
    target: &Target,
    job: &Job,
    console: &Console,
    signals: &Signals,
) -> Result<Execution, Error> {
    let purpose = job.purpose;
    let settings = Settings {
        purpose,
        technique: match job.everything {
            true => TechniqueName::All.to_string(),
            false => target.choice.to_string(),
        },
        granularity: target.granularity,
        blocks: target.blocks,
        records: job.records,
        partial: target.driver.partial_run(),
        receivers: target.choice.receivers(),
        only: job.only.clone(),
    };
    let run_dir = RunDir::create(&target.project, &settings)?;
    let log = job.log.clone();
    let log = log.unwrap_or_else(|| run_dir.path.join("build.log"));
    let started = SystemTime::now();
    let agent = AgentOption::new(&agent_library::place(&target.project)?, &run_dir.path)?;
    let (quiet, output) = match purpose {
        Purpose::Test if job.log.is_some() => {
            let file = File::create(&log).map_err(Error::io("create", &log))?;
            (false, Output::File(file))
        }
        Purpose::Test if console.stdout_is_json() => (console.quiet, Output::Stderr),
        Purpose::Test => (console.quiet, Output::Inherit),
        Purpose::Select if console.verbose => (false, Output::Stderr),
        Purpose::Select => {
            let file = File::create(&log).map_err(Error::io("create", &log))?;
            (true, Output::File(file))
        }
    };
    let build = Build {
        purpose,
        quiet,
        options: job.options.clone(),
    };
    let command = target.command(&build, &agent)?;
    let finished = run(command, output, signals)?;
    let answers = run_dir.answers();
    let analysis = answers.iter().map(|answer| answer.analysis).sum();
    let mut unanswered = run_dir.problems();
    unanswered.extend(answers.iter().filter_map(|answer| answer.warning.clone()));
    let mut verdicts = BTreeMap::new();
    for verdict in answers
        .into_iter()
        .flat_map(|answer| answer.selection.verdicts)
    {
        join(&mut verdicts, verdict);
    }
    Ok(Execution {
        spools: run_dir.spools()?,
        verdicts,
        unanswered: unanswered.into_iter().collect(),
        ended: run_dir.ended(),
        end: BuildEnd {
            success: finished.status.success(),
            exit_code: finished.status.code(),
            interrupted: signals.received().is_some(),
        },
        started,
        took: finished.took,
        analysis,
        printed: fs::read(&log).unwrap_or_default(),
        run_dir,
    })
}

/// Says why test JVMs ran everything without having asked what need not run.
pub(crate) fn no_verdict(cause: &String) -> String {
    format!("a test JVM got no answer which tests to skip, so it ran everything: {cause}")
}

/// A module that starts several kinds of JVM has several verdicts; all their reasons count.
fn join(verdicts: &mut BTreeMap<TestId, Verdict>, verdict: Verdict) {
    match verdicts.get_mut(&verdict.test) {
        None => {
            verdicts.insert(verdict.test.clone(), verdict);
        }
        Some(present) => {
            present.selected |= verdict.selected;
            present.unchanged &= verdict.unchanged;
            present.reasons.extend(verdict.reasons);
            present.reasons.sort();
            present.reasons.dedup();
        }
    }
}
