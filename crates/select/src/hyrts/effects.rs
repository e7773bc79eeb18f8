//! Effects of class changes: which tests each change concerns.

use super::hierarchy::{Hierarchy, Method};
use crate::{
    Change, Detail, Excuse, Facts, Log, LogPart, Numbering, Path, Reason, TestFacts, readable,
};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use tamis_fingerprint::{Diff, Kind, MemberChange, Rule};

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
        /// The rule that excuses it.
        rule: Option<Rule>,
    },
    /// Of the classes nested in it: one that came.
    Nested { class: String, nested: String },
}

/// A change that reaches a test.
#[derive(Debug)]
pub(super) struct Found<'e> {
    cause: &'e Cause,
    path: Path,
}

impl Found<'_> {
    pub(super) fn reason(self) -> Reason {
        let path = self.path;
        match self.cause {
            Cause::Class { class, change } => Reason::Class {
                class: class.clone(),
                change: *change,
            },
            Cause::Member {
                class,
                member,
                kind,
                ..
            } => Reason::Member {
                class: class.clone(),
                member: member.clone(),
                change: kind.to_string(),
                path,
            },
            Cause::Nested { class, nested } => Reason::Nested {
                class: class.clone(),
                nested: nested.clone(),
                path,
            },
        }
    }

    /// The rule that keeps it from the test.
    pub(super) fn excuse(self) -> Option<Excuse> {
        match self.cause {
            Cause::Member {
                class,
                member,
                kind,
                rule: Some(rule),
            } => Some(Excuse {
                rule: rule.to_string(),
                class: class.clone(),
                member: member.clone(),
                change: kind.to_string(),
            }),
            _ => None,
        }
    }
}

impl Cause {
    fn by(&self, path: Path) -> Found<'_> {
        Found { cause: self, path }
    }

    pub(super) fn used(&self) -> Found<'_> {
        self.by(Path::Class)
    }

    pub(super) fn seen(&self) -> Found<'_> {
        self.by(Path::Reflection)
    }

    pub(super) fn instead_of(&self, rival: Option<String>) -> Found<'_> {
        self.by(Path::Lookup {
            instead_of: rival.unwrap_or_default(),
        })
    }
}

/// The effect of a change of one class, by how a test can be concerned.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// Concerns every test that used the class.
    pub(super) users: Vec<Cause>,
    /// Concerns those that used the class in more than type checks.
    pub(super) inside: Vec<Cause>,
    /// Concerns those that executed certain methods or blocks.
    pub(super) executed: Vec<Executed>,
    /// Concerns those that look at what the class declares.
    pub(super) declared: Vec<Cause>,
    /// Concerns those that used a class, by its ids, that belongs to this one now.
    pub(super) strangers: Vec<(HashSet<u32>, Cause)>,
    /// Tests that were added, by their names. They are declarations too, but not for the other tests
    /// of a test class where single tests are told apart.
    pub(super) tests: Vec<NewTest>,
    /// Added methods that may run instead of others.
    pub(super) lookups: Vec<Lookup>,
    /// What objects of the class inherited, if they may inherit something else now.
    inherited: Option<Lookup>,
    /// Where the class is now.
    pub(super) home: Option<u32>,
    /// Per log, where this version of the class, or a subclass of it, first has an object.
    objects_from: HashMap<u32, u32>,
    /// Per log, where the class is first asked for its members.
    inspected_from: HashMap<u32, u32>,
}

/// A test that was added.
#[derive(Debug)]
pub(super) struct NewTest {
    /// Binary name of the class that declares it.
    pub(super) class: String,
    pub(super) name: String,
    pub(super) has_parameters: bool,
    pub(super) cause: Cause,
}

/// A method that changed.
#[derive(Debug)]
pub(super) struct Executed {
    /// The numbers of what it was, or of those of its blocks that lead to what changed.
    pub(super) numbers: Vec<u32>,
    /// Methods of other classes that count like it.
    pub(super) instead: Vec<Method>,
    cause: Cause,
    path: Path,
}

impl Executed {
    pub(super) fn found(&self) -> Found<'_> {
        self.cause.by(self.path.clone())
    }
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
    /// Methods that may run instead of others on objects that another test made.
    pub(super) fn on_objects(&self) -> impl Iterator<Item = &Lookup> {
        self.lookups.iter().chain(&self.inherited)
    }

    /// Whether there were objects of the class or of a subclass.
    pub(super) fn has_objects(&self, logs: &[LogPart]) -> bool {
        let before = |part: &LogPart| Some(*self.objects_from.get(&part.log)? < part.created);
        logs.iter().any(|part| before(part) == Some(true))
    }

    /// Whether somebody has asked the class for its members.
    fn is_inspected(&self, logs: &[LogPart]) -> bool {
        let before = |part: &LogPart| Some(*self.inspected_from.get(&part.log)? < part.inspected);
        logs.iter().any(|part| before(part) == Some(true))
    }

    /// Whether a test can see, by its own code, what the class declares.
    pub(super) fn is_visible_to(&self, test: &TestFacts<'_>) -> bool {
        test.reflection.unlogged || self.is_inspected(test.logs)
    }

    /// The changes that rules excuse and that a stack shows.
    pub(super) fn renamed(&self) -> impl Iterator<Item = &Cause> {
        let is_renamed = |cause: &&Cause| match cause {
            Cause::Member { rule, .. } => {
                matches!(rule, Some(Rule::Renamed | Rule::RenamedSynthetic))
            }
            _ => false,
        };
        self.declared.iter().filter(is_renamed)
    }

    /// A reason for whoever may have used anything of the class.
    pub(super) fn any(&self) -> Option<Found<'_>> {
        let executed = self.executed.iter().map(|executed| &executed.cause);
        let lookups = self.lookups.iter().map(|lookup| &lookup.cause);
        let users = self.users.iter().chain(&self.inside);
        let mut causes = users.chain(executed).chain(lookups);
        let tests = self.tests.iter().map(|test| &test.cause);
        let mut declared = self.declared.iter().chain(tests);
        causes.next().or(declared.next()).map(Cause::used)
    }
}

/// The changes on one class path.
#[derive(Debug)]
pub(super) struct Effects<'a> {
    /// Per class id, whether it changed: tests use many classes of which few did.
    changes: &'a [Option<Change>],
    by_class: HashMap<u32, Effect>,
    hierarchy: Rc<Hierarchy<'a>>,
}

impl<'a> Effects<'a> {
    /// The effects on each class path.
    pub(super) fn of_paths(facts: &'a Facts<'a>, as_file: &[Kind]) -> Vec<Self> {
        // Nearly always nothing changed, and then nobody needs to know who extends whom.
        let hierarchy = match facts.changes.iter().flatten().any(Option::is_some) {
            false => Hierarchy::default(),
            true => Hierarchy::new(facts),
        };
        let hierarchy = Rc::new(hierarchy);
        let of_path = |path| Effects::new(facts, path, as_file, true, Rc::clone(&hierarchy));
        (0..facts.changes.len()).map(of_path).collect()
    }

    /// The same as if no rule excused a change; `None` if none does. What the rules took for a
    /// renamed method remains a changed one here.
    pub(super) fn without_rules(
        &self,
        facts: &'a Facts<'a>,
        path: usize,
        as_file: &[Kind],
    ) -> Option<Self> {
        let mut details = facts.members.details.get(path)?.values();
        let is_excused = |change: &MemberChange| change.ignored.is_some();
        let excuses = details.any(|detail| detail.diff.members.iter().any(is_excused));
        let hierarchy = Rc::clone(&self.hierarchy);
        excuses.then(|| Effects::new(facts, path, as_file, false, hierarchy))
    }

    fn new(
        facts: &'a Facts<'a>,
        path: usize,
        as_file: &[Kind],
        rules: bool,
        hierarchy: Rc<Hierarchy<'a>>,
    ) -> Self {
        let details = facts.members.details.get(path);
        let changes = facts.changes.get(path).map_or(&[][..], Vec::as_slice);
        let changed = (0..).zip(changes);
        let changed = changed.filter_map(|(id, change)| Some((id, (*change)?)));
        let effect = |(id, change): (u32, Change)| {
            let name = facts.names.get(id as usize).copied().unwrap_or_default();
            let class = name.replace('/', ".");
            let detail = details.and_then(|details| details.get(&id));
            let effect = match detail.zip(hierarchy.numberings(id)) {
                Some((detail, numberings)) if change == Change::Changed => {
                    let mut as_file = as_file.to_vec();
                    if hierarchy.is_initialized_by_methods(id) {
                        as_file.extend([Kind::Aim, Kind::Dim]);
                    }
                    if hierarchy.is_annotation(id) {
                        as_file.push(Kind::Aim);
                    }
                    let mut effect =
                        effect(detail, &class, numberings, &as_file, rules, &hierarchy);
                    nested(&detail.diff, &class, &facts.names, &mut effect);
                    effect.home = Some(detail.home);
                    let logs = facts.members.logs;
                    if effect.on_objects().next().is_some() {
                        // Objects of subclasses are made by its constructors, too: where there are some,
                        // this version of it is in the list, unless the JVM had another one.
                        let made = match hierarchy.is_interface(id) {
                            true => hierarchy.below(name.as_bytes()),
                            false => HashSet::from([id]),
                        };
                        effect.objects_from = earliest(&made, logs, |log| &log.created);
                    }
                    let lists = [&effect.declared, &effect.inside];
                    if lists.iter().any(|list| !list.is_empty()) || !effect.tests.is_empty() {
                        let same = hierarchy.ids(name.as_bytes()).collect();
                        effect.inspected_from = earliest(&same, logs, |log| &log.inspected);
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
            changes,
            by_class: changed.map(effect).collect(),
            hierarchy,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_class.is_empty()
    }

    /// Whether tests were added to a class.
    pub(super) fn adds_tests(&self) -> bool {
        self.by_class
            .values()
            .any(|effect| !effect.tests.is_empty())
    }

    pub(super) fn of(&self, class: u32) -> Option<&Effect> {
        (*self.changes.get(class as usize)?)?;
        self.by_class.get(&class)
    }

    /// The classes of which objects behave differently, though their own methods need not have run.
    pub(super) fn on_objects(&self) -> impl Iterator<Item = (u32, &Effect)> {
        let all = self.by_class.iter().map(|(id, effect)| (*id, effect));
        all.filter(|(_, effect)| effect.on_objects().next().is_some())
    }

    /// A method, for people.
    pub(super) fn member(&self, method: &Method) -> Option<String> {
        self.hierarchy.member(method)
    }

    /// Whether the test framework looks at a class for this test.
    pub(super) fn is_inspected_by_framework(&self, class: u32, test: &str) -> bool {
        let test = test.replace('.', "/");
        self.hierarchy
            .is_inspected_by_framework(class, test.as_bytes())
    }
}

/// Per log, where one of `classes` comes first in this list of it.
fn earliest(
    classes: &HashSet<u32>,
    logs: &[Log],
    list: impl Fn(&Log) -> &Vec<u32>,
) -> HashMap<u32, u32> {
    let first = |(number, log): (u32, &Log)| {
        let at = list(log).iter().position(|class| classes.contains(class))?;
        Some((number, at as u32))
    };
    (0..).zip(logs).filter_map(first).collect()
}

/// Computes the effect of a change, kind by kind; the module above says why. Without `rules`
/// nothing is excused.
fn effect(
    detail: &Detail,
    class: &str,
    numberings: &[Numbering<'_>],
    as_file: &[Kind],
    rules: bool,
    hierarchy: &Hierarchy<'_>,
) -> Effect {
    let mut effect = Effect::default();
    if detail.diff.head {
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
    for change in &detail.diff.members {
        let cause = Cause::Member {
            class: class.to_owned(),
            member: readable(&change.name, &change.descriptor),
            kind: change.kind,
            rule: change.ignored,
        };
        if rules && change.ignored.is_some() {
            effect.declared.push(cause);
            continue;
        }
        if let Kind::Aim | Kind::Asm = change.kind {
            let mut rivals = hierarchy.rivals(class, &change.name, &change.descriptor);
            if change.kind == Kind::Asm {
                // A static method is reached through the name of its class, not through an object.
                rivals.iter_mut().for_each(|rival| rival.on = None);
            }
            effect.lookups.push(Lookup {
                cause: cause.clone(),
                rivals,
                outside: hierarchy.has_rivals_outside(class, &change.name, &change.descriptor),
            });
            match change.is_test {
                true => {
                    effect.tests.push(NewTest {
                        class: class.to_owned(),
                        name: String::from_utf8_lossy(&change.name).into_owned(),
                        has_parameters: !change.descriptor.starts_with(b"()"),
                        cause: cause.clone(),
                    });
                }
                false => effect.declared.push(cause.clone()),
            }
        }
        let overridden_unseen = matches!(change.kind, Kind::Dim | Kind::Dsm)
            && hierarchy.may_be_overridden_outside(class, &change.name, &change.descriptor);
        if as_file.contains(&change.kind) || concerns_users(change) || overridden_unseen {
            effect.inside.push(cause);
        } else {
            let mut executed = executed(change, detail, numberings, &cause);
            if let Kind::Dim | Kind::Dsm = change.kind {
                // A call that names it may find nothing now, though another method was what ran.
                executed.push(Executed {
                    numbers: Vec::new(),
                    instead: hierarchy.overriding(class, &change.name, &change.descriptor),
                    cause: cause.clone(),
                    path: Path::Executed,
                });
            }
            effect.executed.append(&mut executed);
            // What comes or goes is a declaration as well.
            let comes_or_goes = matches!(change.kind, Kind::Ai | Kind::Di | Kind::Dsm | Kind::Dim);
            if comes_or_goes || change.mirror || change.thrown {
                effect.declared.push(cause);
            }
        }
    }
    effect
}

/// What those executed whom a change of a method concerns.
fn executed(
    change: &MemberChange,
    detail: &Detail,
    numberings: &[Numbering<'_>],
    cause: &Cause,
) -> Vec<Executed> {
    let Some(before) = change.before else {
        return Vec::new();
    };
    let (mut in_methods, mut in_blocks) = (Vec::new(), Vec::new());
    for numbers in numberings.iter().map(|n| n.of(before.index)) {
        let blocks = detail.blocks.get(&before.index);
        match blocks.filter(|blocks| blocks.of == numbers.len() && blocks.of > 1) {
            Some(changed) => {
                let blocks = changed.blocks.iter();
                in_blocks.extend(blocks.map(|block| numbers.start + u32::from(*block)));
            }
            None => in_methods.extend(numbers),
        }
    }
    let executed = |numbers, path| Executed {
        numbers,
        instead: Vec::new(),
        cause: cause.clone(),
        path,
    };
    let mut ways = Vec::new();
    if !in_blocks.is_empty() {
        ways.push(executed(in_blocks, Path::Block));
    }
    // Whoever used all of the class is concerned even if the method has no number.
    if !in_methods.is_empty() || ways.is_empty() {
        ways.push(executed(in_methods, Path::Executed));
    }
    ways
}

/// A nested class that came is seen by those who look at declarations. If a test used a class of this
/// name before, together with the one around it, the two were strangers and now have access to each
/// other's private members. One that is lost loses that access.
fn nested(diff: &Diff, class: &str, names: &[&str], effect: &mut Effect) {
    let lost = diff.nested_lost.iter().map(|name| (name, true));
    for (name, is_lost) in diff.nested.iter().map(|name| (name, false)).chain(lost) {
        let cause = match is_lost {
            true => Cause::Class {
                class: class.to_owned(),
                change: Change::Head,
            },
            false => Cause::Nested {
                class: class.to_owned(),
                nested: String::from_utf8_lossy(name).replace('/', "."),
            },
        };
        let Ok(name) = str::from_utf8(name) else {
            effect.users.push(cause);
            continue;
        };
        let named = (0..).zip(names).filter(|(_, other)| **other == name);
        let ids: HashSet<u32> = named.map(|(id, _)| id).collect();
        if !ids.is_empty() {
            effect.strangers.push((ids, cause.clone()));
        }
        match is_lost {
            true => effect.inside.push(cause),
            false => effect.declared.push(cause),
        }
    }
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
        Kind::Ai => !private,
        Kind::Di | Kind::Dsm | Kind::Dim => traceless,
        Kind::Ci | Kind::Csm | Kind::Cim => change.flags || traceless,
        Kind::Asm | Kind::Aim => false,
    }
}
