use crate::entry::{Entry, Name};
use crate::parallel;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tamis_fingerprint::Digest;
use tamis_inputs::{Aspect, resolve_url};

/// The result of a look-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup<T> {
    /// It is here.
    Found(T),
    /// It is nowhere.
    Absent,
    /// Nobody can say; never to be taken as equal to anything.
    Unreadable,
}

/// A class file that was found.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The digest of its bytes; see [`Entry::lookup`].
    pub raw: Digest,
    /// The entry that holds it.
    pub entry: &'a Entry,
}

/// The entries of all class paths, each opened once. What they hold is taken as it is when first
/// asked for, so keep this for one question only.
#[derive(Debug, Default)]
pub struct Entries {
    cache: Option<PathBuf>,
    open: Mutex<HashMap<PathBuf, Arc<Entry>>>,
}

impl Entries {
    /// Entries whose jars are indexed in the directory `cache`.
    pub fn new(cache: Option<PathBuf>) -> Self {
        Entries {
            cache,
            open: Mutex::default(),
        }
    }

    /// The entry at `path`.
    pub fn entry(&self, path: &Path) -> Arc<Entry> {
        let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = open().get(path) {
            return Arc::clone(entry);
        }
        // Opened without the lock: the first look into a jar takes its time.
        let entry = Arc::new(Entry::open(path.to_owned(), self.cache.as_deref()));
        Arc::clone(open().entry(path.to_owned()).or_insert(entry))
    }

    /// The class path of these entries, with those that manifests add, without jars that are
    /// nothing but such a manifest.
    pub fn class_path(&self, paths: &[PathBuf]) -> ClassPath {
        parallel::map(paths, 1, |path| self.entry(path));
        let mut class_path = ClassPath::default();
        let mut seen = HashSet::new();
        // A stack, as the JVM's: what a manifest adds comes right behind its jar.
        let mut next: Vec<PathBuf> = paths.iter().rev().cloned().collect();
        while let Some(path) = next.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let entry = self.entry(&path);
            let added = entry.manifest_class_path().iter().rev();
            next.extend(added.filter_map(|url| resolve_url(&path, url)));
            if !entry.is_list() {
                class_path.entries.push(entry);
            }
        }
        class_path
    }
}

/// A class path: the entries in which a JVM looks for classes, in order.
#[derive(Debug, Clone, Default)]
pub struct ClassPath {
    entries: Vec<Arc<Entry>>,
}

impl ClassPath {
    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(Arc::as_ref)
    }

    /// The digest of all that this path leads to, in the order of the entries, or of the first; `None`
    /// if that is unknown.
    pub fn resource(&self, path: &str, all: bool) -> Option<u128> {
        self.aspect_of(path, all, Aspect::Content)
    }

    /// The digest of what the first class file declares that this path leads to; in an archive that of its bytes.
    pub fn declared(&self, path: &str) -> Option<u128> {
        self.aspect_of(path, false, Aspect::Declarations)
    }

    fn aspect_of(&self, path: &str, all: bool, aspect: Aspect) -> Option<u128> {
        let path = path.trim_matches('/');
        let mut found = Vec::new();
        for entry in self.entries() {
            match entry.aspect_of(path, aspect) {
                Lookup::Found(digest) => found.extend(digest.to_le_bytes()),
                Lookup::Absent => {}
                Lookup::Unreadable => return None,
            }
            if !all && !found.is_empty() {
                break;
            }
        }
        Some(match found.is_empty() {
            true => tamis_inputs::missing(),
            false => tamis_inputs::value(Some(&found)),
        })
    }

    /// Whether what this path leads to may have changed at `ms` (since 1970) or later.
    pub fn resource_changed_since(&self, path: &str, ms: u64) -> bool {
        let path = path.trim_matches('/');
        let mut entries = self.entries().filter(|entry| !entry.is_missing());
        entries.any(|entry| entry.resource_changed_since(path, ms))
    }

    /// The first class file with this internal name. An unreadable entry before it might hold
    /// another, so then the answer is unknown.
    pub fn lookup(&self, name: &str) -> Lookup<Found<'_>> {
        let Some(name) = Name::new(name) else {
            return Lookup::Absent;
        };
        for entry in self.entries() {
            match entry.find(&name) {
                Lookup::Found(raw) => return Lookup::Found(Found { raw, entry }),
                Lookup::Absent => {}
                Lookup::Unreadable => return Lookup::Unreadable,
            }
        }
        Lookup::Absent
    }
}
