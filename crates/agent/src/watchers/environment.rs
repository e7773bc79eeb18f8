//! System properties and environment variables that are asked for, and the arguments of the JVM.

use super::{Events, Watcher};
use crate::agent::{Agent, State, thread};
use crate::hooks::{Bind, Native, Releases};
use crate::sharing::settings::SetBy;
use crate::watchers::callers::{self, Direct, Who};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tamis_classfile::decode_mutf8;
use tamis_inputs::policy::{is_read_by_the_jdk, property_counts, variable_counts};
use tamis_inputs::{ALL, CLASS_PATH, Input, OF_THE_JDK, Values};
use tamis_jvmti::raw::{JObject, JniEnvPtr};
use tamis_jvmti::{Jni, Object, Thrown};

/// The values with which the tests start, and what tests did to them.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    values: OnceLock<Values>,
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    /// System properties that were set, with the number of the single test then, or 0.
    set: HashMap<String, u32>,
    /// How many boundaries of single tests there were.
    started: u32,
    /// The number of the single test that runs.
    test: u32,
}

impl Environment {
    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The values with which the tests start.
    pub(crate) fn start_with(&self, values: Values) {
        let _ = self.values.set(values);
    }

    /// Whether they are known.
    pub(super) fn is_known(&self) -> bool {
        self.values.get().is_some()
    }

    /// The digest of a property with which the tests start.
    pub(crate) fn property(&self, name: &str) -> Option<u128> {
        Some(self.values.get()?.property(name))
    }

    /// The digest of an input that is a value.
    pub(super) fn value(&self, input: &Input<Vec<u8>>) -> Option<u128> {
        let values = self.values.get()?;
        match input {
            Input::Property(name) => Some(values.property(name)),
            Input::Variable(name) => Some(values.variable(name)),
            _ => None,
        }
    }

    /// A system property is set or removed.
    fn set(&self, property: String) {
        let mut written = self.written();
        let test = written.test;
        written.set.entry(property).or_insert(test);
    }

    /// Whether the test class that runs has set this property itself, for all its tests or in the one that runs.
    fn is_set(&self, property: &str) -> bool {
        let written = self.written();
        let by = written.set.get(property);
        by.is_some_and(|by| *by == 0 || *by == written.test)
    }
}

impl Watcher for Environment {
    /// Emits nothing: the log of inputs has the values that are read.
    fn emit(&self, _: &Agent, _: &mut State, _: &mut Events) {}

    fn unit_starts(&self) {
        let mut written = self.written();
        written.test = 0;
        written.set.clear();
    }

    fn at_single_test(&self, starts: bool) {
        let mut written = self.written();
        written.started += 1;
        written.test = if starts { written.started } else { 0 };
        written.set.retain(|_, by| *by == 0);
    }
}

thread_local! {
    /// Whether it is the agent itself that asks.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs `body`, which asks for values that no test asked for.
pub(crate) fn quietly<T>(body: impl FnOnce() -> T) -> T {
    let before = QUIET.replace(true);
    let answer = body();
    QUIET.set(before);
    answer
}

/// A property is asked for.
pub(crate) fn property(agent: &Agent, jni: &mut Jni<'_>, name: Object<'_>) {
    let is_early = !agent.awake.load(Ordering::Acquire);
    let Some(name) = asked(agent, jni, name) else {
        return;
    };
    if agent.environment.is_set(&name) {
        // Others will use what an initializer makes of it.
        if agent.state().units.is_initializing(thread()) {
            agent.settings.read(&name);
        }
        return;
    }
    agent.settings.read(&name);
    // Before there are tests, the JDK itself asks for these.
    let counts = property_counts(&name)
        && !(is_early && is_read_by_the_jdk(&name))
        && (name != CLASS_PATH || is_asked_by_the_program(agent, jni));
    if counts {
        let property = Input::Property(name);
        agent.inputs.observe(agent, jni, (property, None));
    }
}

/// Whether neither a test framework asks nor what starts it, for their own ends.
fn is_asked_by_the_program(agent: &Agent, jni: &mut Jni<'_>) -> bool {
    match callers::who(agent, jni) {
        Who::Framework => false,
        Who::Program => true,
        Who::Jdk | Who::ClassPath | Who::Loader => callers::direct(agent, jni) != Direct::Starter,
    }
}

/// A property is set or removed, and who does it gets what it was before.
pub(crate) fn write(agent: &Agent, jni: &mut Jni<'_>, name: Object<'_>) {
    let Some(text) = asked(agent, jni, name) else {
        return;
    };
    let by = callers::direct(agent, jni);
    if matches!(by, Direct::Other(_)) && agent.is_inside_a_test() {
        property(agent, jni, name);
    }
    let by = match by {
        Direct::Other(Some(class)) if agent.is_of_library(&class) => SetBy::Others,
        Direct::Other(_) => SetBy::Program,
        _ => SetBy::Others,
    };
    agent.settings.set(&text, by);
    agent.environment.set(text);
}

/// An environment variable is asked for.
pub(crate) fn variable(agent: &Agent, jni: &mut Jni<'_>, name: Object<'_>) {
    let counts = |name: &String| variable_counts(name) && !is_given(agent, name);
    if let Some(name) = asked(agent, jni, name).filter(counts) {
        agent
            .inputs
            .observe(agent, jni, (Input::Variable(name), None));
    }
}

/// A process is about to be started that reads an environment variable.
pub(crate) fn hand_on(agent: &Agent, name: &str) {
    if !is_given(agent, name) {
        let variable = Input::Variable(name.into());
        agent.inputs.see((variable, None), false);
    }
}

/// Whether a test gave this JVM, which it started, a variable that it does not have itself: that is its work.
fn is_given(agent: &Agent, name: &str) -> bool {
    agent.of_the_test.get().is_some_and(|of_the_test| {
        let of_the_test = of_the_test.get(name).map(Vec::as_slice);
        std::env::var_os(name).as_deref().map(OsStr::as_bytes) != of_the_test
    })
}

/// All properties are asked for.
pub(crate) fn properties(agent: &Agent, jni: &mut Jni<'_>) {
    if !is_asked(agent) {
        return;
    }
    if agent.facts.get().is_none() {
        return;
    }
    let name = match callers::direct(agent, jni) {
        // It does so in any JVM before there are tests.
        Direct::Jdk if !agent.awake.load(Ordering::Acquire) => return,
        Direct::Jdk => OF_THE_JDK,
        // It hands on all that it was given.
        Direct::Starter if !agent.is_inside_a_test() => return,
        Direct::Starter => ALL,
        Direct::Other(_) => ALL,
    };
    agent.settings.read(name);
    agent
        .inputs
        .observe(agent, jni, (Input::Property(name.into()), None));
}

/// All environment variables are asked for. In a JVM that a test started, those of the test are meant.
pub(crate) fn variables(agent: &Agent) {
    if is_asked(agent) {
        agent.inputs.see((Input::Variable(ALL.into()), None), false);
    }
}

fn is_asked(agent: &Agent) -> bool {
    agent.config.records && !QUIET.get()
}

/// The name that is asked for; [`ALL`] if it cannot be known.
fn asked(agent: &Agent, jni: &Jni<'_>, name: Object<'_>) -> Option<String> {
    if !is_asked(agent) {
        return None;
    }
    // SAFETY: the hook hands over the argument of a method that takes a string.
    let text = unsafe { jni.text(name) };
    let name = text.ok().and_then(|text| decode_mutf8(&text));
    Some(name.unwrap_or_else(|| ALL.into()))
}

/// `ProcessHandleImpl.Info.info0`, which takes the number of a process.
type Info = unsafe extern "C" fn(JniEnvPtr, JObject, i64);

// SAFETY: the JDK declares it so.
static INFO: Native<Info> = unsafe {
    let symbol = c"Java_java_lang_ProcessHandleImpl_00024Info_info0";
    Native::new(symbol, Releases::ALL, info)
};

/// The native methods of which this module wants to know.
pub(crate) fn natives() -> impl Iterator<Item = &'static dyn Bind> {
    [&INFO as &dyn Bind].into_iter()
}

/// Among what is told of this process are its arguments, and among these properties.
unsafe extern "C" fn info(env: JniEnvPtr, info: JObject, pid: i64) {
    Agent::contain((), |agent| {
        if is_asked(agent) && pid == i64::from(std::process::id()) {
            agent.inputs.see((Input::Property(ALL.into()), None), false);
        }
    });
    if let Some(theirs) = INFO.theirs() {
        // SAFETY: these are the arguments of the current native call.
        unsafe { theirs(env, info, pid) }
    }
}

/// The system properties as they are now.
pub(crate) fn snapshot(jni: &mut Jni<'_>) -> Result<Vec<(String, Vec<u8>)>, Thrown> {
    const STRING: &std::ffi::CStr = c"(Ljava/lang/String;)Ljava/lang/String;";
    let text = |jni: &Jni<'_>, string: Object<'_>| {
        // SAFETY: only strings are handed over here.
        let text = unsafe { jni.text(string)? };
        decode_mutf8(&text).ok_or(Thrown)
    };
    quietly(|| {
        jni.frame(|jni| {
            let system = jni.find_class(c"java/lang/System")?;
            let signature = c"()Ljava/util/Properties;";
            // SAFETY: these are methods of the JDK with such arguments and results.
            unsafe {
                let all = jni.call_static_object(system, c"getProperties", signature, &[])?;
                let all = all.ok_or(Thrown)?;
                let names =
                    jni.call_object(all, c"stringPropertyNames", c"()Ljava/util/Set;", &[])?;
                let names = names.ok_or(Thrown)?;
                let names = jni.call_object(names, c"toArray", c"()[Ljava/lang/Object;", &[])?;
                let names = names.ok_or(Thrown)?;
                let mut properties = Vec::new();
                for index in 0..jni.length(names) {
                    let property = jni.frame(|jni| {
                        let name = jni.element(names, index)?.ok_or(Thrown)?;
                        let value = jni.call_object(all, c"getProperty", STRING, &[name])?;
                        let value = value.map(|value| text(jni, value)).transpose()?;
                        Ok((text(jni, name)?, value))
                    })?;
                    let (name, value) = property;
                    properties.extend(value.map(|value| (name, value.into_bytes())));
                }
                Ok(properties)
            }
        })
    })
}
