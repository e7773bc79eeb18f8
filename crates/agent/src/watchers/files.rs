//! What is looked at beside code: files, resources, values of the environment.
//!
//! What a file is like is found out when it is looked at. What a test class wrote itself before does
//! not count for it, nor do temporary files, the JDK's own, and what is no real file. Before a test
//! framework is there only names are kept: most JVMs never see one.

use crate::agent::Agent;
use crate::watchers::callers;
use crate::watchers::test_files::{Deed, Own, follow};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, UNIX_EPOCH};
use tamis_inputs::policy::{Directories, is_of_the_system};
use tamis_inputs::{Aspect, Input, Values, absolute_url, file_of_url, state};
use tamis_jvmti::Jni;

/// An input and what it was like.
pub(crate) type Seen = (Input<Vec<u8>>, Option<u128>);

/// How many names are kept of what is looked at before a test framework is there.
const EARLY: usize = 20_000;

#[derive(Debug, Default)]
pub(crate) struct Inputs {
    looks: Mutex<Looks>,
    bounds: OnceLock<Bounds>,
    /// Those with which the tests start.
    values: OnceLock<Values>,
}

#[derive(Debug, Default)]
struct Looks {
    /// Those since the last boundary.
    seen: HashSet<Seen>,
    /// Those of them that the JDK keeps.
    kept: HashSet<Seen>,
    /// Files among them, and files that do not count.
    files: HashSet<(PathBuf, Aspect)>,
    /// Files that were looked at before a test framework was there.
    early: HashSet<(PathBuf, Aspect)>,
    own: Own,
    /// System properties that were set, with the number of the single test then, or 0.
    set: HashMap<String, u32>,
    /// Files that this JVM wrote, those among them that it wrote since the last boundary, and those that were
    /// read since then.
    written: HashSet<PathBuf>,
    newly_written: HashSet<PathBuf>,
    read_again: HashSet<PathBuf>,
    /// How many boundaries of single tests there were.
    started: u32,
    /// The number of the single test that runs.
    test: u32,
}

/// Where paths lead, and which of them count.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// Where relative paths start.
    pub(crate) directory: PathBuf,
    /// What decides whether a file counts.
    pub(crate) directories: Directories,
}

impl Bounds {
    /// The absolute path, if what is there can change a test.
    fn path(&self, path: &[u8], follows_last: bool) -> Option<PathBuf> {
        let path: PathBuf = self
            .directory
            .join(OsStr::from_bytes(path))
            .components()
            .collect();
        let leads_to = || follow(&path, follows_last, |_| true);
        let mut parts = path.components();
        if self.directories.is_temporary(&path) || is_of_the_system(&path) {
            // A link there may lead to what counts.
            Some(leads_to()).filter(|path| self.directories.count(path))
        } else if parts.any(|part| part == Component::ParentDir) {
            self.directories.count(&leads_to()).then_some(path)
        } else {
            self.directories.count(&path).then_some(path)
        }
    }
}

impl Looks {
    fn wrote(&mut self, path: PathBuf) {
        self.newly_written.insert(path.clone());
        self.written.insert(path);
    }

    /// Whether as much of this file was seen since the last boundary.
    fn has(&self, path: &Path, aspect: Aspect) -> bool {
        let more = Aspect::ALL.into_iter().filter(|more| more.covers(aspect));
        more.into_iter()
            .any(|aspect| self.files.contains(&(path.to_owned(), aspect)))
    }
}

impl Inputs {
    fn looks(&self) -> MutexGuard<'_, Looks> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on it is known what can change.
    pub(crate) fn bound(&self, bounds: Bounds) {
        let _ = self.bounds.set(bounds);
    }

    /// The absolute path of what is at a path, if it can change a test.
    pub(crate) fn place(&self, path: &[u8], aspect: Aspect) -> Option<PathBuf> {
        let bounds = self.bounds.get()?;
        let follows_last = aspect != Aspect::Link;
        let path = bounds.path(path, follows_last)?;
        let place = self.looks().own.leads(&path, follows_last)?;
        match place == path {
            true => Some(path),
            false => bounds.path(place.as_os_str().as_bytes(), follows_last),
        }
    }

    /// The same, if it is not known yet.
    pub(crate) fn path(&self, path: &[u8], aspect: Aspect) -> Option<PathBuf> {
        let path = self.place(path, aspect)?;
        (!self.looks().has(&path, aspect)).then_some(path)
    }

    /// Whether something is there that can change a test.
    pub(crate) fn is_there(&self, path: &[u8]) -> bool {
        let place = self.place(path, Aspect::Kind);
        place.is_some_and(|place| place.symlink_metadata().is_ok())
    }

    /// Whether the class `name` (internal name) comes from a directory of temporary files, by its URL, and was
    /// written there since the JVM started: tests compile it.
    pub(crate) fn is_made_by_tests(&self, url: &str, name: &str, started_ms: u64) -> bool {
        let directory = file_of_url(url).filter(|_| url.ends_with('/'));
        let (Some(directory), Some(bounds)) = (directory, self.bounds.get()) else {
            return false;
        };
        bounds.directories.is_temporary(&directory) && {
            let file = directory.join(format!("{name}.class"));
            let modified = file.metadata().and_then(|metadata| metadata.modified());
            let started = UNIX_EPOCH + Duration::from_millis(started_ms);
            modified.is_ok_and(|modified| modified > started)
        }
    }

    /// Finds out what a file is like, without holding anybody up meanwhile.
    fn find_out(&self, path: PathBuf, aspect: Aspect, kept: bool) {
        let mut looks = self.looks();
        if aspect.is_inside_a_file() && looks.written.contains(&path) {
            looks.read_again.insert(path.clone());
        }
        if looks.has(&path, aspect) {
            return;
        }
        let own = match aspect.is_inside_a_file() {
            true => looks.own.made_in(&path),
            false => Vec::new(),
        };
        drop(looks);
        let is_own = |name: &OsStr| own.iter().any(|own| name == own.as_str());
        let state = state(&path, aspect, is_own);
        let place = path.as_os_str().as_bytes().to_vec();
        self.looks().files.insert((path, aspect));
        self.see((Input::File { place, aspect, own }, state), kept);
    }

    /// A file is looked at.
    pub(crate) fn look(&self, agent: &Agent, jni: &mut Jni<'_>, path: PathBuf, aspect: Aspect) {
        if agent.awake.load(Ordering::Acquire) {
            let caller = callers::on_stack(agent, jni);
            self.find_out(path, aspect, caller.keeps);
            return;
        }
        let mut looks = self.looks();
        looks.early.insert((path, aspect));
        let too_many = looks.early.len() > EARLY;
        drop(looks);
        if too_many {
            self.looks().early.clear();
            agent.distrust("too many files were read before the tests".into());
        }
    }

    /// What is at a path, or at the end of a link there, is about to be made, emptied or removed.
    pub(crate) fn write(&self, path: &[u8], deed: Deed) {
        let follows_last = deed == Deed::Empties;
        let path = self
            .bounds
            .get()
            .and_then(|bounds| bounds.path(path, follows_last));
        if let Some(path) = path {
            let mut looks = self.looks();
            let path = looks.own.end_of(&path, follows_last);
            looks.own.mark(&path, deed);
            looks.wrote(path);
        }
    }

    /// What is in a file changes, and what was there before stays in part.
    pub(crate) fn write_more(&self, path: &[u8]) {
        let path = self.bounds.get().and_then(|bounds| bounds.path(path, true));
        if let Some(path) = path {
            let mut looks = self.looks();
            let path = looks.own.end_of(&path, true);
            looks.wrote(path);
        }
    }

    /// The files that were written since the last call, and those that were read of all that this JVM wrote
    /// before.
    pub(crate) fn take_handed_on(&self) -> (HashSet<PathBuf>, HashSet<PathBuf>) {
        let mut looks = self.looks();
        let looks = &mut *looks;
        let written = std::mem::take(&mut looks.newly_written);
        (written, std::mem::take(&mut looks.read_again))
    }

    /// What is at a path is about to be moved; whether it counts and will not be seen there.
    pub(crate) fn rename(&self, from: &[u8], to: &[u8]) -> bool {
        let path = |path: &[u8]| self.bounds.get()?.path(path, false);
        let place = self.place(from, Aspect::Link);
        let is_foreign = place.is_some_and(|from| from.is_dir());
        let mut looks = self.looks();
        match (path(from), path(to)) {
            (Some(from), Some(to)) => {
                looks.own.rename(&from, &to, is_foreign);
                looks.wrote(to);
            }
            (Some(from), None) => {
                let foreign = looks.own.foreign_below(&from);
                looks.own.mark(&from, Deed::Makes);
                return is_foreign || !foreign.is_empty();
            }
            (None, Some(to)) => {
                looks.own.mark(&to, Deed::Makes);
                looks.wrote(to);
            }
            (None, None) => {}
        }
        false
    }

    /// All paths on the way to what is at a path.
    pub(crate) fn way(&self, path: &Path) -> Vec<PathBuf> {
        let Some(bounds) = self.bounds.get() else {
            return Vec::new();
        };
        let way = std::cell::RefCell::new(Vec::new());
        follow(&bounds.directory.join(path), true, |part| {
            way.borrow_mut().push(part.to_owned());
            true
        });
        way.into_inner()
    }

    /// Something else is looked at, by who is on the stack.
    pub(crate) fn look_at(&self, agent: &Agent, jni: &mut Jni<'_>, seen: Seen) {
        if !self.looks().seen.contains(&seen) {
            let caller = callers::on_stack(agent, jni);
            self.see(seen, caller.keeps);
        }
    }

    /// All archives in a directory are used.
    pub(crate) fn look_for_archives(&self, directory: &str) {
        let path = self.place(directory.as_bytes(), Aspect::Content);
        if let Some(path) = path.as_deref().and_then(Path::to_str) {
            self.see((Input::Pattern(path.to_owned()), None), false);
        }
    }

    /// A file is used of which nobody can say what is in it.
    pub(crate) fn cannot_see(&self, path: &[u8]) {
        let input = Input::File {
            place: path.to_vec(),
            aspect: Aspect::Content,
            own: Vec::new(),
        };
        self.see((input, None), false);
    }

    /// Something else is looked at, and perhaps kept for those who come later.
    pub(crate) fn see(&self, seen: Seen, kept: bool) {
        let mut looks = self.looks();
        if kept {
            looks.kept.insert(seen.clone());
        }
        looks.seen.insert(seen);
    }

    /// A system property is set or removed.
    pub(crate) fn set(&self, property: String) {
        let mut looks = self.looks();
        let test = looks.test;
        looks.set.entry(property).or_insert(test);
    }

    /// Whether the test class that runs has set this property itself, for all its tests or in the one that runs.
    pub(crate) fn is_set(&self, property: &str) -> bool {
        let looks = self.looks();
        let by = looks.set.get(property);
        by.is_some_and(|by| *by == 0 || *by == looks.test)
    }

    /// A URL as others understand it who are elsewhere.
    pub(crate) fn absolute(&self, url: &str) -> String {
        let directory = self.bounds.get().map(|bounds| bounds.directory.as_path());
        absolute_url(url, directory.unwrap_or(Path::new("/")))
    }

    /// Whether a URL is not that of a directory, nor of a file that does not count.
    pub(crate) fn is_elsewhere(&self, url: &str) -> bool {
        // Files in directories are looked at one by one.
        let path = match file_of_url(url) {
            Some(file) if url.ends_with('/') && !url.ends_with("!/") || file.is_dir() => {
                return false;
            }
            Some(file) => file,
            None => return true,
        };
        let bounds = self.bounds.get();
        bounds.is_some_and(|bounds| bounds.path(path.as_os_str().as_bytes(), true).is_some())
    }

    /// A test class starts.
    pub(crate) fn start(&self) {
        let mut looks = self.looks();
        looks.test = 0;
        looks.set.clear();
        looks.own.next();
    }

    /// A single test starts, or the one that runs ends.
    pub(crate) fn at_test(&self, starts: bool) {
        let mut looks = self.looks();
        looks.started += 1;
        let test = if starts { looks.started } else { 0 };
        looks.test = test;
        looks.set.retain(|_, by| *by == 0);
        looks.own.test(test);
    }

    /// What was looked at since the last call, and whether it is kept.
    pub(crate) fn take(&self) -> Vec<(Seen, bool)> {
        let early = std::mem::take(&mut self.looks().early);
        for (path, aspect) in early {
            self.find_out(path, aspect, false);
        }
        let mut looks = self.looks();
        looks.files.clear();
        let mut seen = std::mem::take(&mut looks.seen);
        let is_value = |(input, _): &Seen| matches!(input, Input::Property(_) | Input::Variable(_));
        let values = self.values.get();
        if values.is_none() {
            // They are not known yet.
            let (later, now) = seen.into_iter().partition(is_value);
            looks.seen = later;
            seen = now;
        }
        let mut kept = std::mem::take(&mut looks.kept);
        let with_value = |seen: Seen| {
            let is_kept = kept.remove(&seen);
            let (input, state) = seen;
            let state = match (&input, values) {
                (Input::Property(name), Some(values)) => Some(values.property(name)),
                (Input::Variable(name), Some(values)) => Some(values.variable(name)),
                _ => state,
            };
            ((input, state), is_kept)
        };
        let taken = seen.into_iter().map(with_value).collect();
        looks.kept = kept;
        taken
    }

    /// The digest of a property with which the tests start.
    pub(crate) fn property(&self, name: &str) -> Option<u128> {
        Some(self.values.get()?.property(name))
    }

    /// The values with which the tests start.
    pub(crate) fn start_with(&self, values: Values) {
        let _ = self.values.set(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStringExt;

    fn bounds(directory: &Path) -> Bounds {
        Bounds {
            directory: directory.to_owned(),
            directories: Directories {
                project: vec![directory.to_owned()],
                java_home: "/jdk".into(),
                temporary: vec!["/tmp".into()],
            },
        }
    }

    #[test]
    fn only_files_that_can_change_a_test_count() {
        let check = |path: &str, expected: Option<&str>| {
            let found = bounds(Path::new("/tmp/p")).path(path.as_bytes(), true);
            assert_eq!(found, expected.map(PathBuf::from), "{path}");
        };
        check("a.txt", Some("/tmp/p/a.txt"));
        check("./a//b/../c", Some("/tmp/p/a/b/../c"));
        check("/home/u/a", Some("/home/u/a"));
        check("/tmp/other", None);
        check("/tmp/other/../p/a", Some("/tmp/p/a"));
        check("../other", None);
        check("/jdk/../a", Some("/jdk/../a"));
        check("/tmp/p/.tamis/store", None);
        check("lib.jar", Some("/tmp/p/lib.jar"));
        check("/jdk/lib/modules", None);
        check("/proc/self/maps", None);
        check(".attach_pid12", None);
    }

    /// What a test class sees of `data/` after the script `steps`.
    fn check(steps: &[(&str, &str)], expected: &[(&str, Aspect)]) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("data")).unwrap();
        fs::write(dir.path().join("data/there"), "").unwrap();
        let inputs = Inputs::default();
        inputs.bound(bounds(dir.path()));
        inputs.start();
        for (step, name) in steps {
            let look = |aspect| {
                let path = inputs.path(name.as_bytes(), aspect);
                path.into_iter()
                    .for_each(|path| inputs.find_out(path, aspect, false));
            };
            match *step {
                "write" => {
                    inputs.write(name.as_bytes(), Deed::Empties);
                    fs::write(dir.path().join(name), "own").unwrap();
                }
                "mkdir" => {
                    inputs.write(name.as_bytes(), Deed::Makes);
                    fs::create_dir(dir.path().join(name)).unwrap();
                }
                "read" => look(Aspect::Content),
                "exists" => look(Aspect::Kind),
                "next" => inputs.start(),
                _ => unreachable!(),
            }
        }
        let mut seen: Vec<_> = inputs
            .take()
            .into_iter()
            .map(|((input, _), _)| match input {
                Input::File { place, aspect, own } => {
                    let place = PathBuf::from(std::ffi::OsString::from_vec(place));
                    let place = place.strip_prefix(dir.path()).unwrap().to_owned();
                    (format!("{} -{}", place.display(), own.join(",")), aspect)
                }
                _ => unreachable!(),
            })
            .collect();
        seen.sort();
        let expected: Vec<_> = expected
            .iter()
            .map(|(text, aspect)| (text.to_string(), *aspect))
            .collect();
        assert_eq!(seen, expected, "{steps:?}");
    }

    #[test]
    fn what_a_test_class_wrote_itself_does_not_count_for_it() {
        use Aspect::{Content, Kind};
        let there = ("data/there -", Content);
        check(&[("read", "data/there")], &[there]);
        check(&[("write", "data/there"), ("read", "data/there")], &[]);
        check(&[("read", "data/there"), ("write", "data/there")], &[there]);
        check(
            &[
                ("write", "data/there"),
                ("next", "."),
                ("read", "data/there"),
            ],
            &[there],
        );
        check(
            &[
                ("mkdir", "data/d"),
                ("exists", "data/d/x"),
                ("read", "data/d"),
            ],
            &[],
        );
        check(
            &[("write", "data/new"), ("read", "data")],
            &[("data -new", Content)],
        );
        check(
            &[("write", "data/there"), ("read", "data")],
            &[("data -", Content)],
        );
        check(&[("exists", "data/x")], &[("data/x -", Kind)]);
        check(
            &[("read", "data/there"), ("exists", "data/there")],
            &[there],
        );
    }
}
