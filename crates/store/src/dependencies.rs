//! Turns the classes that a JVM loaded into class versions that can be compared later.

use crate::decide::Disk;
use crate::jvm::Jvm;
use crate::locate::{Located, Locator, OutOfReach, Recorded};
use crate::model::{ClassVersion, Interner, Location, Tables};
use crate::shapes::{Numbers, ShapeTable};
use std::collections::HashMap;
use tamis_classpath::{ClassPath, Place, parallel};
use tamis_fingerprint::{Fingerprint, MemberPrint};
use tamis_select::Pair;

/// How many classes one thread takes at a time.
const BLOCK: usize = 64;

/// The recording of a JVM, in the ids and numbers of the store.
#[derive(Debug, Default)]
pub(crate) struct Dependencies {
    /// Per class id of the spool.
    pub(crate) classes: HashMap<u32, Dependency>,
    /// Numbers of the spool and of the store for the same methods, ascending.
    members: Vec<Range>,
}

/// A recorded class.
#[derive(Debug)]
pub(crate) struct Dependency {
    /// Internal name.
    pub(crate) name: String,
    /// The versions that stand for it.
    pub(crate) versions: Result<Vec<u32>, OutOfReach>,
    /// Those of them of which any member may have been used.
    pub(crate) whole: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    in_spool: u32,
    in_store: u32,
    /// How many numbers the store has.
    count: u32,
    /// Where the spool has several numbers for what is one in the store: the end of each group.
    ends: Box<[u32]>,
    /// What each number, or group, is in the store, if it is not the same.
    table: Box<[u32]>,
}

impl Range {
    fn number(&self, in_spool: u32) -> Option<u32> {
        let mut index = in_spool - self.in_spool;
        if !self.ends.is_empty() {
            index = self.ends.partition_point(|end| *end <= index) as u32;
        }
        if !self.table.is_empty() {
            index = *self.table.get(index as usize)?;
        }
        (index < self.count).then(|| self.in_store + index)
    }
}

impl Dependencies {
    /// The store's numbers for those of the spool; what belongs to no comparable class has none.
    pub(crate) fn members(&self, in_spool: &[u32]) -> impl Iterator<Item = u32> {
        in_spool.iter().filter_map(|number| self.member(*number))
    }

    /// Leaves out the versions for which `stays` says no.
    pub(crate) fn keep(&mut self, stays: impl Fn(u32) -> bool) {
        for class in self.classes.values_mut() {
            class.whole.retain(|version| stays(*version));
            if let Ok(versions) = &mut class.versions {
                versions.retain(|version| stays(*version));
            }
        }
    }

    fn member(&self, in_spool: u32) -> Option<u32> {
        let at = self
            .members
            .partition_point(|range| range.in_spool <= in_spool);
        self.members.get(at.checked_sub(1)?)?.number(in_spool)
    }

    /// The same for pairs of a method and the class of a receiver. A class that is not on disk as it
    /// was recorded may be any class; a method that has no number needs no pair, because of its class
    /// anything may have been used.
    pub(crate) fn pairs(&self, in_spool: &[(u32, u32)]) -> impl Iterator<Item = Pair> {
        let pairs = in_spool.iter();
        let pairs = pairs.filter_map(|(method, class)| Some((self.member(*method)?, class)));
        pairs.flat_map(|(method, class)| {
            let class = self
                .classes
                .get(class)
                .filter(|class| class.whole.is_empty());
            let versions = class.and_then(|class| class.versions.as_ref().ok());
            let versions = versions.filter(|versions| !versions.is_empty());
            let known = versions.into_iter().flatten().map(|version| Some(*version));
            let any = versions.is_none().then_some(None);
            known.chain(any).map(move |class| (method, class))
        })
    }
}

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
    let Disk { roots, entries, .. } = disk;
    let locator = Locator {
        entries,
        roots,
        path,
        since_ms: jvm.since_ms,
    };
    let located = parallel::map(&loaded, BLOCK, |(_, class)| locator.locate(class));
    let mut dependencies = Dependencies::default();
    for ((id, mut class), located) in loaded.into_iter().zip(located) {
        let shape = class.smart.and_then(|smart| {
            let blocks = match class.members {
                Some(_) => (class.counts, class.blocks),
                None => Default::default(),
            };
            tables.shapes.add(smart.0, class.print, blocks)
        });
        // Of a class that somebody transformed it must be known what it extends.
        for located in located.iter().flatten() {
            add_file(located, &mut tables.shapes);
        }
        let mut seen = class.members.zip(shape);
        let mut ends: Box<[u32]> = Box::default();
        if let Some(file) = located.iter().flatten().find_map(|located| {
            let print = located.print.as_deref()?;
            is_covered_by_jacoco(print, class.print).then_some(located)
        }) {
            seen = class.members.zip(add_file(file, &mut tables.shapes));
            class.smart = file.smart;
            // Blocks are those of the code with JaCoCo's; methods are those of the file.
            ends = ends_of(class.counts);
        }
        let mut whole = Vec::new();
        let versions = located.map(|located| {
            let versions = located.into_iter().map(|located| {
                // Members were seen of the class that was recorded, not of another in its place.
                let is_it = located.smart.is_some() && located.smart == class.smart;
                let version = version(class.name, located, &mut tables.places);
                let version = tables.versions.id(version);
                if seen.is_none() || !is_it {
                    whole.push(version);
                }
                version
            });
            versions.collect()
        });
        // A class without numbers lies where the next one starts, and must not hide it.
        if let Some((in_spool, numbers)) = seen.filter(|(_, numbers)| numbers.count > 0)
            && versions
                .as_ref()
                .is_ok_and(|all: &Vec<u32>| whole.len() < all.len())
        {
            dependencies.members.push(Range {
                in_spool,
                in_store: numbers.first,
                count: numbers.count,
                ends,
                table: numbers.table,
            });
        }
        let name = class.name.to_owned();
        let dependency = Dependency {
            name,
            versions,
            whole,
        };
        dependencies.classes.insert(id, dependency);
    }
    dependencies.members.sort_unstable();
    for (id, name) in &jvm.absent {
        let version = version(name, locator.absent(name), &mut tables.places);
        let versions = vec![tables.versions.id(version)];
        let dependency = Dependency {
            name: (*name).to_owned(),
            whole: versions.clone(),
            versions: Ok(versions),
        };
        dependencies.classes.insert(*id, dependency);
    }
    dependencies
}

/// Whether `recorded` is what JaCoCo makes of the class with the fingerprint `file`: the same methods in
/// the same order, and one of its own at the end. What it puts into the others changes nothing of
/// what they execute, so that they can be taken for those of the file. Other agents may do anything.
fn is_covered_by_jacoco(file: &[u8], recorded: &[u8]) -> bool {
    let prints = Fingerprint::decode(file).zip(Fingerprint::decode(recorded));
    prints.is_some_and(|(file, recorded)| {
        let Some((last, same)) = recorded.methods.split_last() else {
            return false;
        };
        let key = |method: &MemberPrint<'_>| {
            (
                method.name.to_vec(),
                method.descriptor.to_vec(),
                method.access,
            )
        };
        last.name == b"$jacocoInit" && same.iter().map(key).eq(file.methods.iter().map(key))
    })
}

/// Adds the fingerprint of a file; gives the numbers of its methods.
fn add_file(file: &Located, shapes: &mut ShapeTable) -> Option<Numbers> {
    shapes.add(file.smart?.0, file.print.as_deref()?, (&[], &[]))
}

/// The ends of each method's numbers, counted from the first one of the class.
fn ends_of(counts: &[u16]) -> Box<[u32]> {
    let mut end = 0;
    let ends = counts.iter().map(|count| {
        end += u32::from(*count);
        end
    });
    ends.collect()
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
        is_listed && is_jar && entry.is_missing() && entry.changed_since("", jvm.since_ms)
    })?;
    let name = vanished
        .path()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    Some(format!("{name} was on the class path and is gone"))
}
