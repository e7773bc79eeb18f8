//! JUnit Jupiter: methods with its annotations, or with others that have these; nested classes.

use super::subject::{Method, Subject, Type, tests};
use super::{Finder, Framework, TestMethod};
use std::collections::HashSet;
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
        if class.is_inner() && !is_nested(subject, class) {
            return None;
        }
        let methods = subject.visible(class);
        let is_test = |method: &Method<'s>| is_test(subject, method);
        let tests = tests(methods.iter().copied().filter(is_test));
        let has_tests = !tests.is_empty() || has_tests(subject, class, &mut HashSet::new());
        has_tests.then_some(tests)
    }
}

/// Whether a class that was not seen before has tests, or one that is nested in it.
fn has_tests<'s>(subject: &Subject<'_, 's>, class: Type<'s>, seen: &mut HashSet<&'s str>) -> bool {
    let is_test = |method: &Method<'s>| is_test(subject, method);
    seen.insert(class.name)
        && (subject.visible(class).iter().any(is_test)
            || subject
                .members(class)
                .any(|member| is_nested(subject, member) && has_tests(subject, member, seen)))
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
