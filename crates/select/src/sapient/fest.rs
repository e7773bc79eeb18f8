use super::by_classes;
use crate::{Facts, Needs, Selection, Technique, TechniqueName};
use tamis_graph::Relations;

/// Selects a test class when a class changed that it depends on, hidden references included: classes that only texts
/// name, as in `Class.forName("a.B")`, files of the class path, services.
///
/// The direct references of the table 1 of the paper, and casts, members, arguments and initializers of its hidden
/// ones, all stand in class files.
#[derive(Debug, Clone, Copy)]
pub struct Fest;

impl Technique for Fest {
    fn name(&self) -> TechniqueName {
        TechniqueName::Fest
    }

    fn needs(&self) -> Needs {
        Needs::of_classes_now()
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        by_classes(self.name(), facts, Relations::Hidden)
    }
}
