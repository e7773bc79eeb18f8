//! State that units share: which roots a unit changed, and what it inherits from those that changed the
//! roots it reads. The rule and its argument stand in [`tamis_attribution::Shared`].

mod cached_objects;
mod changes;
pub(crate) mod settings;
mod single;
pub(crate) mod statics;

pub(crate) use cached_objects::{CachedObjects, content, identified, used};
pub(crate) use changes::{Extent, Ran, changed_roots};
pub(crate) use single::{SharedByParts, part_finished, together};

use crate::agent::{Agent, State};
use crate::classes::{Classes, Used};
use crate::pseudo_probes::PseudoProbe;
use crate::sharing::settings::{SETTINGS, Sample};
use cached_objects::CACHED_OBJECTS;
use changes::{changed_for_initializer, changed_settings, changed_statics};
use std::collections::HashSet;
use tamis_attribution::{Bits, Heritage};
use tamis_code::references::StaticField;
use tamis_jvmti::{Jni, Jvmti, Object};
use tamis_recording::Inherited;

/// How many units are named from which another one inherits through one root.
const NAMED: usize = 5;

/// The initializer of a class ends, in which this ran: notes how its static fields start out, and what units changed
/// that it read.
pub(crate) fn initialized(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    (class, executed): (u32, &Bits),
    settings: Option<Sample>,
) {
    let Some(class) = state.classes.get(class) else {
        return;
    };
    let initial = agent.statics.initial(jvmti, jni, state.classes.name(class));
    for (root, seen) in initial {
        if let Some(seen) = seen {
            state.shared.baseline(root, seen);
        }
    }
    changed_for_initializer(agent, jvmti, jni, state, executed, settings);
}

/// Reflection comes to a final static field, of this name and type, of a class (with its internal name):
/// from now on it may change.
pub(crate) fn may_be_set(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    (name, class): (&[u8], Object<'_>),
    (field, descriptor): (&[u8], &[u8]),
) {
    let field = StaticField {
        name: field,
        descriptor,
        is_offered: false,
        is_open: false,
    };
    let added = agent.statics.add(jni, name, class, field);
    // Otherwise it is looked at when the initializer ends.
    let is_initialized = jvmti.is_initialized(class).unwrap_or(false);
    if let Some(root) = added.filter(|_| is_initialized) {
        let mut state = agent.state();
        for (root, seen) in agent.statics.are(jvmti, jni, &[root]) {
            if let Some(seen) = seen {
                state.shared.baseline(root, seen);
            }
        }
    }
}

/// The number of what ran outside all tests, as a unit.
const OUTSIDE: u32 = u32::MAX;

/// A unit starts while no other runs: what ran outside all units until now may have changed roots.
pub(crate) fn outside(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    settings: Option<Sample>,
) {
    let Some(newly) = state.units.newly_outside() else {
        return;
    };
    let ran = Ran {
        unit: OUTSIDE,
        executed: &newly,
        classes: &[],
    };
    let mut found = changed_statics(agent, jvmti, jni, state, ran, Extent::Touched);
    let by_initializers = state.parts.remove(&OUTSIDE).unwrap_or_default();
    found.changed.extend(by_initializers.changed);
    found
        .changed
        .extend(changed_settings(agent, state, ran, settings));
    if !found.changed.is_empty() {
        let footprint = state.units.ever_outside().clone();
        state.shared.keep(OUTSIDE, footprint);
        let name = "what ran outside all tests".to_owned();
        state.names.insert(OUTSIDE, name);
    }
}

/// A sample of the settings of the JVM, if somebody may have changed them.
pub(crate) fn settings_if_they_may_differ(agent: &Agent, jni: &mut Jni<'_>) -> Option<Sample> {
    let may_differ = agent.config.records && agent.settings.may_differ();
    may_differ.then(|| settings(agent, jni)).flatten()
}

/// A sample of the settings of the JVM.
pub(crate) fn settings(agent: &Agent, jni: &mut Jni<'_>) -> Option<Sample> {
    let sample = settings::sample(agent, jni);
    if sample.is_none() {
        agent.distrust("this JVM does not show its properties and defaults".into());
    }
    sample
}

/// The dependencies of a unit that executed this, with those that it inherits.
pub(crate) fn dependencies(agent: &Agent, state: &State, ran: Ran<'_>) -> Used {
    let names = || ran.classes.iter().map(Vec::as_slice);
    let used = state.classes.dependencies(ran.executed, names());
    let heritage = state
        .shared
        .heritage(roots_read(agent, state, &used, ran.classes));
    let inherited = named(agent, state, &heritage, ran.unit);
    if inherited.is_empty() {
        return used;
    }
    let mut probes = ran.executed.clone();
    probes.union(&heritage.footprint);
    Used {
        inherited,
        ..state.classes.dependencies(&probes, names())
    }
}

/// The roots that a unit may have read which has used this.
fn roots_read(agent: &Agent, state: &State, used: &Used, classes: &[Vec<u8>]) -> Vec<u32> {
    let is_accessed = |class: &[u8]| agent.reflection.is_accessed(class);
    let mut roots = state
        .classes
        .roots_read(&agent.statics, &used.statics, is_accessed);
    roots.extend(state.classes.roots_offered(&agent.statics, classes));
    roots.extend(cached_objects_used(&state.classes, &used.probes));
    roots.extend(agent.settings.roots_read(&state.classes, &used.probes));
    roots
}

/// The roots of the objects that frameworks cache and that were used.
fn cached_objects_used(classes: &Classes, probes: &Bits) -> impl Iterator<Item = u32> {
    let objects = classes.numbers_in(probes, |event| match event {
        PseudoProbe::Shared(number) => Some(CACHED_OBJECTS + number),
        _ => None,
    });
    objects.into_iter()
}

/// The static fields that tests of these classes touch which executed this.
fn roots_touched(agent: &Agent, state: &State, executed: &Bits, classes: &[Vec<u8>]) -> Vec<u32> {
    let uses = state.classes.uses(executed);
    let is_accessed = |class: &[u8]| agent.reflection.is_accessed(class);
    let mut roots = state
        .classes
        .roots_touched(&agent.statics, &uses, is_accessed);
    roots.extend(state.classes.roots_offered(&agent.statics, classes));
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// The roots that a part of a class touches which executed this, or that initializers read for it.
fn touched(agent: &Agent, state: &State, executed: &Bits, classes: &[Vec<u8>]) -> HashSet<u32> {
    let mut roots = roots_touched(agent, state, executed, classes);
    let names = classes.iter().map(Vec::as_slice);
    let used = state.classes.dependencies(executed, names);
    roots.extend(roots_read(agent, state, &used, classes));
    let cached = cached_objects_used(&state.classes, executed);
    let settings = agent.settings.roots_read(&state.classes, executed);
    roots.into_iter().chain(cached).chain(settings).collect()
}

/// The roots that unit `of` inherits through, and the units from which it does, by their names.
fn named(agent: &Agent, state: &State, heritage: &Heritage, of: u32) -> Vec<Inherited> {
    let each = |(root, units): (&u32, &Vec<u32>)| {
        let units = units.iter().filter(|unit| **unit != of);
        let names = units.filter_map(|unit| state.names.get(unit)).cloned();
        Inherited {
            through: name(agent, *root),
            from: names.take(NAMED).collect(),
        }
    };
    let all = heritage.from.iter().map(each);
    all.filter(|inherited| !inherited.from.is_empty()).collect()
}

/// The name of a root.
pub(crate) fn name(agent: &Agent, root: u32) -> String {
    let name = match (root.checked_sub(CACHED_OBJECTS), root.checked_sub(SETTINGS)) {
        (Some(object), _) => agent.cached_objects.name(object),
        (None, Some(setting)) => agent.settings.name(setting, &agent.config.project),
        (None, None) => agent.statics.name(root),
    };
    name.unwrap_or_default()
}
