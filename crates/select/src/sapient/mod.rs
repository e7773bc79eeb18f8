//! Static techniques: the framework Sapient and what was built on it (Li, Wang, Yang et al., FEST and MEST), and the
//! class firewall that it is compared with. They need no recording, only the classes as they are now and what changed.
//!
//! The four steps of the paper: changes are found by fingerprints or in the sources ([`StaticFacts`]), graphs are built
//! by `tamis_graph` with the rules that each module here names, they are searched, and test classes that failed
//! recently are added.

mod facts;
mod fest;
mod firewall;
mod mest;
mod mest_s;
mod mest_s_r1;
mod mest_s_r2;

use crate::{Facts, MemberName, Reason, Selection, TechniqueName, Verdict, readable};
pub use facts::{Compared, StaticFacts, StaticTest};
pub use fest::Fest;
pub use firewall::Firewall;
pub use mest::Mest;
pub use mest_s::MestS;
pub use mest_s_r1::MestSR1;
pub use mest_s_r2::MestSR2;
use std::collections::{BTreeSet, HashMap};
use tamis_graph::{
    Affected, Cause, Changes, ClassGraph, MemberGraph, MemberRules, NodeName, Relations,
};

/// Decides by the classes that tests depend on.
fn by_classes(technique: TechniqueName, facts: &Facts<'_>, relations: Relations) -> Selection {
    decide(
        technique,
        facts,
        |facts| ClassGraph::new(facts.program, relations, facts.resources.to_vec()),
        ClassGraph::affected,
    )
}

/// Decides by the members that tests reach.
fn by_members(technique: TechniqueName, facts: &Facts<'_>, rules: MemberRules) -> Selection {
    decide(
        technique,
        facts,
        |facts| {
            let resources = facts.resources.to_vec();
            MemberGraph::new(facts.program, rules, resources, facts.outside)
        },
        MemberGraph::affected,
    )
}

fn decide<'f, G: 'f>(
    technique: TechniqueName,
    facts: &'f Facts<'_>,
    build: impl FnOnce(&'f StaticFacts<'f>) -> G,
    affected: impl Fn(&G, &Changes, &[u32]) -> Vec<Affected>,
) -> Selection {
    let Some(facts) = &facts.statics else {
        // What is not listed is never left out.
        return Selection {
            technique,
            verdicts: Vec::new(),
        };
    };
    let is_needed = facts.compared.iter().any(|group| {
        group.everything.is_none() && !group.changes.is_empty() && !group.tests.is_empty()
    });
    let graph = is_needed.then(|| build(facts));
    let mut verdicts = Vec::new();
    for group in facts.compared {
        let classes: BTreeSet<u32> = group.tests.iter().flat_map(classes_of).collect();
        let classes: Vec<u32> = classes.into_iter().collect();
        let causes: HashMap<u32, Cause> = match (&group.everything, &graph) {
            (None, Some(graph)) => affected(graph, &group.changes, &classes)
                .into_iter()
                .map(|affected| (affected.test, affected.cause))
                .collect(),
            _ => HashMap::new(),
        };
        for test in &group.tests {
            let mut reasons = test.due.clone();
            reasons.extend(group.everything.clone());
            match test.class {
                None => reasons.push(Reason::NotRead),
                Some(_) => {
                    let mut causes = classes_of(test).filter_map(|class| causes.get(&class));
                    reasons.extend(causes.next().map(reason));
                }
            }
            verdicts.push(Verdict {
                unchanged: group.everything.is_none() && group.changes.is_empty(),
                ..Verdict::new(test.test.clone(), test.known, reasons)
            });
        }
    }
    verdicts.sort_by(|a, b| a.test.cmp(&b.test));
    Selection {
        technique,
        verdicts,
    }
}

/// The class of a test, and the suites that may run it.
fn classes_of(test: &StaticTest) -> impl Iterator<Item = u32> + '_ {
    test.class.into_iter().chain(test.suites.iter().copied())
}

fn reason(cause: &Cause) -> Reason {
    let names = |path: &[NodeName]| path.iter().map(name).collect();
    match cause {
        Cause::Path(path) => Reason::Reaches { path: names(path) },
        Cause::UnknownReflection(path) => Reason::UnknownReflection { path: names(path) },
    }
}

/// A node as people know it.
fn name(node: &NodeName) -> String {
    let binary = |class: &str| class.replace('/', ".");
    match node {
        NodeName::Class(class) => binary(class),
        NodeName::Member {
            class,
            name,
            descriptor,
        } => {
            let member = readable(name.as_bytes(), descriptor.as_bytes());
            MemberName::member(binary(class), member).to_string()
        }
        NodeName::Resource(path) => path.clone(),
        NodeName::Text(text) => format!("{text:?}"),
        NodeName::Reflection => "reflection".to_owned(),
    }
}
