use crate::cache::{Cache, classes_of};
use crate::class::{Class, Reference, reference};
use crate::tables::Tables;
use std::path::{Path, PathBuf};
use tamis_classpath::{ClassPath, Lookup, parallel};

/// All classes of a class path as they were when it was read.
#[derive(Debug)]
pub struct Snapshot {
    entries: Vec<SnapshotEntry>,
    /// The classes that a JVM finds, by name.
    classes: Vec<Found>,
}

#[derive(Debug)]
struct SnapshotEntry {
    path: PathBuf,
    /// `None` if its content is unknown.
    tables: Option<Tables>,
}

/// Where a class is: its entry, and its class files there.
#[derive(Debug, Clone, Copy)]
struct Found {
    entry: usize,
    start: usize,
    end: usize,
}

/// What is in an entry of which nobody can say what it holds.
static NOTHING: Tables = Tables {
    texts: Vec::new(),
    references: Vec::new(),
    classes: Vec::new(),
};

impl Snapshot {
    /// Reads the classes of a class path, as far as they changed since they were put into `cache`.
    pub fn read(class_path: &ClassPath, cache: Option<&Cache>) -> Snapshot {
        let entries: Vec<_> = class_path.entries().collect();
        let entries = parallel::map(&entries, 1, |entry| SnapshotEntry {
            path: entry.path().to_owned(),
            tables: classes_of(entry, cache),
        });
        let mut snapshot = Snapshot {
            entries,
            classes: Vec::new(),
        };
        snapshot.classes = snapshot.find();
        snapshot
    }

    /// The first class of each name.
    fn find(&self) -> Vec<Found> {
        let mut found = Vec::new();
        for (entry, of) in self.entries.iter().enumerate() {
            let Some(tables) = &of.tables else { continue };
            let mut start = 0;
            for files in tables.classes.chunk_by(|a, b| a.name == b.name) {
                let end = start + files.len();
                found.push(Found { entry, start, end });
                start = end;
            }
        }
        // Those of one name stay in the order of the class path.
        found.sort_by(|a, b| self.name(a).cmp(self.name(b)));
        found.dedup_by(|later, first| self.name(later) == self.name(first));
        found
    }

    /// The classes that a JVM finds, by name.
    pub fn classes(&self) -> impl Iterator<Item = Class<'_>> {
        self.classes.iter().filter_map(|found| self.at(found))
    }

    /// The class with this internal name. An unreadable entry before it might hold another, so then nobody
    /// can say.
    pub fn class(&self, name: &str) -> Lookup<Class<'_>> {
        let found = self
            .classes
            .binary_search_by(|found| self.name(found).cmp(name));
        let found = found.ok().and_then(|at| self.classes.get(at));
        let entry = found.map_or(self.entries.len(), |found| found.entry);
        if self
            .entries
            .iter()
            .take(entry)
            .any(|before| before.tables.is_none())
        {
            return Lookup::Unreadable;
        }
        found
            .and_then(|found| self.at(found))
            .map_or(Lookup::Absent, Lookup::Found)
    }

    /// The entries whose content is unknown.
    pub fn unreadable_entries(&self) -> impl Iterator<Item = &Path> {
        let unreadable = self.entries.iter().filter(|entry| entry.tables.is_none());
        unreadable.map(|entry| entry.path.as_path())
    }

    /// The entries of the class path, each with what its classes refer to, by the numbers of
    /// [`Member::reference_numbers`](crate::Member::reference_numbers).
    pub fn entries(
        &self,
    ) -> impl ExactSizeIterator<Item = (&Path, impl ExactSizeIterator<Item = Reference<'_>>)> {
        self.entries.iter().map(|entry| {
            let tables = entry.tables.as_ref().unwrap_or(&NOTHING);
            let references = tables.references.iter();
            let references = references.map(|row| reference(tables, row));
            (entry.path.as_path(), references)
        })
    }

    fn at(&self, found: &Found) -> Option<Class<'_>> {
        let entry = self.entries.get(found.entry)?;
        let tables = entry.tables.as_ref()?;
        Some(Class {
            entry_number: found.entry,
            entry: &entry.path,
            tables,
            files: tables.classes.get(found.start..found.end)?,
        })
    }

    fn name(&self, found: &Found) -> &str {
        self.at(found).map_or("", |class| class.name())
    }
}
