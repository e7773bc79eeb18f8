//! Methods and fields, and what each refers to.

use crate::class_graph::{ClassGraph, Relations};
use crate::names::unknown_names;
use crate::nodes::{Flag, Meaning, Node, NodeName, Numbers, Of};
use crate::outside::Outside;
use crate::program::Program;
use crate::references::{Resolver, Target, VirtualCall, Waiting};
use crate::resources::Resource;
use crate::rules::MemberRules;
use std::collections::{HashMap, HashSet};
use tamis_snapshot::Reference;

/// The members of a program, and what each refers to.
#[derive(Debug)]
pub struct MemberGraph<'p, 's> {
    pub(crate) program: &'p Program<'s>,
    /// The same program by classes, to find the tests that can be affected at all.
    pub(crate) classes: ClassGraph<'p, 's>,
    pub(crate) rules: MemberRules,
    pub(crate) numbers: Numbers,
    pub(crate) texts: HashMap<&'s str, u32>,
    pub(crate) text_list: Vec<&'s str>,
    /// What each text means: classes and resources.
    pub(crate) meanings: Vec<Vec<Node>>,
    pub(crate) resources: Vec<Resource>,
    /// Lists of providers of services of others, who look for them.
    pub(crate) services_outside: Vec<Node>,
    /// Resources that any test may use, because they belong to no code that names them.
    pub(crate) unnamed: Vec<Node>,
    /// Of services of the project: the resource that lists the providers, by the class.
    pub(crate) services: HashMap<u32, Vec<Node>>,
    pub(crate) virtual_calls: Vec<VirtualCall<'s>>,
    pub(crate) lambdas: Vec<Waiting<'s>>,
    /// What members do whose names are unknown that they look for.
    pub(crate) unknown_names: HashMap<u32, Vec<Flag>>,
    /// Where the references of each entry start in `offsets`.
    starts: Vec<usize>,
    /// Where the targets of each reference start.
    offsets: Vec<u32>,
    targets: Vec<Target>,
}

impl<'p, 's> MemberGraph<'p, 's> {
    /// Finds what each member refers to, by these rules.
    pub fn new(
        program: &'p Program<'s>,
        rules: MemberRules,
        resources: Vec<Resource>,
        outside: &dyn Outside,
    ) -> Self {
        let text_list = texts(program, &resources);
        let texts: HashMap<&str, u32> = text_list.iter().copied().zip(0..).collect();
        let numbers = Numbers::new(
            program.types.len(),
            program.members.len(),
            text_list.len(),
            resources.len(),
        );
        let mut resolver = Resolver {
            program,
            numbers,
            texts: &texts,
            outside,
            rules,
            virtual_calls: Vec::new(),
            lambdas: Vec::new(),
            by_key: HashMap::new(),
        };
        let (mut starts, mut offsets, mut targets) = (Vec::new(), vec![0], Vec::new());
        for (_, references) in program.snapshot.entries() {
            starts.push(offsets.len() - 1);
            for reference in references {
                resolver.targets(reference, &mut targets);
                offsets.push(targets.len() as u32);
            }
        }
        let (virtual_calls, lambdas) = (resolver.virtual_calls, resolver.lambdas);
        let mut graph = MemberGraph {
            program,
            classes: ClassGraph::new(program, Relations::Hidden, resources.clone()),
            rules,
            numbers,
            texts,
            text_list,
            meanings: Vec::new(),
            resources,
            services_outside: Vec::new(),
            unnamed: Vec::new(),
            services: HashMap::new(),
            virtual_calls,
            lambdas,
            unknown_names: match rules.reflection {
                Some(_) => unknown_names(program),
                None => HashMap::new(),
            },
            starts,
            offsets,
            targets,
        };
        graph.link_texts();
        graph
    }

    fn link_texts(&mut self) {
        let mut is_named = vec![false; self.resources.len()];
        let mut meanings = Vec::with_capacity(self.text_list.len());
        for text in &self.text_list {
            let class = class_named(self.program, text);
            let mut nodes: Vec<Node> = class
                .map(|class| self.numbers.of_type(class, Of::Name))
                .into_iter()
                .collect();
            for (id, resource) in self.resources.iter().enumerate() {
                if resource.is_named_by(text) {
                    nodes.push(self.numbers.resource(id as u32));
                    if let Some(is_named) = is_named.get_mut(id) {
                        *is_named |= resource.belongs_to(text);
                    }
                }
            }
            meanings.push(nodes);
        }
        self.meanings = meanings;
        for ((id, resource), is_named) in (0..).zip(&self.resources).zip(is_named) {
            let node = self.numbers.resource(id);
            match resource.service() {
                Some(service) => {
                    let class = self.program.class(&service);
                    if let Some(class) = class {
                        self.services.entry(class).or_default().push(node);
                    }
                    if class.is_none_or(|class| self.program.is_in_archive(class)) {
                        self.services_outside.push(node);
                    }
                }
                None if resource.is_of_junit() => self.services_outside.push(node),
                None if !is_named => self.unnamed.push(node),
                None => {}
            }
        }
    }

    /// Where the references of a member lead.
    pub(crate) fn targets_of(&self, member: u32) -> impl Iterator<Item = Target> + '_ {
        let member = self.program.members.get(member as usize);
        let class = member.and_then(|member| self.program.types.get(member.class as usize));
        let start = class.and_then(|ty| self.starts.get(ty.class.entry_number()));
        let references = member.map_or(&[][..], |member| member.references);
        references.iter().flat_map(move |number| {
            let at = start.map(|start| start + *number as usize);
            let range = at.and_then(|at| {
                let (start, end) = (self.offsets.get(at)?, self.offsets.get(at + 1)?);
                self.targets.get(*start as usize..*end as usize)
            });
            range.unwrap_or_default().iter().copied()
        })
    }

    /// What a node is called.
    pub fn name(&self, node: Node) -> NodeName {
        match self.numbers.meaning(node) {
            Meaning::Type(class, _) => NodeName::Class(self.program.name(class).to_owned()),
            Meaning::Member(id) => match self.program.members.get(id as usize) {
                Some(member) => self.program.member_name(member),
                None => NodeName::Reflection,
            },
            Meaning::Text(id) => {
                let text = self.text_list.get(id as usize).copied();
                NodeName::Text(text.unwrap_or_default().to_owned())
            }
            Meaning::Resource(id) => {
                let resource = self.resources.get(id as usize);
                NodeName::Resource(resource.map(|r| r.path.clone()).unwrap_or_default())
            }
            Meaning::Flag(_) => NodeName::Reflection,
        }
    }

    /// How many nodes there are, and how many references.
    pub fn size(&self) -> (usize, usize) {
        (self.numbers.count(), self.targets.len())
    }
}

/// The texts of code that can mean something: classes, members or resources of the project, each once.
fn texts<'s>(program: &Program<'s>, resources: &[Resource]) -> Vec<&'s str> {
    let names: HashSet<&str> = program.members.iter().map(|member| member.name).collect();
    let mut texts = Vec::new();
    let mut seen = HashSet::new();
    for (_, references) in program.snapshot.entries() {
        for reference in references {
            let Reference::Text(text) = reference else {
                continue;
            };
            let means = names.contains(text)
                || class_named(program, text).is_some()
                || resources.iter().any(|resource| resource.is_named_by(text));
            if means && seen.insert(text) {
                texts.push(text);
            }
        }
    }
    texts
}

/// The class that a text names: with dots or slashes, as an array or a descriptor, with `.class` behind it, with
/// dots before nested classes, or followed by a member.
pub(crate) fn class_named(program: &Program<'_>, text: &str) -> Option<u32> {
    let text = text.split('#').next().unwrap_or_default();
    let text = text.trim_start_matches('[').trim_start_matches('/');
    let text = text.strip_suffix(".class").unwrap_or(text);
    let inner = text.strip_prefix('L').and_then(|t| t.strip_suffix(';'));
    let mut name = inner.unwrap_or(text).replace('.', "/");
    loop {
        if let Some(number) = program.numbers.get(&*name) {
            return Some(*number);
        }
        let slash = name.rfind('/')?;
        name.replace_range(slash..=slash, "$");
    }
}
