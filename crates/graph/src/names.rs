//! Where the names come from that reflective code looks for: parameters are followed back to callers.

use crate::nodes::Flag;
use crate::program::Program;
use std::collections::{HashMap, HashSet};
use tamis_snapshot::{Asked, Reference};

/// A parameter of the methods with a name and a descriptor.
type Parameter<'s> = (&'s str, &'s str, u16);

/// For each member what a test must be taken to do that reaches it, because names are unknown that it looks for.
pub(crate) fn unknown_names(program: &Program<'_>) -> HashMap<u32, Vec<Flag>> {
    let mut flags: HashMap<u32, Vec<Flag>> = HashMap::new();
    let mut by_parameter: HashMap<Parameter<'_>, Vec<(u32, Flag)>> = HashMap::new();
    for (id, member) in (0..).zip(&program.members) {
        for (asked, parameter) in member.of.asks() {
            let flag = match asked {
                Asked::Class => Flag::LooksForAnyClass,
                Asked::Member => Flag::SeesMembers,
                Asked::Constructor => Flag::MakesObjects,
                Asked::Resource => Flag::ReadsAnyResource,
            };
            match parameter {
                None => flags.entry(id).or_default().push(flag),
                Some(number) => {
                    let key = (member.name, member.descriptor, number);
                    by_parameter.entry(key).or_default().push((id, flag));
                }
            }
        }
    }
    if by_parameter.is_empty() {
        return flags;
    }
    let callers = Callers::new(program);
    for (parameter, members) in by_parameter {
        if !callers.is_known(parameter) {
            for (id, flag) in members {
                flags.entry(id).or_default().push(flag);
            }
        }
    }
    flags
}

/// Who calls methods that hand on parameters or look for their values.
struct Callers<'p, 's> {
    program: &'p Program<'s>,
    by_callee: HashMap<(&'s str, &'s str), Vec<u32>>,
    /// Methods that code outside, or reflection, may call with anything.
    open: HashSet<(&'s str, &'s str)>,
}

impl<'p, 's> Callers<'p, 's> {
    fn new(program: &'p Program<'s>) -> Self {
        let mut followed: HashSet<(&str, &str)> = HashSet::new();
        for member in &program.members {
            let asks = member.of.asks().any(|(_, parameter)| parameter.is_some());
            let passes = member
                .of
                .passed()
                .any(|passed| !passed.parameters.is_empty());
            if asks || passes {
                followed.insert((member.name, member.descriptor));
            }
        }
        let mut texts: HashSet<&str> = HashSet::new();
        let mut callees: Vec<HashMap<u32, (&str, &str)>> = Vec::new();
        for (_, references) in program.snapshot.entries() {
            let mut of_entry = HashMap::new();
            for (number, reference) in (0..).zip(references) {
                match reference {
                    Reference::Call {
                        name, descriptor, ..
                    }
                    | Reference::Lambda {
                        name, descriptor, ..
                    } if followed.contains(&(name, descriptor)) => {
                        of_entry.insert(number, (name, descriptor));
                    }
                    Reference::Text(text) => drop(texts.insert(text)),
                    _ => {}
                }
            }
            callees.push(of_entry);
        }
        let mut by_callee: HashMap<(&str, &str), Vec<u32>> = HashMap::new();
        for (id, member) in (0..).zip(&program.members) {
            let ty = program.types.get(member.class as usize);
            let of_entry = ty.and_then(|ty| callees.get(ty.class.entry_number()));
            for number in member.references {
                if let Some(callee) = of_entry.and_then(|callees| callees.get(number)) {
                    by_callee.entry(*callee).or_default().push(id);
                }
            }
        }
        let callbacks = program.types.iter().flat_map(|ty| ty.callbacks.iter());
        let callbacks = callbacks.filter_map(|id| program.members.get(*id as usize));
        let mut open: HashSet<_> = callbacks.map(|m| (m.name, m.descriptor)).collect();
        // Whoever knows its annotation may call it with values of its own.
        let annotated = program.members.iter();
        let annotated = annotated.filter(|member| member.of.annotations().next().is_some());
        open.extend(annotated.map(|member| (member.name, member.descriptor)));
        open.extend(
            followed
                .into_iter()
                .filter(|(name, _)| texts.contains(name)),
        );
        Callers {
            program,
            by_callee,
            open,
        }
    }

    /// Whether all values of a parameter stand in code.
    fn is_known(&self, parameter: Parameter<'s>) -> bool {
        let (mut seen, mut next) = (HashSet::from([parameter]), vec![parameter]);
        while let Some((name, descriptor, number)) = next.pop() {
            let callers = self.by_callee.get(&(name, descriptor));
            let Some(callers) = callers.filter(|_| !self.open.contains(&(name, descriptor))) else {
                return false;
            };
            for id in callers {
                let Some(caller) = self.program.members.get(*id as usize) else {
                    return false;
                };
                let is_it = |passed: &tamis_snapshot::Passed<'_>| {
                    passed.name == name
                        && passed.descriptor == descriptor
                        && passed.argument == number
                };
                let Some(passed) = caller.of.passed().find(is_it) else {
                    return false;
                };
                let parameters = passed.parameters.iter();
                let keys = parameters.map(|of| (caller.name, caller.descriptor, *of));
                next.extend(keys.filter(|key| seen.insert(*key)));
            }
        }
        true
    }
}
