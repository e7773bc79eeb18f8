//! A class that may have tests, with what it inherits.

use super::TestMethod;
use crate::class::{Class, Declared, Facts, Member};
use crate::snapshot::Snapshot;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use tamis_classfile::access;
use tamis_classpath::Lookup;

/// What annotations of the JDK say is no matter of tests.
const OF_THE_LANGUAGE: &str = "java/lang/annotation/";

/// What all classes of a snapshot share.
pub(super) struct Context<'s> {
    snapshot: &'s Snapshot,
    /// The member classes by the classes that declare them.
    members: HashMap<&'s str, Vec<Type<'s>>>,
    /// The annotations that an annotation has, and those that these have.
    meanings: RefCell<HashMap<&'s str, Rc<HashSet<&'s str>>>>,
    /// The methods that a class has and inherits.
    methods: RefCell<HashMap<&'s str, Rc<Vec<Method<'s>>>>>,
}

/// A class that can be read.
#[derive(Clone, Copy)]
pub(super) struct Type<'s> {
    pub(super) name: &'s str,
    pub(super) facts: Facts<'s>,
}

/// A method with the class that declares it.
#[derive(Clone, Copy)]
pub(super) struct Method<'s> {
    pub(super) class: &'s str,
    pub(super) member: Member<'s>,
}

/// A class that may have tests.
pub(super) struct Subject<'c, 's> {
    context: &'c Context<'s>,
    pub(super) this: Type<'s>,
    /// The names of its superclasses, nearest first, whether they are there or not.
    super_names: Vec<&'s str>,
    /// The class itself and its superclasses as far as they are there, nearest first.
    pub(super) lineage: Vec<Type<'s>>,
    /// A supertype that cannot be read.
    pub(super) unreadable: Option<&'s str>,
}

impl<'s> Context<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        let mut members: HashMap<_, Vec<_>> = HashMap::new();
        for member in snapshot.classes().filter_map(Type::of) {
            if let Declared::Member { outer, .. } = member.facts.declared() {
                members.entry(outer).or_default().push(member);
            }
        }
        Context {
            snapshot,
            members,
            meanings: RefCell::default(),
            methods: RefCell::default(),
        }
    }

    fn find(&self, name: &str) -> Option<Type<'s>> {
        match self.snapshot.class(name) {
            Lookup::Found(class) => Type::of(class),
            Lookup::Absent | Lookup::Unreadable => None,
        }
    }

    fn is_unreadable(&self, name: &str) -> bool {
        match self.snapshot.class(name) {
            Lookup::Found(class) => class.facts().is_none(),
            Lookup::Absent => false,
            Lookup::Unreadable => true,
        }
    }

    /// A class and its superclasses as far as they are there, nearest first.
    fn lineage(&self, class: Type<'s>) -> Vec<Type<'s>> {
        let mut seen = HashSet::new();
        let above = |class: &Type<'s>| {
            let found = self.find(class.facts.super_class()?)?;
            seen.insert(found.name).then_some(found)
        };
        std::iter::successors(Some(class), above).collect()
    }

    /// Whether one of `annotations` is called `name`, or has an annotation that is, and so on.
    pub(super) fn means(&self, mut annotations: impl Iterator<Item = &'s str>, name: &str) -> bool {
        annotations.any(|annotation| annotation == name || self.meanings(annotation).contains(name))
    }

    fn meanings(&self, annotation: &'s str) -> Rc<HashSet<&'s str>> {
        if let Some(known) = self.meanings.borrow().get(annotation) {
            return Rc::clone(known);
        }
        let mut all = HashSet::new();
        let mut next = vec![annotation];
        while let Some(name) = next.pop() {
            let Some(found) = self.find(name) else {
                continue;
            };
            let others = found.facts.annotations();
            let others = others.filter(|name| !name.starts_with(OF_THE_LANGUAGE));
            next.extend(others.filter(|name| all.insert(*name)));
        }
        let all = Rc::new(all);
        self.meanings
            .borrow_mut()
            .insert(annotation, Rc::clone(&all));
        all
    }

    /// The methods of a class and those that it inherits, as Jupiter sees them: one that is not private hides
    /// those with its name and parameters in supertypes.
    fn methods(&self, of: Type<'s>) -> Rc<Vec<Method<'s>>> {
        if let Some(known) = self.methods.borrow().get(of.name) {
            return Rc::clone(known);
        }
        // A class that inherits from itself has nothing else.
        self.methods.borrow_mut().insert(of.name, Rc::default());
        let own = || of.methods();
        let hides = |inherited: &Method<'s>| {
            own().any(|own| !own.has(access::PRIVATE) && own.key() == inherited.key())
        };
        let mut methods: Vec<_> = own().collect();
        let supertypes = of
            .facts
            .super_class()
            .into_iter()
            .chain(of.facts.interfaces());
        for supertype in supertypes.filter_map(|name| self.find(name)) {
            let inherited = self.methods(supertype);
            methods.extend(inherited.iter().filter(|method| !hides(method)));
        }
        let methods = Rc::new(methods);
        self.methods
            .borrow_mut()
            .insert(of.name, Rc::clone(&methods));
        methods
    }
}

impl<'s> Type<'s> {
    fn of(class: Class<'s>) -> Option<Self> {
        Some(Type {
            name: class.name(),
            facts: class.facts()?,
        })
    }

    /// Its access flags as the source has them.
    fn access(&self) -> u16 {
        match self.facts.declared() {
            Declared::Member { access, .. } => access,
            Declared::TopLevel | Declared::Local => self.facts.access(),
        }
    }

    pub(super) fn has(&self, flags: u16) -> bool {
        self.access() & flags != 0
    }

    /// Whether its objects belong to one of another class.
    pub(super) fn is_inner(&self) -> bool {
        matches!(self.facts.declared(), Declared::Member { .. }) && !self.has(access::STATIC)
    }

    pub(super) fn is_local(&self) -> bool {
        self.facts.declared() == Declared::Local
    }

    pub(super) fn has_annotation(&self, name: &str) -> bool {
        self.facts
            .annotations()
            .any(|annotation| annotation == name)
    }

    pub(super) fn methods(&self) -> impl Iterator<Item = Method<'s>> + use<'s> {
        let class = self.name;
        let methods = self.facts.methods();
        methods.map(move |member| Method { class, member })
    }
}

impl<'s> Method<'s> {
    pub(super) fn has(&self, flags: u16) -> bool {
        self.member.access() & flags != 0
    }

    /// Its name and its parameters, by which it overrides others.
    pub(super) fn key(&self) -> (&'s str, &'s str) {
        let descriptor = self.member.descriptor();
        let parameters = descriptor
            .split_once(')')
            .map_or(descriptor, |(start, _)| start);
        (self.member.name(), parameters)
    }

    pub(super) fn has_parameters(&self) -> bool {
        self.key().1 != "("
    }

    pub(super) fn returns_nothing(&self) -> bool {
        self.member.descriptor().ends_with(")V")
    }

    pub(super) fn has_annotation(&self, name: &str) -> bool {
        self.member
            .annotations()
            .any(|annotation| annotation == name)
    }

    pub(super) fn is_initializer(&self) -> bool {
        self.member.name().starts_with('<')
    }
}

impl<'c, 's> Subject<'c, 's> {
    /// `None` if the class cannot be read or makes no sense.
    pub(super) fn new(context: &'c Context<'s>, class: Class<'s>) -> Option<Self> {
        let this = Type::of(class)?;
        let lineage = context.lineage(this);
        let super_names = lineage.iter().filter_map(|class| class.facts.super_class());
        let super_names: Vec<_> = super_names.collect();
        let interfaces = lineage.iter().flat_map(|class| class.facts.interfaces());
        let mut next: Vec<_> = super_names.iter().copied().chain(interfaces).collect();
        let mut subject = Subject {
            context,
            this,
            super_names,
            lineage,
            unreadable: None,
        };
        let mut seen = HashSet::new();
        while let Some(name) = next.pop() {
            if seen.insert(name) {
                subject.note(name);
                let found = context.find(name).into_iter();
                next.extend(found.flat_map(|found| found.facts.interfaces()));
            }
        }
        Some(subject)
    }

    fn note(&mut self, name: &'s str) {
        if self.context.is_unreadable(name) {
            self.unreadable = Some(name);
        }
    }

    /// Whether there can be objects of exactly this class.
    pub(super) fn is_instantiable(&self) -> bool {
        let none = access::ABSTRACT | access::INTERFACE | access::MODULE;
        self.this.facts.access() & none == 0
    }

    pub(super) fn extends(&self, name: &str) -> bool {
        self.super_names.contains(&name)
    }

    /// All methods of the class and its superclasses, nearest first.
    pub(super) fn inherited(&self) -> impl Iterator<Item = Method<'s>> {
        self.lineage.iter().flat_map(Type::methods)
    }

    /// The methods of a class, and those that it inherits from classes and interfaces and does not override.
    pub(super) fn visible(&self, class: Type<'s>) -> Rc<Vec<Method<'s>>> {
        self.context.methods(class)
    }

    /// The member classes of a class and its superclasses.
    pub(super) fn members(&self, class: Type<'s>) -> impl Iterator<Item = Type<'s>> {
        let members = &self.context.members;
        let lineage = self.context.lineage(class).into_iter();
        lineage.flat_map(|class| members.get(class.name).into_iter().flatten().copied())
    }

    /// See [`Context::means`].
    pub(super) fn means(&self, annotations: impl Iterator<Item = &'s str>, name: &str) -> bool {
        self.context.means(annotations, name)
    }
}

/// These methods, of which those that override each other are one test.
pub(super) fn tests<'s>(methods: impl Iterator<Item = Method<'s>>) -> Vec<TestMethod<'s>> {
    let mut seen = HashSet::new();
    let methods = methods.filter(|method| seen.insert(method.key()));
    let test = |method: Method<'s>| TestMethod {
        class: method.class,
        name: method.member.name(),
        descriptor: method.member.descriptor(),
    };
    methods.map(test).collect()
}
