//! JUnit Jupiter: methods with its annotations, or with others that have these; nested classes.

use super::subject::{Method, Subject, Type, tests};
use super::{Finder, Framework, TestMethod};
use tamis_classfile::access;

/// The annotations of test methods, and whether these return nothing.
const TESTS: [(&str, bool); 5] = [
    ("org/junit/jupiter/api/Test", true),
    ("org/junit/jupiter/api/RepeatedTest", true),
    ("org/junit/jupiter/api/TestTemplate", true),
    ("org/junit/jupiter/params/ParameterizedTest", true),
    ("org/junit/jupiter/api/TestFactory", false),
];
const NESTED: &str = "org/junit/jupiter/api/Nested";

pub(super) struct Jupiter;

impl Finder for Jupiter {
    fn framework(&self) -> Framework {
        Framework::Jupiter
    }

    fn tests<'s>(&self, subject: &Subject<'_, 's>) -> Option<Vec<TestMethod<'s>>> {
        let class = subject.this;
        if class.has(access::PRIVATE) || class.is_local() {
            return None;
        }
        let is_nested = is_nested(subject, class);
        if class.is_inner() && !is_nested {
            return None;
        }
        let methods = subject.visible();
        let is_test = |method: &Method<'s>| is_test(subject, method);
        let tests = tests(methods.iter().copied().filter(is_test));
        let is_test_class = is_nested
            || !tests.is_empty()
            || subject
                .members()
                .any(|member| self::is_nested(subject, member));
        is_test_class.then_some(tests)
    }
}

fn is_nested<'s>(subject: &Subject<'_, 's>, class: Type<'s>) -> bool {
    class.is_inner()
        && !class.has(access::PRIVATE)
        && subject.means(class.facts.annotations(), NESTED)
}

fn is_test<'s>(subject: &Subject<'_, 's>, method: &Method<'s>) -> bool {
    const NEVER: u16 = access::PRIVATE | access::STATIC | access::ABSTRACT | access::SYNTHETIC;
    !method.has(NEVER)
        && TESTS.iter().any(|(annotation, returns_nothing)| {
            method.returns_nothing() == *returns_nothing
                && subject.means(method.member.annotations(), annotation)
        })
}
