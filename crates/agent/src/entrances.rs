//! The native methods of the runtime class: where Java enters the agent. Those that hooks in test frameworks call stand
//! in the modules of these.
//!
//! The JVM finds them by their names in the agent's library. Registering them by hand would make it
//! warn on standard output, because the class stands in the package `java.lang`.
#![allow(non_snake_case)]

use crate::agent::{Agent, thread};
use crate::probes::{self, number};
use crate::receivers::Receiver;
use crate::sharing;
use crate::watchers::{environment, reflection, resources};
use std::ffi::c_int;
use tamis_attribution::Bits;
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Jni, Object};

/// Runs `body` with the environment and the objects of a native call; null ends it.
///
/// # Safety
/// The arguments must be those that the JVM handed to the current native call.
pub(crate) unsafe fn enter<const N: usize, T>(
    env: JniEnvPtr,
    objects: [JObject; N],
    otherwise: T,
    body: impl for<'f> FnOnce(&Agent, &mut Jni<'f>, [Object<'f>; N]) -> Option<T>,
) -> T
where
    T: Copy,
{
    Agent::contain(otherwise, |agent| {
        // SAFETY: the caller vouches for both.
        let mut jni = unsafe { Jni::from_raw(env) };
        // SAFETY: as above.
        let objects = objects.map(|o| unsafe { jni.object(o) });
        let [first, ..] = objects.as_slice() else {
            return otherwise;
        };
        let Some(first) = *first else {
            return otherwise;
        };
        if objects.iter().any(Option::is_none) {
            return otherwise;
        }
        body(agent, &mut jni, objects.map(|o| o.unwrap_or(first))).unwrap_or(otherwise)
    })
}

/// Declares an entrance: the objects that Java hands over, then its numbers, what it answers, and what it
/// answers if something is amiss.
macro_rules! entrance {
    ($name:ident($($object:ident),+; $($number:ident),*) -> $result:ty = $body:expr, else $otherwise:expr) => {
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name(
            env: tamis_jvmti::raw::JniEnvPtr,
            _: tamis_jvmti::raw::JObject,
            $($object: tamis_jvmti::raw::JObject,)+
            $($number: std::ffi::c_int),*
        ) -> $result {
            // SAFETY: these are the arguments of the current native call.
            unsafe { $crate::entrances::enter(env, [$($object),+], $otherwise, $body) }
        }
    };
}

/// Declares entrances that tell something.
macro_rules! told {
    ($($name:ident($agent:ident, $jni:ident, $($object:ident),+ $(; $($number:ident),+)?) $body:expr;)*) => {
        $($crate::entrances::entrance!($name($($object),+; $($($number),+)?) -> () = |$agent, $jni, [$($object),+]| {
            let _ = $body;
            Some(())
        }, else ());)*
    };
}

/// Declares entrances that ask something.
macro_rules! asked {
    ($($name:ident($agent:ident, $jni:ident, $($object:ident),+) $body:expr, else $otherwise:expr;)*) => {
        $($crate::entrances::entrance!($name($($object),+;) -> u8 = |$agent, $jni, [$($object),+]| {
            Some(u8::from($body))
        }, else $otherwise);)*
    };
}

pub(crate) use {asked, entrance, told};

told! {
    Java_java_lang_TamisHook_segmentReady(agent, jni, array; segment) {
        let array = jni.global(array).ok()?;
        agent.state().segments.register(segment as u32, array)
    };
    Java_java_lang_TamisHook_receiversReady(agent, jni, array; segment) {
        let array = jni.global(array).ok()?;
        agent.state().places.register(segment as u32, array)
    };
    Java_java_lang_TamisHook_receiverClass(agent, jni, class, name; hash, segment, index) {
        // The Java side hands over the name as a string.
        let name = jni.text(name).ok();
        let receiver = Receiver {
            class,
            hash: hash as u32,
            segment: segment as u32,
            index: index as u32,
        };
        let mut state = agent.state();
        let state = &mut *state;
        let probe = number(receiver.segment, receiver.index);
        if let Some(pair) = state.classes.pair(probe, name.as_deref()) {
            state.places.note(pair);
        }
        state.places.fill(jni, &receiver)
    };
    Java_java_lang_TamisHook_membersResolved(agent, jni, class)
        reflection::resolved(agent, jni, class);
    Java_java_lang_TamisHook_fieldAccessed(agent, jni, field)
        reflection::accessed(agent, jni, field);
    Java_java_lang_TamisHook_resourceLookedUp(agent, jni, path, name)
        resources::looked_up(agent, jni, path, name, false);
    Java_java_lang_TamisHook_resourcesLookedUp(agent, jni, path, name)
        resources::looked_up(agent, jni, path, name, true);
    Java_java_lang_TamisHook_entryLookedUp(agent, jni, url)
        resources::entry(agent, jni, url);
    Java_java_lang_TamisHook_archiveRead(agent, jni, connection)
        resources::archive(agent, jni, connection);
    Java_java_lang_TamisHook_propertyWritten(agent, jni, name)
        environment::write(agent, jni, name);
    Java_java_lang_TamisHook_propertyRead(agent, jni, name)
        environment::property(agent, jni, name);
    Java_java_lang_TamisHook_variableRead(agent, jni, name)
        environment::variable(agent, jni, name);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_propertiesRead(env: JniEnvPtr, _: JObject) {
    Agent::contain((), |agent| {
        // SAFETY: this is the environment of the current native call.
        environment::properties(agent, &mut unsafe { Jni::from_raw(env) });
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_variablesRead(_: JniEnvPtr, _: JObject) {
    Agent::contain((), environment::variables);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_initializerStarted(
    env: JniEnvPtr,
    _: JObject,
    segment: c_int,
    index: c_int,
) {
    initializer(env, segment, index, true);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_initializerEnded(
    env: JniEnvPtr,
    _: JObject,
    segment: c_int,
    index: c_int,
) {
    initializer(env, segment, index, false);
}

fn initializer(env: JniEnvPtr, segment: c_int, index: c_int, starts: bool) {
    Agent::contain((), |agent| {
        // SAFETY: the environment is that of the current native call.
        let mut jni = unsafe { Jni::from_raw(env) };
        let probe = number(segment as u32, index as u32);
        let settings = match starts {
            true => None,
            false => sharing::settings_if_they_may_differ(agent, &mut jni),
        };
        let mut state = agent.state();
        let state = &mut *state;
        probes::settle(agent, state, &jni);
        let Some(class) = state.classes.owner(probe) else {
            return;
        };
        if starts {
            state.units.initializer_started(class, thread());
            state.units.executed(&[probe].into_iter().collect());
        } else {
            reflection::settle(agent, &mut state.classes);
            let mut executed = Bits::default();
            for seen in state.units.initializer_ended(class, thread()) {
                state.classes.initialized(&seen);
                executed.add(&seen.probes);
            }
            if let Some(facts) = agent.facts.get() {
                let ended = (class, &executed);
                sharing::initialized(agent, facts.jvmti, &mut jni, state, ended, settings);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use tamis_instrument::runtime::entrances;

    fn add_sources(directory: &Path, sources: &mut String) {
        for entry in directory.read_dir().unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => add_sources(&path, sources),
                false => sources.push_str(&std::fs::read_to_string(path).unwrap()),
            }
        }
    }

    #[test]
    fn every_entrance_of_the_runtime_class_has_its_function() {
        let mut sources = String::new();
        add_sources(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut sources,
        );
        for entrance in entrances() {
            let function = format!(" Java_java_lang_TamisHook_{}(", entrance.name);
            assert_eq!(sources.matches(&function).count(), 1, "{function}");
        }
    }
}
