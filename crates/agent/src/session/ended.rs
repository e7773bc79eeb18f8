//! Dependencies of a test class that ends, or of each of its single tests.

use crate::agent::{Agent, State, thread};
use crate::classes::Used;
use crate::probes;
use crate::sharing::{self, Extent, Ran};
use crate::watchers::outside;
use crate::watchers::reflection;
use tamis_attribution::{Bits, Leaf, TestClass};
use tamis_inputs::CLASS_PATH;
use tamis_jvmti::Jni;

/// A test class that has ended.
pub(super) struct Ended {
    pub(super) class: TestClass,
    /// What it depends on.
    pub(super) used: UsedBy,
    /// Classes of which the first object was made since the last unit ended.
    pub(super) created: Vec<u32>,
    /// Classes that were asked for their members since then for the first time.
    pub(super) inspected: Vec<u32>,
    /// The classes of both that the spool does not know yet, and their locations.
    pub(super) untold: Vec<u32>,
    pub(super) places: Vec<u32>,
    /// Names of their supertypes that may be types of the JDK and are not recorded yet.
    pub(super) supertypes: Vec<Vec<u8>>,
    /// The roots of shared state that it changed, by their names.
    pub(super) changed: Vec<String>,
}

/// The dependencies of a class that is one unit, or of each of its single tests.
pub(super) enum UsedBy {
    Class(Box<Used>),
    Tests(Vec<(Leaf, Used)>),
}

impl UsedBy {
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Used> {
        let (class, tests) = match self {
            UsedBy::Class(used) => (Some(&mut **used), &mut [][..]),
            UsedBy::Tests(tests) => (None, &mut tests[..]),
        };
        let tests = tests.iter_mut().map(|(_, used)| used);
        class.into_iter().chain(tests)
    }

    fn all(&self) -> impl Iterator<Item = &Used> {
        let (class, tests) = match self {
            UsedBy::Class(used) => (Some(&**used), &[][..]),
            UsedBy::Tests(tests) => (None, &tests[..]),
        };
        class.into_iter().chain(tests.iter().map(|(_, used)| used))
    }
}

/// The test class that ends with `test`, and what it depends on.
pub(super) fn settle(agent: &Agent, jni: &mut Jni<'_>, test: &str) -> Option<Ended> {
    let settings = match agent.config.records {
        true => sharing::settings(agent, jni),
        false => None,
    };
    let mut state = agent.state();
    let state = &mut *state;
    probes::settle(agent, state, jni);
    reflection::settle(agent, &mut state.classes);
    for seen in state.units.settle_initializers(thread()) {
        state.classes.initialized(&seen);
    }
    let mut class = state.units.finish(test)?;
    let executed = class.unit.ran();
    let inspected = state.classes.newly_asked();
    let test_classes = test_classes(state, &class);
    // What names others looked up before does not matter.
    let outer = state.classes.with_names_if_asked(&class.outer).into_owned();
    let tests = tests_apart(agent, state, &mut class, test, &test_classes);
    let facts = agent.facts.get()?;
    let by_parts = state.parts.remove(&class.id).unwrap_or_default();
    let jvmti = facts.jvmti;
    let ran = Ran {
        unit: class.id,
        executed: &executed,
        classes: &test_classes,
    };
    let found = sharing::changed_roots(agent, jvmti, jni, state, ran, Extent::All, settings);
    let mut changed = [&by_parts.changed[..], &found.changed].concat();
    changed.sort_unstable();
    changed.dedup();
    let dependencies = |state: &State, probes: &Bits| {
        let ran = Ran {
            executed: probes,
            ..ran
        };
        sharing::dependencies(agent, state, ran)
    };
    let mut used = match tests {
        None => {
            let mut probes = executed.clone();
            probes.union(&outer);
            UsedBy::Class(Box::new(dependencies(state, &probes)))
        }
        Some(tests) => {
            let of_class = (&tests[..], &outer);
            let executed =
                sharing::together(agent, state, &test_classes, of_class, &by_parts, &changed);
            let dependencies = |probes: &Bits| dependencies(state, probes);
            UsedBy::Tests(used_by_tests(tests, executed, dependencies))
        }
    };
    state.names.insert(class.id, class.name().to_owned());
    if !changed.is_empty() {
        let mut footprint = Bits::default();
        used.all().for_each(|used| footprint.union(&used.probes));
        state.shared.keep(class.id, footprint);
    }
    let changed = changed.iter().map(|root| sharing::name(agent, *root));
    let changed: Vec<String> = changed.collect();
    for used in used.all_mut() {
        complete(agent, state, used);
    }
    let mut ended = Ended {
        class,
        used,
        created: state.classes.created(state.units.ever()),
        inspected,
        untold: Vec::new(),
        places: Vec::new(),
        supertypes: Vec::new(),
        changed,
    };
    find_untold(state, &mut ended);
    Some(ended)
}

/// The dependencies of each test, by what it executed.
fn used_by_tests(
    tests: Vec<Leaf>,
    executed: Vec<Bits>,
    dependencies: impl Fn(&Bits) -> Used,
) -> Vec<(Leaf, Used)> {
    let mut all: Vec<(Leaf, Bits, Used)> = Vec::new();
    for (test, probes) in tests.into_iter().zip(executed) {
        // Those that share state have executed the same.
        let same = all.iter().find(|(_, others, _)| *others == probes);
        let used = match same {
            Some((_, _, used)) => used.clone(),
            None => dependencies(&probes),
        };
        all.push((test, probes, used));
    }
    let all = all.into_iter().map(|(test, _, used)| (test, used));
    all.collect()
}

/// The internal names of the classes that a test class consists of or runs in.
fn test_classes(state: &State, class: &TestClass) -> Vec<Vec<u8>> {
    let internal = |name: &str| name.replace('.', "/").into_bytes();
    let mut names: Vec<Vec<u8>> = class.classes().map(internal).collect();
    names.extend(state.classes.nested_in(&internal(class.name())));
    names
}

/// The single tests of a class that ends with `test`, if they can be told apart.
fn tests_apart(
    agent: &Agent,
    state: &mut State,
    class: &mut TestClass,
    test: &str,
    test_classes: &[Vec<u8>],
) -> Option<Vec<Leaf>> {
    if class.is_container || class.unit.is_whole() {
        return None;
    }
    let (locations, project) = (&mut state.locations, &agent.config.project);
    let is_own = |location: u32| !locations.is_library(location, project);
    let names = test_classes.iter().map(Vec::as_slice);
    if state.classes.are_ordered(names, is_own) {
        return None;
    }
    let constructors = state.classes.constructors_of(test);
    class.unit.merge_if_outside(&constructors);
    class.unit.split()
}

/// Completes what was used by what must be asked of the JVM only where somebody depends on it.
fn complete(agent: &Agent, state: &mut State, used: &mut Used) {
    used.inputs
        .extend(state.classes.linked_inputs(&used.linked));
    if used.packages {
        used.inputs.push(state.classes.manifests());
    }
    if used.class_path {
        let value = agent.environment.property(CLASS_PATH);
        used.inputs.push(state.classes.class_path(value));
    }
    if agent.facts.get().is_some_and(|facts| facts.has_modules) {
        used.inputs.push(state.classes.declarations());
    }
    used.inputs.sort_unstable();
    used.inputs.dedup();
    used.classes.extend(state.classes.absent(&used.absent));
    used.classes.sort_unstable();
}

/// Finds what the spool does not know yet of the classes that count.
fn find_untold(state: &mut State, ended: &mut Ended) {
    let used = || ended.used.all();
    let receivers = used().flat_map(|used| &used.receivers);
    let receivers = receivers.map(|(_, class)| class);
    let classes = used().flat_map(|used| &used.classes);
    let classes = classes.chain(receivers);
    let classes = classes.chain(&ended.created).chain(&ended.inspected);
    let mut classes: Vec<u32> = classes.copied().collect();
    classes.sort_unstable();
    classes.dedup();
    for id in classes {
        if let Some(class) = state.classes.get(id).filter(|class| !class.written) {
            ended.untold.push(id);
            ended.places.push(class.location);
            outside::add_supertypes(&class.print, &mut ended.supertypes);
        }
    }
    ended.places.sort_unstable();
    ended.places.dedup();
    let supertypes = &mut ended.supertypes;
    supertypes.retain(|name| outside::has_copies(name) || state.classes.find(name).is_none());
    state.outside.narrow(supertypes);
}
