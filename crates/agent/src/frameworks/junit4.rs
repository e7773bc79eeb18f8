//! JUnit 4: every `Runner.run(RunNotifier)` and the making of runners.

mod descriptions;
mod entrances;

use crate::agent::{Agent, thread};
use crate::config::Mode;
use crate::frameworks::java::{each, has_superclass, string};
use crate::frameworks::runs::Runs;
use crate::frameworks::{FrameworkState, junit_platform, surefire};
use crate::{ending, probes, session};
use descriptions::{description, part_of, test_of_description, test_of_failure, tests_of_runner};
use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use tamis_instrument::runtime;
use tamis_jvmti::{Global, Jni, Object, Thrown, Weak};
use tamis_recording::UnitOutcome as Outcome;

/// The state of JUnit 4 in this JVM.
#[derive(Default)]
struct State {
    runs: Runs,
    misnamed: Misnamed,
}

static STATE: FrameworkState<State> = FrameworkState::new();

/// A call that the agent has taken over on this thread.
struct Frame {
    object: Global,
    test: String,
    kind: Frames,
}

/// The kind of a call.
enum Frames {
    Suite,
    TestClass,
    /// A test runs tests of its own, with this notifier: whatever they do is what the test does.
    InTest(Global),
    Construction,
}

/// Runners that describe themselves as another class than the one they were made for, or as none:
/// that of a `suite()` is named by whoever wrote it.
#[derive(Default)]
struct Misnamed(Vec<(Weak, String)>);

impl Misnamed {
    fn add(&mut self, jni: &Jni<'_>, runner: Object<'_>, class: &str) {
        if let Ok(runner) = jni.weak(runner) {
            self.0.push((runner, class.into()));
        }
    }

    fn class_of(&self, jni: &Jni<'_>, runner: Object<'_>) -> Option<String> {
        let mut all = self.0.iter();
        let (_, class) = all.find(|(known, _)| jni.is(known, Some(runner)))?;
        Some(class.clone())
    }
}

thread_local! {
    static RUNNING: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
    static BUILDING: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
    static BUILT: RefCell<Option<Global>> = const { RefCell::new(None) };
    /// The agent filters tests itself.
    static FILTERING: Cell<bool> = const { Cell::new(false) };
}

type Stack = &'static std::thread::LocalKey<RefCell<Vec<Frame>>>;

/// Whether this very call is the one that the agent makes itself, or one inside it for the same
/// object (`super.run`).
fn goes_through(jni: &Jni<'_>, stack: Stack, object: Object<'_>) -> bool {
    stack.with_borrow(|frames| {
        frames
            .last()
            .is_some_and(|top| jni.same(Some(top.object.object()), Some(object)))
    })
}

fn push(jni: &Jni<'_>, stack: Stack, object: Object<'_>, test: &str, kind: Frames) -> Option<()> {
    let object = jni.global(object).ok()?;
    let test = test.into();
    stack.with_borrow_mut(|frames| frames.push(Frame { object, test, kind }));
    Some(())
}

fn pop(stack: Stack) {
    stack.with_borrow_mut(Vec::pop);
}

/// `runner.run(notifier)` is called: answers whether the call has been dealt with, either because
/// the class need not run, or because the agent has made the call between its two boundaries.
fn run(agent: &Agent, jni: &mut Jni<'_>, runner: Object<'_>, notifier: Object<'_>) -> bool {
    if goes_through(jni, &RUNNING, runner) {
        return false;
    }
    let Some(test) = test_of_runner(jni, runner) else {
        return false;
    };
    if is_in_test(agent, jni, notifier) {
        return run_in_test(jni, runner, notifier, &test);
    }
    note_cut(agent, jni, runner, &test);
    // A test class that runs others is one unit with them, unless it is a suite.
    let in_class = RUNNING.with_borrow(|frames| {
        frames
            .last()
            .is_some_and(|top| !matches!(top.kind, Frames::Suite))
    });
    if in_class || agent.state().units.around(&test).is_some() {
        return false;
    }
    let around: Vec<String> =
        RUNNING.with_borrow(|frames| frames.iter().map(|f| f.test.clone()).collect());
    let suite = jni.frame(|jni| is_suite(jni, runner));
    // Under the Platform the discovery filter has decided already.
    let platform = junit_platform::runs_tests();
    if !suite && !platform && is_skipped(agent, jni, runner, &test) {
        agent.state().units.mark_containers(&around);
        return true;
    }
    let kind = if suite {
        Frames::Suite
    } else {
        Frames::TestClass
    };
    if push(jni, &RUNNING, runner, &test, kind).is_none() {
        return false;
    }
    session::start(agent, jni, &test, around, suite);
    if !jni.frame(|jni| is_of_junit(agent, jni, runner)) {
        session::merge_parts(agent, &test);
    }
    let called = call_run(jni, runner, notifier);
    let thrown = jni.take_pending();
    pop(&RUNNING);
    if thrown.is_some() {
        session::outcome(agent, Some(&test), Outcome::Failed);
    }
    session::finish(agent, jni, &test);
    if let Some(thrown) = thrown {
        // SAFETY: it was thrown.
        unsafe { jni.throw(thrown) };
    }
    called
}

/// Whether nothing of a runner's class need run. If some of its tests need not, it is told so.
fn is_skipped(agent: &Agent, jni: &mut Jni<'_>, runner: Object<'_>, test: &str) -> bool {
    if !agent.config.by_method || session::is_unaffected(agent, jni, test) {
        return session::is_skipped(agent, jni, test);
    }
    if agent.config.mode == Mode::Select {
        let told = jni.frame(|jni| tell_tests(agent, jni, description(jni, runner)?));
        return told.is_some() || session::is_skipped(agent, jni, test);
    }
    session::skips_parts(agent, jni, test)
        && jni.frame(|jni| filter(jni, runner)) == Some(Left::Nothing)
}

/// Tells of every single test below a description whether it would run; `None` if there is one that
/// cannot be told from others.
fn tell_tests(agent: &Agent, jni: &mut Jni<'_>, of: Object<'_>) -> Option<()> {
    let mut known = true;
    each_test(
        jni,
        of,
        &mut |jni, description| match part_of(jni, description) {
            Some((_, part)) => {
                session::is_part_skipped(agent, jni, &part);
            }
            None => known = false,
        },
    )?;
    known.then_some(())
}

/// Visits the single tests of a description.
fn each_test(
    jni: &mut Jni<'_>,
    of: Object<'_>,
    visit: &mut dyn FnMut(&mut Jni<'_>, Object<'_>),
) -> Option<()> {
    // SAFETY: both take nothing; the first returns a boolean, the second a list.
    let children = unsafe {
        if jni.call_boolean(of, c"isTest", c"()Z", &[]).ok()? {
            visit(jni, of);
            return Some(());
        }
        let signature = c"()Ljava/util/ArrayList;";
        jni.call_object(of, c"getChildren", signature, &[]).ok()??
    };
    let mut whole = Some(());
    each(jni, children, |jni, child| {
        whole = whole.and(each_test(jni, child, visit));
        Ok(())
    })
    .ok()?;
    whole
}

/// The tests of a class that a filter leaves.
#[derive(PartialEq, Eq)]
enum Left {
    Something,
    Nothing,
}

/// Takes the tests that need not run out of a runner. One that cannot be filtered runs them all.
fn filter(jni: &mut Jni<'_>, runner: Object<'_>) -> Option<Left> {
    let class = filter_class(jni, runner).ok()?;
    FILTERING.set(true);
    // SAFETY: a filter has a constructor without parameters, and `apply` takes an object and
    // returns nothing.
    let applied = unsafe {
        let filter = jni.new_object(class, c"()V", &[]);
        filter.and_then(|filter| {
            let signature = c"(Ljava/lang/Object;)V";
            jni.call_void_leaving_exception(filter, c"apply", signature, &[runner])
        })
    };
    FILTERING.set(false);
    let nothing_left = jni.take_pending().is_some();
    applied.ok()?;
    Some(match nothing_left {
        true => Left::Nothing,
        false => Left::Something,
    })
}

/// The filter's class, in the loader of JUnit.
fn filter_class<'f>(jni: &mut Jni<'f>, runner: Object<'_>) -> Result<Object<'f>, Thrown> {
    let class = jni.frame_with_result(|jni| {
        let load = |loader: Object<'_>, class: &CStr| {
            let signature = c"(Ljava/lang/String;)Ljava/lang/Class;";
            // SAFETY: takes a name and returns a class.
            unsafe { jni.call_object(loader, c"loadClass", signature, &[jni.string(class)?]) }
        };
        let loader_of = |class: Object<'_>| {
            let signature = c"()Ljava/lang/ClassLoader;";
            // SAFETY: takes nothing and returns a class loader.
            unsafe {
                jni.call_object(class, c"getClassLoader", signature, &[])?
                    .ok_or(Thrown)
            }
        };
        let loader = loader_of(jni.class_of(runner)?)?;
        let filters = load(loader, c"org.junit.runner.manipulation.Filter")?.ok_or(Thrown)?;
        let loader = loader_of(filters)?;
        match load(loader, c"tamis.junit.SelectedMethods") {
            Ok(Some(class)) => Ok(Some(class)),
            _ => {
                let bytes = runtime::junit4_filter_class();
                let name = c"tamis/junit/SelectedMethods";
                jni.define_class(name, Some(loader), &bytes).map(Some)
            }
        }
    })?;
    class.ok_or(Thrown)
}

/// Whether one of the tests of a description must run, as the filter asks.
fn is_selected(agent: &Agent, jni: &mut Jni<'_>, of: Object<'_>) -> bool {
    let mut selected = false;
    let whole = jni.frame(|jni| {
        each_test(jni, of, &mut |jni, description| {
            let part = part_of(jni, description);
            selected |= !part.is_some_and(|(_, part)| session::is_part_skipped(agent, jni, &part));
        })
    });
    selected || whole.is_none()
}

/// An event of a single test from a notifier.
#[derive(Clone, Copy)]
enum SingleTest {
    Started,
    Finished,
    Ignored,
}

/// A notifier says something of a single test.
fn single_test(
    agent: &Agent,
    jni: &mut Jni<'_>,
    notifier: Object<'_>,
    description: Object<'_>,
    what: SingleTest,
) {
    if matches!(what, SingleTest::Started) {
        ending::before_tests(agent, jni, "JUnit 4 without a test class");
    }
    if !agent.config.by_method || is_of_test(jni, notifier) {
        return;
    }
    let Some((class, part)) = jni.frame(|jni| part_of(jni, description)) else {
        agent.state().units.merge_all();
        return;
    };
    let mut state = agent.state();
    let Some(parts) = state.units.splittable(&class) else {
        state.units.merge_all();
        return;
    };
    parts.have_own_objects();
    // A notifier that extends another says it twice.
    let is_active = parts.is_active(&part);
    drop(state);
    match what {
        SingleTest::Started if is_active => {}
        SingleTest::Started => session::part_started(agent, jni, &class, &part),
        SingleTest::Finished => session::part_finished(agent, jni, &class, &part),
        SingleTest::Ignored => session::part_outcome(agent, &class, &part, Outcome::Ignored),
    }
}

/// A notifier says that something failed: a single test, or more than that.
fn failed(
    agent: &Agent,
    jni: &mut Jni<'_>,
    notifier: Object<'_>,
    failure: Object<'_>,
    outcome: Outcome,
) {
    if is_of_test(jni, notifier) {
        return;
    }
    if outcome == Outcome::Aborted && !jni.frame(|jni| is_by_assumption(jni, failure)) {
        match jni.frame(|jni| test_of_failure(jni, failure)) {
            Some(test) => agent.state().units.cut(&test),
            None => agent.distrust("a test was aborted, and not by an assumption".into()),
        }
    }
    let part = match agent.config.by_method {
        true => jni.frame(|jni| part_of(jni, description(jni, failure)?)),
        false => None,
    };
    match part {
        Some((class, part)) => session::part_outcome(agent, &class, &part, outcome),
        None => {
            let test = jni.frame(|jni| test_of_failure(jni, failure));
            session::outcome(agent, test.as_deref(), outcome);
        }
    }
}

/// Whether an assumption aborted a test, and not somebody who stopped it.
fn is_by_assumption(jni: &Jni<'_>, failure: Object<'_>) -> bool {
    let signature = c"()Ljava/lang/Throwable;";
    // SAFETY: takes nothing and returns an exception or null.
    let thrown = unsafe { jni.call_object(failure, c"getException", signature, &[]) };
    thrown.is_ok_and(|thrown| thrown.is_some_and(|thrown| is_assumption(jni, thrown)))
}

/// Whether this exception says that an assumption does not hold.
pub(super) fn is_assumption(jni: &Jni<'_>, thrown: Object<'_>) -> bool {
    const OF_ASSUMPTIONS: [&str; 2] = [
        // That of JUnit 4 extends the old one of that name.
        "org.junit.internal.AssumptionViolatedException",
        "org.opentest4j.TestAbortedException",
    ];
    has_superclass(jni, thrown, |name| {
        OF_ASSUMPTIONS.contains(&name).then_some(true)
    })
}

/// Whether a runner is one of JUnit's own, whose tests are methods that know nothing of each other.
fn is_of_junit(agent: &Agent, jni: &Jni<'_>, runner: Object<'_>) -> bool {
    let class = jni.class_of(runner).ok();
    let name = class.and_then(|class| string(jni, class, c"getName"));
    name.is_some_and(|name| {
        name.starts_with("org.junit.") && agent.archives.has(name.replace('.', "/").as_bytes())
    })
}

/// Calls the method in which the hook stands; an exception stays pending.
fn call_run(jni: &Jni<'_>, runner: Object<'_>, notifier: Object<'_>) -> bool {
    // SAFETY: the hook stands in a method of this name and descriptor, called with this notifier.
    unsafe {
        let signature = c"(Lorg/junit/runner/notification/RunNotifier;)V";
        jni.call_void_leaving_exception(runner, c"run", signature, &[notifier])
            .is_ok()
    }
}

fn is_in_test(agent: &Agent, jni: &Jni<'_>, notifier: Object<'_>) -> bool {
    let mut state = STATE.lock();
    state
        .runs
        .is_foreign(jni, notifier, agent.is_inside_a_test())
}

/// Tests that a test runs itself always run, and their failures are its own business.
fn run_in_test(jni: &Jni<'_>, runner: Object<'_>, notifier: Object<'_>, test: &str) -> bool {
    let Ok(own) = jni.global(notifier) else {
        return false;
    };
    if push(jni, &RUNNING, runner, test, Frames::InTest(own)).is_none() {
        return false;
    }
    let called = call_run(jni, runner, notifier);
    let thrown = jni.take_pending();
    pop(&RUNNING);
    if let Some(thrown) = thrown {
        // SAFETY: it was thrown.
        unsafe { jni.throw(thrown) };
    }
    called
}

/// Whether what this notifier is told belongs to tests that a test runs itself.
fn is_of_test(jni: &Jni<'_>, notifier: Object<'_>) -> bool {
    RUNNING.with_borrow(|frames| {
        frames.iter().any(|frame| match &frame.kind {
            Frames::InTest(own) => jni.same(Some(own.object()), Some(notifier)),
            _ => false,
        })
    })
}

/// Some tests of a runner's class may be left out: what it will use is then not all that it can
/// use. What Surefire leaves out is the build's setting, and the command tells if the user asked
/// for less.
fn filtered(agent: &Agent, jni: &mut Jni<'_>, runner: Object<'_>) -> Option<()> {
    if !surefire::started_this_jvm() && !FILTERING.get() {
        let (test, tests) =
            jni.frame(|jni| Some((test_of_runner(jni, runner)?, tests_of_runner(jni, runner)?)))?;
        agent.state().units.filtered(test, tests);
    }
    Some(())
}

/// Notes whether a class has fewer tests now than before they were filtered.
fn note_cut(agent: &Agent, jni: &mut Jni<'_>, runner: Object<'_>, test: &str) {
    let before = agent.state().units.unfiltered(test);
    if before.is_some() && jni.frame(|jni| tests_of_runner(jni, runner)) != before {
        agent.state().units.cut(test);
    }
}

/// `builder.safeRunnerForClass(class)` is called: what it executes (parameters, for example)
/// belongs to that class.
fn build(agent: &Agent, jni: &mut Jni<'_>, builder: Object<'_>, class: Object<'_>) -> bool {
    if goes_through(jni, &BUILDING, class) {
        return false;
    }
    let Some(test) = jni.frame(|jni| string(jni, class, c"getName")) else {
        return false;
    };
    if push(jni, &BUILDING, class, &test, Frames::Construction).is_none() {
        return false;
    }
    let boundary = |jni: &Jni<'_>, starts: bool| {
        let mut state = agent.state();
        probes::settle(agent, &mut state, jni);
        if starts {
            state.units.construction_started(&test, thread());
        } else {
            state.units.construction_ended(&test, thread());
        }
    };
    boundary(jni, true);
    // SAFETY: the hook stands in the method of this name and descriptor, called with this class.
    let runner = unsafe {
        let signature = c"(Ljava/lang/Class;)Lorg/junit/runner/Runner;";
        jni.call_object(builder, c"safeRunnerForClass", signature, &[class])
    };
    if let Ok(Some(runner)) = runner
        && jni.frame(|jni| described_class(jni, runner)).as_ref() != Some(&test)
    {
        STATE.lock().misnamed.add(jni, runner, &test);
    }
    boundary(jni, false);
    pop(&BUILDING);
    let built = match runner {
        Ok(Some(runner)) => jni.global(runner).ok(),
        // `null` is a legal answer: no runner fits. The original call says so again.
        _ => None,
    };
    let taken = built.is_some();
    BUILT.set(built);
    taken
}

/// The runner that the last [`build`] of this thread made.
fn built<'f>(jni: &Jni<'f>) -> Option<Object<'f>> {
    jni.local(&BUILT.take()?).ok()
}

/// The test class of a runner: the one it was made for, or else the one it describes.
fn test_of_runner(jni: &mut Jni<'_>, runner: Object<'_>) -> Option<String> {
    let made_for = STATE.lock().misnamed.class_of(jni, runner);
    made_for.or_else(|| jni.frame(|jni| described_class(jni, runner)))
}

fn described_class(jni: &Jni<'_>, runner: Object<'_>) -> Option<String> {
    test_of_description(jni, description(jni, runner)?)
}

/// Surefire is about to run a class and to write about it: whether it need not.
pub(super) fn is_left_out(agent: &Agent, jni: &mut Jni<'_>, class: Object<'_>) -> Option<bool> {
    let test = jni.frame(|jni| string(jni, class, c"getName"))?;
    Some(session::is_unaffected(agent, jni, &test) && session::is_skipped(agent, jni, &test))
}

/// Whether a runner runs other test classes. `Parameterized` and `Enclosed` are suites only in
/// their implementation: what they run belongs to one class.
fn is_suite(jni: &Jni<'_>, runner: Object<'_>) -> bool {
    has_superclass(jni, runner, |name| match name {
        "org.junit.runners.Suite" => Some(true),
        "org.junit.runners.Parameterized" | "org.junit.experimental.runners.Enclosed" => {
            Some(false)
        }
        _ => None,
    })
}
