//! Figures of each technique, computed from the rows of a replay.

mod compare;
mod endings;
mod mutants;
mod sapient;

pub use compare::{Comparison, Paired, Tested};
pub use endings::Endings;
pub use mutants::{MutantChoice, MutantFailure, MutantFigures, MutantGroup, MutantMiss};
pub use sapient::{Sapient, fault_coverage, new_faults, reduced_test_size, test_scale_benefits};

use crate::statistics::{Spread, median};
use crate::{ClassOutcome, Replay, Step, Tried, Unmutated, Why};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The figures computed from a [`Replay`].
///
/// Ratios and times are of the steps that have a step before them: at the first everything is new, and every
/// technique runs everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// How many steps count.
    pub steps: usize,
    /// How many revisions were left out, by reason.
    pub skipped: BTreeMap<Why, usize>,
    /// How long all tests take, in seconds, over the steps.
    pub retest: Option<Spread>,
    /// Test classes that ended differently than at the step before, over all steps.
    pub differing: usize,
    /// The classes of these that failed, new ones among them.
    pub failing: usize,
    /// How they changed.
    pub endings: Endings,
    /// Test classes that ended differently in runs of the same revision, with the number of such steps; the first
    /// step counts here.
    pub flaky: BTreeMap<String, usize>,
    /// Each technique, in the order of tables.
    pub techniques: Vec<Technique>,
    /// Each pair of techniques.
    pub comparisons: Vec<Comparison>,
    /// The runs without mutants that mutants which ran alone were compared with.
    pub unmutated: Option<Unmutated>,
    /// The results of mutants, if any were tried.
    pub mutants: Option<MutantFigures>,
}

/// The figures of a technique over all steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Technique {
    /// Its name.
    pub name: String,
    /// The number of steps that it has figures for.
    pub steps: usize,
    /// Test classes it selected, of those it knew.
    pub classes: Share,
    /// Single tests it selected, of those it knew, where it selects these.
    pub tests: Option<Share>,
    /// Seconds of deciding what to run.
    pub analysis: Option<Spread>,
    /// Seconds of the build and the tests, with recording.
    pub execution: Option<Spread>,
    /// Seconds of taking in what was recorded.
    pub collection: Option<Spread>,
    /// Seconds end to end without recording, of those of all tests.
    pub ae: Share,
    /// Seconds end to end with recording, of those of all tests.
    pub aec: Share,
    /// Test classes that ended differently, over the steps it has figures of.
    pub differing: usize,
    /// The classes of these that it did not select.
    pub missed: Vec<Missed>,
    /// Steps at which it gave no answer, and so failed.
    pub problems: Vec<Problem>,
    /// The metrics of the paper on FEST and MEST.
    pub sapient: Sapient,
}

impl Technique {
    /// Seconds that it saved over all steps; negative if it took longer than all tests.
    pub fn saved(&self) -> Option<f64> {
        self.aec
            .of_sums
            .is_some()
            .then_some(self.aec.whole - self.aec.part)
    }
}

/// Parts of wholes, over several steps.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Share {
    /// The sum of the parts.
    pub part: f64,
    /// The sum of the wholes.
    pub whole: f64,
    /// One sum by the other, unless there is nothing.
    pub of_sums: Option<f64>,
    /// How the ratios of the steps are spread.
    pub per_step: Option<Spread>,
}

impl Share {
    pub(crate) fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Share {
        let pairs: Vec<(f64, f64)> = pairs.into_iter().collect();
        // The sum of no numbers is -0.0.
        let part = pairs.iter().map(|pair| pair.0).sum::<f64>() + 0.0;
        let whole = pairs.iter().map(|pair| pair.1).sum::<f64>() + 0.0;
        Share {
            part,
            whole,
            of_sums: ratio(part, whole),
            per_step: Spread::of(
                pairs
                    .iter()
                    .filter_map(|(part, whole)| ratio(*part, *whole)),
            ),
        }
    }
}

/// One by the other, unless that is no number.
pub(crate) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0)
        .then(|| part / whole)
        .filter(|ratio| ratio.is_finite())
}

/// A test class that ended differently and was not selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missed {
    /// The commit.
    pub revision: String,
    /// The first line of its message.
    pub subject: String,
    /// The test class.
    pub class: String,
    /// Whether it failed; otherwise it came to pass.
    pub failing: bool,
}

/// A step at which a technique gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The commit.
    pub revision: String,
    /// Why.
    pub problem: String,
}

impl Figures {
    /// The figures of these rows.
    pub fn of(replay: &Replay) -> Figures {
        let steps: Vec<&Step> = counted(replay).collect();
        let names = names(replay);
        let mut skipped = BTreeMap::new();
        for skip in &replay.skipped {
            *skipped.entry(skip.why).or_default() += 1;
        }
        let mut flaky = BTreeMap::new();
        for class in replay.steps.iter().flat_map(|step| &step.retest.flaky) {
            *flaky.entry(class.clone()).or_default() += 1;
        }
        Figures {
            steps: steps.len(),
            skipped,
            retest: Spread::of(steps.iter().filter_map(|step| retest_seconds(step))),
            differing: steps.iter().map(|step| step.retest.differing.len()).sum(),
            failing: steps.iter().map(|step| faults(step).len()).sum(),
            endings: steps
                .iter()
                .map(|step| Endings::of(replay, step))
                .fold(Endings::default(), |sum, one| sum + one),
            flaky,
            techniques: names.iter().map(|name| technique(name, &steps)).collect(),
            comparisons: compare::all(&names, &steps),
            unmutated: replay.unmutated.clone(),
            mutants: MutantFigures::of(&replay.mutants, &names),
        }
    }
}

/// The steps that count: those that have one before them.
pub(crate) fn counted(replay: &Replay) -> impl Iterator<Item = &Step> {
    replay.steps.iter().filter(|step| step.before.is_some())
}

/// The techniques in the order of tables: as the setting has them, then any others.
pub(crate) fn names(replay: &Replay) -> Vec<String> {
    let steps = replay.steps.iter().flat_map(|step| step.techniques.keys());
    let mutants = replay.mutants.iter();
    let others: BTreeSet<&String> = steps
        .chain(mutants.flat_map(|mutant| mutant.techniques.keys()))
        .collect();
    let mut names: Vec<String> = Vec::new();
    for name in replay.setting.techniques.iter().chain(others) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// The results of a technique at a step, if it has figures for it.
pub(crate) fn tried<'a>(step: &'a Step, name: &str) -> Option<&'a Tried> {
    let tried = step.techniques.get(name)?;
    tried.problem.is_none().then_some(tried)
}

/// How long all tests of a step take: the median of the runs.
pub(crate) fn retest_seconds(step: &Step) -> Option<f64> {
    median(step.retest.seconds.iter().copied())
}

/// How long a technique takes at a step end to end with recording: the median of the runs.
pub(crate) fn aec_seconds(step: &Step, name: &str) -> Option<f64> {
    median(tried(step, name)?.aec.iter().copied())
}

/// The share of test classes that a technique selected at a step.
pub(crate) fn selected_share(step: &Step, name: &str) -> Option<f64> {
    let tried = tried(step, name)?;
    ratio(tried.selected as f64, tried.classes as f64)
}

/// Whether a test class failed at a step; one of which nothing is known may have.
fn failing(step: &Step, class: &str) -> bool {
    step.retest.classes.get(class) != Some(&ClassOutcome::Passed)
}

/// The faults of a step in the sense of the papers: test classes that failed, of those that ended differently. Of
/// those that failed before and fail now, a replay does not know whether a technique selected them.
pub(crate) fn faults(step: &Step) -> BTreeSet<&str> {
    let differing = step.retest.differing.iter().map(String::as_str);
    differing.filter(|class| failing(step, class)).collect()
}

fn technique(name: &str, steps: &[&Step]) -> Technique {
    let rows: Vec<(&Step, &Tried)> = steps
        .iter()
        .filter_map(|step| Some((*step, tried(step, name)?)))
        .collect();
    let spread = |of: fn(&Tried) -> &[f64]| {
        Spread::of(
            rows.iter()
                .filter_map(|(_, tried)| median(of(tried).iter().copied())),
        )
    };
    let over_all = |of: fn(&Tried) -> &[f64]| {
        Share::of(rows.iter().filter_map(|(step, tried)| {
            Some((median(of(tried).iter().copied())?, retest_seconds(step)?))
        }))
    };
    let tests: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|(_, tried)| Some((tried.selected_tests? as f64, tried.tests? as f64)))
        .collect();
    let classes = rows.iter();
    let classes = classes.map(|(_, tried)| (tried.selected as f64, tried.classes as f64));
    Technique {
        name: name.to_owned(),
        steps: rows.len(),
        classes: Share::of(classes),
        tests: (!tests.is_empty()).then(|| Share::of(tests)),
        analysis: spread(|tried| &tried.analysis),
        execution: spread(|tried| &tried.execution),
        collection: spread(|tried| &tried.collection),
        ae: over_all(|tried| &tried.ae),
        aec: over_all(|tried| &tried.aec),
        differing: rows
            .iter()
            .map(|(step, _)| step.retest.differing.len())
            .sum(),
        missed: rows
            .iter()
            .flat_map(|(step, tried)| missed(step, tried))
            .collect(),
        problems: steps
            .iter()
            .filter_map(|step| problem(step, name))
            .collect(),
        sapient: Sapient::of(name, steps),
    }
}

fn missed<'a>(step: &'a Step, tried: &'a Tried) -> impl Iterator<Item = Missed> + 'a {
    tried.missed.iter().map(|class| Missed {
        revision: step.revision.clone(),
        subject: step.subject.clone(),
        class: class.clone(),
        failing: failing(step, class),
    })
}

fn problem(step: &Step, name: &str) -> Option<Problem> {
    let problem = step.techniques.get(name)?.problem.clone()?;
    Some(Problem {
        revision: step.revision.clone(),
        problem,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{of, replay, step};

    #[test]
    fn nothing_gives_no_figures_and_no_panic() {
        let figures = Figures::of(&Replay::default());
        assert_eq!(figures.steps, 0);
        assert_eq!(figures.retest, None);
        assert!(figures.techniques.is_empty() && figures.mutants.is_none());
    }

    #[test]
    fn sums_are_divided_by_sums_and_steps_by_steps() {
        let rows = of(vec![
            step("a", None, 10.0, &[("x", 4, 4, 10.0)]),
            step("b", Some("a"), 10.0, &[("x", 4, 1, 2.0)]),
            step("c", Some("b"), 30.0, &[("x", 12, 9, 24.0)]),
        ]);
        let figures = Figures::of(&rows);
        let x = &figures.techniques[0];
        assert_eq!((figures.steps, x.steps), (2, 2));
        assert_eq!(x.classes.of_sums, Some(10.0 / 16.0));
        assert_eq!(x.classes.per_step.unwrap().median, 0.5);
        assert_eq!(x.aec.of_sums, Some(26.0 / 40.0));
        assert_eq!(x.aec.per_step.unwrap().median, 0.5);
        assert_eq!(x.saved(), Some(14.0));
        assert_eq!(x.tests, None);
    }

    #[test]
    fn steps_with_problems_are_in_no_sum() {
        let mut rows = of(vec![
            step("b", Some("a"), 10.0, &[("x", 4, 1, 2.0)]),
            step("c", Some("b"), 30.0, &[("x", 12, 9, 24.0)]),
        ]);
        let tried = rows.steps[1].techniques.get_mut("x").unwrap();
        tried.problem = Some("the build failed".into());
        let x = &Figures::of(&rows).techniques[0];
        assert_eq!((x.steps, x.aec.whole, x.problems.len()), (1, 10.0, 1));
    }

    #[test]
    fn divisions_by_nothing_give_nothing() {
        let rows = of(vec![step("b", Some("a"), 0.0, &[("x", 0, 0, 0.0)])]);
        let x = &Figures::of(&rows).techniques[0];
        assert_eq!((x.classes.of_sums, x.aec.of_sums), (None, None));
        assert_eq!((&x.classes.per_step, x.saved()), (&None, None));
    }

    #[test]
    fn a_miss_tells_whether_the_test_failed() {
        let mut missing = step("b", Some("a"), 1.0, &[("x", 4, 1, 2.0)]);
        missing.retest.classes = [
            ("A".into(), ClassOutcome::Failed),
            ("B".into(), ClassOutcome::Passed),
        ]
        .into();
        missing.retest.differing = vec!["A".into(), "B".into(), "C".into()];
        missing.techniques.get_mut("x").unwrap().missed = missing.retest.differing.clone();
        let rows = of(vec![missing]);
        let figures = Figures::of(&rows);
        let failing: Vec<bool> = figures.techniques[0]
            .missed
            .iter()
            .map(|missed| missed.failing)
            .collect();
        assert_eq!(failing, [true, false, true]);
        assert_eq!((figures.differing, figures.failing), (3, 2));
    }

    #[test]
    fn techniques_stand_in_the_order_of_the_setting() {
        let mut rows = replay();
        rows.setting.techniques = vec!["hyrts".into()];
        let names = names(&rows);
        assert_eq!(names[0], "hyrts");
        assert_eq!(names.len(), 5);
    }
}
