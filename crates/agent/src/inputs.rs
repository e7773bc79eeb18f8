//! What is looked at beside code: files, resources, values of the environment.
//!
//! What a file is like is found out when it is looked at. What a test class wrote itself before does
//! not count for it, nor do temporary files, the JDK's own, and what is no real file. Before a test
//! framework is there only names are kept: most JVMs never see one.

use crate::agent::Agent;
use crate::callers;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tamis_inputs::{Aspect, Input, Values, state};
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
    /// Class paths that were asked for something since then.
    class_paths: HashSet<i32>,
    /// Files that were looked at before a test framework was there.
    early: HashSet<(PathBuf, Aspect)>,
    /// What this JVM wrote, with the number of the test class that ran or had run then.
    written: HashMap<PathBuf, u32>,
    /// What was not there before this JVM wrote it.
    created: HashSet<PathBuf>,
    /// System properties that were set, in the same way.
    set: HashMap<String, u32>,
    /// How many test classes have started.
    started: u32,
}

/// What lies outside of all that can change.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// Where relative paths start.
    pub(crate) directory: PathBuf,
    /// The root of the project, by its names.
    pub(crate) project: Vec<PathBuf>,
    /// The JDK.
    pub(crate) java_home: PathBuf,
    /// Temporary files.
    pub(crate) temporary: PathBuf,
    /// The files of the class path: they count class by class.
    pub(crate) class_path: HashSet<PathBuf>,
}

impl Bounds {
    /// The absolute path, if what is there can change a test.
    fn path(&self, path: &[u8]) -> Option<PathBuf> {
        let path: PathBuf = self
            .directory
            .join(OsStr::from_bytes(path))
            .components()
            .collect();
        let is_below = |roots: &[&str]| roots.iter().any(|root| path.starts_with(root));
        if is_below(&["/proc", "/sys", "/dev", "/etc/resolv.conf"]) {
            return None;
        }
        let name = path.file_name().map(OsStr::as_bytes).unwrap_or_default();
        // By these JVMs find each other.
        if name.starts_with(b".attach_pid") || name.starts_with(b".java_pid") {
            return None;
        }
        if path.starts_with(&self.java_home) {
            return None;
        }
        let mut roots = self.project.iter();
        match roots.find_map(|root| path.strip_prefix(root).ok()) {
            Some(inside) => (!inside.starts_with(".tamis")).then_some(path),
            None => (!path.starts_with(&self.temporary)).then_some(path),
        }
    }
}

impl Looks {
    /// Whether the test class that runs wrote this itself, or the directory that it is in.
    fn is_own(&self, path: &Path) -> bool {
        let is_now = |path: &Path| self.written.get(path) == Some(&self.started);
        path.ancestors().any(is_now)
    }

    /// Whether as much of this file was seen since the last boundary.
    fn has(&self, path: &Path, aspect: Aspect) -> bool {
        let more = Aspect::ALL.into_iter().filter(|more| more.covers(aspect));
        more.into_iter()
            .any(|aspect| self.files.contains(&(path.to_owned(), aspect)))
    }

    /// The names in a directory that this JVM made.
    fn made_in(&self, directory: &Path) -> Vec<String> {
        let made = self.created.iter();
        let made = made.filter(|made| made.parent() == Some(directory));
        let names = made.filter_map(|made| made.file_name()?.to_str());
        let mut names: Vec<String> = names.map(str::to_owned).collect();
        names.sort_unstable();
        names
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

    /// The absolute path of a file, if what is there can change a test and is not known yet.
    pub(crate) fn path(&self, path: &[u8], aspect: Aspect) -> Option<PathBuf> {
        let path = self.bounds.get()?.path(path)?;
        let looks = self.looks();
        (!looks.has(&path, aspect) && !looks.is_own(&path)).then_some(path)
    }

    /// Finds out what a file is like, without holding anybody up meanwhile.
    fn find_out(&self, path: PathBuf, aspect: Aspect, kept: bool) {
        let looks = self.looks();
        if looks.has(&path, aspect) || looks.is_own(&path) {
            return;
        }
        let own = match aspect {
            Aspect::Content => looks.made_in(&path),
            _ => Vec::new(),
        };
        drop(looks);
        let is_own = |name: &OsStr| own.iter().any(|own| name == own.as_str());
        let state = state(&path, aspect, is_own);
        let place = path.as_os_str().as_bytes().to_vec();
        self.looks().files.insert((path, aspect));
        self.see((Input::File { place, aspect, own }, state), kept);
    }

    /// A file is looked at.
    pub(crate) fn look(&self, agent: &Agent, jni: Jni<'_>, path: PathBuf, aspect: Aspect) {
        if agent.awake.load(Ordering::Acquire) {
            let caller = callers::on_stack(agent, jni);
            self.find_out(path, aspect, caller.is_none_or(|caller| caller.keeps));
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

    /// A file or directory is about to be made or emptied, or to be removed.
    pub(crate) fn write(&self, path: &[u8]) {
        let Some(path) = self.bounds.get().and_then(|bounds| bounds.path(path)) else {
            return;
        };
        let is_new = path.symlink_metadata().is_err();
        let mut looks = self.looks();
        let started = looks.started;
        if is_new {
            looks.created.insert(path.clone());
        }
        looks.written.insert(path, started);
    }

    /// Something else is looked at, by who is on the stack.
    pub(crate) fn look_at(&self, agent: &Agent, jni: Jni<'_>, seen: Seen) {
        if !self.looks().seen.contains(&seen) {
            let caller = callers::on_stack(agent, jni);
            self.see(seen, caller.is_none_or(|caller| caller.keeps));
        }
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
        let started = looks.started;
        looks.set.insert(property, started);
    }

    /// Whether the test class that runs has set this property itself.
    pub(crate) fn is_set(&self, property: &str) -> bool {
        let looks = self.looks();
        looks.set.get(property) == Some(&looks.started)
    }

    /// A class path is asked for something; whether it is the first time since the last boundary.
    pub(crate) fn asks(&self, class_path: i32) -> bool {
        self.looks().class_paths.insert(class_path)
    }

    /// Whether a URL is not that of a file of the class path, nor of one that does not count.
    pub(crate) fn is_elsewhere(&self, url: &str) -> bool {
        let file = url.strip_prefix("jar:").unwrap_or(url);
        let file = file.strip_prefix("file:").unwrap_or(file);
        let file = file.strip_suffix("!/").unwrap_or(file);
        // A directory ends in a slash, and its files are looked at one by one.
        !file.ends_with('/')
            && self.bounds.get().is_some_and(|bounds| {
                let path = bounds.path(file.as_bytes());
                path.is_some_and(|path| !bounds.class_path.contains(&path))
            })
    }

    /// A test class starts.
    pub(crate) fn start(&self) {
        self.looks().started += 1;
    }

    /// What was looked at since the last call, and whether it is kept.
    pub(crate) fn take(&self) -> Vec<(Seen, bool)> {
        let early = std::mem::take(&mut self.looks().early);
        for (path, aspect) in early {
            // Nobody knows any more who opened these; loaders mostly.
            let is_code = |extension: &OsStr| extension == "class" || extension == "jar";
            if !path.extension().is_some_and(is_code) {
                self.find_out(path, aspect, false);
            }
        }
        let mut looks = self.looks();
        looks.files.clear();
        looks.class_paths.clear();
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
            project: vec![directory.to_owned()],
            java_home: "/jdk".into(),
            temporary: "/tmp".into(),
            class_path: [directory.join("lib.jar")].into(),
        }
    }

    #[test]
    fn only_files_that_can_change_a_test_count() {
        let check = |path: &str, expected: Option<&str>| {
            let found = bounds(Path::new("/tmp/p")).path(path.as_bytes());
            assert_eq!(found, expected.map(PathBuf::from), "{path}");
        };
        check("a.txt", Some("/tmp/p/a.txt"));
        check("./a//b/../c", Some("/tmp/p/a/b/../c"));
        check("/home/u/a", Some("/home/u/a"));
        check("/tmp/other", None);
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
            let path = inputs.bounds.get().unwrap().path(name.as_bytes()).unwrap();
            match *step {
                "write" => {
                    inputs.write(name.as_bytes());
                    fs::write(path, "").unwrap();
                }
                "mkdir" => {
                    inputs.write(name.as_bytes());
                    fs::create_dir(path).unwrap();
                }
                "read" => inputs.find_out(path, Aspect::Content, false),
                "exists" => inputs.find_out(path, Aspect::Kind, false),
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
