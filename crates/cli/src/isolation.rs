//! Runs test classes alone, each in a fresh JVM.
//!
//! Some build tools fork a JVM per class in one build if they are asked to. With others, and where a project has settled that
//! otherwise, one run per class leaves out all others.

use crate::console::Console;
use crate::error::Error;
use crate::execution::{Execution, Job, execute, no_verdict};
use crate::knowledge::take_in;
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tamis_build::{Capability, ForkPerClass, Purpose, Signals, TestOptions};
use tamis_recording::{Record, Spool};
use tamis_report::{count, duration};
use tamis_select::{Footprint, Outcome, TestId};
use tamis_store::Store;

/// How long nothing is said of progress.
const SILENCE: Duration = Duration::from_secs(5);

/// Runs test classes alone, as many at a time as a budget allows.
pub(crate) struct Isolation<'a> {
    pub(crate) target: &'a Target,
    pub(crate) console: &'a Console,
    pub(crate) signals: &'a Signals,
    /// Where files for and of builds are kept.
    pub(crate) dir: PathBuf,
    /// When the last run may start.
    pub(crate) deadline: Option<Instant>,
    forks: bool,
    /// How many tests took how long, in the last batch.
    measured: Option<(usize, Duration)>,
    /// When it last said how far it is.
    told: Option<Instant>,
}

/// The results of some test classes.
pub(crate) struct Batch {
    /// What those used that ran alone, and how they ended.
    pub(crate) alone: BTreeMap<TestId, Footprint>,
    /// Those of them whose footprints are in the store now.
    pub(crate) taken_in: BTreeSet<TestId>,
    /// Those that ran beside others.
    pub(crate) together: BTreeSet<TestId>,
    /// Those that did not run.
    pub(crate) missing: BTreeSet<TestId>,
    pub(crate) interrupted: bool,
}

impl<'a> Isolation<'a> {
    pub(crate) fn new(
        target: &'a Target,
        console: &'a Console,
        signals: &'a Signals,
        budget: Option<Duration>,
    ) -> Result<Isolation<'a>, Error> {
        let dir = target.project.dir().join("audit");
        fs::create_dir_all(&dir).map_err(Error::io("create", &dir))?;
        let forks = target.driver.supports(Capability::ForkPerClass);
        if !forks {
            console.progress(format_args!(
                "{} cannot {}: each test class gets a build of its own",
                target.driver.name(),
                Capability::ForkPerClass
            ));
        }
        Ok(Isolation {
            target,
            console,
            signals,
            dir,
            deadline: budget.map(|budget| Instant::now() + budget),
            forks,
            measured: None,
            told: None,
        })
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir.join("build.log")
    }

    /// A run of tests whose output is kept in a file.
    pub(crate) fn job(&self, only: Option<BTreeSet<TestId>>) -> Job {
        Job {
            only,
            options: TestOptions {
                continues_after_failures: true,
                ..TestOptions::default()
            },
            log: Some(self.log()),
            ..Job::new(Purpose::Test, true)
        }
    }

    /// Whether there is no time for another run.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// How many of so many tests are worth a run now.
    pub(crate) fn next(&self, tests: usize) -> usize {
        let left = self
            .deadline
            .map(|d| d.saturating_duration_since(Instant::now()));
        let number = tamis_audit::batch(tests, self.measured, left);
        match self.forks {
            true => number,
            false => number.min(1),
        }
    }

    /// Says how far it is, at times.
    pub(crate) fn tell_progress(&mut self, done: usize, all: usize) {
        let is_new = self.told.is_none_or(|told| told.elapsed() >= SILENCE);
        if done < all && !is_new {
            return;
        }
        self.told = Some(Instant::now());
        let classes = count(all as u64, "test class");
        let left = self.estimate(all - done).filter(|_| done < all);
        let left = left.map_or(String::new(), |left| {
            format!(", about {} left", duration(left))
        });
        self.console
            .progress(format_args!("{done} of {classes} ran alone{left}"));
    }

    /// How long so many tests will take, if that is known.
    fn estimate(&self, tests: usize) -> Option<Duration> {
        let (number, took) = self.measured?;
        let tests = u32::try_from(tests).unwrap_or(u32::MAX);
        Some(took.saturating_mul(tests) / u32::try_from(number.max(1)).unwrap_or(u32::MAX))
    }

    /// Runs these classes; takes into the store what those used that ran alone and did not fail.
    pub(crate) fn run(&mut self, tests: &[TestId], known: &Store) -> Result<Batch, Error> {
        let started = Instant::now();
        let batch = self.run_once(tests, known)?;
        self.measured = Some((tests.len(), started.elapsed()));
        if self.forks && !batch.together.is_empty() {
            self.forks = false;
            self.measured = None;
            self.console.warning(format_args!(
                "{}, so test classes share a JVM: each one gets a build of its own now, which takes longer",
                self.target.driver.fork_obstacle()
            ));
        }
        Ok(batch)
    }

    fn run_once(&self, tests: &[TestId], known: &Store) -> Result<Batch, Error> {
        let only: BTreeSet<TestId> = tests.iter().cloned().collect();
        let mut job = self.job(Some(only.clone()));
        job.options.fork_per_class = self.fork_per_class(&only, known);
        let Execution {
            run_dir,
            spools,
            unanswered,
            end,
            ..
        } = execute(self.target, &job, self.console, self.signals)?;
        let unlimited = unanswered.iter().map(no_verdict);
        unlimited.for_each(|warning| self.console.warning(warning));
        let footprints = footprints(self.target, &spools);
        let mut batch = Batch {
            alone: BTreeMap::new(),
            taken_in: BTreeSet::new(),
            together: BTreeSet::new(),
            missing: BTreeSet::new(),
            interrupted: end.interrupted,
        };
        for test in only {
            match footprints.get(&test) {
                None => drop(batch.missing.insert(test)),
                Some(footprint) if !footprint.isolated => drop(batch.together.insert(test)),
                Some(footprint) => {
                    if is_good(footprint) {
                        batch.taken_in.insert(test.clone());
                    }
                    batch.alone.insert(test, footprint.clone());
                }
            }
        }
        if end.interrupted {
            // What did not come to its end was stopped.
            batch.missing.clear();
            batch.alone.retain(|test, footprint| {
                batch.taken_in.contains(test) || footprint.outcome == Some(Outcome::Failed)
            });
        }
        let module_name = |module: &str| self.target.project.module_name(module.as_ref());
        let good = spools.into_iter().filter(|spool| {
            // What a JVM used that a test started belongs to that test.
            let Some(mut tests) = tests_in_order(spool, module_name) else {
                return true;
            };
            // Suites have no footprints.
            tests.retain(|test| footprints.contains_key(test));
            !tests.is_empty() && tests.iter().all(|test| batch.taken_in.contains(test))
        });
        take_in(&self.target.project, run_dir, good.collect())?;
        Ok(batch)
    }

    /// A JVM is started even for a class that the agent leaves out: the build tool must know of those.
    fn fork_per_class(&self, only: &BTreeSet<TestId>, known: &Store) -> Option<ForkPerClass> {
        let names: BTreeSet<&str> = only.iter().map(TestId::class).collect();
        let others = known.test_classes();
        let others = others.iter().map(TestId::class);
        self.forks.then(|| ForkPerClass {
            left_out: others
                .filter(|class| !names.contains(class))
                .map(str::to_owned)
                .collect(),
            dir: self.dir.clone(),
        })
    }
}

/// Whether a footprint may stand in the store: a test that failed used less than it would otherwise.
fn is_good(footprint: &Footprint) -> bool {
    let ended_well = footprint
        .outcome
        .is_some_and(|outcome| outcome < Outcome::Failed);
    ended_well && footprint.distrust.is_none()
}

/// The footprints of the tests of a run, from the recordings of its JVMs alone.
pub(crate) fn footprints(target: &Target, spools: &[Spool]) -> BTreeMap<TestId, Footprint> {
    let mut store = Store::default();
    store.absorb_keeping(&target.project, spools, &BTreeSet::new());
    store.footprints()
}

/// The tests that a JVM ran, in that order; `None` if a test started it.
pub(crate) fn tests_in_order(
    spool: &Spool,
    module_name: impl Fn(&str) -> String,
) -> Option<Vec<TestId>> {
    let mut of_module = String::new();
    let mut tests = Vec::new();
    for record in &spool.records {
        match record {
            Record::Jvm { above, .. } if !above.is_empty() => return None,
            Record::Jvm { module, .. } => of_module = module_name(module),
            Record::UnitStarted { test, .. } => {
                tests.push(TestId::new(&*of_module, test.clone()));
            }
            _ => {}
        }
    }
    Some(tests)
}
