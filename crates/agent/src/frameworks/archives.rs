//! The archives in which test frameworks come.
//!
//! What a framework does on its way to tests is not work of tests, so its classes are trusted. A name
//! alone is no proof: a project may have packages that are called like those of a framework.

use crate::agent::Agent;
use crate::load::Load;
use crate::locations;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_frameworks::{is_marker, is_named_as_framework};
use tamis_inputs::file_of_url;
use tamis_jvmti::Jni;

/// The archives and classes of frameworks that this JVM has loaded.
#[derive(Debug, Default)]
pub(crate) struct Archives(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// By the ids of locations: whether it is an archive of a framework.
    archives: HashMap<u32, bool>,
    /// By internal names: whether all classes of that name come from such archives.
    classes: HashMap<Vec<u8>, bool>,
}

impl Archives {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a class that has been loaded is one of a framework; by its internal name.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.known().classes.get(name) == Some(&true)
    }

    /// The same by the signature of the class; a lambda goes with the class that has it.
    pub(crate) fn has_signature(&self, signature: &[u8]) -> bool {
        class_of(signature).is_some_and(|name| self.has(name))
    }
}

/// The internal name in a signature, for a lambda that of the class around it: `La/Foo$$Lambda$1.0x2;`.
fn class_of(signature: &[u8]) -> Option<&[u8]> {
    const LAMBDA: &[u8] = b"$$Lambda";
    let name = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
    let lambda = name.windows(LAMBDA.len()).position(|part| part == LAMBDA);
    name.get(..lambda.unwrap_or(name.len()))
}

/// A class is about to be defined that may be one of a framework. Calls Java: the state must not be
/// locked.
pub(crate) fn note(agent: &Agent, jni: &mut Jni<'_>, load: &Load<'_>) {
    let Some(name) = load.name.filter(|name| is_named_as_framework(name)) else {
        return;
    };
    let id = agent
        .state()
        .locations
        .id(jni, load.protection_domain, true);
    let known = agent.archives.known().archives.get(&id).copied();
    let is_framework = known.unwrap_or_else(|| {
        locations::resolve(agent, jni, &[id]);
        let url = agent.state().locations.url(id);
        let file = url.and_then(|url| file_of_url(&url));
        file.is_some_and(|file| {
            !is_built_here(&file, &agent.config.project) && is_archive_of_framework(&file)
        })
    });
    let mut known = agent.archives.known();
    // Nobody knows where a class without a location comes from.
    if id != 0 {
        known.archives.insert(id, is_framework);
    }
    let class = known.classes.entry(name.to_vec()).or_insert(true);
    *class &= is_framework;
}

/// Whether the project itself may have made an archive. Builds keep what they have downloaded in hidden
/// directories, if it is in the project at all.
fn is_built_here(archive: &Path, project: &Path) -> bool {
    let inside = archive.strip_prefix(project);
    inside.is_ok_and(|inside| {
        let mut parts = inside.components();
        !parts.any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
    })
}

/// Whether an archive has a class that marks a framework, and no classes but those of frameworks. What
/// cannot be read is none.
fn is_archive_of_framework(archive: &Path) -> bool {
    let Some(names) = directory_of_archive(archive) else {
        return false;
    };
    let classes = names
        .iter()
        .filter_map(|name| name.strip_suffix(b".class"))
        .filter(|name| *name != b"module-info" && !name.starts_with(b"META-INF/"));
    let mut is_marked = false;
    for class in classes {
        if !is_named_as_framework(class) {
            return false;
        }
        is_marked |= is_marker(class);
    }
    is_marked
}

/// The size of the record at the end of an archive, and how long a comment behind it may be.
const END: usize = 22;
const COMMENT: u64 = 0xffff;

/// The size of the record of each entry, without its name.
const ENTRY: usize = 46;

/// The most that is read of an archive.
const MOST: usize = 16 << 20;

/// The names of the entries of an archive.
fn directory_of_archive(archive: &Path) -> Option<Vec<Vec<u8>>> {
    let file = File::open(archive).ok()?;
    let length = file.metadata().ok()?.len();
    let start = length.saturating_sub(END as u64 + COMMENT);
    let tail = read(&file, start, (length - start) as usize)?;
    let at = tail
        .windows(4)
        .rposition(|window| window == b"PK\x05\x06")?;
    let end = tail.get(at..at + END)?;
    let (size, offset) = (number(end, 12, 4)?, number(end, 16, 4)?);
    let directory = read(&file, offset as u64, size)?;
    let mut rest = directory.as_slice();
    let mut names = Vec::new();
    while !rest.is_empty() {
        rest.strip_prefix(b"PK\x01\x02")?;
        let [name, extra, comment] = [28, 30, 32].map(|at| number(rest, at, 2));
        names.push(rest.get(ENTRY..ENTRY + name?)?.to_vec());
        rest = rest.get(ENTRY + name? + extra? + comment?..)?;
    }
    Some(names)
}

fn read(file: &File, offset: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; (length <= MOST).then_some(length)?];
    file.read_exact_at(&mut bytes, offset).ok()?;
    Some(bytes)
}

/// The number in so many bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + length)?.iter().rev();
    Some(bytes.fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An archive of empty entries: nothing but its directory and its end.
    fn archive(names: &[&str]) -> Vec<u8> {
        let mut directory = Vec::new();
        for name in names {
            let mut entry = [0; ENTRY];
            entry[..4].copy_from_slice(b"PK\x01\x02");
            entry[28] = name.len() as u8;
            directory.extend(entry);
            directory.extend(name.as_bytes());
        }
        let mut end = [0; END];
        end[..4].copy_from_slice(b"PK\x05\x06");
        end[12..16].copy_from_slice(&(directory.len() as u32).to_le_bytes());
        [directory, end.to_vec()].concat()
    }

    #[test]
    fn a_framework_is_an_archive_with_its_marker_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.jar");
        let check = |names: &[&str], expected| {
            std::fs::write(&file, archive(names)).unwrap();
            assert_eq!(is_archive_of_framework(&file), expected, "{names:?}");
        };
        let runner = "org/junit/runner/Runner.class";
        check(&["META-INF/MANIFEST.MF", runner, "junit/Foo.class"], true);
        check(&["META-INF/versions/9/module-info.class", runner], true);
        check(&["org/junit/mine/Foo.class"], false);
        check(&[runner, "acme/Foo.class"], false);
        check(&[], false);
        std::fs::write(&file, "no archive").unwrap();
        assert!(!is_archive_of_framework(&file));
        assert!(!is_archive_of_framework(dir.path()));
    }

    #[test]
    fn a_lambda_goes_with_its_class() {
        let check = |signature: &str, expected: Option<&str>| {
            let class = class_of(signature.as_bytes());
            assert_eq!(class, expected.map(str::as_bytes), "{signature}");
        };
        check("La/Foo;", Some("a/Foo"));
        check("La/Foo$$Lambda$14.0x00001;", Some("a/Foo"));
        check("La/Foo$$Lambda.0x00001;", Some("a/Foo"));
        check("[La/Foo;", None);
        check("I", None);
    }

    #[test]
    fn what_a_project_makes_is_no_framework() {
        let check = |archive: &str, expected| {
            let is_built = is_built_here(Path::new(archive), Path::new("/p"));
            assert_eq!(is_built, expected, "{archive}");
        };
        check("/p/target/junit.jar", true);
        check("/p/.m2/repository/junit.jar", false);
        check("/home/.m2/junit.jar", false);
        check("/pp/junit.jar", false);
    }
}
