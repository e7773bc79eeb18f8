//! Which roots a unit changed: where to look when it ends, and how much.

use super::{OUTSIDE, keepers, roots_touched};
use crate::agent::{Agent, State};
use crate::marks::Mark;
use crate::sharing::settings::{SETTINGS, Sample};
use crate::sharing::statics::{EMPTY, RootComparison};
use std::collections::HashSet;
use tamis_attribution::{Bits, Shared, State as RootState};
use tamis_jvmti::{Jni, Jvmti};

/// Where to look when something ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At all roots that are known: it may have come to their objects by ways that nobody sees, through
    /// the JDK or a library.
    All,
    /// At the roots that it touched, and at all if something changed there.
    Touched,
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
    pub(super) followed: usize,
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
pub(super) fn changed_statics(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    ran: Ran<'_>,
    extent: Extent,
) -> Found {
    let touched = roots_touched(agent, state, ran.executed, ran.classes);
    // What is kept elsewhere may lead to the same objects.
    let is_kept = keepers(&state.classes, ran.executed).next().is_some();
    if touched.is_empty() && !is_kept && extent == Extent::Touched {
        return Found::default();
    }
    compare(
        agent,
        jvmti,
        jni,
        state,
        (ran.unit, touched, is_kept),
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

/// Compares these roots with what they were, and all others if something changed there.
fn compare(
    agent: &Agent,
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    state: &mut State,
    (unit, touched, is_kept): (u32, Vec<u32>, bool),
    extent: Extent,
) -> Found {
    let shared = &mut state.shared;
    agent.statics.compare(jvmti, jni, |compared| {
        let (mut changed, unknown) = look_at(compared, shared, unit, &touched);
        count_unknown(shared, unit, unknown, &mut changed);
        // A class that was initialized amid a change is as it was, and what it leads to is not.
        let may_have_changed = !changed.is_empty() || is_kept || compared.has_changes();
        if may_have_changed || extent == Extent::All {
            // So may other fields.
            let touched: HashSet<u32> = touched.into_iter().collect();
            let others = (0..compared.len()).filter(|root| !touched.contains(root));
            let is_known = |root: &u32| shared.knows(*root) || compared.is_known_empty(*root);
            let others: Vec<u32> = others.filter(is_known).collect();
            let (also_changed, unknown) = look_at(compared, shared, unit, &others);
            changed.extend(also_changed);
            if !changed.is_empty() || is_kept || compared.has_changes() {
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

/// These roots count as changed, too.
fn count_unknown(shared: &mut Shared, unit: u32, unknown: Vec<u32>, changed: &mut Vec<u32>) {
    for root in &unknown {
        shared.look(unit, *root, RootState::Unknown);
    }
    changed.extend(unknown);
}

/// Those of these roots that changed, and those of which nobody can say.
fn look_at(
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
            seen if shared.look(unit, root, seen) => changed.push(root),
            RootState::Seen(_) => {}
        }
    }
    (changed, unknown)
}
