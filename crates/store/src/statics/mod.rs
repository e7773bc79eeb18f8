//! Facts for static techniques: the classes as they are now, and what changed since each test ran or since a revision.

mod baseline;
mod history;
mod libraries;
mod paths;
mod sources;
mod users;

use crate::Project;
use crate::decide::{Disk, Scope};
use crate::model::{Store, TestRecord, internal_name};
use baseline::Baseline;
pub use history::{Ended, History};
use libraries::Libraries;
pub use paths::Reaching;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use tamis_classpath::{ClassPath, Entry};
use tamis_graph::{Changes, Program};
use tamis_select::{
    Compared, Facts, Outcome, Reason, Selection, StaticFacts, StaticTest, Technique, TestId,
};
use tamis_snapshot::{Cache, FoundTests, Framework, Snapshot, TestClass, find_tests};
use tamis_source::FileChange;

/// By classes of these a library is known whose annotations and supertypes make tests.
const OF_FRAMEWORKS: [&str; 6] = [
    "junit/framework/TestCase",
    "org/junit/Test",
    "org/junit/jupiter/api/Test",
    "org/junit/jupiter/params/ParameterizedTest",
    "org/testng/annotations/Test",
    "org/junitpioneer/jupiter/RetryingTest",
];

/// What the agent says of classes of which only some tests ran.
const PARTLY: &str = "only some of";

/// The classes of a class path as they are now.
pub(crate) struct Now<'d> {
    project: &'d Project,
    disk: &'d Disk,
    path: ClassPath,
    snapshot: Snapshot,
    /// Archives beside the project that may use its classes.
    users: BTreeSet<PathBuf>,
    baseline: Baseline,
}

impl<'d> Now<'d> {
    fn read(
        project: &'d Project,
        disk: &'d Disk,
        path: ClassPath,
        runtime: Option<&str>,
        finds_tests: bool,
    ) -> Now<'d> {
        let is_own = |entry: &Entry| is_own(project, entry.path());
        let is_framework =
            |entry: &Entry| finds_tests && OF_FRAMEWORKS.iter().any(|name| entry.may_have(name));
        let cache = Cache::new(project.dir().join("cache"), disk.roots.clone());
        let read = |users: &BTreeSet<PathBuf>| {
            let is_read = |entry: &&Entry| {
                is_own(entry) || is_framework(entry) || users.contains(entry.path())
            };
            let read = path.entries().filter(is_read);
            let read: Vec<_> = read.map(|entry| entry.path().to_owned()).collect();
            Snapshot::read(&disk.entries.class_path(&read), Some(&cache))
        };
        let mut users = BTreeSet::new();
        let mut snapshot = read(&users);
        if finds_tests {
            users = users::users(&snapshot, &path, is_own, &cache);
            if !users.is_empty() {
                snapshot = read(&users);
            }
        }
        let baseline = Baseline::of(&snapshot, &path, &disk.roots, is_own, runtime);
        Now {
            project,
            disk,
            path,
            snapshot,
            users,
            baseline,
        }
    }

    fn is_own(&self, entry: &Path) -> bool {
        is_own(self.project, entry)
    }

    /// The classes of the project, and of archives that may use them.
    fn program(&self, libraries: &Libraries<'_>) -> Program<'_> {
        let is_read = |entry: &Path| self.is_own(entry) || self.users.contains(entry);
        Program::new(&self.snapshot, is_read, libraries)
    }

    /// Archives that use the project's classes were compiled against them as they were: what differs in a member may keep
    /// the JVM from linking them.
    fn widen(&self, changes: &mut Changes) {
        if !self.users.is_empty() {
            changes.make_whole();
        }
    }

    /// The tests of the project itself.
    fn find_tests(&self) -> FoundTests<'_> {
        let mut found = find_tests(&self.snapshot);
        found.tests.retain(|test| self.is_own(test.class.entry()));
        found
    }
}

/// Whether an entry of the class path belongs to the project: directories do, and archives below its root.
fn is_own(project: &Project, entry: &Path) -> bool {
    entry.is_dir() || entry.starts_with(&project.root)
}

impl Project {
    /// Keeps what the classes of a class path are like now, before tests run on it, for static techniques to compare
    /// with; the digest by which it is found again.
    pub fn keep_baseline(&self, class_path: &[PathBuf], runtime: &str) -> Option<u128> {
        let disk = Disk::new(self);
        let path = disk.entries.class_path(class_path);
        let now = Now::read(self, &disk, path, Some(runtime), false);
        now.baseline.save(self).ok()
    }

    /// Takes a recorded run into the history, and drops what no test is compared with any more.
    pub fn add_to_history(&self, ended: Vec<Ended>) -> std::io::Result<()> {
        let mut history = History::load(self);
        history.add(ended);
        history.save(self)?;
        baseline::clean(self, &history.baselines().collect());
        Ok(())
    }
}

impl Store {
    pub(crate) fn select_statically(
        &self,
        project: &Project,
        disk: &Disk,
        scope: &Scope,
        technique: &dyn Technique,
    ) -> Selection {
        let history = History::load(project);
        let revision = scope.statics.since.as_deref();
        let files = revision.map(|revision| {
            let files = sources::files(&project.root, revision);
            files.map_err(|error| error.to_string())
        });
        let mut verdicts = Vec::new();
        let in_scope = |module: &str| scope.module.as_ref().is_none_or(|only| only == module);
        let mut modules: BTreeSet<&str> = self.modules.keys().map(String::as_str).collect();
        modules.extend(scope.module.as_deref());
        for module in modules.into_iter().filter(|module| in_scope(module)) {
            let known = self.modules.get(module);
            let path = match &scope.class_path {
                Some(path) => Some(disk.entries.class_path(path)),
                None => known.and_then(|known| disk.class_path(self, known.class_path)),
            };
            // What is not listed is never left out.
            let Some(path) = path else { continue };
            let runtime = scope.runtime.as_deref();
            let now = Now::read(project, disk, path, runtime, true);
            let asked = Asked {
                module,
                history: &history,
                files: files.as_ref(),
                scope,
                technique,
            };
            let selection = self.select_module(project, &now, &asked);
            verdicts.extend(selection.verdicts);
        }
        Selection {
            technique: technique.name(),
            verdicts,
        }
    }

    fn select_module(&self, project: &Project, now: &Now<'_>, asked: &Asked<'_>) -> Selection {
        let Asked {
            module,
            history,
            scope,
            technique,
            ..
        } = *asked;
        let libraries = Libraries::new(&now.path, scope.java_home.as_deref());
        let program = now.program(&libraries);
        let by_smart = self.shapes.by_smart();
        let recent_runs = scope.statics.recent_runs;
        let found = now.find_tests();
        let suites = suites(&program, &found);
        let suites_of = |class: Option<u32>| {
            let suites = class.and_then(|class| suites.get(&class));
            suites.cloned().unwrap_or_default()
        };
        // Tests that are compared with the same are decided together.
        let mut groups: HashMap<Option<u128>, Vec<StaticTest>> = HashMap::new();
        let mut listed: BTreeSet<String> = BTreeSet::new();
        let no_tests = BTreeMap::new();
        let tests = self.modules.get(module).map_or(&no_tests, |m| &m.tests);
        for (name, record) in tests.iter().filter(|(_, record)| !record.container) {
            let id = TestId::new(module, name.clone());
            let class = internal_name(name.needed_class());
            let number = program.class(&class);
            if number.is_none()
                && !self.test_exists(now.disk, &now.path, name.needed_class(), record)
            {
                continue;
            }
            listed.insert(class);
            let recent = history.failed(&id.whole_class(), recent_runs);
            let test = StaticTest {
                class: number,
                suites: suites_of(number),
                known: Some(record.known()),
                due: due(record, recent),
                test: id,
            };
            let baseline = match asked.files {
                Some(_) => None,
                None => history.baseline(&test.test.whole_class()),
            };
            groups.entry(baseline).or_default().push(test);
        }
        let mut new = Vec::new();
        let names: BTreeSet<&str> = {
            let found = found.tests.iter();
            found.map(|found| found.class.name()).collect()
        };
        // Jupiter runs nested classes with the one around them.
        let is_part = |found: &TestClass<'_>| {
            let name = found.class.name();
            let mut ends = name.match_indices('$').map(|(end, _)| end);
            found.framework == Framework::Jupiter
                && ends.any(|end| name.get(..end).is_some_and(|name| names.contains(name)))
        };
        for found in found.tests.iter().filter(|found| !is_part(found)) {
            let name = found.class.name();
            let Some(number) = program.class(name) else {
                continue;
            };
            if !listed.insert(name.to_owned()) {
                continue;
            }
            let id = TestId::new(module, name.replace('/', ".").as_str());
            let failed = history.failed(&id, recent_runs);
            // It ran and was not recorded.
            let baseline = history.baseline(&id).filter(|_| asked.files.is_none());
            let test = StaticTest {
                class: Some(number),
                suites: suites_of(Some(number)),
                known: None,
                due: recently_failed(failed).into_iter().collect(),
                test: id,
            };
            match baseline {
                Some(_) => groups.entry(baseline).or_default().push(test),
                None => new.push(test),
            }
        }
        let mut compared = Vec::new();
        let mut resources = now.baseline.resources().to_vec();
        match asked.files {
            Some(files) => {
                let mut tests: Vec<_> = groups.into_values().flatten().collect();
                tests.append(&mut new);
                let since = files
                    .as_ref()
                    .map(|files| sources::since(files, now, &program, &resources));
                compared.push(match since {
                    Ok(mut since) => {
                        now.widen(&mut since.changes);
                        resources.extend(since.files);
                        Compared {
                            changes: since.changes,
                            everything: since.everything,
                            tests,
                        }
                    }
                    Err(why) => all(Reason::Store { why: why.clone() }, tests),
                });
            }
            None => {
                for (baseline, tests) in groups {
                    let before = baseline.and_then(|digest| Baseline::load(project, digest));
                    let Some(before) = before else {
                        compared.push(all(Reason::NothingToCompare, tests));
                        continue;
                    };
                    let (mut changes, everything) =
                        before.changes(&now.baseline, &now.snapshot, |smart| {
                            let shape = by_smart.get(&smart)?.first()?;
                            Some(&shape.shape.print[..])
                        });
                    now.widen(&mut changes);
                    resources.extend(before.gone(&now.baseline));
                    compared.push(Compared {
                        changes,
                        everything,
                        tests,
                    });
                }
                compared.push(all(Reason::New, new));
            }
        }
        technique.select(&Facts {
            statics: Some(StaticFacts {
                program: &program,
                resources: &resources,
                outside: &libraries,
                compared: &compared,
            }),
            ..Facts::default()
        })
    }
}

/// By test class, the suites that may run it: classes whose tests only their runner knows, and that name it.
fn suites(program: &Program<'_>, found: &FoundTests<'_>) -> HashMap<u32, Vec<u32>> {
    let number = |test: &TestClass<'_>| program.class(test.class.name());
    let tests = found.tests.iter();
    let (suites, tests): (Vec<_>, Vec<_>) = tests.partition(|test| test.methods.is_empty());
    let tests: BTreeSet<u32> = tests.into_iter().filter_map(number).collect();
    let mut by_test: HashMap<u32, Vec<u32>> = HashMap::new();
    for suite in suites.into_iter().filter_map(number) {
        for named in program.named_by(suite, |class| !tests.contains(&class)) {
            by_test.entry(named).or_default().push(suite);
        }
    }
    by_test
}

/// Tests that are all affected.
fn all(reason: Reason, tests: Vec<StaticTest>) -> Compared {
    Compared {
        everything: Some(reason),
        tests,
        ..Compared::default()
    }
}

/// What is asked of one module.
#[derive(Clone, Copy)]
struct Asked<'a> {
    module: &'a str,
    history: &'a History,
    /// The files that changed since the revision that was asked for, or why nobody can say.
    files: Option<&'a Result<Vec<FileChange>, String>>,
    scope: &'a Scope,
    technique: &'a dyn Technique,
}

/// Why a test runs whatever changed.
fn due(record: &TestRecord, failed: Option<u32>) -> Vec<Reason> {
    let of_last_run = match record.outcome {
        Outcome::Passed | Outcome::Ignored | Outcome::Aborted => None,
        Outcome::Failed => Some(Reason::Failed),
        Outcome::Unfinished => Some(Reason::Unfinished),
    };
    // What was recorded does not matter here, but which tests ran does.
    let partly = record.distrust.as_ref().filter(|why| why.contains(PARTLY));
    let partly = partly.map(|why| Reason::Distrusted { why: why.clone() });
    let due = of_last_run.or(recently_failed(failed));
    due.into_iter().chain(partly).collect()
}

fn recently_failed(runs: Option<u32>) -> Option<Reason> {
    runs.map(|runs| Reason::RecentlyFailed { runs })
}
