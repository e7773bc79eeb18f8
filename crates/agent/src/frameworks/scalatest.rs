//! ScalaTest: the agent cannot skip its tests.

use crate::ending;
use crate::entrances::told;
use tamis_frameworks::scalatest::SCALATEST;

told! {
    Java_java_lang_TamisHook_scalatestStarts(agent, jni, _suite)
        ending::before_tests(agent, jni, SCALATEST.name);
}
