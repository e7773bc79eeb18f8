//! What is noted with marks beside executed methods: receivers, names that were looked up, inputs.

use super::{Class, Classes};
use crate::marks::Mark;
use crate::watchers::inputs::Seen;
use std::borrow::Cow;
use tamis_attribution::Bits;
use tamis_inputs::{CLASS_PATH, Input};
use tamis_instrument::references::Look;
use tamis_recording::ANY;

/// How methods look that may look up names of classes.
pub(super) const NAMING: [Look; 3] = [Look::Names, Look::Members, Look::Unseen];

impl Classes {
    /// The number of the pair of a method, by its probe, and the class of a receiver, by its binary
    /// name if that is known; `None` if it is the method's own class.
    pub(crate) fn pair(&mut self, probe: u32, receiver: Option<&[u8]>) -> Option<u32> {
        let name = receiver.and_then(|name| self.recorded(name));
        let owner = self.owner(probe).and_then(|id| self.get(id));
        if name.is_some() && owner.map(|class| class.name) == name {
            return None;
        }
        Some(self.marks.number(Mark::Receiver(probe, name)))
    }

    /// These probes and marks, without the names that were looked up if none of the methods looks up
    /// names: then it was others, who did so meanwhile.
    pub(crate) fn with_names_if_asked<'b>(&self, executed: &'b Bits) -> Cow<'b, Bits> {
        if NAMING.into_iter().any(|look| self.look(look, executed)) {
            return Cow::Borrowed(executed);
        }
        Cow::Owned(executed.with_high(|number| !self.is_name(number)))
    }

    /// Whether this is the mark of a name that was looked up.
    pub(super) fn is_name(&self, number: u32) -> bool {
        matches!(self.marks.get(number), Some(Mark::Name(_)))
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

    /// The number of the mark that the class of this name (internal) was looked up.
    pub(crate) fn lookup(&mut self, name: &[u8]) -> u32 {
        let name = self.intern(name);
        self.marks.number(Mark::Name(name))
    }

    /// The number of a name (internal).
    pub(crate) fn number_of(&mut self, name: &[u8]) -> u32 {
        self.intern(name)
    }

    /// The number of the mark that the JDK keeps the class with this number of a name.
    pub(crate) fn kept(&mut self, name: u32) -> u32 {
        self.marks.number(Mark::Kept(name))
    }

    /// The class whose method ran, by a probe or a mark.
    pub(crate) fn runs_in(&self, number: u32) -> Option<u32> {
        match self.marks.get(number) {
            Some(Mark::Receiver(probe, _)) => self.owner(probe),
            Some(_) => None,
            None => self.owner(number),
        }
    }

    /// The number of the mark that this was looked at.
    pub(crate) fn input(&mut self, seen: Seen) -> u32 {
        let number = self.number_of_input(seen);
        self.marks.number(Mark::Input(number))
    }

    fn number_of_input(&mut self, seen: Seen) -> u32 {
        let next = self.inputs.len() as u32;
        *self.numbers.entry(seen).or_insert_with_key(|seen| {
            self.inputs.push(seen.clone());
            next
        })
    }

    /// The numbers of the facts that there are classes with these numbers of names.
    pub(crate) fn there(&mut self, names: &[u32]) -> Vec<u32> {
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

    /// What was looked at beside code and has not been told yet, with its numbers.
    pub(crate) fn new_inputs(&mut self) -> Vec<(u32, Seen)> {
        let told = std::mem::replace(&mut self.inputs_told, self.inputs.len());
        let new = self.inputs.get(told..).unwrap_or_default();
        (told as u32..).zip(new.iter().cloned()).collect()
    }

    /// The number of a mark.
    pub(crate) fn mark(&mut self, mark: Mark) -> u32 {
        self.marks.number(mark)
    }

    /// The numbers in those marks that `pick` takes.
    pub(crate) fn marked(&self, executed: &Bits, pick: impl Fn(Mark) -> Option<u32>) -> Vec<u32> {
        let marks = executed.high().filter_map(|number| self.marks.get(number));
        marks.filter_map(pick).collect()
    }

    pub(super) fn inputs_in(&self, executed: &Bits) -> Vec<u32> {
        let mut inputs = self.marked(executed, |mark| match mark {
            Mark::Input(number) => Some(number),
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
        for mark in executed.high().filter_map(|number| self.marks.get(number)) {
            let Mark::Receiver(probe, name) = mark else {
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
