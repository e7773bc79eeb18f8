use super::by_members;
use crate::{Facts, Needs, Selection, Technique, TechniqueName};
use tamis_graph::{MemberRules, UnknownReflection};

/// Selects a test class when a member changed that it reaches, by both rules of dynamic execution of the paper:
/// reflection (1) and binding (2).
#[derive(Debug, Clone, Copy, Default)]
pub struct Mest {
    /// What a test depends on whose code looks for names that nobody knows.
    pub unknown_reflection: UnknownReflection,
}

impl Technique for Mest {
    fn name(&self) -> TechniqueName {
        TechniqueName::Mest
    }

    fn needs(&self) -> Needs {
        Needs::of_classes_now()
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        let rules = MemberRules {
            reflection: Some(self.unknown_reflection),
            binding: true,
        };
        by_members(self.name(), facts, rules)
    }
}
