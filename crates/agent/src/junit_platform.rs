//! The JUnit Platform, whatever the engine: descriptors that start and end.

use crate::agent::Agent;
use crate::descriptors::{
    class_of, class_of_container, classes_around, is_container, is_suite, nested_class_of,
    unique_id,
};
use crate::junit4::string;
use crate::session;
use std::cell::Cell;
use std::ffi::CStr;
use tamis_jvmti::{Jni, Object};
use tamis_recording::Outcome;

thread_local! {
    /// How many tests run on this thread: more than one if a test runs tests itself.
    static TESTS: Cell<u32> = const { Cell::new(0) };
}

/// The task of a node starts: conditions and extensions of a class run before it is started.
pub(crate) fn announced(agent: &Agent, jni: Jni<'_>, task: Object<'_>) -> Option<()> {
    const FIELD: &CStr = c"testDescriptor";
    const TYPE: &CStr = c"Lorg/junit/platform/engine/TestDescriptor;";
    if TESTS.get() > 0 {
        return None;
    }
    // SAFETY: a descriptor is an object.
    let descriptor = unsafe { jni.field(task, FIELD, TYPE).ok()?? };
    let test = class_of_container(jni, descriptor)?;
    session::announce(agent, jni, &test, classes_around(jni, descriptor));
    Some(())
}

pub(crate) fn started(agent: &Agent, jni: Jni<'_>, descriptor: Object<'_>) -> Option<()> {
    if !is_container(jni, descriptor)? {
        TESTS.set(TESTS.get() + 1);
        return None;
    }
    // Tests that a test runs itself are what that test does.
    if TESTS.get() > 0 {
        return None;
    }
    note_nested(agent, jni, descriptor);
    let test = class_of(jni, descriptor)?;
    let around = classes_around(jni, descriptor);
    let suite = jni
        .frame(|jni| is_suite(&unique_id(jni, descriptor)?).then_some(()))
        .is_some();
    session::start(agent, jni, &test, around, suite);
    Some(())
}

/// A nested class counts for the class around it, even if nothing of it runs.
fn note_nested(agent: &Agent, jni: Jni<'_>, descriptor: Object<'_>) {
    if let Some(nested) = nested_class_of(jni, descriptor)
        && let Some(outer) = classes_around(jni, descriptor).pop()
    {
        agent.state().units.add_part(&outer, nested);
    }
}

pub(crate) fn finished(
    agent: &Agent,
    jni: Jni<'_>,
    descriptor: Object<'_>,
    result: Object<'_>,
) -> Option<()> {
    let container = is_container(jni, descriptor)?;
    if !container {
        TESTS.set(TESTS.get().saturating_sub(1));
    }
    if TESTS.get() > 0 {
        return None;
    }
    let test = if container {
        class_of(jni, descriptor)
    } else {
        None
    };
    match jni.frame(|jni| status(jni, result)) {
        Outcome::Passed => {}
        bad => {
            let innermost = test
                .clone()
                .or_else(|| classes_around(jni, descriptor).pop());
            session::outcome(agent, innermost.as_deref(), bad);
        }
    }
    session::finish(agent, jni, &test?);
    Some(())
}

/// A result that cannot be read counts as a failure, so that the test stays due.
fn status(jni: Jni<'_>, result: Object<'_>) -> Outcome {
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

/// A disabled class is a unit that used nothing but itself and what decided about it.
pub(crate) fn disabled(agent: &Agent, jni: Jni<'_>, descriptor: Object<'_>) -> Option<()> {
    if TESTS.get() > 0 || !is_container(jni, descriptor)? {
        return None;
    }
    note_nested(agent, jni, descriptor);
    let test = class_of(jni, descriptor)?;
    let announced = agent.state().units.is_announced(&test);
    if !announced {
        if agent.state().units.around(&test).is_some() {
            return None;
        }
        session::start(agent, jni, &test, classes_around(jni, descriptor), false);
    }
    session::outcome(agent, Some(&test), Outcome::Ignored);
    session::finish(agent, jni, &test);
    Some(())
}
