use crate::line;
use crate::phrases::{BOLD, DIM, RED, YELLOW, count, names, styled};
use tamis_select::TestId;

/// How many names a line has at most.
const NAMES: usize = 10;

/// The answer of `tamis collect --isolated`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Isolated {
    /// How many test classes were recorded alone now.
    pub recorded: usize,
    /// How many were recorded alone before, and nothing has changed for them.
    pub already: usize,
    /// Test classes that did not pass alone; the store keeps what it had of them.
    pub failed: Vec<TestId>,
    /// Test classes that ran only beside others.
    pub together: Vec<TestId>,
    /// Test classes that did not run.
    pub missing: Vec<TestId>,
    /// How many are left to do.
    pub left: usize,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

impl Isolated {
    /// The whole answer.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut say = |words: String| line(&mut text, format_args!("{words}"));
        for (style, tests, what) in [
            (
                RED,
                &self.failed,
                "did not pass alone; `tamis audit` tells more",
            ),
            (
                YELLOW,
                &self.together,
                "could not be run alone: others ran in the same JVM",
            ),
            (YELLOW, &self.missing, "did not run"),
        ] {
            if !tests.is_empty() {
                let number = count(tests.len() as u64, "test class");
                let named: Vec<String> = tests.iter().map(TestId::to_string).collect();
                let named = names(named.iter().map(String::as_str), NAMES);
                say(format!(
                    "{}: {named}",
                    styled(style, format!("{number} {what}"))
                ));
            }
        }
        let recorded = count(self.recorded as u64, "test class");
        let already = match self.already {
            0 => String::new(),
            number => format!(", {number} were so already"),
        };
        say(styled(BOLD, format!("recorded {recorded} alone{already}")));
        if self.left > 0 {
            let left = count(self.left as u64, "test class");
            let left = format!("{left} left; run the same command again to continue");
            say(styled(DIM, left));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrases::plain;
    use crate::run::samples::id;

    #[test]
    fn what_was_recorded_and_what_was_not_is_told() {
        let check = |isolated: Isolated, expected: &str| {
            assert_eq!(plain(&isolated.text()), expected);
        };
        let three = Isolated {
            recorded: 3,
            ..Isolated::default()
        };
        check(three.clone(), "recorded 3 test classes alone\n");
        let more = Isolated {
            already: 2,
            failed: vec![id("a.T")],
            missing: vec![id("a.U"), id("a.V")],
            left: 1,
            ..three
        };
        check(
            more,
            "1 test class did not pass alone; `tamis audit` tells more: a.T\n\
             2 test classes did not run: a.U, a.V\n\
             recorded 3 test classes alone, 2 were so already\n\
             1 test class left; run the same command again to continue\n",
        );
    }
}
