//! Calls whose object decides what runs: methods of classes of which a test makes objects, and lambdas.

use super::Search;
use crate::nodes::{Node, Of};
use tamis_classfile::access;

impl<'s> Search<'_, '_, 's> {
    pub(super) fn call(&mut self, number: u32, from: Node) {
        let Some(call) = self.graph.virtual_calls.get(number as usize) else {
            return;
        };
        if self.calls.contains_key(&number) {
            return;
        }
        self.is_called(call.name);
        // An object may be a lambda, which has no class of its own.
        if let Some(named) = call.named.filter(|named| self.is_default_method(*named)) {
            self.reach(self.member(named), from);
        }
        let mut has_object = false;
        for (class, method) in &call.receivers {
            if self.is_seen(self.of_type(*class, Of::Object)) {
                has_object = true;
                self.reach(self.member(*method), from);
            } else {
                let waiting = self.waiting.entry(*class).or_default();
                waiting.push((*method, from));
                self.calls_on.entry(*class).or_default().push(number);
            }
        }
        self.calls.insert(number, (from, has_object));
    }

    fn is_default_method(&self, id: u32) -> bool {
        let program = self.graph.program;
        let member = program.members.get(id as usize);
        member.is_some_and(|member| {
            !member.is(access::ABSTRACT) && program.has_flag(member.class, access::INTERFACE)
        })
    }

    pub(super) fn lambda(&mut self, number: u32, from: Node) {
        let graph = self.graph;
        let Some(lambda) = graph.lambdas.get(number as usize) else {
            return;
        };
        if self.called.contains(lambda.method) {
            for target in &lambda.body {
                self.target(*target, from);
            }
        } else {
            let waiting = self.lambdas.entry(lambda.method).or_default();
            waiting.push((number, from));
        }
    }

    pub(super) fn is_called(&mut self, method: &'s str) {
        if self.called.insert(method) {
            for (lambda, from) in self.lambdas.remove(method).unwrap_or_default() {
                self.lambda(lambda, from);
            }
        }
    }

    /// Calls for which no code is seen to make an object: nobody knows where theirs comes from. True if there is
    /// something new.
    pub(super) fn call_without_objects(&mut self) -> bool {
        let before = self.queue.len();
        let mut without: Vec<(u32, Node)> = self
            .calls
            .iter()
            .filter(|(_, (_, has_object))| !has_object)
            .map(|(call, (from, _))| (*call, *from))
            .collect();
        without.sort_unstable();
        for (number, from) in without {
            let Some(call) = self.graph.virtual_calls.get(number as usize) else {
                continue;
            };
            let named = call.named.into_iter();
            let methods: Vec<u32> = named
                .chain(call.receivers.iter().map(|(_, method)| *method))
                .collect();
            for method in methods {
                self.reach(self.member(method), from);
            }
            if let Some((_, has_object)) = self.calls.get_mut(&number) {
                *has_object = true;
            }
        }
        self.queue.len() > before
    }
}
