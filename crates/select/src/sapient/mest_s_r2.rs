use super::by_members;
use crate::{Facts, Needs, Selection, Technique, TechniqueName};
use tamis_graph::MemberRules;

/// MEST with rule 2 alone (MEST.s-r2 in section 6.3 of the paper): members that a class inherits, and methods that
/// override the one that a call names in classes of which the test makes objects. It misses what is called through
/// reflection.
#[derive(Debug, Clone, Copy)]
pub struct MestSR2;

impl Technique for MestSR2 {
    fn name(&self) -> TechniqueName {
        TechniqueName::MestSR2
    }

    fn needs(&self) -> Needs {
        Needs::of_classes_now()
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        let rules = MemberRules {
            reflection: None,
            binding: true,
        };
        by_members(self.name(), facts, rules)
    }
}
