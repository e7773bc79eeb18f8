//! Watchers of everything that tests use beside code. Each module watches one kind of access, through its own hooks and
//! native methods, keeps what it saw until the next boundary, and emits events there as a [`Watcher`].

pub(crate) mod arguments;
pub(crate) mod callers;
pub(crate) mod class_readers;
pub(crate) mod environment;
pub(crate) mod file_natives;
pub(crate) mod files;
pub(crate) mod inputs;
pub(crate) mod jdk_caches;

pub(crate) mod lookups;
pub(crate) mod outside;
pub(crate) mod processes;
pub(crate) mod reflection;
pub(crate) mod resources;
pub(crate) mod test_files;

use crate::agent::{Agent, State};

/// The events since the last boundary, as numbers of [pseudo-probes](crate::pseudo_probes): they are attributed to units
/// like probe hits.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// For the units that are active.
    pub(crate) seen: Vec<u32>,
    /// For all units that end later: the JDK caches the result.
    pub(crate) cached_by_jdk: Vec<u32>,
    /// For the units that are active on a thread.
    pub(crate) on_threads: Vec<(u64, u32)>,
}

/// Watches one kind of events.
pub(crate) trait Watcher {
    /// Adds the events since the last call.
    fn emit(&self, agent: &Agent, state: &mut State, events: &mut Events);

    /// A test class starts.
    fn unit_starts(&self) {}

    /// A single test starts, or the one that runs ends.
    fn at_single_test(&self, _starts: bool) {}
}

/// All of them. Files come before the log of inputs, to which they add.
fn all(agent: &Agent) -> [&dyn Watcher; 6] {
    [
        &agent.lookups,
        &agent.files,
        &agent.environment,
        &agent.inputs,
        &agent.settings,
        &agent.cached_objects,
    ]
}

/// The events since the last call.
pub(crate) fn events(agent: &Agent, state: &mut State) -> Events {
    let mut events = Events::default();
    for watcher in all(agent) {
        watcher.emit(agent, state, &mut events);
    }
    events
}

/// A test class starts.
pub(crate) fn unit_starts(agent: &Agent) {
    all(agent).iter().for_each(|watcher| watcher.unit_starts());
}

/// A single test starts, or the one that runs ends.
pub(crate) fn at_single_test(agent: &Agent, starts: bool) {
    all(agent)
        .iter()
        .for_each(|watcher| watcher.at_single_test(starts));
}
