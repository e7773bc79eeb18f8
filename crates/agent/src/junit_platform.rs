//! The JUnit Platform, whatever the engine: descriptors that start and end, and the discovery
//! filter that leaves out what need not run.

use crate::agent::Agent;
use crate::junit4::string;
use crate::session;
use crate::units::is_part;
use std::cell::Cell;
use std::ffi::CStr;
use std::sync::atomic::Ordering;
use tamis_instrument::runtime;
use tamis_jvmti::{Jni, Object, Thrown, Weak};
use tamis_recording::Outcome;

const CLASS_SOURCE: &str = "org.junit.platform.engine.support.descriptor.ClassSource";

/// What a method without parameters that returns an `Optional` holds.
fn optional<'f>(jni: Jni<'f>, object: Object<'_>, method: &CStr) -> Option<Object<'f>> {
    // SAFETY: all three take nothing; the first returns an `Optional`, the last an object.
    unsafe {
        let optional = jni
            .call_object(object, method, c"()Ljava/util/Optional;", &[])
            .ok()??;
        if !jni.call_boolean(optional, c"isPresent", c"()Z", &[]).ok()? {
            return None;
        }
        jni.call_object(optional, c"get", c"()Ljava/lang/Object;", &[])
            .ok()?
    }
}

/// Whether a descriptor may have children. Most have none: they are single tests, and for those
/// nothing more is asked.
fn is_container(jni: Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    // SAFETY: takes nothing and returns a boolean.
    unsafe {
        jni.call_boolean(descriptor, c"isContainer", c"()Z", &[])
            .ok()
    }
}

/// [`class_of`], without a look at single tests.
fn class_of_container(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    if is_container(jni, descriptor)? {
        class_of(jni, descriptor)
    } else {
        None
    }
}

/// The class that a descriptor stands for, if it stands for one.
fn class_of(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    jni.frame(|jni| {
        let source = optional(jni, descriptor, c"getSource")?;
        let kind = string(jni, jni.class_of(source).ok()?, c"getName")?;
        if kind == CLASS_SOURCE {
            string(jni, source, c"getClassName")
        } else {
            None
        }
    })
}

/// The classes that the descriptors around this one stand for, outermost first.
fn classes_around(jni: Jni<'_>, descriptor: Object<'_>) -> Vec<String> {
    jni.frame(|jni| {
        let mut names = Vec::new();
        let mut parent = optional(jni, descriptor, c"getParent");
        while let Some(this) = parent {
            names.extend(class_of(jni, this));
            parent = optional(jni, this, c"getParent");
        }
        names.reverse();
        names
    })
}

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
    let test = class_of(jni, descriptor)?;
    let around = classes_around(jni, descriptor);
    let suite = jni
        .frame(|jni| is_suite(&unique_id(jni, descriptor)?).then_some(()))
        .is_some();
    session::start(agent, jni, &test, around, suite);
    Some(())
}

fn unique_id(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    // SAFETY: takes nothing and returns a unique id.
    let id = unsafe {
        let signature = c"()Lorg/junit/platform/engine/UniqueId;";
        jni.call_object(descriptor, c"getUniqueId", signature, &[])
            .ok()??
    };
    string(jni, id, c"toString")
}

/// Whether this is the unique id of a suite, which runs other test classes.
fn is_suite(unique_id: &str) -> bool {
    let last = unique_id
        .rsplit_once('/')
        .map_or(unique_id, |(_, last)| last);
    last.starts_with("[suite:")
}

/// The unique ids of the suites that a descriptor is in.
fn suites_around(unique_id: &str) -> impl Iterator<Item = &str> {
    let ends = unique_id.match_indices("]/").map(|(at, _)| at + 1);
    ends.filter_map(|end| unique_id.get(..end))
        .filter(|id| is_suite(id))
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
    let test = class_of_container(jni, descriptor)?;
    if TESTS.get() > 0 {
        return None;
    }
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

/// Gives a discovery request the filter that asks [`is_excluded`].
pub(crate) fn add_filter(agent: &Agent, jni: Jni<'_>, request: Object<'_>) -> Result<(), Thrown> {
    const FILTERS: &CStr = c"postDiscoveryFilters";
    // A test that runs tests itself gets all of them.
    if agent.state().units.inside_test() {
        return Ok(());
    }
    jni.frame(|jni| {
        let old = list_in(jni, request, FILTERS)?;
        let others = classes_in(jni, old)?;
        if others
            .iter()
            .any(|class| class.replace('.', "/") == runtime::FILTER)
        {
            return Ok(());
        }
        let surefire = agent.surefire.load(Ordering::Acquire);
        let selectors = classes_in(jni, list_in(jni, request, c"selectors")?)?;
        // What Surefire filters is the build's setting; the command tells if the user asked for less.
        if selectors
            .iter()
            .any(|selector| picks_single_tests(selector))
            || (!surefire && !others.is_empty())
        {
            agent.distrust("only some of the tests of a class were asked for".into());
        }
        // SAFETY: the field is a list of filters; `ArrayList` takes a collection and has `add`;
        // a filter is an object with a constructor without parameters.
        unsafe {
            let filter = jni.new_object(filter_class(jni, request)?, c"()V", &[])?;
            let list = jni.find_class(c"java/util/ArrayList")?;
            let new = jni.new_object(list, c"(Ljava/util/Collection;)V", &[old])?;
            jni.call_boolean(new, c"add", c"(Ljava/lang/Object;)Z", &[filter])?;
            jni.set_field(request, FILTERS, LIST, new)
        }
    })
}

const LIST: &CStr = c"Ljava/util/List;";

/// Whether a selector of this class names less than a test class.
fn picks_single_tests(selector: &str) -> bool {
    ["MethodSelector", "UniqueIdSelector", "IterationSelector"]
        .iter()
        .any(|single| selector.ends_with(single))
}

fn list_in<'f>(jni: Jni<'f>, object: Object<'_>, field: &CStr) -> Result<Object<'f>, Thrown> {
    // SAFETY: a list is an object.
    unsafe { jni.field(object, field, LIST)?.ok_or(Thrown) }
}

/// Visits the elements of a collection.
fn each(
    jni: Jni<'_>,
    collection: Object<'_>,
    mut visit: impl FnMut(Jni<'_>, Object<'_>) -> Result<(), Thrown>,
) -> Result<(), Thrown> {
    // SAFETY: a collection has an iterator, and that has these two methods.
    unsafe {
        let iterator = jni.call_object(collection, c"iterator", c"()Ljava/util/Iterator;", &[])?;
        let iterator = iterator.ok_or(Thrown)?;
        while jni.call_boolean(iterator, c"hasNext", c"()Z", &[])? {
            jni.frame(|jni| {
                let next = jni.call_object(iterator, c"next", c"()Ljava/lang/Object;", &[])?;
                visit(jni, next.ok_or(Thrown)?)
            })?;
        }
    }
    Ok(())
}

/// The names of the classes of a list's elements.
fn classes_in(jni: Jni<'_>, list: Object<'_>) -> Result<Vec<String>, Thrown> {
    let mut names = Vec::new();
    each(jni, list, |jni, element| {
        names.extend(string(jni, jni.class_of(element)?, c"getName"));
        Ok(())
    })?;
    Ok(names)
}

/// The filter's class, in the loader of the platform itself, so that it sees the platform's types
/// wherever those live.
fn filter_class<'f>(jni: Jni<'f>, request: Object<'_>) -> Result<Object<'f>, Thrown> {
    let of = jni.class_of(request)?;
    // SAFETY: takes nothing and returns a class loader.
    let loader = unsafe {
        jni.call_object(of, c"getClassLoader", c"()Ljava/lang/ClassLoader;", &[])?
            .ok_or(Thrown)?
    };
    let name = jni.string(c"tamis.junit.SelectedTests")?;
    // SAFETY: takes a name and returns a class.
    let known = unsafe {
        let signature = c"(Ljava/lang/String;)Ljava/lang/Class;";
        jni.call_object(loader, c"loadClass", signature, &[name])
    };
    match known {
        Ok(Some(class)) => Ok(class),
        _ => jni.define_class(
            c"tamis/junit/SelectedTests",
            Some(loader),
            &runtime::filter_class(),
        ),
    }
}

/// Whether the filter leaves this descriptor out. The platform removes only descriptors without
/// children, and then containers that have become empty: so it is the leaves that are decided, each
/// by the test class it belongs to.
pub(crate) fn is_excluded(agent: &Agent, jni: Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    if is_container(jni, descriptor)? {
        let childless = has_no_children(jni, descriptor)?;
        if is_emptied_suite(agent, jni, descriptor) {
            if !childless {
                remove(jni, descriptor)?;
            }
            return Some(childless);
        }
        if !childless {
            return Some(false);
        }
    }
    let parent = optional(jni, descriptor, c"getParent");
    let own = class_of_container(jni, descriptor);
    if own.is_none()
        && let Some(decided) = agent.state().last_parent.decision(jni, parent)
    {
        return Some(decided);
    }
    let mut classes = classes_around(jni, descriptor);
    classes.extend(own.clone());
    let innermost = classes.last()?;
    // Nested classes belong to the outermost class around them.
    let test = classes
        .iter()
        .find(|outer| is_part(innermost, outer))?
        .clone();
    let skipped = session::is_skipped(agent, jni, &test);
    let id = if skipped {
        jni.frame(|jni| unique_id(jni, descriptor))
    } else {
        None
    };
    let mut state = agent.state();
    for suite in id.iter().flat_map(|id| suites_around(id)) {
        state.cut_suites.insert(suite.to_owned());
    }
    if skipped {
        classes.retain(|class| !is_part(class, &test));
        state.units.mark_containers(&classes);
    }
    if own.is_none() {
        state.last_parent.set(jni, parent, skipped);
    }
    Some(skipped)
}

/// Whether a descriptor is a suite in which nothing is left to run. The suite engine would call it
/// a failure: it looks for tests before the platform prunes what is empty.
fn is_emptied_suite(agent: &Agent, jni: Jni<'_>, descriptor: Object<'_>) -> bool {
    if agent.state().cut_suites.is_empty() {
        return false;
    }
    let emptied = jni.frame(|jni| {
        let id = unique_id(jni, descriptor)?;
        let cut = is_suite(&id) && agent.state().cut_suites.contains(&id);
        (cut && !has_tests(jni, descriptor)?).then_some(id)
    });
    if let Some(id) = &emptied {
        let mut state = agent.state();
        state
            .cut_suites
            .extend(suites_around(id).map(str::to_owned));
    }
    emptied.is_some()
}

/// Whether anything below a descriptor can run: engines that found nothing are empty containers.
fn has_tests(jni: Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    // SAFETY: takes nothing and returns a set.
    let below = unsafe {
        jni.call_object(descriptor, c"getDescendants", c"()Ljava/util/Set;", &[])
            .ok()??
    };
    let mut found = false;
    each(jni, below, |jni, below| {
        let is_engine = unique_id(jni, below).is_some_and(|id| {
            id.rsplit('/')
                .next()
                .is_some_and(|s| s.starts_with("[engine:"))
        });
        found |= !is_engine;
        Ok(())
    })
    .ok()?;
    Some(found)
}

fn remove(jni: Jni<'_>, descriptor: Object<'_>) -> Option<()> {
    // SAFETY: takes nothing and returns nothing.
    unsafe {
        jni.call_void_leaving_exception(descriptor, c"removeFromHierarchy", c"()V", &[])
            .ok()?;
    }
    jni.take_pending().is_none().then_some(())
}

fn has_no_children(jni: Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    jni.frame(|jni| {
        // SAFETY: takes nothing and returns a set, which has `isEmpty`.
        unsafe {
            let children = jni
                .call_object(descriptor, c"getChildren", c"()Ljava/util/Set;", &[])
                .ok()??;
            jni.call_boolean(children, c"isEmpty", c"()Z", &[]).ok()
        }
    })
}

/// The decision about the last test: tests of one class come in a row and share their parent.
#[derive(Default)]
pub(crate) struct LastParent(Option<(Weak, bool)>);

impl LastParent {
    fn decision(&self, jni: Jni<'_>, parent: Option<Object<'_>>) -> Option<bool> {
        let (known, decision) = self.0.as_ref()?;
        (parent.is_some() && jni.is(known, parent)).then_some(*decision)
    }

    fn set(&mut self, jni: Jni<'_>, parent: Option<Object<'_>>, decision: bool) {
        let new = parent
            .and_then(|p| jni.weak(p).ok())
            .map(|weak| (weak, decision));
        if let Some((old, _)) = std::mem::replace(&mut self.0, new) {
            jni.drop_weak(old);
        }
    }
}
