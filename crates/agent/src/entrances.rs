//! The native methods of the runtime class: where Java enters the agent.
//!
//! The JVM finds them by their names in the agent's library. Registering them by hand would make it
//! warn on standard output, because the class stands in the package `java.lang`.
#![allow(non_snake_case)]

use crate::agent::{Agent, thread};
use crate::frameworks::junit4::SingleTest;
use crate::probes::{self, number};
use crate::receivers::Receiver;
use crate::sharing::Keeper;
use crate::{
    ending, frameworks::junit_platform, frameworks::junit_platform::discovery, frameworks::junit4,
    sharing, watchers::environment, watchers::looks, watchers::resources,
};
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
        unsafe extern "C" fn $name(
            env: JniEnvPtr,
            _: JObject,
            $($object: JObject,)+
            $($number: c_int),*
        ) -> $result {
            // SAFETY: these are the arguments of the current native call.
            unsafe { enter(env, [$($object),+], $otherwise, $body) }
        }
    };
}

/// Declares entrances that tell something.
macro_rules! told {
    ($($name:ident($agent:ident, $jni:ident, $($object:ident),+ $(; $($number:ident),+)?) $body:expr;)*) => {
        $(entrance!($name($($object),+; $($($number),+)?) -> () = |$agent, $jni, [$($object),+]| {
            let _ = $body;
            Some(())
        }, else ());)*
    };
}

/// Declares entrances that ask something.
macro_rules! asked {
    ($($name:ident($agent:ident, $jni:ident, $($object:ident),+) $body:expr, else $otherwise:expr;)*) => {
        $(entrance!($name($($object),+;) -> u8 = |$agent, $jni, [$($object),+]| {
            Some(u8::from($body))
        }, else $otherwise);)*
    };
}

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
        looks::resolved(agent, jni, class);
    Java_java_lang_TamisHook_fieldAccessed(agent, jni, field)
        looks::accessed(agent, jni, field);
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

    Java_java_lang_TamisHook_contextUsed(agent, jni, context)
        sharing::used(agent, jni, context, Keeper::SpringContext);
    Java_java_lang_TamisHook_storeValue(agent, jni, value, key)
        sharing::used(agent, jni, value, Keeper::JupiterStore(key));
    Java_java_lang_TamisHook_runnerFiltered(agent, jni, runner)
        junit4::filtered(agent, jni, runner);
    Java_java_lang_TamisHook_testStarted(agent, jni, notifier, test)
        junit4::single_test(agent, jni, notifier, test, SingleTest::Started);
    Java_java_lang_TamisHook_testFinished(agent, jni, notifier, test)
        junit4::single_test(agent, jni, notifier, test, SingleTest::Finished);
    Java_java_lang_TamisHook_testIgnored(agent, jni, notifier, test)
        junit4::single_test(agent, jni, notifier, test, SingleTest::Ignored);
    Java_java_lang_TamisHook_testFailed(agent, jni, notifier, failure)
        junit4::failed(agent, jni, notifier, failure, Outcome::Failed);
    Java_java_lang_TamisHook_assumptionFailed(agent, jni, notifier, failure)
        junit4::failed(agent, jni, notifier, failure, Outcome::Aborted);

    Java_java_lang_TamisHook_junit3Starts(agent, jni, _result)
        ending::before_tests(agent, jni, "JUnit 3");
    Java_java_lang_TamisHook_testngStarts(agent, jni, _testng)
        ending::before_testng(agent, jni);
    Java_java_lang_TamisHook_scalatestStarts(agent, jni, _suite)
        ending::before_tests(agent, jni, "ScalaTest");
    Java_java_lang_TamisHook_sbtTaskStarts(agent, jni, task)
        ending::before_task(agent, jni, task);

    Java_java_lang_TamisHook_runCancelled(agent, _jni, _token)
        agent.distrust("the run was cancelled before all tests ran".into());
    Java_java_lang_TamisHook_nodeStarted(agent, jni, task)
        junit_platform::announced(agent, jni, task);
    Java_java_lang_TamisHook_descriptorStarted(agent, jni, run, descriptor)
        junit_platform::started(agent, jni, run, descriptor);
    Java_java_lang_TamisHook_descriptorFinished(agent, jni, run, descriptor, result)
        junit_platform::finished(agent, jni, run, descriptor, result);
    Java_java_lang_TamisHook_descriptorDisabled(agent, jni, run, descriptor)
        junit_platform::disabled(agent, jni, run, descriptor);
    Java_java_lang_TamisHook_discoveryFilters(agent, jni, request)
        discovery::add_filter(agent, jni, request);
}

asked! {
    Java_java_lang_TamisHook_surefireClass(agent, jni, _provider, class)
        junit4::is_left_out(agent, jni, class)?, else 0;
    Java_java_lang_TamisHook_runnerRun(agent, jni, runner, to)
        junit4::run(agent, jni, runner, to), else 0;
    Java_java_lang_TamisHook_runnerBuild(agent, jni, by, of)
        junit4::build(agent, jni, by, of), else 0;
    Java_java_lang_TamisHook_descriptionSelected(agent, jni, description)
        junit4::is_selected(agent, jni, description), else 1;
    Java_java_lang_TamisHook_descriptorExcluded(agent, jni, descriptor)
        discovery::is_excluded(agent, jni, descriptor)?, else 0;
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
            looks::settle(agent, &mut state.classes);
            for seen in state.units.initializer_ended(class, thread()) {
                state.classes.initialized(&seen);
            }
            if let Some(facts) = agent.facts.get() {
                sharing::initialized(agent, facts.jvmti, &mut jni, state, class);
            }
        }
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn Java_java_lang_TamisHook_runnerBuilt(env: JniEnvPtr, _: JObject) -> JObject {
    Agent::contain(std::ptr::null_mut(), |_| {
        // SAFETY: the environment is that of the current native call.
        let jni = unsafe { Jni::from_raw(env) };
        junit4::built(&jni).map_or(std::ptr::null_mut(), |runner| runner.as_raw())
    })
}

#[cfg(test)]
mod tests {
    use tamis_instrument::runtime::entrances;

    #[test]
    fn every_entrance_of_the_runtime_class_has_its_function() {
        let source = include_str!("entrances.rs");
        for entrance in entrances() {
            let function = format!(" Java_java_lang_TamisHook_{}(", entrance.name);
            assert!(source.contains(&function), "{function}");
        }
    }
}
