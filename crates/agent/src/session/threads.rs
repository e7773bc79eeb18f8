//! Credits a unit with the methods that other threads are executing when it starts.

use crate::agent::{Agent, State};
use std::collections::HashSet;
use tamis_jvmti::Jni;

/// Credits active units with the methods that are on other threads' stacks. Methods entered later leave their
/// traces, so this comes behind the boundary.
pub(super) fn credit_other_threads(agent: &Agent, jni: &mut Jni<'_>) {
    let running = running(agent, jni);
    credit(&mut agent.state(), &running, agent.config.receivers);
}

/// The classes of which other threads are executing methods: what goes on now left its traces in
/// what came before.
fn running(agent: &Agent, jni: &mut Jni<'_>) -> HashSet<Vec<u8>> {
    let facts = agent.facts.get().filter(|_| agent.config.records);
    let running = facts.map(|facts| facts.jvmti.classes_on_other_stacks(jni));
    match running {
        Some(Ok(classes)) => classes,
        Some(Err(error)) => {
            agent.distrust(format!("other threads could not be seen: {error}"));
            HashSet::new()
        }
        None => HashSet::new(),
    }
}

/// Credits active units with whatever may go on in these classes; with `receivers`, on any object.
fn credit(state: &mut State, running: &HashSet<Vec<u8>>, receivers: bool) {
    let names = running.iter();
    let names = names.filter_map(|class| class.strip_prefix(b"L")?.strip_suffix(b";"));
    let mut probes: Vec<u32> = names
        .flat_map(|name| state.classes.all_probes(name))
        .collect();
    if receivers {
        let pairs = probes.iter().map(|probe| state.classes.pair(*probe, None));
        let pairs: Vec<u32> = pairs.flatten().collect();
        probes.extend(pairs);
    }
    state.units.executed(&probes.into_iter().collect());
}
