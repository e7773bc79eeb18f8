//! Finds the tests of a snapshot by annotations and supertypes, without running anything.
//!
//! Each framework is one module that says what its tests are; annotations and supertypes tell it. What is
//! found may be more than what runs: tests that are disabled are found, too. A class whose tests only its runner
//! knows is found without methods.

mod junit3;
mod junit4;
mod jupiter;
mod subject;
mod surefire;
mod testng;

use crate::class::Class;
use crate::snapshot::Snapshot;
use subject::{Context, Subject};
pub use surefire::is_surefire_default;

/// A test framework.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Framework {
    JUnit3,
    JUnit4,
    Jupiter,
    TestNg,
}

/// A class with tests.
#[derive(Debug, Clone)]
pub struct TestClass<'s> {
    /// The class.
    pub class: Class<'s>,
    /// The framework that runs it.
    pub framework: Framework,
    /// The test methods that are known. There may be others: of suites, of own runners, of nested classes.
    pub methods: Vec<TestMethod<'s>>,
}

/// A method that is a test, or that makes some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestMethod<'s> {
    /// The internal name of the class that declares it: the test class, or one that it inherits from.
    pub class: &'s str,
    /// Its name.
    pub name: &'s str,
    /// Its descriptor.
    pub descriptor: &'s str,
}

/// The tests of a snapshot.
#[derive(Debug, Clone, Default)]
pub struct FoundTests<'s> {
    /// The classes with tests, by name. One comes several times if several frameworks run it.
    pub tests: Vec<TestClass<'s>>,
    /// The classes that may or may not have tests.
    pub unknown: Vec<(Class<'s>, Unknown<'s>)>,
}

/// Why it is unknown whether a class has tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown<'s> {
    /// It cannot be read or makes no sense.
    Unreadable,
    /// It inherits from this class, which cannot be read or makes no sense.
    Supertype(&'s str),
}

/// What the tests of a framework are.
trait Finder {
    /// The framework.
    fn framework(&self) -> Framework;

    /// The test methods of a class; `None` if it is no test class of this framework.
    fn tests<'s>(&self, subject: &Subject<'_, 's>) -> Option<Vec<TestMethod<'s>>>;
}

const FINDERS: [&dyn Finder; 4] = [
    &junit3::JUnit3,
    &junit4::JUnit4,
    &jupiter::Jupiter,
    &testng::TestNg,
];

/// Finds the tests among the classes of a snapshot.
pub fn find_tests(snapshot: &Snapshot) -> FoundTests<'_> {
    let context = Context::new(snapshot);
    let mut found = FoundTests::default();
    for class in snapshot.classes() {
        let Some(subject) = Subject::new(&context, class) else {
            found.unknown.push((class, Unknown::Unreadable));
            continue;
        };
        if !subject.is_instantiable() {
            continue;
        }
        let before = found.tests.len();
        for finder in FINDERS {
            let methods = finder.tests(&subject);
            found.tests.extend(methods.map(|methods| TestClass {
                class,
                framework: finder.framework(),
                methods,
            }));
        }
        if let Some(name) = subject.unreadable
            && found.tests.len() == before
        {
            found.unknown.push((class, Unknown::Supertype(name)));
        }
    }
    found
}
