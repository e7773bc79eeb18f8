//! Watches which classes are asked for their members.
//!
//! Every list of methods, fields and constructors that Java code sees of a class comes from one of
//! three native methods of `java.lang.Class`, which then keeps it, and lists of nested and permitted
//! classes, generic types, and the components of records, with their accessors, from others; and method
//! handles are looked up in one place. All lead through here, so that it is known of which classes nobody has ever asked. Who
//! asked does not matter: what was found may be kept and used by others.
//!
//! Names of methods that run show in stack traces, and in the messages that the JVM makes up for its
//! own `NullPointerException`s. Who may read the former is known from calls, unless these are made by
//! reflection; the latter come from a native method too.

use crate::agent::Agent;
use crate::classes::Classes;
use crate::facts::Facts;
use crate::hooks::{Bind, Native, Releases};
use crate::sharing;
use std::collections::HashSet;
use std::ffi::c_uchar;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Global, Jni, JvmtiError, Object, Thrown, is_exported};
use tamis_recording::ReflectionUse;

/// The names of classes that were asked for their members since somebody wanted to know.
#[derive(Debug, Default)]
pub(crate) struct ReflectionLog {
    names: Mutex<HashSet<Vec<u8>>>,
    /// The names of classes whose static fields may be read and written by reflection or handles.
    accessed: Mutex<HashSet<Vec<u8>>>,
    /// Whether handles are seen that are looked up.
    pub(crate) handles: AtomicBool,
    /// Whether a class could not be named.
    lost: AtomicBool,
    /// Whether code asked for members of classes that show stacks.
    stacks: AtomicBool,
    /// Whether code read a message in which the JVM names methods.
    messages: AtomicBool,
}

impl ReflectionLog {
    /// Whether all uses of reflection are seen.
    pub(crate) fn are_seen(&self) -> bool {
        let is_seen = |native: &dyn Bind| native.is_bound() || !is_exported(native.symbol());
        LISTS.iter().all(Native::is_bound)
            && listing().all(is_seen)
            && self.handles.load(Ordering::Acquire)
            && !self.lost.load(Ordering::Acquire)
    }

    /// Whether static fields of the class of this name (internal) may be read and written by code that does
    /// not name them.
    pub(crate) fn is_accessed(&self, name: &[u8]) -> bool {
        let accessed = self.accessed.lock().unwrap_or_else(PoisonError::into_inner);
        accessed.contains(name) || self.lost.load(Ordering::Acquire)
    }

    fn access(&self, name: Vec<u8>) {
        let accessed = self.accessed.lock();
        accessed
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name);
    }

    /// The names (internal) since the last call.
    fn take(&self) -> HashSet<Vec<u8>> {
        std::mem::take(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The reflection uses of a unit that ends now, from those of its code; `asks` if that asks for members.
    pub(crate) fn seen_by(&self, reflection: ReflectionUse, asks: bool) -> ReflectionUse {
        let is = |flag: &AtomicBool| flag.load(Ordering::Acquire);
        let by_reflection = asks && is(&self.stacks);
        ReflectionUse {
            traces: reflection.traces || by_reflection || is(&self.messages),
            unlogged: reflection.unlogged || (asks && !self.are_seen()),
            ..reflection
        }
    }

    fn add(&self, name: Vec<u8>) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name);
    }
}

/// Tells which classes were asked since the last call.
pub(crate) fn settle(agent: &Agent, classes: &mut Classes) {
    classes.ask(&agent.reflection.take());
    if !agent.reflection.are_seen() {
        classes.ask_all();
    }
}

/// `JVM_GetClassDeclaredMethods` and its like; the flag says whether only public ones are wanted.
type List = unsafe extern "C" fn(JniEnvPtr, JObject, c_uchar) -> JObject;

/// `JVM_GetRecordComponents` and its like.
type Get = unsafe extern "C" fn(JniEnvPtr, JObject) -> JObject;

// SAFETY: in the JDK's sources these take a class and a flag, and return an array.
static LISTS: [Native<List>; 3] = unsafe {
    [
        Native::new(c"JVM_GetClassDeclaredMethods", Releases::ALL, list::<0>),
        Native::new(c"JVM_GetClassDeclaredFields", Releases::ALL, list::<1>),
        Native::new(
            c"JVM_GetClassDeclaredConstructors",
            Releases::ALL,
            list::<2>,
        ),
    ]
};

// SAFETY: these take a class and return an object, an array but for the signature.
static GETS: [Native<Get>; 5] = unsafe {
    [
        Native::new(c"JVM_GetNestMembers", Releases::ALL, nest),
        Native::new(c"JVM_GetDeclaredClasses", Releases::ALL, get::<1>),
        Native::new(c"JVM_GetClassSignature", Releases::ALL, get::<2>),
        // JVMs without records or sealed classes have no such function.
        Native::new(c"JVM_GetRecordComponents", Releases::FROM_17, get::<3>),
        Native::new(c"JVM_GetPermittedSubclasses", Releases::FROM_17, get::<4>),
    ]
};

/// What makes up the messages; it is bound when it is first needed.
// SAFETY: a method without arguments that returns a string.
static MESSAGE: Native<Get> = unsafe {
    let symbol = c"Java_java_lang_NullPointerException_getExtendedNPEMessage";
    Native::new(symbol, Releases::FROM_17, message)
};

/// The native methods that list members.
fn listing() -> impl Iterator<Item = &'static dyn Bind> {
    let gets = GETS.iter().map(|native| native as &dyn Bind);
    LISTS.iter().map(|native| native as &dyn Bind).chain(gets)
}

/// The native methods of which this module wants to know.
pub(crate) fn natives() -> impl Iterator<Item = &'static dyn Bind> {
    listing().chain([&MESSAGE as &dyn Bind])
}

unsafe extern "C" fn list<const N: usize>(
    env: JniEnvPtr,
    class: JObject,
    public_only: c_uchar,
) -> JObject {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        note_listed(env, class);
        let theirs = LISTS.get(N).and_then(Native::theirs);
        theirs.map_or(null_mut(), |theirs| theirs(env, class, public_only))
    }
}

unsafe extern "C" fn get<const N: usize>(env: JniEnvPtr, class: JObject) -> JObject {
    // SAFETY: these are the arguments of the current native call.
    unsafe {
        note_listed(env, class);
        let theirs = GETS.get(N).and_then(Native::theirs);
        theirs.map_or(null_mut(), |theirs| theirs(env, class))
    }
}

/// The members of a nest are listed by one of them, which comes first.
unsafe extern "C" fn nest(env: JniEnvPtr, class: JObject) -> JObject {
    // SAFETY: these are the arguments of the current native call, and what it returns is an array of
    // classes or null.
    unsafe {
        let all = get::<0>(env, class);
        Agent::contain((), |agent| {
            let jni = Jni::from_raw(env);
            match jni.object(all).map(|all| jni.element(all, 0)) {
                Some(Ok(Some(host))) => listed(agent, &jni, host),
                Some(Err(_)) => agent.reflection.lost.store(true, Ordering::Release),
                Some(Ok(None)) | None => {}
            }
        });
        all
    }
}

/// # Safety
/// The arguments must be those that the JVM handed to the current native call.
unsafe fn note_listed(env: JniEnvPtr, class: JObject) {
    Agent::contain((), |agent| {
        // SAFETY: the caller vouches for both.
        let jni = unsafe { Jni::from_raw(env) };
        // SAFETY: as above.
        if let Some(class) = unsafe { jni.object(class) } {
            listed(agent, &jni, class);
        }
    });
}

unsafe extern "C" fn message(env: JniEnvPtr, exception: JObject) -> JObject {
    Agent::contain((), |agent| {
        agent.reflection.messages.store(true, Ordering::Release);
    });
    // SAFETY: these are the arguments of the current native call.
    MESSAGE
        .theirs()
        .map_or(null_mut(), |theirs| unsafe { theirs(env, exception) })
}

/// The members of `class` are listed.
fn listed(agent: &Agent, jni: &Jni<'_>, class: Object<'_>) {
    let Some(facts) = agent.facts.get().filter(|_| agent.config.records) else {
        return;
    };
    match name(&agent.reflection, facts, jni, class) {
        Ok(name) => name.into_iter().for_each(|name| agent.reflection.add(name)),
        Err(_) => agent.reflection.lost.store(true, Ordering::Release),
    }
}

/// The internal name of a class, if it has members that can change: neither one of the JDK, nor an
/// array, nor a primitive type. A hidden class goes by the name that its bytes have. Of the JDK it is
/// noted whether the class tells of stacks.
fn name(
    log: &ReflectionLog,
    facts: &Facts,
    jni: &Jni<'_>,
    class: Object<'_>,
) -> Result<Option<Vec<u8>>, JvmtiError> {
    let loader = facts.jvmti.loader(jni, class)?;
    let platform = facts.platform_loader.as_ref().map(Global::object);
    let signature = facts.jvmti.signature(class)?;
    let name = signature.strip_prefix(b"L");
    let Some(name) = name.and_then(|name| name.strip_suffix(b";")) else {
        return Ok(None);
    };
    if loader.is_none() || jni.same(loader, platform) {
        if tells_of_stacks(name) {
            log.stacks.store(true, Ordering::Release);
        }
        return Ok(None);
    }
    // What follows a dot tells hidden classes of one name apart.
    let name = name.split(|byte| *byte == b'.').next();
    Ok(name.map(<[u8]>::to_vec))
}

/// Whether a class of the JDK has methods or fields that give the names of methods which run. An
/// exception inherits them.
fn tells_of_stacks(name: &[u8]) -> bool {
    const TELLING: [&[u8]; 4] = [
        b"java/lang/Stack",
        b"java/lang/Thread",
        b"java/lang/management/Thread",
        b"java/util/logging/LogRecord",
    ];
    const THROWN: [&[u8]; 3] = [b"Throwable", b"Exception", b"Error"];
    TELLING.iter().any(|prefix| name.starts_with(prefix))
        || THROWN.iter().any(|suffix| name.ends_with(suffix))
}

/// A member of `class` is looked up, there and in its supertypes.
pub(crate) fn resolved(agent: &Agent, jni: &mut Jni<'_>, class: Object<'_>) {
    let Some(facts) = agent.facts.get().filter(|_| agent.config.records) else {
        return;
    };
    let mut names = HashSet::new();
    match above(&agent.reflection, facts, jni, class, &mut names) {
        Ok(()) => names.into_iter().for_each(|name| {
            agent.reflection.access(name.clone());
            agent.reflection.add(name);
        }),
        Err(Thrown) => agent.reflection.lost.store(true, Ordering::Release),
    }
}

/// `field`, a `Field`, will be read or written by code that does not name it.
pub(crate) fn accessed(agent: &Agent, jni: &mut Jni<'_>, field: Object<'_>) {
    const STATIC: i32 = 8;
    const FINAL: i32 = 16;
    let Some(facts) = agent.facts.get().filter(|_| agent.config.records) else {
        return;
    };
    let found = jni.frame(|jni| {
        // SAFETY: it is a field; these methods take nothing and return a number and a class.
        let (modifiers, class) = unsafe {
            (
                jni.call_int(field, c"getModifiers", c"()I", &[])?,
                jni.call_object(field, c"getDeclaringClass", c"()Ljava/lang/Class;", &[])?,
            )
        };
        let Some(class) = class.filter(|_| modifiers & (STATIC | FINAL) != 0) else {
            return Ok(());
        };
        let Some(name) = name(&agent.reflection, facts, jni, class).map_err(|_| Thrown)? else {
            return Ok(());
        };
        if modifiers & STATIC == 0 {
            agent.statics.thaw(facts.jvmti, &name, class);
            return Ok(());
        }
        agent.reflection.access(name.clone());
        // Static fields that only libraries name do not count, and final ones nobody else can set by name:
        // Hibernate reads some hundreds of its own in this way.
        if modifiers & FINAL != 0 && !agent.is_library(&name) {
            // SAFETY: as above, and a text.
            let (own, of) = unsafe {
                let own = jni.call_object(field, c"getName", c"()Ljava/lang/String;", &[])?;
                let of = jni.call_object(field, c"getType", c"()Ljava/lang/Class;", &[])?;
                (jni.text(own.ok_or(Thrown)?)?, of.ok_or(Thrown)?)
            };
            let of = facts.jvmti.signature(of).map_err(|_| Thrown)?;
            sharing::may_be_set(agent, facts.jvmti, jni, (&name, class), (&own, &of));
        }
        Ok(())
    });
    if let Err(Thrown) = found {
        agent.reflection.lost.store(true, Ordering::Release);
    }
}

/// Adds the names of a class and of all its supertypes.
fn above(
    log: &ReflectionLog,
    facts: &Facts,
    jni: &mut Jni<'_>,
    class: Object<'_>,
    names: &mut HashSet<Vec<u8>>,
) -> Result<(), Thrown> {
    jni.frame(|jni| {
        // What the JDK has extends nothing else.
        let name = name(log, facts, jni, class).map_err(|_| Thrown)?;
        if !name.is_some_and(|name| names.insert(name)) {
            return Ok(());
        }
        // SAFETY: the caller has a class; the method takes nothing and returns an array of classes.
        let interfaces = unsafe {
            if let Some(class) = jni.superclass(class)? {
                above(log, facts, jni, class, names)?;
            }
            jni.call_object(class, c"getInterfaces", c"()[Ljava/lang/Class;", &[])?
        };
        let interfaces = interfaces.ok_or(Thrown)?;
        // SAFETY: it is an array of classes.
        for index in 0..unsafe { jni.length(interfaces) } {
            // SAFETY: as above.
            if let Some(class) = unsafe { jni.element(interfaces, index)? } {
                above(log, facts, jni, class, names)?;
            }
        }
        Ok(())
    })
}
