use crate::shapes::{ShapeTable, Shapes};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use tamis_classpath::Place;
use tamis_inputs::Input;
use tamis_select::{
    Declared, IdsBuf, Known, Log, LogPart, Outcome, Pair, TestName, UnloggedReflection,
};

/// The store: the last results of all tests of a project.
///
/// Every test refers to the class versions that it saw itself in its own last run, so that running
/// one test never makes another look fresh.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Store {
    pub(crate) places: Vec<Place>,
    pub(crate) runtimes: Vec<String>,
    /// Each a list of places.
    pub(crate) class_paths: Vec<Vec<u32>>,
    pub(crate) versions: Vec<ClassVersion>,
    /// The inputs of tests.
    pub(crate) inputs: Vec<InputVersion>,
    /// What class versions are made of, by their smart checksums.
    pub(crate) shapes: Shapes,
    /// What happened in JVMs, with versions of classes.
    pub(crate) logs: Vec<Log>,
    /// Methods and the versions of classes on whose objects they ran.
    pub(crate) pairs: Vec<Pair>,
    pub(crate) modules: BTreeMap<String, Module>,
    /// What types without fingerprint declare, those of the JDK, by internal name. Of several
    /// runtimes each has its part in it, so that it is never less than what one of them has.
    pub(crate) outside: BTreeMap<String, Declared>,
}

/// One state of a class file, and where to look whether it still is like that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClassVersion {
    /// Internal name.
    pub(crate) name: String,
    pub(crate) location: Location,
    /// Digest of the bytes; 0 for [`Location::Absent`].
    pub(crate) raw: u128,
    pub(crate) smart: Option<u128>,
}

/// One state of an input; files by place ids.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InputVersion {
    pub(crate) input: Input<u32>,
    /// Absent if it is unknown: then it equals nothing.
    pub(crate) state: Option<u128>,
}

/// The place where the present version of a class is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Location<P = u32> {
    /// First on the class path.
    OnPath,
    /// In this directory or jar; a place id once it is in the store.
    At(P),
    /// It must not be on the class path.
    Absent,
}

/// A module and its tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Module {
    pub(crate) class_path: u32,
    pub(crate) runtime: u32,
    pub(crate) last_run_ms: u64,
    pub(crate) tests: BTreeMap<TestName, TestRecord>,
}

/// The last run of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestRecord {
    pub(crate) outcome: Outcome,
    /// Whether it only holds other tests.
    pub(crate) container: bool,
    pub(crate) last_run_ms: u64,
    pub(crate) duration_us: u64,
    /// Whether what it used was recorded in JVMs that ran no other test class.
    pub(crate) isolated: bool,
    pub(crate) distrust: Option<String>,
    pub(crate) class_path: u32,
    pub(crate) runtime: u32,
    /// The version of the test class itself, if it is among those that it used.
    pub(crate) test_class: Option<u32>,
    /// Ids of the versions it used.
    pub(crate) classes: IdsBuf,
    /// Those of them that it used in type checks alone.
    pub(crate) checked: IdsBuf,
    /// Those of them whose members it cannot be said to have used or not.
    pub(crate) whole: IdsBuf,
    /// Numbers of the methods it executed.
    pub(crate) members: IdsBuf,
    /// Ids of its inputs.
    pub(crate) inputs: IdsBuf,
    /// The reflection uses of the code that it executed.
    pub(crate) reflection: UnloggedReflection,
    /// The [`Store::logs`] of its JVMs, and how long each was when it ended.
    pub(crate) logs: Vec<LogPart>,
    /// Ids of [`Store::pairs`], if it was recorded on which objects methods ran.
    pub(crate) receivers: Option<IdsBuf>,
    /// Per place of shared state that it may have read, tests that changed it before.
    pub(crate) inherited: BTreeMap<String, BTreeSet<String>>,
    /// The places of shared state that it changed itself.
    pub(crate) changed: BTreeSet<String>,
}

impl TestRecord {
    pub(crate) fn known(&self) -> Known {
        Known {
            outcome: self.outcome,
            last_run_ms: self.last_run_ms,
            duration_us: self.duration_us,
            classes: self.classes.as_ids().count(),
            isolated: self.isolated,
            shares: !self.inherited.is_empty(),
        }
    }
}

/// Gives equal items the same id.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    ids: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn new(items: Vec<T>) -> Self {
        let ids = items.iter().cloned().zip(0..).collect();
        Interner { items, ids }
    }

    pub(crate) fn id(&mut self, item: T) -> u32 {
        *self.ids.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            self.items.len() as u32 - 1
        })
    }

    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }
}

/// The lists of a store while things are added to them.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) places: Interner<Place>,
    pub(crate) runtimes: Interner<String>,
    pub(crate) class_paths: Interner<Vec<u32>>,
    pub(crate) versions: Interner<ClassVersion>,
    pub(crate) inputs: Interner<InputVersion>,
    pub(crate) shapes: ShapeTable,
    pub(crate) pairs: Interner<Pair>,
}

impl Tables {
    /// Takes the lists out of `store`.
    pub(crate) fn take(store: &mut Store) -> Self {
        Tables {
            places: Interner::new(std::mem::take(&mut store.places)),
            runtimes: Interner::new(std::mem::take(&mut store.runtimes)),
            class_paths: Interner::new(std::mem::take(&mut store.class_paths)),
            versions: Interner::new(std::mem::take(&mut store.versions)),
            inputs: Interner::new(std::mem::take(&mut store.inputs)),
            shapes: ShapeTable::new(std::mem::take(&mut store.shapes)),
            pairs: Interner::new(std::mem::take(&mut store.pairs)),
        }
    }

    /// Gives them back.
    pub(crate) fn put(self, store: &mut Store) {
        store.places = self.places.into_items();
        store.runtimes = self.runtimes.into_items();
        store.class_paths = self.class_paths.into_items();
        store.versions = self.versions.into_items();
        store.inputs = self.inputs.into_items();
        store.shapes = self.shapes.into_shapes();
        store.pairs = self.pairs.into_items();
    }
}

/// The internal name of a class with this binary name.
pub(crate) fn internal_name(class: &str) -> String {
    class.replace('.', "/")
}
