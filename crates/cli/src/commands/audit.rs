//! `tamis audit`: runs tests together, again, in other orders and alone, and tells what differs.

mod narrowing;

use super::background;
use crate::arguments::Audit as Arguments;
use crate::console::Console;
use crate::error::Error;
use crate::execution::{Execution, Job, execute};
use crate::exit_code::ExitCode;
use crate::isolation::{Isolation, tests_in_order};
use crate::journal::Journal;
use crate::knowledge::{open_to_write, take_in};
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use tamis_audit::{Difference, Ended, Findings, Order, Step, TestDifference, sample};
use tamis_build::{Capability, Signals, TestOrder};
use tamis_recording::Spool;
use tamis_report::Audit as Report;
use tamis_select::{Ekstazi, Footprint, Outcome, Reason, TestId};
use tamis_store::{Project, Scope, Store};

/// `tamis audit`: what the shared JVM hides, which tests depend on others, and which are not the same
/// from run to run.
pub(crate) fn audit(
    start: &Path,
    arguments: &Arguments,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    if arguments.background {
        return background(start, "audit", console);
    }
    let target = Target::find(start, &arguments.run)?;
    super::needs_classes(&target, "audit")?;
    target.driver.check()?;
    let opened = open_to_write(&target.project, console)?;
    if let Some(warning) = &opened.warning {
        console.warning(warning);
    }
    if arguments.orders > 0 && !can_reorder(&target) {
        console.progress(format_args!(
            "{} cannot {}: tests run in the usual order only",
            target.driver.name(),
            Capability::TestOrder
        ));
    }
    let isolation = Isolation::new(&target, console, signals, arguments.budget)?;
    let listing = target.driver.listing();
    let listing = listing.map(|listing| listing.to_string());
    if arguments.restart {
        let journal = isolation.dir.join("journal");
        let _ = fs::remove_file(journal);
    }
    let is_valid = |usual: &Store| is_unchanged(usual, &target.project);
    let (journal, usual) = Journal::open(&isolation.dir, listing, is_valid)?;
    if journal.is_dropped {
        console.progress("the project has changed since this audit started: it starts again");
    }
    if !journal.steps.is_empty() {
        console.progress("continuing the audit that was interrupted; --restart starts again");
    }
    let mut audit = Audit {
        isolation,
        journal,
        usual: usual.map(|usual| usual.footprints()).unwrap_or_default(),
        arguments,
        took: Duration::ZERO,
    };
    let end = audit.run()?;
    let report = audit.report(end);
    console.answer(report.text());
    console.json(report.json())?;
    Ok(match end {
        End::Interrupted => ExitCode::Interrupted,
        End::NoTests => ExitCode::Failed,
        End::Done if report.findings.dependents.is_empty() => ExitCode::Success,
        End::Done => ExitCode::Failed,
    })
}

/// Whether the class files and all else that tests used are as they were in the usual run.
fn is_unchanged(usual: &Store, project: &Project) -> bool {
    let selection = usual.select(project, &Scope::default(), &Ekstazi);
    let mut reasons = selection
        .verdicts
        .iter()
        .flat_map(|verdict| &verdict.reasons);
    reasons.all(|reason| {
        matches!(
            reason,
            Reason::Failed | Reason::Unfinished | Reason::Distrusted { .. }
        )
    })
}

/// How an audit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// In order, perhaps because the budget was used up.
    Done,
    Interrupted,
    /// The build ran no tests that could be observed.
    NoTests,
}

struct Audit<'a> {
    isolation: Isolation<'a>,
    journal: Journal,
    /// What tests used in the usual run.
    usual: BTreeMap<TestId, Footprint>,
    arguments: &'a Arguments,
    /// How long the usual run took, if it was part of this process.
    took: Duration,
}

/// All tests in one run.
struct Together {
    jvms: Vec<Vec<Ended>>,
    footprints: BTreeMap<TestId, Footprint>,
    interrupted: bool,
}

impl Audit<'_> {
    fn run(&mut self) -> Result<End, Error> {
        if self.journal.steps.is_empty() {
            self.isolation
                .console
                .progress("running all tests as usual");
            let started = Instant::now();
            let run = self.run_together(None, true)?;
            self.took = started.elapsed();
            if run.interrupted {
                return Ok(End::Interrupted);
            }
            if run.footprints.is_empty() {
                let printed = fs::read(self.isolation.log()).unwrap_or_default();
                self.isolation.console.build_output(&printed);
                return Ok(End::NoTests);
            }
            self.usual = run.footprints;
            self.journal.add(Step::Usual { jvms: run.jvms })?;
        }
        if !self.has_repeated() && self.has_time() {
            self.isolation
                .console
                .progress("running all tests once more in the same order");
            let run = self.run_together(None, false)?;
            if run.interrupted {
                return Ok(End::Interrupted);
            }
            self.journal.add(Step::Repeated {
                differences: self.differences(&run.footprints, true),
                ended: run.jvms.into_iter().flatten().collect(),
            })?;
        }
        for order in self.orders() {
            if self.has_run_in(order) || !self.has_time() {
                continue;
            }
            self.isolation
                .console
                .progress(format_args!("running all tests in {order}"));
            let run = self.run_together(Some(order), false)?;
            if run.interrupted {
                return Ok(End::Interrupted);
            }
            self.journal.add(Step::Reordered {
                order,
                differences: self.differences(&run.footprints, false),
                jvms: run.jvms,
            })?;
        }
        if self.isolate()? == End::Interrupted {
            return Ok(End::Interrupted);
        }
        self.narrow()
    }

    /// Runs all tests; the usual run goes into the store, others only tell.
    fn run_together(&self, order: Option<Order>, keep: bool) -> Result<Together, Error> {
        let mut job = Job {
            everything: true,
            ..self.isolation.job(None)
        };
        job.options.order = order.map(test_order);
        let Isolation {
            target,
            console,
            signals,
            ..
        } = self.isolation;
        let Execution {
            run_dir,
            spools,
            end,
            ..
        } = execute(target, &job, console, signals)?;
        let mut store = Store::default();
        store.absorb_keeping(&target.project, &spools, &BTreeSet::new());
        let footprints = store.footprints();
        let jvms = jvms(target, &spools, &footprints);
        match keep {
            true => {
                if !end.interrupted {
                    self.journal.keep_usual(&store)?;
                }
                take_in(&target.project, run_dir, spools)?;
            }
            false => run_dir.remove()?,
        }
        Ok(Together {
            jvms,
            footprints,
            interrupted: end.interrupted,
        })
    }

    /// Dependencies of tests in this run that the usual one lacks; and the other way round, if `both`.
    fn differences(&self, run: &BTreeMap<TestId, Footprint>, both: bool) -> Vec<TestDifference> {
        let differences = run.iter().filter_map(|(test, now)| {
            let usual = self.usual.get(test)?;
            // A test that fails stops early and uses what reports failures.
            let failed = |footprint: &Footprint| footprint.outcome >= Some(Outcome::Failed);
            if failed(now) || failed(usual) {
                return None;
            }
            let mut difference = Difference::between(now, usual);
            if both {
                difference.add(&Difference::between(usual, now));
            }
            (!difference.is_empty()).then(|| TestDifference {
                test: test.clone(),
                difference,
            })
        });
        differences.collect()
    }

    /// The orders to try, if the build tool can be asked for one.
    fn orders(&self) -> Vec<Order> {
        if !can_reorder(self.isolation.target) {
            return Vec::new();
        }
        let seeds = (0..).map(|more| Order::Random(self.arguments.seed.wrapping_add(more)));
        let orders = std::iter::once(Order::Reverse).chain(seeds);
        orders.take(self.arguments.orders).collect()
    }

    /// Runs test classes alone, the most telling ones first.
    fn isolate(&mut self) -> Result<End, Error> {
        let todo = self.to_isolate();
        let all = todo.len();
        let mut todo: Vec<TestId> = todo.into_iter().filter(|t| !self.was_alone(t)).collect();
        while !todo.is_empty() {
            let number = self.isolation.next(todo.len());
            if number == 0 {
                break;
            }
            let known = Store::load(&self.isolation.target.project)?.store;
            let next: Vec<TestId> = todo.drain(..number).collect();
            let batch = self.isolation.run(&next, &known)?;
            for (test, footprint) in batch.alone {
                let usual = self.usual.get(&test).cloned().unwrap_or_default();
                let difference = match batch.taken_in.contains(&test) {
                    true => Difference::between(&footprint, &usual),
                    // A test that fails uses less and other things.
                    false => Difference::default(),
                };
                self.journal.add(Step::Alone {
                    taken_in: batch.taken_in.contains(&test),
                    ended: ended(&test, &footprint),
                    difference,
                })?;
            }
            if batch.interrupted {
                return Ok(End::Interrupted);
            }
            // Those that did not run alone in a build of many get one of their own.
            let (again, lost): (Vec<TestId>, Vec<TestId>) =
                batch.together.into_iter().partition(|_| next.len() > 1);
            todo.extend(again);
            for (test, ran) in (batch.missing.into_iter().map(|test| (test, false)))
                .chain(lost.into_iter().map(|test| (test, true)))
            {
                self.journal.add(Step::NotAlone { test, ran })?;
            }
            self.isolation.tell_progress(all - todo.len(), all);
        }
        Ok(End::Done)
    }

    /// The test classes to run alone: first those that other orders show to depend on others.
    fn to_isolate(&self) -> Vec<TestId> {
        // Only runs of all tests count, so that the list stays the same while its tests run.
        let steps = self.journal.steps.iter();
        let is_alone = |step: &&Step| matches!(step, Step::Alone { .. });
        let together: Vec<Step> = steps.filter(|step| !is_alone(step)).cloned().collect();
        let findings = Findings::of(&together);
        let all = &findings.tests;
        let number = self.arguments.sample.unwrap_or(all.len());
        let dependents = findings.dependents.iter().map(|d| &d.test);
        let hidden = findings.hidden.iter().map(|hidden| &hidden.test);
        let chosen = sample(all, all.len(), self.arguments.seed);
        let mut seen = BTreeSet::new();
        let tests = dependents.chain(hidden).chain(&chosen);
        let tests = tests.filter(|test| seen.insert(*test));
        let number = number.max(findings.dependents.len());
        tests.take(number).cloned().collect()
    }

    fn was_alone(&self, of: &TestId) -> bool {
        self.journal.steps.iter().any(|step| match step {
            Step::Alone { ended, .. } => ended.test == *of,
            Step::NotAlone { test, .. } => test == of,
            _ => false,
        })
    }

    fn has_repeated(&self) -> bool {
        let steps = &self.journal.steps;
        steps
            .iter()
            .any(|step| matches!(step, Step::Repeated { .. }))
    }

    fn has_run_in(&self, order: Order) -> bool {
        let steps = &self.journal.steps;
        steps
            .iter()
            .any(|step| matches!(step, Step::Reordered { order: ran, .. } if *ran == order))
    }

    /// Whether all tests can run once more within the budget.
    fn has_time(&self) -> bool {
        let deadline = self.isolation.deadline;
        deadline.is_none_or(|deadline| Instant::now() + self.took <= deadline)
    }

    fn report(&self, end: End) -> Report {
        let findings = Findings::of(&self.journal.steps);
        let to_isolate = self.to_isolate();
        let missing_orders = self
            .orders()
            .into_iter()
            .filter(|order| !self.has_run_in(*order));
        Report {
            no_tests: (end == End::NoTests).then(|| self.isolation.log().display().to_string()),
            interrupted: end == End::Interrupted,
            to_isolate: to_isolate.len(),
            not_isolated: to_isolate
                .iter()
                .filter(|test| !self.was_alone(test))
                .count(),
            missing_orders: missing_orders.count(),
            missing_repeat: !self.has_repeated(),
            findings,
        }
    }
}

/// The tests of each JVM, in the order in which they ran.
fn jvms(
    target: &Target,
    spools: &[Spool],
    footprints: &BTreeMap<TestId, Footprint>,
) -> Vec<Vec<Ended>> {
    let module_name = |module: &str| target.project.module_name(module.as_ref());
    let of_jvm = |spool| {
        let tests = tests_in_order(spool, module_name)?;
        let ended = tests
            .iter()
            .filter_map(|test| Some(ended(test, footprints.get(test)?)));
        Some(ended.collect::<Vec<Ended>>()).filter(|ended| !ended.is_empty())
    };
    spools.iter().filter_map(of_jvm).collect()
}

fn ended(test: &TestId, footprint: &Footprint) -> Ended {
    Ended {
        test: test.clone(),
        outcome: footprint.outcome.unwrap_or(Outcome::Unfinished),
        methods: footprint.methods.len(),
    }
}

fn can_reorder(target: &Target) -> bool {
    target.driver.supports(Capability::TestOrder)
}

/// The order as the build tool is asked for it.
fn test_order(order: Order) -> TestOrder {
    match order {
        Order::Reverse => TestOrder::Reverse,
        Order::Random(seed) => TestOrder::Random(seed),
    }
}
