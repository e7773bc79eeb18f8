//! Retest-all and the techniques at one revision, in turn.

use crate::area::{Area, copy, remove};
use crate::error::Error;
use crate::history::Plan;
use crate::outcomes::{Outcomes, Reports};
use crate::rows::{Retest, Survey, Tried};
use crate::variant::TechniqueVariant;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tamis_build::{
    BuildError, Driver, Finished, Goal, Output, PlainBuild, PlainBuilds, Signals, run, run_within,
};
use tamis_report::{RunDocument, RunTest};

/// The runner of tests in the clone.
pub(crate) struct Runner<'a> {
    /// The program itself.
    tamis: &'a Path,
    /// The build tool in the clone.
    driver: Box<dyn Driver>,
    signals: &'a Signals,
}

impl<'a> Runner<'a> {
    /// A runner for the tests of a plan in a copy of its project.
    pub(crate) fn new(plan: &'a Plan, copy: &Path, signals: &'a Signals) -> Result<Self, Error> {
        Ok(Runner {
            tamis: &plan.tamis,
            driver: plan.driver.plain_builds()?.for_copy(copy),
            signals,
        })
    }

    /// The directory of the project in the clone.
    pub(crate) fn project(&self) -> &Path {
        &self.driver.location().dir
    }

    /// Builds in the clone without tamis.
    pub(crate) fn plain_builds(&self) -> Result<&dyn PlainBuilds, BuildError> {
        self.driver.plain_builds()
    }

    fn run(&self, command: Command, log: fs::File) -> Result<Finished, Error> {
        Ok(run(command, Output::File(log), self.signals)?)
    }

    /// Compiles code and tests; whether that can be done.
    pub(crate) fn compile(&self, area: &Area) -> Result<bool, Error> {
        let command = self.plain_builds()?.command(&Goal::CompileTests.into())?;
        let finished = self.run(command, area.log("compile")?)?;
        Ok(finished.status.success())
    }

    /// Runs all tests, without tamis.
    pub(crate) fn retest(&self, area: &Area) -> Result<(Duration, Outcomes), Error> {
        let builds = self.plain_builds()?;
        builds.forget_reports()?;
        let command = builds.command(&Goal::Test.into())?;
        let finished = self.run(command, area.log("retest")?)?;
        let reports = Reports::of(builds.read_reports()?);
        Ok((finished.took, reports.outcomes))
    }

    /// Runs all tests, without tamis, and ends the build if it takes longer than `most`.
    pub(crate) fn retest_within(
        &self,
        area: &Area,
        build: &PlainBuild,
        most: Duration,
    ) -> Result<Ran, Error> {
        let builds = self.plain_builds()?;
        builds.forget_reports()?;
        let command = builds.command(build)?;
        let output = Output::File(area.log("retest")?);
        let finished = run_within(command, output, self.signals, most)?;
        let log = area.log_path("retest");
        let log = fs::read(&log).map_err(Error::io("read", &log))?;
        Ok(Ran {
            took: finished.took,
            was_ended: finished.was_ended,
            reports: Reports::of(builds.read_reports()?),
            started: builds.started_classes(&String::from_utf8_lossy(&log)),
        })
    }

    fn test(&self, area: &Area, technique: &TechniqueVariant, mode: &str) -> Result<Run, Error> {
        let arguments = technique.arguments.iter().map(String::as_str);
        let arguments = ["test", "--mode", mode].into_iter().chain(arguments);
        let more = self.plain_builds()?.arguments_to_continue();
        let arguments: Vec<&str> = arguments.chain(more.iter().map(String::as_str)).collect();
        self.tamis(area, &format!("{technique}-{mode}"), &arguments)
    }

    /// Records all that any technique needs of all tests, and says which classes these are.
    pub(crate) fn record(&self, area: &Area) -> Result<BTreeSet<String>, Error> {
        let mut arguments = vec![
            "test",
            "--technique",
            "all",
            "--granularity",
            "method",
            "--record-blocks",
            "--receivers",
            "exact",
        ];
        let more = self.plain_builds()?.arguments_to_continue();
        arguments.extend(more.iter().map(String::as_str));
        let run = self.tamis(area, "record", &arguments)?;
        let failed = |end| Error::Nothing(format!("the tests could not be recorded: {end}"));
        let answer = run.answer.map_err(failed)?;
        Ok(answer.tests.iter().map(class).collect())
    }

    /// Asks what a technique would run with the classes as they are. One that gives no answer has failed.
    pub(crate) fn select(
        &self,
        area: &Area,
        technique: &TechniqueVariant,
    ) -> Result<Survey, Error> {
        let arguments = technique.arguments.iter().map(String::as_str);
        let arguments: Vec<&str> = ["select", "--no-build"]
            .into_iter()
            .chain(arguments)
            .collect();
        let run = self.tamis(area, &format!("{technique}-select"), &arguments)?;
        let answer = match run.answer {
            Ok(answer) => answer,
            Err(end) => {
                return Ok(Survey {
                    problem: Some(no_answer(&end)),
                    ..Survey::default()
                });
            }
        };
        let selected = || answer.tests.iter().filter(|test| test.body.selected);
        let names: BTreeSet<String> = selected().map(class).collect();
        let all: BTreeSet<String> = answer.tests.iter().map(class).collect();
        Ok(Survey {
            classes: all.len(),
            selected: names.len(),
            selected_tests: technique.is_by_method().then(|| selected().count()),
            names: names.into_iter().collect(),
            ..Survey::default()
        })
    }

    fn tamis(&self, area: &Area, log: &str, arguments: &[&str]) -> Result<Run, Error> {
        let answer = area.answer();
        remove(&answer)?;
        let mut command = Command::new(self.tamis);
        command
            .arg("--project")
            .arg(self.project())
            .args(["--color", "never", "--json"])
            .arg(&answer)
            .args(arguments)
            .args(self.driver.arguments());
        let finished = self.run(command, area.log(log)?)?;
        let answer = fs::read_to_string(&answer).ok();
        let answer = answer.and_then(|text| RunDocument::read(&text));
        Ok(Run {
            took: finished.took.as_secs_f64(),
            answer: answer.ok_or(finished.status.to_string()),
        })
    }
}

fn no_answer(end: &str) -> String {
    format!("tamis gave no answer: {end}")
}

/// All tests, run without tamis within a limit.
pub(crate) struct Ran {
    pub(crate) took: Duration,
    /// Whether it took too long and was ended.
    pub(crate) was_ended: bool,
    pub(crate) reports: Reports,
    /// Test classes that were started, without their modules.
    pub(crate) started: BTreeSet<String>,
}

/// A run of `tamis`.
struct Run {
    took: f64,
    /// What it answered; if nothing, how it ended.
    answer: Result<RunDocument<'static>, String>,
}

/// The outermost class of a test, with its module.
fn class(test: &RunTest<'_>) -> String {
    format!("{}:{}", test.module, test.id.outermost())
}

/// Whether a test had to run, or ran all the same.
fn runs(test: &RunTest<'_>) -> bool {
    test.body.selected || test.body.outcome.is_some()
}

/// A round of all: retest-all and the techniques. What each technique knows after it is at the revision.
pub(crate) struct Contest<'a> {
    pub(crate) runner: &'a Runner<'a>,
    pub(crate) area: &'a Area,
    pub(crate) techniques: &'a [TechniqueVariant],
    /// Whether they run without recording, too.
    pub(crate) takes_ae: bool,
    /// The revision before, at which there is something known.
    pub(crate) before: Option<&'a str>,
    pub(crate) revision: &'a str,
    /// What of the round is going on.
    pub(crate) say: &'a dyn Fn(&str),
}

/// The results of the rounds at one revision.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) retest: Retest,
    pub(crate) outcomes: Vec<Outcomes>,
    pub(crate) techniques: BTreeMap<String, Tried>,
    /// Which classes each technique ran.
    ran: BTreeMap<String, BTreeSet<String>>,
    /// The test classes that any technique knew.
    known: BTreeSet<String>,
}

impl Contest<'_> {
    /// One more round; who is first changes with `turn`.
    pub(crate) fn round(&self, turn: usize, results: &mut Results) -> Result<(), Error> {
        let all = self.techniques.len() + 1;
        for place in 0..all {
            match self.techniques.get((turn + place) % all) {
                None => self.retest(results)?,
                Some(technique) => self.technique(technique, results)?,
            }
        }
        Ok(())
    }

    pub(crate) fn retest(&self, results: &mut Results) -> Result<(), Error> {
        (self.say)("all tests");
        let (took, outcomes) = self.runner.retest(self.area)?;
        results.retest.seconds.push(took.as_secs_f64());
        results.outcomes.push(outcomes);
        Ok(())
    }

    fn technique(&self, technique: &TechniqueVariant, results: &mut Results) -> Result<(), Error> {
        let name = technique.to_string();
        (self.say)(&name);
        let tried = results.techniques.entry(name.clone()).or_default();
        if self.takes_ae && self.before.is_some() {
            self.bring(technique)?;
            let run = self.runner.test(self.area, technique, "run-only")?;
            tried.ae.push(run.took);
        }
        self.bring(technique)?;
        let run = self.runner.test(self.area, technique, "online")?;
        let store = self.area.known_at(self.revision).join(&name);
        remove(&store)?;
        if let Some(parent) = store.parent() {
            fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        let here = self.here();
        fs::rename(&here, &store).map_err(Error::io("move", &here))?;
        match run.answer {
            Ok(answer) => {
                let ran = results.ran.entry(name).or_default();
                results.known.extend(answer.tests.iter().map(class));
                tried.add(run.took, &answer, technique, ran);
            }
            Err(end) => tried.problem = Some(no_answer(&end)),
        }
        Ok(())
    }

    /// The `.tamis` directory.
    fn here(&self) -> PathBuf {
        self.runner.project().join(".tamis")
    }

    /// Brings what a technique knew at the revision before.
    fn bring(&self, technique: &TechniqueVariant) -> Result<(), Error> {
        let here = self.here();
        remove(&here)?;
        fs::create_dir_all(&here).map_err(Error::io("create", &here))?;
        match self.before {
            None => Ok(()),
            Some(before) => {
                let known = self.area.known_at(before).join(technique.to_string());
                match known.exists() {
                    true => copy(&known, &here),
                    false => Ok(()),
                }
            }
        }
    }
}

impl Tried {
    fn add(
        &mut self,
        took: f64,
        answer: &RunDocument<'_>,
        technique: &TechniqueVariant,
        ran: &mut BTreeSet<String>,
    ) {
        self.aec.push(took);
        let seconds = |ms: f64| ms / 1000.0;
        let phases = &answer.phases;
        self.analysis.push(seconds(phases.analysis_ms));
        self.execution.push(seconds(phases.execution_ms));
        self.collection.push(seconds(phases.collection_ms));
        let classes: BTreeSet<String> = answer.tests.iter().map(class).collect();
        self.classes = classes.len();
        ran.extend(answer.tests.iter().filter(|test| runs(test)).map(class));
        self.selected = ran.len();
        if technique.is_by_method() {
            self.tests = Some(answer.tests.len());
            self.selected_tests = Some(answer.tests.iter().filter(|test| runs(test)).count());
        }
    }
}

impl Results {
    /// The outcomes of all tests in each round, by the classes that techniques know.
    pub(crate) fn by_class(&self) -> Vec<Outcomes> {
        let rounds = self.outcomes.iter();
        rounds.map(|round| self.known_classes(round)).collect()
    }

    /// Outcomes by the classes that techniques know.
    pub(crate) fn known_classes(&self, outcomes: &Outcomes) -> Outcomes {
        outcomes.by_class(&self.known)
    }

    /// Whether a technique missed a test class.
    pub(crate) fn misses_any(&self) -> bool {
        let mut techniques = self.techniques.values();
        techniques.any(|tried| !tried.missed.is_empty())
    }

    /// All rounds are over: what had to be selected, and what was missed.
    pub(crate) fn close(&mut self, before: Option<&Outcomes>, known_flaky: &BTreeSet<String>) {
        let outcomes = self.by_class();
        let Some((last, others)) = outcomes.split_last() else {
            return;
        };
        let unlike = others.iter().flat_map(|other| last.unlike(other));
        let flaky: BTreeSet<String> = unlike.collect();
        let is_flaky = |class: &String| flaky.contains(class) || known_flaky.contains(class);
        let differing = before.map(|before| last.differing(before));
        let differing = differing.into_iter().flatten();
        self.retest.differing = differing.filter(|class| !is_flaky(class)).collect();
        self.retest.classes = last.classes();
        self.retest.tests = last.tests();
        self.retest.flaky = flaky.into_iter().collect();
        for (name, tried) in &mut self.techniques {
            let ran = self.ran.get(name);
            let is_missed = |class: &&String| !ran.is_some_and(|ran| ran.contains(*class));
            tried.missed = match tried.problem {
                None => self
                    .retest
                    .differing
                    .iter()
                    .filter(is_missed)
                    .cloned()
                    .collect(),
                Some(_) => Vec::new(),
            };
        }
    }
}
