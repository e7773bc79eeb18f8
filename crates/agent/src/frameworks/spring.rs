//! Spring, which caches application contexts for several tests.

use crate::agent::Agent;
use crate::entrances::told;
use crate::sharing;
use tamis_jvmti::{Jni, Object};

told! {
    Java_java_lang_TamisHook_contextUsed(agent, jni, context)
        used(agent, jni, context);
}

/// A context is used.
fn used(agent: &Agent, jni: &mut Jni<'_>, context: Object<'_>) -> Option<()> {
    let context = sharing::identified(agent, jni, context)?;
    let name = format!("the Spring context {}", context.class);
    sharing::used(agent, &context, 0, name);
    Some(())
}
