//! Statistics for figures that are few, paired and not normally distributed.
//!
//! Values that are not finite are left out everywhere: they come from divisions by nothing.

use serde::Serialize;

/// With fewer pairs that differ than this no two-sided Wilcoxon test can fall below 0.05: with five, the most
/// extreme ranks have p = 2 / 2^5 = 0.0625.
pub const FEWEST_PAIRS: usize = 6;

/// Up to this many pairs without ties p is counted out, as in published tables; beyond, the normal distribution
/// is close enough.
const MOST_EXACT: usize = 50;

/// How values are spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The least.
    pub least: f64,
    /// The lower quartile.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub upper: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Spread {
    /// The spread of these values; none if there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let sorted = sorted(values);
        Some(Spread {
            count: sorted.len(),
            mean: mean(sorted.iter().copied())?,
            least: *sorted.first()?,
            lower: quantile(&sorted, 0.25)?,
            median: quantile(&sorted, 0.5)?,
            upper: quantile(&sorted, 0.75)?,
            greatest: *sorted.last()?,
        })
    }
}

/// The value in the middle, or the mean of the two there.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    quantile(&sorted(values), 0.5)
}

/// The arithmetic mean.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (count, sum) = finite.fold((0_usize, 0.0), |(count, sum), value| {
        (count + 1, sum + value)
    });
    (count > 0).then(|| sum / count as f64)
}

/// Of sorted values the quantile that lies between neighbours in proportion, as R and NumPy have it (type 7 of
/// Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996).
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let below = sorted.get(place.floor() as usize)?;
    let above = sorted.get(place.ceil() as usize)?;
    Some(below + (above - below) * place.fract())
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let mut sorted: Vec<f64> = finite.collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// A Wilcoxon signed-rank test of paired values with its effect size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wilcoxon {
    /// How many pairs differ; equal pairs say nothing about which side is greater.
    pub differing: usize,
    /// The sum of the ranks of pairs whose left value is greater.
    pub greater: f64,
    /// The sum of the ranks of pairs whose left value is less.
    pub less: f64,
    /// How likely ranks as uneven as these or more are if neither side tends to be greater (two-sided).
    pub p: f64,
    /// The matched-pairs rank-biserial correlation, `(greater - less) / (greater + less)`: 1 if the left value is
    /// always greater, -1 if it is always less, 0 if neither is (Kerby, The Simple Difference Formula, 2014).
    pub effect: f64,
}

/// The Wilcoxon signed-rank test; none if no pair differs.
///
/// Pairs without a difference are left out, as Wilcoxon did. Without ties p is exact for at most [`MOST_EXACT`]
/// pairs. Otherwise it is that of the normal distribution, with the variance corrected for ties and a continuity
/// correction of one half.
pub fn wilcoxon(pairs: &[(f64, f64)]) -> Option<Wilcoxon> {
    // Ratios that are equal on paper may differ in the last bit.
    let rounded = |difference: f64| (difference * 1e12).round() / 1e12;
    let differences = pairs.iter().map(|(left, right)| rounded(left - right));
    let mut differences: Vec<f64> = differences
        .filter(|difference| difference.is_finite() && *difference != 0.0)
        .collect();
    if differences.is_empty() {
        return None;
    }
    differences.sort_by(|left, right| left.abs().total_cmp(&right.abs()));
    let count = differences.len();
    let (mut greater, mut less, mut ties, mut before) = (0.0, 0.0, 0.0, 0_usize);
    for equal in differences.chunk_by(|left, right| left.abs() == right.abs()) {
        let size = equal.len() as f64;
        let rank = before as f64 + (size + 1.0) / 2.0;
        let positive = equal.iter().filter(|difference| **difference > 0.0).count() as f64;
        greater += rank * positive;
        less += rank * (size - positive);
        ties += size * size * size - size;
        before += equal.len();
    }
    let smaller = greater.min(less);
    let p = match ties == 0.0 && count <= MOST_EXACT {
        true => exact(count, smaller as usize),
        false => approximate(count, smaller, ties),
    };
    Some(Wilcoxon {
        differing: count,
        greater,
        less,
        p,
        effect: (greater - less) / (greater + less),
    })
}

/// Twice the share of the 2^count ways to give ranks signs of which the ranks of one sign sum up to `sum` or less.
fn exact(count: usize, sum: usize) -> f64 {
    let most = count * (count + 1) / 2;
    let mut ways = vec![0.0_f64; most + 1];
    if let Some(none) = ways.first_mut() {
        *none = 1.0;
    }
    for rank in 1..=count {
        for total in (rank..=most).rev() {
            let without = ways.get(total - rank).copied().unwrap_or_default();
            if let Some(way) = ways.get_mut(total) {
                *way += without;
            }
        }
    }
    let few: f64 = ways.iter().take(sum + 1).sum();
    let all: f64 = ways.iter().sum();
    (2.0 * few / all).min(1.0)
}

fn approximate(count: usize, smaller: f64, ties: f64) -> f64 {
    let count = count as f64;
    let expected = count * (count + 1.0) / 4.0;
    let variance = count * (count + 1.0) * (2.0 * count + 1.0) / 24.0 - ties / 48.0;
    let distance = (expected - smaller - 0.5).max(0.0);
    match variance > 0.0 {
        true => (2.0 * upper_tail(distance / variance.sqrt())).min(1.0),
        false => 1.0,
    }
}

/// The share of the standard normal distribution above a value that is not negative (Abramowitz and Stegun,
/// Handbook of Mathematical Functions, 26.2.17; off by less than 7.5e-8).
fn upper_tail(value: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * value);
    let polynomial = [
        1.330_274_429,
        -1.821_255_978,
        1.781_477_937,
        -0.356_563_782,
        0.319_381_530,
    ];
    let sum = polynomial
        .iter()
        .fold(0.0, |sum, factor| (sum + factor) * t);
    let density = (-value * value / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    (density * sum).clamp(0.0, 0.5)
}

/// The values p of several tests made at once, each raised so that the chance of any false alarm stays what one test
/// has (Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979). In the order they came.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
    order.sort_by(|left, right| left.1.total_cmp(&right.1));
    let mut least = 0.0_f64;
    let mut raised: Vec<(usize, f64)> = order
        .iter()
        .enumerate()
        .map(|(rank, (place, p))| {
            least = least.max(p * (values.len() - rank) as f64).min(1.0);
            (*place, least)
        })
        .collect();
    raised.sort_by_key(|(place, _)| *place);
    raised.into_iter().map(|(_, p)| p).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64, by: f64) {
        assert!((left - right).abs() < by, "{left} is not {right}");
    }

    fn differences(of: &[f64]) -> Wilcoxon {
        let pairs: Vec<(f64, f64)> = of.iter().map(|difference| (*difference, 0.0)).collect();
        wilcoxon(&pairs).unwrap()
    }

    #[test]
    fn nothing_has_no_spread() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([f64::NAN, f64::INFINITY]), None);
        assert_eq!(median([]), None);
        assert_eq!(mean([]), None);
    }

    #[test]
    fn quartiles_lie_between_neighbours_in_proportion() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(
            (spread.lower, spread.median, spread.upper),
            (1.75, 2.5, 3.25)
        );
        assert_eq!(
            (spread.least, spread.greatest, spread.mean),
            (1.0, 4.0, 2.5)
        );
        let one = Spread::of([7.0]).unwrap();
        assert_eq!((one.lower, one.median, one.upper), (7.0, 7.0, 7.0));
        assert_eq!(median([9.0, 1.0, 5.0]), Some(5.0));
    }

    #[test]
    fn the_least_pairs_that_can_say_something_are_six() {
        assert_eq!(differences(&[1.0, 2.0, 3.0, 4.0, 5.0]).p, 0.0625);
        let six = differences(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!((six.p, six.effect), (0.03125, 1.0));
        assert_eq!(wilcoxon(&[(1.0, 1.0), (f64::NAN, 2.0)]), None);
        assert_eq!(wilcoxon(&[]), None);
    }

    /// Hollander and Wolfe, Nonparametric Statistical Methods, 1973, page 29, the example of R's `wilcox.test`:
    /// V = 40, one-sided p = 0.01953.
    #[test]
    #[expect(
        clippy::approx_constant,
        reason = "one value of the example looks like pi"
    )]
    fn the_depression_scale_of_hollander_and_wolfe() {
        let first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let pairs: Vec<(f64, f64)> = first.into_iter().zip(second).collect();
        let test = wilcoxon(&pairs).unwrap();
        assert_eq!((test.greater, test.less, test.differing), (40.0, 5.0, 9));
        close(test.p, 2.0 * 0.019_531_25, 1e-9);
        close(test.effect, 35.0 / 45.0, 1e-9);
    }

    /// Darwin's maize (The Effects of Cross and Self Fertilisation, 1876; eighths of an inch, as in Fisher, The Design
    /// of Experiments): ranks 14 and 10 are negative, so the sums are 96 and 24.
    #[test]
    fn darwins_maize() {
        let maize = [
            49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0,
            -48.0,
        ];
        let test = differences(&maize);
        assert_eq!((test.greater, test.less), (96.0, 24.0));
        close(test.p, 0.041_26, 1e-5);
        // The normal distribution comes close: (60 - 24 - 0.5) / sqrt(310) = 2.0163, p = 0.0438.
        close(approximate(15, 24.0, 0.0), 0.0438, 1e-4);
    }

    /// Critical values of the two-sided test at 0.05 for 7, 10, 15, 20 and 25 pairs (Wilcoxon and Wilcox, Some Rapid
    /// Approximate Statistical Procedures, 1964): the value is below, the next above.
    #[test]
    fn critical_values_are_those_of_the_tables() {
        for (pairs, critical) in [(7, 2), (10, 8), (15, 25), (20, 52), (25, 89)] {
            assert!(exact(pairs, critical) <= 0.05, "{pairs}");
            assert!(exact(pairs, critical + 1) > 0.05, "{pairs}");
        }
    }

    /// By hand: |d| = 1 1 2 2 2 3 has ranks 1.5 1.5 4 4 4 6; the negative one has 1.5, so the sums are 19.5 and 1.5.
    /// The variance is 6·7·13/24 - (6 + 24)/48 = 22.125; (10.5 - 1.5 - 0.5)/4.70372 = 1.80708.
    #[test]
    fn ties_share_their_ranks_and_lessen_the_variance() {
        let test = differences(&[1.0, -1.0, 2.0, 2.0, 2.0, 3.0]);
        assert_eq!((test.greater, test.less), (19.5, 1.5));
        close(test.p, 0.070_75, 2e-5);
    }

    /// The usual points of the standard normal distribution.
    #[test]
    fn the_tail_is_that_of_the_normal_distribution() {
        close(upper_tail(0.0), 0.5, 1e-7);
        close(upper_tail(1.644_853_6), 0.05, 1e-7);
        close(upper_tail(1.959_964), 0.025, 1e-7);
        close(upper_tail(2.575_829_3), 0.005, 1e-7);
    }

    /// By hand: 0.01·4, 0.02·3, then 0.03·2 and 0.04·1, which may not fall below what came before.
    #[test]
    fn several_tests_at_once_raise_p() {
        let raised = holm(&[0.04, 0.01, 0.03, 0.02]);
        for (value, expected) in raised.iter().zip([0.06, 0.04, 0.06, 0.06]) {
            close(*value, expected, 1e-12);
        }
        assert!(holm(&[]).is_empty());
    }
}
