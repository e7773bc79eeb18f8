use super::by_members;
use crate::{Facts, Needs, Selection, Technique, TechniqueName};
use tamis_graph::MemberRules;

/// MEST without rules of dynamic execution (MEST.s in section 6.3 of the paper): the members that references name, and
/// no others. It misses what is called through reflection, inherited or overridden.
#[derive(Debug, Clone, Copy)]
pub struct MestS;

impl Technique for MestS {
    fn name(&self) -> TechniqueName {
        TechniqueName::MestS
    }

    fn needs(&self) -> Needs {
        Needs::of_classes_now()
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        let rules = MemberRules {
            reflection: None,
            binding: false,
        };
        by_members(self.name(), facts, rules)
    }
}
