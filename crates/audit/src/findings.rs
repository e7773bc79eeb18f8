use crate::{Cause, Circumstance, Difference, Ended, Order, Step, TestDifference};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use tamis_select::{MemberName, Outcome, TestId};

/// Prefixes of names of test framework classes and of internal classes of the JDK.
const FRAMEWORKS: [&str; 9] = [
    "jdk.internal.",
    "junit.",
    "org.apache.maven.surefire.",
    "org.apiguardian.",
    "org.hamcrest.",
    "org.junit.",
    "org.opentest4j.",
    "org.testng.",
    "sun.",
];

/// The findings of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// The test classes that usually run.
    pub tests: Vec<TestId>,
    /// How many of them ran alone.
    pub alone: usize,
    /// The other orders in which all ran.
    pub orders: Vec<Order>,
    /// The orders of these that were the usual order after all.
    pub fixed: Vec<Order>,
    /// Whether all ran twice in the usual order.
    pub repeated: bool,
    /// Dependencies that other tests hid, the most first.
    pub hidden: Vec<Hidden>,
    /// The classes of the methods that were hidden, those for most tests first.
    pub sources: Vec<Source>,
    /// Tests whose end depends on others.
    pub dependents: Vec<Dependent>,
    /// Tests that use different things or end differently from run to run.
    pub unstable: Vec<Unstable>,
    /// Tests that could not be run alone, and whether they ran beside others.
    pub not_alone: Vec<(TestId, bool)>,
    /// Tests that fail in the usual run.
    pub failing: Vec<TestId>,
    /// How many methods the tests that are in the store as they ran alone executed in the usual run.
    pub methods_usual: usize,
    /// How many they executed alone.
    pub methods_alone: usize,
}

/// Dependencies of a test that its usual run does not show, because another test did the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The test.
    pub test: TestId,
    /// Its hidden dependencies.
    pub difference: Difference,
    /// Whether the store knows it now.
    pub taken_in: bool,
}

/// A class whose methods were hidden from tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name.
    pub class: String,
    /// How many of its methods.
    pub methods: usize,
    /// The number of tests from which it is hidden.
    pub tests: usize,
}

/// A test that ends well in one circumstance and not in another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependent {
    /// The test.
    pub test: TestId,
    /// The circumstance in which it ends differently than usual.
    pub circumstance: Circumstance,
    /// Its usual outcome.
    pub usual: Outcome,
    /// Its outcome there.
    pub outcome: Outcome,
    /// Why, if that was found out.
    pub cause: Option<Cause>,
}

/// A test that is not the same from run to run, in the same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unstable {
    /// The test.
    pub test: TestId,
    /// The dependencies in only one of two runs.
    pub difference: Difference,
    /// Its outcomes in the two runs, if they differ.
    pub outcomes: Option<(Outcome, Outcome)>,
}

impl Findings {
    /// Draws the findings from these observations; the first one must be of the usual run.
    pub fn of(steps: &[Step]) -> Findings {
        let usual = usual(steps);
        let mut findings = Findings {
            tests: usual.keys().map(|test| (*test).clone()).collect(),
            ..Findings::default()
        };
        let failing = usual.values().filter(|ended| ended.failed());
        findings.failing = failing.map(|ended| ended.test.clone()).collect();
        let mut unstable = unstable(steps, &usual);
        let mut hidden: BTreeMap<&TestId, Difference> = BTreeMap::new();
        let mut taken: BTreeMap<&TestId, Difference> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Usual { .. } | Step::Narrowed { .. } => {}
                Step::Repeated { .. } => findings.repeated = true,
                Step::Reordered {
                    order,
                    jvms,
                    differences,
                } => {
                    findings.orders.push(*order);
                    if is_usual(steps, jvms) {
                        findings.fixed.push(*order);
                    }
                    for TestDifference { test, difference } in differences {
                        hidden.entry(test).or_default().add(difference);
                    }
                }
                Step::Alone {
                    ended,
                    difference,
                    taken_in,
                } => {
                    findings.alone += 1;
                    let usual = usual.get(&ended.test).map_or(0, |usual| usual.methods);
                    if *taken_in {
                        taken.insert(&ended.test, difference.clone());
                        findings.methods_usual += usual;
                        findings.methods_alone += ended.methods;
                    }
                }
                Step::NotAlone { test, ran } => findings.not_alone.push((test.clone(), *ran)),
            }
        }
        let frameworks = frameworks(&findings.tests);
        // A run alone says it better than runs in other orders.
        hidden.extend(taken.clone());
        for (test, mut difference) in hidden {
            difference.drop_all_of(&frameworks);
            if let Some(unstable) = unstable.get(test) {
                difference.remove(&unstable.difference);
            }
            if !difference.is_empty() {
                findings.hidden.push(Hidden {
                    test: test.clone(),
                    difference,
                    taken_in: taken.contains_key(test),
                });
            }
        }
        let most_first = |hidden: &Hidden| std::cmp::Reverse(hidden.difference.methods.len());
        findings.hidden.sort_by_key(most_first);
        findings.sources = sources(&findings.hidden);
        findings.dependents = dependents(steps, &usual, &unstable);
        for unstable in unstable.values_mut() {
            unstable.difference.drop_all_of(&frameworks);
        }
        let is_of_interest = |u: &Unstable| u.outcomes.is_some() || !u.difference.is_empty();
        findings.unstable = unstable.into_values().filter(is_of_interest).collect();
        findings
    }

    /// How many pairs of a test and a method were hidden.
    pub fn pairs(&self) -> usize {
        let methods = self.hidden.iter().map(|hidden| &hidden.difference.methods);
        methods.map(BTreeSet::len).sum()
    }

    /// How many methods were hidden from some test.
    pub fn methods(&self) -> usize {
        let methods = self
            .hidden
            .iter()
            .flat_map(|hidden| &hidden.difference.methods);
        methods.collect::<BTreeSet<_>>().len()
    }
}

/// What the names of classes start with that belong to test frameworks: they work for each test anew or
/// once for all, which is no news. A project that tests a framework is interested in it.
fn frameworks(tests: &[TestId]) -> Vec<&'static str> {
    let tests_it = |start: &str| tests.iter().any(|test| test.class().starts_with(start));
    let all = FRAMEWORKS.into_iter();
    all.filter(|start| !tests_it(start)).collect()
}

/// The end of each test in the usual run, the worst if it ran several times.
fn usual(steps: &[Step]) -> BTreeMap<&TestId, &Ended> {
    let jvms = steps.iter().find_map(|step| match step {
        Step::Usual { jvms } => Some(jvms),
        _ => None,
    });
    by_test(jvms.into_iter().flatten().flatten())
}

fn by_test<'a>(ended: impl Iterator<Item = &'a Ended>) -> BTreeMap<&'a TestId, &'a Ended> {
    let mut tests: BTreeMap<&TestId, &Ended> = BTreeMap::new();
    for ended in ended {
        let known = tests.entry(&ended.test).or_insert(ended);
        if known.outcome < ended.outcome {
            *known = ended;
        }
    }
    tests
}

/// Whether tests ran in the usual order.
fn is_usual(steps: &[Step], jvms: &[Vec<Ended>]) -> bool {
    let tests = |jvms: &[Vec<Ended>]| -> Vec<Vec<TestId>> {
        let of_jvm = |jvm: &Vec<Ended>| jvm.iter().map(|ended| ended.test.clone()).collect();
        jvms.iter().map(of_jvm).collect()
    };
    steps.iter().any(|step| match step {
        Step::Usual { jvms: usual } => tests(usual) == tests(jvms),
        _ => false,
    })
}

fn unstable(steps: &[Step], usual: &BTreeMap<&TestId, &Ended>) -> BTreeMap<TestId, Unstable> {
    let mut unstable: BTreeMap<TestId, Unstable> = BTreeMap::new();
    let new = |test: &TestId| Unstable {
        test: test.clone(),
        difference: Difference::default(),
        outcomes: None,
    };
    for step in steps {
        let Step::Repeated { ended, differences } = step else {
            continue;
        };
        for TestDifference { test, difference } in differences {
            let entry = unstable.entry(test.clone());
            entry
                .or_insert_with(|| new(test))
                .difference
                .add(difference);
        }
        for (test, again) in by_test(ended.iter()) {
            if let Some(before) = usual.get(test).filter(|b| b.failed() != again.failed()) {
                let entry = unstable.entry(test.clone()).or_insert_with(|| new(test));
                entry.outcomes = Some((before.outcome, again.outcome));
            }
        }
    }
    unstable
}

fn sources(hidden: &[Hidden]) -> Vec<Source> {
    let mut classes: BTreeMap<Cow<'_, str>, (BTreeSet<&str>, BTreeSet<&TestId>)> = BTreeMap::new();
    for hidden in hidden {
        for method in &hidden.difference.methods {
            let class = MemberName::from(&**method).class;
            let (methods, tests) = classes.entry(class).or_default();
            methods.insert(method);
            tests.insert(&hidden.test);
        }
    }
    let mut sources: Vec<Source> = classes
        .into_iter()
        .map(|(class, (methods, tests))| Source {
            class: class.into_owned(),
            methods: methods.len(),
            tests: tests.len(),
        })
        .collect();
    sources.sort_by_key(|source| std::cmp::Reverse((source.tests, source.methods)));
    sources
}

fn dependents(
    steps: &[Step],
    usual: &BTreeMap<&TestId, &Ended>,
    unstable: &BTreeMap<TestId, Unstable>,
) -> Vec<Dependent> {
    let flaky = |test: &TestId| unstable.get(test).is_some_and(|u| u.outcomes.is_some());
    let mut dependents = Vec::new();
    let mut compare = |circumstance: Circumstance, ended: &Ended| {
        let Some(before) = usual.get(&ended.test) else {
            return;
        };
        if before.failed() != ended.failed() && !flaky(&ended.test) {
            dependents.push(Dependent {
                test: ended.test.clone(),
                circumstance,
                usual: before.outcome,
                outcome: ended.outcome,
                cause: cause(steps, &ended.test, circumstance),
            });
        }
    };
    for step in steps {
        match step {
            Step::Alone { ended, .. } => compare(Circumstance::Alone, ended),
            Step::Reordered { order, jvms, .. } => {
                for ended in by_test(jvms.iter().flatten()).into_values() {
                    compare(Circumstance::Order(*order), ended);
                }
            }
            _ => {}
        }
    }
    // Who ends differently alone does so in other orders for the same cause.
    let is_alone = |d: &&Dependent| d.circumstance == Circumstance::Alone;
    let alone: BTreeSet<TestId> = dependents
        .iter()
        .filter(is_alone)
        .map(|d| d.test.clone())
        .collect();
    dependents.retain(|d| is_alone(&d) || !alone.contains(&d.test));
    dependents
}

fn cause(steps: &[Step], of: &TestId, at: Circumstance) -> Option<Cause> {
    steps.iter().find_map(|step| match step {
        Step::Narrowed {
            test,
            circumstance,
            cause,
        } if test == of && *circumstance == at => Some(cause.clone()),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
