use super::{faults, ratio, tried};
use crate::Step;
use crate::statistics::Spread;
use serde::Serialize;
use std::collections::BTreeSet;

/// The metrics of Li et al. on FEST and MEST (Sapient, the paper among the five behind tamis), section 5.3, of a
/// technique against retest-all, which stands for the paper's actual CI testing: `Ct` are all test classes, `Cft` the
/// faults that they find. A fault is a test class that fails; here, one that fails and did not before, because of
/// the others a replay does not know whether they were selected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sapient {
    /// See [`reduced_test_size`], over the steps.
    pub reduced: Option<Spread>,
    /// See [`fault_coverage`], over the steps that have faults; the paper has those without as 100 %.
    pub coverage: Option<Spread>,
    /// See [`fault_coverage`]: how many steps have all faults covered.
    pub covered_steps: usize,
    /// See [`test_scale_benefits`], over the steps that have faults; the paper has those without as 0.
    pub benefits: Option<Spread>,
}

impl Sapient {
    pub(super) fn of(name: &str, steps: &[&Step]) -> Sapient {
        let rows: Vec<_> = steps
            .iter()
            .filter_map(|step| Some((*step, tried(step, name)?)))
            .collect();
        let coverage = rows.iter().filter_map(|(step, _)| {
            let all = faults(step);
            Some((fault_coverage(&found(step, name)?, &all), all.is_empty()))
        });
        let coverage: Vec<(f64, bool)> = coverage.collect();
        let with_faults = coverage.iter().filter(|(_, none)| !none);
        let benefits = rows.iter().filter_map(|(step, tried)| {
            let all = faults(step);
            let found = found(step, name)?;
            (!all.is_empty()).then(|| test_scale_benefits(found.len(), tried.selected, all.len()))
        });
        Sapient {
            reduced: Spread::of(
                rows.iter()
                    .filter_map(|(_, tried)| reduced_test_size(tried.selected, tried.classes)),
            ),
            coverage: Spread::of(with_faults.map(|(share, _)| *share)),
            covered_steps: coverage.iter().filter(|(share, _)| *share >= 1.0).count(),
            benefits: Spread::of(benefits),
        }
    }
}

/// The faults that a technique finds at a step: those among the test classes that it selected.
pub(super) fn found<'a>(step: &'a Step, name: &str) -> Option<BTreeSet<&'a str>> {
    let missed = &tried(step, name)?.missed;
    let mut found = faults(step);
    found.retain(|class| !missed.iter().any(|missed| missed == class));
    Some(found)
}

/// Reduced test size, equation 1: `Rts = (|StB| - |StA|) / |StB|`, where `StA` are the tests of the measured approach
/// and `StB` those of the other. Negative if it selects more. None if the other selects nothing.
pub fn reduced_test_size(measured: usize, other: usize) -> Option<f64> {
    ratio(other as f64 - measured as f64, other as f64)
}

/// Fault coverage, equation 2: `Fcovg = |TftA ∩ TftB| / |TftB|`, where `TftA` are the faults found by the measured
/// approach and `TftB` those found by the other; 1 if the other finds none.
pub fn fault_coverage(measured: &BTreeSet<&str>, other: &BTreeSet<&str>) -> f64 {
    let both = measured.intersection(other).count();
    ratio(both as f64, other.len() as f64).unwrap_or(1.0)
}

/// New faults: how many faults the measured approach finds that the other does not, `|TftA \ TftB|`. Against
/// retest-all it is always 0.
pub fn new_faults(measured: &BTreeSet<&str>, other: &BTreeSet<&str>) -> usize {
    measured.difference(other).count()
}

/// Test scale benefits, equation 3: `Testscal = |Tft| / |St| · |Tft| / |all faults|`, faults found per test that runs,
/// times the share of the faults that are found; 0 if nothing is selected or there are no faults. The paper's union of
/// what all approaches find is what retest-all finds.
pub fn test_scale_benefits(found: usize, selected: usize, all: usize) -> f64 {
    let per_test = ratio(found as f64, selected as f64).unwrap_or_default();
    per_test * ratio(found as f64, all as f64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_are_those_of_the_paper() {
        assert_eq!(reduced_test_size(10, 40), Some(0.75));
        assert_eq!(reduced_test_size(50, 40), Some(-0.25));
        assert_eq!(reduced_test_size(1, 0), None);
        let (left, right) = (BTreeSet::from(["a", "b"]), BTreeSet::from(["b", "c"]));
        assert_eq!(fault_coverage(&left, &right), 0.5);
        assert_eq!(fault_coverage(&left, &BTreeSet::new()), 1.0);
        assert_eq!(new_faults(&left, &right), 1);
        assert_eq!(test_scale_benefits(2, 10, 4), 0.1);
        assert_eq!(test_scale_benefits(0, 0, 4), 0.0);
        assert_eq!(test_scale_benefits(0, 3, 0), 0.0);
    }
}
