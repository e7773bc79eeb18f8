//! State that the single tests of a class share.

use super::{Extent, Ran, changed_roots, settings_if_they_may_differ, touched};
use crate::agent::{Agent, State};
use std::collections::HashSet;
use tamis_attribution::{Bits, Leaf};
use tamis_identity::TestName;
use tamis_jvmti::Jni;

/// How many references are followed after single tests of one class.
const MOST_AFTER_PARTS: usize = 100_000;

/// Changes of shared state by the single tests of a class.
#[derive(Default)]
pub(crate) struct SharedByParts {
    /// The roots that they changed.
    pub(crate) changed: Vec<u32>,
    /// The roots that those touched after which nobody looked.
    unseen: HashSet<u32>,
    /// How many references were followed.
    followed: usize,
}

/// A single test ended: the roots that it changed count for its class, also if another test puts them
/// back. Where much would have to be looked at, it counts as one that changed all that it touches.
pub(crate) fn part_finished(
    agent: &Agent,
    jni: &mut Jni<'_>,
    class: &str,
    part: &TestName,
) -> Option<()> {
    let facts = agent.facts.get().filter(|_| agent.config.records)?;
    let settings = settings_if_they_may_differ(agent, jni);
    let mut state = agent.state();
    let state = &mut *state;
    let executed = state.units.splittable(class)?.inside(part)?.ran();
    let id = state.units.around(class)?.id;
    let classes = [class.replace('.', "/").into_bytes()];
    let before = state.parts.entry(id).or_default();
    if before.followed < MOST_AFTER_PARTS {
        let ran = Ran {
            unit: id,
            executed: &executed,
            classes: &classes,
        };
        let found = changed_roots(agent, facts.jvmti, jni, state, ran, Extent::All, settings);
        let parts = state.parts.entry(id).or_default();
        parts.changed.extend(found.changed);
        parts.followed += found.followed;
    } else {
        let touched = touched(agent, state, &executed, &classes);
        state.parts.entry(id).or_default().unseen.extend(touched);
    }
    Some(())
}

/// The probes of each test of a class, with what ran around it and in `outer`, before the class; and with what all
/// executed if it touches changed state.
pub(crate) fn together(
    agent: &Agent,
    state: &State,
    classes: &[Vec<u8>],
    (tests, outer): (&[Leaf], &Bits),
    by_parts: &SharedByParts,
    changed: &[u32],
) -> Vec<Bits> {
    // Two roots may lead to the same objects.
    let mut changed: HashSet<u32> = changed.iter().copied().collect();
    changed.extend(&by_parts.unseen);
    let does_touch = |executed: &Bits| {
        !changed.is_empty() && !touched(agent, state, executed, classes).is_disjoint(&changed)
    };
    // What made the runner may have handed objects to all tests.
    let all_touch = does_touch(outer);
    let touches = |test: &Leaf| all_touch || does_touch(&test.ran);
    let tests = tests.iter().map(|test| (test, touches(test)));
    let tests: Vec<(&Leaf, bool)> = tests.collect();
    // Any of them may have changed it, through the JDK also one that does not touch it.
    let mut of_all = outer.clone();
    for (test, _) in &tests {
        of_all.union(&test.around);
        of_all.union(&test.ran);
    }
    let with_others = |(test, touches): (&Leaf, bool)| {
        let mut probes = test.ran.clone();
        if touches {
            probes.union(&of_all);
        } else {
            probes.union(outer);
            probes.union(&test.around);
        }
        probes
    };
    tests.into_iter().map(with_others).collect()
}
