use crate::Outcome;
use std::sync::Arc;

/// The footprint of a test and its outcome, by names; each list is sorted and has no name twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Footprint {
    /// How the test ended.
    pub outcome: Option<Outcome>,
    /// Whether it ran alone in its JVM.
    pub isolated: bool,
    /// Why the lists may be incomplete, if so.
    pub distrust: Option<String>,
    /// Classes, `a.b.C`.
    pub classes: Vec<Arc<str>>,
    /// Methods that it executed, `a.b.C#m(int)`.
    pub methods: Vec<Arc<str>>,
    /// Its inputs, `file a/b.txt`.
    pub inputs: Vec<Arc<str>>,
}

impl Footprint {
    /// Adds what another test used: single tests of one class make up the class.
    pub fn unite(&mut self, other: Footprint) {
        self.isolated = other.isolated;
        self.outcome = self.outcome.max(other.outcome);
        self.distrust = self.distrust.take().or(other.distrust);
        for (own, others) in [
            (&mut self.classes, other.classes),
            (&mut self.methods, other.methods),
            (&mut self.inputs, other.inputs),
        ] {
            own.extend(others);
            own.sort_unstable();
            own.dedup();
        }
    }
}
