use crate::model::{Store, internal_name};
use std::collections::{BTreeSet, HashSet};
use tamis_classpath::Place;
use tamis_fingerprint::Fingerprint;
use tamis_select::{IdsBuf, Known, MemberName, TestId, TestName, readable};

/// State that a test shares with others that ran before it in its JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The name of the state: a static field, `a.b.C.field`, or an object that a framework caches.
    pub through: String,
    /// Tests that changed it before, not more than a few. What they used counts for this test too.
    pub from: Vec<String>,
}

/// The status of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleInfo {
    /// Its directory relative to the root; empty for the root.
    pub module: String,
    /// The class path of its last run.
    pub class_path: Vec<Place>,
    /// The runtime on which it last ran.
    pub runtime: String,
    /// When it last ran, in milliseconds since 1970.
    pub last_run_ms: u64,
    /// How many test classes are known.
    pub tests: usize,
}

impl Store {
    /// The status of each module.
    pub fn modules(&self) -> Vec<ModuleInfo> {
        let info = |(name, module): (&String, &crate::model::Module)| ModuleInfo {
            module: name.clone(),
            class_path: self.class_path(module.class_path).cloned().collect(),
            runtime: self.runtime(module.runtime).to_owned(),
            last_run_ms: module.last_run_ms,
            tests: {
                let tests = module.tests.iter().filter(|(_, test)| !test.container);
                let classes: HashSet<&str> = tests.map(|(name, _)| name.needed_class()).collect();
                classes.len()
            },
        };
        self.modules.iter().map(info).collect()
    }

    /// The state that a test shares with others.
    pub fn shares(&self, test: &TestId) -> Vec<Share> {
        let module = self.modules.get(&test.module);
        let record = module.and_then(|module| module.tests.get(&test.name));
        let inherited = record.into_iter().flat_map(|record| &record.inherited);
        let share = |(through, from): (&String, &BTreeSet<String>)| Share {
            through: through.clone(),
            from: from.iter().cloned().collect(),
        };
        inherited.map(share).collect()
    }

    /// How many tests are known, single ones and whole classes.
    pub fn known_tests(&self) -> usize {
        self.tests().count()
    }

    /// The tests that used the class `a.b.C`, or any `C`; with a method, with or without its parameters, those
    /// that executed it, or may have.
    pub fn affected<'a>(&self, asked: impl Into<MemberName<'a>>) -> Vec<TestId> {
        let asked = asked.into();
        let name = internal_name(&asked.class);
        let is_it: Vec<bool> = self
            .versions
            .iter()
            .map(|version| match version.name.strip_suffix(&name) {
                Some(before) => before.is_empty() || before.ends_with(['/', '$']),
                None => false,
            })
            .collect();
        let is_among = |classes: &IdsBuf| {
            let mut ids = classes.as_ids().iter().map_while(Result::ok);
            ids.any(|id| is_it.get(id as usize) == Some(&true))
        };
        let numbers = asked.member.as_deref();
        let numbers = numbers.map(|member| self.numbers(&is_it, member));
        let uses = |test: &crate::model::TestRecord| match &numbers {
            None => is_among(&test.classes),
            Some(numbers) => {
                let mut executed = test.members.as_ids().iter().map_while(Result::ok);
                is_among(&test.whole) || executed.any(|number| numbers.contains(&number))
            }
        };
        self.tests()
            .filter(|(_, test)| uses(test))
            .map(|(id, _)| id)
            .collect()
    }

    /// The numbers of the methods called `member`, with or without parameters, of these versions.
    fn numbers(&self, versions: &[bool], member: &str) -> HashSet<u32> {
        let by_smart = self.shapes.by_smart();
        let mut numbers = HashSet::new();
        let asked = self
            .versions
            .iter()
            .zip(versions)
            .filter(|(_, asked)| **asked);
        let shapes = asked.filter_map(|(version, _)| by_smart.get(&version.smart?));
        for numbered in shapes.flatten() {
            let print = Fingerprint::decode(&numbered.shape.print);
            let methods = print.iter().flat_map(|print| &print.methods);
            for (index, method) in (0..).zip(methods) {
                let text = readable(method.name, method.descriptor);
                if text == member || text.split('(').next() == Some(member) {
                    numbers.extend(numbered.numbering().of(index));
                }
            }
        }
        numbers
    }

    /// The tests of this name in all modules, with their last runs.
    pub fn known(&self, asked: impl Into<TestName>) -> Vec<(TestId, Known)> {
        let asked = asked.into();
        let tests = self.tests().filter(|(id, _)| id.name.is_called(&asked));
        tests.map(|(id, test)| (id, test.known())).collect()
    }

    pub(crate) fn tests(&self) -> impl Iterator<Item = (TestId, &crate::model::TestRecord)> {
        self.modules.iter().flat_map(|(module, content)| {
            let tests = content.tests.iter().filter(|(_, test)| !test.container);
            tests.map(|(name, test)| (TestId::new(&**module, name.clone()), test))
        })
    }

    pub(crate) fn class_path(&self, id: u32) -> impl Iterator<Item = &Place> {
        let ids = self.class_paths.get(id as usize).into_iter().flatten();
        ids.filter_map(|place| self.places.get(*place as usize))
    }

    pub(crate) fn runtime(&self, id: u32) -> &str {
        self.runtimes.get(id as usize).map_or("", String::as_str)
    }
}
