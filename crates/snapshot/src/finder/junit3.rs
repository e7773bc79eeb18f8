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
        subject.extends(TEST_CASE).then(|| {
            // Of a class that it cannot make objects of, JUnit makes a test that warns.
            let can_be_made = subject.this.methods().any(|method| makes_tests(&method));
            let methods = subject.inherited().filter(is_test);
            tests(methods.filter(|_| can_be_made))
        })
    }
}

/// Whether this is a constructor that JUnit calls, with the name of a test or without.
fn makes_tests(method: &Method<'_>) -> bool {
    let parameters = method.key().1;
    method.member.name() == "<init>"
        && method.has(access::PUBLIC)
        && matches!(parameters, "(" | "(Ljava/lang/String;")
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
