//! Inputs: files and directories, by the aspect that a test sees of them, and values of the
//! environment. [`policy`] says which of them count.
//!
//! The agent asks for the [`state`] of a file when a test looks at it, the store asks again later: two
//! states that are equal mean that the test would see the same. `None` means that the state is unknown, and
//! equals nothing.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod files;
pub mod policy;
mod urls;
mod values;
mod wire;

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tamis_classfile::ClassFile;
pub use urls::{absolute_url, file_of_url, percent_decoded, resolve_url};
pub use values::{ALL, CLASS_PATH, OF_THE_JDK, Values, options, variables};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The aspect of a file that a test reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Aspect {
    /// Whether there is a file or a directory, and whether it may be executed.
    Kind = 0,
    /// That, and the size of a file.
    Size = 1,
    /// The bytes of a file, or the names in a directory.
    Content = 2,
    /// As [`Aspect::Size`], but of a link itself: where it leads.
    Link = 3,
    /// What a class file declares: its content without the code of methods. Of any other file its content.
    Declarations = 4,
}

impl Aspect {
    /// All of them, each at its number.
    pub const ALL: [Aspect; 5] = [
        Aspect::Kind,
        Aspect::Size,
        Aspect::Content,
        Aspect::Link,
        Aspect::Declarations,
    ];

    /// Whether a reader of this aspect has seen the other one too.
    pub fn covers(self, other: Aspect) -> bool {
        match self {
            Aspect::Content => other != Aspect::Link,
            Aspect::Size | Aspect::Declarations => other == self || other == Aspect::Kind,
            Aspect::Kind | Aspect::Link => other == self,
        }
    }

    /// Whether a file must be opened to see this.
    pub fn is_inside_a_file(self) -> bool {
        matches!(self, Aspect::Content | Aspect::Declarations)
    }
}

/// An input of a test, which is not code; `P` says where a file is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Input<P> {
    /// A file or a directory.
    File {
        /// Where it is.
        place: P,
        /// The aspect of it that was read.
        aspect: Aspect,
        /// Names in a directory that do not count, because tests made what they name.
        test_created: Vec<String>,
    },
    /// What the class path has under a name.
    Resource {
        /// The name.
        name: String,
        /// Whether it is all that its directories and archives have, or only the first.
        all: bool,
    },
    /// What the first class file declares that the class path has under a name.
    Declared(String),
    /// Whether the class path has a class, by its internal name, with which code in use is linked.
    Linked(String),
    /// What an archive has under a name.
    Entry {
        /// Where the archive is.
        place: P,
        /// The name.
        name: String,
    },
    /// An archive outside the class path in which something was looked for, or an entry of an archive
    /// if its name follows, by the URL.
    Archive(String),
    /// A process that was started; of a JVM it must be known what it used.
    Process {
        /// Its id.
        pid: u32,
        /// Whether it is a JVM.
        is_jvm: bool,
    },
    /// The names of the files in the project that match a pattern; of a JVM those of the archives in a
    /// directory.
    Pattern(String),
    /// A system property, or [`ALL`] of them.
    Property(String),
    /// An environment variable, or [`ALL`] of them.
    Variable(String),
}

/// The digest of what can be seen of `path`; of a directory without the names that `ignored` says.
/// `None` if that is unknown.
pub fn state(path: &Path, aspect: Aspect, ignored: impl Fn(&OsStr) -> bool) -> Option<u128> {
    let mut digest = Xxh3::new();
    let metadata = match aspect {
        Aspect::Link => path.symlink_metadata(),
        _ => path.metadata(),
    };
    let metadata = match metadata {
        Ok(metadata) => metadata,
        Err(error) => return is_missing(&error).then(missing),
    };
    if metadata.is_symlink() {
        let target = path.read_link().ok()?;
        part(&mut digest, b"link", target.as_os_str().as_bytes());
        return Some(digest.digest128());
    }
    match aspect {
        _ if metadata.is_dir() => {
            part(&mut digest, b"directory", b"");
            if aspect.is_inside_a_file() {
                names(path, &mut digest, ignored)?;
            }
        }
        _ if metadata.is_file() => file(path, &metadata, aspect, &mut digest)?,
        _ => part(&mut digest, b"other", b""),
    }
    Some(digest.digest128())
}

/// The [`state`] of a path at which nothing is.
pub fn missing() -> u128 {
    xxh3_128(b"missing")
}

/// The digest of a value; of none if there is no value.
pub fn value(value: Option<&[u8]>) -> u128 {
    match value {
        None => missing(),
        Some(value) => {
            let mut digest = Xxh3::new();
            part(&mut digest, b"value", value);
            digest.digest128()
        }
    }
}

fn file(path: &Path, metadata: &Metadata, aspect: Aspect, digest: &mut Xxh3) -> Option<()> {
    let executable = metadata.permissions().mode() & 0o111 != 0;
    part(digest, b"file", &[u8::from(executable)]);
    match aspect {
        Aspect::Kind => {}
        Aspect::Size | Aspect::Link => part(digest, b"size", &metadata.len().to_le_bytes()),
        Aspect::Content => {
            let mut file = File::open(path).ok()?;
            let mut buffer = vec![0; 1 << 16];
            loop {
                let length = match file.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(length) => length,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => return None,
                };
                digest.update(buffer.get(..length)?);
            }
        }
        Aspect::Declarations => {
            let bytes = std::fs::read(path).ok()?;
            let class = ClassFile::parse(&bytes);
            match class.and_then(|class| tamis_fingerprint::declarations(&class)) {
                Ok(declared) => part(digest, b"declarations", &declared.0.to_le_bytes()),
                Err(_) => part(digest, b"content", &bytes),
            }
        }
    }
    Some(())
}

fn names(path: &Path, digest: &mut Xxh3, ignored: impl Fn(&OsStr) -> bool) -> Option<()> {
    let mut names = Vec::new();
    for entry in path.read_dir().ok()? {
        names.push(entry.ok()?.file_name());
    }
    names.sort_unstable();
    for name in names.iter().filter(|name| !ignored(name)) {
        part(digest, b"name", name.as_bytes());
    }
    Some(())
}

/// Adds a part with its length, so that no two lists of parts run together to the same bytes.
fn part(digest: &mut Xxh3, kind: &[u8], bytes: &[u8]) {
    digest.update(kind);
    digest.update(&(bytes.len() as u64).to_le_bytes());
    digest.update(bytes);
}

/// Whether the error says that nothing is there.
fn is_missing(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// What changes between two states of a directory, and which aspects of `x` show it.
    fn check(what: &str, before: fn(&Path), after: fn(&Path), seen_by: &[Aspect]) {
        let dir = tempfile::tempdir().unwrap();
        let x = dir.path().join("x");
        let states = || Aspect::ALL.map(|aspect| state(&x, aspect, |name| name == "own"));
        before(dir.path());
        let first = states();
        assert_eq!(first, states(), "{what}: the same");
        after(dir.path());
        let second = states();
        for (aspect, (first, second)) in Aspect::ALL.into_iter().zip(first.iter().zip(&second)) {
            assert_eq!(
                first != second,
                seen_by.contains(&aspect),
                "{what}: {aspect:?}"
            );
        }
    }

    fn write(dir: &Path, name: &str, text: &str) {
        let file = dir.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn remove(dir: &Path, name: &str) {
        fs::remove_file(dir.join(name)).unwrap();
    }

    #[test]
    fn a_state_shows_what_its_aspect_says() {
        use Aspect::{Content, Declarations, Kind, Link, Size};
        let all = &Aspect::ALL;
        // What is no class file declares all that is in it.
        let inside = &[Content, Declarations];
        check("appears", |_| {}, |d| write(d, "x", ""), all);
        check("vanishes", |d| write(d, "x", ""), |d| remove(d, "x"), all);
        let sizes = &[Size, Content, Link, Declarations];
        check(
            "grows",
            |d| write(d, "x", "a"),
            |d| write(d, "x", "ab"),
            sizes,
        );
        check(
            "changes",
            |d| write(d, "x", "a"),
            |d| write(d, "x", "b"),
            inside,
        );
        check("same", |d| write(d, "x", "a"), |d| write(d, "x", "a"), &[]);
        let becomes_directory = |d: &Path| {
            remove(d, "x");
            write(d, "x/y", "");
        };
        check("directory", |d| write(d, "x", ""), becomes_directory, all);
        check(
            "name",
            |d| write(d, "x/a", ""),
            |d| write(d, "x/b", ""),
            inside,
        );
        check(
            "own name",
            |d| write(d, "x/a", ""),
            |d| write(d, "x/own", ""),
            &[],
        );
        check(
            "file in it",
            |d| write(d, "x/a", ""),
            |d| write(d, "x/a", "1"),
            &[],
        );
        let executable = |d: &Path| {
            fs::set_permissions(d.join("x"), PermissionsExt::from_mode(0o755)).unwrap();
        };
        check("may be executed", |d| write(d, "x", ""), executable, all);
        let linked = |d: &Path| {
            write(d, "y", "a");
            symlink("y", d.join("x")).unwrap();
        };
        check(
            "link to what changes",
            linked,
            |d| write(d, "y", "b"),
            inside,
        );
        check(
            "link to what vanishes",
            linked,
            |d| remove(d, "y"),
            &[Kind, Size, Content, Declarations],
        );
        let becomes_link = |d: &Path| {
            fs::rename(d.join("x"), d.join("y")).unwrap();
            symlink("y", d.join("x")).unwrap();
        };
        check(
            "link instead",
            |d| write(d, "x", "a"),
            becomes_link,
            &[Link],
        );
    }

    #[test]
    fn a_file_below_a_file_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "x", "");
        let below = dir.path().join("x/y");
        assert_eq!(state(&below, Aspect::Kind, |_| false), Some(missing()));
    }

    #[test]
    fn a_value_is_neither_none_nor_another() {
        assert_eq!(value(None), missing());
        assert_ne!(value(Some(b"")), missing());
        assert_ne!(value(Some(b"a")), value(Some(b"b")));
    }
}
