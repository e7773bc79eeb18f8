//! Jupiter, whose stores cache objects for several tests. The JUnit Platform tells what runs, and when.

use crate::agent::Agent;
use crate::entrances::told;
use crate::sharing;
use crate::watchers::callers::is_of_the_jdk;
use std::cell::Cell;
use std::ops::ControlFlow;
use tamis_jvmti::{Jni, Object};

told! {
    Java_java_lang_TamisHook_storeValue(agent, jni, value, key)
        used(agent, jni, value, key);
}

/// A store hands out a value for this key, or takes one.
fn used(agent: &Agent, jni: &mut Jni<'_>, value: Object<'_>, key: Object<'_>) -> Option<()> {
    let value = sharing::identified(agent, jni, value)?;
    let is_own = match value.class.as_str() {
        "java.lang.Boolean" => is_asked_by_itself(agent, jni),
        class => is_own(agent, class),
    };
    if is_own {
        return None;
    }
    // The same text or number may stand for several keys; keys of other classes may be equal.
    let key = match value.class.starts_with("java.lang.") {
        true => sharing::content(agent, jni, key)?,
        false => 0,
    };
    let name = format!("{} in a store of Jupiter", value.class);
    sharing::used(agent, &value, key, name);
    Some(())
}

/// Whether objects of this class are what Jupiter keeps for itself.
fn is_own(agent: &Agent, class: &str) -> bool {
    // A lambda is its class's own; the JVM hides the class that it makes for it.
    let class = class.split("$$Lambda").next().unwrap_or(class);
    let name = class.replace('.', "/");
    let mut state = agent.state();
    let location = state.classes.find(name.as_bytes()).map(|c| c.location);
    let is_library =
        location.is_some_and(|id| state.locations.is_library(id, &agent.config.project));
    is_library && tamis_frameworks::is_named_as_framework(name.as_bytes())
}

/// Whether a framework itself asks one of its stores, which called the agent.
fn is_asked_by_itself(agent: &Agent, jni: &mut Jni<'_>) -> bool {
    let Some(facts) = agent.facts.get() else {
        return false;
    };
    let asks = Cell::new(None);
    let seen = facts.jvmti.callers(jni, 16, |_, ask| {
        ask(&mut |jni, frame| {
            let is_framework = agent.archives.has_signature(&frame.class);
            let is_store = is_framework && frame.class.ends_with(b"Store;");
            let is_between = is_store || is_of_the_jdk(facts, jni, frame);
            let asker = (!is_between).then_some(is_framework);
            asks.set(asker);
        })?;
        Ok(match asks.get() {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        })
    });
    seen.is_ok() && asks.get() == Some(true)
}
