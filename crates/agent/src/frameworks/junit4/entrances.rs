//! Entrances that hooks in classes of JUnit 4 call.

use super::{SingleTest, build, built, failed, filtered, is_selected, run, single_test};
use crate::agent::Agent;
use crate::entrances::{asked, told};
use std::ptr::null_mut;
use tamis_jvmti::Jni;
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_recording::UnitOutcome as Outcome;

told! {
    Java_java_lang_TamisHook_runnerFiltered(agent, jni, runner)
        filtered(agent, jni, runner);
    Java_java_lang_TamisHook_testStarted(agent, jni, notifier, test)
        single_test(agent, jni, notifier, test, SingleTest::Started);
    Java_java_lang_TamisHook_testFinished(agent, jni, notifier, test)
        single_test(agent, jni, notifier, test, SingleTest::Finished);
    Java_java_lang_TamisHook_testIgnored(agent, jni, notifier, test)
        single_test(agent, jni, notifier, test, SingleTest::Ignored);
    Java_java_lang_TamisHook_testFailed(agent, jni, notifier, failure)
        failed(agent, jni, notifier, failure, Outcome::Failed);
    Java_java_lang_TamisHook_assumptionFailed(agent, jni, notifier, failure)
        failed(agent, jni, notifier, failure, Outcome::Aborted);
}

asked! {
    Java_java_lang_TamisHook_runnerRun(agent, jni, runner, to)
        run(agent, jni, runner, to), else 0;
    Java_java_lang_TamisHook_runnerBuild(agent, jni, by, of)
        build(agent, jni, by, of), else 0;
    Java_java_lang_TamisHook_descriptionSelected(agent, jni, description)
        is_selected(agent, jni, description), else 1;
}

#[unsafe(no_mangle)]
#[allow(non_snake_case)]
unsafe extern "C" fn Java_java_lang_TamisHook_runnerBuilt(env: JniEnvPtr, _: JObject) -> JObject {
    Agent::contain(null_mut(), |_| {
        // SAFETY: the environment is that of the current native call.
        let jni = unsafe { Jni::from_raw(env) };
        built(&jni).map_or(null_mut(), |runner| runner.as_raw())
    })
}
