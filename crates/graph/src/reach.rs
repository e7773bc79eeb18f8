//! What a test reaches in a member graph.

mod calls;
mod start;

use crate::changes::Changes;
use crate::member_graph::MemberGraph;
use crate::nodes::{Flag, Meaning, Node, NodeName, Of};
use crate::references::Target;
use crate::rules::UnknownReflection;
use std::collections::{HashMap, HashSet, VecDeque};
use tamis_classfile::access;
use tamis_classpath::parallel;
use tamis_snapshot::Reference;

/// A test that a change affects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affected {
    /// The number of its class.
    pub test: u32,
    /// How.
    pub cause: Cause,
}

/// How a change affects a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// It reaches what changed, from the test on.
    Path(Vec<NodeName>),
    /// It reaches code that looks for classes by names which nobody knows.
    UnknownReflection(Vec<NodeName>),
}

/// How many tests one thread takes at a time.
const BLOCK: usize = 4;

impl MemberGraph<'_, '_> {
    /// Which of `tests`, by the numbers of their classes, reach what changed.
    pub fn affected(&self, changes: &Changes, tests: &[u32]) -> Vec<Affected> {
        if changes.is_empty() {
            return Vec::new();
        }
        let mut is_changed = vec![false; self.numbers.count()];
        for node in self.changed(changes) {
            if let Some(is_changed) = is_changed.get_mut(node as usize) {
                *is_changed = true;
            }
        }
        let tests = &self.candidates(changes, tests);
        let affected = parallel::map(tests, BLOCK, |test| {
            let cause = Search::new(self, &is_changed).run(*test)?;
            Some(Affected { test: *test, cause })
        });
        affected.into_iter().flatten().collect()
    }

    /// The tests that can reach what changed, or code that looks for any class, because they depend on its class. Whoever
    /// depends on no name of a class has no object of it, either.
    fn candidates(&self, changes: &Changes, tests: &[u32]) -> Vec<u32> {
        let affected = self.classes.affected(changes, tests);
        affected.into_iter().map(|affected| affected.test).collect()
    }

    /// All members that a test reaches, by name.
    pub fn reached(&self, test: u32) -> Vec<NodeName> {
        let nothing = vec![false; self.numbers.count()];
        let mut search = Search::new(self, &nothing);
        search.run(test);
        let nodes = (0..).zip(&search.parents);
        let nodes = nodes.filter(|(node, parent)| {
            **parent != UNSEEN && matches!(self.numbers.meaning(*node), Meaning::Member(_))
        });
        nodes.map(|(node, _)| self.name(node)).collect()
    }
}

const UNSEEN: u32 = u32::MAX;

struct Search<'g, 'p, 's> {
    graph: &'g MemberGraph<'p, 's>,
    is_changed: &'g [bool],
    /// For each node the one from which it was reached; itself where the search began.
    parents: Vec<u32>,
    queue: VecDeque<Node>,
    /// The changed node that was reached first.
    found: Option<Node>,
    /// Methods that run once there is an object of a class, and who calls them.
    waiting: HashMap<u32, Vec<(u32, Node)>>,
    /// The virtual calls that were reached, each with who makes it and whether there is an object for it.
    calls: HashMap<u32, (Node, bool)>,
    /// Those of a class that wait for one of its objects.
    calls_on: HashMap<u32, Vec<u32>>,
    /// The names of methods that are called on whatever object, and the lambdas that wait for such a call.
    called: HashSet<&'s str>,
    lambdas: HashMap<&'s str, Vec<(u32, Node)>>,
    /// Classes that reflection may come to, with their supertypes.
    inherited: HashSet<u32>,
    /// Members that are reached once their name is, by the text.
    by_name: HashMap<u32, Vec<(u32, Node)>>,
}

impl<'g, 'p, 's> Search<'g, 'p, 's> {
    fn new(graph: &'g MemberGraph<'p, 's>, is_changed: &'g [bool]) -> Self {
        Search {
            graph,
            is_changed,
            parents: vec![UNSEEN; graph.numbers.count()],
            queue: VecDeque::new(),
            found: None,
            waiting: HashMap::new(),
            calls: HashMap::new(),
            calls_on: HashMap::new(),
            called: HashSet::new(),
            lambdas: HashMap::new(),
            inherited: HashSet::new(),
            by_name: HashMap::new(),
        }
    }

    fn run(&mut self, test: u32) -> Option<Cause> {
        self.start(test);
        loop {
            while let Some(node) = self.queue.pop_front() {
                if self.found.is_some() {
                    break;
                }
                self.expand(node);
            }
            let is_more = self.use_unknown_members() | self.call_without_objects();
            if self.found.is_some() || !is_more {
                break;
            }
        }
        if let Some(found) = self.found {
            return Some(Cause::Path(self.path(found)));
        }
        let anything = self.graph.numbers.flag(Flag::LooksForAnyClass);
        let rule = self.graph.rules.reflection?;
        (rule == UnknownReflection::Everything && self.is_seen(anything))
            .then(|| Cause::UnknownReflection(self.path(anything)))
    }

    fn is_seen(&self, node: Node) -> bool {
        self.parents
            .get(node as usize)
            .is_some_and(|parent| *parent != UNSEEN)
    }

    fn has(&self, flag: Flag) -> bool {
        self.is_seen(self.graph.numbers.flag(flag))
    }

    fn reach(&mut self, node: Node, from: Node) {
        let Some(parent) = self.parents.get_mut(node as usize) else {
            return;
        };
        if *parent != UNSEEN {
            return;
        }
        *parent = from;
        self.queue.push_back(node);
        if self.found.is_none() && self.is_changed.get(node as usize) == Some(&true) {
            self.found = Some(node);
        }
    }

    fn path(&self, node: Node) -> Vec<NodeName> {
        let mut path: Vec<NodeName> = Vec::new();
        let mut at = node;
        loop {
            let name = self.graph.name(at);
            // A class and one of its members say the same.
            if path.last() != Some(&name) {
                path.push(name);
            }
            match self.parents.get(at as usize) {
                Some(parent) if *parent != at && *parent != UNSEEN => at = *parent,
                _ => break,
            }
        }
        path.reverse();
        // A member says its class.
        let says = |class: &NodeName, next: Option<&NodeName>| match (class, next) {
            (NodeName::Class(class), Some(NodeName::Member { class: of, .. })) => class == of,
            _ => false,
        };
        let mut short: Vec<NodeName> = Vec::new();
        for (at, name) in path.iter().enumerate() {
            if !says(name, path.get(at + 1)) {
                short.push(name.clone());
            }
        }
        short
    }

    fn of_type(&self, class: u32, of: Of) -> Node {
        self.graph.numbers.of_type(class, of)
    }

    fn member(&self, id: u32) -> Node {
        self.graph.numbers.member(id)
    }

    /// Who asks a class for its annotations sees what they name.
    fn annotations(&mut self, class: u32, from: Node) {
        let program = self.graph.program;
        let facts = program.types.get(class as usize).and_then(|ty| ty.facts);
        let values = facts
            .into_iter()
            .flat_map(|facts| facts.annotation_values());
        for value in values {
            let (name, of) = match value {
                Reference::Type(name) => (name, Of::Head),
                Reference::Literal(name) => (name, Of::Name),
                _ => continue,
            };
            if let Some(named) = program.numbers.get(name) {
                // Who asks for the annotation makes the constants of enums in it.
                let is_enum = program.has_flag(*named, access::ENUM);
                let of = if is_enum { Of::Use } else { of };
                self.reach(self.of_type(*named, of), from);
            }
        }
    }

    fn named_heads(&mut self, class: u32, from: Node) {
        let program = self.graph.program;
        let facts = program.types.get(class as usize).and_then(|ty| ty.facts);
        let named = facts.into_iter().flat_map(|facts| facts.classes());
        for named in named.filter_map(|name| program.numbers.get(name)) {
            self.reach(self.of_type(*named, Of::Head), from);
            if self.has(Flag::SeesMembers) {
                self.reach(self.of_type(*named, Of::Members), from);
            }
        }
        if self.has(Flag::SeesMembers) && self.has(Flag::MakesObjects) {
            let named = facts.into_iter().flat_map(|facts| facts.classes());
            let named = named.filter_map(|name| program.class(name));
            for shown in program.declared_by(class).into_iter().chain(named) {
                self.reach(self.of_type(shown, Of::Name), from);
            }
        }
    }

    fn all_members(&mut self, class: u32, from: Node) {
        let ty = self.graph.program.types.get(class as usize);
        for id in ty.map_or(0..0, |ty| ty.members.clone()) {
            self.reach(self.member(id), from);
        }
    }

    fn expand(&mut self, node: Node) {
        match self.graph.numbers.meaning(node) {
            Meaning::Type(class, of) => self.expand_type(class, of, node),
            Meaning::Member(id) => self.expand_member(id, node),
            Meaning::Text(text) => {
                let meanings = self.graph.meanings.get(text as usize);
                for meaning in meanings.into_iter().flatten() {
                    self.reach(*meaning, node);
                }
                if self.has(Flag::LooksForNames) {
                    self.name_is_known(text);
                }
            }
            Meaning::Resource(id) => self.expand_resource(id, node),
            Meaning::Flag(flag) => self.expand_flag(flag),
        }
    }

    fn expand_type(&mut self, class: u32, of: Of, node: Node) {
        let program = self.graph.program;
        let above: Vec<u32> = program.above(class).collect();
        let ty = program.types.get(class as usize);
        match of {
            Of::Head => {
                for above in above {
                    self.reach(self.of_type(above, Of::Head), node);
                }
                // The values of annotations have no code that runs.
                if program.has_flag(class, access::ANNOTATION) {
                    self.all_members(class, node);
                    self.annotations(class, node);
                }
            }
            Of::Use => {
                self.reach(self.of_type(class, Of::Head), node);
                if let Some(id) = program.declared_member(class, "<clinit>", "()V") {
                    self.reach(self.member(id), node);
                }
                for above in above {
                    self.reach(self.of_type(above, Of::Use), node);
                }
                self.class_is_known(class, node);
            }
            Of::Object => {
                self.reach(self.of_type(class, Of::Use), node);
                for id in ty.into_iter().flat_map(|ty| ty.callbacks.iter()) {
                    self.reach(self.member(*id), node);
                }
                for (id, caller) in self.waiting.remove(&class).unwrap_or_default() {
                    self.reach(self.member(id), caller);
                }
                for call in self.calls_on.remove(&class).unwrap_or_default() {
                    if let Some((_, has_object)) = self.calls.get_mut(&call) {
                        *has_object = true;
                    }
                }
            }
            Of::Name => {
                self.reach(self.of_type(class, Of::Head), node);
                if self.has(Flag::Initializes) {
                    self.reach(self.of_type(class, Of::Use), node);
                }
                self.class_is_known(class, node);
            }
            // What declarations name is seen with them.
            Of::Members => self.named_heads(class, node),
        }
    }

    /// Reflection may come to a class that code uses or names.
    fn class_is_known(&mut self, class: u32, from: Node) {
        if self.graph.rules.reflection.is_none() {
            return;
        }
        for service in self.graph.services.get(&class).cloned().unwrap_or_default() {
            self.reach(service, from);
        }
        if self.has(Flag::SeesMembers) {
            self.members_are_seen(class, from);
        }
        if self.has(Flag::MakesObjects) {
            self.objects_are_made(class, from);
        }
        // What is inherited is found through it: annotations, members.
        for class in self.graph.program.with_above(class) {
            if self.inherited.insert(class) {
                self.annotations(class, from);
                self.names_are_known(class, from);
            }
        }
    }

    /// Its members are reached once somebody looks for their names.
    fn names_are_known(&mut self, class: u32, from: Node) {
        let program = self.graph.program;
        let ty = program.types.get(class as usize);
        for id in ty.map_or(0..0, |ty| ty.members.clone()) {
            let member = program.members.get(id as usize);
            let text = member.and_then(|member| self.graph.texts.get(member.name));
            if let Some(text) = text {
                if self.has(Flag::LooksForNames) && self.is_seen(self.graph.numbers.text(*text)) {
                    self.reach(self.member(id), from);
                    self.reach(self.of_type(class, Of::Use), from);
                } else {
                    self.by_name.entry(*text).or_default().push((id, from));
                }
            }
        }
    }

    fn members_are_seen(&mut self, class: u32, from: Node) {
        self.reach(self.of_type(class, Of::Members), from);
        self.reach(self.of_type(class, Of::Use), from);
        self.all_members(class, from);
    }

    /// Only classes whose name code has: who has an object already has what it needs.
    fn objects_are_made(&mut self, class: u32, from: Node) {
        if !self.is_seen(self.of_type(class, Of::Name)) {
            return;
        }
        self.reach(self.of_type(class, Of::Object), from);
        let program = self.graph.program;
        let ty = program.types.get(class as usize);
        for id in ty.map_or(0..0, |ty| ty.members.clone()) {
            let member = program.members.get(id as usize);
            if member.is_some_and(|member| member.name == "<init>") {
                self.reach(self.member(id), from);
            }
        }
    }

    fn name_is_known(&mut self, text: u32) {
        for (id, from) in self.by_name.remove(&text).unwrap_or_default() {
            self.reach(self.member(id), from);
            if let Some(member) = self.graph.program.members.get(id as usize) {
                self.reach(self.of_type(member.class, Of::Use), from);
            }
        }
    }

    fn expand_member(&mut self, id: u32, node: Node) {
        let graph = self.graph;
        let program = graph.program;
        let Some(member) = program.members.get(id as usize) else {
            return;
        };
        // A field that is no constant is used with its class.
        self.reach(self.of_type(member.class, Of::Use), node);
        for flag in graph.unknown_names.get(&id).into_iter().flatten() {
            self.reach(graph.numbers.flag(*flag), node);
        }
        for target in graph.targets_of(id) {
            self.target(target, node);
        }
        // Whoever comes to a method that others implement may call it.
        if member.is_method && member.is(access::ABSTRACT) {
            self.is_called(member.name);
        }
    }

    fn target(&mut self, target: Target, from: Node) {
        match target {
            Target::Node(target) => self.reach(target, from),
            Target::Virtual(call) => self.call(call, from),
            Target::Lambda(lambda) => self.lambda(lambda, from),
        }
    }

    /// Nobody knows which members a test uses that does not look for any. True if there is something new.
    fn use_unknown_members(&mut self) -> bool {
        let looks = self.has(Flag::LooksForNames) || self.has(Flag::SeesMembers);
        let is_unknown = self.has(Flag::UsesMembers) && !looks;
        if is_unknown {
            let from = self.graph.numbers.flag(Flag::UsesMembers);
            self.reach(self.graph.numbers.flag(Flag::SeesMembers), from);
        }
        is_unknown
    }

    fn expand_resource(&mut self, id: u32, node: Node) {
        let program = self.graph.program;
        let resource = self.graph.resources.get(id as usize);
        let classes = resource.into_iter().flat_map(|resource| &resource.classes);
        let classes: Vec<u32> = classes
            .filter_map(|name| program.numbers.get(&**name).copied())
            .collect();
        for class in classes {
            self.reach(self.of_type(class, Of::Name), node);
            self.objects_are_made(class, node);
        }
    }

    fn expand_flag(&mut self, flag: Flag) {
        let graph = self.graph;
        let types = 0..graph.program.types.len() as u32;
        match flag {
            Flag::LooksForNames => {
                let texts: Vec<u32> = self.by_name.keys().copied().collect();
                for text in texts {
                    if self.is_seen(graph.numbers.text(text)) {
                        self.name_is_known(text);
                    }
                }
            }
            Flag::SeesMembers => {
                for class in types {
                    let members = self.of_type(class, Of::Members);
                    if self.is_seen(members) {
                        self.named_heads(class, members);
                    }
                    for of in [Of::Use, Of::Name] {
                        let known = self.of_type(class, of);
                        if self.is_seen(known) {
                            self.members_are_seen(class, known);
                        }
                    }
                }
            }
            Flag::MakesObjects => {
                for class in types {
                    let members = self.of_type(class, Of::Members);
                    if self.has(Flag::SeesMembers) && self.is_seen(members) {
                        self.named_heads(class, members);
                    }
                    self.objects_are_made(class, self.of_type(class, Of::Name));
                }
            }
            Flag::Initializes => {
                for class in types {
                    let name = self.of_type(class, Of::Name);
                    if self.is_seen(name) {
                        self.reach(self.of_type(class, Of::Use), name);
                    }
                }
            }
            Flag::SeesPackages => {
                let infos: Vec<u32> = graph.program.package_infos().collect();
                for info in infos {
                    let head = self.of_type(info, Of::Head);
                    self.reach(head, graph.numbers.flag(flag));
                    self.annotations(info, head);
                }
            }
            Flag::ReadsAnyResource => {
                for id in 0..graph.resources.len() as u32 {
                    self.reach(graph.numbers.resource(id), graph.numbers.flag(flag));
                }
            }
            Flag::UsesMembers | Flag::LooksForAnyClass => {}
        }
    }
}
