//! TestNG: `@Test` on methods, or on a class for all of its public methods.

use super::subject::{Method, Subject, Type, tests};
use super::{Finder, Framework, TestMethod};
use tamis_classfile::access;

const TEST: &str = "org/testng/annotations/Test";
/// Annotations of methods that are no tests, though their class has `@Test`.
const NO_TESTS: [&str; 13] = [
    "org/testng/annotations/AfterClass",
    "org/testng/annotations/AfterGroups",
    "org/testng/annotations/AfterMethod",
    "org/testng/annotations/AfterSuite",
    "org/testng/annotations/AfterTest",
    "org/testng/annotations/BeforeClass",
    "org/testng/annotations/BeforeGroups",
    "org/testng/annotations/BeforeMethod",
    "org/testng/annotations/BeforeSuite",
    "org/testng/annotations/BeforeTest",
    "org/testng/annotations/DataProvider",
    "org/testng/annotations/Factory",
    "org/testng/annotations/ObjectFactory",
];

pub(super) struct TestNg;

impl Finder for TestNg {
    fn framework(&self) -> Framework {
        Framework::TestNg
    }

    fn tests<'s>(&self, subject: &Subject<'_, 's>) -> Option<Vec<TestMethod<'s>>> {
        // The annotation of a class counts for its own methods and for those of its subclasses' own.
        let annotated = subject
            .lineage
            .iter()
            .map(|class| class.has_annotation(TEST));
        let above: Vec<bool> = annotated.collect();
        let of_class = |(at, class): (usize, &Type<'s>)| {
            let has_all = above.iter().skip(at).any(|is| *is);
            class.methods().filter(move |method| {
                method.has_annotation(TEST) || has_all && is_test_of_class(method)
            })
        };
        let classes = subject.lineage.iter().enumerate().flat_map(of_class);
        let visible = subject.visible(subject.this);
        let inherited = visible
            .iter()
            .copied()
            .filter(|method| method.has_annotation(TEST));
        let is_test = |method: &Method<'s>| !method.has(access::PRIVATE | access::SYNTHETIC);
        let tests = tests(classes.chain(inherited).filter(is_test));
        (!tests.is_empty()).then_some(tests)
    }
}

fn is_test_of_class(method: &Method<'_>) -> bool {
    method.has(access::PUBLIC)
        && !method.is_initializer()
        && !NO_TESTS
            .iter()
            .any(|annotation| method.has_annotation(annotation))
}
