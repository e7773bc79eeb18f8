//! TestNG: the agent cannot skip its tests.

use super::junit_platform;
use crate::ending;
use crate::entrances::told;
use tamis_frameworks::testng::TESTNG;

told! {
    Java_java_lang_TamisHook_testngStarts(agent, jni, _testng) {
        // An engine of the JUnit Platform may call it only to find tests.
        if !junit_platform::runs_tests() {
            ending::before_tests(agent, jni, TESTNG.name);
        }
    };
}
