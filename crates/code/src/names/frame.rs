//! What locals and the stack hold at one point of a method.

use super::values::{Id, NOTHING, Table, UNKNOWN};
use std::collections::{BTreeMap, BTreeSet};

/// An object whose content is followed, by the `new` that makes it; of a parameter, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Site {
    New(u32),
    Parameter(u16),
}

/// What one word of a local or of the stack holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// Texts, classes and parameters; [`NOTHING`] for `null` and for what was not set.
    Values(Id),
    /// An `int` or a `char`.
    Number(i32),
    /// A `java.lang.Package` of one of these names.
    Package(Id),
    Object(Site),
}

impl Slot {
    pub(super) const UNKNOWN: Slot = Slot::Values(UNKNOWN);
    pub(super) const NOTHING: Slot = Slot::Values(NOTHING);
}

/// What is in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// The text of a builder.
    Builder(Id),
    /// The elements of an array.
    Elements(Vec<Id>),
    /// Whatever an array of unknown length has as elements.
    AnyElement(Id),
    /// Others may change it.
    Escaped,
}

impl Content {
    fn join(&mut self, other: &Content, table: &mut Table) {
        *self = match (&*self, other) {
            (Content::Builder(a), Content::Builder(b)) => Content::Builder(table.join(*a, *b)),
            (Content::Elements(a), Content::Elements(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b);
                Content::Elements(pairs.map(|(a, b)| table.join(*a, *b)).collect())
            }
            (a, b) => match (a.any_element(table), b.any_element(table)) {
                (Some(a), Some(b)) => Content::AnyElement(table.join(a, b)),
                _ => Content::Escaped,
            },
        };
    }

    /// Whatever an array has as elements.
    fn any_element(&self, table: &mut Table) -> Option<Id> {
        match self {
            Content::Elements(elements) => Some(
                elements
                    .iter()
                    .fold(NOTHING, |all, element| table.join(all, *element)),
            ),
            Content::AnyElement(any) => Some(*any),
            _ => None,
        }
    }
}

pub(super) type Objects = BTreeMap<Site, Content>;

/// Why the analysis of a method ends without a result.
#[derive(Debug)]
pub(super) enum Stop {
    /// Nothing is known about such code.
    GiveUp,
    /// The class file is damaged.
    Bad(tamis_classfile::Error),
}

impl From<tamis_classfile::Error> for Stop {
    fn from(error: tamis_classfile::Error) -> Self {
        Stop::Bad(error)
    }
}

/// The result of what the analysis may end in.
pub(super) type Step<T> = std::result::Result<T, Stop>;

#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) locals: Vec<Slot>,
    pub(super) stack: Vec<Slot>,
    pub(super) objects: Objects,
    /// Goes up when locals or objects change.
    pub(super) changes: u32,
}

impl Frame {
    pub(super) fn push(&mut self, slot: Slot) {
        self.stack.push(slot);
    }

    pub(super) fn push_unknown(&mut self, words: usize) {
        self.stack.extend((0..words).map(|_| Slot::UNKNOWN));
    }

    pub(super) fn pop(&mut self) -> Step<Slot> {
        self.stack.pop().ok_or(Stop::GiveUp)
    }

    pub(super) fn pop_words(&mut self, words: usize) -> Step<()> {
        let rest = self.stack.len().checked_sub(words).ok_or(Stop::GiveUp)?;
        self.stack.truncate(rest);
        Ok(())
    }

    /// The topmost words, from the lowest on.
    pub(super) fn top(&self, words: usize) -> Step<&[Slot]> {
        let rest = self.stack.len().checked_sub(words).ok_or(Stop::GiveUp)?;
        Ok(self.stack.get(rest..).unwrap_or_default())
    }

    /// Takes words away that others get hold of.
    pub(super) fn give_away(&mut self, words: usize) -> Step<()> {
        let objects = self
            .top(words)?
            .iter()
            .filter(|slot| matches!(slot, Slot::Object(_)));
        let objects: Vec<Slot> = objects.copied().collect();
        objects.into_iter().for_each(|slot| self.escape(slot));
        self.pop_words(words)
    }

    pub(super) fn local(&self, index: usize) -> Step<Slot> {
        self.locals.get(index).copied().ok_or(Stop::GiveUp)
    }

    pub(super) fn set_local(&mut self, index: usize, slot: Slot) -> Step<()> {
        *self.locals.get_mut(index).ok_or(Stop::GiveUp)? = slot;
        self.changes += 1;
        Ok(())
    }

    pub(super) fn content(&self, site: Site) -> &Content {
        self.objects.get(&site).unwrap_or(&Content::Escaped)
    }

    pub(super) fn set_content(&mut self, site: Site, content: Content) {
        self.objects.insert(site, content);
        self.changes += 1;
    }

    /// Makes an object. One that was made at the same place before is no longer followed; whether there was one.
    pub(super) fn make(&mut self, site: Site, content: Content) -> bool {
        let mut is_second = false;
        for slot in self.locals.iter_mut().chain(&mut self.stack) {
            if *slot == Slot::Object(site) {
                *slot = Slot::UNKNOWN;
                is_second = true;
            }
        }
        self.set_content(site, content);
        self.push(Slot::Object(site));
        is_second
    }

    /// Others got hold of what `slot` holds.
    pub(super) fn escape(&mut self, slot: Slot) {
        if let Slot::Object(site) = slot {
            self.set_content(site, Content::Escaped);
        }
    }

    /// What a slot may hold; of an array any element, of a builder its text.
    pub(super) fn values(&self, slot: Slot, table: &mut Table) -> Id {
        match slot {
            Slot::Values(id) => id,
            Slot::Number(_) | Slot::Package(_) => UNKNOWN,
            Slot::Object(site) => match self.content(site) {
                Content::Builder(text) => *text,
                content => content.any_element(table).unwrap_or(UNKNOWN),
            },
        }
    }

    /// This frame with another stack, as the start of a block.
    pub(super) fn with_stack(&self, stack: &[Slot]) -> Frame {
        Frame {
            locals: self.locals.clone(),
            stack: stack.to_vec(),
            objects: self.held(stack).collect(),
            changes: 0,
        }
    }

    /// The objects that locals and `stack` hold.
    fn held(&self, stack: &[Slot]) -> impl Iterator<Item = (Site, Content)> {
        let slots = self.locals.iter().chain(stack);
        let sites = slots.filter_map(|slot| match slot {
            Slot::Object(site) => Some(*site),
            _ => None,
        });
        let sites: BTreeSet<Site> = sites.collect();
        sites
            .into_iter()
            .map(|site| (site, self.content(site).clone()))
    }

    /// Lets this be what it is or what `other` is with another stack; whether that is more.
    pub(super) fn join(
        &mut self,
        other: &Frame,
        stack: &[Slot],
        table: &mut Table,
        lost: &mut BTreeSet<Site>,
    ) -> Step<bool> {
        if self.stack.len() != stack.len() || self.locals.len() != other.locals.len() {
            return Err(Stop::GiveUp);
        }
        let mut is_more = false;
        let mut escaped = Vec::new();
        let slots = self.locals.iter_mut().chain(&mut self.stack);
        for (slot, other) in slots.zip(other.locals.iter().chain(stack)) {
            let joined = join_slots(*slot, *other, table);
            for old in [*slot, *other] {
                if let (Slot::Object(site), true) = (old, old != joined) {
                    escaped.push(site);
                }
            }
            is_more |= joined != *slot;
            *slot = joined;
        }
        for (site, content) in other.held(stack) {
            match self.objects.get_mut(&site) {
                Some(own) => {
                    let before = own.clone();
                    own.join(&content, table);
                    is_more |= *own != before;
                }
                None => {
                    self.objects.insert(site, content);
                    is_more = true;
                }
            }
        }
        // Their other names are lost, and with them what happens by these.
        for site in escaped {
            lost.insert(site);
            let before = self.objects.insert(site, Content::Escaped);
            is_more |= before != Some(Content::Escaped);
        }
        Ok(is_more)
    }
}

fn join_slots(a: Slot, b: Slot, table: &mut Table) -> Slot {
    match (a, b) {
        _ if a == b => a,
        // What is `null` there is not used, or ends in an exception.
        (Slot::NOTHING, some) | (some, Slot::NOTHING) => some,
        (Slot::Values(a), Slot::Values(b)) => Slot::Values(table.join(a, b)),
        (Slot::Package(a), Slot::Package(b)) => Slot::Package(table.join(a, b)),
        _ => Slot::UNKNOWN,
    }
}
