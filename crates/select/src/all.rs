use crate::{Facts, Reason, Selection, Technique, TechniqueName, Verdict};

/// Selects every test: the baseline of the other techniques.
#[derive(Debug, Clone, Copy)]
pub struct All;

impl Technique for All {
    fn name(&self) -> TechniqueName {
        TechniqueName::All
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        let verdict = |test: &crate::TestFacts<'_>| {
            Verdict::new(
                test.test.clone(),
                Some(test.known),
                vec![Reason::Everything],
            )
        };
        Selection {
            technique: self.name(),
            verdicts: facts.tests.iter().map(verdict).collect(),
        }
    }
}
