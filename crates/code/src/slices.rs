//! Which statements of a test an assertion needs: its slice. Run alone in their order, the statements of a slice do to each
//! other what they do in the whole test.
//!
//! This is the backward slice of SELERTION (section III-B of the paper) with what it leaves open closed. A statement
//! depends on an earlier one that
//!
//! 1. may write a local that it reads;
//! 2. may change objects, if both may come to the same one. Locals whose objects may lead to each other make a group:
//!    all that a statement uses which puts an object into a local or changes objects. Groups do not depend on the order of
//!    statements, so an alias that comes about in any way is in one. The test object is a local, and all that the world
//!    beyond shows (static fields, results of calls that may come from there) is one more;
//! 3. may change the world beyond: static state, files, properties, threads. All that follows depends on it.
//!
//! What a statement does is not told by its own bytes, since it calls others: who knows says so ([`Effects`]), and
//! [`Effects::default`] is everything. Then a slice is all that stands before its assertion.
//!
//! An exception ends a test. If a statement outside of a slice throws, the whole test fails and the slice does not. So
//! each statement is in some slice: one that no assertion needs has a slice of its own, which holds if it does not throw.

use crate::statements::Statement;
use std::collections::BTreeSet;

/// What a statement may change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Changed {
    /// Nothing that was there before but locals.
    Nothing,
    /// The objects that it comes to through locals, and through the world if it sees that.
    Objects,
    /// Anything.
    #[default]
    World,
}

/// What a statement does when it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects {
    /// What it may change.
    pub changes: Changed,
    /// Whether it may come to objects otherwise than through locals.
    pub sees_world: bool,
}

impl Default for Effects {
    fn default() -> Self {
        Effects {
            changes: Changed::World,
            sees_world: true,
        }
    }
}

/// A slice, by the numbers of statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// What it is made for, which is its last statement.
    pub target: usize,
    /// Whether that is an assertion; if not, it must not throw.
    pub is_assertion: bool,
    /// All that it needs, and itself.
    pub statements: BTreeSet<usize>,
}

/// The slices of a test, in the order of their last statements.
pub fn slices(
    statements: &[Statement<'_>],
    effects: impl Fn(usize) -> Effects,
    is_assertion: impl Fn(usize) -> bool,
) -> Vec<Slice> {
    let effects: Vec<Effects> = (0..statements.len()).map(effects).collect();
    let needs = needs(statements, &effects);
    let slice = |target: usize, is_assertion: bool| {
        let (mut all, mut next) = (BTreeSet::from([target]), vec![target]);
        while let Some(number) = next.pop() {
            let needed = needs.get(number).into_iter().flatten();
            next.extend(needed.filter(|needed| all.insert(**needed)));
        }
        Slice {
            target,
            is_assertion,
            statements: all,
        }
    };
    let targets = (0..statements.len()).filter(|number| is_assertion(*number));
    let mut slices: Vec<Slice> = targets.map(|target| slice(target, true)).collect();
    let mut covered: BTreeSet<usize> = slices.iter().flat_map(|s| &s.statements).copied().collect();
    // The last one first, because it may need the others.
    for number in (0..statements.len()).rev() {
        if !covered.contains(&number) {
            let own = slice(number, false);
            covered.extend(&own.statements);
            slices.push(own);
        }
    }
    slices.sort_by_key(|slice| slice.target);
    slices
}

/// For each statement those that it depends on directly.
fn needs(statements: &[Statement<'_>], effects: &[Effects]) -> Vec<Vec<usize>> {
    let mut groups = Groups::of(statements, effects);
    let reached: Vec<BTreeSet<usize>> = statements
        .iter()
        .zip(effects)
        .map(|(statement, effects)| groups.reached_by(statement, effects.sees_world))
        .collect();
    let needs = |number: usize| {
        let (Some(statement), Some(reaches)) = (statements.get(number), reached.get(number)) else {
            return Vec::new();
        };
        let before = statements
            .iter()
            .zip(effects)
            .zip(&reached)
            .take(number)
            .enumerate();
        let needed = before.filter(|(_, ((earlier, effects), comes_to))| {
            !earlier.writes.is_disjoint(&statement.reads)
                || match effects.changes {
                    Changed::Nothing => false,
                    Changed::Objects => !comes_to.is_disjoint(reaches),
                    Changed::World => true,
                }
        });
        needed.map(|(number, _)| number).collect()
    };
    (0..statements.len()).map(needs).collect()
}

/// Locals whose objects may lead to each other; the first one is the world.
struct Groups {
    parents: Vec<usize>,
}

const WORLD: usize = 0;

impl Groups {
    fn of(statements: &[Statement<'_>], effects: &[Effects]) -> Groups {
        let objects = statements.iter().flat_map(|statement| &statement.objects);
        let most = objects.max().map_or(0, |local| place(*local));
        let mut groups = Groups {
            parents: (0..=most).collect(),
        };
        for (statement, effects) in statements.iter().zip(effects) {
            let puts_object = !statement.writes.is_disjoint(&statement.objects);
            if !puts_object && effects.changes == Changed::Nothing {
                continue;
            }
            let mut places = statement.objects.iter().map(|local| place(*local));
            let first = match effects.sees_world {
                true => Some(WORLD),
                false => places.next(),
            };
            if let Some(first) = first {
                places.for_each(|other| groups.join(first, other));
            }
        }
        groups
    }

    fn root(&mut self, mut place: usize) -> usize {
        while let Some(parent) = self
            .parents
            .get(place)
            .copied()
            .filter(|parent| *parent != place)
        {
            place = parent;
        }
        place
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if let Some(parent) = self.parents.get_mut(other) {
            *parent = one;
        }
    }

    /// The groups whose objects a statement comes to.
    fn reached_by(&mut self, statement: &Statement<'_>, sees_world: bool) -> BTreeSet<usize> {
        let places = statement.objects.iter().map(|local| place(*local));
        let places: Vec<usize> = places.chain(sees_world.then_some(WORLD)).collect();
        places.into_iter().map(|place| self.root(place)).collect()
    }
}

fn place(local: u16) -> usize {
    usize::from(local) + 1
}
