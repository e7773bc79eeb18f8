//! The registry of what the agent watches inside the JDK, each with the releases that must have it: native methods
//! that it stands before, a list per watcher ([`natives`]), and classes that it enters
//! ([`CLASSES`](tamis_instrument::hooks::CLASSES)), whose hooks call [entrances](crate::entrances).
//!
//! What is missing where it must be, and what is not known, distrusts the tests of this JVM.

mod classes;
mod examined;
mod natives;

pub(crate) use classes::{is_watched_later, patch, watch};
pub(crate) use natives::{Bind, Native};
pub(crate) use tamis_instrument::hooks::Releases;

use crate::agent::Agent;
use crate::facts::Facts;
use crate::{
    watchers::environment, watchers::file_natives, watchers::lookups, watchers::processes,
    watchers::reflection,
};
use std::ffi::{CStr, CString, c_void};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, PoisonError};
use tamis_jvmti::raw::{JMethodId, JniEnvPtr};
use tamis_jvmti::{BootMethod, Jni, Library, symbol_at};

/// The state of the hooks in this JVM.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    /// Which classes of the JDK are entered, by their numbers.
    entered: AtomicU32,
    /// Native methods that were bound before anybody could ask for their names.
    early: Mutex<Vec<usize>>,
    /// What a class that should be entered lacks.
    missing: Mutex<Vec<String>>,
}

fn take<T: Default>(from: &Mutex<T>) -> T {
    std::mem::take(&mut *from.lock().unwrap_or_else(PoisonError::into_inner))
}

/// All native methods that are watched.
pub(crate) fn natives() -> impl Iterator<Item = &'static dyn Bind> {
    reflection::natives()
        .chain(lookups::natives())
        .chain(file_natives::natives())
        .chain(processes::natives())
        .chain(environment::natives())
}

/// A native method is being bound to `address`: what it is bound to instead.
///
/// # Safety
/// `env` and `method` must be what the JVM handed to the callback.
pub(crate) unsafe fn bind(
    agent: &Agent,
    env: JniEnvPtr,
    method: JMethodId,
    address: *mut c_void,
) -> Option<*mut c_void> {
    let symbol = symbol_at(address.addr()).filter(|symbol| !agent.config.breaks(symbol));
    let native = symbol.and_then(|symbol| natives().find(|native| native.symbol() == symbol));
    if let Some(native) = native {
        return Some(native.bind(address));
    }
    let Some(facts) = agent.facts.get() else {
        let early = agent.hooks.early.lock();
        let mut early = early.unwrap_or_else(PoisonError::into_inner);
        early.push(method.expose_provenance());
        return None;
    };
    // SAFETY: the caller vouches for both.
    let unknown = unsafe { unknown(facts, &mut Jni::from_raw(env), method) };
    if let Some(why) = unknown {
        agent.distrust(why);
    }
    None
}

/// Whether all that must be watched in this JVM is; otherwise its tests are distrusted.
pub(crate) fn check(agent: &Agent, jni: &mut Jni<'_>) -> bool {
    let Some(facts) = agent.facts.get() else {
        return false;
    };
    let problem = problem(agent, facts, jni);
    let is_fine = problem.is_none();
    if let Some(why) = problem {
        agent.distrust(why);
    }
    is_fine
}

/// Advice for users of a JDK that tamis does not know well enough.
const ADVICE: &str = "so its tests run every time; use another JDK, or a newer tamis";

fn problem(agent: &Agent, facts: &Facts, jni: &mut Jni<'_>) -> Option<String> {
    let Releases { first, last } = Releases::ALL;
    let release = match facts.release {
        Some(release) if Releases::ALL.contains(release) => release,
        Some(release) if release > last => {
            return Some(format!(
                "tamis knows JDK {first} to {last} and not JDK {release}, {ADVICE}"
            ));
        }
        _ => {
            return Some(format!(
                "tamis knows JDK {first} to {last} and not this one, {ADVICE}"
            ));
        }
    };
    let mut missing = missing_natives(agent, facts, release);
    missing.extend(classes::missing(agent, facts.jvmti, jni, release));
    if !missing.is_empty() {
        let missing = missing.join(", ");
        return Some(format!("JDK {release} does not show {missing}, {ADVICE}"));
    }
    take(&agent.hooks.early).into_iter().find_map(|method| {
        let method: JMethodId = std::ptr::with_exposed_provenance_mut(method);
        // SAFETY: the JVM told of it before it had loaded any class that it could unload.
        unsafe { unknown(facts, jni, method) }
    })
}

/// The native methods that this release must have and has not.
fn missing_natives(agent: &Agent, facts: &Facts, release: u16) -> Vec<String> {
    let open = |name: &str| {
        let file = format!("{}/lib/{}", facts.java_home, library_file(name));
        Library::open(&CString::new(file).ok()?)
    };
    let [java, nio] = ["java", "nio"].map(open);
    let is_there = |native: &&dyn Bind| {
        let symbol = native.symbol();
        let library = match symbol.to_bytes() {
            // The JVM binds its own ones when it starts.
            name if name.starts_with(b"JVM_") => &None,
            name if name.starts_with(b"Java_sun_nio_") => &nio,
            _ => &java,
        };
        let is_found = native.is_bound() || library.as_ref().is_some_and(|l| l.has(symbol));
        is_found && !agent.config.breaks(symbol)
    };
    let must = natives().filter(|native| native.releases().contains(release));
    let missing = must.filter(|native| !is_there(native));
    let names = missing.map(|native| native.symbol().to_string_lossy().into_owned());
    names.collect()
}

fn library_file(name: &str) -> String {
    format!(
        "{}{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}

/// Why a native method that is not watched distrusts this JVM, if it does.
///
/// # Safety
/// `method` must be the id of a method whose class is loaded.
unsafe fn unknown(facts: &Facts, jni: &mut Jni<'_>, method: JMethodId) -> Option<String> {
    // SAFETY: the caller vouches for the id.
    let named = unsafe { facts.jvmti.method_of_boot_loader(jni, method) };
    match named {
        Ok(Some(BootMethod { class, name })) => {
            let class = class.strip_prefix(b"L")?.strip_suffix(b";")?;
            (!examined::is_harmless(class, &name)).then(|| {
                let [class, name] = [class, &name].map(String::from_utf8_lossy);
                let class = class.replace('/', ".");
                format!("tamis does not know the native method {class}.{name}, {ADVICE}")
            })
        }
        Ok(None) => None,
        Err(error) => Some(format!("a native method cannot be named: {error}")),
    }
}

#[cfg(debug_assertions)]
impl crate::config::Config {
    /// Whether a test wants this hook to be missing.
    fn breaks(&self, hook: &CStr) -> bool {
        let hook = hook.to_bytes();
        self.broken.iter().any(|broken| broken.as_bytes() == hook)
    }
}

#[cfg(not(debug_assertions))]
impl crate::config::Config {
    /// Never breaks a hook; only tests of the agent do.
    fn breaks(&self, _hook: &CStr) -> bool {
        false
    }
}

/// The names of all hooks that a JDK of this release must have.
#[cfg(debug_assertions)]
pub(crate) fn names(release: u16) -> Vec<String> {
    let natives = natives().filter(|native| native.releases().contains(release));
    let natives = natives.map(|native| native.symbol().to_string_lossy().into_owned());
    natives
        .chain(tamis_instrument::hooks::of_release(release))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_native_method_is_watched_once_and_somewhere() {
        let mut symbols = HashSet::new();
        for native in natives() {
            assert!(symbols.insert(native.symbol()), "{:?}", native.symbol());
            let releases = native.releases();
            assert!(releases.first <= releases.last, "{:?}", native.symbol());
        }
        assert!(symbols.len() > 50);
    }
}
