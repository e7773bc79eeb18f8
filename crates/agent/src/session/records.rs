//! The records of a test class that has ended, as they go to the spool.

use super::ended::{Ended, UsedBy};
use super::not_found;
use crate::agent::{Agent, State};
use crate::classes::Used;
use crate::facts::now;
use tamis_classfile::decode_mutf8;
use tamis_recording::Record;

/// Writes all that belongs to a test class that has ended, behind the types outside of all this that it needs.
pub(super) fn write(agent: &Agent, mut ended: Ended, types: Vec<Record>) {
    let mut state = agent.state();
    let state = &mut *state;
    let mut records = types;
    let inputs = state.classes.new_inputs().into_iter();
    records.extend(inputs.map(|(id, (input, state))| Record::Input { id, input, state }));
    let mut distrust = state.distrust.clone();
    if state.units.is_cut(ended.class.name()) {
        distrust.get_or_insert("only some of its tests ran".into());
    }
    for id in std::mem::take(&mut ended.untold) {
        add_class(agent, state, id, &mut records, &mut distrust);
    }
    add_units(agent, state, ended, distrust, &mut records);
    if let Some(spool) = &mut state.spool {
        spool.write(&records);
    }
}

/// Adds what is to be told of a class, or of a name that no class has.
fn add_class(
    agent: &Agent,
    state: &mut State,
    id: u32,
    records: &mut Vec<Record>,
    distrust: &mut Option<String>,
) {
    let Some(class) = state.classes.get(id).filter(|class| !class.written) else {
        return;
    };
    let Some(name) = decode_mutf8(state.classes.name(class)) else {
        distrust.get_or_insert("a class has a name that is not valid Unicode".into());
        return;
    };
    if class.absent {
        records.push(Record::Absent { id, name });
        if let Some(class) = state.classes.get_mut(id) {
            class.written = true;
        }
        return;
    }
    let (mut location, raw, smart) = (class.location, class.raw, class.smart);
    let url = state.locations.url(location).unwrap_or_default();
    let facts = agent.facts.get();
    let started_ms = facts.map_or(0, |facts| facts.started_ms);
    if agent.files.is_made_by_tests(&url, &name, started_ms) {
        // It is known by the code that makes it.
        location = 0;
    }
    let encoding = facts.and_then(|facts| facts.other_names.as_ref());
    if let Some(encoding) = encoding.filter(|_| state.locations.is_beyond_ascii(location, &name)) {
        // All that come later may use it too.
        let why = state.distrust.get_or_insert_with(|| not_found(encoding));
        distrust.get_or_insert(why.clone());
    }
    let members = state.classes.members(class);
    let Some(class) = state.classes.get_mut(id) else {
        return;
    };
    class.written = true;
    let print = std::mem::take(&mut class.print);
    let blocks = std::mem::take(&mut class.blocks);
    let counts = class.counts.to_vec();
    records.extend(state.locations.record(location));
    records.push(Record::Class {
        id,
        name,
        location,
        raw,
        smart,
        print,
        members,
        counts,
        blocks,
    });
}

/// Adds the ends of the single tests, and of the class.
fn add_units(
    agent: &Agent,
    state: &mut State,
    ended: Ended,
    distrust: Option<String>,
    records: &mut Vec<Record>,
) {
    let Ended { class, used, .. } = ended;
    let finished = |unit: u32, outcome, duration_us, used: Used| Record::UnitFinished {
        unit,
        outcome,
        container: false,
        split: false,
        duration_us,
        classes: used.classes,
        checked: used.checked,
        members: used.members,
        inputs: used.inputs,
        reflection: agent.reflection.seen_by(used.reflection, used.asks),
        created: Vec::new(),
        inspected: Vec::new(),
        distrust: distrust.clone(),
        receivers: agent.config.receivers.then_some(used.receivers),
        inherited: used.inherited,
        changed: ended.changed.clone(),
    };
    let (of_class, tests) = match used {
        UsedBy::Class(used) => (*used, None),
        UsedBy::Tests(tests) => (Used::default(), Some(tests)),
    };
    let mut whole = finished(class.id, class.unit.outcome(), class.micros(), of_class);
    if let Record::UnitFinished {
        container, split, ..
    } = &mut whole
    {
        *container = class.is_container;
        *split = tests.is_some();
    }
    let mut units = Vec::new();
    for (test, used) in tests.into_iter().flatten() {
        let unit = state.units.next_id();
        units.push(Record::UnitStarted {
            unit,
            test: test.name,
            at_ms: now().as_millis() as u64,
        });
        units.push(finished(unit, test.outcome, test.micros, used));
    }
    // Behind its tests: if the spool is cut off between them, the class did not end.
    units.push(whole);
    let first = units.iter_mut().find_map(|record| match record {
        Record::UnitFinished {
            created, inspected, ..
        } => Some((created, inspected)),
        _ => None,
    });
    if let Some((created, inspected)) = first {
        *created = ended.created;
        *inspected = ended.inspected;
    }
    records.extend(units);
}
