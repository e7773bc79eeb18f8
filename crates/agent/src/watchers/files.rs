//! Files: which of them count, what they are like, and what tests did to them.
//!
//! The state of a file is found out when it is accessed. What a test class wrote itself before does
//! not count for it, nor do temporary files, the JDK's own, and what is no real file. Before a test
//! framework is there only names are kept: most JVMs never see one.

use super::inputs::InputLog;
use super::{Events, Watcher, callers};
use crate::agent::{Agent, State};
use crate::pseudo_probes::PseudoProbe;
use crate::watchers::test_files::{FileWrite, TestFiles, follow};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, UNIX_EPOCH};
use tamis_inputs::policy::{Directories, is_of_the_system};
use tamis_inputs::{Aspect, Input, absolute_url, file_of_url, state};
use tamis_jvmti::Jni;

/// The most names of files that are kept before a test framework is loaded.
const EARLY: usize = 20_000;

/// The files that this JVM looks at and writes.
#[derive(Debug, Default)]
pub(crate) struct Files {
    inner: Mutex<Inner>,
    bounds: OnceLock<Bounds>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Files that were accessed before a test framework was loaded.
    early: HashSet<(PathBuf, Aspect)>,
    test_files: TestFiles,
    /// Files that this JVM wrote, those among them that it wrote since the last boundary, and those that were
    /// read since then.
    written: HashSet<PathBuf>,
    newly_written: HashSet<PathBuf>,
    read_again: HashSet<PathBuf>,
    /// How many boundaries of single tests there were.
    started: u32,
}

/// The directories that decide where paths lead and which of them count.
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

impl Inner {
    fn wrote(&mut self, path: PathBuf) {
        self.newly_written.insert(path.clone());
        self.written.insert(path);
    }
}

impl Files {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
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
        let place = self.inner().test_files.leads(&path, follows_last)?;
        match place == path {
            true => Some(path),
            false => bounds.path(place.as_os_str().as_bytes(), follows_last),
        }
    }

    /// The same, if it was not accessed since the last boundary.
    pub(crate) fn unseen(&self, log: &InputLog, path: &[u8], aspect: Aspect) -> Option<PathBuf> {
        let path = self.place(path, aspect)?;
        (!log.has_file(&path, aspect)).then_some(path)
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

    /// Finds out the state of a file, without holding the lock meanwhile.
    fn find_out(&self, log: &InputLog, path: PathBuf, aspect: Aspect, is_cached: bool) {
        let mut inner = self.inner();
        if aspect.is_inside_a_file() && inner.written.contains(&path) {
            inner.read_again.insert(path.clone());
        }
        if log.has_file(&path, aspect) {
            return;
        }
        let test_created = match aspect.is_inside_a_file() {
            true => inner.test_files.made_in(&path),
            false => Vec::new(),
        };
        drop(inner);
        let is_test_created =
            |name: &OsStr| test_created.iter().any(|created| name == created.as_str());
        let state = state(&path, aspect, is_test_created);
        let place = path.as_os_str().as_bytes().to_vec();
        log.add_file(path, aspect);
        log.see(
            (
                Input::File {
                    place,
                    aspect,
                    test_created,
                },
                state,
            ),
            is_cached,
        );
    }

    /// Notes that a file is accessed.
    pub(crate) fn observe(&self, agent: &Agent, jni: &mut Jni<'_>, path: PathBuf, aspect: Aspect) {
        if agent.awake.load(Ordering::Acquire) {
            let caller = callers::on_stack(agent, jni);
            self.find_out(&agent.inputs, path, aspect, caller.caches_for_jvm);
            return;
        }
        let mut inner = self.inner();
        inner.early.insert((path, aspect));
        let too_many = inner.early.len() > EARLY;
        drop(inner);
        if too_many {
            self.inner().early.clear();
            agent.distrust("too many files were read before the tests".into());
        }
    }

    /// Notes that a path, or the target of a link there, is about to be created, emptied or removed.
    pub(crate) fn write(&self, path: &[u8], write: FileWrite) {
        let follows_last = write == FileWrite::Empties;
        let path = self
            .bounds
            .get()
            .and_then(|bounds| bounds.path(path, follows_last));
        if let Some(path) = path {
            let mut inner = self.inner();
            let path = inner.test_files.end_of(&path, follows_last);
            inner.test_files.note(&path, write);
            inner.wrote(path);
        }
    }

    /// Notes that the content of a file changes in part.
    pub(crate) fn write_more(&self, path: &[u8]) {
        let path = self.bounds.get().and_then(|bounds| bounds.path(path, true));
        if let Some(path) = path {
            let mut inner = self.inner();
            let path = inner.test_files.end_of(&path, true);
            inner.wrote(path);
        }
    }

    /// The files that were written since the last call, and those that were read of all that this JVM wrote
    /// before.
    fn take_handed_on(&self) -> (HashSet<PathBuf>, HashSet<PathBuf>) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let written = std::mem::take(&mut inner.newly_written);
        (written, std::mem::take(&mut inner.read_again))
    }

    /// Notes that a path is about to be moved; returns whether it counts and will not be seen there.
    pub(crate) fn rename(&self, from: &[u8], to: &[u8]) -> bool {
        let path = |path: &[u8]| self.bounds.get()?.path(path, false);
        let place = self.place(from, Aspect::Link);
        let is_foreign = place.is_some_and(|from| from.is_dir());
        let mut inner = self.inner();
        match (path(from), path(to)) {
            (Some(from), Some(to)) => {
                inner.test_files.rename(&from, &to, is_foreign);
                inner.wrote(to);
            }
            (Some(from), None) => {
                let foreign = inner.test_files.foreign_below(&from);
                inner.test_files.note(&from, FileWrite::Makes);
                return is_foreign || !foreign.is_empty();
            }
            (None, Some(to)) => {
                inner.test_files.note(&to, FileWrite::Makes);
                inner.wrote(to);
            }
            (None, None) => {}
        }
        false
    }

    /// All paths on the way to what is at a path.
    pub(crate) fn paths_to(&self, path: &Path) -> Vec<PathBuf> {
        let Some(bounds) = self.bounds.get() else {
            return Vec::new();
        };
        let paths = std::cell::RefCell::new(Vec::new());
        follow(&bounds.directory.join(path), true, |part| {
            paths.borrow_mut().push(part.to_owned());
            true
        });
        paths.into_inner()
    }

    /// All archives in a directory are used.
    pub(crate) fn look_for_archives(&self, log: &InputLog, directory: &str) {
        let path = self.place(directory.as_bytes(), Aspect::Content);
        if let Some(path) = path.as_deref().and_then(Path::to_str) {
            log.see((Input::Pattern(path.to_owned()), None), false);
        }
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
}

/// Notes the use of a file whose content is unknown.
pub(crate) fn cannot_see(log: &InputLog, path: &[u8]) {
    let input = Input::File {
        place: path.to_vec(),
        aspect: Aspect::Content,
        test_created: Vec::new(),
    };
    log.see((input, None), false);
}

impl Watcher for Files {
    fn unit_starts(&self) {
        self.inner().test_files.next();
    }

    fn at_single_test(&self, starts: bool) {
        let mut inner = self.inner();
        inner.started += 1;
        let test = if starts { inner.started } else { 0 };
        inner.test_files.test(test);
    }

    fn emit(&self, agent: &Agent, state: &mut State, events: &mut Events) {
        let early = std::mem::take(&mut self.inner().early);
        for (path, aspect) in early {
            self.find_out(&agent.inputs, path, aspect, false);
        }
        let (written, read) = self.take_handed_on();
        for file in written {
            let file = agent.settings.file(file);
            events
                .seen
                .push(state.classes.pseudo_probe(PseudoProbe::Written(file)));
        }
        for file in read {
            let file = agent.settings.file(file);
            events
                .seen
                .push(state.classes.pseudo_probe(PseudoProbe::Setting(file)));
        }
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
        let (files, log) = (Files::default(), InputLog::default());
        files.bound(bounds(dir.path()));
        files.unit_starts();
        for (step, name) in steps {
            let observe = |aspect| {
                let path = files.unseen(&log, name.as_bytes(), aspect);
                path.into_iter()
                    .for_each(|path| files.find_out(&log, path, aspect, false));
            };
            match *step {
                "write" => {
                    files.write(name.as_bytes(), FileWrite::Empties);
                    fs::write(dir.path().join(name), "own").unwrap();
                }
                "mkdir" => {
                    files.write(name.as_bytes(), FileWrite::Makes);
                    fs::create_dir(dir.path().join(name)).unwrap();
                }
                "read" => observe(Aspect::Content),
                "exists" => observe(Aspect::Kind),
                "next" => files.unit_starts(),
                _ => unreachable!(),
            }
        }
        let mut seen: Vec<_> = log
            .take(true)
            .into_iter()
            .map(|((input, _), _)| match input {
                Input::File {
                    place,
                    aspect,
                    test_created,
                } => {
                    let place = PathBuf::from(std::ffi::OsString::from_vec(place));
                    let place = place.strip_prefix(dir.path()).unwrap().to_owned();
                    (
                        format!("{} -{}", place.display(), test_created.join(",")),
                        aspect,
                    )
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
