//! Objects that frameworks keep for several tests.

use crate::agent::{Agent, State, thread};
use crate::marks::Mark;
use crate::watchers::{Events, Watcher};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_jvmti::{Jni, Object};

/// Where the numbers of roots start that are no static fields: objects that frameworks keep for several
/// tests.
pub(super) const KEEPERS: u32 = 1 << 30;

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
    fn take(&self) -> HashSet<(u64, u32)> {
        std::mem::take(&mut self.kept().used)
    }

    pub(super) fn name(&self, keeper: u32) -> Option<String> {
        self.kept().names.get(keeper as usize).cloned()
    }
}

impl Watcher for Keepers {
    fn emit(&self, _: &Agent, state: &mut State, events: &mut Events) {
        for (thread, keeper) in self.take() {
            let event = state.classes.mark(Mark::Shared(keeper));
            events.on_threads.push((thread, event));
        }
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
