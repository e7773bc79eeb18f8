//! What changed, and the nodes of a graph that this concerns.

use crate::member_graph::MemberGraph;
use crate::nodes::{Node, Of};
use std::collections::{BTreeMap, BTreeSet};
use tamis_classfile::access;

/// A member of a class: its name and, of methods, the descriptor; fields have theirs, too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberKey {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// What changed of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// All of it, or nobody can say what: it was added, too, or cannot be read.
    Whole,
    /// It is not there any more.
    Deleted,
    /// Only parts of it.
    Parts {
        /// Its supertypes, flags, annotations or whatever belongs to no member.
        head: bool,
        /// Which classes are nested in it, which only reflection sees.
        nested: bool,
        /// Members that differ.
        changed: BTreeSet<MemberKey>,
        /// Members that are new.
        added: BTreeSet<MemberKey>,
        /// Members that are gone.
        deleted: BTreeSet<MemberKey>,
    },
}

/// What changed in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// By internal names of classes.
    pub classes: BTreeMap<String, Change>,
    /// Resources that were changed, added or deleted, by their paths below the class path entry.
    pub resources: BTreeSet<String>,
}

impl Change {
    /// No change, to which parts may be added.
    pub fn nothing() -> Change {
        Change::Parts {
            head: false,
            nested: false,
            changed: BTreeSet::new(),
            added: BTreeSet::new(),
            deleted: BTreeSet::new(),
        }
    }
}

impl Changes {
    /// Takes all of each class that changed: who was compiled with what was before depends on more than what it calls.
    pub fn make_whole(&mut self) {
        self.classes.values_mut().for_each(|change| {
            if matches!(change, Change::Parts { .. }) && *change != Change::nothing() {
                *change = Change::Whole;
            }
        });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.resources.is_empty()
    }
}

impl MemberGraph<'_, '_> {
    /// The nodes that changed.
    pub(crate) fn changed(&self, changes: &Changes) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (name, change) in &changes.classes {
            let Some(class) = self.program.numbers.get(&**name).copied() else {
                // Its users changed with it, but for those that have its name only as a text, or only where the JVM
                // links them.
                let members = self.program.members_with_text(name).into_iter();
                nodes.extend(members.map(|id| self.numbers.member(id)));
                let naming = self.program.naming(name).into_iter();
                nodes.extend(naming.map(|class| self.numbers.of_type(class, Of::Use)));
                continue;
            };
            let mut add = |of: Of| nodes.push(self.numbers.of_type(class, of));
            match change {
                Change::Whole | Change::Deleted => {
                    add(Of::Head);
                    add(Of::Members);
                    let ty = self.program.types.get(class as usize);
                    let members = ty.map_or(0..0, |ty| ty.members.clone());
                    nodes.extend(members.map(|id| self.numbers.member(id)));
                }
                Change::Parts {
                    head,
                    nested,
                    changed,
                    added,
                    deleted,
                } => {
                    if *head {
                        add(Of::Head);
                    }
                    // An interface is initialized with its implementations once it has code.
                    let is_interface = self.program.has_flag(class, access::INTERFACE);
                    if is_interface && !(added.is_empty() && deleted.is_empty()) {
                        add(Of::Use);
                    }
                    if *nested || !added.is_empty() || !deleted.is_empty() {
                        add(Of::Members);
                    }
                    for key in changed.iter().chain(added) {
                        self.changed_member(class, key, &mut nodes);
                    }
                    // Who called another one may now call it, and run what overrides it.
                    for key in added {
                        nodes.extend(self.overriding(class, key));
                    }
                    for key in deleted {
                        self.deleted_member(class, key, &mut nodes);
                    }
                }
            }
        }
        for (id, resource) in (0..).zip(&self.resources) {
            if changes.resources.contains(&resource.path) {
                nodes.push(self.numbers.resource(id));
            }
        }
        nodes
    }

    fn changed_member(&self, class: u32, key: &MemberKey, nodes: &mut Vec<Node>) {
        let program = self.program;
        match program.declared_member(class, &key.name, &key.descriptor) {
            Some(id) => nodes.push(self.numbers.member(id)),
            // It is not where it should be: all of the class is in doubt.
            None => nodes.push(self.numbers.of_type(class, Of::Head)),
        }
    }

    /// What runs on objects of the classes below.
    fn overriding(&self, class: u32, key: &MemberKey) -> Vec<Node> {
        let program = self.program;
        let selector = program.selector(&key.name, &key.descriptor);
        let below = program.below(class).into_iter();
        let all: BTreeSet<u32> = below
            .filter_map(|below| program.implementation(below, selector?))
            .collect();
        all.into_iter().map(|id| self.numbers.member(id)).collect()
    }

    /// Who reached it now reaches what its class inherits instead.
    fn deleted_member(&self, class: u32, key: &MemberKey, nodes: &mut Vec<Node>) {
        let program = self.program;
        let instead = program.resolve(class, &key.name, &key.descriptor);
        nodes.extend(instead.map(|id| self.numbers.member(id)));
        nodes.extend(self.overriding(class, key));
        // Nothing of the project takes its place: a method outside may, or an initializer that is gone.
        if instead.is_none() {
            nodes.push(self.numbers.of_type(class, Of::Use));
        }
    }
}
