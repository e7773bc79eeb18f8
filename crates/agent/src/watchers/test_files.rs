//! Test-created files: what a test class made, changed or removed is no input for it.
//!
//! Only what really became different is its own. A directory that it made and all below is, but not
//! what a link there leads to, nor what was moved there.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// How many links are followed on the way to a file.
const LINKS: usize = 40;

/// A write to what is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileWrite {
    /// A file or a directory is made if nothing is there, or removed, or replaced.
    Makes,
    /// A file, at the end of a link perhaps, is made or emptied.
    Empties,
}

/// The files that the test class which runs made, changed or removed.
#[derive(Debug, Default)]
pub(crate) struct TestFiles {
    paths: HashMap<PathBuf, WrittenPath>,
    /// What was not there before this JVM made it.
    created: HashSet<PathBuf>,
    /// What was there before this JVM did anything to it.
    found: HashSet<PathBuf>,
    /// The number of the single test that runs, if these are told apart.
    test: u32,
}

#[derive(Debug)]
struct WrittenPath {
    write: FileWrite,
    /// What was there before the class did anything to it, or before it made something in its place.
    before: Option<FileIdentity>,
    /// Whether something was moved there that is not its own.
    is_foreign: bool,
    /// The single test that did it; 0 for what is there for all tests of the class.
    test: u32,
}

/// The identity of a file: enough of what is at a path to know it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    inode: u64,
    /// Of a file: its size, and when it was written.
    file: Option<(u64, i64, i64)>,
}

fn identity(path: &Path) -> Option<FileIdentity> {
    let metadata = path.symlink_metadata().ok()?;
    let file = (metadata.len(), metadata.mtime(), metadata.mtime_nsec());
    Some(FileIdentity {
        device: metadata.dev(),
        inode: metadata.ino(),
        file: (!metadata.is_dir()).then_some(file),
    })
}

impl WrittenPath {
    /// Whether something else is there now.
    fn is_done(&self, now: Option<FileIdentity>) -> bool {
        let kept = |there: FileIdentity| match self.write {
            // Others may write to it.
            FileWrite::Makes => FileIdentity {
                file: None,
                ..there
            },
            FileWrite::Empties => there,
        };
        self.before.map(kept) != now.map(kept)
    }
}

impl TestFiles {
    /// The next test class starts.
    pub(crate) fn next(&mut self) {
        self.paths.clear();
        self.test = 0;
    }

    /// A single test starts, with a number of its own, or ends, with 0.
    pub(crate) fn test(&mut self, number: u32) {
        self.test = number;
    }

    /// Notes that a write to `path` is about to happen.
    pub(crate) fn note(&mut self, path: &Path, write: FileWrite) {
        let now = identity(path);
        let fresh = WrittenPath {
            write,
            before: now,
            is_foreign: false,
            test: self.test,
        };
        let is_original = now.is_some() && !self.created.contains(path);
        if is_original {
            self.found.insert(path.to_owned());
        } else if now.is_none() && !self.found.contains(path) {
            self.created.insert(path.to_owned());
        }
        match self.paths.get_mut(path) {
            // Whatever comes there is new, even if it looks like what was there.
            Some(note) if now.is_none() || note.test != self.test => *note = fresh,
            Some(note) if write == FileWrite::Empties && !note.is_done(now) => *note = fresh,
            Some(_) => {}
            None => {
                self.paths.insert(path.to_owned(), fresh);
            }
        }
    }

    /// Notes that `from` is about to be moved to `to`; `is_foreign` if the class did not create it. The content of a
    /// file has been looked at before.
    pub(crate) fn rename(&mut self, from: &Path, to: &Path, is_foreign: bool) {
        let foreign = self.foreign_below(from);
        self.paths.retain(|path, _| {
            path == from || path == to || !(path.starts_with(from) || path.starts_with(to))
        });
        self.note(from, FileWrite::Makes);
        self.note(to, FileWrite::Makes);
        let test = self.test;
        for inside in foreign.into_iter().chain(is_foreign.then(PathBuf::new)) {
            let place = match inside.as_os_str().is_empty() {
                true => to.to_owned(),
                false => to.join(inside),
            };
            let note = self.paths.entry(place).or_insert(WrittenPath {
                write: FileWrite::Makes,
                before: None,
                is_foreign: true,
                test,
            });
            note.is_foreign = true;
        }
    }

    /// Paths below a directory to which files were moved that the class did not create.
    pub(crate) fn foreign_below(&self, directory: &Path) -> Vec<PathBuf> {
        let paths = self.paths.iter().filter(|(_, note)| note.is_foreign);
        let below = paths.filter_map(|(path, _)| path.strip_prefix(directory).ok());
        let below = below.filter(|inside| !inside.as_os_str().is_empty());
        below.map(Path::to_owned).collect()
    }

    /// Whether the class created, changed or removed what is at `path`.
    fn is_own(&self, path: &Path) -> bool {
        if self.paths.is_empty() {
            return false;
        }
        for part in path.ancestors() {
            // What comes before `..` does not matter.
            if part.file_name().is_none() {
                return false;
            }
            let note = self.paths.get(part);
            match note.filter(|note| note.test == 0 || note.test == self.test) {
                Some(note) if note.is_foreign => return false,
                Some(note) if note.is_done(identity(part)) => return true,
                _ => {}
            }
        }
        false
    }

    /// Follows `path` through links that the class created.
    pub(crate) fn end_of(&self, path: &Path, follows_last: bool) -> PathBuf {
        match self.paths.is_empty() {
            true => path.to_owned(),
            false => follow(path, follows_last, |part| self.is_own(part)),
        }
    }

    /// The same; `None` if the class created that, too.
    pub(crate) fn leads(&self, path: &Path, follows_last: bool) -> Option<PathBuf> {
        let path = self.end_of(path, follows_last);
        (!self.is_own(&path)).then_some(path)
    }

    /// The names in a directory that this JVM made.
    pub(crate) fn made_in(&self, directory: &Path) -> Vec<String> {
        let made = self.created.iter();
        let made = made.filter(|made| made.parent() == Some(directory) && identity(made).is_some());
        let names = made.filter_map(|made| made.file_name()?.to_str());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names
    }
}

/// Where an absolute path leads through those links for which `follows` says yes, whether there is
/// something at its end or not.
pub(crate) fn follow(path: &Path, follows_last: bool, follows: impl Fn(&Path) -> bool) -> PathBuf {
    let parts = |path: &Path| -> Vec<OsString> {
        let parts = path.components().rev();
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    let parent = Component::ParentDir.as_os_str();
    let (mut rest, mut done, mut links) = (parts(path), PathBuf::new(), 0);
    while let Some(part) = rest.pop() {
        if part == parent && follows(&done) {
            done.pop();
            continue;
        }
        done.push(part);
        let is_last = rest.is_empty() && !follows_last;
        if is_last || links == LINKS || !follows(&done) {
            continue;
        }
        if let Ok(target) = done.read_link() {
            links += 1;
            done.pop();
            rest.extend(parts(&target));
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Where `path` leads after a class did some things in a directory that has `dir/file`, a link
    /// `link` to `dir`, and nothing else; `None` if it is the class's own.
    fn check(what: &str, path: &str, act: fn(&Path, &mut TestFiles), expected: Option<&str>) {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        fs::create_dir(root.join("dir")).unwrap();
        fs::write(root.join("dir/file"), "there").unwrap();
        symlink("dir", root.join("link")).unwrap();
        let mut own = TestFiles::default();
        act(&root, &mut own);
        let expected = expected.map(|expected| root.join(expected));
        assert_eq!(own.leads(&root.join(path), true), expected, "{what}");
    }

    fn make_dir(root: &Path, own: &mut TestFiles, name: &str) {
        own.note(&root.join(name), FileWrite::Makes);
        let _ = fs::create_dir(root.join(name));
    }

    fn write(root: &Path, own: &mut TestFiles, name: &str, text: &str) {
        own.note(&root.join(name), FileWrite::Empties);
        fs::write(root.join(name), text).unwrap();
    }

    fn remove(root: &Path, own: &mut TestFiles, name: &str) {
        own.note(&root.join(name), FileWrite::Makes);
        let _ = fs::remove_file(root.join(name)).or_else(|_| fs::remove_dir(root.join(name)));
    }

    fn link(root: &Path, own: &mut TestFiles, name: &str, target: &str) {
        own.note(&root.join(name), FileWrite::Makes);
        symlink(target, root.join(name)).unwrap();
    }

    fn rename(root: &Path, own: &mut TestFiles, from: &str, to: &str) {
        let (from, to) = (root.join(from), root.join(to));
        let is_foreign = from.is_dir() && !own.is_own(&from);
        own.rename(&from, &to, is_foreign);
        fs::rename(from, to).unwrap();
    }

    #[test]
    fn what_a_class_made_changed_or_removed_is_its_own() {
        check("nothing", "dir/file", |_, _| {}, Some("dir/file"));
        check("written", "new", |r, o| write(r, o, "new", ""), None);
        check(
            "changed",
            "dir/file",
            |r, o| write(r, o, "dir/file", ""),
            None,
        );
        check("removed", "dir/file", |r, o| remove(r, o, "dir/file"), None);
        check("made", "new", |r, o| make_dir(r, o, "new"), None);
        check(
            "below what was made",
            "new/x/y",
            |r, o| make_dir(r, o, "new"),
            None,
        );
        check(
            "written to again",
            "new",
            |r, o| {
                write(r, o, "new", "");
                write(r, o, "new", "more");
            },
            None,
        );
        check(
            "made anew",
            "dir/x",
            |r, o| {
                remove(r, o, "dir/file");
                remove(r, o, "dir");
                make_dir(r, o, "dir");
            },
            None,
        );
    }

    #[test]
    fn what_did_not_change_is_not() {
        check(
            "made where one was",
            "dir/file",
            |r, o| make_dir(r, o, "dir"),
            Some("dir/file"),
        );
        check(
            "not removed",
            "dir/file",
            |r, o| remove(r, o, "dir"),
            Some("dir/file"),
        );
        check(
            "not written",
            "dir/file",
            |r, o| o.note(&r.join("dir/file"), FileWrite::Empties),
            Some("dir/file"),
        );
        check(
            "not made",
            "new",
            |r, o| o.note(&r.join("new"), FileWrite::Empties),
            Some("new"),
        );
        check(
            "in a directory that changed",
            "dir/file",
            |r, o| {
                make_dir(r, o, "dir");
                write(r, o, "dir/other", "");
            },
            Some("dir/file"),
        );
        check(
            "the next class",
            "new",
            |r, o| {
                write(r, o, "new", "");
                o.next();
            },
            Some("new"),
        );
        check(
            "up again",
            "new/../dir/file",
            |r, o| make_dir(r, o, "new"),
            Some("dir/file"),
        );
        check(
            "up, not through its own",
            "link/../dir/file",
            |r, o| make_dir(r, o, "new"),
            Some("link/../dir/file"),
        );
    }

    #[test]
    fn own_links_lead_elsewhere() {
        check(
            "file",
            "new",
            |r, o| link(r, o, "new", "dir/file"),
            Some("dir/file"),
        );
        check(
            "directory",
            "new/file",
            |r, o| link(r, o, "new", "dir"),
            Some("dir/file"),
        );
        check(
            "missing",
            "new/x",
            |r, o| link(r, o, "new", "nowhere"),
            Some("nowhere/x"),
        );
        check(
            "in an own directory",
            "own/new/file",
            |r, o| {
                make_dir(r, o, "own");
                link(r, o, "own/new", "../dir");
            },
            Some("dir/file"),
        );
        check(
            "made by another program",
            "own/new",
            |r, o| {
                make_dir(r, o, "own");
                symlink("../dir/file", r.join("own/new")).unwrap();
            },
            Some("dir/file"),
        );
        check(
            "to its own",
            "new",
            |r, o| {
                write(r, o, "own", "");
                link(r, o, "new", "own");
            },
            None,
        );
        check(
            "through one that was there",
            "new/file",
            |r, o| link(r, o, "new", "link"),
            Some("link/file"),
        );
        check(
            "one that was there",
            "link/file",
            |r, o| make_dir(r, o, "own"),
            Some("link/file"),
        );
        check("in a circle", "new", |r, o| link(r, o, "new", "new"), None);
    }

    #[test]
    fn what_is_moved_stays_whose_it_is() {
        check(
            "directory",
            "new/file",
            |r, o| rename(r, o, "dir", "new"),
            Some("new/file"),
        );
        check(
            "where it was",
            "dir/file",
            |r, o| rename(r, o, "dir", "new"),
            None,
        );
        check(
            "into its own",
            "own/new/file",
            |r, o| {
                make_dir(r, o, "own");
                rename(r, o, "dir", "own/new");
            },
            Some("own/new/file"),
        );
        check(
            "and back",
            "dir/file",
            |r, o| {
                rename(r, o, "dir", "new");
                rename(r, o, "new", "dir");
            },
            Some("dir/file"),
        );
        check(
            "its own",
            "new/x",
            |r, o| {
                make_dir(r, o, "own");
                rename(r, o, "own", "new");
            },
            None,
        );
        check(
            "a file",
            "new",
            |r, o| rename(r, o, "dir/file", "new"),
            None,
        );
        check(
            "made anew",
            "new/x",
            |r, o| {
                rename(r, o, "dir", "new");
                rename(r, o, "new", "dir");
                make_dir(r, o, "new");
            },
            None,
        );
    }

    #[test]
    fn names_that_this_jvm_made_are_known_while_they_are_there() {
        let root = tempfile::tempdir().unwrap();
        let mut own = TestFiles::default();
        write(root.path(), &mut own, "a", "");
        write(root.path(), &mut own, "b", "");
        own.next();
        write(root.path(), &mut own, "a", "1");
        remove(root.path(), &mut own, "b");
        assert_eq!(own.made_in(root.path()), ["a"]);
    }
}
