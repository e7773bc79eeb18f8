//! From the changes of classes to the tests that each of them concerns.

use super::hierarchy::{Hierarchy, Method};
use crate::{Change, Facts, Path, Reason, readable};
use std::collections::{HashMap, HashSet};
use tamis_fingerprint::{Diff, Kind, MemberChange};

const PRIVATE: u16 = 0x0002;
const NATIVE: u16 = 0x0100;
const ABSTRACT: u16 = 0x0400;

/// A change, as a reason will name it.
#[derive(Debug, Clone)]
pub(super) enum Cause {
    /// Of the class as a whole.
    Class { class: String, change: Change },
    /// Of one member.
    Member {
        class: String,
        member: String,
        kind: Kind,
    },
}

impl Cause {
    fn reason(&self, path: Path) -> Reason {
        match self {
            Cause::Class { class, change } => Reason::Class {
                class: class.clone(),
                change: *change,
            },
            Cause::Member {
                class,
                member,
                kind,
            } => Reason::Member {
                class: class.clone(),
                member: member.clone(),
                change: kind.to_string(),
                path,
            },
        }
    }

    pub(super) fn used(&self) -> Reason {
        self.reason(Path::Class)
    }

    pub(super) fn executed(&self) -> Reason {
        self.reason(Path::Executed)
    }

    pub(super) fn seen(&self) -> Reason {
        self.reason(Path::Reflection)
    }

    pub(super) fn instead_of(&self, rival: Option<String>) -> Reason {
        self.reason(Path::Lookup {
            instead_of: rival.unwrap_or_default(),
        })
    }
}

/// What a change of one class does, by how a test can be concerned.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// Concerns every test that used the class.
    pub(super) users: Vec<Cause>,
    /// Concerns those that executed the method of this number.
    pub(super) executed: Vec<(u32, Cause)>,
    /// Concerns those that look at what the class declares.
    pub(super) declared: Vec<Cause>,
    /// Added methods that may run instead of others.
    pub(super) lookups: Vec<Lookup>,
    /// What objects of the class inherited, if they may inherit something else now.
    inherited: Option<Lookup>,
    /// Where the class is now.
    pub(super) home: Option<u32>,
    /// Per list of created classes, where the class or a subclass comes first in it.
    earliest: HashMap<u32, u32>,
}

/// A method that was added.
#[derive(Debug)]
pub(super) struct Lookup {
    pub(super) cause: Cause,
    /// The methods that may have run where it would run now.
    pub(super) rivals: Vec<Method>,
    /// Whether such a method may be one that leaves no trace.
    pub(super) outside: bool,
}

impl Effect {
    /// What may run instead of others on objects that another test made.
    pub(super) fn on_objects(&self) -> impl Iterator<Item = &Lookup> {
        self.lookups.iter().chain(&self.inherited)
    }

    /// Whether there were objects of the class or of a subclass.
    pub(super) fn has_objects(&self, created: &[(u32, u32)]) -> bool {
        let mut created = created.iter();
        created.any(|(log, length)| self.earliest.get(log).is_some_and(|at| at < length))
    }

    /// A reason for whoever may have used anything of the class.
    pub(super) fn any(&self) -> Option<Reason> {
        let executed = self.executed.iter().map(|(_, cause)| cause);
        let lookups = self.lookups.iter().map(|lookup| &lookup.cause);
        let mut causes = self.users.iter().chain(executed).chain(lookups);
        causes.next().or(self.declared.first()).map(Cause::used)
    }
}

/// The changes on one class path.
#[derive(Debug)]
pub(super) struct Effects<'a> {
    by_class: HashMap<u32, Effect>,
    hierarchy: Hierarchy<'a>,
}

impl<'a> Effects<'a> {
    pub(super) fn new(facts: &Facts<'a>, path: usize, as_file: &[Kind]) -> Self {
        let changes = facts.changes.get(path).into_iter().flatten();
        let changed: Vec<(u32, Change)> = (0..)
            .zip(changes)
            .filter_map(|(id, change)| Some((id, (*change)?)))
            .collect();
        // Nearly always nothing changed, and then nobody needs to know who extends whom.
        let hierarchy = match changed.is_empty() {
            true => Hierarchy::default(),
            false => Hierarchy::new(facts),
        };
        let details = facts.members.details.get(path);
        let effect = |(id, change): (u32, Change)| {
            let name = facts.names.get(id as usize).copied().unwrap_or_default();
            let class = name.replace('/', ".");
            let detail = details.and_then(|details| details.get(&id));
            let effect = match detail.zip(hierarchy.first(id)) {
                Some((detail, first)) if change == Change::Changed => {
                    let mut as_file = as_file.to_vec();
                    if hierarchy.is_initialized_by_methods(id) {
                        as_file.extend([Kind::Aim, Kind::Dim]);
                    }
                    if hierarchy.is_annotation(id) {
                        as_file.push(Kind::Aim);
                    }
                    let mut effect = effect(&detail.diff, &class, first, &as_file, &hierarchy);
                    effect.home = Some(detail.home);
                    if effect.on_objects().next().is_some() {
                        let below = hierarchy.below(name.as_bytes());
                        effect.earliest = earliest(&below, facts.members.created);
                    }
                    effect
                }
                _ => Effect {
                    users: vec![Cause::Class { class, change }],
                    ..Effect::default()
                },
            };
            (id, effect)
        };
        Effects {
            by_class: changed.into_iter().map(effect).collect(),
            hierarchy,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_class.is_empty()
    }

    pub(super) fn of(&self, class: u32) -> Option<&Effect> {
        self.by_class.get(&class)
    }

    /// The classes of which objects behave differently, though their own methods need not have run.
    pub(super) fn on_objects(&self) -> impl Iterator<Item = (u32, &Effect)> {
        let all = self.by_class.iter().map(|(id, effect)| (*id, effect));
        all.filter(|(_, effect)| effect.on_objects().next().is_some())
    }

    /// The method of this number, for people.
    pub(super) fn member(&self, number: u32) -> Option<String> {
        self.hierarchy.member(number)
    }

    /// Whether the test framework looks at a class for this test.
    pub(super) fn is_looked_at(&self, class: u32, test: &str) -> bool {
        let test = test.replace('.', "/");
        self.hierarchy.is_looked_at(class, test.as_bytes())
    }
}

/// Per list of created classes, where one of `classes` comes first in it.
fn earliest(classes: &HashSet<u32>, created: &[Vec<u32>]) -> HashMap<u32, u32> {
    let first = |(log, created): (u32, &Vec<u32>)| {
        let at = created.iter().position(|class| classes.contains(class))?;
        Some((log, at as u32))
    };
    (0..).zip(created).filter_map(first).collect()
}

/// The rules of the technique, kind by kind; the module above says why.
fn effect(
    diff: &Diff,
    class: &str,
    first: u32,
    as_file: &[Kind],
    hierarchy: &Hierarchy<'_>,
) -> Effect {
    let mut effect = Effect::default();
    if diff.head {
        let cause = Cause::Class {
            class: class.to_owned(),
            change: Change::Head,
        };
        effect.users.push(cause.clone());
        effect.inherited = Some(Lookup {
            cause,
            rivals: hierarchy.inherited(class),
            outside: false,
        });
    }
    for change in &diff.members {
        let cause = Cause::Member {
            class: class.to_owned(),
            member: readable(&change.name, &change.descriptor),
            kind: change.kind,
        };
        let number = change.before.map(|before| first + u32::from(before.index));
        if change.ignored.is_some() {
            effect.declared.push(cause);
            continue;
        }
        if let Kind::Aim | Kind::Asm = change.kind {
            effect.lookups.push(Lookup {
                cause: cause.clone(),
                rivals: hierarchy.rivals(class, &change.name, &change.descriptor),
                outside: hierarchy.has_rivals_outside(class, &change.name, &change.descriptor),
            });
            effect.declared.push(cause.clone());
        }
        if as_file.contains(&change.kind) || concerns_users(change) {
            effect.users.push(cause);
        } else {
            effect
                .executed
                .extend(number.map(|number| (number, cause.clone())));
            // An added constructor or a deleted private method is a declaration as well.
            let comes_or_goes = matches!(change.kind, Kind::Ai | Kind::Di | Kind::Dsm | Kind::Dim);
            if comes_or_goes || change.mirror || change.thrown {
                effect.declared.push(cause);
            }
        }
    }
    effect
}

/// Whether a change concerns every test that used the class, whatever it executed.
fn concerns_users(change: &MemberChange) -> bool {
    let access = change.before.map(|before| before.access);
    let both = [access, change.now_access];
    let private = both.iter().flatten().all(|access| access & PRIVATE != 0);
    let traceless = both
        .iter()
        .flatten()
        .any(|access| access & (NATIVE | ABSTRACT) != 0);
    match change.kind {
        Kind::Asi | Kind::Dsi | Kind::Csi => true,
        Kind::Afd | Kind::Dfd | Kind::Cfd => true,
        Kind::Ai | Kind::Di | Kind::Dsm | Kind::Dim => !private,
        Kind::Ci | Kind::Csm | Kind::Cim => change.flags || traceless,
        Kind::Asm | Kind::Aim => false,
    }
}
