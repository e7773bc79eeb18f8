//! Static fields that executed methods use.

use super::closure::of_method;
use super::{Class, Classes, Loaded};
use crate::sharing::statics::Statics;
use std::collections::{HashMap, HashSet};
use tamis_attribution::Bits;

/// A use of a static field, by its number; `None` for any field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Use {
    field: Option<u32>,
    writes: bool,
}

/// The static fields that some methods use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    read: Bits,
    written: Bits,
    /// Any may be among them that reflection comes to.
    any: bool,
}

impl Uses {
    pub(super) fn add(&mut self, used: Use) {
        match (used.field, used.writes) {
            (Some(field), false) => _ = self.read.insert(field),
            (Some(field), true) => _ = self.written.insert(field),
            (None, _) => self.any = true,
        }
    }
}

/// The static fields that code names, by the numbers of the names of class and field.
#[derive(Debug, Default)]
pub(super) struct Fields {
    numbers: HashMap<(u32, u32), u32>,
    names: Vec<(u32, u32)>,
    /// Those that code of the project names.
    named: Bits,
}

impl Fields {
    fn number(&mut self, class: u32, field: u32) -> u32 {
        *self.numbers.entry((class, field)).or_insert_with(|| {
            self.names.push((class, field));
            self.names.len() as u32 - 1
        })
    }
}

impl Classes {
    pub(super) fn intern_uses(&mut self, loaded: &Loaded<'_>) -> Box<[(u16, Use)]> {
        self.gives_handles |= loaded.gives_handles;
        let mut uses: Vec<_> = loaded
            .static_uses
            .iter()
            .map(|(method, used)| {
                let (class, field) = (self.intern(used.class), self.intern(used.field));
                let field = self.fields.number(class, field);
                if !loaded.is_library {
                    self.fields.named.insert(field);
                }
                let (field, writes) = (Some(field), used.writes);
                (*method, Use { field, writes })
            })
            .collect();
        let any = Use {
            field: None,
            writes: false,
        };
        uses.extend(loaded.any_static.iter().map(|method| (*method, any)));
        uses.sort_unstable();
        uses.dedup();
        uses.into()
    }

    /// The uses by a class that count.
    pub(super) fn that_count<'c>(
        &'c self,
        class: &'c Class,
        uses: &'c [(u16, Use)],
    ) -> impl Iterator<Item = Use> {
        let is_named =
            |field: Option<u32>| field.is_some_and(|field| self.fields.named.contains(field));
        let counts = move |used: &Use| !class.is_library || is_named(used.field);
        uses.iter().map(|(_, used)| *used).filter(counts)
    }

    /// The locations of the known classes.
    pub(crate) fn locations(&self) -> HashSet<u32> {
        self.classes.iter().map(|class| class.location).collect()
    }

    /// Takes the uses of static fields from classes at these locations; the names of which all classes are
    /// there.
    pub(crate) fn forget_uses(&mut self, locations: &HashSet<u32>) -> Vec<Box<[u8]>> {
        let is_there = |class: &Class| locations.contains(&class.location);
        for class in self.classes.iter_mut().filter(|class| is_there(class)) {
            class.static_uses = Box::default();
        }
        let are_there = |ids: &[u32]| ids.iter().all(|id| self.get(*id).is_some_and(is_there));
        let names = self.texts.iter().zip(&self.by_name);
        let names = names.filter(|(_, ids)| !ids.is_empty() && are_there(ids));
        names.map(|(name, _)| name.clone()).collect()
    }

    /// The static fields that executed methods use themselves, without those of initializers.
    pub(crate) fn uses(&self, executed: &Bits) -> Uses {
        let (mut uses, mut last) = (Uses::default(), None);
        // What runs of these leaves no trace.
        let unseen = self.assumed.iter().filter_map(|id| self.get(*id));
        unseen
            .flat_map(|class| self.that_count(class, &class.static_uses))
            .for_each(|used| uses.add(used));
        for probe in executed.low() {
            let class = self.owner(probe).and_then(|id| Some((id, self.get(id)?)));
            let Some((id, class)) = class else { continue };
            let first = class.first_probe.unwrap_or_default();
            let method = class.method(probe.saturating_sub(first));
            if last.replace((id, method)) != Some((id, method)) {
                let of_method = of_method(&class.static_uses, method);
                let of_method = self.that_count(class, of_method);
                of_method.for_each(|used| uses.add(used));
            }
        }
        uses
    }

    /// The roots that these uses may read; fields that the code does not name are those of classes that
    /// `is_accessed` says reflection has come to.
    pub(crate) fn roots_read(
        &self,
        statics: &Statics,
        uses: &Uses,
        is_accessed: impl Fn(&[u8]) -> bool,
    ) -> Vec<u32> {
        self.with_accessed(statics, uses, uses.read.iter(), is_accessed)
    }

    /// The roots that these uses may change, in the same way.
    pub(crate) fn roots_touched(
        &self,
        statics: &Statics,
        uses: &Uses,
        is_accessed: impl Fn(&[u8]) -> bool,
    ) -> Vec<u32> {
        let fields = uses.read.iter().chain(uses.written.iter());
        self.with_accessed(statics, uses, fields, is_accessed)
    }

    /// The roots that code names with these uses.
    pub(crate) fn roots_named(&self, statics: &Statics, uses: &Uses) -> Vec<u32> {
        self.roots(statics, uses.read.iter().chain(uses.written.iter()))
    }

    /// The roots of these fields, and if the code may come to any field, those that reflection has come to.
    fn with_accessed(
        &self,
        statics: &Statics,
        uses: &Uses,
        fields: impl Iterator<Item = u32>,
        is_accessed: impl Fn(&[u8]) -> bool,
    ) -> Vec<u32> {
        let mut roots = self.roots(statics, fields);
        if uses.any || self.gives_handles {
            roots.extend(statics.accessed(is_accessed));
        }
        roots
    }

    /// The roots that a test framework may read on behalf of these classes (internal names): the fields that
    /// they and their supertypes offer.
    pub(crate) fn roots_offered(&self, statics: &Statics, classes: &[Vec<u8>]) -> Vec<u32> {
        let classes = self.with_structure(classes.iter().map(Vec::as_slice));
        let offered = classes
            .iter()
            .flat_map(|class| statics.offered(self.name(class)));
        offered.collect()
    }

    fn roots(&self, statics: &Statics, fields: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut roots = HashSet::new();
        for number in fields {
            if let Some((class, field)) = self.fields.names.get(number as usize) {
                let field = self.texts.get(*field as usize).map_or(&[][..], |text| text);
                self.add_roots(statics, *class, field, &mut roots);
            }
        }
        let mut roots: Vec<u32> = roots.into_iter().collect();
        roots.sort_unstable();
        roots
    }

    /// The roots of the field in the classes of this name, or in those that they inherit it from.
    fn add_roots(&self, statics: &Statics, class: u32, field: &[u8], roots: &mut HashSet<u32>) {
        let (mut work, mut seen) = (vec![class], HashSet::new());
        while let Some(name) = work.pop() {
            let text = self.texts.get(name as usize).map_or(&[][..], |text| text);
            match statics.root(text, field) {
                Some(root) => _ = roots.insert(root),
                None => {
                    let ids = self.by_name.get(name as usize).into_iter().flatten();
                    let classes: Vec<&Class> = ids.filter_map(|id| self.get(*id)).collect();
                    let supertypes = classes.iter().flat_map(|class| class.structural.iter());
                    work.extend(supertypes.filter(|name| seen.insert(**name)));
                }
            }
        }
    }
}
