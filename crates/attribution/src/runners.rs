//! Runners of test classes, which are made before their classes start: what that executes counts for these.

use crate::{Bits, SparseBits};
use std::collections::{HashMap, HashSet};

/// The runners that are being made, and what making the others executed.
#[derive(Debug, Default)]
pub(crate) struct Runners {
    /// What making the runner of a class executed.
    made: HashMap<String, Bits>,
    /// Classes whose runners are being made, with their threads.
    making: Vec<(String, u64)>,
    /// Per class, those for which runners were made while its own was.
    made_with: HashMap<String, HashSet<String>>,
}

impl Runners {
    /// The runner of the class `name` is being made on `thread`.
    pub(crate) fn started(&mut self, name: &str, thread: u64) {
        for (outer, _) in self.making.iter().filter(|(_, t)| *t == thread) {
            let with = self.made_with.entry(outer.clone()).or_default();
            with.insert(name.into());
        }
        self.making.push((name.into(), thread));
    }

    /// The runner of the class `name` has been made on `thread`.
    pub(crate) fn ended(&mut self, name: &str, thread: u64) {
        let is_it = |(n, t): &(String, u64)| n == name && *t == thread;
        if let Some(at) = self.making.iter().rposition(is_it) {
            self.making.remove(at);
        }
    }

    /// Whether one is being made.
    pub(crate) fn is_any_made(&self) -> bool {
        !self.making.is_empty()
    }

    /// Hands out what ran.
    pub(crate) fn executed(&mut self, ran: &SparseBits) {
        for (at, (name, thread)) in self.making.iter().enumerate() {
            // A runner that is made while another is made on the same thread has it for itself.
            let later = self.making.get(at + 1..).unwrap_or_default();
            if !later.iter().any(|(_, other)| other == thread) {
                self.made.entry(name.clone()).or_default().add(ran);
            }
        }
    }

    /// The classes for which runners were made while that of the class `name` was.
    pub(crate) fn made_with(&self, name: &str) -> impl Iterator<Item = &String> {
        self.made_with.get(name).into_iter().flatten()
    }

    /// The probes that fired while the runners of these classes were made.
    pub(crate) fn made<'n>(&self, classes: impl Iterator<Item = &'n str>) -> Bits {
        let mut made = Bits::default();
        let of_classes = classes.filter_map(|name| self.made.get(name));
        of_classes.for_each(|of_class| made.union(of_class));
        made
    }
}
