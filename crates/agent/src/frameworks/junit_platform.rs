//! The JUnit Platform, whatever the engine: descriptors that start and end.

mod descriptors;
mod discovery;

use crate::agent::Agent;
use crate::config::Mode;
use crate::ending;
use crate::entrances::{asked, told};
use crate::frameworks::java::{optional, string};
use crate::frameworks::junit4::is_assumption;
use crate::frameworks::runs::Runs;
use crate::frameworks::{Framework, FrameworkState};
use crate::session;
use descriptors::{
    SingleTest, class_of, class_of_container, classes_around, engine, is_container, is_suite,
    nested_class_of, single_test, unique_id,
};
use discovery::{LastParent, PartialClasses};
use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};
use tamis_frameworks::junit_platform::{JUNIT_PLATFORM, LAUNCHER};
use tamis_jvmti::{Jni, Object};
use tamis_recording::UnitOutcome as Outcome;

/// The state of the JUnit Platform in this JVM.
#[derive(Default)]
struct State {
    runs: Runs,
    last_parent: LastParent,
    /// Suites from which tests have been left out, by their unique ids.
    cut_suites: HashSet<String>,
    partial_classes: PartialClasses,
}

static STATE: FrameworkState<State> = FrameworkState::new();

static RUNS_TESTS: AtomicBool = AtomicBool::new(false);

/// Whether it runs the tests, so that these are left out when it discovers them.
pub(super) fn runs_tests() -> bool {
    RUNS_TESTS.load(Ordering::Acquire)
}

/// The JUnit Platform, to the rest of the agent.
pub(super) struct JUnitPlatform;

impl Framework for JUnitPlatform {
    fn description(&self) -> &'static tamis_frameworks::Framework {
        &JUNIT_PLATFORM
    }

    fn loaded(&self, class: &[u8]) {
        if class == LAUNCHER.as_bytes() {
            RUNS_TESTS.store(true, Ordering::Release);
        }
    }
}

told! {
    Java_java_lang_TamisHook_runCancelled(agent, _jni, _token)
        agent.distrust("the run was cancelled before all tests ran".into());
    Java_java_lang_TamisHook_nodeStarted(agent, jni, task)
        announced(agent, jni, task);
    Java_java_lang_TamisHook_descriptorStarted(agent, jni, run, descriptor)
        started(agent, jni, run, descriptor);
    Java_java_lang_TamisHook_descriptorFinished(agent, jni, run, descriptor, result)
        finished(agent, jni, run, descriptor, result);
    Java_java_lang_TamisHook_descriptorDisabled(agent, jni, run, descriptor)
        disabled(agent, jni, run, descriptor);
    Java_java_lang_TamisHook_discoveryFilters(agent, jni, request)
        discovery::add_filter(agent, jni, request);
}

asked! {
    Java_java_lang_TamisHook_descriptorExcluded(agent, jni, descriptor)
        discovery::is_excluded(agent, jni, descriptor)?, else 0;
}

thread_local! {
    /// How many tests run on this thread: more than one if a test runs tests itself, or waits in the pool
    /// that runs the tests.
    static TESTS: Cell<u32> = const { Cell::new(0) };
}

/// The task of a node starts: conditions and extensions of a class run before it is started.
fn announced(agent: &Agent, jni: &mut Jni<'_>, task: Object<'_>) -> Option<()> {
    const FIELD: &CStr = c"testDescriptor";
    const TYPE: &CStr = c"Lorg/junit/platform/engine/TestDescriptor;";
    if TESTS.get() > 0 {
        return None;
    }
    // SAFETY: a descriptor is an object.
    let descriptor = unsafe { jni.field(task, FIELD, TYPE).ok()?? };
    if let Some(test) = own_test(agent, jni, descriptor) {
        session::part_started(agent, jni, &test.class, &test.name);
        return Some(());
    }
    let test = class_of_container(jni, descriptor)?;
    let around = classes_around(jni, descriptor);
    session::announce(agent, jni, &test, around);
    Some(())
}

/// The single test of the JUnit Platform that a descriptor is or belongs to, if such tests count.
fn test_of(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) -> Option<SingleTest> {
    if !agent.config.by_method {
        return None;
    }
    jni.frame(|jni| single_test(&unique_id(jni, descriptor)?))
}

/// The same, if the descriptor is the test itself and nobody else tells when it starts and ends.
fn own_test(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) -> Option<SingleTest> {
    test_of(agent, jni, descriptor).filter(|test| test.is_whole && !test.is_junit4)
}

/// Whether a test runs tests itself and is told of by this run: they are what that test does.
fn is_in_test(agent: &Agent, jni: &Jni<'_>, run: Object<'_>) -> bool {
    let mut state = STATE.lock();
    state.runs.is_foreign(jni, run, agent.is_inside_a_test())
}

fn started(
    agent: &Agent,
    jni: &mut Jni<'_>,
    run: Object<'_>,
    descriptor: Object<'_>,
) -> Option<()> {
    let container = is_container(jni, descriptor)?;
    let unannounced = TESTS.get() > 0;
    if !container {
        before_test(agent, jni, descriptor);
        TESTS.set(TESTS.get() + 1);
    }
    if is_in_test(agent, jni, run) {
        return None;
    }
    note_single_test(agent, jni, descriptor, container);
    if unannounced {
        note_unannounced(agent, jni, descriptor);
    }
    if !container {
        return None;
    }
    note_nested(agent, jni, descriptor);
    let test = class_of(jni, descriptor)?;
    if STATE.lock().partial_classes.contains(jni, descriptor) {
        agent.state().units.cut(&test);
    }
    let around = classes_around(jni, descriptor);
    let suite = jni
        .frame(|jni| is_suite(&unique_id(jni, descriptor)?).then_some(()))
        .is_some();
    session::start(agent, jni, &test, around, suite);
    Some(())
}

/// A test starts. A run that only asks has held back all that belong to a class.
fn before_test(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) {
    if agent.config.mode == Mode::Select {
        let id = jni.frame(|jni| unique_id(jni, descriptor));
        let engine = id.as_deref().and_then(engine).unwrap_or("unknown");
        ending::before_tests(
            agent,
            jni,
            &format!("the engine {engine} of the JUnit Platform"),
        );
    }
}

/// A descriptor starts: a single test, unless its task was announced; or a test that cannot be told
/// from others of its class.
fn note_single_test(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>, container: bool) {
    if !agent.config.by_method {
        return;
    }
    match test_of(agent, jni, descriptor) {
        Some(test) if test.is_whole && !test.is_junit4 => {
            let is_new = match agent.state().units.splittable(&test.class) {
                Some(parts) => !parts.is_active(&test.name),
                None => false,
            };
            if is_new {
                session::part_started(agent, jni, &test.class, &test.name);
            }
        }
        None if !container => {
            if let Some(class) = classes_around(jni, descriptor).pop() {
                session::merge_parts(agent, &class);
            }
        }
        _ => {}
    }
}

/// A thread that waits inside a test runs another one: what decided about that ran in the first.
fn note_unannounced(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) {
    match class_of_container(jni, descriptor) {
        Some(class) => agent.state().units.cut(&class),
        None => {
            if let Some(class) = classes_around(jni, descriptor).pop() {
                session::merge_parts(agent, &class);
            }
        }
    }
}

/// A nested class counts for the class around it, even if nothing of it runs.
fn note_nested(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) {
    if let Some(nested) = nested_class_of(jni, descriptor)
        && let Some(outer) = classes_around(jni, descriptor).pop()
    {
        agent.state().units.add_part(&outer, nested);
    }
}

fn finished(
    agent: &Agent,
    jni: &mut Jni<'_>,
    run: Object<'_>,
    descriptor: Object<'_>,
    result: Object<'_>,
) -> Option<()> {
    let container = is_container(jni, descriptor)?;
    if !container {
        TESTS.set(TESTS.get().saturating_sub(1));
    }
    if is_in_test(agent, jni, run) {
        return None;
    }
    let test = if container {
        class_of(jni, descriptor)
    } else {
        None
    };
    let single = test_of(agent, jni, descriptor);
    let outcome = jni.frame(|jni| status(jni, result));
    if outcome == Outcome::Aborted && !jni.frame(|jni| is_by_assumption(jni, result)) {
        note_cut(agent, jni, descriptor);
    }
    match outcome {
        Outcome::Passed => {}
        bad if single.is_some() => {
            if let Some(single) = &single {
                session::part_outcome(agent, &single.class, &single.name, bad);
            }
        }
        bad => {
            let innermost = test
                .clone()
                .or_else(|| classes_around(jni, descriptor).pop());
            session::outcome(agent, innermost.as_deref(), bad);
        }
    }
    if let Some(single) = single.filter(|single| single.is_whole && !single.is_junit4) {
        session::part_finished(agent, jni, &single.class, &single.name);
    }
    session::finish(agent, jni, &test?);
    Some(())
}

/// A result that cannot be read counts as a failure, so that the test stays due.
fn status(jni: &Jni<'_>, result: Object<'_>) -> Outcome {
    // SAFETY: takes nothing and returns an enum constant.
    let status = unsafe {
        let signature = c"()Lorg/junit/platform/engine/TestExecutionResult$Status;";
        jni.call_object(result, c"getStatus", signature, &[])
    };
    let name = status
        .ok()
        .flatten()
        .and_then(|status| string(jni, status, c"name"));
    match name.as_deref() {
        Some("SUCCESSFUL") => Outcome::Passed,
        Some("ABORTED") => Outcome::Aborted,
        _ => Outcome::Failed,
    }
}

/// Whether an assumption aborted a test, and not somebody who stopped it.
fn is_by_assumption(jni: &Jni<'_>, result: Object<'_>) -> bool {
    let thrown = optional(jni, result, c"getThrowable");
    thrown.is_some_and(|thrown| is_assumption(jni, thrown))
}

/// A test did not run to its end, so that its class ran only in part.
fn note_cut(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) {
    let class = class_of_container(jni, descriptor)
        .or_else(|| classes_around(jni, descriptor).pop())
        .unwrap_or_default();
    agent.state().units.cut(&class);
}

/// A disabled class is a unit that used nothing but itself and what decided about it.
fn disabled(
    agent: &Agent,
    jni: &mut Jni<'_>,
    run: Object<'_>,
    descriptor: Object<'_>,
) -> Option<()> {
    if is_in_test(agent, jni, run) {
        return None;
    }
    if let Some(test) = own_test(agent, jni, descriptor) {
        session::part_outcome(agent, &test.class, &test.name, Outcome::Ignored);
        session::part_finished(agent, jni, &test.class, &test.name);
        return Some(());
    }
    if !is_container(jni, descriptor)? {
        return None;
    }
    note_nested(agent, jni, descriptor);
    let test = class_of(jni, descriptor)?;
    let announced = agent.state().units.is_announced(&test);
    if !announced {
        if agent.state().units.around(&test).is_some() {
            return None;
        }
        let around = classes_around(jni, descriptor);
        session::start(agent, jni, &test, around, false);
    }
    session::outcome(agent, Some(&test), Outcome::Ignored);
    session::finish(agent, jni, &test);
    Some(())
}
