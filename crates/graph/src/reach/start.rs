//! What frameworks do with a test class.

use super::Search;
use crate::member_graph::class_named;
use crate::nodes::{Flag, Node, Of};
use tamis_snapshot::Reference;

impl Search<'_, '_, '_> {
    /// A framework makes objects of the test class, calls its methods, and reads its annotations.
    pub(super) fn start(&mut self, test: u32) {
        let start = self.of_type(test, Of::Head);
        self.reach(start, start);
        let mut classes = vec![(test, start)];
        let mut at = 0;
        while let Some((class, from)) = classes.get(at).copied() {
            at += 1;
            for of in [Of::Object, Of::Use, Of::Members] {
                self.reach(self.of_type(class, of), from);
            }
            self.all_members(class, from);
            let program = self.graph.program;
            let ty = program.types.get(class as usize);
            let facts = ty.and_then(|ty| ty.facts);
            let values = facts
                .into_iter()
                .flat_map(|facts| facts.annotation_values());
            let values: Vec<u32> = values
                .filter_map(|value| match value {
                    Reference::Literal(name) | Reference::Type(name) => {
                        program.numbers.get(name).copied()
                    }
                    Reference::Text(text) => {
                        // A method of another class, which the framework calls.
                        if text.contains('#')
                            && let Some(class) = class_named(program, text)
                        {
                            for class in program.with_above(class) {
                                self.members_are_seen(class, from);
                            }
                        }
                        let text = self.graph.texts.get(text)?;
                        self.reach(self.graph.numbers.text(*text), from);
                        None
                    }
                    _ => None,
                })
                .collect();
            self.given_by_framework(class, from);
            let nested = self.nested(class);
            let above: Vec<u32> = program.above(class).collect();
            for next in values.into_iter().chain(above).chain(nested) {
                if !classes.iter().any(|(known, _)| *known == next) {
                    let head = self.of_type(next, Of::Head);
                    self.reach(head, from);
                    classes.push((next, head));
                }
            }
        }
        for node in self.graph.services_outside.clone() {
            self.reach(node, start);
        }
        // Nobody is seen to read the others, so nobody is seen to use the names in them.
        for node in self.graph.unnamed.clone() {
            if self.is_changed.get(node as usize) == Some(&true) {
                self.reach(node, start);
            }
        }
        if self.graph.rules.reflection.is_some() && self.graph.program.is_wired_test(test) {
            self.reach(self.graph.numbers.flag(Flag::LooksForAnyClass), start);
        }
    }

    /// A framework may make what annotated fields of a test class hold, and the arguments of its constructors and
    /// annotated methods, by any method of their classes; and it may call methods to put things into them.
    fn given_by_framework(&mut self, class: u32, from: Node) {
        let program = self.graph.program;
        let ty = program.types.get(class as usize);
        let members = ty.map_or(0..0, |ty| ty.members.clone());
        for member in members.filter_map(|id| program.members.get(id as usize)) {
            let mut annotations = member.of.annotations().peekable();
            if annotations.peek().is_none() && member.name != "<init>" {
                continue;
            }
            // Its methods run only if the test calls them.
            let is_mock = !member.is_method && annotations.all(is_mock);
            let given = member.descriptor.split(')').next().unwrap_or_default();
            for given in given.split(['(', ';', '[']) {
                let given = given.strip_prefix('L').and_then(|name| program.class(name));
                let Some(given) = given else { continue };
                self.reach(self.of_type(given, Of::Name), from);
                self.objects_are_made(given, from);
                if !is_mock {
                    self.members_are_seen(given, from);
                }
            }
        }
    }

    /// The classes that are declared in a test class.
    fn nested(&self, class: u32) -> Vec<u32> {
        let name = self.graph.program.name(class);
        let is_inside = |inner: &str| {
            let rest = inner.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with('$'))
        };
        self.graph.program.named_in(class, is_inside)
    }
}

/// Whether an annotation says that a framework makes an object that does nothing.
fn is_mock(annotation: &str) -> bool {
    ["org/mockito/Mock", "org/mockito/Captor"].contains(&annotation)
}
