//! From the classes that a JVM loaded to class versions that can be compared later.

use crate::decide::Disk;
use crate::jvm::Jvm;
use crate::locate::{Located, Locator, OutOfReach, Recorded};
use crate::model::{ClassVersion, Interner, Location, Tables};
use std::collections::HashMap;
use tamis_classpath::{ClassPath, Place, parallel};

/// How many classes one thread takes at a time.
const BLOCK: usize = 64;

/// Per class id of a spool: its name, and the versions that stand for it.
pub(crate) type Dependencies = HashMap<u32, (String, Result<Vec<u32>, OutOfReach>)>;

/// The class versions that stand for each recorded class. Most of them were used by some test, and
/// versions that no test used are not saved.
pub(crate) fn dependencies(
    disk: &Disk,
    jvm: &Jvm<'_>,
    path: &ClassPath,
    tables: &mut Tables,
) -> Dependencies {
    let mut loaded: Vec<(u32, Recorded<'_>)> = jvm
        .classes
        .iter()
        .map(|(id, class)| (*id, *class))
        .collect();
    loaded.sort_unstable_by_key(|(id, class)| (class.name, *id));
    let Disk { roots, entries } = disk;
    let locator = Locator {
        entries,
        roots,
        path,
        started_ms: jvm.started_ms,
    };
    let located = parallel::map(&loaded, BLOCK, |(_, class)| locator.locate(class));
    let mut dependencies = Dependencies::new();
    for ((id, class), located) in loaded.into_iter().zip(located) {
        let versions = located.map(|located| {
            let versions = located.into_iter().map(|located| {
                let version = version(class.name, located, &mut tables.places);
                tables.versions.id(version)
            });
            versions.collect()
        });
        dependencies.insert(id, (class.name.to_owned(), versions));
    }
    dependencies
}

fn version(name: &str, located: Located, places: &mut Interner<Place>) -> ClassVersion {
    ClassVersion {
        name: name.to_owned(),
        location: match located.location {
            Location::OnPath => Location::OnPath,
            Location::At(place) => Location::At(places.id(place)),
            Location::Absent => Location::Absent,
        },
        raw: located.raw.0,
        smart: located.smart.map(|smart| smart.0),
    }
}

/// A jar that was on the class path and is gone may have listed others in its manifest (Surefire
/// deletes such a jar when its JVM ends), so what was before or behind what is not known.
pub(crate) fn vanished_jar(path: &ClassPath, jvm: &Jvm<'_>) -> Option<String> {
    let vanished = path.entries().find(|entry| {
        let is_listed = jvm.class_path.iter().any(|listed| listed == entry.path());
        let is_jar = entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "jar");
        is_listed && is_jar && entry.is_missing() && entry.changed_since("", jvm.started_ms)
    })?;
    let name = vanished
        .path()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    Some(format!("{name} was on the class path and is gone"))
}
