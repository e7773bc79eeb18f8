//! The log of inputs that were read since the last boundary.

use super::{Events, Watcher, callers};
use crate::agent::{Agent, State};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_inputs::{Aspect, Input};
use tamis_jvmti::Jni;

/// An input and its state.
pub(crate) type Seen = (Input<Vec<u8>>, Option<u128>);

/// The inputs since the last boundary.
#[derive(Debug, Default)]
pub(crate) struct InputLog(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    seen: HashSet<Seen>,
    /// The inputs of these that the JDK caches.
    cached: HashSet<Seen>,
    /// Files among them, and files that do not count.
    files: HashSet<(PathBuf, Aspect)>,
}

impl InputLog {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an input that the code on the stack reads.
    pub(crate) fn observe(&self, agent: &Agent, jni: &mut Jni<'_>, seen: Seen) {
        if !self.log().seen.contains(&seen) {
            let caller = callers::on_stack(agent, jni);
            self.see(seen, caller.caches_for_jvm);
        }
    }

    /// Notes an input; `is_cached` if the JDK caches it for later readers.
    pub(crate) fn see(&self, seen: Seen, is_cached: bool) {
        let mut log = self.log();
        if is_cached {
            log.cached.insert(seen.clone());
        }
        log.seen.insert(seen);
    }

    /// Whether as much of this file was seen.
    pub(super) fn has_file(&self, path: &Path, aspect: Aspect) -> bool {
        let log = self.log();
        let mut more = Aspect::ALL.into_iter().filter(|more| more.covers(aspect));
        more.any(|aspect| log.files.contains(&(path.to_owned(), aspect)))
    }

    /// Notes that the state of a file is known.
    pub(super) fn add_file(&self, path: PathBuf, aspect: Aspect) {
        self.log().files.insert((path, aspect));
    }

    /// The inputs since the last call, and whether each is cached; values only once they `are_known`.
    pub(super) fn take(&self, are_known: bool) -> Vec<(Seen, bool)> {
        let mut log = self.log();
        log.files.clear();
        let is_now = |(input, _): &Seen| {
            are_known || !matches!(input, Input::Property(_) | Input::Variable(_))
        };
        let seen = std::mem::take(&mut log.seen);
        let (now, later) = seen.into_iter().partition(is_now);
        log.seen = later;
        let now: HashSet<Seen> = now;
        let with_cached = |seen: Seen| {
            let is_cached = log.cached.remove(&seen);
            (seen, is_cached)
        };
        now.into_iter().map(with_cached).collect()
    }
}

impl Watcher for InputLog {
    fn emit(&self, agent: &Agent, state: &mut State, events: &mut Events) {
        for ((input, was), is_cached) in self.take(agent.environment.is_known()) {
            let value = agent.environment.value(&input);
            let event = state.classes.input((input, value.or(was)));
            events.seen.push(event);
            events.cached_by_jdk.extend(is_cached.then_some(event));
        }
    }
}
