//! Finds the roots that a unit changed.

use super::{OUTSIDE, cached_objects_used, roots_touched};
use crate::agent::{Agent, State};
use crate::pseudo_probes::PseudoProbe;
use crate::sharing::settings::{SETTINGS, Sample};
use crate::sharing::statics::{EMPTY, RootComparison};
use std::collections::HashSet;
use tamis_attribution::{Bits, Shared, State as RootState};
use tamis_jvmti::{Jni, Jvmti};

/// The roots that are compared when something ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All roots that are known: it may have reached their objects unseen, through the JDK or a library.
    All,
    /// The roots that it touched, and all of them if one of these changed.
    Touched,
}

/// A unit that ended.
#[derive(Clone, Copy)]
pub(crate) struct Ran<'a> {
    /// The number of the unit.
    pub(crate) unit: u32,
    /// What it executed.
    pub(crate) executed: &'a Bits,
    /// The classes of its tests (internal names).
    pub(crate) classes: &'a [Vec<u8>],
}

/// The result of a comparison.
#[derive(Default)]
pub(crate) struct Found {
    /// The roots that changed.
    pub(crate) changed: Vec<u32>,
    /// How many references were followed.
    pub(super) followed: usize,
}

/// Finds the roots that a unit changed which ends now.
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
    for object in cached_objects_used(&state.classes, ran.executed) {
        state.shared.observe(ran.unit, object, RootState::Unknown);
        found.changed.push(object);
    }
    found
}

/// Finds the settings that changed and the files that were written until something ended.
pub(super) fn changed_settings(
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
    let written = state.classes.numbers_in(ran.executed, |event| match event {
        PseudoProbe::Written(number) => Some(number),
        _ => None,
    });
    for written in written {
        let root = SETTINGS + written;
        state.shared.observe(ran.unit, root, RootState::Unknown);
        changed.push(root);
    }
    changed
}

/// Finds the static fields that changed until something ended.
pub(super) fn changed_statics(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    ran: Ran<'_>,
    extent: Extent,
) -> Found {
    let touched = roots_touched(agent, state, ran.executed, ran.classes);
    // Objects that frameworks cache may lead to the same objects.
    let uses_cached = cached_objects_used(&state.classes, ran.executed)
        .next()
        .is_some();
    if touched.is_empty() && !uses_cached && extent == Extent::Touched {
        return Found::default();
    }
    compare(
        agent,
        jvmti,
        jni,
        state,
        (ran.unit, touched, uses_cached),
        extent,
    )
}

/// An initializer ended while units ran: what it read may be other than before them, and its result stays, also if
/// they put that back. So they count as ones that changed it.
pub(super) fn changed_for_initializer(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    executed: &Bits,
    settings: Option<Sample>,
) {
    let active = match state.units.active() {
        active if active.is_empty() => vec![OUTSIDE],
        active => active,
    };
    let Some(&unit) = active.first() else { return };
    let named = state
        .classes
        .roots_named(&agent.statics, &state.classes.uses(executed));
    let mut changed = match named.is_empty() {
        true => Vec::new(),
        false => {
            let around = (unit, named, false);
            compare(agent, jvmti, jni, state, around, Extent::Touched).changed
        }
    };
    changed.extend(
        settings
            .into_iter()
            .flat_map(|settings| agent.settings.changed(settings, &mut state.shared, unit)),
    );
    for unit in active {
        for root in &changed {
            state.shared.also_changed_by(unit, *root);
        }
        state
            .parts
            .entry(unit)
            .or_default()
            .changed
            .extend(&changed);
    }
}

/// Compares these roots with their last states, and all others if one of these changed.
fn compare(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    (unit, touched, uses_cached): (u32, Vec<u32>, bool),
    extent: Extent,
) -> Found {
    let shared = &mut state.shared;
    agent.statics.compare(jvmti, jni, |compared| {
        let (mut changed, unknown) = compare_roots(compared, shared, unit, &touched);
        count_unknown(shared, unit, unknown, &mut changed);
        // A class that was initialized amid a change is as it was, and what it leads to is not.
        let may_have_changed = !changed.is_empty() || uses_cached || compared.has_changes();
        if may_have_changed || extent == Extent::All {
            // So may other fields.
            let touched: HashSet<u32> = touched.into_iter().collect();
            let others = (0..compared.len()).filter(|root| !touched.contains(root));
            let is_known = |root: &u32| shared.knows(*root) || compared.is_known_empty(*root);
            let others: Vec<u32> = others.filter(is_known).collect();
            let (also_changed, unknown) = compare_roots(compared, shared, unit, &others);
            changed.extend(also_changed);
            if !changed.is_empty() || uses_cached || compared.has_changes() {
                count_unknown(shared, unit, unknown, &mut changed);
            }
            compared.was_at_all();
        }
        Found {
            changed,
            followed: compared.followed(),
        }
    })
}

/// Counts these roots as changed, too.
fn count_unknown(shared: &mut Shared, unit: u32, unknown: Vec<u32>, changed: &mut Vec<u32>) {
    for root in &unknown {
        shared.observe(unit, *root, RootState::Unknown);
    }
    changed.extend(unknown);
}

/// The roots among these that changed, and those whose state is unknown.
fn compare_roots(
    compared: &mut RootComparison<'_, '_, '_>,
    shared: &mut Shared,
    unit: u32,
    roots: &[u32],
) -> (Vec<u32>, Vec<u32>) {
    let (mut changed, mut unknown) = (Vec::new(), Vec::new());
    for (root, seen) in compared.states(roots) {
        let Some(seen) = seen else { continue };
        if compared.starts_empty(root) {
            shared.baseline(root, EMPTY);
        }
        match seen {
            RootState::Unknown => unknown.push(root),
            seen if shared.observe(unit, root, seen) => changed.push(root),
            RootState::Seen(_) => {}
        }
    }
    (changed, unknown)
}
