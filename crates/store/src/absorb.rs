//! Merges the recordings of one run into the store.
//!
//! Records of the same test (several JVMs, reruns, suites) are united: it used what any of them
//! used, ended as the worst of them, took as long as all of them, and is distrusted if any is. A
//! test that started and did not end keeps what was known of its dependencies and is due. A test
//! that did not run keeps its state. A test whose class is gone is forgotten. Of two builds at once
//! the one that ended last is kept, with the worse end if the other one started later. What a test used when
//! it ran alone in its JVM is kept for as long as nothing of it changes: runs beside other tests, which
//! may do work for it, tell less.

mod child;
mod log;

use crate::Project;
use crate::decide::Disk;
use crate::dependencies::{Dependencies, dependencies, vanished_jar};
use crate::inputs::{global_inputs, inputs};
use crate::jvm::{End, Jvm, Unit};
use crate::locate::OutOfReach;
use crate::model::{Interner, Module, Store, Tables, TestRecord, internal_name};
use child::Child;
use log::JvmLog;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use tamis_classpath::ClassPath;
use tamis_recording::{Record, Spool, UnitOutcome};
use tamis_select::{IdsBuf, LogPart, Outcome, Pair, TestId, TestName, UnloggedReflection};

/// A test that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The test.
    pub test: TestId,
    /// Its worst outcome.
    pub outcome: Outcome,
    /// How long it took in all.
    pub duration_us: u64,
    /// Whether all of it ran, as far as is known.
    pub is_complete: bool,
}

/// The results of a run; lists are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absorbed {
    /// Tests that ran to their end.
    pub ran: Vec<Ran>,
    /// Tests that the build asked for and that were left out.
    pub skipped: Vec<TestId>,
    /// Tests that would run, from a run that only asks.
    pub wanted: Vec<TestId>,
    /// Tests that started and whose end was not seen.
    pub unfinished: Vec<TestId>,
    /// Problems of the agent.
    pub problems: Vec<String>,
    /// How many JVMs ran tests.
    pub jvms: usize,
    /// How many of them were killed, or left a damaged spool.
    pub damaged: usize,
}

impl Absorbed {
    /// Whether a test was left out, by itself or with a class around it.
    fn has_skipped(&self, test: &TestId) -> bool {
        self.skipped.iter().any(|skipped| test.is_in(skipped))
    }
}

impl Store {
    /// Takes in what the JVMs of one run recorded; the rules stand at the top of `absorb.rs` and
    /// `locate.rs`.
    pub fn absorb(&mut self, project: &Project, spools: Vec<Spool>) -> Absorbed {
        self.absorb_keeping(project, &spools, &BTreeSet::new())
    }

    /// The same for a run of which it is known that nothing has changed for the tests `unchanged`: those
    /// that ran alone before keep what they used then.
    pub fn absorb_keeping(
        &mut self,
        project: &Project,
        spools: &[Spool],
        unchanged: &BTreeSet<TestId>,
    ) -> Absorbed {
        let disk = Disk::new(project);
        let (children, jvms): (Vec<Jvm<'_>>, Vec<Jvm<'_>>) = spools
            .iter()
            .filter_map(|spool| Jvm::new(project, spool))
            .partition(|jvm| !jvm.above.is_empty());
        let mut run = BTreeMap::new();
        let mut ends = BTreeMap::new();
        let mut tables = Tables::take(self);
        for jvm in jvms.iter().filter(|jvm| !jvm.units.is_empty()) {
            match jvm.records {
                true => self.absorb_jvm(&disk, jvm, &children, &mut tables, &mut run),
                false => note_outcomes(jvm, &mut ends),
            }
        }
        tables.put(self);
        let mut absorbed = summary(spools, &jvms);
        let test_classes = self.versions_of_test_classes(run.keys());
        self.forget_other_units(&run, &absorbed);
        for (id, mut fresh) in run {
            fresh.unchanged = unchanged.contains(&id);
            match fresh.split && !fresh.unfinished && !fresh.in_one {
                // Its tests stand for themselves.
                true => drop(self.tests_of(&id).remove(&id.name)),
                false => self.commit(id, fresh, &test_classes, &mut absorbed),
            }
        }
        for (id, ended) in ends {
            self.commit_outcome(id, &ended, &mut absorbed);
        }
        let seen: BTreeSet<&str> = jvms.iter().map(|jvm| jvm.module.as_str()).collect();
        seen.into_iter()
            .for_each(|module| self.forget_deleted(&disk, module));
        absorbed
    }

    fn absorb_jvm(
        &mut self,
        disk: &Disk,
        jvm: &Jvm<'_>,
        children: &[Jvm<'_>],
        tables: &mut Tables,
        run: &mut BTreeMap<TestId, Fresh>,
    ) {
        let path = disk.entries.class_path(&jvm.class_path);
        let dependencies = dependencies(disk, jvm, &path, tables);
        let inputs = inputs(disk, jvm, &path, &mut tables.places, &mut tables.inputs);
        let since_ms = jvm.since_ms;
        let global = global_inputs(disk, since_ms, &mut tables.places, &mut tables.inputs);
        let places = jvm
            .class_path
            .iter()
            .map(|path| tables.places.id(disk.roots.place(path)));
        let class_path = tables.class_paths.id(places.collect());
        let runtime = tables.runtimes.id(jvm.runtime.to_owned());
        let module = self.modules.entry(jvm.module.clone()).or_default();
        module.class_path = class_path;
        module.runtime = runtime;
        module.last_run_ms = module.last_run_ms.max(jvm.started_ms);
        let distrust = vanished_jar(&path, jvm);
        let processes = jvm.processes();
        let pids: Vec<u32> = processes.values().map(|(pid, _)| *pid).collect();
        let is_of_test = |child: &&Jvm<'_>| pids.iter().any(|pid| child.is_below(*pid));
        let children: Vec<Child<'_>> = children
            .iter()
            .filter(is_of_test)
            .map(|child| Child::new(disk, child, &path, tables, &mut self.logs))
            .collect();
        let log = JvmLog::new(jvm, &dependencies, &mut self.logs);
        let runs_one_class = jvm.runs_one_class();
        for unit in &jvm.units {
            let id = TestId::new(&*jvm.module, unit.test.clone());
            let fresh = run.entry(id).or_default();
            fresh.class_path = class_path;
            // Single tests share their JVM with the others of their class.
            fresh.shared |= !runs_one_class || unit.test.is_single();
            fresh.runtimes.insert(jvm.runtime.to_owned());
            let runtimes: Vec<&str> = fresh.runtimes.iter().map(String::as_str).collect();
            fresh.runtime = tables.runtimes.id(runtimes.join("\n"));
            fresh.distrust = fresh.distrust.take().or_else(|| distrust.clone());
            fresh.inputs.extend(&global);
            fresh.unite(unit, &dependencies, &inputs, &mut tables.pairs);
            fresh.unite_processes(unit, &processes, &children, &mut tables.pairs);
            fresh
                .logs
                .extend(unit.end.as_ref().map(|end| log.part(end)));
        }
        for (name, supertypes, methods) in &jvm.outside {
            let declared = self.outside.entry((*name).to_owned()).or_default();
            declared.supertypes.extend(supertypes.iter().cloned());
            declared.methods.extend(*methods);
        }
    }

    fn tests_of(&mut self, id: &TestId) -> &mut BTreeMap<TestName, TestRecord> {
        &mut self.modules.entry(id.module.clone()).or_default().tests
    }

    /// A class that ran as a whole replaces its single tests. Where single tests ran, those that the
    /// class no longer has are forgotten.
    fn forget_other_units(&mut self, run: &BTreeMap<TestId, Fresh>, absorbed: &Absorbed) {
        for (class, fresh) in run.iter().filter(|(id, _)| !id.is_single()) {
            let partial = fresh.outcome.is_none() || fresh.unfinished || fresh.distrust.is_some();
            if partial {
                continue;
            }
            self.tests_of(class).retain(|name, _| {
                let id = TestId::new(&*class.module, name.clone());
                let is_single = id.is_single() && id.is_in(class);
                let stays = fresh.split && (run.contains_key(&id) || absorbed.has_skipped(&id));
                !is_single || stays
            });
        }
    }

    /// The versions of the test classes themselves, by internal name.
    fn versions_of_test_classes<'a>(
        &self,
        tests: impl Iterator<Item = &'a TestId>,
    ) -> HashMap<String, Vec<u32>> {
        let mut test_classes: HashMap<String, Vec<u32>> = tests
            .map(|test| (internal_name(test.name.needed_class()), Vec::new()))
            .collect();
        for (id, version) in (0..).zip(&self.versions) {
            if let Some(ids) = test_classes.get_mut(&version.name) {
                ids.push(id);
            }
        }
        test_classes
    }

    fn commit(
        &mut self,
        id: TestId,
        fresh: Fresh,
        test_classes: &HashMap<String, Vec<u32>>,
        absorbed: &mut Absorbed,
    ) {
        let module: &mut Module = self.modules.entry(id.module.clone()).or_default();
        let old = module.tests.remove(&id.name);
        let later = old.as_ref().filter(|old| old.last_run_ms > fresh.at_ms);
        let later = later.map(|old| old.outcome);
        let is_complete = fresh.distrust.is_none();
        let versions = test_classes
            .get(&internal_name(id.name.needed_class()))
            .into_iter()
            .flatten();
        let mut record = match (fresh.outcome, old) {
            (None, Some(old)) => TestRecord {
                last_run_ms: fresh.at_ms,
                ..old
            },
            (Some(outcome), Some(old)) if fresh.confirms(&old) => TestRecord {
                outcome,
                last_run_ms: fresh.at_ms,
                duration_us: fresh.duration_us,
                ..old
            },
            (outcome, _) => TestRecord {
                outcome: outcome.unwrap_or(Outcome::Unfinished),
                container: fresh.container,
                last_run_ms: fresh.at_ms,
                duration_us: fresh.duration_us,
                isolated: !fresh.shared && !fresh.container,
                distrust: match fresh.split && fresh.in_one {
                    true => Some("it ran as a whole and test by test".to_owned()),
                    false => fresh.distrust,
                },
                class_path: fresh.class_path,
                runtime: fresh.runtime,
                test_class: versions
                    .copied()
                    .find(|version| fresh.classes.contains(version)),
                checked: {
                    let (checked, used) = (fresh.checked.into_iter(), &fresh.used);
                    IdsBuf::pack(checked.filter(|id| !used.contains(id)).collect())
                },
                classes: IdsBuf::pack(fresh.classes),
                whole: IdsBuf::pack(fresh.whole),
                members: IdsBuf::pack(fresh.members),
                inputs: IdsBuf::pack(fresh.inputs),
                reflection: fresh.reflection,
                logs: fresh.logs,
                receivers: (!fresh.without_receivers).then(|| IdsBuf::pack(fresh.receivers)),
                inherited: fresh.inherited,
                changed: fresh.changed,
            },
        };
        if fresh.unfinished {
            record.outcome = Outcome::Unfinished;
        }
        match record.outcome {
            _ if record.container => {}
            Outcome::Unfinished => absorbed.unfinished.push(id.clone()),
            outcome => absorbed.ran.push(Ran {
                test: id.clone(),
                outcome,
                duration_us: record.duration_us,
                is_complete,
            }),
        }
        record.outcome = record.outcome.max(later.unwrap_or(record.outcome));
        module.tests.insert(id.name, record);
    }

    /// A test that ran without being recorded stays compared with its last recording. If it failed it
    /// is due; that it passed is worth nothing without what it used.
    fn commit_outcome(&mut self, id: TestId, ended: &Fresh, absorbed: &mut Absorbed) {
        if ended.container || ended.split {
            return;
        }
        let outcome = match ended.outcome {
            Some(outcome) if !ended.unfinished => outcome,
            _ => Outcome::Unfinished,
        };
        if let Some(record) = self.tests_of(&id).get_mut(&id.name) {
            if outcome >= Outcome::Failed {
                record.outcome = record.outcome.max(outcome);
                let why = "it failed in a run that was not recorded";
                record.distrust.get_or_insert(why.to_owned());
            }
            record.last_run_ms = record.last_run_ms.max(ended.at_ms);
        }
        match outcome {
            Outcome::Unfinished => absorbed.unfinished.push(id),
            outcome => absorbed.ran.push(Ran {
                test: id,
                outcome,
                duration_us: ended.duration_us,
                is_complete: ended.distrust.is_none(),
            }),
        }
    }

    /// Only what is certainly gone is forgotten; a test that is forgotten wrongly would run.
    fn forget_deleted(&mut self, disk: &Disk, module: &str) {
        let Some(mut content) = self.modules.remove(module) else {
            return;
        };
        let mut paths: HashMap<u32, Option<ClassPath>> = HashMap::new();
        content.tests.retain(|name, test| {
            let id = test.class_path;
            let path = paths.entry(id).or_insert_with(|| disk.class_path(self, id));
            path.as_ref()
                .is_none_or(|path| self.test_exists(disk, path, name.needed_class(), test))
        });
        self.modules.insert(module.to_owned(), content);
    }
}

/// A test's records of one run, united.
#[derive(Debug, Default)]
struct Fresh {
    /// Those it ran on, and the id of them all, a line for each.
    runtimes: BTreeSet<String>,
    /// The worst of those that ended.
    outcome: Option<Outcome>,
    unfinished: bool,
    /// Its tests are units of their own.
    split: bool,
    /// It ran as one unit.
    in_one: bool,
    container: bool,
    /// Other test classes ran in one of its JVMs.
    shared: bool,
    /// Nothing that it used when it last ran has changed.
    unchanged: bool,
    at_ms: u64,
    duration_us: u64,
    distrust: Option<String>,
    class_path: u32,
    runtime: u32,
    classes: Vec<u32>,
    /// Those of them that a record has in type checks alone.
    checked: Vec<u32>,
    /// Those of them that a record has otherwise.
    used: HashSet<u32>,
    whole: Vec<u32>,
    members: Vec<u32>,
    inputs: Vec<u32>,
    reflection: UnloggedReflection,
    logs: Vec<LogPart>,
    receivers: Vec<u32>,
    /// They are not known of all its records.
    without_receivers: bool,
    inherited: BTreeMap<String, BTreeSet<String>>,
    changed: BTreeSet<String>,
}

/// How the tests of a JVM ended that recorded nothing else.
fn note_outcomes(jvm: &Jvm<'_>, ends: &mut BTreeMap<TestId, Fresh>) {
    for unit in &jvm.units {
        let id = TestId::new(&*jvm.module, unit.test.clone());
        let fresh = ends.entry(id).or_default();
        let distrust = fresh.note_end(unit).and_then(|end| end.distrust);
        fresh.distrust = fresh.distrust.take().or(distrust.map(str::to_owned));
    }
}

impl Fresh {
    /// Whether this run beside other tests says nothing against what the test used when it ran alone.
    fn confirms(&self, old: &TestRecord) -> bool {
        let passed = self.outcome.is_some_and(|outcome| outcome <= old.outcome);
        old.isolated && self.shared && self.unchanged && passed && !self.unfinished
    }

    /// How a unit ended; whether it did.
    fn note_end<'u>(&mut self, unit: &'u Unit<'_>) -> Option<&'u End<'u>> {
        self.at_ms = self.at_ms.max(unit.at_ms);
        let Some(end) = &unit.end else {
            self.unfinished = true;
            return None;
        };
        self.outcome = self.outcome.max(Some(outcome(end)));
        self.container |= end.container;
        self.split |= end.split;
        self.in_one |= !end.split;
        self.duration_us = self.duration_us.saturating_add(end.duration_us);
        Some(end)
    }

    fn unite(
        &mut self,
        unit: &Unit<'_>,
        dependencies: &Dependencies,
        inputs: &HashMap<u32, Option<u32>>,
        pairs: &mut Interner<Pair>,
    ) {
        let Some(end) = self.note_end(unit) else {
            return;
        };
        let mut distrust = end.distrust.map(str::to_owned);
        for class in end.classes {
            let Some(dependency) = dependencies.classes.get(class) else {
                distrust = Some(format!(
                    "class {class} was used, but the recording does not describe it"
                ));
                continue;
            };
            let name = &dependency.name;
            match &dependency.versions {
                // A class that is nowhere on disk, generated perhaps, could change unseen.
                Ok(versions)
                    if versions.is_empty() && *name == internal_name(unit.test.needed_class()) =>
                {
                    distrust = Some("its own class is not on disk".to_owned());
                }
                Ok(versions) => {
                    self.classes.extend(versions);
                    match end.checked.binary_search(class).is_ok() {
                        true => self.checked.extend(versions),
                        false => self.used.extend(versions),
                    }
                    self.whole.extend(&dependency.whole);
                }
                Err(OutOfReach) => {
                    distrust = Some(format!("{name} comes from an archive inside an archive"));
                }
            }
        }
        self.members.extend(dependencies.members(end.members));
        for input in end.inputs {
            match inputs.get(input) {
                Some(id) => self.inputs.extend(*id),
                None => {
                    distrust = Some(format!(
                        "input {input} was used, but the recording does not describe it"
                    ))
                }
            }
        }
        match end.receivers {
            Some(receivers) => {
                let receivers = dependencies.pairs(receivers).map(|pair| pairs.id(pair));
                self.receivers.extend(receivers);
            }
            None => self.without_receivers = true,
        }
        for inherited in end.inherited {
            let from = self.inherited.entry(inherited.through.clone());
            from.or_default().extend(inherited.from.iter().cloned());
        }
        self.changed.extend(end.changed.iter().cloned());
        self.add_reflection(end);
        self.distrust = self.distrust.take().or(distrust);
    }

    /// Adds the dependencies of processes that a unit started. Those of a JVM must be known.
    fn unite_processes(
        &mut self,
        unit: &Unit<'_>,
        processes: &HashMap<u32, (u32, bool)>,
        children: &[Child<'_>],
        pairs: &mut Interner<Pair>,
    ) {
        let started = unit.end.iter().flat_map(|end| end.inputs);
        for (pid, is_jvm) in started.filter_map(|input| processes.get(input)) {
            let below = || children.iter().filter(|child| child.jvm.is_below(*pid));
            for child in below() {
                for part in &child.jvm.units {
                    self.unite_part(part, child, pairs);
                }
            }
            let is_known = below().any(|child| child.jvm.units.iter().any(|u| u.end.is_some()));
            if *is_jvm && !is_known {
                let why = "a JVM that it started was not recorded";
                self.distrust.get_or_insert(why.to_owned());
            }
        }
    }

    /// Adds the dependencies of the one unit of a JVM that the test started.
    fn unite_part(&mut self, part: &Unit<'_>, child: &Child<'_>, pairs: &mut Interner<Pair>) {
        let before = (self.outcome, self.container, self.split, self.duration_us);
        let (at_ms, unfinished) = (self.at_ms, self.unfinished);
        self.unite(part, &child.dependencies, &child.inputs, pairs);
        self.inputs.extend(&child.whole_path);
        (self.outcome, self.container, self.split, self.duration_us) = before;
        self.at_ms = at_ms;
        self.logs
            .extend(part.end.as_ref().map(|end| child.log.part(end)));
        if part.end.is_none() {
            let why = "a JVM that it started did not shut down normally";
            self.distrust.get_or_insert(why.to_owned());
        }
        self.unfinished = unfinished;
    }

    fn add_reflection(&mut self, end: &End<'_>) {
        self.reflection.traces |= end.reflection.traces;
        self.reflection.unlogged |= end.reflection.unlogged;
    }
}

fn outcome(end: &End<'_>) -> Outcome {
    match end.outcome {
        UnitOutcome::Passed => Outcome::Passed,
        UnitOutcome::Ignored => Outcome::Ignored,
        UnitOutcome::Aborted => Outcome::Aborted,
        UnitOutcome::Failed => Outcome::Failed,
    }
}

fn summary(spools: &[Spool], jvms: &[Jvm<'_>]) -> Absorbed {
    let records = || spools.iter().flat_map(|spool| &spool.records);
    let problems = records().filter_map(|record| match record {
        Record::Problem { message } => Some(message.clone()),
        _ => None,
    });
    let ids = |tests: for<'a> fn(&'a Jvm<'_>) -> &'a [&'a TestName]| -> Vec<TestId> {
        let of_jvm = |jvm| {
            let jvm: &Jvm<'_> = jvm;
            let id = |test: &&TestName| TestId::new(&*jvm.module, (*test).clone());
            tests(jvm).iter().map(id).collect::<Vec<_>>()
        };
        let ids: BTreeSet<TestId> = jvms.iter().flat_map(of_jvm).collect();
        ids.into_iter().collect()
    };
    Absorbed {
        // JVMs of one kind say the same.
        problems: problems.collect::<BTreeSet<_>>().into_iter().collect(),
        skipped: ids(|jvm| &jvm.skipped),
        wanted: ids(|jvm| &jvm.wanted),
        jvms: spools.len(),
        damaged: {
            let is_whole =
                |spool: &&Spool| spool.damage.is_none() && spool.records.contains(&Record::Closed);
            spools.len() - spools.iter().filter(is_whole).count()
        },
        ..Absorbed::default()
    }
}
