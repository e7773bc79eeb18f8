//! State that units share: which roots a unit changed, and what it inherits from those that changed the
//! roots it reads. The rule and its argument stand in [`tamis_attribution::Shared`].

pub(crate) mod settings;
pub(crate) mod statics;

use crate::agent::{Agent, State, thread};
use crate::classes::{Classes, Used};
use crate::marks::Mark;
use crate::sharing::settings::{SETTINGS, Sample};
use crate::sharing::statics::{EMPTY, Looking};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_attribution::{Bits, Heritage, Part, Shared, State as RootState};
use tamis_instrument::references::StaticField;
use tamis_jvmti::{Jni, Jvmti, Object};
use tamis_recording::Inherited;

/// Where the numbers of roots start that are no static fields: objects that frameworks keep for several
/// tests.
const KEEPERS: u32 = 1 << 30;

/// The objects that frameworks keep for several tests.
#[derive(Default)]
pub(crate) struct Keepers(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// Their numbers, by their identities and keys.
    numbers: HashMap<(i64, u128), u32>,
    names: Vec<String>,
    /// Those that were used since the last boundary, with the threads that used them.
    used: HashSet<(u64, u32)>,
}

impl Keepers {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of those that were used since the last call, with the threads that used them.
    pub(crate) fn take(&self) -> HashSet<(u64, u32)> {
        std::mem::take(&mut self.kept().used)
    }

    fn name(&self, keeper: u32) -> Option<String> {
        self.kept().names.get(keeper as usize).cloned()
    }
}

/// An object that a framework keeps for several tests.
pub(crate) struct KeptObject {
    /// Its number, by its identity.
    identity: i64,
    /// The name of its class.
    pub(crate) class: String,
}

/// What an object is that a framework keeps.
pub(crate) fn identified(
    agent: &Agent,
    jni: &mut Jni<'_>,
    object: Object<'_>,
) -> Option<KeptObject> {
    let facts = agent.facts.get().filter(|_| agent.config.records)?;
    let identified = jni.frame(|jni| agent.statics.identity(facts.jvmti, jni, object));
    let (identity, class) = identified?;
    Some(KeptObject { identity, class })
}

/// A number for a text or a class, the same for equal ones; 0 for any other object.
pub(crate) fn content(agent: &Agent, jni: &mut Jni<'_>, object: Object<'_>) -> Option<u128> {
    let facts = agent.facts.get()?;
    jni.frame(|jni| agent.statics.content(facts.jvmti, jni, object))
}

/// An object is used that a framework keeps, under this key, and calls so. Whoever uses it may change it.
pub(crate) fn used(agent: &Agent, object: &KeptObject, key: u128, name: String) {
    let mut kept = agent.keepers.kept();
    let kept = &mut *kept;
    let number = *kept
        .numbers
        .entry((object.identity, key))
        .or_insert_with(|| {
            kept.names.push(name);
            kept.names.len() as u32 - 1
        });
    kept.used.insert((thread(), number));
}

/// How many units are named from which another one inherits through one root.
const NAMED: usize = 5;

/// The initializer of a class ends: notes how its static fields start out.
pub(crate) fn initialized(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    class: u32,
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
    let mut found = changed_statics(agent, jvmti, jni, state, ran, Extent::Outside);
    found
        .changed
        .extend(changed_settings(agent, state, ran, settings));
    if !found.changed.is_empty() {
        let footprint = state.units.ever_outside().clone();
        state.shared.keep(OUTSIDE, footprint);
        let name = "what ran outside all tests".to_owned();
        state.names.insert(OUTSIDE, name);
    }
    state.shared.has_ended(OUTSIDE);
}

/// What ends, which says where to look beside the roots that it touched: it may have come to the objects of
/// others by ways that nobody sees, through the JDK or a library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A unit: at all roots that are known. Those that lead to much have to wait; who looks at them later
    /// blames it, too.
    Unit,
    /// A single test: at some.
    Part,
    /// What ran outside of tests: at none, unless something changed.
    Outside,
}

impl Extent {
    /// How many references are followed from roots that were not touched.
    fn around(self) -> usize {
        match self {
            Extent::Unit => 5_000,
            Extent::Part => 500,
            Extent::Outside => 0,
        }
    }
}

/// When the next look at all roots is due: the more it costs, the more units share it.
#[derive(Default)]
pub(crate) struct Pace {
    /// How many references were followed last time from those that have to wait.
    cost: usize,
    /// How many may be followed.
    saved: usize,
}

impl Pace {
    /// A unit ends: whether a look is due.
    fn is_due(&mut self) -> bool {
        self.saved += Extent::Unit.around();
        self.saved >= self.cost
    }

    fn looked(&mut self, followed: usize) {
        *self = Pace {
            cost: followed,
            saved: 0,
        };
    }
}

/// What ended.
#[derive(Clone, Copy)]
pub(crate) struct Ran<'a> {
    /// The number of the unit.
    pub(crate) unit: u32,
    /// What it executed.
    pub(crate) executed: &'a Bits,
    /// The classes of its tests (internal names).
    pub(crate) classes: &'a [Vec<u8>],
}

/// What a look found.
#[derive(Default)]
pub(crate) struct Found {
    /// The roots that changed.
    pub(crate) changed: Vec<u32>,
    /// How many references were followed.
    followed: usize,
}

/// The roots that something changed which ends.
pub(crate) fn changed_roots(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    ran: Ran<'_>,
    extent: Extent,
    settings: Option<Sample>,
) -> Found {
    let mut found = changed_statics(agent, jvmti, jni, state, ran, extent);
    found
        .changed
        .extend(changed_settings(agent, state, ran, settings));
    for keeper in keepers(&state.classes, ran.executed) {
        state.shared.look(ran.unit, keeper, RootState::Unknown);
        found.changed.push(keeper);
    }
    found
}

/// The settings that changed by the time that something ends, and the files that it wrote.
fn changed_settings(
    agent: &Agent,
    state: &mut State,
    ran: Ran<'_>,
    settings: Option<Sample>,
) -> Vec<u32> {
    let mut changed = match settings {
        Some(settings) => agent
            .settings
            .changed(settings, &mut state.shared, ran.unit),
        None => Vec::new(),
    };
    let written = state.classes.marked(ran.executed, |mark| match mark {
        Mark::Written(number) => Some(number),
        _ => None,
    });
    for written in written {
        let root = SETTINGS + written;
        state.shared.look(ran.unit, root, RootState::Unknown);
        changed.push(root);
    }
    changed
}

/// The static fields that changed by the time that something ends.
fn changed_statics(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    ran: Ran<'_>,
    extent: Extent,
) -> Found {
    let Ran { unit, executed, .. } = ran;
    let around = Around {
        unit,
        roots: roots_touched(agent, state, executed, ran.classes),
        is_kept: keepers(&state.classes, executed).next().is_some(),
        extent,
    };
    look_around(agent, jvmti, jni, state, around)
}

/// Where to look on behalf of a unit.
struct Around {
    unit: u32,
    /// The roots that it touches or reads.
    roots: Vec<u32>,
    /// It uses what is kept elsewhere: that may lead to the same objects.
    is_kept: bool,
    extent: Extent,
}

/// Looks at some roots, those around them, and at all if one of these changed: others may lead to the same
/// objects.
fn look_around(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    around: Around,
) -> Found {
    let Around {
        unit,
        roots,
        is_kept,
        extent,
    } = around;
    let looks_around = extent != Extent::Outside;
    if roots.is_empty() && !is_kept && !looks_around {
        return Found::default();
    }
    let (shared, pace) = (&mut state.shared, &mut state.pace);
    let is_due = extent == Extent::Unit && pace.is_due();
    agent.statics.look(jvmti, jni, |look| {
        let (mut changed, mut unknown) = look_at(look, shared, unit, &roots);
        // A class that was initialized amid a change is as it was, and what it leads to is not.
        let mut may_have_changed =
            is_kept || !changed.is_empty() || !unknown.is_empty() || look.has_changes();
        let roots: HashSet<u32> = roots.into_iter().collect();
        let others = (0..look.len()).filter(|root| !roots.contains(root) && shared.knows(*root));
        let (near, far) = look.split(others.collect(), extent.around());
        let mut others_unknown = Vec::new();
        let mut others_at = |look: &mut Looking<'_, '_, '_>, shared: &mut Shared, roots: &[u32]| {
            let (also_changed, also_unknown) = look_at(look, shared, unit, roots);
            changed.extend(also_changed);
            others_unknown.extend(also_unknown);
            !changed.is_empty() || look.has_changes()
        };
        if may_have_changed || looks_around {
            may_have_changed |= others_at(look, shared, &near);
        }
        let at_all = may_have_changed || is_due;
        if at_all {
            let before = look.followed();
            may_have_changed |= others_at(look, shared, &far);
            if extent == Extent::Unit {
                pace.looked(look.followed() - before);
            }
            look.was_at_all();
        }
        if may_have_changed {
            unknown.extend(others_unknown);
        }
        let has_changed = !changed.is_empty() || look.has_changes();
        for root in &unknown {
            shared.look(unit, *root, RootState::Unknown);
            if has_changed {
                shared.blame(unit, *root);
            }
        }
        changed.extend(unknown);
        if at_all {
            shared.saw_all();
        }
        Found {
            changed,
            followed: look.followed(),
        }
    })
}

/// Those of these roots that changed, and those of which nobody can say.
fn look_at(
    look: &mut Looking<'_, '_, '_>,
    shared: &mut Shared,
    unit: u32,
    roots: &[u32],
) -> (Vec<u32>, Vec<u32>) {
    let (mut changed, mut unknown) = (Vec::new(), Vec::new());
    for (root, seen) in look.states(roots) {
        let Some(seen) = seen else { continue };
        if look.starts_empty(root) {
            shared.baseline(root, EMPTY);
        }
        match seen {
            RootState::Unknown => unknown.push(root),
            seen if shared.look(unit, root, seen) => changed.push(root),
            RootState::Seen(_) => {}
        }
    }
    (changed, unknown)
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

/// How many references are followed after single tests of one class.
const MOST_AFTER_PARTS: usize = 100_000;

/// What the single tests of a class did to shared state.
#[derive(Default)]
pub(crate) struct SharedByParts {
    /// The roots that they changed.
    pub(crate) changed: Vec<u32>,
    /// The roots that those touched after which nobody looked.
    unseen: HashSet<u32>,
    /// How many references were followed.
    followed: usize,
}

/// A single test ended: the roots that it changed count for its class, also if another test puts them
/// back. Where much would have to be looked at, it counts as one that changed all that it touches.
pub(crate) fn part_finished(
    agent: &Agent,
    jni: &mut Jni<'_>,
    class: &str,
    part: &str,
) -> Option<()> {
    let facts = agent.facts.get().filter(|_| agent.config.records)?;
    let settings = settings_if_they_may_differ(agent, jni);
    let mut state = agent.state();
    let state = &mut *state;
    let unit = state.units.around(class)?;
    let (id, parts) = (unit.id, unit.parts_of_class.as_ref()?);
    let executed = parts.probes_of(part)?.clone();
    let classes = [class.replace('.', "/").into_bytes()];
    let before = state.parts.entry(id).or_default();
    if before.followed < MOST_AFTER_PARTS {
        let ran = Ran {
            unit: id,
            executed: &executed,
            classes: &classes,
        };
        let found = changed_roots(agent, facts.jvmti, jni, state, ran, Extent::Part, settings);
        let parts = state.parts.entry(id).or_default();
        parts.changed.extend(found.changed);
        parts.followed += found.followed;
    } else {
        let touched = touched(agent, state, &executed, &classes);
        state.parts.entry(id).or_default().unseen.extend(touched);
    }
    Some(())
}

/// What a unit depends on, with what it inherits, and the roots that are found changed only now.
pub(crate) fn dependencies(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    ran: Ran<'_>,
) -> (Used, Vec<u32>) {
    let names = || ran.classes.iter().map(Vec::as_slice);
    let used = state.classes.dependencies(ran.executed, names());
    let read = roots_read(agent, state, &used, ran.classes);
    let is_stale = |root: &u32| !state.shared.is_seen(*root);
    let around = Around {
        unit: ran.unit,
        roots: read.iter().copied().filter(is_stale).collect(),
        is_kept: false,
        extent: Extent::Outside,
    };
    let found = look_around(agent, jvmti, jni, state, around);
    let heritage = state.shared.heritage(ran.unit, read);
    let inherited = named(agent, state, &heritage, ran.unit);
    if inherited.is_empty() {
        return (used, found.changed);
    }
    let mut probes = ran.executed.clone();
    probes.union(&heritage.footprint);
    let used = Used {
        inherited,
        ..state.classes.dependencies(&probes, names())
    };
    (used, found.changed)
}

/// What each test of a class executed, with what ran outside all of them, and with what all executed if it
/// touches changed state.
pub(crate) fn together(
    agent: &Agent,
    state: &State,
    classes: &[Vec<u8>],
    (parts, shared, outer): (&[Part], &Bits, &Bits),
    by_parts: &SharedByParts,
    changed: &[u32],
) -> Vec<Bits> {
    // Two roots may lead to the same objects.
    let mut changed: HashSet<u32> = changed.iter().copied().collect();
    changed.extend(&by_parts.unseen);
    let does_touch = |executed: &Bits| {
        !changed.is_empty() && !touched(agent, state, executed, classes).is_disjoint(&changed)
    };
    // What made the runner may have handed objects to all tests.
    let all_touch = does_touch(outer);
    let touches = |part: &Part| all_touch || does_touch(&part.probes);
    let parts = parts.iter().map(|part| (part, touches(part)));
    let parts: Vec<(&Part, bool)> = parts.collect();
    // Any of them may have changed it, through the JDK also one that does not touch it.
    let mut of_all = shared.clone();
    parts
        .iter()
        .for_each(|(part, _)| of_all.union(&part.probes));
    let with_others = |(part, touches): (&Part, bool)| {
        let mut probes = part.probes.clone();
        probes.union(if touches { &of_all } else { shared });
        probes
    };
    parts.into_iter().map(with_others).collect()
}

/// The roots that a unit may have read which has used this.
fn roots_read(agent: &Agent, state: &State, used: &Used, classes: &[Vec<u8>]) -> Vec<u32> {
    let is_accessed = |class: &[u8]| agent.looks.is_accessed(class);
    let mut roots = state
        .classes
        .roots_read(&agent.statics, &used.statics, is_accessed);
    roots.extend(state.classes.roots_offered(&agent.statics, classes));
    roots.extend(keepers(&state.classes, &used.probes));
    roots.extend(agent.settings.roots_read(&state.classes, &used.probes));
    roots
}

fn keepers(classes: &Classes, probes: &Bits) -> impl Iterator<Item = u32> {
    let keepers = classes.marked(probes, |mark| match mark {
        Mark::Shared(number) => Some(KEEPERS + number),
        _ => None,
    });
    keepers.into_iter()
}

/// The static fields that tests of these classes touch which executed this.
fn roots_touched(agent: &Agent, state: &State, executed: &Bits, classes: &[Vec<u8>]) -> Vec<u32> {
    let uses = state.classes.uses(executed);
    let is_accessed = |class: &[u8]| agent.looks.is_accessed(class);
    let mut roots = state
        .classes
        .roots_touched(&agent.statics, &uses, is_accessed);
    roots.extend(state.classes.roots_offered(&agent.statics, classes));
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// The roots that a part of a class touches which executed this.
fn touched(agent: &Agent, state: &State, executed: &Bits, classes: &[Vec<u8>]) -> HashSet<u32> {
    let roots = roots_touched(agent, state, executed, classes);
    let keepers = keepers(&state.classes, executed);
    let settings = agent.settings.roots_read(&state.classes, executed);
    roots.into_iter().chain(keepers).chain(settings).collect()
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
    let name = match (root.checked_sub(KEEPERS), root.checked_sub(SETTINGS)) {
        (Some(keeper), _) => agent.keepers.name(keeper),
        (None, Some(setting)) => agent.settings.name(setting, &agent.config.project),
        (None, None) => agent.statics.name(root),
    };
    name.unwrap_or_default()
}
