use crate::model::{ClassVersion, Interner, Location, Module, Store, TestRecord};
use tamis_select::IdsBuf;

const UNUSED: u32 = u32::MAX;

/// The same store without what no test refers to, and with class versions sorted by name, so that
/// the ids of a test lie close together.
pub(crate) fn compact(store: &Store) -> Store {
    let mut compact = Store::default();
    let versions = compact_versions(store, &mut compact);
    let mut runtimes = Interner::new(&mut compact.runtimes);
    let mut places = Interner::new(&mut compact.places);
    let mut class_paths = Interner::new(&mut compact.class_paths);
    let mut runtime =
        |id: u32| runtimes.id(store.runtimes.get(id as usize).cloned().unwrap_or_default());
    let mut class_path = |id: u32| {
        let old = store.class_paths.get(id as usize).into_iter().flatten();
        let old = old.filter_map(|place| store.places.get(*place as usize));
        let path = old.map(|place| places.id(place.clone())).collect();
        class_paths.id(path)
    };
    for (name, module) in &store.modules {
        let tests = module.tests.iter().filter_map(|(class, test)| {
            let record = TestRecord {
                class_path: class_path(test.class_path),
                runtime: runtime(test.runtime),
                own: test.own.and_then(|id| versions.get(id as usize).copied()),
                classes: remapped(&test.classes, &versions)?,
                ..test.clone()
            };
            Some((class.clone(), record))
        });
        let tests = tests.collect();
        let module = Module {
            class_path: class_path(module.class_path),
            runtime: runtime(module.runtime),
            last_run_ms: module.last_run_ms,
            tests,
        };
        compact.modules.insert(name.clone(), module);
    }
    compact
}

/// Copies the versions in use; gives the new id of each.
fn compact_versions(store: &Store, compact: &mut Store) -> Vec<u32> {
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
    let mut used: Vec<(u32, &ClassVersion)> = (0..).zip(&store.versions).collect();
    used.retain(|(old, _)| ids.get(*old as usize) == Some(&0));
    used.sort_unstable_by_key(|(_, version)| *version);
    let mut places = Interner::new(&mut compact.places);
    for (old, version) in used {
        let location = match version.location {
            Location::At(place) => match store.places.get(place as usize) {
                Some(place) => Location::At(places.id(place.clone())),
                None => Location::OnPath,
            },
            other => other,
        };
        if let Some(id) = ids.get_mut(old as usize) {
            *id = compact.versions.len() as u32;
        }
        compact.versions.push(ClassVersion {
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
