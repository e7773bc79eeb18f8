use crate::line;
use crate::phrases::{DIM, count, styled};
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
    /// Per test, the way in the code from it to the class, if nothing was recorded.
    pub paths: Option<Vec<Vec<String>>>,
}

impl Affected {
    /// A line per test.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut paths = self.paths.iter().flatten();
        for test in &self.tests {
            match paths.next() {
                None => line(&mut text, format_args!("{test}")),
                Some(path) => {
                    let path = styled(DIM, path.join(" → "));
                    line(&mut text, format_args!("{test}  {path}"));
                }
            }
        }
        text
    }

    /// The closing line, a summary.
    pub fn closing(&self) -> String {
        let single = self.tests.iter().any(|test| test.is_single());
        let noun = if single { "test" } else { "test class" };
        let known = count(self.known as u64, noun);
        if self.paths.is_some() {
            return format!(
                "{} of {known} can reach {}, as far as code tells: nothing was recorded yet",
                self.tests.len(),
                self.class
            );
        }
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
                paths: None,
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
