use crate::model::{Store, TestRecord};
use crate::shapes::BySmart;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use tamis_fingerprint::Fingerprint;
use tamis_select::{Footprint, Ids, MemberName, TestId, readable};

impl Store {
    /// The footprint of each test class; of a class whose single tests are known, those of all of them.
    pub fn footprints(&self) -> BTreeMap<TestId, Footprint> {
        let names = Names::new(self);
        let mut footprints: BTreeMap<TestId, Footprint> = BTreeMap::new();
        for (id, test) in self.tests() {
            footprints
                .entry(id.whole_class())
                .or_default()
                .unite(names.footprint(test));
        }
        footprints
    }

    /// The test classes that are known, each once.
    pub fn test_classes(&self) -> BTreeSet<TestId> {
        self.tests().map(|(id, _)| id.whole_class()).collect()
    }

    /// The tests that are known as a whole and ran alone in their JVM.
    pub fn isolated(&self) -> Vec<TestId> {
        let isolated = self.tests().filter(|(_, test)| test.isolated);
        isolated.map(|(id, _)| id).collect()
    }
}

/// The names of all that tests refer to by number.
struct Names {
    classes: Vec<Arc<str>>,
    methods: HashMap<u32, Arc<str>>,
    inputs: Vec<Arc<str>>,
}

impl Names {
    fn new(store: &Store) -> Names {
        let name = |name: &str| name.replace('/', ".").into();
        let inputs = store.inputs.iter().map(|version| {
            let (kind, name) = store.input_name(version);
            format!("{kind} {name}").into()
        });
        let mut names = Names {
            classes: store.versions.iter().map(|v| name(&v.name)).collect(),
            methods: HashMap::new(),
            inputs: inputs.collect(),
        };
        let by_smart: BySmart<'_> = store.shapes.by_smart();
        for version in &store.versions {
            let smart = version.smart.as_ref();
            for numbered in smart
                .and_then(|smart| by_smart.get(smart))
                .into_iter()
                .flatten()
            {
                let print = Fingerprint::decode(&numbered.shape.print);
                let methods = print.iter().flat_map(|print| &print.methods);
                for (index, method) in (0..).zip(methods) {
                    let class = version.name.replace('/', ".");
                    let member = readable(method.name, method.descriptor);
                    let label: Arc<str> = MemberName::member(class, member).to_string().into();
                    for number in numbered.numbering().of(index) {
                        names.methods.insert(number, Arc::clone(&label));
                    }
                }
            }
        }
        names
    }

    fn footprint(&self, test: &TestRecord) -> Footprint {
        let of = |ids: Ids<'_>, table: &[Arc<str>]| {
            let ids = ids.iter().map_while(Result::ok);
            ids.filter_map(|id| table.get(id as usize).cloned())
                .collect()
        };
        let executed = test.members.as_ids();
        let executed = executed.iter().map_while(Result::ok);
        Footprint {
            outcome: Some(test.outcome),
            isolated: test.isolated,
            distrust: test.distrust.clone(),
            classes: of(test.classes.as_ids(), &self.classes),
            methods: executed
                .filter_map(|number| self.methods.get(&number).cloned())
                .collect(),
            inputs: of(test.inputs.as_ids(), &self.inputs),
        }
    }
}
