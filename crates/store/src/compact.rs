use crate::model::{ClassVersion, InputVersion, Location, Module, Store, Tables, TestRecord};
use std::collections::BTreeMap;
use tamis_inputs::Input;
use tamis_select::{IdsBuf, Log, LogPart, Pair};

const UNUSED: u32 = u32::MAX;

/// The same store without what no test refers to, and with class versions sorted by name, so that
/// the ids of a test lie close together.
pub(crate) fn compact(store: &Store) -> Store {
    let mut compact = Store::default();
    let mut tables = Tables::take(&mut compact);
    let logs = used_logs(store);
    let used = used_pairs(store);
    let versions = compact_versions(store, &logs, &used, &mut tables);
    let inputs = compact_inputs(store, &mut tables);
    let members = compact_shapes(store, &mut tables);
    let pairs = compact_pairs(store, &used, &versions, &members, &mut tables);
    let log_ids: BTreeMap<u32, u32> = logs.keys().copied().zip(0..).collect();
    for (name, module) in &store.modules {
        let tests = module.tests.iter().filter_map(|(class, test)| {
            let record = TestRecord {
                class_path: class_path(store, test.class_path, &mut tables),
                runtime: tables.runtimes.id(store.runtime(test.runtime).to_owned()),
                test_class: test
                    .test_class
                    .and_then(|id| versions.get(id as usize).copied()),
                classes: remapped(&test.classes, &versions)?,
                checked: remapped(&test.checked, &versions)?,
                whole: remapped(&test.whole, &versions)?,
                members: renumbered(store, &test.members, &members)?,
                inputs: remapped(&test.inputs, &inputs)?,
                logs: {
                    let part = |part: &LogPart| {
                        let log = *log_ids.get(&part.log)?;
                        Some(LogPart { log, ..*part })
                    };
                    test.logs.iter().map(part).collect::<Option<_>>()?
                },
                receivers: match &test.receivers {
                    None => None,
                    Some(receivers) => Some(remapped(receivers, &pairs)?),
                },
                ..test.clone()
            };
            Some((class.clone(), record))
        });
        let tests = tests.collect();
        let module = Module {
            class_path: class_path(store, module.class_path, &mut tables),
            runtime: tables.runtimes.id(store.runtime(module.runtime).to_owned()),
            last_run_ms: module.last_run_ms,
            tests,
        };
        compact.modules.insert(name.clone(), module);
    }
    tables.put(&mut compact);
    let kept = |list: &[u32]| -> Vec<u32> {
        let ids = list.iter();
        ids.filter_map(|id| versions.get(*id as usize).copied())
            .collect()
    };
    let log = |part: &LogPart| {
        let (created, inspected) = lists(store, part);
        Log {
            created: kept(created),
            inspected: kept(inspected),
        }
    };
    compact.logs = logs.values().map(log).collect();
    compact.outside = store.outside.clone();
    compact
}

/// The logs that tests refer to, and how much of each is of use.
fn used_logs(store: &Store) -> BTreeMap<u32, LogPart> {
    let mut logs: BTreeMap<u32, LogPart> = BTreeMap::new();
    let modules = store.modules.values();
    for part in modules.flat_map(|m| m.tests.values()).flat_map(|t| &t.logs) {
        let longest = logs.entry(part.log).or_insert(*part);
        longest.created = longest.created.max(part.created);
        longest.inspected = longest.inspected.max(part.inspected);
    }
    logs
}

/// The used parts of the lists of a log.
fn lists<'s>(store: &'s Store, part: &LogPart) -> (&'s [u32], &'s [u32]) {
    let log = store.logs.get(part.log as usize);
    let first = |list: &'s Vec<u32>, length: u32| list.get(..length as usize).unwrap_or(list);
    log.map_or((&[], &[]), |log| {
        let created = first(&log.created, part.created);
        (created, first(&log.inspected, part.inspected))
    })
}

/// The pairs to which tests refer.
fn used_pairs(store: &Store) -> Vec<bool> {
    let mut used = vec![false; store.pairs.len()];
    let tests = store.modules.values().flat_map(|m| m.tests.values());
    let lists = tests.filter_map(|test| test.receivers.as_ref());
    for id in lists.flat_map(|ids| ids.as_ids().iter().map_while(Result::ok)) {
        if let Some(used) = used.get_mut(id as usize) {
            *used = true;
        }
    }
    used
}

/// Copies the pairs in use, in the order of methods; gives the new id of each. The class of a method
/// that is in a pair is in use, and so is the other.
fn compact_pairs(
    store: &Store,
    used: &[bool],
    versions: &[u32],
    members: &[Option<u32>],
    tables: &mut Tables,
) -> Vec<u32> {
    let mut new: Vec<(Pair, usize)> = Vec::new();
    for (id, (&(method, class), used)) in store.pairs.iter().zip(used).enumerate() {
        let method = number(store, method, members);
        if let Some(method) = method.filter(|_| *used) {
            let class = class.and_then(|class| versions.get(class as usize).copied());
            new.push(((method, class), id));
        }
    }
    new.sort_unstable();
    let mut ids = vec![UNUSED; store.pairs.len()];
    for (pair, id) in new {
        if let Some(id) = ids.get_mut(id) {
            *id = tables.pairs.id(pair);
        }
    }
    ids
}

/// Copies the shapes of the versions in use, in the order of their versions; gives the new number
/// of each old shape's first method.
fn compact_shapes(store: &Store, tables: &mut Tables) -> Vec<Option<u32>> {
    let by_smart = store.shapes.by_smart();
    let Tables {
        versions, shapes, ..
    } = tables;
    for smart in versions.items().iter().filter_map(|version| version.smart) {
        for numbered in by_smart.get(&smart).into_iter().flatten() {
            shapes.copy(numbered.shape);
        }
    }
    let new = |(shape, _): (&crate::shapes::Shape, u32)| shapes.get(shape);
    store.shapes.iter().map(new).collect()
}

/// `None` if the list is malformed, or has a method of a class that the test did not use.
fn renumbered(store: &Store, members: &IdsBuf, new: &[Option<u32>]) -> Option<IdsBuf> {
    let members = members.as_ids().iter();
    let numbers = members.map(|member| number(store, member.ok()?, new));
    Some(IdsBuf::pack(numbers.collect::<Option<Vec<u32>>>()?))
}

fn number(store: &Store, number: u32, new: &[Option<u32>]) -> Option<u32> {
    let shape = store.shapes.of_number(number)?;
    let first = (*new.get(shape)?)?;
    Some(first + (number - store.shapes.firsts().get(shape)?))
}

fn class_path(store: &Store, id: u32, tables: &mut Tables) -> u32 {
    let places = store
        .class_path(id)
        .map(|place| tables.places.id(place.clone()))
        .collect();
    tables.class_paths.id(places)
}

/// Copies the versions in use; gives the new id of each.
fn compact_versions(
    store: &Store,
    logs: &BTreeMap<u32, LogPart>,
    pairs: &[bool],
    tables: &mut Tables,
) -> Vec<u32> {
    let mut ids = vec![UNUSED; store.versions.len()];
    let pairs = store.pairs.iter().zip(pairs).filter(|(_, used)| **used);
    for id in pairs.filter_map(|((_, class), _)| *class) {
        if let Some(id) = ids.get_mut(id as usize) {
            *id = 0;
        }
    }
    for part in logs.values() {
        let (created, inspected) = lists(store, part);
        for id in created.iter().chain(inspected) {
            if let Some(id) = ids.get_mut(*id as usize) {
                *id = 0;
            }
        }
    }
    for test in store
        .modules
        .values()
        .flat_map(|module| module.tests.values())
    {
        let used = test
            .classes
            .as_ids()
            .iter()
            .map_while(Result::ok)
            .chain(test.whole.as_ids().iter().map_while(Result::ok))
            .chain(test.test_class);
        for id in used {
            if let Some(id) = ids.get_mut(id as usize) {
                *id = 0;
            }
        }
    }
    let mut used: Vec<(&ClassVersion, &mut u32)> = store
        .versions
        .iter()
        .zip(&mut ids)
        .filter(|(_, id)| **id != UNUSED)
        .collect();
    used.sort_unstable();
    for (version, id) in used {
        let location = match version.location {
            Location::At(place) => match store.places.get(place as usize) {
                Some(place) => Location::At(tables.places.id(place.clone())),
                None => Location::OnPath,
            },
            other => other,
        };
        *id = tables.versions.id(ClassVersion {
            location,
            ..version.clone()
        });
    }
    ids
}

/// Copies the inputs in use; gives the new id of each.
fn compact_inputs(store: &Store, tables: &mut Tables) -> Vec<u32> {
    let mut ids = vec![UNUSED; store.inputs.len()];
    let tests = store.modules.values().flat_map(|m| m.tests.values());
    for id in tests.flat_map(|test| test.inputs.as_ids().iter().map_while(Result::ok)) {
        if let Some(id) = ids.get_mut(id as usize) {
            *id = 0;
        }
    }
    let inputs = store.inputs.iter().zip(&mut ids);
    let mut used: Vec<(&InputVersion, &mut u32)> =
        inputs.filter(|(_, id)| **id != UNUSED).collect();
    used.sort_unstable();
    for (version, id) in used {
        let mut version = version.clone();
        if let Input::File { place, .. } | Input::Entry { place, .. } = &mut version.input {
            match store.places.get(*place as usize) {
                Some(known) => *place = tables.places.id(known.clone()),
                // Its tests are then better forgotten.
                None => {
                    *id = UNUSED;
                    continue;
                }
            }
        }
        *id = tables.inputs.id(version);
    }
    ids
}

/// `None` if the list is malformed: the test is then better forgotten, so that it runs.
fn remapped(classes: &IdsBuf, versions: &[u32]) -> Option<IdsBuf> {
    let new = classes
        .as_ids()
        .iter()
        .map(|id| versions.get(id.ok()? as usize).copied())
        .map(|id| id.filter(|id| *id != UNUSED));
    Some(IdsBuf::pack(new.collect::<Option<Vec<u32>>>()?))
}
