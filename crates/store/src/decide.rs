//! Collects the facts that a technique decides on, from the store and from the disk.
//!
//! The state of each class version is found out once per class path, not once per test.

use crate::Project;
use crate::model::{ClassVersion, Location, Store, TestRecord, internal_name};
use crate::settings::{self, Settings, files_like};
use crate::shapes::{BySmart, Numbered};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tamis_classfile::{ClassFile, Member};
use tamis_classpath::{ClassPath, Entries, Entry, Lookup, Roots, parallel};
use tamis_code::blocks::{Blocks, compare, decode_all};
use tamis_fingerprint::{
    Diff, Digest, Fingerprint, Kind, MemberChange, Rules, constants_under, diff,
};
use tamis_inputs::Values;
use tamis_select::{
    Change, ChangedBlocks, Choice, ClassPathState, Detail, Facts, IdsBuf, Members, Selection,
    Shape, StaticChoice, Technique, TestFacts, TestId,
};

/// How many classes one thread takes at a time.
const BLOCK: usize = 64;

/// The tests to decide for, and the class path and runtime to assume.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// The module; `None` for all.
    pub module: Option<String>,
    /// The class path now; `None` for the one of each test's last run.
    pub class_path: Option<Vec<PathBuf>>,
    /// The runtime; `None` for the one on which each test last ran.
    pub runtime: Option<String>,
    /// Where the Java runtime is, if that is known.
    pub java_home: Option<PathBuf>,
    /// The options of static techniques.
    pub statics: StaticChoice,
    /// System properties and environment variables; `None` for those with which each test last ran.
    pub values: Option<Values>,
}

impl Project {
    /// The class path with what the manifests of its jars add, without jars that only list others.
    pub fn expand_class_path(&self, class_path: &[PathBuf]) -> Vec<PathBuf> {
        let class_path = Disk::new(self).entries.class_path(class_path);
        class_path
            .entries()
            .map(|entry| entry.path().to_owned())
            .collect()
    }
}

impl Store {
    /// Decides as the user chose: by the technique, and for tests without a usable recording by the static one, if
    /// there is one for them.
    pub fn choose(&self, project: &Project, scope: &Scope, choice: &Choice) -> Selection {
        let mut selection = self.select(project, scope, choice.technique().as_ref());
        if let Some(fallback) = choice.for_unrecorded() {
            let statically = self.select(project, scope, fallback.as_ref());
            selection.decide_unrecorded(statically);
        }
        selection
    }

    /// Decides which tests of `scope` must run; reads the class files as they are now. Suites and
    /// tests whose class no longer exists are not listed: what is not listed is never left out.
    pub fn select(&self, project: &Project, scope: &Scope, technique: &dyn Technique) -> Selection {
        let disk = Disk::new(project);
        if technique.needs().statics {
            return self.select_statically(project, &disk, scope, technique);
        }
        let mut groups = Groups::new(self, &disk, scope);
        let mut tests = Vec::new();
        let in_scope = |module: &str| scope.module.as_ref().is_none_or(|only| only == module);
        for (module, content) in self.modules.iter().filter(|(module, _)| in_scope(module)) {
            for (name, test) in content.tests.iter().filter(|(_, test)| !test.container) {
                let id = TestId::new(&**module, name.clone());
                let state = groups.join(name.needed_class(), test);
                tests.extend(state.map(|state| self.facts_of(id, test, state)));
            }
        }
        let changes = groups.changes();
        let input_changes = groups.input_changes(scope);
        let anything = changes.iter().flatten().any(Option::is_some);
        let mut members = Members::default();
        if let Some(rules) = technique.needs().members
            && anything
        {
            let mut homes = Homes::default();
            let by_smart = self.shapes.by_smart();
            let blocks = technique.needs().blocks;
            let shapes = self.shapes_of_versions(&by_smart);
            members = Members {
                logs: &self.logs,
                unseen: self.unseen(&shapes),
                shapes,
                details: groups.details(&changes, rules, blocks, &by_smart, &mut homes),
                outside: {
                    let types = self.outside.iter();
                    types.map(|(name, d)| (name.as_bytes(), d)).collect()
                },
                pairs: &self.pairs,
            };
            for test in &mut tests {
                test.home = groups.home(test, &mut homes);
            }
        }
        technique.select(&Facts {
            tests,
            names: self
                .versions
                .iter()
                .map(|version| version.name.as_str())
                .collect(),
            changes,
            inputs: {
                let inputs = self.inputs.iter();
                inputs.map(|version| self.input_name(version)).collect()
            },
            input_changes,
            runtime: scope.runtime.as_deref(),
            members,
            statics: None,
        })
    }

    /// The shape of each version.
    fn shapes_of_versions<'a>(&self, by_smart: &BySmart<'a>) -> Vec<Option<Shape<'a>>> {
        let shape = |version: &ClassVersion| {
            let numbered = by_smart.get(&version.smart?)?;
            Some(Shape {
                print: &numbered.first()?.shape.print,
                numberings: numbered.iter().map(Numbered::numbering).collect(),
            })
        };
        self.versions.iter().map(shape).collect()
    }

    /// The names of versions of which it is not known what they are made of.
    fn unseen(&self, shapes: &[Option<Shape<'_>>]) -> HashSet<&[u8]> {
        let versions = self.versions.iter().zip(shapes);
        versions
            .filter(|(version, shape)| version.location != Location::Absent && shape.is_none())
            .map(|(version, _)| version.name.as_bytes())
            .collect()
    }

    fn facts_of<'a>(
        &'a self,
        id: TestId,
        test: &'a TestRecord,
        class_path: ClassPathState,
    ) -> TestFacts<'a> {
        TestFacts {
            test: id,
            known: test.known(),
            distrust: test.distrust.as_deref(),
            runtime: self.runtime(test.runtime),
            classes: test.classes.as_ids(),
            checked: test.checked.as_ids(),
            whole: test.whole.as_ids(),
            members: test.members.as_ids(),
            inputs: test.inputs.as_ids(),
            reflection: test.reflection,
            logs: &test.logs,
            receivers: test.receivers.as_ref().map(IdsBuf::as_ids),
            home: None,
            class_path,
        }
    }

    /// Whether the class of a test exists, as far as is known.
    pub(crate) fn test_exists(
        &self,
        disk: &Disk,
        path: &ClassPath,
        class: &str,
        test: &TestRecord,
    ) -> bool {
        let name = internal_name(class);
        let class = test
            .test_class
            .and_then(|id| self.versions.get(id as usize));
        match class.map(|version| version.location) {
            Some(Location::At(place)) => disk
                .entry(self, place)
                .is_some_and(|entry| entry.may_have(&name)),
            _ => path.entries().any(|entry| entry.may_have(&name)),
        }
    }
}

/// The present state of the disk.
pub(crate) struct Disk {
    pub(crate) roots: Roots,
    pub(crate) entries: Entries,
    root: PathBuf,
    /// Those of the project; `None` if they cannot be read, which the command has told.
    pub(crate) settings: Option<Settings>,
}

impl Disk {
    pub(crate) fn new(project: &Project) -> Self {
        let cache = project.dir().join("cache");
        Disk {
            roots: Roots::detect(&project.root),
            entries: Entries::new(Some(cache)),
            root: project.root.clone(),
            settings: Settings::read(project).ok(),
        }
    }

    /// The root of the project.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The file with the settings of the project.
    pub(crate) fn settings_file(&self) -> PathBuf {
        self.root.join(settings::FILE)
    }

    /// The files of the project that match a pattern.
    pub(crate) fn files_like(&self, pattern: &str) -> Option<Vec<PathBuf>> {
        files_like(&self.root, pattern)
    }

    fn entry(&self, store: &Store, place: u32) -> Option<std::sync::Arc<Entry>> {
        let path = self.roots.resolve(store.places.get(place as usize)?)?;
        Some(self.entries.entry(&path))
    }

    /// The recorded class path; `None` if it is not known on this machine.
    pub(crate) fn class_path(&self, store: &Store, id: u32) -> Option<ClassPath> {
        let places = store.class_path(id).map(|place| self.roots.resolve(place));
        Some(
            self.entries
                .class_path(&places.collect::<Option<Vec<_>>>()?),
        )
    }
}

/// Tests by the class path on which their classes are looked for.
struct Groups<'a> {
    store: &'a Store,
    disk: &'a Disk,
    given: Option<ClassPath>,
    by_id: HashMap<u32, Option<usize>>,
    groups: Vec<Group>,
}

struct Group {
    path: ClassPath,
    used: Vec<bool>,
    used_inputs: Vec<bool>,
    /// The logs of its tests, and how many of the created classes of each concern them.
    logs: HashMap<u32, u32>,
}

/// Gives directories and archives numbers.
#[derive(Default)]
struct Homes(HashMap<PathBuf, u32>);

impl Homes {
    fn id(&mut self, entry: &Entry) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(entry.path().to_owned()).or_insert(next)
    }
}

impl<'a> Groups<'a> {
    fn new(store: &'a Store, disk: &'a Disk, scope: &Scope) -> Self {
        let given = scope
            .class_path
            .as_ref()
            .map(|paths| disk.entries.class_path(paths));
        Groups {
            store,
            disk,
            given,
            by_id: HashMap::new(),
            groups: Vec::new(),
        }
    }

    /// Takes a test in; `None` if its class no longer exists.
    fn join(&mut self, class: &str, test: &TestRecord) -> Option<ClassPathState> {
        let Some(index) = self.index(test.class_path) else {
            return Some(ClassPathState::Unknown);
        };
        let group = self.groups.get_mut(index)?;
        if !self.store.test_exists(self.disk, &group.path, class, test) {
            return None;
        }
        for id in test.classes.as_ids().iter().map_while(Result::ok) {
            if let Some(used) = group.used.get_mut(id as usize) {
                *used = true;
            }
        }
        for id in test.inputs.as_ids().iter().map_while(Result::ok) {
            if let Some(used) = group.used_inputs.get_mut(id as usize) {
                *used = true;
            }
        }
        for part in &test.logs {
            let longest = group.logs.entry(part.log).or_default();
            *longest = (*longest).max(part.created);
        }
        Some(ClassPathState::Known(index))
    }

    fn index(&mut self, id: u32) -> Option<usize> {
        // With a given class path all tests share it, whatever they ran with before.
        let key = if self.given.is_some() { 0 } else { id };
        *self.by_id.entry(key).or_insert_with(|| {
            let path = match self.given.clone() {
                Some(path) => path,
                None => self.disk.class_path(self.store, id)?,
            };
            // A class path of which nothing is left says nothing; so does an empty one.
            if path.entries().all(Entry::is_missing) {
                return None;
            }
            self.groups.push(Group {
                path,
                used: vec![false; self.store.versions.len()],
                used_inputs: vec![false; self.store.inputs.len()],
                logs: HashMap::new(),
            });
            Some(self.groups.len() - 1)
        })
    }

    fn changes(&mut self) -> Vec<Vec<Option<Change>>> {
        for group in &mut self.groups {
            for (log, length) in &group.logs {
                let log = self.store.logs.get(*log as usize);
                let created = log.into_iter().flat_map(|log| &log.created);
                for id in created.take(*length as usize) {
                    if let Some(used) = group.used.get_mut(*id as usize) {
                        *used = true;
                    }
                }
            }
        }
        let of_group = |group: &Group| {
            let pairs: Vec<_> = group.used.iter().zip(&self.store.versions).collect();
            parallel::map(&pairs, BLOCK, |(used, version)| {
                used.then(|| self.change(&group.path, version)).flatten()
            })
        };
        self.groups.iter().map(of_group).collect()
    }

    /// How the inputs of tests changed.
    fn input_changes(&self, scope: &Scope) -> Vec<Vec<Option<Change>>> {
        let of_group = |group: &Group| {
            let pairs: Vec<_> = group.used_inputs.iter().zip(&self.store.inputs).collect();
            parallel::map(&pairs, BLOCK, |(used, version)| {
                let change = || {
                    let store = self.store;
                    store.input_change(self.disk, &group.path, scope, version)
                };
                used.then(change).flatten()
            })
        };
        self.groups.iter().map(of_group).collect()
    }

    /// The differences of the changed versions, where they are known.
    fn details(
        &self,
        changes: &[Vec<Option<Change>>],
        rules: Rules,
        blocks: bool,
        by_smart: &BySmart<'_>,
        homes: &mut Homes,
    ) -> Vec<HashMap<u32, Detail>> {
        let of_group = |(group, changes): (&Group, &Vec<Option<Change>>)| {
            let changed = (0..).zip(changes).zip(&self.store.versions);
            let changed = changed.filter(|((_, change), _)| **change == Some(Change::Changed));
            let detail = |((id, _), version): ((u32, _), &ClassVersion)| {
                let shapes = by_smart.get(&version.smart?)?;
                let before = Fingerprint::decode(&shapes.first()?.shape.print)?;
                let (bytes, home) = self.class_file(&group.path, version, homes)?;
                let now = ClassFile::parse(&bytes).ok()?;
                let diff = diff(&before, &now, rules).ok()?;
                let mut detail = Detail {
                    diff,
                    home,
                    blocks: HashMap::new(),
                };
                if blocks {
                    let known = shapes.iter().find(|known| !known.shape.blocks.is_empty());
                    let known = known.and_then(|known| decode_all(&known.shape.blocks));
                    detail.blocks = changed_blocks(&known.unwrap_or_default(), &now, &detail.diff);
                }
                Some((id, detail))
            };
            changed.filter_map(detail).collect()
        };
        self.groups.iter().zip(changes).map(of_group).collect()
    }

    /// The class file that is now where `version` was, and where that is.
    fn class_file(
        &self,
        path: &ClassPath,
        version: &ClassVersion,
        homes: &mut Homes,
    ) -> Option<(Vec<u8>, u32)> {
        let name = &version.name;
        match version.location {
            Location::OnPath => match path.lookup(name) {
                Lookup::Found(found) => Some((
                    found.entry.class_file(name, found.raw)?,
                    homes.id(found.entry),
                )),
                _ => None,
            },
            Location::At(place) => {
                let entry = self.disk.entry(self.store, place)?;
                let Lookup::Found(raw) = entry.lookup(name) else {
                    return None;
                };
                Some((entry.class_file(name, raw)?, homes.id(&entry)))
            }
            Location::Absent => None,
        }
    }

    /// The location of a test's class now.
    fn home(&self, test: &TestFacts<'_>, homes: &mut Homes) -> Option<u32> {
        let ClassPathState::Known(group) = test.class_path else {
            return None;
        };
        let path = &self.groups.get(group)?.path;
        let name = internal_name(test.test.name.needed_class());
        let mut entries = path.entries();
        entries
            .find(|entry| entry.may_have(&name))
            .map(|entry| homes.id(entry))
    }

    fn change(&self, path: &ClassPath, version: &ClassVersion) -> Option<Change> {
        let name = &version.name;
        match version.location {
            Location::OnPath => match path.lookup(name) {
                Lookup::Found(found) => differs(version, found.raw, found.entry),
                Lookup::Absent => Some(Change::Deleted),
                Lookup::Unreadable => Some(Change::Unreadable),
            },
            Location::At(place) => {
                let Some(entry) = self.disk.entry(self.store, place) else {
                    return Some(Change::Deleted);
                };
                match entry.lookup(name) {
                    Lookup::Found(raw) => differs(version, raw, &entry),
                    Lookup::Absent => Some(Change::Deleted),
                    Lookup::Unreadable => Some(Change::Unreadable),
                }
            }
            Location::Absent => match path.lookup(name) {
                Lookup::Found(_) => Some(Change::Added),
                Lookup::Absent => None,
                Lookup::Unreadable => Some(Change::Unreadable),
            },
        }
    }
}

/// Only a class whose bytes changed is parsed, to see whether what changed matters.
fn differs(version: &ClassVersion, raw: Digest, entry: &Entry) -> Option<Change> {
    if raw.0 == version.raw {
        return None;
    }
    let before = version.smart.map(Digest);
    let same = before.is_some() && entry.smart(&version.name, raw) == before;
    (!same).then_some(Change::Changed)
}

/// For methods whose code changed, by their index before: which of their blocks lead to what changed.
/// Those of which that cannot be said are not there.
fn changed_blocks(
    before: &[Blocks],
    now: &ClassFile<'_>,
    diff: &Diff,
) -> HashMap<u16, ChangedBlocks> {
    let changed = diff.members.iter().filter(|change| {
        let kinds = [Kind::Ci, Kind::Csm, Kind::Cim];
        change.body && kinds.contains(&change.kind)
    });
    let of_change = |change: &MemberChange| {
        let index = change.before?.index;
        let before = before.get(usize::from(index))?;
        let is_it = |method: &Member<'_>| {
            now.pool.utf8(method.name).ok() == Some(&change.name)
                && now.pool.utf8(method.descriptor).ok() == Some(&change.descriptor)
        };
        let method = now.methods().filter_map(Result::ok).find(is_it)?;
        let code = now.code(&method).ok()??;
        let hash = |bytes: &[u8]| tamis_fingerprint::raw(bytes).0;
        let after = constants_under(now, diff, |constant| Blocks::of(&code, hash, constant));
        // Something changed: if it is in no block, it is not known where.
        let blocks = compare(before, &after.ok()?)?;
        let of = before.count();
        (!blocks.is_empty()).then_some((index, ChangedBlocks { of, blocks }))
    };
    changed.filter_map(of_change).collect()
}
