//! The native methods of the runtime class: where Java enters the agent.
//!
//! The JVM finds them by their names in the agent's library. Registering them by hand would make it
//! warn on standard output, because the class stands in the package `java.lang`.
#![allow(non_snake_case)]

use crate::agent::{Agent, thread};
use crate::probes::{self, number};
use crate::receivers::Receiver;
use crate::{discovery, environment, junit_platform, junit4, looks, resources};
use std::ffi::c_int;
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Jni, Object};
use tamis_recording::Outcome;

/// Runs `body` with the environment and the objects of a native call; null ends it.
///
/// # Safety
/// The arguments must be those that the JVM handed to the current native call.
unsafe fn enter<const N: usize, T>(
    env: JniEnvPtr,
    objects: [JObject; N],
    otherwise: T,
    body: impl for<'f> FnOnce(&Agent, Jni<'f>, [Object<'f>; N]) -> Option<T>,
) -> T
where
    T: Copy,
{
    Agent::contain(otherwise, |agent| {
        // SAFETY: the caller vouches for both.
        let jni = unsafe { Jni::from_raw(env) };
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
        body(agent, jni, objects.map(|o| o.unwrap_or(first))).unwrap_or(otherwise)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_segmentReady(
    env: JniEnvPtr,
    _: JObject,
    array: JObject,
    segment: c_int,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [array], (), |agent, jni, [array]| {
            let array = jni.global(array).ok()?;
            agent.state().segments.register(segment as u32, array);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_membersResolved(
    env: JniEnvPtr,
    _: JObject,
    class: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [class], (), |agent, jni, [class]| {
            looks::resolved(agent, jni, class);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_resourceLookedUp(
    env: JniEnvPtr,
    _: JObject,
    path: JObject,
    name: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [path, name], (), |agent, jni, [path, name]| {
            resources::looked_up(agent, jni, path, name, false);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_resourcesLookedUp(
    env: JniEnvPtr,
    _: JObject,
    path: JObject,
    name: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [path, name], (), |agent, jni, [path, name]| {
            resources::looked_up(agent, jni, path, name, true);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_entryLookedUp(
    env: JniEnvPtr,
    _: JObject,
    url: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [url], (), |agent, jni, [url]| {
            resources::entry(agent, jni, url);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_propertyWritten(
    env: JniEnvPtr,
    _: JObject,
    name: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [name], (), |agent, jni, [name]| {
            environment::write(agent, jni, name);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_propertyRead(
    env: JniEnvPtr,
    _: JObject,
    name: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [name], (), |agent, jni, [name]| {
            environment::property(agent, jni, name);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_propertiesRead(env: JniEnvPtr, _: JObject) {
    Agent::contain((), |agent| {
        // SAFETY: this is the environment of the current native call.
        environment::properties(agent, unsafe { Jni::from_raw(env) });
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_variableRead(
    env: JniEnvPtr,
    _: JObject,
    name: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [name], (), |agent, jni, [name]| {
            environment::variable(agent, jni, name);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_variablesRead(_: JniEnvPtr, _: JObject) {
    Agent::contain((), environment::variables);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_receiversReady(
    env: JniEnvPtr,
    _: JObject,
    array: JObject,
    segment: c_int,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [array], (), |agent, jni, [array]| {
            let array = jni.global(array).ok()?;
            agent.state().places.register(segment as u32, array);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_receiverClass(
    env: JniEnvPtr,
    _: JObject,
    class: JObject,
    name: JObject,
    hash: c_int,
    segment: c_int,
    index: c_int,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [class, name], (), |agent, jni, [class, name]| {
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
            state.places.fill(jni, &receiver).ok()
        });
    }
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
        let jni = unsafe { Jni::from_raw(env) };
        let probe = number(segment as u32, index as u32);
        let mut state = agent.state();
        let state = &mut *state;
        probes::settle(agent, state, jni);
        let Some(class) = state.classes.owner(probe) else {
            return;
        };
        if starts {
            state.units.initializer_started(class, thread());
            state.units.executed(&[probe]);
        } else {
            state.classes.ask(&agent.looks.take());
            for seen in state.units.initializer_ended(class, thread()) {
                state.classes.initialized(&seen);
            }
        }
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_surefireClass(
    env: JniEnvPtr,
    _: JObject,
    provider: JObject,
    class: JObject,
) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [provider, class], 0, |a, jni, [_, c]| {
            Some(junit4::is_left_out(a, jni, c)?.into())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_runnerRun(
    env: JniEnvPtr,
    _: JObject,
    runner: JObject,
    to: JObject,
) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [runner, to], 0, |a, jni, [r, n]| {
            Some(junit4::run(a, jni, r, n).into())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_runnerBuild(
    env: JniEnvPtr,
    _: JObject,
    by: JObject,
    of: JObject,
) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [by, of], 0, |a, jni, [b, c]| {
            Some(junit4::build(a, jni, b, c).into())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_runnerBuilt(env: JniEnvPtr, _: JObject) -> JObject {
    Agent::contain(std::ptr::null_mut(), |_| {
        // SAFETY: the environment is that of the current native call.
        junit4::built(unsafe { Jni::from_raw(env) }).map_or(std::ptr::null_mut(), |r| r.as_raw())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_runnerFiltered(
    env: JniEnvPtr,
    _: JObject,
    runner: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [runner], (), |agent, jni, [runner]| {
            junit4::filtered(agent, jni, runner)
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_testStarted(
    env: JniEnvPtr,
    _: JObject,
    notifier: JObject,
    description: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe { single_test(env, [notifier, description], junit4::SingleTest::Started) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_testFinished(
    env: JniEnvPtr,
    _: JObject,
    notifier: JObject,
    description: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe { single_test(env, [notifier, description], junit4::SingleTest::Finished) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_testIgnored(
    env: JniEnvPtr,
    _: JObject,
    notifier: JObject,
    description: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe { single_test(env, [notifier, description], junit4::SingleTest::Ignored) }
}

/// # Safety
/// The arguments must be those that the JVM handed to the current native call.
unsafe fn single_test(env: JniEnvPtr, notified: [JObject; 2], what: junit4::SingleTest) {
    // SAFETY: the caller vouches for both.
    unsafe {
        enter(env, notified, (), |agent, jni, [notifier, description]| {
            junit4::single_test(agent, jni, notifier, description, what);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_descriptionSelected(
    env: JniEnvPtr,
    _: JObject,
    description: JObject,
) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [description], 1, |agent, jni, [description]| {
            Some(junit4::is_selected(agent, jni, description).into())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_testFailed(
    env: JniEnvPtr,
    _: JObject,
    notifier: JObject,
    failure: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe { failed(env, [notifier, failure], Outcome::Failed) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_assumptionFailed(
    env: JniEnvPtr,
    _: JObject,
    notifier: JObject,
    failure: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe { failed(env, [notifier, failure], Outcome::Aborted) }
}

/// # Safety
/// The arguments must be those that the JVM handed to the current native call.
unsafe fn failed(env: JniEnvPtr, notified: [JObject; 2], outcome: Outcome) {
    // SAFETY: the caller vouches for both.
    unsafe {
        enter(env, notified, (), |agent, jni, [notifier, failure]| {
            junit4::failed(agent, jni, notifier, failure, outcome);
            Some(())
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_nodeStarted(
    env: JniEnvPtr,
    _: JObject,
    task: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [task], (), |a, jni, [t]| {
            junit_platform::announced(a, jni, t)
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_descriptorStarted(
    env: JniEnvPtr,
    _: JObject,
    descriptor: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [descriptor], (), |a, jni, [d]| {
            junit_platform::started(a, jni, d)
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_descriptorFinished(
    env: JniEnvPtr,
    _: JObject,
    descriptor: JObject,
    result: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [descriptor, result], (), |a, jni, [d, r]| {
            junit_platform::finished(a, jni, d, r)
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_descriptorDisabled(
    env: JniEnvPtr,
    _: JObject,
    descriptor: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [descriptor], (), |a, jni, [d]| {
            junit_platform::disabled(a, jni, d)
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_discoveryFilters(
    env: JniEnvPtr,
    _: JObject,
    request: JObject,
) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [request], (), |agent, jni, [r]| {
            discovery::add_filter(agent, jni, r).ok()
        });
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_descriptorExcluded(
    env: JniEnvPtr,
    _: JObject,
    descriptor: JObject,
) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [descriptor], 0, |a, jni, [d]| {
            Some(discovery::is_excluded(a, jni, d)?.into())
        })
    }
}

#[cfg(test)]
mod tests {
    use tamis_instrument::runtime::ENTRANCES;

    #[test]
    fn every_entrance_of_the_runtime_class_has_its_function() {
        let source = include_str!("entrances.rs");
        for entrance in ENTRANCES {
            let function = format!("fn Java_java_lang_TamisHook_{}(", entrance.name);
            assert!(source.contains(&function), "{function}");
        }
    }
}
