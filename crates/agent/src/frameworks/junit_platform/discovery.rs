//! The discovery of the JUnit Platform, in which a filter leaves out what need not run.

use super::STATE;
use super::descriptors::{
    class_of_container, classes_around, has_no_children, is_container, is_engine, is_suite,
    single_test, suites_around, unique_id,
};
use crate::agent::Agent;
use crate::frameworks::java::{each, optional, string};
use crate::frameworks::surefire;
use crate::session;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::CStr;
use tamis_identity::is_part;
use tamis_instrument::runtime;
use tamis_jvmti::{Jni, Object, Thrown, Weak};

/// Gives a discovery request the filter that asks [`is_excluded`].
pub(super) fn add_filter(
    agent: &Agent,
    jni: &mut Jni<'_>,
    request: Object<'_>,
) -> Result<(), Thrown> {
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
        let surefire = surefire::started_this_jvm();
        let selected = list_in(jni, request, c"selectors")?;
        let selectors = classes_in(jni, selected)?;
        note_parts(jni, selected)?;
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
    [
        "MethodSelector",
        "UniqueIdSelector",
        "IterationSelector",
        "NestedClassSelector",
    ]
    .iter()
    .any(|single| selector.ends_with(single))
}

/// Keeps the classes around nested ones that this request asks for alone: of them it may run only a
/// part. Whether it does is seen when their descriptors start; Surefire also asks for classes only to
/// know whether they have tests.
fn note_parts(jni: &mut Jni<'_>, selectors: Object<'_>) -> Result<(), Thrown> {
    let mut names = Vec::new();
    each(jni, selectors, |jni, selector| {
        let kind = string(jni, jni.class_of(selector)?, c"getName");
        if kind.is_some_and(|kind| kind.ends_with(".ClassSelector")) {
            names.extend(string(jni, selector, c"getClassName"));
        }
        Ok(())
    })?;
    let mut partial = HashSet::new();
    for name in names.iter().filter(|name| name.contains('$')) {
        if !names
            .iter()
            .any(|other| other != name && is_part(name, other))
        {
            let ends = name.match_indices('$');
            partial.extend(ends.filter_map(|(end, _)| Some(name.get(..end)?.to_owned())));
        }
    }
    PARTIAL.set(partial);
    Ok(())
}

thread_local! {
    /// The classes of which the request whose tests this thread filters may run only a part.
    static PARTIAL: RefCell<HashSet<String>> = RefCell::default();
}

/// Descriptors of test classes of which only a part was asked for.
#[derive(Default)]
pub(super) struct PartialClasses(Vec<Weak>);

impl PartialClasses {
    /// Whether this descriptor is one of them.
    pub(super) fn contains(&self, jni: &Jni<'_>, descriptor: Object<'_>) -> bool {
        let mut all = self.0.iter();
        all.any(|partial| jni.is(partial, Some(descriptor)))
    }
}

/// Keeps the descriptor if it stands for a class of which only a part was asked for.
fn note_partial(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) {
    if PARTIAL.with_borrow(HashSet::is_empty) {
        return;
    }
    let class = class_of_container(jni, descriptor);
    let is_partial = |class: &String| PARTIAL.with_borrow(|partial| partial.contains(class));
    if let Some(class) = class.filter(is_partial) {
        match jni.weak(descriptor) {
            Ok(descriptor) => STATE.lock().partial_classes.0.push(descriptor),
            Err(Thrown) => agent.state().units.cut(&class),
        }
    }
}

fn list_in<'f>(jni: &Jni<'f>, object: Object<'_>, field: &CStr) -> Result<Object<'f>, Thrown> {
    // SAFETY: a list is an object.
    unsafe { jni.field(object, field, LIST)?.ok_or(Thrown) }
}

/// The names of the classes of a list's elements.
fn classes_in(jni: &mut Jni<'_>, list: Object<'_>) -> Result<Vec<String>, Thrown> {
    let mut names = Vec::new();
    each(jni, list, |jni, element| {
        names.extend(string(jni, jni.class_of(element)?, c"getName"));
        Ok(())
    })?;
    Ok(names)
}

/// The filter's class, in the loader of the platform itself, so that it sees the platform's types
/// wherever those live.
fn filter_class<'f>(jni: &Jni<'f>, request: Object<'_>) -> Result<Object<'f>, Thrown> {
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
pub(super) fn is_excluded(
    agent: &Agent,
    jni: &mut Jni<'_>,
    descriptor: Object<'_>,
) -> Option<bool> {
    if is_container(jni, descriptor)? {
        note_partial(agent, jni, descriptor);
        let childless = has_no_children(jni, descriptor)?;
        if is_emptied_suite(jni, descriptor) {
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
    let decided = STATE.lock().last_parent.decision(jni, parent);
    if own.is_none()
        && let Some(decided) = decided
    {
        return Some(decided || is_part_excluded(agent, jni, descriptor));
    }
    let mut classes = classes_around(jni, descriptor);
    classes.extend(own.clone());
    let innermost = classes.last()?;
    // Nested classes belong to the outermost class around them.
    let test = classes
        .iter()
        .find(|outer| is_part(innermost, outer))?
        .clone();
    let by_part = agent.config.by_method && !session::is_unaffected(agent, jni, &test);
    if by_part
        && jni
            .frame(|jni| single_test(&unique_id(jni, descriptor)?))
            .is_some()
    {
        STATE.lock().last_parent.set(jni, parent, false);
        return Some(is_part_excluded(agent, jni, descriptor));
    }
    let skipped = session::is_skipped(agent, jni, &test);
    let id = if skipped {
        jni.frame(|jni| unique_id(jni, descriptor))
    } else {
        None
    };
    let mut state = STATE.lock();
    for suite in id.iter().flat_map(|id| suites_around(id)) {
        state.cut_suites.insert(suite.to_owned());
    }
    if skipped {
        classes.retain(|class| !is_part(class, &test));
        agent.state().units.mark_containers(&classes);
    }
    if own.is_none() {
        state.last_parent.set(jni, parent, skipped);
    }
    Some(skipped)
}

/// Whether a single test of a class of which others run is left out.
fn is_part_excluded(agent: &Agent, jni: &mut Jni<'_>, descriptor: Object<'_>) -> bool {
    let test = match agent.config.by_method {
        true => jni.frame(|jni| single_test(&unique_id(jni, descriptor)?)),
        false => None,
    };
    test.is_some_and(|test| session::is_part_skipped(agent, jni, &test.name))
}

/// Whether a descriptor is a suite in which nothing is left to run. The suite engine would call it
/// a failure: it looks for tests before the platform prunes what is empty.
fn is_emptied_suite(jni: &mut Jni<'_>, descriptor: Object<'_>) -> bool {
    if STATE.lock().cut_suites.is_empty() {
        return false;
    }
    let emptied = jni.frame(|jni| {
        let id = unique_id(jni, descriptor)?;
        let cut = is_suite(&id) && STATE.lock().cut_suites.contains(&id);
        (cut && !has_tests(jni, descriptor)?).then_some(id)
    });
    if let Some(id) = &emptied {
        let suites = suites_around(id).map(str::to_owned);
        STATE.lock().cut_suites.extend(suites);
    }
    emptied.is_some()
}

/// Whether anything below a descriptor can run: engines that found nothing are empty containers.
fn has_tests(jni: &mut Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    // SAFETY: takes nothing and returns a set.
    let below = unsafe {
        jni.call_object(descriptor, c"getDescendants", c"()Ljava/util/Set;", &[])
            .ok()??
    };
    let mut found = false;
    each(jni, below, |jni, below| {
        found |= !unique_id(jni, below).is_some_and(|id| is_engine(&id));
        Ok(())
    })
    .ok()?;
    Some(found)
}

fn remove(jni: &Jni<'_>, descriptor: Object<'_>) -> Option<()> {
    // SAFETY: takes nothing and returns nothing.
    unsafe {
        jni.call_void_leaving_exception(descriptor, c"removeFromHierarchy", c"()V", &[])
            .ok()?;
    }
    jni.take_pending().is_none().then_some(())
}

/// The decision about the last test: tests of one class come in a row and share their parent.
#[derive(Default)]
pub(super) struct LastParent(Option<(Weak, bool)>);

impl LastParent {
    fn decision(&self, jni: &Jni<'_>, parent: Option<Object<'_>>) -> Option<bool> {
        let (known, decision) = self.0.as_ref()?;
        (parent.is_some() && jni.is(known, parent)).then_some(*decision)
    }

    fn set(&mut self, jni: &Jni<'_>, parent: Option<Object<'_>>, decision: bool) {
        let parent = parent.and_then(|parent| jni.weak(parent).ok());
        self.0 = parent.map(|parent| (parent, decision));
    }
}
