//! Watches look-ups of classes by name, successful or not.
//!
//! Every look-up passes one of three native methods: `Class.forName`, what a class loader asks before
//! it looks elsewhere, and what it asks of the boot loader. So do the JVM's own, once per class and
//! loader: these count too, for whoever looks up names at all.

use super::inputs::Seen;
use super::{Events, Watcher};
use crate::agent::{Agent, State};
use crate::hooks::{Bind, Native, Releases};
use crate::watchers::callers::{self, Caller};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_uchar;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tamis_inputs::Input;
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Global, Jni};

/// The origin of a look-up by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LookupOrigin {
    /// A test framework, or what starts it, on its way to tests: it is known otherwise which there are.
    Framework,
    /// The JVM for such a framework.
    JvmForFramework,
    /// Code that looks up the name again when it needs it again.
    Program,
    /// The JVM, which looks up a missing class only once.
    Jvm,
    /// Other code, on behalf of a cache of the JDK.
    ForJdkCache,
    /// The JDK itself, which caches what it finds.
    JdkCache,
}

impl LookupOrigin {
    fn of(agent: &Agent, caller: Caller) -> LookupOrigin {
        match caller {
            caller if caller.caches_itself => LookupOrigin::JdkCache,
            caller if caller.caches_for_jvm => LookupOrigin::ForJdkCache,
            caller => match (caller.resolves, is_for_tests(agent, caller)) {
                (false, true) => LookupOrigin::Framework,
                (true, true) => LookupOrigin::JvmForFramework,
                (false, false) => LookupOrigin::Program,
                (true, false) => LookupOrigin::Jvm,
            },
        }
    }

    /// If both look up the same name.
    fn and(self, other: LookupOrigin) -> LookupOrigin {
        match (self, other) {
            (LookupOrigin::JvmForFramework, LookupOrigin::Program)
            | (LookupOrigin::Program, LookupOrigin::JvmForFramework) => LookupOrigin::Jvm,
            _ => self.max(other),
        }
    }

    /// Whether a class that is found concerns nobody for that; one that may still come is another thing.
    pub(crate) fn is_for_tests(self) -> bool {
        matches!(
            self,
            LookupOrigin::Framework | LookupOrigin::JvmForFramework
        )
    }
}

/// The names since the last boundary.
#[derive(Debug, Default)]
pub(crate) struct Lookups(Mutex<HashMap<Vec<u8>, LookupOrigin>>);

impl Lookups {
    fn names(&self) -> MutexGuard<'_, HashMap<Vec<u8>, LookupOrigin>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing more is to be known of who looks up this name.
    fn is_cached(&self, name: &[u8]) -> bool {
        self.names().get(name) == Some(&LookupOrigin::JdkCache)
    }

    /// The internal names since the last call.
    fn take(&self) -> HashMap<Vec<u8>, LookupOrigin> {
        std::mem::take(&mut self.names())
    }
}

impl Watcher for Lookups {
    fn emit(&self, _: &Agent, state: &mut State, events: &mut Events) {
        for (name, by) in self.take() {
            let is_found = state.classes.find(&name).is_some();
            if by.is_for_tests() && is_found {
                continue;
            }
            events.seen.push(state.classes.lookup(&name));
            // Who comes later does not look, and finds the same.
            let cached = match (by, is_found) {
                (LookupOrigin::Framework | LookupOrigin::Program, _)
                | (LookupOrigin::JvmForFramework | LookupOrigin::Jvm, true) => None,
                (_, true) => state.jdk_caches.found(&mut state.classes, &name, by),
                (_, false) => Some(state.classes.input(missing_class(&name))),
            };
            events.seen.extend(cached);
            events.cached_by_jdk.extend(cached);
        }
    }
}

/// The file of a class that was looked for and is not there.
fn missing_class(name: &[u8]) -> Seen {
    let file = [name, b".class"].concat();
    let name = String::from_utf8_lossy(&file).into_owned();
    (Input::Resource { name, all: false }, None)
}

/// `Class.forName0`: the class that has it, the name, whether to initialize, loader and caller.
type ForName =
    unsafe extern "C" fn(JniEnvPtr, JObject, JObject, c_uchar, JObject, JObject) -> JObject;

/// `ClassLoader.findLoadedClass0` and `findBootstrapClass`: a loader or the class, and the name.
type Find = unsafe extern "C" fn(JniEnvPtr, JObject, JObject) -> JObject;

// SAFETY: the JDK declares it so.
static FOR_NAME: Native<ForName> =
    unsafe { Native::new(c"Java_java_lang_Class_forName0", Releases::ALL, for_name) };

// SAFETY: the JDK declares them so.
static FINDS: [Native<Find>; 2] = unsafe {
    [
        Native::new(
            c"Java_java_lang_ClassLoader_findLoadedClass0",
            Releases::ALL,
            find::<0>,
        ),
        Native::new(
            c"Java_java_lang_ClassLoader_findBootstrapClass",
            Releases::ALL,
            find::<1>,
        ),
    ]
};

/// The native methods of which this module wants to know.
pub(crate) fn natives() -> impl Iterator<Item = &'static dyn Bind> {
    let finds = FINDS.iter().map(|native| native as &dyn Bind);
    finds.chain([&FOR_NAME as &dyn Bind])
}

unsafe extern "C" fn for_name(
    env: JniEnvPtr,
    class: JObject,
    name: JObject,
    initialize: c_uchar,
    loader: JObject,
    caller: JObject,
) -> JObject {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        let on_stack = note(env, name, Asked::Anybody);
        callers::inside_for_name(on_stack, || {
            FOR_NAME.theirs().map_or(null_mut(), |theirs| {
                theirs(env, class, name, initialize, loader, caller)
            })
        })
    }
}

unsafe extern "C" fn find<const N: usize>(
    env: JniEnvPtr,
    loader: JObject,
    name: JObject,
) -> JObject {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        let asked = match N {
            BOOT => Asked::Boot,
            _ => Asked::Loader(loader),
        };
        note(env, name, asked);
        let theirs = FINDS.get(N).and_then(Native::theirs);
        theirs.map_or(null_mut(), |theirs| theirs(env, loader, name))
    }
}

/// The loader that is asked for a class.
enum Asked {
    /// Whatever loader is the right one.
    Anybody,
    /// This loader.
    Loader(JObject),
    /// The boot loader.
    Boot,
}

/// The index of the native method that asks the boot loader.
const BOOT: usize = 1;

/// Notes that a name is looked up; gives who is on the stack, if that was looked at.
///
/// # Safety
/// The arguments must be those that the JVM handed to the current native call; `name` is a string or
/// null.
unsafe fn note(env: JniEnvPtr, name: JObject, asked: Asked) -> Option<Caller> {
    Agent::contain(None, |agent| {
        let facts = agent.facts.get().filter(|_| agent.config.records)?;
        // SAFETY: the caller vouches for it.
        let mut jni = unsafe { Jni::from_raw(env) };
        // SAFETY: the caller vouches for all of them.
        let (text, asks_the_jdk) = unsafe {
            let name = jni.object(name)?;
            let platform = facts.platform_loader.as_ref().map(Global::object);
            let asks_the_jdk = match asked {
                Asked::Anybody => false,
                Asked::Loader(loader) => {
                    platform.is_some() && jni.same(platform, jni.object(loader))
                }
                Asked::Boot => true,
            };
            (jni.text(name), asks_the_jdk)
        };
        let Ok(text) = text else {
            let why = "the name of a class that is looked up cannot be read";
            agent.distrust(why.into());
            return None;
        };
        let name = internal(&text).filter(|name| !agent.lookups.is_cached(name))?;
        let (by, caller) = match asks_the_jdk.then(|| last_by(&name)).flatten() {
            Some(by) => (by, None),
            None => {
                let caller = callers::on_stack(agent, &mut jni);
                (LookupOrigin::of(agent, caller), Some(caller))
            }
        };
        let _ = LAST.try_with(|last| last.replace(Some((name.clone(), by))));
        let mut names = agent.lookups.names();
        let known = names.entry(name).or_insert(by);
        *known = by.and(*known);
        caller
    })
}

thread_local! {
    /// The name that was last looked up on this thread, and by whom.
    static LAST: RefCell<Option<(Vec<u8>, LookupOrigin)>> = const { RefCell::new(None) };
}

/// The origin of the look-up of this name, if it was the last one on this thread. Loaders ask the platform's loader, and this one
/// the boot loader, in the course of one look-up, for whoever began it. Somebody else who asks only these two
/// finds nothing but what is the JDK's. A test framework does not stand for others, because what it finds does not
/// count.
fn last_by(name: &[u8]) -> Option<LookupOrigin> {
    let last = LAST.try_with(|last| {
        let last = last.borrow();
        let same = last.as_ref().filter(|(of, _)| of == name);
        same.map(|(_, by)| *by)
    });
    last.ok().flatten().filter(|by| !by.is_for_tests())
}

/// Whether a test framework, or what starts it, does this for no test and nobody else.
fn is_for_tests(agent: &Agent, caller: Caller) -> bool {
    caller.is_framework_alone() && !agent.is_started_by_a_test() && !agent.is_inside_a_test()
}

/// The internal name of the class that this text asks for; `None` if it is a primitive type or one of
/// the JDK's own packages.
fn internal(text: &[u8]) -> Option<Vec<u8>> {
    let dimensions = text.iter().take_while(|byte| **byte == b'[').count();
    let name = match dimensions {
        0 => text,
        _ => text
            .get(dimensions..)?
            .strip_prefix(b"L")?
            .strip_suffix(b";")?,
    };
    if name.starts_with(b"java.") {
        return None;
    }
    let slash = |byte: &u8| if *byte == b'.' { b'/' } else { *byte };
    Some(name.iter().map(slash).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_looks_for_more_than_tests_counts_and_so_does_the_jvm() {
        let check = |one: LookupOrigin, other: LookupOrigin, expected: LookupOrigin| {
            assert_eq!(one.and(other), expected, "{one:?} {other:?}");
            assert_eq!(other.and(one), expected, "{other:?} {one:?}");
        };
        check(
            LookupOrigin::Framework,
            LookupOrigin::JvmForFramework,
            LookupOrigin::JvmForFramework,
        );
        check(
            LookupOrigin::Framework,
            LookupOrigin::Program,
            LookupOrigin::Program,
        );
        check(
            LookupOrigin::JvmForFramework,
            LookupOrigin::Program,
            LookupOrigin::Jvm,
        );
        check(
            LookupOrigin::JvmForFramework,
            LookupOrigin::JdkCache,
            LookupOrigin::JdkCache,
        );
    }

    #[test]
    fn a_name_is_that_of_the_class_in_the_end() {
        let check = |text: &str, expected: Option<&str>| {
            let name = internal(text.as_bytes());
            assert_eq!(name.as_deref(), expected.map(str::as_bytes), "{text}");
        };
        check("a.B$C", Some("a/B$C"));
        check("[[La.B;", Some("a/B"));
        check("[I", None);
        check("java.util.List", None);
        check("javax.Foo", Some("javax/Foo"));
        check("", Some(""));
    }
}
