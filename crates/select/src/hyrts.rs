//! HyRTS (Zhang, ICSE 2018): methods where only methods changed, classes where more did.
//!
//! `hyrts` follows the paper: a changed method selects the tests that executed it; a changed head,
//! a class that came or went, and everything about static initializers select the tests that used
//! the class. `hyrts-f` takes added and deleted instance methods as changes of their class. `hyrts-b`
//! compares the control flow of a changed method before and now (`tamis_code::blocks`), and
//! selects those that executed a basic block which leads to what changed; constructors too, which the
//! paper does not mention. Where blocks were not recorded it is `hyrts`: for tests that ran without
//! them, and for methods that had no room for their probes or that use subroutines (`jsr`).
//!
//! What the paper leaves open is decided so that no test is missed:
//!
//! - *Type checks.* A test that used a class in casts, `instanceof` and handlers alone depends on its head,
//!   and no member of it was in reach: no code that ran names one or calls one. It is a user of the class where the
//!   head changes, and not where the rules below say that a change of a member concerns all users, unless it
//!   sees declarations (*Reflection*). *Look-up changes* and *Deletions* hold for it as for others.
//! - *Fields.* An added, deleted or changed field selects every test that used the class.
//! - *Look-up changes.* A method that is added can run instead of one with its name and descriptor
//!   that was inherited so far. The paper compares run-time types of receivers. Here a test is
//!   selected if it executed such a method of a supertype (or of a supertype of a subclass), **and**
//!   there was an object of the class or of a subclass in its JVM, made in this test or earlier, or
//!   it used the class in another way. That is never less: a call that would now reach the new
//!   method reached the old one, which was executed, on an object whose constructor ran or through a
//!   class that the calling code names. Where the old one may be of the JDK, which has no probes,
//!   having used the class is enough. What types of the JDK declare is recorded; one of which nothing
//!   is known may declare anything.
//!   Where it was recorded on which objects methods ran ([`Receivers::Exact`]), the old one must
//!   also have run on an object of the class or of a subclass, or of a class of which that cannot
//!   be said: a virtual call reaches the new method only on such an object, and so does a `super`
//!   call, which runs on the object of the calling code. Methods without an object (an added static
//!   one, an old static one), private ones, and those of subclasses themselves, which never run on
//!   anything else, count when they were executed.
//! - *Objects of earlier tests.* The same holds for a class whose head changed: a test that did not
//!   use it, but executed what its objects inherited, is selected if there were such objects.
//! - *Deletions.* A deleted method concerns those that executed it, and those that executed a method
//!   that overrides it: a call that names the deleted one may find nothing, although the other was what
//!   ran.
//! - *Constructors.* An added one selects the users of the class: frameworks choose by reflection.
//! - *Flags* (final, static, access, ...) concern linking: every user of the class.
//! - *Methods without code* leave no trace: every user of the class.
//! - *Annotation types.* The JDK finds the elements of an annotation by reflection: one that is added
//!   concerns every user of the type.
//! - *Interfaces with initializers.* The first method with code makes the JVM initialize the interface
//!   together with the classes that implement it: every user of the interface.
//! - *Nested classes.* One that comes, local and anonymous ones included, is a declaration: the JVM reads
//!   the list of nested classes to show it, and to let these into what is private. Nobody can have used
//!   the class before; a test that has used one of its name, and the class around it, is selected.
//!   One that goes or is listed otherwise concerns every user, as its class file may still be there; who
//!   only checks types, if it used the nested class as well.
//! - *Reflection.* A test whose code looks at classes by reflection sees every declaration of the
//!   classes it used: added, deleted, renamed, re-annotated. So does every test for the classes that
//!   lie where its own class lies, and for the supertypes of its own class and of the classes nested in
//!   these: there the test framework looks. A method that is added as a test, and has no other
//!   annotation, is nothing to the other tests of its class where single tests are told apart; their
//!   class is then not left out, so that the new one runs.

mod effects;
mod hierarchy;

use crate::due::{NAMED, decide, malformed};
use crate::{
    ClassPathState, Excuse, Facts, Ids, Needs, Reason, Selection, Technique, TechniqueName,
    TestFacts, TestId, TestName,
};
use effects::{Cause, Effect, Effects, Found, Lookup};
use hierarchy::Method;
use std::collections::HashSet;
use tamis_fingerprint::{Kind, Rules};

/// How many excuses by one rule a verdict names.
const EXCUSES_NAMED: usize = 5;

/// The objects on which an added method is assumed to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Receivers {
    /// Any that had been made in the JVM of a test.
    #[default]
    Created,
    /// Those on which the method that it replaces ran, where that was recorded.
    Exact,
}

/// HyRTS and its variants.
#[derive(Debug, Clone)]
pub struct Hyrts {
    name: TechniqueName,
    /// Changes of these kinds are taken as changes of their class.
    as_file: Vec<Kind>,
    rules: Rules,
    /// Whether a changed method concerns only those who executed a block that leads to the change.
    blocks: bool,
    receivers: Receivers,
}

impl Hyrts {
    /// The paper's basic technique, or a study variant of it: changes of the kinds `as_file` are
    /// taken as changes of their class.
    pub fn basic(as_file: Vec<Kind>, rules: Rules) -> Self {
        Hyrts {
            name: TechniqueName::Hyrts,
            as_file,
            rules,
            blocks: false,
            receivers: Receivers::default(),
        }
    }

    /// HyRTS-b: changed methods are compared block by block, where blocks were recorded.
    pub fn b(as_file: Vec<Kind>, rules: Rules) -> Self {
        Hyrts {
            name: TechniqueName::HyrtsB,
            blocks: true,
            ..Hyrts::basic(as_file, rules)
        }
    }

    /// HyRTS-f: added and deleted instance methods are changes of their class.
    pub fn f(mut as_file: Vec<Kind>, rules: Rules) -> Self {
        as_file.extend([Kind::Aim, Kind::Dim]);
        Hyrts {
            name: TechniqueName::HyrtsF,
            ..Hyrts::basic(as_file, rules)
        }
    }

    /// The same with other objects.
    pub fn on(self, receivers: Receivers) -> Self {
        Hyrts { receivers, ..self }
    }
}

impl Technique for Hyrts {
    fn name(&self) -> TechniqueName {
        self.name
    }

    fn needs(&self) -> Needs {
        Needs {
            members: Some(self.rules),
            blocks: self.blocks,
            ..Needs::default()
        }
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        let effects = Effects::of_paths(facts, &self.as_file);
        let mut selection = decide(self.name, facts, |path, test, reasons| {
            if let Some(effects) = effects.get(path).filter(|effects| !effects.is_empty()) {
                changed(facts, effects, test, self.receivers, reasons);
            }
        });
        if effects.iter().any(Effects::adds_tests) {
            let known: HashSet<&TestId> = facts.tests.iter().map(|test| &test.test).collect();
            for (test, verdict) in facts.tests.iter().zip(&mut selection.verdicts) {
                if let ClassPathState::Known(path) = test.class_path
                    && let Some(effects) = effects.get(path)
                {
                    verdict.grown = has_new_siblings(effects, test, &known);
                }
            }
        }
        let without_rules: Vec<Option<Effects<'_>>> = (0..)
            .zip(&effects)
            .map(|(path, effects)| effects.without_rules(facts, path, &self.as_file))
            .collect();
        for (test, verdict) in facts.tests.iter().zip(&mut selection.verdicts) {
            if let ClassPathState::Known(path) = test.class_path
                && let Some(Some(effects)) = without_rules.get(path)
                && !verdict.selected
            {
                verdict.excused = excused(facts, effects, test, self.receivers);
            }
        }
        selection
    }
}

/// The footprint of a test, unpacked; all lists are ascending.
struct Trace {
    checked: Vec<u32>,
    whole: Vec<u32>,
    members: Vec<u32>,
    /// The pairs of methods and classes of objects, if these count.
    receivers: Option<Vec<u32>>,
}

impl Trace {
    fn of(test: &TestFacts<'_>, receivers: Receivers) -> Option<Trace> {
        let list = |ids: Ids<'_>| ids.iter().collect::<Result<Vec<u32>, _>>().ok();
        let receivers = test.receivers.filter(|_| receivers == Receivers::Exact);
        Some(Trace {
            checked: list(test.checked)?,
            whole: list(test.whole)?,
            members: list(test.members)?,
            receivers: match receivers {
                None => None,
                Some(pairs) => Some(list(pairs)?),
            },
        })
    }

    fn executed(&self, member: u32) -> bool {
        self.members.binary_search(&member).is_ok()
    }

    fn used_whole(&self, class: u32) -> bool {
        self.whole.binary_search(&class).is_ok()
    }

    fn only_checked(&self, class: u32) -> bool {
        self.checked.binary_search(&class).is_ok()
    }

    fn executed_any(&self, members: &[u32]) -> bool {
        members.iter().any(|member| self.executed(*member))
    }

    fn may_have_executed(&self, method: &Method) -> bool {
        self.used_whole(method.class) || self.executed_any(&method.numbers)
    }

    /// A method that it executed, or may have, and that the added one may replace.
    fn rival<'l>(&self, lookup: &'l Lookup) -> Option<&'l Method> {
        let mut rivals = lookup.rivals.iter();
        rivals.find(|rival| match (&self.receivers, &rival.on) {
            // Of such a class anything may have run, on any object.
            _ if self.used_whole(rival.class) => true,
            (Some(told), Some(on)) => on.iter().any(|pair| told.binary_search(pair).is_ok()),
            _ => self.executed_any(&rival.numbers),
        })
    }
}

fn changed(
    facts: &Facts<'_>,
    effects: &Effects<'_>,
    test: &TestFacts<'_>,
    receivers: Receivers,
    reasons: &mut Vec<Reason>,
) {
    let found = match found(facts, effects, test, receivers) {
        Ok(found) => found,
        Err(reason) => return reasons.push(reason),
    };
    let mut found: Vec<Reason> = found.into_iter().map(Found::reason).collect();
    found.sort();
    found.dedup();
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    reasons.append(&mut found);
    if more > 0 {
        reasons.push(Reason::MoreClasses { count: more });
    }
}

/// The excused changes that would select an unselected test otherwise: `effects` are those
/// without rules.
fn excused(
    facts: &Facts<'_>,
    effects: &Effects<'_>,
    test: &TestFacts<'_>,
    receivers: Receivers,
) -> Vec<Excuse> {
    let found = found(facts, effects, test, receivers).unwrap_or_default();
    let mut excused: Vec<Excuse> = found.into_iter().filter_map(Found::excuse).collect();
    excused.sort();
    excused.dedup();
    let by_rule = excused.chunk_by(|one, other| one.rule == other.rule);
    by_rule
        .flat_map(|excuses| excuses.iter().take(EXCUSES_NAMED))
        .cloned()
        .collect()
}

/// The changes that reach a test; an error is what the store says of it and makes no sense.
fn found<'e>(
    facts: &Facts<'_>,
    effects: &'e Effects<'_>,
    test: &TestFacts<'_>,
    receivers: Receivers,
) -> Result<Vec<Found<'e>>, Reason> {
    let mut found = Vec::new();
    let mut touched: Vec<(u32, &Effect)> = Vec::new();
    for id in test.classes.iter() {
        match id {
            Ok(id) if (id as usize) < facts.names.len() => {
                touched.extend(effects.of(id).map(|effect| (id, effect)));
            }
            _ => return Err(malformed("a class list")),
        }
    }
    // Classes that the test did not use itself, but of which an earlier one left objects.
    let left = effects.on_objects().filter(|(id, effect)| {
        effect.has_objects(test.logs) && touched.iter().all(|(used, _)| used != id)
    });
    let left: Vec<&Effect> = left.map(|(_, effect)| effect).collect();
    if touched.is_empty() && left.is_empty() {
        return Ok(found);
    }
    let Some(trace) = Trace::of(test, receivers) else {
        return Err(malformed("a list of members"));
    };
    for (id, effect) in touched {
        used(effects, effect, id, test, &trace, &mut found);
    }
    for lookup in left.into_iter().flat_map(Effect::on_objects) {
        if let Some(rival) = trace.rival(lookup) {
            found.push(lookup.cause.instead_of(effects.member(rival)));
        }
    }
    Ok(found)
}

/// The change of a class that a test used.
fn used<'e>(
    effects: &Effects<'_>,
    effect: &'e Effect,
    id: u32,
    test: &TestFacts<'_>,
    trace: &Trace,
    found: &mut Vec<Found<'e>>,
) {
    if trace.used_whole(id) {
        found.extend(effect.any());
        return;
    }
    let is_reflected = || {
        effect.is_visible_to(test)
            || test.home.is_none_or(|home| effect.home == Some(home))
            || effects.is_inspected_by_framework(id, test.test.name.needed_class())
    };
    found.extend(effect.users.iter().map(Cause::used));
    match trace.only_checked(id) {
        false => found.extend(effect.inside.iter().map(Cause::used)),
        true if effect.inside.is_empty() || !is_reflected() => {}
        true => found.extend(effect.inside.iter().map(Cause::seen)),
    }
    for (ids, cause) in &effect.strangers {
        let mut classes = test.classes.iter();
        if classes.any(|id| id.is_ok_and(|id| ids.contains(&id))) {
            found.push(cause.used());
        }
    }
    for executed in &effect.executed {
        let mut instead = executed.instead.iter();
        let numbers = &executed.numbers;
        if trace.executed_any(numbers) || instead.any(|method| trace.may_have_executed(method)) {
            found.push(executed.found());
        }
    }
    for lookup in &effect.lookups {
        match trace.rival(lookup) {
            Some(rival) => found.push(lookup.cause.instead_of(effects.member(rival))),
            None if lookup.outside => found.push(lookup.cause.used()),
            None => {}
        }
    }
    if (effect.declared.is_empty() && effect.tests.is_empty()) || !is_reflected() {
        if test.reflection.traces {
            found.extend(effect.renamed().map(Cause::seen));
        }
        return;
    }
    found.extend(effect.declared.iter().map(Cause::seen));
    if !is_apart(test) {
        found.extend(effect.tests.iter().map(|test| test.cause.seen()));
    }
}

/// Whether a test runs by itself, and its code does not look at the others of its class.
fn is_apart(test: &TestFacts<'_>) -> bool {
    let asks = test.logs.iter().any(|part| part.inspected > 0);
    test.test.is_single() && !asks && !test.reflection.unlogged
}

/// Whether tests were added to the class of a test that runs by itself: its class must not be left
/// out, or they would not run.
fn has_new_siblings(effects: &Effects<'_>, test: &TestFacts<'_>, known: &HashSet<&TestId>) -> bool {
    let class = test.test.name.needed_class();
    let added = test.classes.iter().filter_map(|id| effects.of(id.ok()?));
    let mut added = added.flat_map(|effect| &effect.tests);
    is_apart(test)
        && added.any(|added| {
            let name = &added.name;
            let id = TestId::new(&*test.test.module, TestName::of_method(class, name));
            // One of a nested class or a superclass, or with parameters, goes by another name.
            added.class != class || added.has_parameters || !known.contains(&id)
        })
}

#[cfg(test)]
mod tests;
