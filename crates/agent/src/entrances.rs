//! The native methods of the runtime class: where Java enters the agent.

use crate::agent::{Agent, thread};
use crate::probes::{self, number};
use crate::{junit_platform, junit4, session};
use std::ffi::{c_int, c_void};
use tamis_instrument::runtime::{self, Entrance};
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Jni, NativeMethod, Object, Thrown};
use tamis_recording::Outcome;

/// Binds every entrance to its function.
pub(crate) fn register(jni: Jni<'_>, hook: Object<'_>) -> Result<(), Thrown> {
    let mut methods = Vec::new();
    for entrance in runtime::ENTRANCES {
        let Some(function) = function(entrance) else {
            return Err(Thrown);
        };
        let (name, signature) = texts(entrance).ok_or(Thrown)?;
        methods.push(NativeMethod {
            name,
            signature,
            function,
        });
    }
    // SAFETY: `function` pairs each entrance with a function of its descriptor; none unwinds.
    unsafe { jni.register_natives(hook, &methods) }
}

/// The JVM keeps the texts only during the call, but they are few and made once.
fn texts(entrance: &Entrance) -> Option<(&'static std::ffi::CStr, &'static std::ffi::CStr)> {
    let leak = |text: &str| {
        Some(&*Box::leak(
            std::ffi::CString::new(text).ok()?.into_boxed_c_str(),
        ))
    };
    Some((leak(entrance.name)?, leak(entrance.descriptor)?))
}

fn function(entrance: &Entrance) -> Option<*const c_void> {
    Some(match *entrance {
        runtime::SEGMENT_READY => segment_ready as *const c_void,
        runtime::INITIALIZER_STARTED => initializer_started as *const c_void,
        runtime::INITIALIZER_ENDED => initializer_ended as *const c_void,
        runtime::RUNNER_RUN => runner_run as *const c_void,
        runtime::RUNNER_BUILD => runner_build as *const c_void,
        runtime::RUNNER_BUILT => runner_built as *const c_void,
        runtime::TEST_FAILED => test_failed as *const c_void,
        runtime::ASSUMPTION_FAILED => assumption_failed as *const c_void,
        runtime::DESCRIPTOR_STARTED => descriptor_started as *const c_void,
        runtime::DESCRIPTOR_FINISHED => descriptor_finished as *const c_void,
        runtime::DESCRIPTOR_DISABLED => descriptor_disabled as *const c_void,
        runtime::DISCOVERY_FILTERS => discovery_filters as *const c_void,
        runtime::DESCRIPTOR_EXCLUDED => descriptor_excluded as *const c_void,
        _ => return None,
    })
}

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

unsafe extern "C" fn segment_ready(env: JniEnvPtr, _: JObject, array: JObject, segment: c_int) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [array], (), |agent, jni, [array]| {
            let array = jni.global(array).ok()?;
            agent.state().segments.register(segment as u32, array);
            Some(())
        });
    }
}

unsafe extern "C" fn initializer_started(env: JniEnvPtr, _: JObject, segment: c_int, index: c_int) {
    initializer(env, segment, index, true);
}

unsafe extern "C" fn initializer_ended(env: JniEnvPtr, _: JObject, segment: c_int, index: c_int) {
    initializer(env, segment, index, false);
}

fn initializer(env: JniEnvPtr, segment: c_int, index: c_int, starts: bool) {
    Agent::contain((), |agent| {
        // SAFETY: the environment is that of the current native call.
        let jni = unsafe { Jni::from_raw(env) };
        let probe = number(segment as u32, index as u32);
        let mut state = agent.state();
        let state = &mut *state;
        probes::settle(state, jni);
        let Some(class) = state.classes.owner(probe) else {
            return;
        };
        if starts {
            state.units.initializer_started(class, thread());
            state.units.executed(&[probe]);
        } else {
            for (class, probes) in state.units.initializer_ended(class, thread()) {
                state.classes.initialized(class, &probes);
            }
        }
    });
}

unsafe extern "C" fn runner_run(env: JniEnvPtr, _: JObject, runner: JObject, to: JObject) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [runner, to], 0, |a, jni, [r, n]| {
            Some(junit4::run(a, jni, r, n).into())
        })
    }
}

unsafe extern "C" fn runner_build(env: JniEnvPtr, _: JObject, by: JObject, of: JObject) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [by, of], 0, |a, jni, [b, c]| {
            Some(junit4::build(a, jni, b, c).into())
        })
    }
}

unsafe extern "C" fn runner_built(env: JniEnvPtr, _: JObject) -> JObject {
    Agent::contain(std::ptr::null_mut(), |_| {
        // SAFETY: the environment is that of the current native call.
        junit4::built(unsafe { Jni::from_raw(env) }).map_or(std::ptr::null_mut(), |r| r.as_raw())
    })
}

unsafe extern "C" fn test_failed(env: JniEnvPtr, _: JObject, failure: JObject) {
    // SAFETY: these are the arguments of the current native call.
    unsafe { failed(env, failure, Outcome::Failed) }
}

unsafe extern "C" fn assumption_failed(env: JniEnvPtr, _: JObject, failure: JObject) {
    // SAFETY: these are the arguments of the current native call.
    unsafe { failed(env, failure, Outcome::Aborted) }
}

/// # Safety
/// The arguments must be those that the JVM handed to the current native call.
unsafe fn failed(env: JniEnvPtr, failure: JObject, outcome: Outcome) {
    // SAFETY: the caller vouches for both.
    unsafe {
        enter(env, [failure], (), |agent, jni, [failure]| {
            let test = jni.frame(|jni| junit4::test_of_failure(jni, failure));
            session::outcome(agent, test.as_deref(), outcome);
            Some(())
        });
    }
}

unsafe extern "C" fn descriptor_started(env: JniEnvPtr, _: JObject, descriptor: JObject) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [descriptor], (), |a, jni, [d]| {
            junit_platform::started(a, jni, d)
        });
    }
}

unsafe extern "C" fn descriptor_finished(
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

unsafe extern "C" fn descriptor_disabled(env: JniEnvPtr, _: JObject, descriptor: JObject) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [descriptor], (), |a, jni, [d]| {
            junit_platform::disabled(a, jni, d)
        });
    }
}

unsafe extern "C" fn discovery_filters(env: JniEnvPtr, _: JObject, request: JObject) {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [request], (), |_, jni, [r]| {
            junit_platform::add_filter(jni, r).ok()
        });
    }
}

unsafe extern "C" fn descriptor_excluded(env: JniEnvPtr, _: JObject, descriptor: JObject) -> u8 {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        enter(env, [descriptor], 0, |a, jni, [d]| {
            Some(junit_platform::is_excluded(a, jni, d)?.into())
        })
    }
}
