//! Pseudo-probes of loaded classes: receivers, names that were looked up, inputs.

use super::{Class, Classes};
use crate::pseudo_probes::PseudoProbe;
use crate::watchers::inputs::Seen;
use std::borrow::Cow;
use tamis_attribution::Bits;
use tamis_code::references::ReflectionKind;
use tamis_inputs::{CLASS_PATH, Input};
use tamis_recording::ANY;

/// The kinds of reflection of methods that may look up classes by name.
pub(super) const BY_NAME: [ReflectionKind; 3] = [
    ReflectionKind::ClassNames,
    ReflectionKind::Members,
    ReflectionKind::Unlogged,
];

impl Classes {
    /// The number of the pair of a method, by its probe, and the class of a receiver, by its binary
    /// name if that is known; `None` if it is the method's own class.
    pub(crate) fn pair(&mut self, probe: u32, receiver: Option<&[u8]>) -> Option<u32> {
        let name = receiver.and_then(|name| self.recorded(name));
        let owner = self.owner(probe).and_then(|id| self.get(id));
        if name.is_some() && owner.map(|class| class.name) == name {
            return None;
        }
        Some(
            self.pseudo_probes
                .number(PseudoProbe::Receiver(probe, name)),
        )
    }

    /// These probes and pseudo-probes, without the names that were looked up if none of the methods looks up
    /// names: then it was others, who did so meanwhile.
    pub(crate) fn with_names_if_asked<'b>(&self, executed: &'b Bits) -> Cow<'b, Bits> {
        if BY_NAME
            .into_iter()
            .any(|kind| self.uses_reflection(kind, executed))
        {
            return Cow::Borrowed(executed);
        }
        Cow::Owned(executed.with_high(|number| !self.is_name(number)))
    }

    /// Whether this is the pseudo-probe of a name that was looked up.
    pub(super) fn is_name(&self, number: u32) -> bool {
        matches!(self.pseudo_probes.get(number), Some(PseudoProbe::Name(_)))
    }

    /// The ids of classes that do not exist, by the numbers of their names.
    pub(crate) fn absent(&mut self, names: &[u32]) -> Vec<u32> {
        let mut ids = Vec::new();
        for name in names {
            let next = self.classes.len() as u32;
            let id = *self.absent.entry(*name).or_insert(next);
            if id == next {
                self.classes.push(Class::absent(*name));
            }
            ids.push(id);
        }
        ids
    }

    /// The pseudo-probe for the look-up of the class of this name (internal).
    pub(crate) fn lookup(&mut self, name: &[u8]) -> u32 {
        let name = self.intern(name);
        self.pseudo_probes.number(PseudoProbe::Name(name))
    }

    /// The number of a name (internal).
    pub(crate) fn number_of(&mut self, name: &[u8]) -> u32 {
        self.intern(name)
    }

    /// The pseudo-probe for a class that the JDK caches, by the number of its name.
    pub(crate) fn cached_by_jdk(&mut self, name: u32) -> u32 {
        self.pseudo_probes.number(PseudoProbe::CachedByJdk(name))
    }

    /// The class whose method ran, by a probe or a pseudo-probe.
    pub(crate) fn runs_in(&self, number: u32) -> Option<u32> {
        match self.pseudo_probes.get(number) {
            Some(PseudoProbe::Receiver(probe, _)) => self.owner(probe),
            Some(_) => None,
            None => self.owner(number),
        }
    }

    /// The pseudo-probe for this input.
    pub(crate) fn input(&mut self, seen: Seen) -> u32 {
        let number = self.number_of_input(seen);
        self.pseudo_probes.number(PseudoProbe::Input(number))
    }

    fn number_of_input(&mut self, seen: Seen) -> u32 {
        let next = self.inputs.len() as u32;
        *self.numbers.entry(seen).or_insert_with_key(|seen| {
            self.inputs.push(seen.clone());
            next
        })
    }

    /// The numbers of the inputs "a class of this name exists", by the numbers of names.
    pub(crate) fn linked_inputs(&mut self, names: &[u32]) -> Vec<u32> {
        let mut numbers = Vec::new();
        for name in names {
            let text = self.texts.get(*name as usize).map_or(&[][..], |text| text);
            let name = String::from_utf8_lossy(text).into_owned();
            numbers.push(self.number_of_input((Input::Linked(name), None)));
        }
        numbers
    }

    /// The number of what archives say of packages: class loaders read it, for all who ask.
    pub(crate) fn manifests(&mut self) -> u32 {
        self.everywhere("META-INF/MANIFEST.MF")
    }

    /// The number of what modules declare: the JVM reads it when it starts.
    pub(crate) fn declarations(&mut self) -> u32 {
        self.everywhere("module-info.class")
    }

    /// The number of all that the class path has under a name.
    fn everywhere(&mut self, name: &str) -> u32 {
        let name = name.to_owned();
        self.number_of_input((Input::Resource { name, all: true }, None))
    }

    /// The number of the class path as a property, of which this is the value: who names it may find it
    /// among all of them.
    pub(crate) fn class_path(&mut self, value: Option<u128>) -> u32 {
        self.number_of_input((Input::Property(CLASS_PATH.to_owned()), value))
    }

    /// The inputs that are not in the spool yet, with their numbers.
    pub(crate) fn new_inputs(&mut self) -> Vec<(u32, Seen)> {
        let told = std::mem::replace(&mut self.inputs_told, self.inputs.len());
        let new = self.inputs.get(told..).unwrap_or_default();
        (told as u32..).zip(new.iter().cloned()).collect()
    }

    /// The number of a pseudo-probe.
    pub(crate) fn pseudo_probe(&mut self, event: PseudoProbe) -> u32 {
        self.pseudo_probes.number(event)
    }

    /// The numbers that `pick` takes from the pseudo-probes among `executed`.
    pub(crate) fn numbers_in(
        &self,
        executed: &Bits,
        pick: impl Fn(PseudoProbe) -> Option<u32>,
    ) -> Vec<u32> {
        let events = executed
            .high()
            .filter_map(|number| self.pseudo_probes.get(number));
        events.filter_map(pick).collect()
    }

    pub(super) fn inputs_in(&self, executed: &Bits) -> Vec<u32> {
        let mut inputs = self.numbers_in(executed, |event| match event {
            PseudoProbe::Input(number) => Some(number),
            _ => None,
        });
        inputs.sort_unstable();
        inputs
    }

    /// The number of a binary name, if a class of that name is recorded. A hidden class is not: its
    /// name has a slash.
    fn recorded(&self, binary: &[u8]) -> Option<u32> {
        if binary.contains(&b'/') {
            return None;
        }
        let internal = |byte: &u8| if *byte == b'.' { b'/' } else { *byte };
        let name: Vec<u8> = binary.iter().map(internal).collect();
        let name = *self.names.get(name.as_slice())?;
        let ids = self.by_name.get(name as usize)?;
        (!ids.is_empty()).then_some(name)
    }

    pub(super) fn receivers(&self, executed: &Bits) -> Vec<(u32, u32)> {
        let mut receivers = Vec::new();
        for event in executed
            .high()
            .filter_map(|number| self.pseudo_probes.get(number))
        {
            let PseudoProbe::Receiver(probe, name) = event else {
                continue;
            };
            match name.and_then(|name| self.by_name.get(name as usize)) {
                Some(ids) => receivers.extend(ids.iter().map(|id| (probe, *id))),
                None => receivers.push((probe, ANY)),
            }
        }
        receivers.sort_unstable();
        receivers.dedup();
        receivers
    }
}
