//! Objects that frameworks cache for several tests: contexts, stores.

use crate::agent::{Agent, State, thread};
use crate::pseudo_probes::PseudoProbe;
use crate::watchers::{Events, Watcher};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_jvmti::{Jni, Object};

/// The first number of the roots that are objects in caches of frameworks.
pub(super) const CACHED_OBJECTS: u32 = 1 << 30;

/// The objects that frameworks cache for several tests.
#[derive(Default)]
pub(crate) struct CachedObjects(Mutex<Registry>);

#[derive(Default)]
struct Registry {
    /// The numbers of objects, by their identities and keys.
    numbers: HashMap<(i64, u128), u32>,
    names: Vec<String>,
    /// Those that were used since the last boundary, with the threads that used them.
    used: HashSet<(u64, u32)>,
}

impl CachedObjects {
    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The numbers of those that were used since the last call, with the threads that used them.
    fn take(&self) -> HashSet<(u64, u32)> {
        std::mem::take(&mut self.registry().used)
    }

    pub(super) fn name(&self, object: u32) -> Option<String> {
        self.registry().names.get(object as usize).cloned()
    }
}

impl Watcher for CachedObjects {
    fn emit(&self, _: &Agent, state: &mut State, events: &mut Events) {
        for (thread, object) in self.take() {
            let event = state.classes.pseudo_probe(PseudoProbe::Shared(object));
            events.on_threads.push((thread, event));
        }
    }
}

/// An object that a framework caches for several tests.
pub(crate) struct CachedObject {
    /// Its number, by its identity.
    identity: i64,
    /// The name of its class.
    pub(crate) class: String,
}

/// Identifies an object that a framework caches.
pub(crate) fn identified(
    agent: &Agent,
    jni: &mut Jni<'_>,
    object: Object<'_>,
) -> Option<CachedObject> {
    let facts = agent.facts.get().filter(|_| agent.config.records)?;
    let identified = jni.frame(|jni| agent.statics.identity(facts.jvmti, jni, object));
    let (identity, class) = identified?;
    Some(CachedObject { identity, class })
}

/// A number for a text or a class, the same for equal ones; 0 for any other object.
pub(crate) fn content(agent: &Agent, jni: &mut Jni<'_>, object: Object<'_>) -> Option<u128> {
    let facts = agent.facts.get()?;
    jni.frame(|jni| agent.statics.content(facts.jvmti, jni, object))
}

/// Notes the use of a cached object, by the key and the name that the framework has for it. Whoever uses it may
/// change it.
pub(crate) fn used(agent: &Agent, object: &CachedObject, key: u128, name: String) {
    let mut registry = agent.cached_objects.registry();
    let registry = &mut *registry;
    let number = *registry
        .numbers
        .entry((object.identity, key))
        .or_insert_with(|| {
            registry.names.push(name);
            registry.names.len() as u32 - 1
        });
    registry.used.insert((thread(), number));
}
