use crate::change::{Change, FileChange, SourceChanges};
use crate::compare::{Uncertain, compare, names_for_others};
use crate::error::SourceError;
use crate::git::{Blobs, Entry, Repository, Side};
use crate::java::Java;
use crate::language::Language;
use crate::text::decode;

use crate::unit::Unit;
use crate::unparsed;
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// So many files are worth a thread and a process of git.
const FILES_OF_A_READER: usize = 32;

/// Says what changed between a revision and the working tree, with what is staged, what is not, and new
/// files that are not ignored.
///
/// Files of the repository that are not in the project belong to it: a module beside it may be on its
/// class path. What git ignores is not seen, so sources that a build generates are not; those that it
/// generates from files which changed are the caller's to think of.
pub fn changes(project: &Path, revision: &str) -> Result<SourceChanges, SourceError> {
    let repository = Repository::of(project)?;
    let commit = repository.resolve(revision)?;
    let entries = repository.differences(&commit)?.into_iter();
    let entries: Vec<Entry> = entries.flat_map(split).collect();

    let next = AtomicUsize::new(0);
    let read = || -> Result<SourceChanges, SourceError> {
        let mut reader = Reader::new(&repository);
        while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
            reader.file(entry)?;
        }
        Ok(reader.found)
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let readers = cores.min(entries.len() / FILES_OF_A_READER + 1);
    let mut found = SourceChanges::default();
    thread::scope(|scope| -> Result<(), SourceError> {
        let readers: Vec<_> = (0..readers).map(|_| scope.spawn(read)).collect();
        for reader in readers {
            let read = reader.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            found.files.extend(read.files);
            found.names.extend(read.names);
        }
        Ok(())
    })?;
    found
        .files
        .sort_by(|left, right| left.path.cmp(&right.path));
    Ok(found)
}

/// The commit that a revision means now.
pub fn resolve(project: &Path, revision: &str) -> Result<String, SourceError> {
    Repository::of(project)?.resolve(revision)
}

/// A file that became one of another language is gone, and the other one is new.
fn split(entry: Entry) -> Vec<Entry> {
    let languages = [&entry.before, &entry.now].map(|side| side.as_ref().map(language));
    match languages {
        [Some(before), Some(now)] if before != now => [(entry.before, None), (None, entry.now)]
            .map(|(before, now)| Entry { before, now })
            .into(),
        _ => vec![entry],
    }
}

fn language(side: &Side) -> Language {
    Language::of(&side.path)
}

struct Reader<'r> {
    repository: &'r Repository,
    /// Started when something old is read first.
    blobs: Option<Blobs>,
    java: Java,
    found: SourceChanges,
}

impl Reader<'_> {
    fn new(repository: &Repository) -> Reader<'_> {
        Reader {
            repository,
            blobs: None,
            java: Java::new(),
            found: SourceChanges::default(),
        }
    }

    fn file(&mut self, entry: &Entry) -> Result<(), SourceError> {
        let (before, now) = (&entry.before, &entry.now);
        let path = now.as_ref().or(before.as_ref()).map(|side| &*side.path);
        let path = path.unwrap_or(Path::new(""));
        let renamed = before.as_ref().filter(|before| before.path != path);
        let (change, names) = self.change(entry, renamed.is_some())?;
        self.found.names.extend(names);
        self.found.files.push(FileChange {
            path: self.repository.relative(path),
            before: renamed.map(|before| self.repository.relative(&before.path)),
            change,
        });
        Ok(())
    }

    /// What changed, and the names that may mean something else in other files.
    fn change(
        &mut self,
        entry: &Entry,
        is_renamed: bool,
    ) -> Result<(Change, BTreeSet<String>), SourceError> {
        let is_file = entry.sides().all(|side| side.is_file);
        let language = entry.sides().map(language).next();
        let otherwise = match language {
            Some(Language::Java | Language::Foreign) => unparsed::unknown(),
            _ => Change::Other,
        };
        let otherwise = (otherwise, BTreeSet::new());
        if !is_file || matches!(language, Some(Language::None) | None) {
            return Ok(otherwise);
        }
        let before = self.content(entry.before.as_ref())?;
        let now = self.content(entry.now.as_ref())?;
        let is_unreadable =
            before.is_none() && entry.before.is_some() || now.is_none() && entry.now.is_some();
        if is_unreadable {
            return Ok(otherwise);
        }
        let [before, now] = decode([before, now]);
        let sides = (before.as_deref(), now.as_deref());
        let found = match language {
            Some(Language::Info) => {
                let found = between_infos(&mut self.java, sides, is_renamed);
                found.map(|change| (change, BTreeSet::new()))
            }
            Some(Language::Foreign) => Some(unparsed::foreign(sides.0, sides.1)),
            _ => between(&mut self.java, sides, is_renamed),
        };
        Ok(found.unwrap_or(otherwise))
    }

    /// `None` if there is none, or none that can be read.
    fn content(&mut self, side: Option<&Side>) -> Result<Option<Vec<u8>>, SourceError> {
        match side {
            Some(Side { id: Some(id), .. }) => {
                let blobs = match self.blobs.take() {
                    Some(blobs) => blobs,
                    None => self.repository.blobs()?,
                };
                self.blobs.insert(blobs).read(id)
            }
            Some(Side { id: None, path, .. }) => Ok(self.repository.read(path).ok()),
            None => Ok(None),
        }
    }
}

/// What differs between two states of a Java file, and the names that this gives another meaning in others; `None` if
/// one was not understood.
pub(crate) fn between(
    parser: &mut Java,
    (before, now): (Option<&str>, Option<&str>),
    is_renamed: bool,
) -> Option<(Change, BTreeSet<String>)> {
    let before = parse(before, |source| parser.unit(source))?;
    let now = parse(now, |source| parser.unit(source))?;
    let classes = |unit: &Unit<'_>| unit.types.keys().cloned().collect();
    let none = Unit::default();
    let names = names_for_others(
        before.as_ref().unwrap_or(&none),
        now.as_ref().unwrap_or(&none),
    );
    let change = match (before, now) {
        (Some(before), Some(now)) if !is_renamed => Change::Members {
            classes: classes(&now),
            members: compare(&before, &now, &Uncertain::imports(&before, &now)),
        },
        (before, now) => Change::Classes {
            before: before.as_ref().map(classes).unwrap_or_default(),
            now: now.as_ref().map(classes).unwrap_or_default(),
        },
    };
    Some((change, names))
}

/// Whether a description of a package or module is as before, as far as anybody can see; `None` if not.
///
/// That of a package without annotations says nothing.
fn between_infos(
    parser: &mut Java,
    (before, now): (Option<&str>, Option<&str>),
    is_renamed: bool,
) -> Option<Change> {
    let before = parse(before, |source| parser.tokens(source))?;
    let now = parse(now, |source| parser.tokens(source))?;
    let says_nothing = |tokens: &Option<Vec<&str>>| {
        let tokens = tokens.as_deref().unwrap_or_default();
        tokens.first().is_none_or(|first| *first == "package") && !tokens.contains(&"@")
    };
    let is_same = before == now && !is_renamed;
    let is_empty = says_nothing(&before) && says_nothing(&now);
    (is_same || is_empty).then_some(Change::Members {
        classes: Vec::new(),
        members: Vec::new(),
    })
}

/// A side as it was parsed, if there is one; `None` if it was not understood.
fn parse<'s, T>(
    source: Option<&'s str>,
    parse: impl FnOnce(&'s str) -> Option<T>,
) -> Option<Option<T>> {
    match source {
        Some(source) => parse(source).map(Some),
        None => Some(None),
    }
}
