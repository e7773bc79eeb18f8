//! Consecutive revisions of a repository: retest-all and every technique at each.

use crate::area::{Area, remove};
use crate::contest::{Contest, Results, Runner};
use crate::error::Error;
use crate::outcomes::Outcomes;
use crate::phrases::count;
use crate::repository::{Commit, Range, Repository, check_out, kinds};
use crate::rows::{Replay, Setting, Skip, Step, Why};
use crate::variant::TechniqueVariant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tamis_build::{BuildError, Driver, Signals};
use tamis_inputs::files::is_relevant;

/// The plan of a replay.
#[derive(Debug)]
pub struct Plan {
    /// The user's project and how it is built: it is only read.
    pub driver: Box<dyn Driver>,
    /// The program itself.
    pub tamis: PathBuf,
    /// Its version.
    pub version: String,
    /// The work area.
    pub area: PathBuf,
    /// Whether to throw away what is there.
    pub restart: bool,
    /// The revisions.
    pub range: Range,
    /// Whether to replay revisions, too, that change nothing that could matter.
    pub all_revisions: bool,
    /// The techniques that are compared.
    pub techniques: Vec<TechniqueVariant>,
    /// How often each time is taken.
    pub runs: usize,
    /// Whether techniques run without recording, too.
    pub takes_ae: bool,
    /// How long to go on before the rest is left for another time.
    pub budget: Option<Duration>,
    /// The Java runtime, for the record.
    pub runtime: String,
}

/// A replay, and whether it was interrupted.
#[derive(Debug)]
pub struct Played {
    /// The results so far.
    pub replay: Replay,
    /// Whether it was interrupted, and there is more to do.
    pub interrupted: bool,
    /// How many revisions or mutants are left because the time was up.
    pub left: usize,
}

/// The results at a revision beside those of techniques.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known {
    outcomes: Outcomes,
    flaky: BTreeSet<String>,
}

/// Replays history; `say` is told what is going on.
pub fn history(plan: &Plan, signals: &Signals, say: &dyn Fn(&str)) -> Result<Played, Error> {
    plan.driver.plain_builds()?;
    let repository = Repository::of(&plan.driver.location().dir)?;
    let commits = repository.commits(&plan.range)?;
    let (Some(first), Some(last)) = (commits.first(), commits.last()) else {
        return Err(Error::Nothing("there is no revision to replay".into()));
    };
    if commits.len() < 2 {
        let message = "there is one revision only, and nothing to compare it with";
        return Err(Error::Nothing(message.into()));
    }
    let ends = (first.id.clone(), last.id.clone());
    let area = Area::open(&plan.area, setting(plan), ends, plan.restart)?;
    let mut history = History {
        plan,
        repository,
        area,
        signals,
        say,
        started: Instant::now(),
        done_now: 0,
    };
    let (interrupted, left) = match history.play(&commits) {
        Err(Error::Build(BuildError::Interrupted)) => (true, 0),
        Err(error) => return Err(error),
        Ok(left) => (false, left),
    };
    Ok(Played {
        replay: history.area.replay,
        interrupted,
        left,
    })
}

pub(crate) fn setting(plan: &Plan) -> Setting {
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let system = std::env::consts::OS;
    Setting {
        project: plan
            .driver
            .location()
            .dir
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        version: plan.version.clone(),
        runtime: plan.runtime.clone(),
        machine: format!("{system}, {}", count(processors, "processor")),
        build_tool: plan.driver.name().to_owned(),
        build_arguments: plan.driver.arguments().to_vec(),
        techniques: plan
            .techniques
            .iter()
            .map(TechniqueVariant::to_string)
            .collect(),
        runs: plan.runs,
        seed: None,
        revision: None,
        alone: false,
    }
}

struct History<'a> {
    plan: &'a Plan,
    repository: Repository,
    area: Area,
    signals: &'a Signals,
    say: &'a dyn Fn(&str),
    started: Instant,
    /// How many revisions were replayed by this process.
    done_now: usize,
}

impl History<'_> {
    /// Replays the revisions that are not done yet, and says how many are left when the time is up.
    fn play(&mut self, commits: &[Commit]) -> Result<usize, Error> {
        if !self.area.checkout().join(".git").exists() {
            remove(&self.area.checkout())?;
            self.repository.clone_to(&self.area.checkout())?;
        }
        let replay = &self.area.replay;
        let done: BTreeSet<String> = replay
            .steps
            .iter()
            .map(|step| step.revision.clone())
            .chain(replay.skipped.iter().map(|skip| skip.revision.clone()))
            .collect();
        if !done.is_empty() {
            (self.say)(&format!(
                "{} of {} revisions are done already",
                done.len(),
                commits.len()
            ));
        }
        for (number, commit) in commits.iter().enumerate() {
            if done.contains(&commit.id) {
                continue;
            }
            check_interrupted(self.signals)?;
            let left = commits.len() - number;
            let elapsed = self.started.elapsed();
            if self.done_now > 0 && self.plan.budget.is_some_and(|budget| elapsed > budget) {
                return Ok(left);
            }
            let head = format!("[{}/{}] {:.8}", number + 1, commits.len(), commit.id);
            (self.say)(&format!(
                "{head} {}{}",
                short(&commit.subject),
                self.estimate(left)
            ));
            match self.revision(commit, number, &head)? {
                Ok(step) => {
                    (self.say)(&format!("{head} {}", summary(&step)));
                    self.area.add(step)?;
                    self.done_now += 1;
                }
                Err(why) => {
                    (self.say)(&format!("{head} left out: {}", words(why)));
                    let revision = commit.id.clone();
                    self.area.skip(Skip { revision, why })?;
                }
            }
        }
        Ok(0)
    }

    /// How long the rest may take.
    fn estimate(&self, left: usize) -> String {
        if self.done_now == 0 {
            return String::new();
        }
        let each = self.started.elapsed() / self.done_now.try_into().unwrap_or(u32::MAX);
        let rest = each * left.try_into().unwrap_or(u32::MAX);
        format!(" (about {} left)", minutes(rest))
    }

    /// Replays one revision, or says why not.
    fn revision(
        &self,
        commit: &Commit,
        number: usize,
        head: &str,
    ) -> Result<Result<Step, Why>, Error> {
        let before = self.area.last().map(str::to_owned);
        let changed = match &before {
            Some(before) => self.repository.changed(before, &commit.id)?,
            None => Vec::new(),
        };
        let is_relevant = changed.iter().any(|file| is_relevant(file));
        if before.is_some() && !is_relevant && !self.plan.all_revisions {
            return Ok(Err(Why::NoRelevantChange));
        }
        let checkout = self.area.checkout();
        check_out(&checkout, &commit.id)?;
        let project = checkout.join(&self.repository.inside);
        let runner = Runner::new(self.plan, &project, self.signals)?;
        let builds = runner.plain_builds()?;
        if !builds.has_project() {
            return Ok(Err(Why::DoesNotBuild));
        }
        if !runner.compile(&self.area)? {
            check_interrupted(self.signals)?;
            let log = self.area.keep_log("compile", &commit.id)?;
            let tool = self.plan.driver.name();
            (self.say)(&format!("{head}   {tool} failed: {}", log.display()));
            return Ok(Err(Why::DoesNotBuild));
        }
        let contest = Contest {
            runner: &runner,
            area: &self.area,
            techniques: &self.plan.techniques,
            takes_ae: self.plan.takes_ae,
            before: before.as_deref(),
            revision: &commit.id,
            say: &|what| (self.say)(&format!("{head}   {what}")),
        };
        let mut results = Results::default();
        let rounds = match before {
            // All are new there: it is not compared with anything.
            None => 1,
            Some(_) => self.plan.runs.max(1),
        };
        for round in 0..rounds {
            contest.round(number + round, &mut results)?;
            check_interrupted(self.signals)?;
        }
        let mut known: Known = match &before {
            Some(before) => self.known(before),
            None => Known::default(),
        };
        let outcomes_before = before.is_some().then_some(&known.outcomes);
        results.close(outcomes_before, &known.flaky);
        if results
            .outcomes
            .iter()
            .all(|outcomes| outcomes.0.is_empty())
        {
            return Ok(Err(Why::DoesNotBuild));
        }
        // What differs may do so by chance: then it differs from itself as well.
        if rounds == 1 && !results.retest.differing.is_empty() {
            let taken = results.retest.seconds.clone();
            contest.retest(&mut results)?;
            check_interrupted(self.signals)?;
            results.retest.seconds = taken;
            results.close(outcomes_before, &known.flaky);
        }
        // Or it did so before.
        if let Some(before) = before.as_deref().filter(|_| results.misses_any()) {
            (self.say)(&format!(
                "{head}   all tests of {before:.8} again, in case one is flaky"
            ));
            check_out(&checkout, before)?;
            runner.compile(&self.area)?;
            let (_, again) = runner.retest(&self.area)?;
            check_interrupted(self.signals)?;
            let flaky = results.known_classes(&again).unlike(&known.outcomes);
            known.flaky.extend(flaky.iter().cloned());
            results.close(Some(&known.outcomes), &known.flaky);
            results.retest.flaky.extend(flaky);
            results.retest.flaky.sort();
            results.retest.flaky.dedup();
        }
        let flaky = results.retest.flaky.iter().cloned();
        self.keep(
            &commit.id,
            &Known {
                flaky: known.flaky.iter().cloned().chain(flaky).collect(),
                outcomes: results.by_class().pop().unwrap_or_default(),
            },
        )?;
        Ok(Ok(Step {
            revision: commit.id.clone(),
            before,
            subject: commit.subject.clone(),
            changes: kinds(&changed, |file| builds.is_build_file(file)),
            retest: results.retest,
            techniques: results.techniques,
        }))
    }

    fn known(&self, revision: &str) -> Known {
        let text = fs::read_to_string(self.known_file(revision));
        text.ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    fn keep(&self, revision: &str, known: &Known) -> Result<(), Error> {
        let file = self.known_file(revision);
        let text = serde_json::to_string(known).unwrap_or_default();
        create_parent(&file)?;
        fs::write(&file, text).map_err(Error::io("write", &file))
    }

    fn known_file(&self, revision: &str) -> PathBuf {
        self.area.known_at(revision).join("outcomes.json")
    }
}

/// A build that was told to end is no result.
pub(crate) fn check_interrupted(signals: &Signals) -> Result<(), Error> {
    match signals.received() {
        Some(_) => Err(BuildError::Interrupted.into()),
        None => Ok(()),
    }
}

fn create_parent(file: &Path) -> Result<(), Error> {
    let parent = file.parent().unwrap_or(file);
    fs::create_dir_all(parent).map_err(Error::io("create", parent))
}

fn short(subject: &str) -> String {
    const MOST: usize = 60;
    match subject.chars().count() > MOST {
        true => subject.chars().take(MOST - 1).chain(['…']).collect(),
        false => subject.to_owned(),
    }
}

fn minutes(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..90 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

fn words(why: Why) -> &'static str {
    match why {
        Why::DoesNotBuild => "it does not build",
        Why::NoRelevantChange => "nothing changed that could matter to a test",
    }
}

/// A revision in a line: `all 12.3 s; ekstazi 3 of 65 in 4.1 s; ...`.
fn summary(step: &Step) -> String {
    let last = |seconds: &[f64]| seconds.last().copied().unwrap_or_default();
    let all = step.retest.classes.len();
    let mut text = format!("all {all} in {:.1} s", last(&step.retest.seconds));
    for (name, tried) in &step.techniques {
        text += &match &tried.problem {
            Some(problem) => format!("; {name}: {problem}"),
            None => format!("; {name} {} in {:.1} s", tried.selected, last(&tried.aec)),
        };
        if !tried.missed.is_empty() {
            text += &format!(", MISSED {}", tried.missed.join(", "));
        }
    }
    text
}
