//! The log of a JVM: objects made and classes inspected, in order.

use crate::dependencies::Dependencies;
use crate::jvm::{End, Jvm};
use tamis_select::{Log, LogPart};

/// The log of a JVM in the store.
pub(super) struct JvmLog {
    id: u32,
    created: Ends,
    inspected: Ends,
}

impl JvmLog {
    /// Adds it to `logs`.
    pub(super) fn new(jvm: &Jvm<'_>, dependencies: &Dependencies, logs: &mut Vec<Log>) -> Self {
        let created = Logged::new(&jvm.created, dependencies);
        let inspected = Logged::new(&jvm.inspected, dependencies);
        logs.push(Log {
            created: created.versions,
            inspected: inspected.versions,
        });
        JvmLog {
            id: logs.len() as u32 - 1,
            created: created.ends,
            inspected: inspected.ends,
        }
    }

    /// The part of it that concerns a unit that ended so.
    pub(super) fn part(&self, end: &End<'_>) -> LogPart {
        LogPart {
            log: self.id,
            created: self.created.length(end.created),
            inspected: self.inspected.length(end.reflection.members as usize),
        }
    }
}

/// Classes in the order in which something happened to them in a JVM.
struct Logged {
    versions: Vec<u32>,
    ends: Ends,
}

/// For each recorded class, how many versions stand for it and those before it.
struct Ends(Vec<u32>);

impl Ends {
    /// How many versions stand for the first `classes` classes.
    fn length(&self, classes: usize) -> u32 {
        let last = classes.checked_sub(1).and_then(|last| self.0.get(last));
        last.copied().unwrap_or_default()
    }
}

impl Logged {
    fn new(classes: &[u32], dependencies: &Dependencies) -> Self {
        let mut logged = Logged {
            versions: Vec::new(),
            ends: Ends(Vec::new()),
        };
        for class in classes {
            let dependency = dependencies.classes.get(class);
            let versions = dependency.and_then(|dependency| dependency.versions.as_ref().ok());
            logged.versions.extend(versions.into_iter().flatten());
            logged.ends.0.push(logged.versions.len() as u32);
        }
        logged
    }
}
