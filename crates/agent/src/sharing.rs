//! State that units share: which roots a unit changed, and what it inherits from those that changed the
//! roots it reads. The rule and its argument stand in [`tamis_attribution::Shared`].

use crate::agent::{Agent, State};
use crate::classes::{Classes, Used};
use crate::statics::EMPTY;
use std::collections::HashSet;
use tamis_attribution::{Bits, Heritage, State as RootState};
use tamis_jvmti::{Jni, Jvmti};
use tamis_recording::Inherited;

/// Where the numbers of roots start that are no static fields: objects that frameworks keep for several
/// tests.
const KEEPERS: u32 = 1 << 30;

/// How many units are named from which another one inherits through one root.
const NAMED: usize = 5;

/// The initializer of a class ends: notes how its static fields start out.
pub(crate) fn initialized(
    agent: &Agent,
    jvmti: Jvmti,
    jni: Jni<'_>,
    state: &mut State,
    class: u32,
) {
    let Some(class) = state.classes.get(class) else {
        return;
    };
    for root in agent.statics.roots_of(state.classes.name(class)) {
        if let Some(seen) = agent.statics.state(jvmti, jni, root, true) {
            state.shared.baseline(root, seen);
        }
    }
}

/// The unit ends that executed this: the roots that it changed.
pub(crate) fn changed_roots(
    agent: &Agent,
    jvmti: Jvmti,
    jni: Jni<'_>,
    state: &mut State,
    unit: u32,
    executed: &Bits,
) -> Vec<u32> {
    let (statics, mut changed) = (&agent.statics, Vec::new());
    let touched = state
        .classes
        .roots_touched(statics, &state.classes.uses(executed));
    let mut look = |state: &mut State, root: u32| {
        if let Some(seen) = statics.state(jvmti, jni, root, false) {
            if statics.starts_empty(root) {
                state.shared.baseline(root, EMPTY);
            }
            if state.shared.look(unit, root, seen) {
                changed.push(root);
            }
        }
        !changed.is_empty()
    };
    let mut any = false;
    for root in &touched {
        any = look(state, *root);
    }
    if any {
        // The same objects may be reached from elsewhere.
        let touched: HashSet<u32> = touched.into_iter().collect();
        for root in (0..statics.len()).filter(|root| !touched.contains(root)) {
            if state.shared.knows(root) {
                look(state, root);
            }
        }
    }
    for keeper in state.classes.shared_in(executed) {
        state
            .shared
            .look(unit, KEEPERS + keeper, RootState::Unknown);
        changed.push(KEEPERS + keeper);
    }
    changed
}

/// What a unit inherits that has used this.
pub(crate) fn heritage(agent: &Agent, state: &State, used: &Used) -> Heritage {
    let mut roots = state.classes.roots_read(&agent.statics, &used.statics);
    roots.extend(keepers(&state.classes, &used.probes));
    state.shared.heritage(roots)
}

fn keepers(classes: &Classes, probes: &Bits) -> impl Iterator<Item = u32> {
    let keepers = classes.shared_in(probes).into_iter();
    keepers.map(|keeper| KEEPERS + keeper)
}

/// Whether a part of a class that executed this touches one of the roots that its class changed.
pub(crate) fn touches(agent: &Agent, state: &State, executed: &Bits, root: u32) -> bool {
    match root < KEEPERS {
        true => {
            let uses = state.classes.uses(executed);
            let touched = state.classes.roots_touched(&agent.statics, &uses);
            touched.binary_search(&root).is_ok()
        }
        false => keepers(&state.classes, executed).any(|keeper| keeper == root),
    }
}

/// The roots that unit `of` inherits through, and the units from which it does, by their names.
pub(crate) fn named(agent: &Agent, state: &State, heritage: &Heritage, of: u32) -> Vec<Inherited> {
    let each = |(root, units): (&u32, &Vec<u32>)| {
        let units = units.iter().filter(|unit| **unit != of);
        let names = units.filter_map(|unit| state.names.get(unit)).cloned();
        Inherited {
            through: name(agent, state, *root),
            from: names.take(NAMED).collect(),
        }
    };
    let all = heritage.from.iter().map(each);
    all.filter(|inherited| !inherited.from.is_empty()).collect()
}

/// The name of a root.
pub(crate) fn name(agent: &Agent, state: &State, root: u32) -> String {
    let name = match root.checked_sub(KEEPERS) {
        None => agent.statics.name(root),
        Some(keeper) => state.keepers.get(keeper as usize).cloned(),
    };
    name.unwrap_or_default()
}
