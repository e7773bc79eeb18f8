//! The classes that this JVM has loaded, and the dependencies of executed methods.

mod asked;
mod class;
mod closure;
mod loaded;
mod pseudo_probes;
mod reach;
mod structure;
mod uses;

pub(crate) use class::Class;
pub(crate) use loaded::Loaded;
pub(crate) use reach::{Family, Reach};
pub(crate) use uses::Uses;

use crate::pseudo_probes::PseudoProbes;
use crate::watchers::inputs::Seen;
use closure::Closure;
use pseudo_probes::BY_NAME;
use std::collections::HashMap;
use tamis_attribution::{Bits, Initialized};
use tamis_code::references::ReflectionKind;
use tamis_instrument::probes::Probes;
use tamis_instrument::runtime::SEGMENT;
use tamis_recording::{Inherited, ReflectionUse};
use uses::Fields;

/// The position of a class's probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) probes: Probes,
    /// Whether its blocks have some.
    pub(crate) blocks: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Classes {
    names: HashMap<Box<[u8]>, u32>,
    texts: Vec<Box<[u8]>>,
    /// The classes of each name; several loaders may define the same one.
    by_name: Vec<Vec<u32>>,
    classes: Vec<Class>,
    /// The class of each probe.
    owners: Vec<u32>,
    assumed: Vec<u32>,
    /// The probes of constructors.
    constructors: Bits,
    /// Per name, the names of the classes nested in it, at any depth.
    nested: HashMap<u32, Vec<u32>>,
    /// The probes of methods that use reflection, by its kind.
    reflecting: [Bits; ReflectionKind::COUNT],
    /// The kinds that methods without probes use.
    assumed_reflection: [bool; ReflectionKind::COUNT],
    /// The classes that were asked for their members, in this order.
    asked: Vec<u32>,
    /// How many of them have been told.
    asked_told: usize,
    /// Per name of a class that is not loaded, the classes that linking may need it.
    awaited: HashMap<u32, Vec<u32>>,
    pseudo_probes: PseudoProbes,
    /// The static fields that code uses.
    fields: Fields,
    /// Whether code gave handles to the JDK: then anybody may use any field that handles come to.
    gives_handles: bool,
    /// The ids of classes that were looked up and did not exist, by the numbers of their names.
    absent: HashMap<u32, u32>,
    /// The inputs, and how many of them the spool has.
    inputs: Vec<Seen>,
    numbers: HashMap<Seen, u32>,
    inputs_told: usize,
}

/// The dependencies of a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// Ids of classes, ascending.
    pub(crate) classes: Vec<u32>,
    /// Those of them that it used in type checks alone, ascending.
    pub(crate) checked: Vec<u32>,
    /// The probes of the methods it executed, with those of the initializers it depends on.
    pub(crate) members: Vec<u32>,
    /// What these methods can see of the members of classes.
    pub(crate) reflection: ReflectionUse,
    /// Whether these methods see the members of classes that are asked for them.
    pub(crate) asks: bool,
    /// The numbers of the names of classes that were looked up in vain.
    pub(crate) absent: Vec<u32>,
    /// The numbers of the names of classes that must be there for what was used.
    pub(crate) linked: Vec<u32>,
    /// The numbers of its inputs, ascending.
    pub(crate) inputs: Vec<u32>,
    /// Whether these methods read what archives declare about packages.
    pub(crate) packages: bool,
    /// Whether they name the property with the class path.
    pub(crate) class_path: bool,
    /// Pairs of the probe of a method and the id of a class on whose objects it ran, ascending;
    /// [`ANY`] for a class that is not recorded. Objects of the method's own class are not told.
    pub(crate) receivers: Vec<(u32, u32)>,
    /// The static fields that these methods use.
    pub(crate) statics: Uses,
    /// All probes and pseudo-probes that count, with those of initializers.
    pub(crate) probes: Bits,
    /// From whom it inherits, as far as that is known.
    pub(crate) inherited: Vec<Inherited>,
}

impl Classes {
    fn intern(&mut self, name: &[u8]) -> u32 {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = self.texts.len() as u32;
        self.names.insert(name.into(), id);
        self.texts.push(name.into());
        self.by_name.push(Vec::new());
        id
    }

    /// The numbers of these names, ascending and each once.
    fn intern_all(&mut self, names: &[&[u8]]) -> Box<[u32]> {
        let mut interned: Vec<_> = names.iter().map(|name| self.intern(name)).collect();
        interned.sort_unstable();
        interned.dedup();
        interned.into()
    }

    fn intern_calls(&mut self, calls: &[(u16, &[u8], u64)]) -> Box<[(u16, (u32, u64))]> {
        let mut interned: Vec<_> = calls
            .iter()
            .map(|&(method, class, signature)| (method, (self.intern(class), signature)))
            .collect();
        interned.sort_unstable();
        interned.dedup();
        interned.into()
    }

    fn intern_refs(&mut self, references: &[(u16, &[u8])]) -> Box<[(u16, u32)]> {
        let mut interned: Vec<_> = references
            .iter()
            .map(|&(method, name)| (method, self.intern(name)))
            .collect();
        interned.sort_unstable();
        interned.dedup();
        interned.into()
    }

    pub(crate) fn add(&mut self, loaded: &Loaded<'_>, methods: u16) -> u32 {
        let id = self.classes.len() as u32;
        let name = self.intern(loaded.name);
        let mut statics = loaded.statics.clone();
        statics.sort_unstable();
        let class = Class {
            name,
            raw: loaded.raw,
            code: loaded.code,
            smart: loaded.smart,
            location: loaded.location,
            first_probe: loaded.first_probe,
            probes: match loaded.counts.is_empty() {
                true => u32::from(methods),
                false => loaded.counts.iter().map(|count| u32::from(*count)).sum(),
            },
            counts: loaded.counts.as_slice().into(),
            ends: {
                let ends = loaded.counts.iter().scan(0, |end, count| {
                    *end += u32::from(*count);
                    Some(*end)
                });
                ends.collect()
            },
            mixed: loaded.mixed,
            print: loaded.print.clone(),
            blocks: loaded.blocks.clone(),
            created: false,
            asked: None,
            assumed: loaded.unprobed || loaded.first_probe.is_none(),
            structural: self.intern_all(&loaded.structural),
            linked: Vec::new(),
            around: loaded.around.iter().map(|n| self.intern(n)).collect(),
            shown: loaded.shown.iter().map(|n| self.intern(n)).collect(),
            types: self.intern_refs(&loaded.types),
            checks: self.intern_refs(&loaded.checks),
            calls: self.intern_refs(&loaded.calls),
            superclass: self.intern(loaded.superclass),
            static_calls: self.intern_calls(&loaded.static_calls),
            statics: statics.into(),
            is_library: loaded.is_library,
            static_uses: self.intern_uses(loaded),
            broken: false,
            initializer: None,
            initializer_sees: None,
            written: false,
            absent: false,
        };
        if let Some(first) = loaded.first_probe {
            let counts = || loaded.counts.iter().map(|count| u32::from(*count));
            let end = (first + class.probes) as usize;
            if self.owners.len() < end {
                self.owners.resize(end, id);
            }
            if let Some(range) = self.owners.get_mut(first as usize..end) {
                range.fill(id);
            }
            let probe = |method: &u16| match loaded.counts.is_empty() {
                true => first + u32::from(*method),
                false => first + counts().take(usize::from(*method)).sum::<u32>(),
            };
            self.constructors
                .extend(loaded.constructors.iter().map(probe));
            for (method, kind) in &loaded.reflection {
                if let Some(methods) = self.reflecting.get_mut(*kind as usize) {
                    methods.insert(probe(method));
                }
            }
        }
        if class.assumed {
            self.assumed.push(id);
            // Classes that were loaded before the test framework, such as other agents, work for themselves.
            for (_, kind) in loaded.reflection.iter().filter(|_| loaded.unprobed) {
                if let Some(assumed) = self.assumed_reflection.get_mut(*kind as usize) {
                    *assumed = true;
                }
            }
        }
        if let Some(same_name) = self.by_name.get_mut(name as usize) {
            same_name.push(id);
        }
        let ends = (0..).zip(loaded.name).filter(|(_, byte)| **byte == b'$');
        for outer in ends.filter_map(|(end, _)| loaded.name.get(..end)) {
            let outer = self.intern(outer);
            self.nested.entry(outer).or_default().push(name);
        }
        self.classes.push(class);
        self.link(id, &loaded.linked);
        id
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Class> {
        self.classes.get(id as usize)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> Option<&mut Class> {
        self.classes.get_mut(id as usize)
    }

    pub(crate) fn name(&self, class: &Class) -> &[u8] {
        self.texts.get(class.name as usize).map_or(&[], |n| n)
    }

    /// The newest class of this name, for a redefinition.
    pub(crate) fn find(&self, name: &[u8]) -> Option<&Class> {
        let ids = self.by_name.get(*self.names.get(name)? as usize)?;
        self.get(*ids.last()?)
    }

    /// The probes of a class that was loaded with these very bytes.
    pub(crate) fn probes_of(&self, name: &[u8], raw: u128) -> Option<Site> {
        let ids = self.by_name.get(*self.names.get(name)? as usize)?;
        let mut classes = ids.iter().rev().filter_map(|&id| self.get(id));
        let class = classes.find(|class| class.code == raw)?;
        let first = class.first_probe?;
        Some(Site {
            probes: Probes {
                segment: first / SEGMENT,
                first: (first % SEGMENT) as u16,
            },
            blocks: !class.counts.is_empty(),
        })
    }

    /// All probes of the classes called `name` (internal name).
    pub(crate) fn all_probes(&self, name: &[u8]) -> impl Iterator<Item = u32> {
        let ids = self.names.get(name);
        let ids = ids.and_then(|id| self.by_name.get(*id as usize));
        let classes = ids.into_iter().flatten().filter_map(|id| self.get(*id));
        let probes = classes.filter_map(|class| {
            let first = class.first_probe?;
            Some(first..first + class.probes)
        });
        probes.flatten()
    }

    /// The class whose method has this probe.
    pub(crate) fn owner(&self, probe: u32) -> Option<u32> {
        self.owners.get(probe as usize).copied()
    }

    /// Adds what ran in an initializer.
    pub(crate) fn initialized(&mut self, seen: &Initialized) {
        let does = |kind: &ReflectionKind| {
            let methods = self.reflecting.get(*kind as usize);
            self.assumed_reflection.get(*kind as usize) == Some(&true)
                || methods.is_some_and(|methods| seen.probes.meets(methods))
        };
        let sees = does(&ReflectionKind::Members).then_some(self.asked.len() as u32);
        let mut probes = seen.probes.clone();
        if !BY_NAME.iter().any(does) {
            probes.retain_high(|number| !self.is_name(number));
        }
        if let Some(class) = self.get_mut(seen.class) {
            class.initializer.get_or_insert_default().union(&probes);
            class.initializer_sees = class.initializer_sees.max(sees);
            class.broken |= seen.broken;
        }
    }

    /// The probes of the constructors of the class called `name` (binary name).
    pub(crate) fn constructors_of(&self, name: &str) -> Bits {
        let name = name.replace('.', "/");
        let ids = self.names.get(name.as_bytes());
        let ids = ids.and_then(|id| self.by_name.get(*id as usize));
        let is_of_class = |probe: &u32| {
            let owner = self.owner(*probe);
            ids.into_iter().flatten().any(|id| owner == Some(*id))
        };
        self.constructors.iter().filter(is_of_class).collect()
    }

    /// The number of a class's first method among the members; `None` if its methods cannot be
    /// told apart.
    pub(crate) fn members(&self, class: &Class) -> Option<u32> {
        class
            .first_probe
            .filter(|_| !class.mixed && !class.assumed && class.smart.is_some())
    }

    /// The classes whose constructor is among `executed` and that were not named before, ascending.
    pub(crate) fn created(&mut self, executed: &Bits) -> Vec<u32> {
        let mut new = Vec::new();
        for probe in executed.and(&self.constructors) {
            let Some(&id) = self.owners.get(probe as usize) else {
                continue;
            };
            if let Some(class) = self.classes.get_mut(id as usize)
                && !std::mem::replace(&mut class.created, true)
            {
                new.push(id);
            }
        }
        new.sort_unstable();
        new
    }

    /// Whether one of these methods, or a method without a probe, uses this kind of reflection.
    fn uses_reflection(&self, kind: ReflectionKind, executed: &Bits) -> bool {
        let methods = self.reflecting.get(kind as usize);
        self.assumed_reflection.get(kind as usize) == Some(&true)
            || methods.is_some_and(|methods| executed.and(methods).next().is_some())
    }

    /// The dependencies of a unit that executed `probes` and is, or runs in, the classes
    /// called `roots`: the classes of the executed methods, what those refer to, their supertypes
    /// and annotations, and what their initializers used, to the end of the chain. A type check does not
    /// initialize its class, so what the initializer used does not count there.
    pub(crate) fn dependencies<'n>(
        &self,
        probes: &Bits,
        roots: impl IntoIterator<Item = &'n [u8]>,
    ) -> Used {
        let mut closure = Closure {
            all: self,
            probes: Bits::default(),
            found: Bits::default(),
            checked: Bits::default(),
            called: Bits::default(),
            work: Vec::new(),
            last: None,
            sees: None,
            around: Bits::default(),
            linked: Bits::default(),
            shown: Bits::default(),
            absent: Vec::new(),
            statics: Uses::default(),
        };
        if self.uses_reflection(ReflectionKind::Members, probes) {
            closure.sees = Some(self.asked.len() as u32);
        }
        // Test frameworks inspect the members of test classes: the types of parameters, for example.
        for class in self.with_structure(roots) {
            closure.name(class.name);
            class.shown.iter().for_each(|name| closure.name(*name));
        }
        self.assumed.iter().for_each(|&class| closure.class(class));
        closure.executed(self.with_names_if_asked(probes).words());
        closure.run();
        closure.absent.sort_unstable();
        let found = &closure.found;
        let checked = closure.checked.iter().filter(|id| !found.contains(*id));
        let checked: Vec<u32> = checked.collect();
        let mut classes: Vec<u32> = found.iter().chain(checked.iter().copied()).collect();
        classes.sort_unstable();
        Used {
            classes,
            checked,
            reflection: ReflectionUse {
                traces: self.uses_reflection(ReflectionKind::StackTraces, &closure.probes),
                members: closure.sees.unwrap_or_default(),
                unlogged: self.uses_reflection(ReflectionKind::Unlogged, &closure.probes),
            },
            asks: closure.sees.is_some(),
            members: closure.probes.low().collect(),
            linked: closure.linked.iter().collect(),
            absent: closure.absent,
            packages: self.uses_reflection(ReflectionKind::Packages, &closure.probes),
            class_path: self.uses_reflection(ReflectionKind::ClassPath, &closure.probes),
            inputs: self.inputs_in(&closure.probes),
            receivers: self.receivers(&closure.probes),
            statics: closure.statics,
            probes: closure.probes,
            inherited: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
