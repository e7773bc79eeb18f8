//! The structure of classes: supertypes, annotations, nested classes. It counts wherever a class is used.

use super::{Class, Classes};
use tamis_attribution::Bits;

impl Classes {
    /// Whether the tests of these classes run in an order, or on one object, or with objects that are kept
    /// for all of them: then they may build on each other. The annotations that say so are among what classes
    /// refer to. Extensions count where `is_own` says so of their location.
    pub(crate) fn are_ordered<'n>(
        &self,
        roots: impl IntoIterator<Item = &'n [u8]>,
        mut is_own: impl FnMut(u32) -> bool,
    ) -> bool {
        let names = tamis_frameworks::orders();
        let names: Vec<u32> = names
            .filter_map(|name| self.names.get(name).copied())
            .collect();
        let classes = self.with_structure(roots);
        let mut structure = classes.iter().flat_map(|class| &class.structural);
        let is_callback = |name: &u32| {
            let text = self.texts.get(*name as usize);
            text.is_some_and(|text| tamis_frameworks::is_extension(text))
        };
        let mut extensions = classes
            .iter()
            .filter(|class| class.structural.iter().any(is_callback));
        structure.any(|name| names.contains(name)) || extensions.any(|class| is_own(class.location))
    }

    /// The classes of these names (internal), their supertypes and annotations.
    pub(super) fn with_structure<'n>(
        &self,
        names: impl IntoIterator<Item = &'n [u8]>,
    ) -> Vec<&Class> {
        let names = names.into_iter();
        let names = names.filter_map(|name| self.names.get(name).copied());
        let (mut work, mut seen, mut all) =
            (names.collect::<Vec<_>>(), Bits::default(), Vec::new());
        while let Some(name) = work.pop() {
            if !seen.insert(name) {
                continue;
            }
            let ids = self.by_name.get(name as usize).into_iter().flatten();
            for class in ids.filter_map(|id| self.get(*id)) {
                work.extend(&class.structural);
                all.push(class);
            }
        }
        all
    }

    /// The names of the classes nested in the one called `name` (internal name) or in its supertypes:
    /// there a test framework looks for tests, also if there are none yet.
    pub(crate) fn nested_in(&self, name: &[u8]) -> Vec<Vec<u8>> {
        let mut work: Vec<u32> = self.names.get(name).copied().into_iter().collect();
        let (mut seen, mut nested) = (Bits::default(), Vec::new());
        while let Some(name) = work.pop() {
            if !seen.insert(name) {
                continue;
            }
            let inner = self.nested.get(&name).into_iter().flatten();
            let texts = inner.clone().filter_map(|n| self.texts.get(*n as usize));
            nested.extend(texts.map(|text| text.to_vec()));
            work.extend(inner);
            let ids = self.by_name.get(name as usize).into_iter().flatten();
            for class in ids.filter_map(|id| self.get(*id)) {
                work.extend(&class.structural);
            }
        }
        nested
    }
}
