//! JUnit 3 without runners of JUnit 4: the agent cannot skip its tests.

use crate::ending;
use crate::entrances::told;
use tamis_frameworks::junit3::JUNIT3;

told! {
    Java_java_lang_TamisHook_junit3Starts(agent, jni, _result)
        ending::before_tests(agent, jni, JUNIT3.name);
}
