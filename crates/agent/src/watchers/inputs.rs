//! The inputs that were looked at since the last boundary.

use super::{Events, Watcher, callers};
use crate::agent::{Agent, State};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_inputs::{Aspect, Input};
use tamis_jvmti::Jni;

/// An input and what it was like.
pub(crate) type Seen = (Input<Vec<u8>>, Option<u128>);

/// The inputs since the last boundary.
#[derive(Debug, Default)]
pub(crate) struct InputLog(Mutex<Log>);

#[derive(Debug, Default)]
struct Log {
    seen: HashSet<Seen>,
    /// Those of them that the JDK keeps.
    kept: HashSet<Seen>,
    /// Files among them, and files that do not count.
    files: HashSet<(PathBuf, Aspect)>,
}

impl InputLog {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something is looked at, by who is on the stack.
    pub(crate) fn look_at(&self, agent: &Agent, jni: &mut Jni<'_>, seen: Seen) {
        if !self.log().seen.contains(&seen) {
            let caller = callers::on_stack(agent, jni);
            self.see(seen, caller.keeps);
        }
    }

    /// Something is looked at, and perhaps kept for those who come later.
    pub(crate) fn see(&self, seen: Seen, kept: bool) {
        let mut log = self.log();
        if kept {
            log.kept.insert(seen.clone());
        }
        log.seen.insert(seen);
    }

    /// Whether as much of this file was seen.
    pub(super) fn has_file(&self, path: &Path, aspect: Aspect) -> bool {
        let log = self.log();
        let mut more = Aspect::ALL.into_iter().filter(|more| more.covers(aspect));
        more.any(|aspect| log.files.contains(&(path.to_owned(), aspect)))
    }

    /// What a file is like has been found out.
    pub(super) fn add_file(&self, path: PathBuf, aspect: Aspect) {
        self.log().files.insert((path, aspect));
    }

    /// What was looked at since the last call, and whether it is kept; values only once they `are_known`.
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
        let with_kept = |seen: Seen| {
            let is_kept = log.kept.remove(&seen);
            (seen, is_kept)
        };
        now.into_iter().map(with_kept).collect()
    }
}

impl Watcher for InputLog {
    fn emit(&self, agent: &Agent, state: &mut State, events: &mut Events) {
        for ((input, was), is_kept) in self.take(agent.environment.is_known()) {
            let value = agent.environment.value(&input);
            let event = state.classes.input((input, value.or(was)));
            events.seen.push(event);
            events.kept.extend(is_kept.then_some(event));
        }
    }
}
