//! The closure of executed methods: all classes and initializers that they reach, by name.

use super::{Class, Classes, Uses};
use crate::pseudo_probes::PseudoProbe;
use tamis_attribution::{Bits, Word, numbers};
use tamis_code::references::ReflectionKind;

pub(super) struct Closure<'c> {
    pub(super) all: &'c Classes,
    pub(super) probes: Bits,
    /// Classes that are used in any way but by type checks.
    pub(super) found: Bits,
    /// Classes that are used by type checks.
    pub(super) checked: Bits,
    /// The names of classes whose methods are called, and of their supertypes.
    pub(super) called: Bits,
    pub(super) work: Vec<u32>,
    /// The class and the method of the last probe: the next one is often another of its blocks.
    pub(super) last: Option<(u32, u16)>,
    /// If methods see members: how many classes had been asked for theirs when the last of them
    /// may have run.
    pub(super) sees: Option<u32>,
    /// Classes whose surroundings count.
    pub(super) around: Bits,
    /// The names of classes from elsewhere that those found may be linked with.
    pub(super) linked: Bits,
    /// Classes that have shown others.
    pub(super) shown: Bits,
    /// As in [`Used`](super::Used).
    pub(super) absent: Vec<u32>,
    /// As in [`Used`](super::Used).
    pub(super) statics: Uses,
}

impl Closure<'_> {
    pub(super) fn class(&mut self, id: u32) {
        if self.found.insert(id) {
            self.work.push(id);
        }
    }

    pub(super) fn name(&mut self, name: u32) {
        let all = self.all;
        if let Some(ids) = all.by_name.get(name as usize) {
            ids.iter().for_each(|&id| self.class(id));
        }
    }

    pub(super) fn executed(&mut self, probes: impl Iterator<Item = Word>) {
        for word in probes {
            let new = self.probes.insert_word(word);
            numbers(new).for_each(|probe| self.probe(probe));
        }
    }

    fn probe(&mut self, probe: u32) {
        let all = self.all;
        if let Some(PseudoProbe::Name(name) | PseudoProbe::CachedByJdk(name)) =
            all.pseudo_probes.get(probe)
        {
            match all
                .by_name
                .get(name as usize)
                .is_some_and(|ids| !ids.is_empty())
            {
                true => self.name(name),
                false => self.absent.push(name),
            }
            return;
        }
        let Some(id) = all.owner(probe) else { return };
        self.class(id);
        let Some(class) = all.get(id) else { return };
        let Some(index) = class.first_probe.and_then(|first| probe.checked_sub(first)) else {
            return;
        };
        let method = class.method(index);
        if self.last.replace((id, method)) == Some((id, method)) {
            return;
        }
        for &(_, name) in of_method(&class.types, method) {
            self.name(name);
        }
        for &(_, name) in of_method(&class.checks, method) {
            self.check(name);
        }
        for &(_, name) in of_method(&class.calls, method) {
            self.call(name);
        }
        for &(_, (name, signature)) in of_method(&class.static_calls, method) {
            self.static_call(name, signature);
        }
        for used in all.that_count(class, of_method(&class.static_uses, method)) {
            self.statics.add(used);
        }
    }

    /// A type check needs the class and its supertypes, and does not initialize it.
    fn check(&mut self, name: u32) {
        let all = self.all;
        for &id in all.by_name.get(name as usize).into_iter().flatten() {
            let Some(class) = all.get(id) else { continue };
            if !self.checked.insert(id) {
                continue;
            }
            if all.has_state_outside(class) {
                self.class(id);
            }
            class.structural.iter().for_each(|&name| self.name(name));
            self.linked.extend(class.linked.iter().copied());
        }
    }

    /// A call that names a class finds the method there, or in a supertype.
    fn call(&mut self, name: u32) {
        let all = self.all;
        if !self.called.insert(name) {
            return;
        }
        let mut work = vec![name];
        while let Some(name) = work.pop() {
            for &id in all.by_name.get(name as usize).into_iter().flatten() {
                let supertypes = all.get(id).into_iter().flat_map(|class| &class.structural);
                work.extend(supertypes.filter(|name| self.called.insert(**name)));
            }
        }
    }

    /// Promotes checked classes whose methods are called: they are used in more than type checks.
    fn promote(&mut self) {
        let all = self.all;
        let is_called = |id: &u32| {
            let class = all.get(*id);
            class.is_some_and(|class| self.called.contains(class.name))
        };
        let called: Vec<u32> = self.checked.iter().filter(is_called).collect();
        called.into_iter().for_each(|id| self.class(id));
    }

    /// A static method that runs has a probe. But the class that a call names may only inherit the
    /// method, or be one that could not be initialized, and then nothing of it runs.
    fn static_call(&mut self, name: u32, signature: u64) {
        let all = self.all;
        self.call(name);
        for &id in all.by_name.get(name as usize).into_iter().flatten() {
            let class = all.get(id);
            if class.is_some_and(|c| c.broken || c.statics.binary_search(&signature).is_err()) {
                self.class(id);
            }
        }
    }

    pub(super) fn run(&mut self) {
        loop {
            self.follow();
            self.show();
            self.promote();
            if self.work.is_empty() {
                return;
            }
        }
    }

    /// Adds what methods with reflection see of the classes found: the classes around them, and what these show
    /// if they were asked for their members.
    fn show(&mut self) {
        let all = self.all;
        // An object that an initializer cached may use reflection whenever it is called.
        if all.uses_reflection(ReflectionKind::MembersLater, &self.probes) {
            self.sees = Some(all.asked.len() as u32);
        }
        let sees = match all.uses_reflection(ReflectionKind::Unlogged, &self.probes) {
            true => Some(all.asked.len() as u32),
            false => self.sees,
        };
        let Some(sees) = sees else { return };
        // Reflection without a trace may see any class.
        if all.uses_reflection(ReflectionKind::Unlogged, &self.probes) {
            let checked: Vec<u32> = self.checked.iter().collect();
            checked.into_iter().for_each(|id| self.class(id));
        }
        let mut found: Vec<u32> = self.found.iter().collect();
        found.extend(self.checked.iter());
        for (id, class) in found.into_iter().filter_map(|id| Some((id, all.get(id)?))) {
            if self.around.insert(id) {
                class.around.iter().for_each(|&name| self.name(name));
            }
            if class.asked.is_some_and(|at| at < sees) && self.shown.insert(id) {
                self.class(id);
                class.shown.iter().for_each(|&name| self.name(name));
            }
        }
    }

    fn follow(&mut self) {
        while let Some(id) = self.work.pop() {
            let all = self.all;
            let Some(class) = all.get(id) else { continue };
            class.structural.iter().for_each(|&name| self.name(name));
            self.linked.extend(class.linked.iter().copied());
            if let Some(initializer) = &class.initializer {
                self.executed(initializer.words());
                self.sees = self.sees.max(class.initializer_sees);
            }
            if class.assumed {
                let uses = all.that_count(class, &class.static_uses);
                uses.for_each(|used| self.statics.add(used));
                class.types.iter().for_each(|&(_, name)| self.name(name));
                class.checks.iter().for_each(|&(_, name)| self.check(name));
                class.calls.iter().for_each(|&(_, name)| self.call(name));
                for &(_, (name, signature)) in &class.static_calls {
                    self.static_call(name, signature);
                }
            }
        }
    }
}

impl Classes {
    /// Whether objects of a class have state in a superclass of the JDK, as enums and lists do: its methods
    /// show that state without a trace. Exceptions are thrown where they are made.
    fn has_state_outside(&self, class: &Class) -> bool {
        let (mut work, mut seen) = (vec![class.superclass], Bits::default());
        while let Some(name) = work.pop() {
            let ids = self.by_name.get(name as usize).map_or(&[][..], |ids| ids);
            let text = self.texts.get(name as usize).map_or(&[][..], |text| text);
            let is_bare = [&b""[..], b"java/lang/Object", b"java/lang/Record"].contains(&text);
            let is_thrown = text.ends_with(b"Exception") || text.ends_with(b"Error");
            if ids.is_empty() && !is_bare && !is_thrown {
                return true;
            }
            let above = ids.iter().filter_map(|id| Some(self.get(*id)?.superclass));
            work.extend(above.filter(|name| seen.insert(*name)));
        }
        false
    }
}

pub(super) fn of_method<T>(references: &[(u16, T)], method: u16) -> &[(u16, T)] {
    let start = references.partition_point(|(m, _)| *m < method);
    let end = references.partition_point(|(m, _)| *m <= method);
    references.get(start..end).unwrap_or_default()
}
