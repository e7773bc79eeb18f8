//! Which classes were asked for their members.
//!
//! Every list of methods, fields and constructors that Java code sees of a class comes from one of
//! three native methods of `java.lang.Class`, which then keeps it, and lists of nested classes and
//! of the components of records, with their accessors, from others; and method handles are looked up in
//! one place. All lead through here, so that it is known of which classes nobody has ever asked. Who
//! asked does not matter: what was found may be kept and used by others.
//!
//! Names of methods that run show in stack traces, and in the messages that the JVM makes up for its
//! own `NullPointerException`s. Who may read the former is known from calls, unless these are made by
//! reflection; the latter come from a native method too.

use crate::agent::Agent;
use crate::session::Facts;
use std::collections::HashSet;
use std::ffi::{CStr, c_uchar, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use tamis_classfile::ClassFile;
use tamis_instrument::{hooks, probes};
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Global, Jni, Jvmti, JvmtiError, Object, Thrown, exported, is_named};
use tamis_recording::Looks as Seen;

/// The names of classes that were asked for their members since somebody wanted to know.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    names: Mutex<HashSet<Vec<u8>>>,
    /// Whether handles are seen that are looked up.
    handles: AtomicBool,
    /// Whether a class could not be named.
    lost: AtomicBool,
    /// Whether somebody asked for members of classes that tell of stacks.
    stacks: AtomicBool,
    /// Whether somebody read a message in which the JVM names methods.
    messages: AtomicBool,
}

impl Looks {
    /// Whether all looks are seen.
    pub(crate) fn are_seen(&self) -> bool {
        let is_bound = |native: &Native| {
            native.bound.load(Ordering::Acquire)
                || native.may_lack && native.address.load(Ordering::Acquire).is_null()
        };
        NATIVES.iter().all(is_bound)
            && self.handles.load(Ordering::Acquire)
            && !self.lost.load(Ordering::Acquire)
    }

    /// The names (internal) since the last call.
    pub(crate) fn take(&self) -> HashSet<Vec<u8>> {
        std::mem::take(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What a unit that ends now has seen, if its code looks as `looks` says, and `asks` for members.
    pub(crate) fn seen_by(&self, looks: Seen, asks: bool) -> Seen {
        let is = |flag: &AtomicBool| flag.load(Ordering::Acquire);
        let by_reflection = asks && is(&self.stacks);
        Seen {
            traces: looks.traces || by_reflection || is(&self.messages),
            unseen: looks.unseen || (asks && !self.are_seen()),
            ..looks
        }
    }

    fn add(&self, name: Vec<u8>) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name);
    }
}

/// A native method that lists members.
struct Native {
    /// The function of the JVM that it is bound to.
    symbol: &'static CStr,
    address: AtomicPtr<c_void>,
    /// What it is bound to instead.
    ours: Ours,
    bound: AtomicBool,
    /// Older JVMs have no such function.
    may_lack: bool,
}

/// A function that stands for one of the JVM.
#[derive(Clone, Copy)]
enum Ours {
    List(List),
    Get(Get),
}

/// `JVM_GetClassDeclaredMethods` and its like; the flag says whether only public ones are wanted.
type List = unsafe extern "C" fn(JniEnvPtr, JObject, c_uchar) -> JObject;

/// `JVM_GetRecordComponents` and its like.
type Get = unsafe extern "C" fn(JniEnvPtr, JObject) -> JObject;

static NATIVES: [Native; 5] = [
    Native::new(c"JVM_GetClassDeclaredMethods", Ours::List(list::<0>)),
    Native::new(c"JVM_GetClassDeclaredFields", Ours::List(list::<1>)),
    Native::new(c"JVM_GetClassDeclaredConstructors", Ours::List(list::<2>)),
    Native {
        may_lack: true,
        ..Native::new(c"JVM_GetRecordComponents", Ours::Get(get::<3>))
    },
    Native::new(c"JVM_GetDeclaredClasses", Ours::Get(get::<4>)),
];

/// What makes up the messages; it lies in a library of the JDK and is bound when it is first needed.
const MESSAGE: &CStr = c"Java_java_lang_NullPointerException_getExtendedNPEMessage";
static MESSAGE_ADDRESS: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

impl Native {
    const fn new(symbol: &'static CStr, ours: Ours) -> Self {
        Native {
            symbol,
            address: AtomicPtr::new(null_mut()),
            ours,
            bound: AtomicBool::new(false),
            may_lack: false,
        }
    }
}

/// Before the JVM binds its native methods: finds the functions to look out for. They are bound
/// before anybody may ask for the names of methods, so they are known by their addresses.
pub(crate) fn find_natives() {
    for native in &NATIVES {
        let address = exported(native.symbol).map_or(null_mut(), |address| address.as_ptr());
        native.address.store(address, Ordering::Release);
    }
}

/// A native method is being bound to `address`: what it is bound to instead.
pub(crate) fn bind(address: *mut c_void) -> Option<*mut c_void> {
    if is_named(address.addr(), MESSAGE) {
        MESSAGE_ADDRESS.store(address, Ordering::Release);
        return Some(message as *mut c_void);
    }
    let is_it = |native: &&Native| native.address.load(Ordering::Acquire) == address;
    let native = NATIVES.iter().find(is_it).filter(|_| !address.is_null())?;
    native.bound.store(true, Ordering::Release);
    Some(match native.ours {
        Ours::List(ours) => ours as *mut c_void,
        Ours::Get(ours) => ours as *mut c_void,
    })
}

/// Stands for the function of the JVM with this number.
///
/// # Safety
/// Only the JVM may call it, as the native method that was bound to that function.
unsafe extern "C" fn list<const N: usize>(
    env: JniEnvPtr,
    class: JObject,
    public_only: c_uchar,
) -> JObject {
    // SAFETY: these are the arguments of the current native call.
    unsafe { note_listed(env, class) };
    let Some(native) = NATIVES.get(N) else {
        return null_mut();
    };
    // SAFETY: this stands for a native method only after its function was found under a name that
    // the JVM gives to functions of this type; the arguments are those of the current call.
    unsafe {
        let theirs: List = std::mem::transmute(native.address.load(Ordering::Acquire));
        theirs(env, class, public_only)
    }
}

/// The same for a function without a flag.
///
/// # Safety
/// As above.
unsafe extern "C" fn get<const N: usize>(env: JniEnvPtr, class: JObject) -> JObject {
    // SAFETY: these are the arguments of the current native call.
    unsafe { note_listed(env, class) };
    let Some(native) = NATIVES.get(N) else {
        return null_mut();
    };
    // SAFETY: as above.
    unsafe {
        let theirs: Get = std::mem::transmute(native.address.load(Ordering::Acquire));
        theirs(env, class)
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
            listed(agent, jni, class);
        }
    });
}

/// Stands for the function that makes up a message.
///
/// # Safety
/// Only the JVM may call it, as the native method that was bound to that function.
unsafe extern "C" fn message(env: JniEnvPtr, exception: JObject) -> JObject {
    Agent::contain((), |agent| {
        agent.looks.messages.store(true, Ordering::Release);
    });
    // SAFETY: this is bound only after the address was kept, which is that of a native method
    // without arguments; the arguments are those of the current call.
    unsafe {
        let theirs: Get = std::mem::transmute(MESSAGE_ADDRESS.load(Ordering::Acquire));
        theirs(env, exception)
    }
}

/// The members of `class` are listed.
fn listed(agent: &Agent, jni: Jni<'_>, class: Object<'_>) {
    let Some(facts) = agent.facts.get().filter(|_| agent.config.records) else {
        return;
    };
    match name(&agent.looks, facts, jni, class) {
        Ok(name) => name.into_iter().for_each(|name| agent.looks.add(name)),
        Err(_) => agent.looks.lost.store(true, Ordering::Release),
    }
}

/// The internal name of a class, if it has members that can change: neither one of the JDK, nor an
/// array, nor a primitive type. A hidden class goes by the name that its bytes have. Of the JDK it is
/// noted whether the class tells of stacks.
fn name(
    looks: &Looks,
    facts: &Facts,
    jni: Jni<'_>,
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
            looks.stacks.store(true, Ordering::Release);
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
pub(crate) fn resolved(agent: &Agent, jni: Jni<'_>, class: Object<'_>) {
    let Some(facts) = agent.facts.get().filter(|_| agent.config.records) else {
        return;
    };
    let mut names = HashSet::new();
    match above(&agent.looks, facts, jni, class, &mut names) {
        Ok(()) => names.into_iter().for_each(|name| agent.looks.add(name)),
        Err(Thrown) => agent.looks.lost.store(true, Ordering::Release),
    }
}

/// Adds the names of a class and of all its supertypes.
fn above(
    looks: &Looks,
    facts: &Facts,
    jni: Jni<'_>,
    class: Object<'_>,
    names: &mut HashSet<Vec<u8>>,
) -> Result<(), Thrown> {
    jni.frame(|jni| {
        // What the JDK has extends nothing else.
        let name = name(looks, facts, jni, class).map_err(|_| Thrown)?;
        if !name.is_some_and(|name| names.insert(name)) {
            return Ok(());
        }
        // SAFETY: the caller has a class; the method takes nothing and returns an array of classes.
        let interfaces = unsafe {
            if let Some(class) = jni.superclass(class)? {
                above(looks, facts, jni, class, names)?;
            }
            jni.call_object(class, c"getInterfaces", c"()[Ljava/lang/Class;", &[])?
        };
        let interfaces = interfaces.ok_or(Thrown)?;
        // SAFETY: it is an array of classes.
        for index in 0..unsafe { jni.length(interfaces) } {
            // SAFETY: as above.
            if let Some(class) = unsafe { jni.element(interfaces, index)? } {
                above(looks, facts, jni, class, names)?;
            }
        }
        Ok(())
    })
}

/// Has the class that looks up method handles say so. Its class file load hook must be on.
pub(crate) fn watch_handles(jvmti: Jvmti, jni: Jni<'_>) {
    jni.frame(|jni| {
        let name = std::ffi::CString::new(hooks::HANDLES).unwrap_or_default();
        // What goes wrong leaves the looks unseen, and then they count as such.
        let _ = jni.find_class(&name).map(|class| jvmti.retransform(class));
    });
}

/// The new bytes of a class of the boot loader, if it is the one that looks up method handles.
pub(crate) fn patch(agent: &Agent, name: Option<&[u8]>, bytes: &[u8]) -> Option<Vec<u8>> {
    if name != Some(hooks::HANDLES.as_bytes()) || !agent.config.records {
        return None;
    }
    let class = ClassFile::parse(bytes).ok()?;
    let patched = probes::insert_hooks(&class).ok()??;
    agent
        .looks
        .handles
        .store(hooks::is_complete(&class), Ordering::Release);
    Some(patched)
}
