use crate::model::{ClassVersion, Location, Module, Store, Tables, TestRecord};
use tamis_select::IdsBuf;

const UNUSED: u32 = u32::MAX;

/// The same store without what no test refers to, and with class versions sorted by name, so that
/// the ids of a test lie close together.
pub(crate) fn compact(store: &Store) -> Store {
    let mut compact = Store::default();
    let mut tables = Tables::take(&mut compact);
    let versions = compact_versions(store, &mut tables);
    for (name, module) in &store.modules {
        let tests = module.tests.iter().filter_map(|(class, test)| {
            let record = TestRecord {
                class_path: class_path(store, test.class_path, &mut tables),
                runtime: tables.runtimes.id(store.runtime(test.runtime).to_owned()),
                own: test.own.and_then(|id| versions.get(id as usize).copied()),
                classes: remapped(&test.classes, &versions)?,
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
    compact
}

fn class_path(store: &Store, id: u32, tables: &mut Tables) -> u32 {
    let places = store
        .class_path(id)
        .map(|place| tables.places.id(place.clone()))
        .collect();
    tables.class_paths.id(places)
}

/// Copies the versions in use; gives the new id of each.
fn compact_versions(store: &Store, tables: &mut Tables) -> Vec<u32> {
    let mut ids = vec![UNUSED; store.versions.len()];
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
            .chain(test.own);
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

/// `None` if the list is malformed: the test is then better forgotten, so that it runs.
fn remapped(classes: &IdsBuf, versions: &[u32]) -> Option<IdsBuf> {
    let new = classes
        .as_ids()
        .iter()
        .map(|id| versions.get(id.ok()? as usize).copied());
    Some(IdsBuf::pack(new.collect::<Option<Vec<u32>>>()?))
}
