//! Property tests that hold for any store.

use crate::compact::compact;
use crate::format::{HEAD, decode, encode};
use crate::model::{ClassVersion, InputVersion, Location, Module, Store, TestRecord};
use crate::shapes::{Numbered, Shape, Shapes};
use crate::{Project, Scope};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use tamis_classpath::{Base, Place};
use tamis_inputs::{Aspect, Input};
use tamis_select::{Choice, Declared, IdsBuf, Log, LogPart, Outcome, TestName, UnloggedReflection};

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Passed),
        Just(Outcome::Ignored),
        Just(Outcome::Aborted),
        Just(Outcome::Failed),
        Just(Outcome::Unfinished),
    ]
}

fn place() -> impl Strategy<Value = Place> {
    let base = prop_oneof![Just(Base::Project), Just(Base::Maven), Just(Base::System)];
    (base, "[a-zé: /]{0,8}").prop_map(|(base, path)| Place { base, path })
}

/// One list of 4 places, 2 runtimes, 3 class paths and 9 versions; ids stay below that.
fn version() -> impl Strategy<Value = ClassVersion> {
    let location = prop_oneof![
        Just(Location::OnPath),
        (0..4u32).prop_map(Location::At),
        Just(Location::Absent)
    ];
    (
        "[a-c]/[A-C$]{1,2}",
        location,
        any::<u128>(),
        option::of(0..5u128),
    )
        .prop_map(|(name, location, raw, smart)| ClassVersion {
            name,
            location,
            raw,
            smart,
        })
}

fn test() -> impl Strategy<Value = TestRecord> {
    let numbers = (any::<u64>(), any::<u64>(), 0..3u32, 0..2u32);
    let rest = (
        option::of(".{0,5}"),
        option::of(0..9u32),
        vec(0..9u32, 0..9),
        vec(0..9u32, 0..3),
        any::<[bool; 2]>(),
        vec((0..2u32, 0..4u32, 0..3u32), 0..3),
        vec(0..6u32, 0..4),
    );
    (outcome(), any::<[bool; 2]>(), numbers, rest).prop_map(|(outcome, flags, numbers, rest)| {
        let [container, isolated] = flags;
        let (last_run_ms, duration_us, class_path, runtime) = numbers;
        let (distrust, test_class, classes, whole, [traces, unlogged], logs, inputs) = rest;
        let part = |(log, created, inspected)| LogPart {
            log,
            created,
            inspected,
        };
        TestRecord {
            outcome,
            container,
            isolated,
            last_run_ms,
            duration_us,
            distrust,
            class_path,
            runtime,
            test_class,
            checked: IdsBuf::pack(classes.iter().copied().step_by(2).collect()),
            classes: IdsBuf::pack(classes),
            whole: IdsBuf::pack(whole.clone()),
            members: IdsBuf::default(),
            inputs: IdsBuf::pack(inputs),
            reflection: UnloggedReflection { traces, unlogged },
            logs: logs.into_iter().map(part).collect(),
            receivers: None,
            inherited: BTreeMap::new(),
            changed: BTreeSet::new(),
        }
    })
}

fn declared() -> impl Strategy<Value = Declared> {
    let sets = (btree_set(".{0,4}", 0..3), btree_set(any::<u64>(), 0..3));
    sets.prop_map(|(supertypes, methods)| Declared {
        supertypes,
        methods,
    })
}

fn input() -> impl Strategy<Value = InputVersion> {
    let names = vec(".{0,3}", 0..2);
    let file = (0..4u32, 0..Aspect::ALL.len(), names).prop_map(|(place, aspect, test_created)| {
        Input::File {
            place,
            aspect: Aspect::ALL[aspect],
            test_created,
        }
    });
    let entry = (0..4u32, ".{0,4}").prop_map(|(place, name)| Input::Entry { place, name });
    let others = (".{0,4}", 0..7u8).prop_map(|(name, kind)| match kind {
        0 => Input::Resource { name, all: false },
        1 => Input::Archive(name),
        2 => Input::Property(name),
        3 => Input::Pattern(name),
        4 => Input::Linked(name),
        5 => Input::Declared(name),
        _ => Input::Variable(name),
    });
    let state = proptest::option::of(any::<u128>());
    (prop_oneof![file, entry, others], state)
        .prop_map(|(input, state)| InputVersion { input, state })
}

fn store() -> impl Strategy<Value = Store> {
    let module = (
        0..3u32,
        0..2u32,
        any::<u64>(),
        btree_map(".{1,4}".prop_map(TestName::from), test(), 0..5),
    )
        .prop_map(|(class_path, runtime, last_run_ms, tests)| Module {
            class_path,
            runtime,
            last_run_ms,
            tests,
        });
    let lists = (
        vec(place(), 4),
        vec(".{0,4}", 2),
        vec(vec(0..4u32, 0..4), 3),
    );
    let log = (vec(0..9u32, 3), vec(0..9u32, 2));
    let log = log.prop_map(|(created, inspected)| Log { created, inspected });
    let logs = vec(log, 2);
    (
        lists,
        (vec(version(), 9), vec(input(), 6)),
        vec(0..4u32, 5),
        logs,
        btree_map("[a-z/]{0,4}", module, 0..4),
        btree_map("[a-z/]{0,4}", declared(), 0..4),
        any::<u64>(),
    )
        .prop_map(
            |(
                (places, runtimes, class_paths),
                (versions, inputs),
                methods,
                logs,
                modules,
                outside,
                seed,
            )| {
                let mut shapes = Shapes::default();
                for (smart, methods) in (0..).zip(methods) {
                    let by_methods = Shape {
                        smart,
                        methods,
                        print: vec![smart as u8].into(),
                        counts: Box::default(),
                        blocks: Default::default(),
                    };
                    let by_blocks = Shape {
                        counts: vec![smart as u16; methods as usize].into(),
                        blocks: vec![7].into(),
                        ..by_methods.clone()
                    };
                    shapes.push(by_methods);
                    if by_blocks.numbers() > 0 {
                        shapes.push(by_blocks);
                    }
                }
                let mut store = Store {
                    places,
                    runtimes,
                    class_paths,
                    versions,
                    inputs,
                    shapes,
                    logs,
                    pairs: Vec::new(),
                    modules,
                    outside,
                };
                execute(&mut store, seed);
                store
            },
        )
}

/// Lets every test execute some methods of the classes it used, and every second one tell on objects
/// of which class.
fn execute(store: &mut Store, seed: u64) {
    let by_smart = store.shapes.by_smart();
    let modules = store.modules.values_mut();
    for (number, test) in (0..).zip(modules.flat_map(|module| module.tests.values_mut())) {
        let classes = test.classes.as_ids().iter().map(Result::unwrap);
        let smarts = classes.filter_map(|id| store.versions[id as usize].smart);
        let numbered = smarts.flat_map(|smart| by_smart[&smart].clone());
        let methods = numbered.filter_map(|Numbered { shape, first }| {
            let numbers = shape.numbers();
            (numbers > 0).then(|| first + (seed.rotate_left(number) as u32) % numbers)
        });
        let methods: Vec<u32> = methods.collect();
        if number % 2 == 0 {
            let mut receivers = Vec::new();
            for &method in &methods {
                let class = seed.rotate_right(method) as u32 % 10;
                receivers.push(store.pairs.len() as u32);
                store.pairs.push((method, (class < 9).then_some(class)));
            }
            test.receivers = Some(IdsBuf::pack(receivers));
        }
        test.members = IdsBuf::pack(methods);
    }
}

/// A store with every id replaced by what it stands for.
fn meaning(store: &Store) -> Vec<String> {
    let version = |id: u32| {
        let version = &store.versions[id as usize];
        let place = match version.location {
            Location::At(place) => Some(&store.places[place as usize]),
            _ => None,
        };
        let kind = std::mem::discriminant(&version.location);
        format!(
            "{:?} {kind:?} {place:?} {} {:?}",
            version.name, version.raw, version.smart
        )
    };
    let path = |id: u32| {
        store
            .class_path(id)
            .map(Place::to_string)
            .collect::<Vec<_>>()
    };
    let mut lines = Vec::new();
    for (name, module) in &store.modules {
        let runtime = store.runtime(module.runtime);
        lines.push(format!(
            "{name} {:?} {runtime} {}",
            path(module.class_path),
            module.last_run_ms
        ));
        for (class, test) in &module.tests {
            let classes = test.classes.as_ids().iter().map(|id| version(id.unwrap()));
            let classes: BTreeSet<String> = classes.collect();
            let [checked, whole] = [&test.checked, &test.whole].map(|ids| -> BTreeSet<String> {
                let ids = ids.as_ids().iter();
                ids.map(|id| version(id.unwrap())).collect()
            });
            let member = |number: u32| {
                let at = store.shapes.of_number(number).unwrap();
                let (shape, first) = store.shapes.iter().nth(at).unwrap();
                let counts = shape.counts.clone();
                (shape.smart, shape.print.clone(), counts, number - first)
            };
            let members = test.members.as_ids().iter().map(Result::unwrap);
            let members: BTreeSet<_> = members.map(member).collect();
            let pair = |id: Result<u32, _>| {
                let (method, class) = store.pairs[id.unwrap() as usize];
                (member(method), class.map(version))
            };
            let receivers = test.receivers.as_ref();
            let receivers: Option<BTreeSet<_>> =
                receivers.map(|ids| ids.as_ids().iter().map(pair).collect());
            let list = |ids: &[u32]| -> Vec<String> { ids.iter().map(|id| version(*id)).collect() };
            let log = |part: &LogPart| {
                let log = &store.logs[part.log as usize];
                let created = list(&log.created[..part.created as usize]);
                (created, list(&log.inspected[..part.inspected as usize]))
            };
            let logs: Vec<_> = test.logs.iter().map(log).collect();
            let input = |id: Result<u32, _>| {
                let mut version = store.inputs[id.unwrap() as usize].clone();
                let place = match &mut version.input {
                    Input::File { place, .. } | Input::Entry { place, .. } => {
                        Some(std::mem::take(place))
                    }
                    _ => None,
                };
                (version, place.map(|place| &store.places[place as usize]))
            };
            let inputs: BTreeSet<_> = test.inputs.as_ids().iter().map(input).collect();
            let detail = (
                checked,
                whole,
                members,
                test.reflection,
                logs,
                receivers,
                inputs,
            );
            let known = (
                test.outcome,
                test.container,
                test.last_run_ms,
                test.duration_us,
            );
            let where_ = (path(test.class_path), store.runtime(test.runtime));
            let own = test.test_class.map(version);
            lines.push(format!(
                "{class} {known:?} {:?} {where_:?} {own:?} {classes:?} {detail:?}",
                test.distrust
            ));
        }
    }
    lines
}

/// A project with some of the classes that versions are of.
static PROJECT: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    for class in ["a/A", "a/B$", "b/C"] {
        let file = dir.path().join(format!("{class}.class"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, class).unwrap();
    }
    dir
});

/// Does with a store all that can be done with one.
fn use_all(store: &Store) {
    let project = Project {
        root: PROJECT.path().to_owned(),
    };
    let scope = Scope {
        class_path: Some(vec![project.root.clone()]),
        ..Scope::default()
    };
    for technique in ["ekstazi", "hyrts", "hyrts-b"] {
        let choice: Choice = technique.parse().unwrap();
        let technique = choice.technique();
        for scope in [&scope, &Scope::default()] {
            let selection = store.select(&project, scope, technique.as_ref());
            selection.left_out();
        }
    }
    for asked in ["a", "a.A", "a.A#m"] {
        store.affected(asked);
        store.known(asked);
    }
    store.modules();
    store.clone().absorb(&project, vec![]);
}

proptest! {
    #[test]
    fn a_store_that_says_anything_with_a_right_checksum_breaks_nothing(
        store in store(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = encode(&store);
        let end = bytes.len() - 16;
        for (at, value) in changes {
            bytes[HEAD + at.index(end - HEAD)] = value;
        }
        let sum = xxhash_rust::xxh3::xxh3_128(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&sum);
        if let Ok(store) = decode(&bytes.into()) {
            use_all(&store);
            let small = compact(&store);
            prop_assert_eq!(decode(&encode(&small).into()), Ok(small));
        }
    }

    #[test]
    fn what_was_encoded_is_decoded(store in store()) {
        prop_assert_eq!(decode(&encode(&store).into()), Ok(store));
    }

    #[test]
    fn compacting_keeps_the_meaning_and_drops_the_rest(store in store()) {
        let small = compact(&store);
        prop_assert_eq!(meaning(&small), meaning(&store));
        prop_assert_eq!(&small.outside, &store.outside);
        prop_assert!(small.versions.is_sorted_by(|a, b| a.name <= b.name));
        let tests = small.modules.values().flat_map(|module| module.tests.values());
        let mut used: BTreeSet<u32> = tests
            .flat_map(|test| {
                let ids = test.classes.as_ids().iter().chain(test.whole.as_ids().iter());
                ids.map(Result::unwrap).chain(test.test_class)
            })
            .collect();
        used.extend(small.logs.iter().flat_map(|log| &log.created));
        used.extend(small.logs.iter().flat_map(|log| &log.inspected));
        used.extend(small.pairs.iter().filter_map(|(_, class)| *class));
        prop_assert_eq!(used.len(), small.versions.len());
    }

    #[test]
    fn any_flip_and_any_cut_is_refused(store in store(), at in any::<prop::sample::Index>(), bit in 0..8) {
        let good = encode(&store);
        let at = at.index(good.len());
        prop_assert!(decode(&good[..at].to_vec().into()).is_err());
        let mut bad = good;
        bad[at] ^= 1u8 << bit;
        prop_assert!(decode(&bad.into()).is_err());
    }

    #[test]
    fn a_body_with_a_right_checksum_never_panics(body in vec(any::<u8>(), 0..200)) {
        let mut bytes = encode(&Store::default())[..16].to_vec();
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes.extend_from_slice(&xxhash_rust::xxh3::xxh3_128(&bytes).to_le_bytes());
        if let Ok(store) = decode(&bytes.into()) {
            compact(&store);
            store.affected("a");
        }
    }
}
