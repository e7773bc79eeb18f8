//! What classes may call, whatever of them ran.

use super::{Class, Classes};
use tamis_attribution::Bits;

impl Classes {
    /// The classes with these numbers of names, what is nested in them, and their supertypes.
    pub(crate) fn parts_of(&self, names: &Bits) -> Bits {
        let mut found = Bits::default();
        let mut work: Vec<u32> = names.iter().collect();
        while let Some(name) = work.pop() {
            for id in self.ids(name).filter(|id| found.insert(*id)) {
                work.extend(
                    self.get(id)
                        .into_iter()
                        .flat_map(|class| &*class.structural),
                );
            }
            let nested = self.nested.get(&name).into_iter().flatten();
            work.extend(nested.filter(|name| self.ids(**name).any(|id| !found.contains(id))));
        }
        found
    }

    /// The classes `from`, those with these numbers of names, and all that they name, with their subtypes,
    /// to the end of the chain.
    pub(crate) fn reach(&self, from: &Bits, names: &Bits) -> Bits {
        let mut subtypes = vec![Vec::new(); self.texts.len()];
        for (id, class) in (0..).zip(&self.classes) {
            for name in &class.structural {
                if let Some(subtypes) = subtypes.get_mut(*name as usize) {
                    subtypes.push(id);
                }
            }
        }
        let mut found = Bits::default();
        let mut work: Vec<u32> = from.iter().collect();
        work.extend(names.iter().flat_map(|name| self.ids(name)));
        while let Some(id) = work.pop() {
            let Some(class) = self.get(id).filter(|_| found.insert(id)) else {
                continue;
            };
            work.extend(class.names().flat_map(|name| self.ids(name)));
            work.extend(subtypes.get(class.name as usize).into_iter().flatten());
        }
        found
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
    /// The numbers of all names that it refers to.
    fn names(&self) -> impl Iterator<Item = u32> {
        let types = self.types.iter().chain(&self.checks);
        let types = types.map(|(_, name)| *name);
        let calls = self.static_calls.iter().map(|(_, (name, _))| *name);
        types.chain(calls).chain(self.structural.iter().copied())
    }
}
