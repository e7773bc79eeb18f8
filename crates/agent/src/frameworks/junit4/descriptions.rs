//! Calls to runners, failures and descriptions of JUnit 4.

use crate::frameworks::java::string;
use tamis_identity::TestName;
use tamis_jvmti::{Jni, Object};

/// The description of a runner or a failure.
pub(super) fn description<'f>(jni: &Jni<'f>, of: Object<'_>) -> Option<Object<'f>> {
    // SAFETY: takes nothing and returns a description.
    unsafe {
        let signature = c"()Lorg/junit/runner/Description;";
        jni.call_object(of, c"getDescription", signature, &[])
            .ok()?
    }
}

/// How many tests a runner has.
pub(super) fn tests_of_runner(jni: &Jni<'_>, runner: Object<'_>) -> Option<i32> {
    // SAFETY: takes nothing and returns an integer.
    unsafe {
        jni.call_int(description(jni, runner)?, c"testCount", c"()I", &[])
            .ok()
    }
}

/// The test class that a failure belongs to.
pub(super) fn test_of_failure(jni: &Jni<'_>, failure: Object<'_>) -> Option<String> {
    test_of_description(jni, description(jni, failure)?)
}

pub(super) fn test_of_description(jni: &Jni<'_>, description: Object<'_>) -> Option<String> {
    // SAFETY: takes nothing and returns a class or null.
    let class = unsafe {
        jni.call_object(description, c"getTestClass", c"()Ljava/lang/Class;", &[])
            .ok()??
    };
    string(jni, class, c"getName")
}

/// The class and the name of the single test that a description stands for.
pub(super) fn part_of(jni: &Jni<'_>, description: Object<'_>) -> Option<(String, TestName)> {
    let class = test_of_description(jni, description)?;
    let method = string(jni, description, c"getMethodName")?;
    // A parameterized test is one test, whatever its parameters: `name[0]`.
    let method = method
        .split('[')
        .next()
        .filter(|name| is_identifier(name))?;
    let part = TestName::of_method(&*class, method);
    Some((class, part))
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    let is_letter = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    letters.next().is_some_and(is_letter) && letters.all(|c| is_letter(c) || c.is_numeric())
}
