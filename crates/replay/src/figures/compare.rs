use super::sapient::{fault_coverage, found, new_faults};
use super::{aec_seconds, ratio, retest_seconds, selected_share, tried};
use crate::Step;
use crate::statistics::{FEWEST_PAIRS, holm, mean, median, wilcoxon};
use serde::Serialize;

/// Two techniques side by side, over the steps that both have figures of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The one.
    pub left: String,
    /// The other.
    pub right: String,
    /// Their shares of selected test classes.
    pub selected: Paired,
    /// Their times end to end with recording, each over that of all tests.
    pub aec: Paired,
    /// By how much the left selects fewer test classes than the right, of sums: the paper's `Rts`.
    pub reduced: Option<f64>,
    /// The mean share of the right's faults that the left finds: the paper's `Fcovg`.
    pub coverage: Option<f64>,
    /// How many faults the left finds that the right does not: the paper's `NewFt`.
    pub new_left: usize,
    /// How many faults the right finds that the left does not.
    pub new_right: usize,
}

/// Values of two techniques at the same steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paired {
    /// How many steps have both.
    pub pairs: usize,
    /// At how many of them they differ.
    pub differing: usize,
    /// The median of the left.
    pub left: Option<f64>,
    /// The median of the right.
    pub right: Option<f64>,
    /// Whether one is greater; none if too few pairs differ to tell (see [`FEWEST_PAIRS`]).
    pub tested: Option<Tested>,
}

/// Whether one side of pairs tends to be greater, by Wilcoxon's signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tested {
    /// The chance of such a difference if there is none, two-sided.
    pub p: f64,
    /// The same, raised for the number of pairs of techniques that are compared (Holm).
    pub p_holm: f64,
    /// The matched-pairs rank-biserial correlation: negative if the left is less, between -1 and 1.
    pub effect: f64,
}

pub(super) fn all(names: &[String], steps: &[&Step]) -> Vec<Comparison> {
    let mut all: Vec<Comparison> = Vec::new();
    for (place, left) in names.iter().enumerate() {
        for right in names.iter().skip(place + 1) {
            all.push(compare(left, right, steps));
        }
    }
    raise(all.iter_mut().map(|pair| &mut pair.selected));
    raise(all.iter_mut().map(|pair| &mut pair.aec));
    all
}

fn raise<'a>(pairs: impl Iterator<Item = &'a mut Paired>) {
    let mut tested: Vec<&mut Tested> = pairs.filter_map(|pair| pair.tested.as_mut()).collect();
    let values: Vec<f64> = tested.iter().map(|tested| tested.p).collect();
    for (tested, p) in tested.iter_mut().zip(holm(&values)) {
        tested.p_holm = p;
    }
}

fn compare(left: &str, right: &str, steps: &[&Step]) -> Comparison {
    let aec = |step: &Step, name: &str| ratio(aec_seconds(step, name)?, retest_seconds(step)?);
    let both = |of: &dyn Fn(&Step, &str) -> Option<f64>| -> Vec<(f64, f64)> {
        let pair = |step: &&Step| Some((of(step, left)?, of(step, right)?));
        steps.iter().filter_map(pair).collect()
    };
    let selected = both(&|step, name| Some(tried(step, name)?.selected as f64));
    let less: f64 = selected.iter().map(|(left, right)| right - left).sum();
    let faults: Vec<_> = steps
        .iter()
        .filter_map(|step| Some((found(step, left)?, found(step, right)?)))
        .collect();
    Comparison {
        left: left.to_owned(),
        right: right.to_owned(),
        selected: paired(&both(&selected_share)),
        aec: paired(&both(&aec)),
        reduced: ratio(less, selected.iter().map(|pair| pair.1).sum()),
        coverage: mean(
            faults
                .iter()
                .map(|(left, right)| fault_coverage(left, right)),
        ),
        new_left: faults
            .iter()
            .map(|(left, right)| new_faults(left, right))
            .sum(),
        new_right: faults
            .iter()
            .map(|(left, right)| new_faults(right, left))
            .sum(),
    }
}

fn paired(pairs: &[(f64, f64)]) -> Paired {
    let test = wilcoxon(pairs);
    Paired {
        pairs: pairs.len(),
        differing: test.map_or(0, |test| test.differing),
        left: median(pairs.iter().map(|pair| pair.0)),
        right: median(pairs.iter().map(|pair| pair.1)),
        tested: test
            .filter(|test| test.differing >= FEWEST_PAIRS)
            .map(|test| Tested {
                p: test.p,
                p_holm: test.p,
                effect: test.effect,
            }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::step;

    fn steps(count: usize) -> Vec<Step> {
        let one = |place: usize| {
            let greater = 20 + place;
            let techniques = [("x", 100, 10, 1.0), ("y", 100, greater, 2.0 + place as f64)];
            step("b", Some("a"), 40.0, &techniques)
        };
        (0..count).map(one).collect()
    }

    fn of(count: usize) -> Comparison {
        let steps = steps(count);
        let steps: Vec<&Step> = steps.iter().collect();
        all(&["x".into(), "y".into()], &steps).remove(0)
    }

    #[test]
    fn too_few_pairs_say_nothing() {
        let five = of(5);
        assert_eq!((five.selected.pairs, five.selected.differing), (5, 5));
        assert_eq!((five.selected.tested, five.aec.tested), (None, None));
        assert_eq!(of(0).selected.pairs, 0);
    }

    #[test]
    fn enough_pairs_say_which_side_is_less() {
        let tested = of(6).selected.tested.unwrap();
        assert_eq!(
            (tested.p, tested.p_holm, tested.effect),
            (0.03125, 0.03125, -1.0)
        );
        assert_eq!(of(6).reduced, Some(75.0 / 135.0));
    }

    #[test]
    fn faults_that_only_one_finds_are_new() {
        let mut steps = steps(1);
        steps[0].retest.differing = vec!["A".into(), "B".into()];
        steps[0].techniques.get_mut("x").unwrap().missed = vec!["B".into()];
        let steps: Vec<&Step> = steps.iter().collect();
        let pair = all(&["x".into(), "y".into()], &steps).remove(0);
        assert_eq!(
            (pair.new_left, pair.new_right, pair.coverage),
            (0, 1, Some(0.5))
        );
    }
}
