//! sbt, which runs the tests of any framework as tasks.

use super::java::string;
use crate::agent::Agent;
use crate::ending;
use crate::entrances::told;
use tamis_frameworks::sbt::SBT;
use tamis_jvmti::{Jni, Object};

told! {
    Java_java_lang_TamisHook_sbtTaskStarts(agent, jni, task)
        starts(agent, jni, task);
}

/// A task starts. Those of JUnit come to runners, which are held back.
fn starts(agent: &Agent, jni: &mut Jni<'_>, task: Object<'_>) {
    let class = jni.frame(|jni| string(jni, jni.class_of(task).ok()?, c"getName"));
    let class = class.unwrap_or_default();
    if !class.to_lowercase().contains("junit") {
        ending::before_tests(agent, jni, &format!("{} ({class})", SBT.name));
    }
}
