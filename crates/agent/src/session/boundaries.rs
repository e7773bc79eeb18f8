//! Starts and ends of units, as frameworks tell them.

use super::threads::credit_other_threads;
use super::{Session, WHOLE, ended, records};
use crate::agent::Agent;
use crate::facts::now;
use crate::locations;
use crate::probes;
use crate::sharing;
use crate::watchers;
use crate::watchers::arguments;
use crate::watchers::outside;
use tamis_attribution::{Start, Unit, Units};
use tamis_identity::TestName;
use tamis_jvmti::Jni;
use tamis_recording::{Record, UnitOutcome};

/// A test class starts.
pub(crate) fn start(
    agent: &Agent,
    jni: &mut Jni<'_>,
    test: &str,
    around: Vec<String>,
    suite: bool,
) {
    begin(agent, jni, test, |units| units.start(test, around, suite));
}

/// A test class will start, and what decides about that runs now.
pub(crate) fn announce(agent: &Agent, jni: &mut Jni<'_>, test: &str, around: Vec<String>) {
    begin(agent, jni, test, |units| units.announce(test, around));
}

/// Starts the one unit of a JVM that a test started.
pub(crate) fn start_as_a_whole(agent: &Agent, jni: &mut Jni<'_>) {
    if agent.is_started_by_a_test() {
        start(agent, jni, WHOLE, Vec::new(), false);
        for directory in arguments::directories_of_archives() {
            agent.files.look_for_archives(&agent.inputs, &directory);
        }
    }
}

fn begin(agent: &Agent, jni: &mut Jni<'_>, test: &str, start: impl FnOnce(&mut Units) -> Start) {
    // What runs tests inside a test is part of it.
    if agent.is_started_by_a_test() && test != WHOLE {
        return;
    }
    if Session::of(agent, jni).is_none() {
        return;
    }
    let settings = sharing::settings_if_they_may_differ(agent, jni);
    let mut guard = agent.state();
    let state = &mut *guard;
    probes::settle(agent, state, jni);
    if let Some(facts) = agent.facts.get().filter(|_| agent.config.records) {
        sharing::outside(agent, facts.jvmti, jni, state, settings);
    }
    let start = start(&mut state.units);
    if matches!(start, Start::New(_)) {
        watchers::unit_starts(agent);
    }
    if let Start::New(unit) = start
        && let Some(spool) = &mut state.spool
    {
        let at_ms = now().as_millis() as u64;
        spool.write(&[Record::UnitStarted {
            unit,
            test: TestName::of_class(test),
            at_ms,
        }]);
    }
    drop(guard);
    credit_other_threads(agent, jni);
}

/// A test class ends.
pub(crate) fn finish(agent: &Agent, jni: &mut Jni<'_>, test: &str) {
    let in_order = agent.finishing.lock();
    let Some(ended) = ended::settle(agent, jni, test) else {
        return;
    };
    locations::resolve(agent, jni, &ended.places);
    let types = outside::records(agent, jni, &ended.supertypes);
    records::write(agent, ended, types);
    drop(in_order);
}

/// A test in the class `test` did not simply pass.
pub(crate) fn outcome(agent: &Agent, test: Option<&str>, outcome: UnitOutcome) {
    agent.state().units.outcome(test, outcome);
}

/// A single test of the class `class` did not simply pass.
pub(crate) fn part_outcome(agent: &Agent, class: &str, part: &TestName, outcome: UnitOutcome) {
    agent.state().units.part_outcome(class, part, outcome);
}

/// A single test of the class `class` starts.
pub(crate) fn part_started(agent: &Agent, jni: &mut Jni<'_>, class: &str, part: &TestName) {
    at_part(agent, jni, class, |unit| unit.start(part));
    if agent.config.by_method {
        watchers::at_single_test(agent, true);
        credit_other_threads(agent, jni);
    }
}

/// A single test of the class `class` ends.
pub(crate) fn part_finished(agent: &Agent, jni: &mut Jni<'_>, class: &str, part: &TestName) {
    at_part(agent, jni, class, |unit| unit.finish(part));
    if agent.config.by_method {
        watchers::at_single_test(agent, false);
        sharing::part_finished(agent, jni, class, part);
    }
}

/// The tests of the class `class` cannot be told apart.
pub(crate) fn merge_parts(agent: &Agent, class: &str) {
    if let Some(unit) = agent.state().units.splittable(class) {
        unit.merge();
    }
}

fn at_part(agent: &Agent, jni: &mut Jni<'_>, class: &str, change: impl FnOnce(&mut Unit)) {
    let mut state = agent.state();
    let state = &mut *state;
    if state.units.splittable(class).is_some() {
        probes::settle(agent, state, jni);
    }
    if let Some(unit) = state.units.splittable(class) {
        change(unit);
    }
}
