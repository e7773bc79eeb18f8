//! JUnit 3: classes that extend `TestCase`, and those that make a suite.

use super::subject::{Method, Subject, tests};
use super::{Finder, Framework, TestMethod, junit4};
use tamis_classfile::access;

const TEST_CASE: &str = "junit/framework/TestCase";
const SUITE: &str = "suite";
const PREFIX: &str = "test";

pub(super) struct JUnit3;

impl Finder for JUnit3 {
    fn framework(&self) -> Framework {
        Framework::JUnit3
    }

    fn tests<'s>(&self, subject: &Subject<'_, 's>) -> Option<Vec<TestMethod<'s>>> {
        let is_open = subject.this.has(access::PUBLIC) && !subject.this.is_inner();
        if !is_open || junit4::has_runner(subject) {
            return None;
        }
        // Only the suite knows what is in it.
        if subject.inherited().any(|method| is_suite(&method)) {
            return Some(Vec::new());
        }
        subject
            .extends(TEST_CASE)
            .then(|| tests(subject.inherited().filter(is_test)))
    }
}

fn is_suite(method: &Method<'_>) -> bool {
    method.member.name() == SUITE
        && method.has(access::PUBLIC)
        && method.has(access::STATIC)
        && !method.has_parameters()
        && !method.returns_nothing()
}

fn is_test(method: &Method<'_>) -> bool {
    method.member.name().starts_with(PREFIX)
        && method.has(access::PUBLIC)
        && !method.has_parameters()
        && method.returns_nothing()
}
