//! Methods that classes may call, whatever of them ran.
//!
//! Both sets grow while classes are loaded, and each class is looked at once.

use super::{Class, Classes};
use tamis_attribution::Bits;

/// The classes of some names, what is nested in them, and their supertypes.
#[derive(Debug, Default)]
pub(crate) struct Family {
    ids: Bits,
    /// The numbers of their names, and of those that are not loaded yet.
    names: Bits,
    /// Their probes.
    probes: Bits,
    /// How many classes have been looked at.
    known: usize,
}

impl Family {
    /// The probes of their methods.
    pub(crate) fn probes(&self) -> &Bits {
        &self.probes
    }

    pub(crate) fn contains(&self, id: u32) -> bool {
        self.ids.contains(id)
    }

    pub(crate) fn ids(&self) -> &Bits {
        &self.ids
    }

    /// Looks at the classes that were loaded since the last time, and adds those of the names with these
    /// numbers.
    pub(crate) fn grow(&mut self, classes: &Classes, names: impl IntoIterator<Item = u32>) {
        let mut work: Vec<u32> = names.into_iter().collect();
        let known = std::mem::replace(&mut self.known, classes.len());
        for (id, class) in classes.loaded_since(known) {
            let mut outer = classes.names_around(class);
            if outer.any(|name| self.names.contains(name)) {
                work.push(class.name);
            }
            if self.names.contains(class.name) {
                self.add(classes, id, &mut work);
            }
        }
        while let Some(name) = work.pop() {
            if self.names.insert(name) {
                let ids = classes.ids(name);
                ids.for_each(|id| self.add(classes, id, &mut work));
                work.extend(classes.nested.get(&name).into_iter().flatten());
            }
        }
    }

    fn add(&mut self, classes: &Classes, id: u32, work: &mut Vec<u32>) {
        if let Some(class) = classes.get(id).filter(|_| self.ids.insert(id)) {
            self.probes.extend(class.probes());
            work.extend(&class.structural);
        }
    }
}

/// Some classes, and all that they name, with their subtypes, to the end of the chain.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    ids: Bits,
    /// The numbers of the names that they name.
    names: Bits,
    /// Their probes.
    probes: Bits,
    /// Per number of a name, the classes that have it among their supertypes.
    subtypes: Vec<Vec<u32>>,
    /// How many classes have been looked at.
    known: usize,
}

impl Reach {
    /// The probes of their methods.
    pub(crate) fn probes(&self) -> &Bits {
        &self.probes
    }

    pub(crate) fn contains(&self, id: u32) -> bool {
        self.ids.contains(id)
    }

    /// Looks at the classes that were loaded since the last time, and adds the classes `from` and those of the
    /// names with these numbers.
    pub(crate) fn grow(
        &mut self,
        classes: &Classes,
        from: &Bits,
        names: impl IntoIterator<Item = u32>,
    ) {
        let mut work: Vec<u32> = Vec::new();
        let known = std::mem::replace(&mut self.known, classes.len());
        for (id, class) in classes.loaded_since(known) {
            let mut is_reached = self.names.contains(class.name);
            for &name in &class.structural {
                let at = name as usize;
                if self.subtypes.len() <= at {
                    self.subtypes.resize(at + 1, Vec::new());
                }
                if let Some(subtypes) = self.subtypes.get_mut(at) {
                    subtypes.push(id);
                }
                is_reached |= classes.ids(name).any(|id| self.ids.contains(id));
            }
            work.extend(is_reached.then_some(id));
        }
        work.extend(from.iter().filter(|id| !self.ids.contains(*id)));
        for name in names {
            self.names.insert(name);
            work.extend(classes.ids(name));
        }
        while let Some(id) = work.pop() {
            let Some(class) = classes.get(id).filter(|_| self.ids.insert(id)) else {
                continue;
            };
            self.probes.extend(class.probes());
            let new = class.names().filter(|name| self.names.insert(*name));
            work.extend(new.flat_map(|name| classes.ids(name)));
            let subtypes = self.subtypes.get(class.name as usize);
            work.extend(subtypes.into_iter().flatten());
        }
    }
}

impl Classes {
    /// The classes that were loaded since there were `known`.
    fn loaded_since(&self, known: usize) -> impl Iterator<Item = (u32, &Class)> {
        let new = self.classes.get(known..).unwrap_or_default();
        (known as u32..).zip(new).filter(|(_, class)| !class.absent)
    }

    /// The numbers of the names of the classes around one, as its name says.
    fn names_around(&self, class: &Class) -> impl Iterator<Item = u32> {
        let name = self.name(class);
        let ends = (0..).zip(name).filter(|(_, byte)| **byte == b'$');
        let names = ends.filter_map(move |(end, _)| name.get(..end));
        names.filter_map(|name| self.names.get(name).copied())
    }

    /// A class is loaded whose constants name others: notes those of them that come from elsewhere, now or
    /// when they are loaded.
    pub(super) fn link(&mut self, id: u32, names: &[&[u8]]) {
        for name in self.intern_all(names) {
            let loaded = self.ids(name).next();
            match loaded {
                None => self.awaited.entry(name).or_default().push(id),
                Some(other) => self.link_with(id, other),
            }
        }
        let name = self.get(id).map(|class| class.name);
        let waiting = name.and_then(|name| self.awaited.remove(&name));
        for other in waiting.into_iter().flatten() {
            self.link_with(other, id);
        }
    }

    fn link_with(&mut self, id: u32, other: u32) {
        let other = self.get(other).map(|other| (other.name, other.location));
        if let (Some((name, location)), Some(class)) = (other, self.get_mut(id))
            && location != class.location
        {
            class.linked.push(name);
        }
    }

    fn ids(&self, name: u32) -> impl Iterator<Item = u32> {
        let ids = self.by_name.get(name as usize);
        ids.into_iter().flatten().copied()
    }
}

impl Class {
    /// Its probes.
    fn probes(&self) -> impl Iterator<Item = u32> {
        let first = self.first_probe.into_iter();
        first.flat_map(|first| first..first + self.probes)
    }

    /// The numbers of all names that it refers to.
    fn names(&self) -> impl Iterator<Item = u32> {
        let types = self.types.iter().chain(&self.checks);
        let types = types.map(|(_, name)| *name);
        let calls = self.static_calls.iter().map(|(_, (name, _))| *name);
        types.chain(calls).chain(self.structural.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::Loaded;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A class, by its number, its supertypes, and what its methods name.
    type Graph = Vec<(Vec<usize>, Vec<usize>)>;

    /// `A$1` is nested in `A`.
    const NAMES: [&str; 8] = ["A", "A$1", "A$1$2", "B", "B$1", "C", "D", "E"];

    fn load(classes: &mut Classes, graph: &Graph, class: usize) {
        let (supertypes, names) = &graph[class];
        let name = |class: &usize| NAMES[*class].as_bytes();
        let loaded = Loaded {
            name: name(&class),
            first_probe: Some(2 * class as u32),
            structural: supertypes.iter().map(name).collect(),
            types: names.iter().map(|class| (0, name(class))).collect(),
            ..Loaded::default()
        };
        classes.add(&loaded, 2);
    }

    /// Adds to a set all that `more` says of what is in it, until nothing is new.
    fn close(
        set: impl IntoIterator<Item = usize>,
        more: impl Fn(usize) -> Vec<usize>,
    ) -> BTreeSet<usize> {
        let mut work: Vec<usize> = set.into_iter().collect();
        let mut all = BTreeSet::new();
        while let Some(class) = work.pop() {
            if all.insert(class) {
                work.extend(more(class));
            }
        }
        all
    }

    /// The probes of those of these classes that are loaded.
    fn probes(classes: &BTreeSet<usize>, loaded: &[usize]) -> Vec<u32> {
        let loaded = classes.iter().filter(|class| loaded.contains(class));
        let probes = loaded.flat_map(|class| [2 * *class as u32, 2 * *class as u32 + 1]);
        probes.collect()
    }

    proptest! {
        #[test]
        fn sets_that_grow_with_the_classes_are_those_that_are_found_at_once(
            graph in prop::collection::vec(
                (prop::collection::vec(0..8usize, 0..2), prop::collection::vec(0..8usize, 0..3)),
                8,
            ),
            order in Just((0..8usize).collect::<Vec<_>>()).prop_shuffle(),
            kept in prop::collection::vec(prop::option::of(0..8usize), 8),
            others in prop::collection::vec(prop::option::weighted(0.2, 0..8usize), 8),
        ) {
            let mut classes = Classes::default();
            let (mut family, mut reach) = (Family::default(), Reach::default());
            let (mut asked, mut asked_others, mut loaded) = (vec![], vec![], vec![]);
            for (at, class) in order.into_iter().enumerate() {
                load(&mut classes, &graph, class);
                loaded.push(class);
                let number = |classes: &mut Classes, class: &usize| classes.intern(NAMES[*class].as_bytes());
                let new: Vec<u32> = kept[at].iter().map(|class| number(&mut classes, class)).collect();
                let new_others: Vec<u32> = others[at].iter().map(|class| number(&mut classes, class)).collect();
                asked.extend(kept[at]);
                asked_others.extend(others[at]);
                family.grow(&classes, new);
                reach.grow(&classes, family.ids(), new_others);

                let is_loaded = |class: &usize| loaded.contains(class);
                let nested = |outer: usize| {
                    let inner = (0..8).filter(move |class| NAMES[*class].starts_with(&format!("{}$", NAMES[outer])));
                    inner.collect::<Vec<usize>>()
                };
                let supertypes = |class: usize| if is_loaded(&class) { graph[class].0.clone() } else { vec![] };
                let own = close(asked.clone(), |class| [supertypes(class), nested(class)].concat());
                prop_assert_eq!(family.probes().iter().collect::<Vec<_>>(), probes(&own, &loaded));

                let from = own.iter().chain(&asked_others).copied().filter(is_loaded);
                let reached = close(from, |class| {
                    let (supertypes, names) = &graph[class];
                    let named = [&supertypes[..], names].concat().into_iter().filter(is_loaded);
                    let subtypes = loaded.iter().copied().filter(|sub| graph[*sub].0.contains(&class));
                    named.chain(subtypes).collect()
                });
                prop_assert_eq!(reach.probes().iter().collect::<Vec<_>>(), probes(&reached, &loaded));
            }
        }
    }
}
