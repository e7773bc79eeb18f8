//! HyRTS (Zhang, ICSE 2018): methods where only methods changed, classes where more did.
//!
//! `hyrts` follows the paper: a changed method selects the tests that executed it; a changed head,
//! a class that came or went, and everything about static initializers select the tests that used
//! the class. `hyrts-f` takes added and deleted instance methods as changes of their class.
//!
//! What the paper leaves open is decided so that no test is missed:
//!
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
//! - *Objects of earlier tests.* The same holds for a class whose head changed: a test that did not
//!   use it, but executed what its objects inherited, is selected if there were such objects.
//! - *Deletions.* A method that others may name is a change for every user of its class: a call that
//!   names it may find nothing, although an overriding method was what ran.
//! - *Constructors.* An added one selects the users of the class: frameworks choose by reflection.
//! - *Flags* (final, static, access, ...) concern linking: every user of the class.
//! - *Methods without code* leave no trace: every user of the class.
//! - *Annotation types.* The JDK finds the elements of an annotation by reflection: one that is added
//!   concerns every user of the type.
//! - *Interfaces with initializers.* The first method with code makes the JVM initialize the interface
//!   together with the classes that implement it: every user of the interface.
//! - *Reflection.* A test whose code looks at classes by reflection sees every declaration of the
//!   classes it used: added, deleted, renamed, re-annotated. So does every test for the classes that
//!   lie where its own class lies, and for the supertypes of its own class and of the classes nested in
//!   these: there the test framework looks.

mod effects;
mod hierarchy;

use crate::due::{NAMED, decide, malformed};
use crate::{Facts, Reason, Selection, Technique, TestFacts, class_of_test};
use effects::{Cause, Effect, Effects, Lookup};
use tamis_fingerprint::{Kind, Rules};

/// HyRTS and its variants.
#[derive(Debug, Clone)]
pub struct Hyrts {
    name: &'static str,
    /// Changes of these kinds are taken as changes of their class.
    as_file: Vec<Kind>,
    rules: Rules,
}

impl Hyrts {
    /// The paper's basic technique, or a study variant of it: changes of the kinds `as_file` are
    /// taken as changes of their class.
    pub fn basic(as_file: Vec<Kind>, rules: Rules) -> Self {
        Hyrts {
            name: "hyrts",
            as_file,
            rules,
        }
    }

    /// HyRTS-f: added and deleted instance methods are changes of their class.
    pub fn f(mut as_file: Vec<Kind>, rules: Rules) -> Self {
        as_file.extend([Kind::Aim, Kind::Dim]);
        Hyrts {
            name: "hyrts-f",
            as_file,
            rules,
        }
    }
}

impl Technique for Hyrts {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compares_members(&self) -> Option<Rules> {
        Some(self.rules)
    }

    fn select(&self, facts: &Facts<'_>) -> Selection {
        let effects: Vec<Effects<'_>> = (0..facts.changes.len())
            .map(|path| Effects::new(facts, path, &self.as_file))
            .collect();
        decide(self.name, facts, |path, test, reasons| {
            if let Some(effects) = effects.get(path).filter(|effects| !effects.is_empty()) {
                changed(facts, effects, test, reasons);
            }
        })
    }
}

/// What a test did, unpacked; both lists are ascending.
struct Trace {
    whole: Vec<u32>,
    members: Vec<u32>,
}

impl Trace {
    fn of(test: &TestFacts<'_>) -> Option<Trace> {
        Some(Trace {
            whole: test.whole.iter().collect::<Result<_, _>>().ok()?,
            members: test.members.iter().collect::<Result<_, _>>().ok()?,
        })
    }

    fn executed(&self, member: u32) -> bool {
        self.members.binary_search(&member).is_ok()
    }

    fn used_whole(&self, class: u32) -> bool {
        self.whole.binary_search(&class).is_ok()
    }

    /// A method that it executed, or may have, and that the added one may replace.
    fn rival(&self, lookup: &Lookup) -> Option<u32> {
        let mut rivals = lookup.rivals.iter();
        let rival =
            rivals.find(|rival| self.executed(rival.number) || self.used_whole(rival.class));
        Some(rival?.number)
    }
}

fn changed(
    facts: &Facts<'_>,
    effects: &Effects<'_>,
    test: &TestFacts<'_>,
    reasons: &mut Vec<Reason>,
) {
    let mut touched: Vec<(u32, &Effect)> = Vec::new();
    for id in test.classes.iter() {
        match id {
            Ok(id) if (id as usize) < facts.names.len() => {
                touched.extend(effects.of(id).map(|effect| (id, effect)));
            }
            _ => {
                reasons.push(malformed("a class list"));
                return;
            }
        }
    }
    // Classes that the test did not use itself, but of which an earlier one left objects.
    let left = effects.on_objects().filter(|(id, effect)| {
        effect.has_objects(test.created) && touched.iter().all(|(used, _)| used != id)
    });
    let left: Vec<&Effect> = left.map(|(_, effect)| effect).collect();
    if touched.is_empty() && left.is_empty() {
        return;
    }
    let Some(trace) = Trace::of(test) else {
        reasons.push(malformed("a list of members"));
        return;
    };
    let mut found: Vec<Reason> = Vec::new();
    for (id, effect) in touched {
        used(effects, effect, id, test, &trace, &mut found);
    }
    for lookup in left.into_iter().flat_map(Effect::on_objects) {
        if let Some(rival) = trace.rival(lookup) {
            found.push(lookup.cause.instead_of(effects.member(rival)));
        }
    }
    found.sort();
    found.dedup();
    let more = found.len().saturating_sub(NAMED);
    found.truncate(NAMED);
    reasons.append(&mut found);
    if more > 0 {
        reasons.push(Reason::MoreClasses { count: more });
    }
}

/// What became of a class that a test used.
fn used(
    effects: &Effects<'_>,
    effect: &Effect,
    id: u32,
    test: &TestFacts<'_>,
    trace: &Trace,
    found: &mut Vec<Reason>,
) {
    if trace.used_whole(id) {
        found.extend(effect.any());
        return;
    }
    found.extend(effect.users.iter().map(Cause::used));
    for (member, cause) in &effect.executed {
        if trace.executed(*member) {
            found.push(cause.executed());
        }
    }
    for lookup in &effect.lookups {
        match trace.rival(lookup) {
            Some(rival) => found.push(lookup.cause.instead_of(effects.member(rival))),
            None if lookup.outside => found.push(lookup.cause.used()),
            None => {}
        }
    }
    let looks = || {
        test.reflective
            || test.home.is_none_or(|home| effect.home == Some(home))
            || effects.is_looked_at(id, class_of_test(&test.test.class))
    };
    if !effect.declared.is_empty() && looks() {
        found.extend(effect.declared.iter().map(Cause::seen));
    }
}

#[cfg(test)]
mod tests;
