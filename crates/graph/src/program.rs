//! The classes of a project, linked: who inherits from whom, and which member a name means.

use crate::changes::MemberKey;
use crate::outside::{Declared, OBJECT, Outside, object};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use tamis_classfile::access;
use tamis_frameworks::{hands_over_to_classes, is_known_helper, is_of_container};
use tamis_snapshot::{Class, Facts, Reference, Snapshot};

/// The classes of a project, linked.
#[derive(Debug)]
pub struct Program<'s> {
    pub(crate) snapshot: &'s Snapshot,
    /// By name.
    pub(crate) types: Vec<Type<'s>>,
    pub(crate) numbers: HashMap<&'s str, u32>,
    pub(crate) members: Vec<Member<'s>>,
    /// Pairs of a name and a descriptor, by number.
    selectors: HashMap<(&'s str, &'s str), u32>,
}

/// A class of the project.
#[derive(Debug)]
pub(crate) struct Type<'s> {
    pub(crate) class: Class<'s>,
    /// `None` if it cannot be read.
    pub(crate) facts: Option<Facts<'s>>,
    pub(crate) super_class: Option<u32>,
    pub(crate) interfaces: Vec<u32>,
    /// Its direct subclasses and implementations.
    pub(crate) subtypes: Vec<u32>,
    /// Its members: fields, then methods.
    pub(crate) members: std::ops::Range<u32>,
    /// The methods that run on its objects, by selector; none of interfaces and abstract classes is missing.
    pub(crate) table: Vec<(u32, u32)>,
    /// Those of them that code outside of the project knows.
    pub(crate) callbacks: Vec<u32>,
}

/// A member of a class of the project.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member<'s> {
    pub(crate) class: u32,
    pub(crate) name: &'s str,
    pub(crate) descriptor: &'s str,
    pub(crate) access: u16,
    pub(crate) is_method: bool,
    /// What its code refers to, by the numbers of its entry.
    pub(crate) references: &'s [u32],
    pub(crate) of: tamis_snapshot::Member<'s>,
}

impl Member<'_> {
    pub(crate) fn is(&self, flag: u16) -> bool {
        self.access & flag != 0
    }
}

/// The methods that code outside of the project can call, by their selectors; `None` for any.
type Given = Option<HashSet<u32>>;

/// No class has so many superclasses, unless it inherits from itself.
pub(crate) const DEEPEST: usize = 256;

/// What is known of types outside.
type Known = HashMap<String, Option<Declared>>;

impl<'s> Program<'s> {
    /// Links the classes of the entries that belong to the project.
    pub fn new(
        snapshot: &'s Snapshot,
        is_own: impl Fn(&Path) -> bool,
        outside: &dyn Outside,
    ) -> Program<'s> {
        let own: Vec<bool> = snapshot.entries().map(|(path, _)| is_own(path)).collect();
        let is_own = |class: &Class<'_>| own.get(class.entry_number()) == Some(&true);
        let mut program = Program {
            snapshot,
            types: Vec::new(),
            numbers: HashMap::new(),
            members: Vec::new(),
            selectors: HashMap::new(),
        };
        for class in snapshot.classes().filter(is_own) {
            program.add(class);
        }
        program.link();
        program.build_tables(outside);
        program
    }

    /// The number of the class with this internal name.
    pub fn class(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The internal name of the class with this number.
    pub fn class_name(&self, number: u32) -> &'s str {
        self.name(number)
    }

    /// The internal names of the classes that start with `start`.
    pub fn names_from<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'s str> + 'a {
        let first = self.types.partition_point(|ty| ty.class.name() < start);
        let names = self.types.iter().skip(first).map(|ty| ty.class.name());
        names.take_while(move |name| name.starts_with(start))
    }

    /// The classes that some class names, directly or through others; `goes_on` says behind which classes to go on.
    pub fn named_by(&self, class: u32, goes_on: impl Fn(u32) -> bool) -> Vec<u32> {
        let (mut seen, mut all) = (HashSet::from([class]), vec![class]);
        let mut at = 0;
        while let Some(number) = all.get(at).copied() {
            at += 1;
            if number != class && !goes_on(number) {
                continue;
            }
            let facts = self.types.get(number as usize).and_then(|ty| ty.facts);
            let named = facts.into_iter().flat_map(|facts| facts.classes());
            let named = named.filter_map(|name| self.class(name));
            all.extend(named.filter(|named| seen.insert(*named)));
        }
        all.split_off(1)
    }

    /// Whether a class comes from an archive, as far as the name of its entry tells: then others than the project may
    /// look for what belongs to it.
    pub(crate) fn is_in_archive(&self, class: u32) -> bool {
        let ty = self.types.get(class as usize);
        ty.is_none_or(|ty| ty.class.entry().extension().is_some())
    }

    /// The members of a class.
    pub fn members_of(&self, class: &str) -> Vec<MemberKey> {
        let ty = self.class(class).and_then(|id| self.types.get(id as usize));
        let members = ty.map_or(0..0, |ty| ty.members.clone());
        let members = members.filter_map(|id| self.members.get(id as usize));
        let key = |member: &Member<'_>| MemberKey {
            name: member.name.to_owned(),
            descriptor: member.descriptor.to_owned(),
        };
        members.map(key).collect()
    }

    fn add(&mut self, class: Class<'s>) {
        let number = self.types.len() as u32;
        let facts = class.facts();
        let start = self.members.len() as u32;
        if let Some(facts) = facts {
            let fields = facts.fields().map(|member| (member, false));
            let methods = facts.methods().map(|member| (member, true));
            let members = fields.chain(methods).map(|(member, is_method)| Member {
                class: number,
                name: member.name(),
                descriptor: member.descriptor(),
                access: member.access(),
                is_method,
                references: member.reference_numbers(),
                of: member,
            });
            self.members.extend(members);
        }
        self.numbers.insert(class.name(), number);
        self.types.push(Type {
            class,
            facts,
            super_class: None,
            interfaces: Vec::new(),
            subtypes: Vec::new(),
            members: start..self.members.len() as u32,
            table: Vec::new(),
            callbacks: Vec::new(),
        });
    }

    fn link(&mut self) {
        for number in 0..self.types.len() {
            let Some(facts) = self.types.get(number).and_then(|ty| ty.facts) else {
                continue;
            };
            let of = |name: &str| self.numbers.get(name).copied();
            let super_class = facts.super_class().and_then(of);
            let interfaces: Vec<u32> = facts.interfaces().filter_map(of).collect();
            for above in super_class.into_iter().chain(interfaces.iter().copied()) {
                if let Some(above) = self.types.get_mut(above as usize) {
                    above.subtypes.push(number as u32);
                }
            }
            if let Some(ty) = self.types.get_mut(number) {
                ty.super_class = super_class;
                ty.interfaces = interfaces;
            }
        }
    }

    /// Finds which methods run on the objects of each class, supertypes first.
    fn build_tables(&mut self, outside: &dyn Outside) {
        for member in self.members.iter().filter(|member| member.is_method) {
            let next = self.selectors.len() as u32;
            let key = (member.name, member.descriptor);
            self.selectors.entry(key).or_insert(next);
        }
        let mut known = Known::from([(OBJECT.to_owned(), Some(object()))]);
        let mut given: Vec<Given> = Vec::with_capacity(self.types.len());
        given.resize_with(self.types.len(), || Some(HashSet::new()));
        for number in self.in_order() {
            let table = self.table(number);
            let from_outside = self.given(number, &given, outside, &mut known);
            let callbacks = match &from_outside {
                Some(selectors) => {
                    let of = table.iter();
                    let of = of.filter(|(selector, _)| selectors.contains(selector));
                    of.map(|(_, member)| *member).collect()
                }
                None => table.iter().map(|(_, member)| *member).collect(),
            };
            if let (Some(ty), Some(slot)) = (
                self.types.get_mut(number as usize),
                given.get_mut(number as usize),
            ) {
                (ty.table, ty.callbacks) = (table, callbacks);
                *slot = from_outside;
            }
        }
    }

    /// All classes, each behind its supertypes; those that inherit from themselves come anywhere.
    fn in_order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.types.len());
        let mut entered = vec![false; self.types.len()];
        let mut stack: Vec<(u32, bool)> = Vec::new();
        for start in 0..self.types.len() as u32 {
            stack.push((start, false));
            while let Some((number, is_done)) = stack.pop() {
                if is_done {
                    order.push(number);
                    continue;
                }
                let Some(entered) = entered.get_mut(number as usize) else {
                    continue;
                };
                if std::mem::replace(entered, true) {
                    continue;
                }
                stack.push((number, true));
                stack.extend(self.above(number).map(|above| (above, false)));
            }
        }
        order
    }

    /// The direct supertypes of a class, as far as they are the project's.
    pub(crate) fn above(&self, number: u32) -> impl Iterator<Item = u32> + '_ {
        let ty = self.types.get(number as usize);
        let super_class = ty.and_then(|ty| ty.super_class);
        let interfaces = ty.into_iter().flat_map(|ty| ty.interfaces.iter().copied());
        super_class.into_iter().chain(interfaces)
    }

    /// Whether a type and all above it are the project's.
    pub(crate) fn is_only_called_here(&self, name: &str) -> bool {
        // Of what cannot be read nobody knows what is above.
        let is_known = |number: &u32| {
            let ty = self.types.get(*number as usize);
            ty.is_some_and(|ty| ty.facts.is_some())
        };
        self.class(name).is_some_and(|number| {
            let mut outside = self.outside_above(number).into_iter();
            self.with_above(number).iter().all(is_known) && outside.all(|name| name == OBJECT)
        })
    }

    /// The types outside of the project from which a class and its supertypes of the project inherit directly.
    pub(crate) fn outside_above(&self, number: u32) -> Vec<&'s str> {
        let mut outside = Vec::new();
        for number in self.with_above(number) {
            let facts = self.types.get(number as usize).and_then(|ty| ty.facts);
            let names = facts.into_iter().flat_map(|facts| {
                let super_class = facts.super_class().into_iter();
                super_class.chain(facts.interfaces())
            });
            outside.extend(names.filter(|name| !self.numbers.contains_key(name)));
        }
        outside
    }

    fn table(&self, number: u32) -> Vec<(u32, u32)> {
        let mut table: HashMap<u32, u32> = HashMap::new();
        let Some(ty) = self.types.get(number as usize) else {
            return Vec::new();
        };
        // What a class inherits counts for more than the default method of an interface.
        for above in ty.interfaces.iter().copied().chain(ty.super_class) {
            let inherited = self.types.get(above as usize).map(|above| &above.table);
            for (selector, member) in inherited.into_iter().flatten() {
                let of_class = Some(above) == ty.super_class;
                match table.get(selector) {
                    Some(other) if !of_class || !self.is_more(*member, *other) => {
                        // Of two interfaces the one that inherits from the other counts.
                        if !of_class && self.is_more(*member, *other) {
                            table.insert(*selector, *member);
                        }
                    }
                    _ => drop(table.insert(*selector, *member)),
                }
            }
        }
        for id in ty.members.clone() {
            let Some(member) = self.members.get(id as usize) else {
                continue;
            };
            let is_own = member.is_method
                && !member.is(access::STATIC | access::ABSTRACT | access::PRIVATE)
                && !member.name.starts_with('<');
            if is_own && let Some(selector) = self.selector(member.name, member.descriptor) {
                table.insert(selector, id);
            }
        }
        let mut table: Vec<_> = table.into_iter().collect();
        table.sort_unstable();
        table
    }

    /// Whether a method counts for more than another that is inherited with it: one of a class more than one of an
    /// interface, and one of a subtype more than one of its supertype.
    fn is_more(&self, member: u32, other: u32) -> bool {
        let class = |member: u32| self.members.get(member as usize).map(|m| m.class);
        let (Some(class), Some(other)) = (class(member), class(other)) else {
            return false;
        };
        let is_interface = |class: u32| {
            let facts = self.types.get(class as usize).and_then(|ty| ty.facts);
            facts.is_some_and(|facts| facts.access() & access::INTERFACE != 0)
        };
        match (is_interface(class), is_interface(other)) {
            (false, true) => true,
            (true, false) => false,
            _ => class == other || self.is_below(class, other),
        }
    }

    pub(crate) fn super_class(&self, number: u32) -> Option<u32> {
        self.types.get(number as usize)?.super_class
    }

    /// A class and all its supertypes of the project.
    pub(crate) fn with_above(&self, number: u32) -> Vec<u32> {
        let (mut seen, mut all, mut at) = (HashSet::from([number]), vec![number], 0);
        while let Some(number) = all.get(at).copied() {
            at += 1;
            all.extend(self.above(number).filter(|above| seen.insert(*above)));
        }
        all
    }

    /// Whether a class is or inherits from another.
    pub(crate) fn is_below(&self, class: u32, other: u32) -> bool {
        self.with_above(class).contains(&other)
    }

    /// What code outside of the project can call on the objects of a class.
    fn given(
        &self,
        number: u32,
        given: &[Given],
        outside: &dyn Outside,
        known: &mut Known,
    ) -> Given {
        let facts = self.types.get(number as usize)?.facts?;
        let mut selectors = HashSet::new();
        for name in facts.super_class().into_iter().chain(facts.interfaces()) {
            match self.numbers.get(name) {
                Some(own) => selectors.extend(given.get(*own as usize)?.as_ref()?),
                None if self.declared(name, outside, known, &mut selectors) => {}
                None => return None,
            }
        }
        Some(selectors)
    }

    /// Adds what a type outside and its supertypes declare; false if nobody can say.
    fn declared(
        &self,
        name: &str,
        outside: &dyn Outside,
        known: &mut Known,
        selectors: &mut HashSet<u32>,
    ) -> bool {
        let (mut seen, mut next) = (HashSet::new(), vec![name.to_owned()]);
        while let Some(name) = next.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let ask = || outside.declared(&name);
            let Some(declared) = known.entry(name.clone()).or_insert_with(ask) else {
                return false;
            };
            let methods = declared.methods.iter();
            selectors.extend(methods.filter_map(|(name, of)| self.selector(name, of)));
            next.extend(declared.supertypes.iter().cloned());
        }
        true
    }

    /// The number of a name and a descriptor; `None` if no class of the project has a method of these.
    pub(crate) fn selector(&self, name: &str, descriptor: &str) -> Option<u32> {
        self.selectors.get(&(name, descriptor)).copied()
    }

    /// The method that runs on the objects of a class.
    pub(crate) fn implementation(&self, number: u32, selector: u32) -> Option<u32> {
        let table = &self.types.get(number as usize)?.table;
        let at = table.binary_search_by_key(&selector, |(selector, _)| *selector);
        Some(table.get(at.ok()?)?.1)
    }

    /// The member of a class itself.
    pub(crate) fn declared_member(&self, number: u32, name: &str, descriptor: &str) -> Option<u32> {
        let mut members = self.types.get(number as usize)?.members.clone();
        members.find(|id| {
            let member = self.members.get(*id as usize);
            member.is_some_and(|member| member.name == name && member.descriptor == descriptor)
        })
    }

    /// The member that a name means in a class: its own, or one that it inherits, superclasses first.
    pub(crate) fn resolve(&self, number: u32, name: &str, descriptor: &str) -> Option<u32> {
        let (mut seen, mut next) = (HashSet::new(), vec![number]);
        while let Some(number) = next.pop() {
            if !seen.insert(number) {
                continue;
            }
            if let Some(member) = self.declared_member(number, name, descriptor) {
                return Some(member);
            }
            let ty = self.types.get(number as usize)?;
            next.extend(ty.interfaces.iter().rev());
            next.extend(ty.super_class);
        }
        None
    }

    /// The classes whose class files name a class, be it there or not.
    pub(crate) fn naming(&self, class: &str) -> Vec<u32> {
        let numbered = (0..).zip(&self.types);
        let naming = numbered.filter(|(_, ty)| {
            let facts = ty.facts.into_iter();
            facts
                .flat_map(|facts| facts.classes())
                .any(|name| name == class)
        });
        naming.map(|(number, _)| number).collect()
    }

    /// Whether annotations of a class leave it to a framework to find the classes that it works with.
    pub(crate) fn is_wired(&self, number: u32) -> bool {
        let facts = self.types.get(number as usize).and_then(|ty| ty.facts);
        let values = || {
            let facts = facts.into_iter();
            facts.flat_map(|facts| facts.annotation_values())
        };
        let hands_over = values().any(|value| match value {
            Reference::Type(name) => hands_over_to_classes(name.as_bytes()),
            _ => false,
        });
        values().any(|value| match value {
            Reference::Type(name) => is_of_container(name.as_bytes()),
            Reference::Literal(name) => {
                let is_outside = hands_over && self.class(name).is_none();
                is_of_container(name.as_bytes()) || is_outside && !is_known_helper(name.as_bytes())
            }
            _ => false,
        })
    }

    /// Whether that holds for a test class, a supertype of it, or an annotation of the project on one of these.
    pub(crate) fn is_wired_test(&self, number: u32) -> bool {
        let (mut seen, mut next) = (HashSet::from([number]), vec![number]);
        while let Some(number) = next.pop() {
            if self.is_wired(number) {
                return true;
            }
            let facts = self.types.get(number as usize).and_then(|ty| ty.facts);
            let values = facts
                .into_iter()
                .flat_map(|facts| facts.annotation_values());
            let annotations = values.filter_map(|value| match value {
                Reference::Type(name) => self.class(name),
                _ => None,
            });
            let all: Vec<u32> = annotations.chain(self.above(number)).collect();
            next.extend(all.into_iter().filter(|class| seen.insert(*class)));
        }
        false
    }

    /// The classes that hold annotations of packages.
    pub(crate) fn package_infos(&self) -> impl Iterator<Item = u32> + '_ {
        let numbered = (0..).zip(&self.types);
        let infos = numbered.filter(|(_, ty)| ty.class.name().ends_with("package-info"));
        infos.map(|(number, _)| number)
    }

    /// Whether a class has one of these access flags.
    pub(crate) fn has_flag(&self, number: u32, flags: u16) -> bool {
        let facts = self.types.get(number as usize).and_then(|ty| ty.facts);
        facts.is_some_and(|facts| facts.access() & flags != 0)
    }

    /// The classes to which the declarations of a class lead: those nested in it, and the types of its members.
    pub(crate) fn declared_by(&self, number: u32) -> Vec<u32> {
        let name = self.name(number);
        let nested = self.named_in(number, |inner| {
            let rest = inner.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with('$'))
        });
        let members = self.types.get(number as usize).map(|ty| ty.members.clone());
        let members = members.unwrap_or(0..0);
        let members = members.filter_map(|id| self.members.get(id as usize));
        let types = members.flat_map(|member| member.descriptor.split(['(', ')', ';', '[']));
        let types = types.filter_map(|name| self.class(name.strip_prefix('L')?));
        let all: BTreeSet<u32> = nested.into_iter().chain(types).collect();
        all.into_iter().collect()
    }

    /// The classes that a class names, as far as they are wanted.
    pub(crate) fn named_in(&self, number: u32, is_wanted: impl Fn(&str) -> bool) -> Vec<u32> {
        let facts = self.types.get(number as usize).and_then(|ty| ty.facts);
        let named = facts.into_iter().flat_map(|facts| facts.classes());
        let wanted = named.filter(|name| is_wanted(name));
        wanted.filter_map(|name| self.class(name)).collect()
    }

    /// The members whose code has a text that names a class, be it there or not.
    pub(crate) fn members_with_text(&self, class: &str) -> Vec<u32> {
        let is_it = |reference: Reference<'_>| {
            let Reference::Text(text) = reference else {
                return false;
            };
            let text = text.trim_start_matches(['[', '/']);
            let text = text.strip_suffix(".class").unwrap_or(text);
            text.replace('.', "/") == class || text.replace('.', "/") == class.replace('$', "/")
        };
        let numbers = |references: &mut dyn Iterator<Item = Reference<'_>>| {
            let numbered = (0..).zip(references);
            let found = numbered.filter(|(_, reference)| is_it(*reference));
            found.map(|(number, _)| number).collect::<HashSet<u32>>()
        };
        let entries = self.snapshot.entries();
        let texts: Vec<HashSet<u32>> = entries
            .map(|(_, mut references)| numbers(&mut references))
            .collect();
        let has_text = |member: &Member<'_>| {
            let ty = self.types.get(member.class as usize);
            let texts = ty.and_then(|ty| texts.get(ty.class.entry_number()));
            texts.is_some_and(|texts| member.references.iter().any(|r| texts.contains(r)))
        };
        let members = (0..).zip(&self.members);
        members
            .filter(|(_, member)| has_text(member))
            .map(|(id, _)| id)
            .collect()
    }

    /// A class and all that inherit from it.
    pub(crate) fn below(&self, number: u32) -> Vec<u32> {
        let (mut seen, mut all) = (HashSet::from([number]), vec![number]);
        let mut at = 0;
        while let Some(number) = all.get(at) {
            at += 1;
            let subtypes = self.types.get(*number as usize).map(|ty| &ty.subtypes[..]);
            let new = subtypes.unwrap_or_default().iter();
            let new: Vec<u32> = new
                .filter(|number| seen.insert(**number))
                .copied()
                .collect();
            all.extend(new);
        }
        all
    }

    pub(crate) fn name(&self, number: u32) -> &'s str {
        let ty = self.types.get(number as usize);
        ty.map_or("", |ty| ty.class.name())
    }
}
