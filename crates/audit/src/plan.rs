use std::time::Duration;
use tamis_select::TestId;

/// How long a build takes before it runs a test, and how long a JVM does, until they were measured.
const GUESS: Duration = Duration::from_millis(2_000);

/// How many tests the first batch has, which shows how long they take.
const FIRST: usize = 8;

/// The longest that results of a batch should be waited for.
const LONGEST: Duration = Duration::from_secs(120);

/// Draws `number` tests by the seed; the same seed draws the same tests, and more of them if more
/// are asked for.
pub fn sample(tests: &[TestId], number: usize, seed: u64) -> Vec<TestId> {
    let mut keyed: Vec<(u64, &TestId)> = tests
        .iter()
        .map(|test| (mix(seed, &test.to_string()), test))
        .collect();
    keyed.sort_unstable();
    let chosen = keyed.into_iter().take(number);
    chosen.map(|(_, test)| test.clone()).collect()
}

/// How many of the tests to run next, each in a JVM of its own, if `measured` is the time for so many of them
/// and `left` that of the budget; none if not even one fits.
pub fn batch(tests: usize, measured: Option<(usize, Duration)>, left: Option<Duration>) -> usize {
    let each = match measured {
        Some((number, took)) => took / u32::try_from(number.max(1)).unwrap_or(u32::MAX),
        None => GUESS,
    };
    let left = left.unwrap_or(LONGEST).min(LONGEST);
    let fit = left.as_millis() / each.as_millis().max(1);
    let fit = usize::try_from(fit).unwrap_or(usize::MAX);
    let most = match measured {
        Some(_) => usize::MAX,
        None => FIRST,
    };
    tests.min(fit).min(most)
}

/// FNV-1a, with a last mix so that small differences spread: the same on every machine.
fn mix(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = text.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_grows_and_depends_on_the_seed() {
        let tests: Vec<TestId> = (0..50)
            .map(|number| TestId::new("", format!("a.T{number}")))
            .collect();
        let small = sample(&tests, 5, 1);
        assert_eq!(sample(&tests, 9, 1)[..5], small);
        assert_ne!(sample(&tests, 5, 2), small);
        assert_eq!(sample(&tests, 99, 1).len(), 50);
    }

    #[test]
    fn a_batch_fits_into_what_is_left() {
        let seconds = Duration::from_secs;
        let check = |tests, measured, left, expected| {
            assert_eq!(batch(tests, measured, left), expected);
        };
        check(100, None, None, 8);
        check(3, None, None, 3);
        check(100, None, Some(seconds(5)), 2);
        check(100, None, Some(seconds(1)), 0);
        check(100, Some((8, seconds(8))), None, 100);
        check(500, Some((8, seconds(8))), Some(seconds(600)), 120);
        check(100, Some((8, seconds(80))), Some(seconds(25)), 2);
    }
}
