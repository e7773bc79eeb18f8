//! Finds the test that makes another one end differently, by runs of fewer and fewer tests.

use super::{Audit, End, test_order};
use crate::error::Error;
use crate::execution::{Execution, execute};
use crate::isolation::{Isolation, footprints};
use std::collections::BTreeSet;
use tamis_audit::{Cause, Circumstance, Dependent, Ended, Findings, Narrowed, Order, Step, narrow};
use tamis_report::count;
use tamis_select::{Outcome, TestId};

impl Audit<'_> {
    /// Finds out, for each test that ends differently somewhere, which test makes it so.
    pub(super) fn narrow(&mut self) -> Result<End, Error> {
        let findings = Findings::of(&self.journal.steps);
        let unknown = findings.dependents.into_iter();
        for dependent in unknown.filter(|dependent| dependent.cause.is_none()) {
            let cause = self.cause(&dependent)?;
            if self.isolation.signals.received().is_some() {
                return Ok(End::Interrupted);
            }
            if let Some(cause) = cause {
                self.journal.add(Step::Narrowed {
                    test: dependent.test,
                    circumstance: dependent.circumstance,
                    cause,
                })?;
            }
        }
        Ok(End::Done)
    }

    /// Why a test ends differently; `None` if there was no time to find out.
    fn cause(&self, dependent: &Dependent) -> Result<Option<Cause>, Error> {
        if self.isolation.is_over() {
            return Ok(None);
        }
        let test = &dependent.test;
        let fails_usually = dependent.usual >= Outcome::Failed;
        // Tests before it make it fail, or make it pass: where it fails if it can pass without them.
        let (order, effect) = match dependent.circumstance {
            Circumstance::Alone if !fails_usually => (None, Effect::Passes),
            Circumstance::Order(order) if !fails_usually => (Some(order), Effect::Fails),
            _ => (None, Effect::Fails),
        };
        let before = self.before(test, order);
        self.isolation.console.progress(format_args!(
            "looking for the test that makes {test} {}, among {}",
            effect.name(),
            count(before.len() as u64, "test class")
        ));
        match self.has_effect(&[], test, order, effect)? {
            None => return Ok(None),
            Some(true) => return Ok(Some(Cause::Flaky)),
            Some(false) => {}
        }
        let narrowed = narrow(&before, |some| self.has_effect(some, test, order, effect))?;
        Ok(match narrowed {
            Narrowed::One(test) => Some(Cause::Test { test }),
            Narrowed::Several => Some(Cause::Several),
            Narrowed::Stopped => None,
        })
    }

    /// The tests that ran before this one in its JVM.
    fn before(&self, test: &TestId, asked: Option<Order>) -> Vec<TestId> {
        let jvms = self
            .journal
            .steps
            .iter()
            .find_map(|step| match (step, asked) {
                (Step::Usual { jvms }, None) => Some(jvms),
                (Step::Reordered { order, jvms, .. }, Some(asked)) if *order == asked => Some(jvms),
                _ => None,
            });
        let is_it = |ended: &Ended| ended.test == *test;
        let jvm = jvms.and_then(|jvms| jvms.iter().find(|jvm| jvm.iter().any(is_it)));
        let before = jvm.into_iter().flatten().take_while(|ended| !is_it(ended));
        before.map(|ended| ended.test.clone()).collect()
    }

    /// Whether a test ends so behind some others; `None` if there is no time to try.
    fn has_effect(
        &self,
        others: &[TestId],
        test: &TestId,
        order: Option<Order>,
        effect: Effect,
    ) -> Result<Option<bool>, Error> {
        let Isolation {
            target,
            console,
            signals,
            ..
        } = self.isolation;
        if self.isolation.is_over() || signals.received().is_some() {
            return Ok(None);
        }
        let mut only: BTreeSet<TestId> = others.iter().cloned().collect();
        only.insert(test.clone());
        let mut job = self.isolation.job(Some(only));
        job.options.order = order.map(test_order);
        let Execution {
            run_dir,
            spools,
            end,
            ..
        } = execute(target, &job, console, signals)?;
        let outcome = footprints(target, &spools)
            .get(test)
            .and_then(|footprint| footprint.outcome);
        run_dir.remove()?;
        if end.interrupted {
            return Ok(None);
        }
        let failed = outcome.is_none_or(|outcome| outcome >= Outcome::Failed);
        Ok(Some(failed == (effect == Effect::Fails)))
    }
}

/// The effect of tests on one that runs after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Passes,
    Fails,
}

impl Effect {
    fn name(self) -> &'static str {
        match self {
            Effect::Passes => "pass",
            Effect::Fails => "fail",
        }
    }
}
