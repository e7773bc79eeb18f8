//! Archives beside the project whose code may use its classes: helpers for tests that were built with an earlier
//! version, or modules that were installed. What tests reach through them counts.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use tamis_classpath::{ClassPath, Entry, parallel};
use tamis_snapshot::{ArchiveNames, Cache, Snapshot, hash_of_name};

/// Those of a class path: they name classes of the project, which are in the snapshot, or of such an archive.
pub(super) fn users(
    snapshot: &Snapshot,
    path: &ClassPath,
    is_own: impl Fn(&Entry) -> bool,
    cache: &Cache,
) -> BTreeSet<PathBuf> {
    let (own, others): (Vec<&Entry>, Vec<&Entry>) = path.entries().partition(|entry| is_own(entry));
    let own: BTreeSet<_> = own.into_iter().map(Entry::path).collect();
    let classes = snapshot
        .classes()
        .filter(|class| own.contains(class.entry()));
    let mut used: HashSet<u64> = classes.map(|class| hash_of_name(class.name())).collect();
    let found = parallel::map(&others, 1, |entry| ArchiveNames::of(entry, Some(cache)));
    // What cannot be read, the JVM cannot use.
    let found = others.iter().zip(found);
    let mut others: Vec<_> = found
        .filter_map(|(entry, found)| Some((entry, found?)))
        .collect();
    let mut users = BTreeSet::new();
    loop {
        let (more, rest): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|(_, names)| used.iter().any(|hash| names.may_use(*hash)));
        if more.is_empty() {
            return users;
        }
        for (entry, names) in more {
            users.insert(entry.path().to_owned());
            used.extend(names.declared());
        }
        others = rest;
    }
}
