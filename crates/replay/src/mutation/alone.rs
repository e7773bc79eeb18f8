//! Faults that run alone: all tests in a fresh build without tamis for each, compared with runs without faults.
//!
//! Nothing here asks what was recorded: faults stand in any method, and every test class that ends differently or prints
//! something else must have been selected.

use super::draw::{Candidate, from_all_methods};
use super::{Faults, Faulty, Trial, close};
use crate::contest::Ran;
use crate::error::Error;
use crate::history::check_interrupted;
use crate::outcomes::Reports;
use crate::rows::{Alone, Mutation, Unmutated};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tamis_build::{Goal, PlainBuild, TestEnd};

pub(super) fn play(trial: &mut Trial<'_>, faults: Faults) -> Result<usize, Error> {
    let mut judge = Judge::prepare(trial)?;
    trial.area.set_unmutated(judge.unmutated(trial)?)?;
    let candidates = from_all_methods(trial.class_files()?, &trial.store()?, faults)?;
    trial.say_what_is_drawn(&candidates);
    let done = trial.area.replay.mutants.len();
    for (place, candidate) in candidates.iter().enumerate().skip(done) {
        check_interrupted(trial.signals)?;
        let left = candidates.len() - place;
        if place > done && trial.is_out_of_time() {
            return Ok(left);
        }
        let mut mutation = judge.judge(trial, candidate)?;
        if is_missed(&mutation) {
            (trial.say)(
                "a test class seems to be missed: running all tests once more without the fault and with it, in case it is flaky",
            );
            judge.learn(trial)?;
            trial.area.set_unmutated(judge.unmutated(trial)?)?;
            let again = judge.judge(trial, candidate)?;
            keep_common(&mut mutation, &again);
            close(&mut mutation);
        }
        trial.add(mutation, left - 1)?;
    }
    Ok(0)
}

fn is_missed(mutation: &Mutation) -> bool {
    let mut surveys = mutation.techniques.values();
    surveys.any(|survey| !survey.missed.is_empty())
}

/// Keeps the test classes that differ in both runs of the same mutant.
fn keep_common(mutation: &mut Mutation, again: &Mutation) {
    let again: BTreeSet<&String> = again.differing().collect();
    let alone = mutation.alone.iter_mut();
    let alone = alone.flat_map(|alone| {
        [
            &mut alone.otherwise,
            &mut alone.output,
            &mut alone.unfinished,
        ]
    });
    for classes in alone.chain([&mut mutation.killers]) {
        classes.retain(|class| again.contains(class));
    }
}

/// All tests without faults.
#[derive(Debug, Default)]
struct Judge {
    goal: Goal,
    baseline: Reports,
    seconds: Vec<f64>,
    /// How long the slowest run took that came to its end by itself.
    slowest: Duration,
    /// Test classes that end differently from run to run.
    flaky: BTreeSet<String>,
    /// Tests that print something else in each run, with their classes.
    varying: BTreeSet<(String, String)>,
}

impl Judge {
    /// Runs all tests often enough to know what varies by itself. To run the tests alone is enough if they end as in the
    /// whole build.
    fn prepare(trial: &Trial<'_>) -> Result<Judge, Error> {
        let whole = Judge::start(trial, Goal::Test)?;
        if whole.baseline.outcomes.0.is_empty() {
            return Err(Error::Nothing(
                "there are no tests to try mutants on".into(),
            ));
        }
        let mut only_tests = Judge::start(trial, Goal::OnlyTests)?;
        only_tests.learn(trial)?;
        let unlike = only_tests
            .baseline
            .outcomes
            .unlike(&whole.baseline.outcomes);
        if unlike.is_subset(&only_tests.flaky) {
            return Ok(only_tests);
        }
        (trial.say)(
            "without the rest of the build tests end differently: each fault runs through the whole build",
        );
        let mut whole = whole;
        whole.learn(trial)?;
        Ok(whole)
    }

    fn start(trial: &Trial<'_>, goal: Goal) -> Result<Judge, Error> {
        let mut judge = Judge {
            goal,
            ..Judge::default()
        };
        judge.baseline = judge.unmutated_run(trial)?;
        Ok(judge)
    }

    fn unmutated_run(&mut self, trial: &Trial<'_>) -> Result<Reports, Error> {
        let goal = self.goal_name(trial)?;
        (trial.say)(&format!("all tests without faults, by {goal}"));
        let ran = self.run(trial, Duration::MAX)?;
        self.seconds.push(ran.took.as_secs_f64());
        Ok(ran.reports.by_class(&trial.known))
    }

    /// Runs all tests without faults once more, and remembers what varies by itself.
    fn learn(&mut self, trial: &Trial<'_>) -> Result<(), Error> {
        let again = self.unmutated_run(trial)?;
        let (before, printed) = (&self.baseline.outcomes, &self.baseline.printed);
        self.flaky.extend(again.outcomes.unlike(before));
        self.varying.extend(again.printed.unlike(printed));
        Ok(())
    }

    fn run(&mut self, trial: &Trial<'_>, most: Duration) -> Result<Ran, Error> {
        let build = PlainBuild {
            goal: self.goal,
            keeps_classes: true,
            jvm_limit: None,
        };
        let ran = trial.runner.retest_within(&trial.area, &build, most)?;
        check_interrupted(trial.signals)?;
        if !ran.was_ended {
            self.slowest = self.slowest.max(ran.took);
        }
        Ok(ran)
    }

    /// How long a run with a fault may take: a machine may be busy with other things by then.
    fn most(&self) -> Duration {
        self.slowest * 4 + Duration::from_secs(60)
    }

    fn goal_name(&self, trial: &Trial<'_>) -> Result<&'static str, Error> {
        Ok(trial.runner.plain_builds()?.goal_name(self.goal))
    }

    fn unmutated(&self, trial: &Trial<'_>) -> Result<Unmutated, Error> {
        let classes = self.baseline.outcomes.0.iter();
        let compared = classes.filter(|(class, _)| !self.flaky.contains(*class));
        let varying = self.varying.iter().map(|(class, _)| class);
        let varying: BTreeSet<&String> = varying
            .filter(|class| !self.flaky.contains(*class))
            .collect();
        Ok(Unmutated {
            goal: self.goal_name(trial)?.to_owned(),
            seconds: self.seconds.clone(),
            classes: compared.clone().count(),
            failing: compared.filter(|(_, tests)| fails(tests)).count(),
            flaky: self.flaky.iter().cloned().collect(),
            varying_output: varying.into_iter().cloned().collect(),
        })
    }

    /// Finds what techniques select for a fault, and what differs with it.
    fn judge(&mut self, trial: &Trial<'_>, candidate: &Candidate) -> Result<Mutation, Error> {
        let faulty = Faulty::place(candidate)?;
        let tried = self.judge_in_place(trial, candidate);
        faulty.remove()?;
        tried
    }

    fn judge_in_place(
        &mut self,
        trial: &Trial<'_>,
        candidate: &Candidate,
    ) -> Result<Mutation, Error> {
        let mut mutation = trial.ask(candidate)?;
        let ran = self.run(trial, self.most())?;
        let now = ran.reports.by_class(&trial.known);
        mutation.endless = ran.was_ended;
        (mutation.killers, mutation.alone) = {
            let (killers, alone) = self.compare(&now, &ran.started);
            let seconds = ran.took.as_secs_f64();
            (killers, Some(Alone { seconds, ..alone }))
        };
        close(&mut mutation);
        Ok(mutation)
    }

    /// The test classes that fail, and those that differ in another way. `started` has the classes that were started,
    /// without their modules.
    fn compare(&self, now: &Reports, started: &BTreeSet<String>) -> (Vec<String>, Alone) {
        let mut killers = Vec::new();
        let mut alone = Alone::default();
        let unlike = now.printed.unlike(&self.baseline.printed);
        let prints: BTreeSet<&String> = unlike
            .difference(&self.varying)
            .map(|(class, _)| class)
            .collect();
        let compared = self.baseline.outcomes.0.iter();
        for (class, before) in compared.filter(|(class, _)| !self.flaky.contains(*class)) {
            let name = class.rsplit(':').next().unwrap_or(class);
            let list = match now.outcomes.0.get(class) {
                None if started.contains(name) => &mut alone.unfinished,
                None => &mut alone.not_run,
                Some(now) if now == before && !prints.contains(class) => continue,
                Some(now) if now == before => &mut alone.output,
                Some(now) if fails(now) && !fails(before) => &mut killers,
                Some(_) => &mut alone.otherwise,
            };
            list.push(class.clone());
        }
        // Nobody says which one it was that did not come to its end.
        if alone.unfinished.is_empty() {
            alone.unfinished = std::mem::take(&mut alone.not_run);
        }
        (killers, alone)
    }
}

fn fails(tests: &BTreeMap<String, TestEnd>) -> bool {
    tests.values().any(|end| *end == TestEnd::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcomes::tests::reported;

    /// Reports of classes with one test each: `class end output`.
    fn reports(lines: &[&str]) -> Reports {
        let reported = lines.iter().flat_map(|line| {
            let (class, rest) = line.split_once(' ').unwrap();
            reported(&format!(":{class}"), &format!("{class}#t {rest}"))
        });
        Reports::of(reported.collect()).by_class(&BTreeSet::new())
    }

    #[test]
    fn every_test_class_that_differs_is_found() {
        let before = [
            "A passed x",
            "B passed x",
            "C passed x",
            "D failed x",
            "E passed x",
            "F passed x",
        ];
        let judge = Judge {
            baseline: reports(&before),
            flaky: [":E".to_owned()].into(),
            varying: [(":F".to_owned(), "F#t".to_owned())].into(),
            ..Judge::default()
        };
        let check = |now: &[&str], started: &[&str], expected: &str| {
            let started = started.iter().map(|class| (*class).to_owned()).collect();
            let (killers, alone) = judge.compare(&reports(now), &started);
            let lists = [
                ("killers", &killers),
                ("otherwise", &alone.otherwise),
                ("output", &alone.output),
                ("unfinished", &alone.unfinished),
                ("not run", &alone.not_run),
            ];
            let some = lists.iter().filter(|(_, list)| !list.is_empty());
            let said: Vec<String> = some
                .map(|(what, list)| format!("{what} {}", list.join(" ")))
                .collect();
            assert_eq!(said.join(", "), expected, "{now:?}");
        };
        check(&before, &[], "");
        let other = [
            "A failed x",
            "B skipped x",
            "C passed y",
            "D passed x",
            "E failed x",
            "F passed y",
        ];
        check(&other, &[], "killers :A, otherwise :B :D, output :C");
        let cut_off = ["A passed x", "E passed x", "F failed x"];
        check(
            &cut_off,
            &["A", "F", "B"],
            "killers :F, unfinished :B, not run :C :D",
        );
        check(&cut_off, &[], "killers :F, unfinished :B :C :D");
    }

    #[test]
    fn what_differs_once_and_not_again_differs_by_chance() {
        let mutation = |killers: &[&str], output: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            Mutation {
                killers: owned(killers),
                alone: Some(Alone {
                    output: owned(output),
                    ..Alone::default()
                }),
                ..Mutation::default()
            }
        };
        let mut first = mutation(&["a", "b"], &["c", "d"]);
        keep_common(&mut first, &mutation(&["a", "c"], &["e"]));
        assert_eq!(first, mutation(&["a"], &["c"]));
    }
}
