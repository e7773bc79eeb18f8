//! JUnit 4: classes with `@Test` methods, and those that name a runner.

use super::subject::{Method, Subject, Type, tests};
use super::{Finder, Framework, TestMethod, junit3::JUnit3};
use tamis_classfile::access;

const TEST: &str = "org/junit/Test";
/// Subclasses inherit it.
const RUN_WITH: &str = "org/junit/runner/RunWith";

pub(super) struct JUnit4;

impl Finder for JUnit4 {
    fn framework(&self) -> Framework {
        Framework::JUnit4
    }

    fn tests<'s>(&self, subject: &Subject<'_, 's>) -> Option<Vec<TestMethod<'s>>> {
        if !subject.this.has(access::PUBLIC) || subject.this.is_inner() {
            return None;
        }
        // A method that overrides a test is one, annotated or not.
        let is_test = |method: &Method<'s>| method.has_annotation(TEST);
        let tests = tests(subject.inherited().filter(is_test));
        if has_runner(subject) {
            return Some(tests);
        }
        (!tests.is_empty() && JUnit3.tests(subject).is_none()).then_some(tests)
    }
}

/// Whether the class or one above it names the runner that runs it.
pub(super) fn has_runner(subject: &Subject<'_, '_>) -> bool {
    let names_one = |class: &Type<'_>| class.has_annotation(RUN_WITH);
    subject.lineage.iter().any(names_one)
}
