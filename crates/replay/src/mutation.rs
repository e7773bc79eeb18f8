//! Small faults in the classes of a project: all tests against what each technique selects.
//!
//! A fault is put in the place of the compiled class, in a clone. Faults in different classes of which no test
//! class uses two are tried in one run of all tests, so that JVMs are shared; what each technique selects is
//! asked for each fault alone. A test class that fails and does not use any of the faulty classes, as far as
//! was recorded, makes the run be repeated with each fault alone.

use crate::area::Area;
use crate::contest::Runner;
use crate::error::Error;
use crate::history::{Plan, Played, check_interrupted, setting};
use crate::repository::{Repository, check_out};
use crate::rows::{Mutation, Outcome};
use crate::surefire::Outcomes;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tamis_build::{BuildError, Signals};
use tamis_mutants::Mutant;
use tamis_select::TestId;
use tamis_store::{Project, Store};

/// How many faults there are to be, and where random numbers start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faults {
    /// How many.
    pub number: usize,
    /// Where random numbers start.
    pub seed: u64,
}

/// Nothing is compiled again because a class file is another.
const AS_COMPILED: [&str; 2] = [
    "-Dmaven.main.skip=true",
    "-Dmaven.compiler.useIncrementalCompilation=false",
];

/// How many faults share a run at most.
const TOGETHER: usize = 8;

/// A fault, and where it is.
struct Candidate {
    file: PathBuf,
    mutant: Mutant,
    /// Test classes that use the class.
    users: BTreeSet<String>,
}

/// Tries faults at the last revision of the plan; `say` is told what is going on.
pub fn mutation(
    plan: &Plan,
    faults: Faults,
    signals: &Signals,
    say: &dyn Fn(&str),
) -> Result<Played, Error> {
    let repository = Repository::of(&plan.project)?;
    let commit = repository.resolve(&plan.range.to)?;
    let mut setting = setting(plan);
    setting.seed = Some(faults.seed);
    setting.revision = Some(commit.clone());
    let area = Area::open(
        &plan.area,
        setting,
        (commit.clone(), format!("{} mutants", faults.number)),
        plan.restart,
    )?;
    let checkout = area.checkout();
    if !checkout.join(".git").exists() {
        repository.clone_to(&checkout)?;
    }
    let mut trial = Trial {
        plan,
        runner: Runner {
            tamis: &plan.tamis,
            project: checkout.join(&repository.inside),
            build_arguments: &plan.build_arguments,
            signals,
        },
        area,
        say,
        signals,
        known: BTreeSet::new(),
        baseline: Outcomes::default(),
        took: Duration::ZERO,
    };
    let interrupted = match trial.play(&commit, faults) {
        Err(Error::Build(BuildError::Interrupted)) => true,
        Err(error) => return Err(error),
        Ok(()) => false,
    };
    Ok(Played {
        replay: trial.area.replay,
        interrupted,
    })
}

struct Trial<'a> {
    plan: &'a Plan,
    runner: Runner<'a>,
    area: Area,
    say: &'a dyn Fn(&str),
    signals: &'a Signals,
    /// All test classes.
    known: BTreeSet<String>,
    /// How tests end without faults.
    baseline: Outcomes,
    /// How long all of them take.
    took: Duration,
}

impl Trial<'_> {
    fn play(&mut self, commit: &str, faults: Faults) -> Result<(), Error> {
        check_out(&self.area.checkout(), commit)?;
        (self.say)("compiling");
        if !self.runner.compile(&self.area)? {
            check_interrupted(self.signals)?;
            return Err(Error::Nothing(format!("{commit:.8} does not build")));
        }
        let candidates = self.prepare(faults)?;
        let done = self.area.replay.mutants.len();
        if done > 0 {
            (self.say)(&format!("{done} mutants are done already"));
        }
        let mut rest = candidates.get(done..).unwrap_or_default();
        while !rest.is_empty() {
            check_interrupted(self.signals)?;
            let together = together(rest);
            let (now, later) = rest.split_at_checked(together).unwrap_or((rest, &[]));
            let left = later.len();
            for mutation in self.try_together(now)? {
                (self.say)(&format!("{}; {left} left", summary(&mutation)));
                self.area.add_mutant(mutation)?;
            }
            rest = later;
        }
        Ok(())
    }

    /// Records all tests, sees how they end without faults, and draws the faults.
    fn prepare(&mut self, faults: Faults) -> Result<Vec<Candidate>, Error> {
        (self.say)("recording all tests");
        let here = self.runner.project.join(".tamis");
        fs::create_dir_all(&here).map_err(Error::io("create", &here))?;
        self.known = self.runner.record(&self.area)?;
        check_interrupted(self.signals)?;
        let mut flaky = BTreeSet::new();
        for round in 0..2 {
            (self.say)("all tests without faults");
            let (took, outcomes) = self.runner.retest_with(&self.area, &AS_COMPILED)?;
            let outcomes = outcomes.by_class(&self.known);
            check_interrupted(self.signals)?;
            if round > 0 {
                flaky.extend(outcomes.unlike(&self.baseline));
            }
            self.took = self.took.max(took);
            self.baseline = outcomes;
        }
        if self.baseline.0.is_empty() {
            return Err(Error::Nothing(
                "there are no tests to try mutants on".into(),
            ));
        }
        self.baseline.0.retain(|class, _| !flaky.contains(class));
        let project = Project {
            root: self.runner.project.clone(),
        };
        let store = Store::load(&project)?.store;
        let candidates = packed(candidates(&self.runner.project, &store, faults)?);
        (self.say)(&format!("{} mutants in {} classes", candidates.len(), {
            let files: BTreeSet<&PathBuf> = candidates.iter().map(|one| &one.file).collect();
            files.len()
        }));
        Ok(candidates)
    }

    /// Tries these faults in one run, and each alone where that leaves a question.
    fn try_together(&self, candidates: &[Candidate]) -> Result<Vec<Mutation>, Error> {
        let mut mutations = Vec::new();
        for candidate in candidates {
            let faulty = Faulty::place(candidate)?;
            mutations.push(self.ask(candidate)?);
            faulty.remove()?;
        }
        let failed = self.failing(candidates)?;
        let is_clear = |(failed, endless): &(BTreeSet<String>, bool)| {
            let is_known = |class: &String| candidates.iter().any(|one| one.users.contains(class));
            !endless && failed.iter().all(is_known)
        };
        if candidates.len() == 1 || is_clear(&failed) {
            let alone = candidates.len() == 1;
            for (candidate, mutation) in candidates.iter().zip(&mut mutations) {
                let is_its = |class: &&String| alone || candidate.users.contains(*class);
                mutation.killers = failed.0.iter().filter(is_its).cloned().collect();
                mutation.endless = failed.1;
            }
        } else {
            for (candidate, mutation) in candidates.iter().zip(&mut mutations) {
                let (killers, endless) = self.failing(std::slice::from_ref(candidate))?;
                mutation.killers = killers.into_iter().collect();
                mutation.endless = endless;
            }
        }
        mutations.iter_mut().for_each(close);
        Ok(mutations)
    }

    /// The test classes that fail with these faults and do not fail without, and whether some never ended.
    fn failing(&self, candidates: &[Candidate]) -> Result<(BTreeSet<String>, bool), Error> {
        let placed: Vec<Faulty> = candidates
            .iter()
            .map(Faulty::place)
            .collect::<Result<_, _>>()?;
        let most = self.took.as_secs() * 3 + 60;
        let timeout = format!("-Dsurefire.timeout={most}");
        let arguments: Vec<&str> = AS_COMPILED.into_iter().chain([timeout.as_str()]).collect();
        let run = self.runner.retest_with(&self.area, &arguments);
        placed.into_iter().try_for_each(Faulty::remove)?;
        let (_, outcomes) = run?;
        check_interrupted(self.signals)?;
        let now = outcomes.by_class(&self.known).classes();
        let before = self.baseline.classes();
        let ended_well = |class: &String| before.get(class) == Some(&Outcome::Passed);
        let failed = now
            .iter()
            .filter(|(class, outcome)| **outcome == Outcome::Failed && ended_well(class));
        let is_missing = |class: &String| !now.contains_key(class);
        Ok((
            failed.map(|(class, _)| class.clone()).collect(),
            before.keys().any(is_missing),
        ))
    }

    /// What each technique selects because of a fault that is in its place.
    fn ask(&self, candidate: &Candidate) -> Result<Mutation, Error> {
        let mutant = &candidate.mutant;
        let mut mutation = Mutation {
            class: mutant.class.clone(),
            method: mutant.method.clone(),
            line: mutant.line.map(u32::from),
            operator: mutant.operator.to_string(),
            description: mutant.description.clone(),
            reached_by: candidate.users.len(),
            ..Mutation::default()
        };
        for way in &self.plan.techniques {
            let selection = self.runner.select(&self.area, way)?;
            mutation.techniques.insert(way.to_string(), selection);
        }
        Ok(mutation)
    }
}

/// What was missed is known once the killers are.
fn close(mutation: &mut Mutation) {
    for survey in mutation.techniques.values_mut() {
        let is_selected = |class: &&String| survey.names.contains(*class);
        let killers = mutation.killers.iter();
        survey.kills = killers.clone().any(|class| is_selected(&class));
        survey.missed = killers
            .filter(|class| !is_selected(class))
            .cloned()
            .collect();
        survey.names.clear();
    }
}

/// A class file with a fault, in the place of the class.
struct Faulty<'c> {
    file: &'c Path,
    original: Vec<u8>,
}

impl Faulty<'_> {
    fn place(candidate: &Candidate) -> Result<Faulty<'_>, Error> {
        let file = candidate.file.as_path();
        let original = fs::read(file).map_err(Error::io("read", file))?;
        let mutated = candidate
            .mutant
            .apply(&original)
            .map_err(|error| Error::Nothing(format!("{}: {error}", file.display())))?;
        fs::write(file, mutated).map_err(Error::io("write", file))?;
        Ok(Faulty { file, original })
    }

    fn remove(self) -> Result<(), Error> {
        fs::write(self.file, self.original).map_err(Error::io("write", self.file))
    }
}

/// Puts faults that can share a run next to each other: each joins the first that it can.
fn packed(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut runs: Vec<(BTreeSet<String>, Vec<Candidate>)> = Vec::new();
    for candidate in candidates {
        let has_room = |(users, run): &&mut (BTreeSet<String>, Vec<Candidate>)| {
            run.len() < TOGETHER && users.is_disjoint(&candidate.users)
        };
        match runs.iter_mut().find(has_room) {
            Some((users, run)) => {
                users.extend(candidate.users.iter().cloned());
                run.push(candidate);
            }
            None => runs.push((candidate.users.clone(), vec![candidate])),
        }
    }
    runs.into_iter().flat_map(|(_, run)| run).collect()
}

/// How many of the next faults can share a run: no test class uses two of their classes.
fn together(candidates: &[Candidate]) -> usize {
    let mut users: BTreeSet<&String> = BTreeSet::new();
    let mut number = 0;
    for candidate in candidates.iter().take(TOGETHER) {
        if candidate.users.iter().any(|class| users.contains(class)) {
            break;
        }
        users.extend(&candidate.users);
        number += 1;
    }
    number.max(1)
}

/// Draws faults: as many of each operator as possible, in an order that the seed gives. Methods that no test
/// executes have none.
fn candidates(project: &Path, store: &Store, faults: Faults) -> Result<Vec<Candidate>, Error> {
    let mut random = Random(faults.seed);
    let mut by_operator: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
    let mut reached: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in class_files(project) {
        let bytes = fs::read(&file).map_err(Error::io("read", &file))?;
        let Ok(mutants) = tamis_mutants::mutants(&bytes) else {
            continue;
        };
        let Some(first) = mutants.first() else {
            continue;
        };
        let users = classes(store.affected(&first.class));
        for mutant in mutants {
            let asked = match &mutant.method {
                Some(method) => format!("{}#{}", mutant.class, name_of(method)),
                None => mutant.class.clone(),
            };
            let reaching = reached
                .entry(asked)
                .or_insert_with_key(|asked| classes(store.affected(asked)));
            if !reaching.is_empty() {
                let of_operator = by_operator.entry(mutant.operator.to_string()).or_default();
                of_operator.push(Candidate {
                    file: file.clone(),
                    mutant,
                    users: users.clone(),
                });
            }
        }
    }
    let mut drawn = Vec::new();
    while drawn.len() < faults.number && by_operator.values().any(|left| !left.is_empty()) {
        for left in by_operator.values_mut().filter(|left| !left.is_empty()) {
            let index = random.below(left.len());
            drawn.push(left.swap_remove(index));
        }
    }
    drawn.truncate(faults.number);
    Ok(drawn)
}

/// The name of a method that has its descriptor behind it.
fn name_of(method: &str) -> &str {
    method.split('(').next().unwrap_or(method)
}

fn classes(tests: Vec<TestId>) -> BTreeSet<String> {
    let names = tests.into_iter().map(|test| {
        let test = test.outermost();
        format!("{}:{}", test.module, test.class)
    });
    names.collect()
}

/// The compiled classes of a project that are no tests.
fn class_files(project: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![project.to_owned()];
    while let Some(directory) = work.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let is_left_out = [".git", ".tamis", "src", "test-classes"].contains(&&*name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_left_out => work.push(path),
                Ok(kind) if kind.is_file() && name.ends_with(".class") => found.push(path),
                _ => {}
            }
        }
    }
    found.retain(|path| path.components().any(|part| part.as_os_str() == "classes"));
    found.sort();
    found
}

/// Random numbers by which a seed gives the same faults each time (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed % end.max(1) as u64) as usize
    }
}

/// A mutant in a line.
fn summary(mutation: &Mutation) -> String {
    let end = match (mutation.killers.len(), mutation.endless) {
        (0, false) => "lives".to_owned(),
        (killers, endless) => {
            let endless = if endless { ", endless" } else { "" };
            format!("killed by {killers} of {}{endless}", mutation.reached_by)
        }
    };
    let missed = mutation
        .techniques
        .iter()
        .filter(|(_, survey)| !survey.missed.is_empty());
    let missed: Vec<String> = missed
        .map(|(name, survey)| format!(", {name} MISSED {}", survey.missed.join(", ")))
        .collect();
    let (class, what) = (&mutation.class, &mutation.description);
    format!(
        "{class}: {}: {what}: {end}{}",
        mutation.operator,
        missed.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_each_time() {
        let numbers = |seed| {
            let mut random = Random(seed);
            [(); 5].map(|()| random.below(1000))
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert_eq!(Random(3).below(1), 0);
        assert_eq!(Random(3).below(0), 0);
    }
}
