//! Locates the present version of a recorded class.
//!
//! The agent saw the bytes of a class and, mostly, where its loader says they come from. Next time
//! only the disk can be asked. These rules turn one into the other, in this order:
//!
//! - (a) The class path's first hit has the recorded bytes: look there again, **on the path**.
//!   A class that appears before it is then found first, as a JVM would. In a multi-release jar
//!   any version may match, and the digest of all versions is what is kept, unless the jar may have
//!   changed since the JVM started.
//! - (b) The code source has them (a loader of its own): look **at** that place. Its loader may
//!   still ask the class path first, so what the path says of the name must stay as it is too:
//!   absent, or the class file that is there. If that came since the JVM started, the test is due.
//! - (c) The name is there, in the code source or else on the path, with other bytes. If the file
//!   may have changed since the JVM started, the recorded digests are kept: they differ from what
//!   is there, so the test is due, which is right as it saw something else. If the file is older,
//!   the loader transformed it (PowerMock, weaving), and what it made follows from the file: the
//!   digests of the file are kept.
//! - (d) The name is nowhere: the class was generated at run time, from classes that are
//!   dependencies themselves, or comes from the runtime (`jrt:`), which is compared as a whole. It
//!   is no dependency. But if its code source is an entry of the class path that may have changed
//!   since the JVM started, or that is not there (any more, or under this name), it may have been
//!   deleted: it is then looked for on the path and, being absent, makes the test due.
//!
//! Whether something may have changed since the JVM started is a matter of the times of files, of the
//! links that lead to them, and of the clock; see [`Entry::changed_since`] and `jvm.rs`.
//!
//! A class from an archive inside an archive can be looked up nowhere: its tests are distrusted.
//! What cannot be read now is kept as recorded and compared when it can be read again.

use crate::model::Location;
use tamis_classpath::{ClassPath, Entries, Entry, Found, Lookup, Place, Roots};
use tamis_fingerprint::Digest;
use tamis_inputs::file_of_url;

/// A class as the agent recorded it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recorded<'a> {
    pub(crate) name: &'a str,
    /// URL of its code source.
    pub(crate) source: Option<&'a str>,
    pub(crate) raw: Digest,
    pub(crate) smart: Option<Digest>,
    /// Its fingerprint, encoded; empty if there is none.
    pub(crate) print: &'a [u8],
    /// The number of its first method in its spool, if what is executed of it is seen.
    pub(crate) members: Option<u32>,
    /// How many numbers each method has; none at all if each has one.
    pub(crate) counts: &'a [u16],
    /// Its basic blocks, encoded; empty without counts.
    pub(crate) blocks: &'a [u8],
}

/// A class version whose place is not interned yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) location: Location<Place>,
    pub(crate) raw: Digest,
    pub(crate) smart: Option<Digest>,
    /// The fingerprint of the file, encoded, where it is not what was recorded.
    pub(crate) print: Option<Vec<u8>>,
}

/// The facts that all classes of one JVM share.
pub(crate) struct Locator<'a> {
    pub(crate) entries: &'a Entries,
    pub(crate) roots: &'a Roots,
    pub(crate) path: &'a ClassPath,
    pub(crate) since_ms: u64,
}

/// The class came from where nobody can look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutOfReach;

impl Locator<'_> {
    /// The versions that stand for a recorded class; none if it is no dependency.
    pub(crate) fn locate(&self, class: &Recorded<'_>) -> Result<Vec<Located>, OutOfReach> {
        let on_path = self.path.lookup(class.name);
        if let Lookup::Found(found) = on_path
            && found.entry.has(class.name, class.raw)
        {
            return Ok(vec![self.as_found(Location::OnPath, class, found)]);
        }
        if class.source.is_some_and(is_nested) {
            return Err(OutOfReach);
        }
        let file = class.source.and_then(file_of_url);
        let source = file.map(|file| self.entries.entry(&file));
        match source.as_deref() {
            Some(source) => Ok(self.locate_at(class, source, on_path)),
            None => Ok(self.locate_on_path(class, on_path)),
        }
    }

    /// The version that stands for a class that was looked up in vain. One that is there nevertheless
    /// could not be loaded, or came later.
    pub(crate) fn absent(&self, name: &str) -> Located {
        let nothing = |location| Located {
            location,
            raw: Digest(0),
            smart: None,
            print: None,
        };
        match self.path.lookup(name) {
            Lookup::Found(found) if !found.entry.changed_since(name, self.since_ms) => {
                as_on_disk(Location::OnPath, name, found)
            }
            Lookup::Unreadable => nothing(Location::OnPath),
            _ => nothing(Location::Absent),
        }
    }

    fn locate_at(
        &self,
        class: &Recorded<'_>,
        source: &Entry,
        on_path: Lookup<Found<'_>>,
    ) -> Vec<Located> {
        let at = || Location::At(self.roots.place(source.path()));
        let raw = match source.lookup(class.name) {
            Lookup::Found(raw) => raw,
            Lookup::Unreadable => return vec![as_recorded(at(), class)],
            Lookup::Absent if self.may_be_deleted(class.name, source) => {
                return vec![as_recorded(Location::OnPath, class)];
            }
            Lookup::Absent => return self.locate_on_path(class, on_path),
        };
        if let Lookup::Found(first) = on_path
            && first.entry.path() == source.path()
        {
            return self.locate_on_path(class, on_path);
        }
        let found = Found { raw, entry: source };
        let version = match source.has(class.name, class.raw) {
            true => self.as_found(at(), class, found),
            false => self.changed_or_transformed(at(), class, found),
        };
        vec![version, self.on_path_as_it_is(class, on_path)]
    }

    fn locate_on_path(&self, class: &Recorded<'_>, on_path: Lookup<Found<'_>>) -> Vec<Located> {
        match on_path {
            Lookup::Found(found) => {
                vec![self.changed_or_transformed(Location::OnPath, class, found)]
            }
            Lookup::Unreadable => vec![as_recorded(Location::OnPath, class)],
            Lookup::Absent => Vec::new(),
        }
    }

    fn changed_or_transformed(
        &self,
        location: Location<Place>,
        class: &Recorded<'_>,
        found: Found<'_>,
    ) -> Located {
        match found.entry.changed_since(class.name, self.since_ms) {
            true => as_recorded(location, class),
            false => as_on_disk(location, class.name, found),
        }
    }

    fn may_be_deleted(&self, name: &str, source: &Entry) -> bool {
        let mut entries = self.path.entries();
        entries.any(|entry| entry.path() == source.path())
            && (source.is_missing() || source.changed_since(name, self.since_ms))
    }

    /// One version of a multi-release class says nothing about the others, so only bytes count there.
    fn as_found(
        &self,
        location: Location<Place>,
        class: &Recorded<'_>,
        found: Found<'_>,
    ) -> Located {
        if found.raw == class.raw || found.entry.changed_since(class.name, self.since_ms) {
            return as_recorded(location, class);
        }
        Located {
            location,
            raw: found.raw,
            smart: None,
            print: None,
        }
    }

    /// What is on the path beside a class that came from elsewhere.
    fn on_path_as_it_is(&self, class: &Recorded<'_>, on_path: Lookup<Found<'_>>) -> Located {
        match on_path {
            Lookup::Found(found) => self.changed_or_transformed(Location::OnPath, class, found),
            Lookup::Unreadable => as_recorded(Location::OnPath, class),
            Lookup::Absent => Located {
                location: Location::Absent,
                raw: Digest(0),
                smart: None,
                print: None,
            },
        }
    }
}

/// Whether a code source is an archive inside an archive.
fn is_nested(url: &str) -> bool {
    let url = url.strip_suffix("!/").unwrap_or(url);
    url.contains("!/") || url.starts_with("jar:nested:")
}

fn as_recorded(location: Location<Place>, class: &Recorded<'_>) -> Located {
    Located {
        location,
        raw: class.raw,
        smart: class.smart,
        print: None,
    }
}

fn as_on_disk(location: Location<Place>, name: &str, found: Found<'_>) -> Located {
    let (smart, print) = found.entry.print(name, found.raw).unzip();
    Located {
        location,
        raw: found.raw,
        smart,
        print,
    }
}
