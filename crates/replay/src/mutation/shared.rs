//! Faults of which several share a run of all tests.
//!
//! They are in different classes of which no test class uses two. A test class that fails and does not use any of
//! the faulty classes, as far as was recorded, makes the run be repeated with each fault alone.

use super::draw::{Candidate, from_reached_methods};
use super::{Faults, Faulty, Trial, close};
use crate::error::Error;
use crate::history::check_interrupted;
use crate::outcomes::Outcomes;
use crate::rows::{ClassOutcome, Mutation};
use std::collections::BTreeSet;
use std::time::Duration;
use tamis_build::{Goal, PlainBuild};

/// How many faults share a run at most.
const TOGETHER: usize = 8;

pub(super) fn play(trial: &mut Trial<'_>, faults: Faults) -> Result<usize, Error> {
    let judge = Judge::prepare(trial)?;
    let drawn = from_reached_methods(trial.class_files()?, &trial.store()?, faults)?;
    let candidates = packed(drawn);
    trial.say_what_is_drawn(&candidates);
    let done = trial.area.replay.mutants.len();
    let mut rest = candidates.get(done..).unwrap_or_default();
    let mut is_first = true;
    while !rest.is_empty() {
        check_interrupted(trial.signals)?;
        if !is_first && trial.is_out_of_time() {
            return Ok(rest.len());
        }
        is_first = false;
        let together = together(rest);
        let (now, later) = rest.split_at_checked(together).unwrap_or((rest, &[]));
        for mutation in judge.try_together(trial, now)? {
            trial.add(mutation, later.len())?;
        }
        rest = later;
    }
    Ok(0)
}

/// How all tests end without faults.
struct Judge {
    baseline: Outcomes,
    /// How long all of them take.
    took: Duration,
}

impl Judge {
    fn prepare(trial: &Trial<'_>) -> Result<Judge, Error> {
        let mut flaky = BTreeSet::new();
        let mut judge = Judge {
            baseline: Outcomes::default(),
            took: Duration::ZERO,
        };
        for round in 0..2 {
            (trial.say)("all tests without faults");
            let ran = trial
                .runner
                .retest_within(&trial.area, &build(None), Duration::MAX)?;
            check_interrupted(trial.signals)?;
            let outcomes = ran.reports.outcomes.by_class(&trial.known);
            if round > 0 {
                flaky.extend(outcomes.unlike(&judge.baseline));
            }
            judge.took = judge.took.max(ran.took);
            judge.baseline = outcomes;
        }
        if judge.baseline.0.is_empty() {
            return Err(Error::Nothing(
                "there are no tests to try mutants on".into(),
            ));
        }
        judge.baseline.0.retain(|class, _| !flaky.contains(class));
        Ok(judge)
    }

    /// Tries these faults in one run, and each alone where that leaves a question.
    fn try_together(
        &self,
        trial: &Trial<'_>,
        candidates: &[Candidate],
    ) -> Result<Vec<Mutation>, Error> {
        let mut mutations = Vec::new();
        for candidate in candidates {
            let faulty = Faulty::place(candidate)?;
            mutations.push(trial.ask(candidate)?);
            faulty.remove()?;
        }
        let failed = self.failing(trial, candidates)?;
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
                let (killers, endless) = self.failing(trial, std::slice::from_ref(candidate))?;
                mutation.killers = killers.into_iter().collect();
                mutation.endless = endless;
            }
        }
        mutations.iter_mut().for_each(close);
        Ok(mutations)
    }

    /// The test classes that fail with these faults and do not fail without, and whether some never ended.
    fn failing(
        &self,
        trial: &Trial<'_>,
        candidates: &[Candidate],
    ) -> Result<(BTreeSet<String>, bool), Error> {
        let placed: Vec<Faulty> = candidates
            .iter()
            .map(Faulty::place)
            .collect::<Result<_, _>>()?;
        let most = self.took * 3 + Duration::from_secs(60);
        // The build tool ends single JVMs; what does not obey is ended here.
        let run = trial
            .runner
            .retest_within(&trial.area, &build(Some(most)), most * 2);
        placed.into_iter().try_for_each(Faulty::remove)?;
        let ran = run?;
        check_interrupted(trial.signals)?;
        let now = ran.reports.outcomes.by_class(&trial.known).classes();
        let before = self.baseline.classes();
        let ended_well = |class: &String| before.get(class) == Some(&ClassOutcome::Passed);
        let failed = now
            .iter()
            .filter(|(class, outcome)| **outcome == ClassOutcome::Failed && ended_well(class));
        let is_missing = |class: &String| !now.contains_key(class);
        Ok((
            failed.map(|(class, _)| class.clone()).collect(),
            before.keys().any(is_missing),
        ))
    }
}

/// A run of all tests that compiles nothing again.
fn build(jvm_limit: Option<Duration>) -> PlainBuild {
    PlainBuild {
        goal: Goal::Test,
        keeps_classes: true,
        jvm_limit,
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
