use super::by_members;
use crate::{Facts, Needs, Selection, Technique, TechniqueName};
use tamis_graph::{MemberRules, UnknownReflection};

/// MEST with rule 1 alone (MEST.s-r1 in section 6.3 of the paper): members that reflection finds by names that code
/// has. It misses what is inherited or overridden.
#[derive(Debug, Clone, Copy, Default)]
pub struct MestSR1 {
    /// What a test depends on whose code looks for names that nobody knows.
    pub unknown_reflection: UnknownReflection,
}

impl Technique for MestSR1 {
    fn name(&self) -> TechniqueName {
        TechniqueName::MestSR1
    }

    fn needs(&self) -> Needs {
        Needs::of_classes_now()
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        let rules = MemberRules {
            reflection: Some(self.unknown_reflection),
            binding: false,
        };
        by_members(self.name(), facts, rules)
    }
}
