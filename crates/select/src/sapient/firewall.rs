use super::by_classes;
use crate::{Facts, Needs, Selection, Technique, TechniqueName};
use tamis_graph::Relations;

/// Selects a test class when a class changed that it depends on, directly or through others, by what class files
/// name: the class firewall (Kung et al.), as ClassSRTS does (Legunsen et al., FSE 2016).
#[derive(Debug, Clone, Copy)]
pub struct Firewall;

impl Technique for Firewall {
    fn name(&self) -> TechniqueName {
        TechniqueName::Firewall
    }

    fn needs(&self) -> Needs {
        Needs::of_classes_now()
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        by_classes(self.name(), facts, Relations::Named)
    }
}
