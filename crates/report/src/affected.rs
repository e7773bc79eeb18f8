use crate::line;
use crate::phrases::count;
use tamis_select::TestId;

/// The answer of `tamis affected`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affected {
    /// The class that was asked for.
    pub class: String,
    /// The tests that used it when they last ran.
    pub tests: Vec<TestId>,
    /// How many tests are known.
    pub known: usize,
}

impl Affected {
    /// A line per test.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for test in &self.tests {
            line(&mut text, format_args!("{test}"));
        }
        text
    }

    /// The closing line, a summary.
    pub fn closing(&self) -> String {
        let single = self.tests.iter().any(|test| test.is_single());
        let noun = if single { "test" } else { "test class" };
        let known = count(self.known as u64, noun);
        match self.tests.len() {
            0 => format!("none of the {known} used {}", self.class),
            number => format!("{number} of {known} used {}", self.class),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::samples::id;

    #[test]
    fn affected_tests_are_listed_and_counted() {
        let check = |tests: Vec<TestId>, text: &str, closing: &str| {
            let affected = Affected {
                class: "a.A".into(),
                tests,
                known: 5,
            };
            assert_eq!(
                (affected.text().as_str(), affected.closing().as_str()),
                (text, closing)
            );
        };
        check(
            vec![id("a.ATest"), id("a.BTest")],
            "a.ATest\na.BTest\n",
            "2 of 5 test classes used a.A",
        );
        check(vec![], "", "none of the 5 test classes used a.A");
        check(vec![id("a.T#m")], "a.T#m\n", "1 of 5 tests used a.A");
    }
}
