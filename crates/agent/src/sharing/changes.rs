//! Which roots a unit changed: where to look when it ends, and how much.

use super::{keepers, roots_touched};
use crate::agent::{Agent, State};
use crate::marks::Mark;
use crate::sharing::settings::{SETTINGS, Sample};
use crate::sharing::statics::{EMPTY, RootComparison};
use std::collections::HashSet;
use tamis_attribution::{Bits, Shared, State as RootState};
use tamis_jvmti::{Jni, Jvmti};

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
pub(super) struct Around {
    pub(super) unit: u32,
    /// The roots that it touches or reads.
    pub(super) roots: Vec<u32>,
    /// It uses what is kept elsewhere: that may lead to the same objects.
    pub(super) is_kept: bool,
    pub(super) extent: Extent,
}

/// Looks at some roots, those around them, and at all if one of these changed: others may lead to the same
/// objects.
pub(super) fn look_around(
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
    agent.statics.compare(jvmti, jni, |compared| {
        let (mut changed, mut unknown) = look_at(compared, shared, unit, &roots);
        // A class that was initialized amid a change is as it was, and what it leads to is not.
        let mut may_have_changed =
            is_kept || !changed.is_empty() || !unknown.is_empty() || compared.has_changes();
        let roots: HashSet<u32> = roots.into_iter().collect();
        let others =
            (0..compared.len()).filter(|root| !roots.contains(root) && shared.knows(*root));
        let (near, far) = compared.split(others.collect(), extent.around());
        let mut others_unknown = Vec::new();
        let mut others_at =
            |compared: &mut RootComparison<'_, '_, '_>, shared: &mut Shared, roots: &[u32]| {
                let (also_changed, also_unknown) = look_at(compared, shared, unit, roots);
                changed.extend(also_changed);
                others_unknown.extend(also_unknown);
                !changed.is_empty() || compared.has_changes()
            };
        if may_have_changed || looks_around {
            may_have_changed |= others_at(compared, shared, &near);
        }
        let at_all = may_have_changed || is_due;
        if at_all {
            let before = compared.followed();
            may_have_changed |= others_at(compared, shared, &far);
            if extent == Extent::Unit {
                pace.looked(compared.followed() - before);
            }
            compared.was_at_all();
        }
        if may_have_changed {
            unknown.extend(others_unknown);
        }
        let has_changed = !changed.is_empty() || compared.has_changes();
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
            followed: compared.followed(),
        }
    })
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
