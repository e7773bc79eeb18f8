//! The native agent: a JVMTI library that records, inside the JVM, what each test class uses and
//! how it ended, and that skips what need not run.
//!
//! It sleeps in JVMs that run no tests, never prints, and never lets a panic reach the JVM: after
//! one, the tests of that JVM count as not recorded. Java code is never called while the state is
//! locked, because that could load a class and come back here.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod agent;
mod classes;
mod config;
mod ending;
mod entrances;
mod facts;
mod frameworks;
mod hooks;
mod load;
mod locations;
mod probes;
mod pseudo_probes;
mod receivers;
mod session;
mod sharing;
mod spool;
mod verdict;
mod watchers;

use agent::Agent;
use std::ffi::{CStr, OsStr, c_char, c_int, c_uchar, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use tamis_jvmti::raw::{self, JMethodId, JObject, JavaVmPtr, JniEnvPtr, JvmtiEnvPtr};
use tamis_jvmti::{Callbacks, Jni, Jvmti};

/// The names of all hooks that a JDK of this feature release must have, for tests.
#[cfg(debug_assertions)]
pub fn hooks_of_release(release: u16) -> Vec<String> {
    hooks::names(release)
}

/// Called by the JVM when it starts with `-agentpath:<library>=<run directory>`. Whatever goes
/// wrong, the JVM goes on without an agent.
///
/// # Safety
/// Only the JVM may call it, as the JVMTI specification says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn Agent_OnLoad(
    vm: JavaVmPtr,
    options: *const c_char,
    _reserved: *mut c_void,
) -> c_int {
    // The default hook prints, which would disturb Surefire's channel.
    std::panic::set_hook(Box::new(|_| {}));
    // The JVM goes on without the agent if it cannot start; there is nobody to tell.
    let _ = std::panic::catch_unwind(|| {
        // SAFETY: the JVM hands over null or a text that ends in NUL.
        let options = (!options.is_null()).then(|| unsafe { CStr::from_ptr(options) })?;
        let run_dir = Path::new(OsStr::from_bytes(options.to_bytes()));
        let config = config::Config::read(run_dir)?;
        // SAFETY: `vm` is what the JVM handed over.
        let jvmti = unsafe { Jvmti::from_vm(vm) }.ok()?;
        let callbacks = Callbacks {
            vm_init: on_vm_init,
            vm_death: on_vm_death,
            class_file_load_hook: on_class_file_load,
            class_prepare: on_class_prepare,
            native_method_bind: on_native_method_bind,
        };
        jvmti.install(&callbacks).ok()?;
        if config.records {
            jvmti.event(raw::EVENT_NATIVE_METHOD_BIND, true).ok()?;
        }
        Agent::start(config);
        jvmti.event(raw::EVENT_VM_INIT, true).ok()
    });
    0
}

unsafe extern "C" fn on_vm_init(jvmti: JvmtiEnvPtr, env: JniEnvPtr, _thread: JObject) {
    Agent::contain((), |agent| {
        // SAFETY: the JVM hands these to the callback.
        let (jvmti, mut jni) = unsafe { (Jvmti::from_raw(jvmti), Jni::from_raw(env)) };
        if facts::prepare(agent, jvmti, &mut jni).is_ok() {
            if agent.is_started_by_a_test() {
                agent.awake.store(true, Ordering::Release);
            }
            let _ = jvmti.event(raw::EVENT_CLASS_FILE_LOAD_HOOK, true);
            hooks::watch(jvmti, &mut jni);
            let _ = jvmti.event(raw::EVENT_VM_DEATH, true);
            session::start_as_a_whole(agent, &mut jni);
        }
    });
}

unsafe extern "C" fn on_vm_death(_jvmti: JvmtiEnvPtr, env: JniEnvPtr) {
    Agent::contain((), |agent| {
        // SAFETY: the JVM hands it to the callback.
        session::close(agent, &mut unsafe { Jni::from_raw(env) });
        ending::after_asking(agent);
    });
}

unsafe extern "C" fn on_class_prepare(
    jvmti: JvmtiEnvPtr,
    env: JniEnvPtr,
    _thread: JObject,
    class: JObject,
) {
    Agent::contain((), |agent| {
        // SAFETY: the JVM hands these to the callback.
        let (jvmti, mut jni) = unsafe { (Jvmti::from_raw(jvmti), Jni::from_raw(env)) };
        // SAFETY: as above.
        if let Some(class) = unsafe { jni.object(class) } {
            jni.frame(|jni| sharing::statics::prepared(agent, jvmti, jni, class));
        }
    });
}

unsafe extern "C" fn on_native_method_bind(
    _jvmti: JvmtiEnvPtr,
    env: JniEnvPtr,
    _thread: JObject,
    method: JMethodId,
    address: *mut c_void,
    new_address: *mut *mut c_void,
) {
    Agent::contain((), |agent| {
        // SAFETY: these are what the JVM hands over, among it a place to write to.
        unsafe {
            if let Some(ours) = hooks::bind(agent, env, method, address) {
                *new_address = ours;
            }
        }
    });
}

unsafe extern "C" fn on_class_file_load(
    jvmti: JvmtiEnvPtr,
    env: JniEnvPtr,
    redefined: JObject,
    loader: JObject,
    name: *const c_char,
    protection_domain: JObject,
    length: c_int,
    bytes: *const c_uchar,
    new_length: *mut c_int,
    new_bytes: *mut *mut c_uchar,
) {
    // SAFETY: the JVM hands over a name that is null or ends in NUL.
    let is_watched = || unsafe { !name.is_null() && hooks::is_watched_later(CStr::from_ptr(name)) };
    if loader.is_null() && redefined.is_null() && !is_watched() {
        return;
    }
    Agent::contain((), |agent| {
        // SAFETY: the JVM hands over references that are valid during the callback, `length`
        // readable bytes, a name that is null or ends in NUL, and two places to write to.
        unsafe {
            let mut jni = Jni::from_raw(env);
            let load = load::Load {
                redefined: !redefined.is_null(),
                loader: jni.object(loader),
                name: (!name.is_null()).then(|| CStr::from_ptr(name).to_bytes()),
                protection_domain: jni.object(protection_domain),
                bytes: std::slice::from_raw_parts(bytes, length.max(0) as usize),
            };
            let patched = match load.loader {
                Some(_) => load::class(agent, &mut jni, &load),
                None => hooks::patch(agent, load.name, load.bytes),
            };
            if let Some(patched) = patched
                && let Ok(length) = c_int::try_from(patched.len())
                && let Ok(copy) = Jvmti::from_raw(jvmti).copy_for_vm(&patched)
            {
                *new_length = length;
                *new_bytes = copy;
            }
        }
    });
}
