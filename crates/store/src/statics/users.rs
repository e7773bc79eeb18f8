//! Archives beside the project whose code may use its classes: helpers for tests that were built with an earlier
//! version, or modules that were installed. What tests reach through them counts.

use std::collections::BTreeSet;
use std::path::PathBuf;
use tamis_classpath::{ClassPath, Entry, parallel};
use tamis_snapshot::{Cache, Packages, Snapshot, package_of};

/// Those of a class path. They name packages of the project's classes, which are in the snapshot, or of such an archive.
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
    let mut used: BTreeSet<String> = classes
        .map(|class| package_of(class.name()).to_owned())
        .collect();
    let found = parallel::map(&others, 1, |entry| Packages::of(entry, Some(cache)));
    // What cannot be read, the JVM cannot use.
    let found = others.iter().zip(found);
    let mut others: Vec<_> = found
        .filter_map(|(entry, found)| Some((entry, found?)))
        .collect();
    let mut users = BTreeSet::new();
    loop {
        let (more, rest): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|(_, packages)| !packages.named.is_disjoint(&used));
        if more.is_empty() {
            return users;
        }
        for (entry, packages) in more {
            users.insert(entry.path().to_owned());
            used.extend(packages.declared);
        }
        others = rest;
    }
}
