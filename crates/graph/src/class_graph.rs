//! Classes, and the classes that each depends on.

use crate::changes::Changes;
use crate::member_graph::class_named;
use crate::names::unknown_names;
use crate::nodes::{Flag, NodeName};
use crate::program::Program;
use crate::reach::{Affected, Cause};
use crate::resources::Resource;
use std::collections::{HashMap, HashSet, VecDeque};
use tamis_code::references::{ReflectionKind, reflection_kinds};
use tamis_snapshot::Reference;

/// Which dependencies between classes count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relations {
    /// What class files name: supertypes, members, descriptors, signatures, annotations.
    Named,
    /// Also what is hidden: names of classes and resources that stand in texts, services.
    Hidden,
}

/// The classes of a program, and which depend on which.
#[derive(Debug)]
pub struct ClassGraph<'p, 's> {
    program: &'p Program<'s>,
    relations: Relations,
    resources: Vec<Resource>,
    /// For each class and then each resource those that depend on it.
    dependents: Vec<Vec<u32>>,
    /// The resources that no class names.
    unnamed: Vec<usize>,
    /// Those of them that list providers of services of others, who look for them.
    services: Vec<usize>,
    /// Classes whose code looks for classes or resources by names that nobody knows.
    unknown: Vec<(u32, Flag)>,
}

impl<'p, 's> ClassGraph<'p, 's> {
    /// Finds what each class depends on.
    pub fn new(program: &'p Program<'s>, relations: Relations, resources: Vec<Resource>) -> Self {
        let classes = program.types.len();
        let mut graph = ClassGraph {
            program,
            relations,
            dependents: vec![Vec::new(); classes + resources.len()],
            unnamed: Vec::new(),
            services: Vec::new(),
            unknown: Vec::new(),
            resources,
        };
        let mut texts = HashMap::new();
        let mut is_named = vec![false; graph.resources.len()];
        let infos: Vec<u32> = program.package_infos().collect();
        for (number, ty) in (0..).zip(&program.types) {
            let Some(facts) = ty.facts else { continue };
            for name in facts.classes() {
                if let Some(on) = program.numbers.get(name) {
                    graph.add(number, *on as usize);
                }
            }
            if relations == Relations::Named {
                continue;
            }
            let of_members = facts.methods().flat_map(|method| method.references());
            for reference in of_members.chain(facts.annotation_values()) {
                // Who asks packages for their annotations comes to what these name.
                if let Reference::Call { class, name, .. } = reference
                    && !infos.is_empty()
                    && reflection_kinds(class.as_bytes(), name.as_bytes())
                        .contains(&ReflectionKind::Packages)
                {
                    infos
                        .iter()
                        .for_each(|info| graph.add(number, *info as usize));
                }
                if let Reference::Text(text) = reference {
                    let meanings = texts.entry(text).or_insert_with(|| {
                        for (is_named, resource) in is_named.iter_mut().zip(&graph.resources) {
                            *is_named |= resource.belongs_to(text);
                        }
                        graph.meanings(text)
                    });
                    for on in meanings.iter() {
                        if let Some(of) = graph.dependents.get_mut(*on) {
                            of.push(number);
                        }
                    }
                }
            }
        }
        if relations == Relations::Hidden {
            graph.link_resources(&is_named);
            graph.unknown = unknown_classes(program);
        }
        graph
    }

    /// How many nodes there are, and how many edges.
    pub fn size(&self) -> (usize, usize) {
        let edges = self.dependents.iter().map(Vec::len);
        (self.dependents.len(), edges.sum())
    }

    fn add(&mut self, from: u32, on: usize) {
        if let Some(dependents) = self.dependents.get_mut(on) {
            dependents.push(from);
        }
    }

    /// The classes and resources that a text means.
    fn meanings(&self, text: &str) -> Vec<usize> {
        let class = class_named(self.program, text).map(|class| class as usize);
        let resources = self.resources.iter().enumerate();
        let resources = resources.filter(|(_, resource)| resource.is_named_by(text));
        let first = self.program.types.len();
        let resources = resources.map(|(id, _)| first + id);
        class.into_iter().chain(resources).collect()
    }

    /// Who depends on a resource depends on the classes that it names; services are looked up by their type.
    fn link_resources(&mut self, is_named: &[bool]) {
        let first = self.program.types.len();
        for (id, resource) in self.resources.clone().into_iter().enumerate() {
            let service = resource.service();
            let own = service
                .as_ref()
                .and_then(|service| self.program.class(service))
                .filter(|class| !self.program.is_in_archive(*class));
            match own {
                Some(service) => self.add(service, first + id),
                None if service.is_some() || resource.is_of_junit() => {
                    self.services.push(first + id);
                    self.unnamed.push(first + id);
                }
                None if is_named.get(id) != Some(&true) => self.unnamed.push(first + id),
                None => {}
            }
            for class in &resource.classes {
                if let Some(class) = self.program.numbers.get(&**class).copied() {
                    self.add((first + id) as u32, class as usize);
                }
            }
        }
    }

    /// Which of `tests` depend on what changed: a search in breadth from each change back to all that reach it
    /// (algorithm 1 of the Sapient paper).
    pub fn affected(&self, changes: &Changes, tests: &[u32]) -> Vec<Affected> {
        let first = self.program.types.len();
        let (here, gone): (Vec<&String>, Vec<&String>) = {
            let names = changes.classes.keys();
            names.partition(|name| self.program.numbers.contains_key(&***name))
        };
        let classes = here.into_iter();
        let classes = classes.filter_map(|name| self.program.numbers.get(&**name).copied());
        // Who names a class that is gone depends on it.
        let naming = gone.iter().flat_map(|name| self.program.naming(name));
        let hidden = gone.iter().filter(|_| self.relations == Relations::Hidden);
        let texts = hidden.flat_map(|name| self.program.members_with_text(name));
        let texts = texts.filter_map(|id| Some(self.program.members.get(id as usize)?.class));
        let resources = self.resources.iter().enumerate();
        let resources = resources.filter(|(_, r)| changes.resources.contains(&r.path));
        let resources = resources.map(|(id, _)| first + id);
        let classes = classes
            .chain(naming)
            .chain(texts)
            .map(|class| class as usize);
        let mut search = Search {
            graph: self,
            from: vec![None; self.dependents.len()],
        };
        search.back(classes.chain(resources));
        // Who looks for names that nobody knows may find whatever changed, and so may a framework that puts the
        // application together.
        let unknown = self.unknown_for(changes, tests);
        search.back(unknown.iter().copied());
        let from = search.from;
        // Any test may use a resource that nobody names; what its text names is another matter.
        let unnamed = self.unnamed.iter();
        let mut unnamed = unnamed.filter(|node| match from.get(**node) {
            Some(Some(next)) => next == *node || self.services.contains(node),
            _ => false,
        });
        let unnamed = unnamed.next().copied();
        // Nobody names a class that holds annotations of a package.
        let is_info = |name: &&String| name.ends_with("package-info");
        let info = changes.classes.keys().find(is_info);
        let info = info.filter(|_| self.relations == Relations::Hidden);
        let affected = tests.iter().filter_map(|test| {
            let node = *test as usize;
            let start = match (from.get(node)?, unnamed, info) {
                (Some(_), ..) => node,
                (None, Some(unnamed), _) => unnamed,
                (None, None, Some(info)) => {
                    let path = vec![self.name(node), NodeName::Class(info.clone())];
                    return Some(Affected {
                        test: *test,
                        cause: Cause::Path(path),
                    });
                }
                (None, None, None) => return None,
            };
            let mut path = vec![self.name(node)];
            if start != node {
                path.push(self.name(start));
            }
            let mut at = start;
            while let Some(Some(next)) = from.get(at)
                && *next != at
            {
                path.push(self.name(*next));
                at = *next;
            }
            let is_unknown = unknown.contains(&at) && !self.is_changed(at, changes);
            Some(Affected {
                test: *test,
                cause: match is_unknown {
                    true => Cause::UnknownReflection(path),
                    false => Cause::Path(path),
                },
            })
        });
        affected.collect()
    }

    fn is_changed(&self, node: usize, changes: &Changes) -> bool {
        let name = self.program.name(node as u32);
        node < self.program.types.len() && changes.classes.contains_key(name)
    }

    /// The classes for which nobody knows whether they find what changed.
    fn unknown_for(&self, changes: &Changes, tests: &[u32]) -> HashSet<usize> {
        if self.relations == Relations::Named || changes.is_empty() {
            return HashSet::new();
        }
        let reads = !changes.resources.is_empty();
        let unknown = self.unknown.iter();
        let unknown = unknown.filter(|(_, flag)| *flag == Flag::LooksForAnyClass || reads);
        let wired = tests.iter().copied();
        let wired = wired.filter(|test| self.program.is_wired_test(*test));
        let all = unknown.map(|(class, _)| *class).chain(wired);
        all.map(|class| class as usize).collect()
    }

    fn name(&self, node: usize) -> NodeName {
        match node.checked_sub(self.program.types.len()) {
            None => NodeName::Class(self.program.name(node as u32).to_owned()),
            Some(id) => {
                let resource = self.resources.get(id);
                NodeName::Resource(resource.map(|r| r.path.clone()).unwrap_or_default())
            }
        }
    }
}

/// A search back from what changed to all that depend on it.
struct Search<'g, 'p, 's> {
    graph: &'g ClassGraph<'p, 's>,
    /// For each node that was reached the next one on the way to what changed; itself where that is.
    from: Vec<Option<usize>>,
}

impl Search<'_, '_, '_> {
    fn back(&mut self, starts: impl Iterator<Item = usize>) {
        let mut queue = VecDeque::new();
        for node in starts {
            if let Some(slot @ None) = self.from.get_mut(node) {
                *slot = Some(node);
                queue.push_back(node);
            }
        }
        while let Some(node) = queue.pop_front() {
            for dependent in self.graph.dependents.get(node).into_iter().flatten() {
                if let Some(slot @ None) = self.from.get_mut(*dependent as usize) {
                    *slot = Some(node);
                    queue.push_back(*dependent as usize);
                }
            }
        }
    }
}

/// The classes with code that looks for classes or resources by names that nobody knows.
fn unknown_classes(program: &Program<'_>) -> Vec<(u32, Flag)> {
    let unknown = unknown_names(program).into_iter();
    let unknown = unknown.flat_map(|(id, flags)| flags.into_iter().map(move |flag| (id, flag)));
    let unknown = unknown.filter_map(|(id, flag)| {
        let class = program.members.get(id as usize)?.class;
        [Flag::LooksForAnyClass, Flag::ReadsAnyResource]
            .contains(&flag)
            .then_some((class, flag))
    });
    unknown.collect()
}
