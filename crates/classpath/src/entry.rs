use crate::directory::{Directory, is_missing};
use crate::index::JarIndex;
use crate::jar::{self, Archive};
use crate::sources::{self, ClassFiles, ClassSource};
use crate::{Lookup, index, stamp};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tamis_classfile::ClassFile;
use tamis_fingerprint::{Digest, Fingerprint, class_digest, raw};
use tamis_inputs::Aspect;

/// An internal name that leads to nothing above or beside an entry, and its key in jars.
pub(crate) struct Name<'a> {
    text: &'a str,
    key: u128,
}

impl<'a> Name<'a> {
    pub(crate) fn new(text: &'a str) -> Option<Self> {
        let leads_away = text.split('/').any(|part| matches!(part, "" | "." | ".."));
        (!leads_away).then(|| Name {
            text,
            key: index::key(text),
        })
    }
}

/// One entry of a class path.
#[derive(Debug)]
pub struct Entry {
    path: PathBuf,
    kind: Kind,
    /// See [`stamp::last_arrival_ms`].
    arrived_ms: OnceLock<u64>,
}

#[derive(Debug)]
enum Kind {
    Directory(Directory),
    Jar(JarIndex, Archive),
    Missing,
    Unreadable,
}

impl Entry {
    pub(crate) fn open(path: PathBuf, cache: Option<&Path>) -> Self {
        let kind = match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => Kind::Directory(Directory::new(path.clone())),
            Ok(_) => match JarIndex::open(&path, cache) {
                Ok(index) => Kind::Jar(index, Archive::default()),
                Err(_) => Kind::Unreadable,
            },
            Err(error) if is_missing(&error) => Kind::Missing,
            Err(_) => Kind::Unreadable,
        };
        Entry {
            path,
            kind,
            arrived_ms: OnceLock::new(),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether nothing is there.
    pub fn is_missing(&self) -> bool {
        matches!(self.kind, Kind::Missing)
    }

    /// The digest of all that is in it, if it is an archive; nobody can say it of others.
    pub fn archive_digest(&self) -> Option<Digest> {
        match &self.kind {
            Kind::Jar(index, _) => Some(index.digest()),
            Kind::Directory(_) | Kind::Missing | Kind::Unreadable => None,
        }
    }

    /// The files in it that are no classes, with their digests, if it is an archive that can be read.
    pub fn archive_files(&self) -> Option<Vec<(String, u128)>> {
        let Kind::Jar(..) = &self.kind else {
            return None;
        };
        let content = jar::read(&fs::File::open(&self.path).ok()?).ok()?;
        let files = content
            .resources
            .iter()
            .filter(|(path, _)| !path.ends_with('/'));
        let files = files.map(|(path, digests)| {
            let bytes: Vec<u8> = digests.iter().flat_map(|d| d.0.to_le_bytes()).collect();
            (path.clone(), raw(&bytes).0)
        });
        Some(files.collect())
    }

    /// Whether it is a jar with nothing but a manifest that lists others. Surefire makes
    /// one for each JVM and deletes it; it is no part of the class path that it stands for.
    pub(crate) fn is_list(&self) -> bool {
        matches!(&self.kind, Kind::Jar(index, _) if index.is_list())
    }

    /// URLs of the class path that a jar's manifest adds.
    pub(crate) fn manifest_class_path(&self) -> &[String] {
        match &self.kind {
            Kind::Jar(index, _) => &index.class_path,
            _ => &[],
        }
    }

    /// The digest of the class with this internal name. In a multi-release jar it covers all
    /// versions of the class: which one a JVM takes depends on the JVM.
    pub fn lookup(&self, name: &str) -> Lookup<Digest> {
        match Name::new(name) {
            Some(name) => self.find(&name),
            None => Lookup::Absent,
        }
    }

    pub(crate) fn find(&self, name: &Name<'_>) -> Lookup<Digest> {
        match &self.kind {
            Kind::Directory(directory) => directory.lookup(name.text),
            Kind::Jar(index, _) => index.get(name.key).map_or(Lookup::Absent, Lookup::Found),
            Kind::Missing => Lookup::Absent,
            Kind::Unreadable => Lookup::Unreadable,
        }
    }

    /// The digest of what the path `name` leads to here.
    pub fn resource(&self, name: &str) -> Lookup<u128> {
        self.aspect_of(name, Aspect::Content)
    }

    /// The digest of one aspect of what the path `name` leads to here; in an archive that of its bytes.
    pub(crate) fn aspect_of(&self, name: &str, aspect: Aspect) -> Lookup<u128> {
        let found = match &self.kind {
            Kind::Directory(directory) => {
                let file = directory.root().join(name);
                let aspect = match file.is_dir() {
                    // What is in it is looked at one by one.
                    true => Aspect::Kind,
                    false => aspect,
                };
                match tamis_inputs::state(&file, aspect, |_| false) {
                    None => return Lookup::Unreadable,
                    Some(state) => (state != tamis_inputs::missing()).then_some(state),
                }
            }
            Kind::Jar(index, _) => match name.strip_suffix(".class") {
                Some(name) => index.get(index::key(name)).map(|digest| digest.0),
                None => index.resource(name).map(|digest| digest.0),
            },
            Kind::Missing => None,
            Kind::Unreadable => return Lookup::Unreadable,
        };
        found.map_or(Lookup::Absent, Lookup::Found)
    }

    /// Whether what the path `name` leads to here may have changed at `ms` (since 1970) or later.
    pub fn resource_changed_since(&self, name: &str, ms: u64) -> bool {
        match &self.kind {
            Kind::Directory(directory) => {
                let file = directory.root().join(name);
                // Whether one was deleted is seen by who looked at the file.
                file.exists() && stamp::changed_since(&file, ms)
            }
            _ => self.changed_since("", ms),
        }
    }

    /// Whether the class `name` is here as far as is known; does not read it.
    pub fn may_have(&self, name: &str) -> bool {
        match &self.kind {
            Kind::Directory(directory) => directory.may_have(name),
            _ => self.lookup(name) != Lookup::Absent,
        }
    }

    /// Whether bytes with this digest are, or are one version of, the class `name` here.
    pub fn has(&self, name: &str, digest: Digest) -> bool {
        match &self.kind {
            Kind::Jar(index, _) => index.has(name, digest),
            _ => matches!(self.lookup(name), Lookup::Found(found) if found == digest),
        }
    }

    /// The smart digest of the class `name`, whose bytes have the digest `expected`; `None` if
    /// there is none: no class file, several versions, or other bytes by now.
    pub fn smart(&self, name: &str, expected: Digest) -> Option<Digest> {
        let bytes = self.class_file(name, expected)?;
        class_digest(&ClassFile::parse(&bytes).ok()?).ok()
    }

    /// [`Entry::smart`], and the fingerprint that it stands for, encoded.
    pub fn print(&self, name: &str, expected: Digest) -> Option<(Digest, Vec<u8>)> {
        let bytes = self.class_file(name, expected)?;
        let print = Fingerprint::of(&ClassFile::parse(&bytes).ok()?).ok()?;
        Some((print.class(), print.encode()))
    }

    /// The files that classes are read from; `None` if that is unknown.
    pub fn class_sources(&self) -> Option<Vec<ClassSource>> {
        match &self.kind {
            Kind::Directory(directory) => sources::of_directory(directory.root()),
            Kind::Jar(..) => Some(vec![ClassSource::of(String::new(), &self.path)?]),
            Kind::Missing => Some(Vec::new()),
            Kind::Unreadable => None,
        }
    }

    /// The class files in `source`, which is one of [`Entry::class_sources`]; `None` if it cannot be read,
    /// or changed since then.
    pub fn read_source(&self, source: &ClassSource) -> Option<ClassFiles> {
        source.read(&self.path)
    }

    /// The class file of `name`, as [`Entry::smart`] reads it.
    pub fn class_file(&self, name: &str, expected: Digest) -> Option<Vec<u8>> {
        let bytes = match &self.kind {
            Kind::Directory(directory) => fs::read(directory.file(name)).ok()?,
            Kind::Jar(index, _) if index.has_versions(name) => return None,
            Kind::Jar(_, archive) => archive.read_class(&self.path, name).ok()?,
            Kind::Missing | Kind::Unreadable => return None,
        };
        (raw(&bytes) == expected).then_some(bytes)
    }

    /// Whether the class `name`, or its absence, may be the work of a change at `ms` (since 1970)
    /// or later.
    pub fn changed_since(&self, name: &str, ms: u64) -> bool {
        let file = match &self.kind {
            Kind::Directory(directory) => directory.file(name),
            _ => self.path.clone(),
        };
        let arrived_ms = || {
            *self
                .arrived_ms
                .get_or_init(|| stamp::last_arrival_ms(&self.path))
        };
        let mut below = file.ancestors().take_while(|part| *part != self.path);
        stamp::last_change_ms(&file) >= ms
            || arrived_ms() >= ms
            || below.any(|part| {
                part.symlink_metadata()
                    .is_ok_and(|metadata| stamp::arrival_ms(&metadata) >= ms)
            })
    }
}
