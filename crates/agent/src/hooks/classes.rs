//! Classes of the JDK that say what they are asked for, because some of their methods are entered.

use crate::agent::Agent;
use std::collections::HashSet;
use std::ffi::{CStr, CString};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use tamis_classfile::ClassFile;
use tamis_instrument::hooks::{CLASSES, JdkClass};
use tamis_instrument::{hooks, probes};
use tamis_jvmti::{Jni, Jvmti};

/// Enters the classes that are loaded when the JVM starts. The class file load hook must be on.
pub(crate) fn watch(jvmti: Jvmti, jni: &mut Jni<'_>) {
    let release = jvmti.feature_release().ok();
    let may_be_there = |class: &&JdkClass| {
        class.is_loaded_at_start && release.is_none_or(|release| class.releases.contains(release))
    };
    for class in CLASSES.iter().filter(may_be_there) {
        jni.frame(|jni| {
            let name = CString::new(class.name).unwrap_or_default();
            let class = jni.find_class(&name).ok();
            // What goes wrong is found out before the first test.
            let _ = class.map(|class| jvmti.retransform(class));
        });
    }
}

/// Whether a class of the boot loader is entered once it is loaded.
pub(crate) fn is_watched_later(name: &CStr) -> bool {
    number_later(name.to_bytes()).is_some()
}

fn number_later(name: &[u8]) -> Option<usize> {
    number(name).filter(|number| {
        let class = CLASSES.get(*number);
        class.is_some_and(|class| !class.is_loaded_at_start)
    })
}

/// The number of a class that is entered.
fn number(name: &[u8]) -> Option<usize> {
    let mut classes = CLASSES.iter();
    classes.position(|class| class.name.as_bytes() == name)
}

/// Whether the class of this number is entered.
fn is_entered(agent: &Agent, number: usize) -> bool {
    agent.hooks.entered.load(Ordering::Acquire) & (1 << number) != 0
}

/// The hooks that are missing in classes that should be entered.
pub(super) fn missing(agent: &Agent, jvmti: Jvmti, jni: &mut Jni<'_>, release: u16) -> Vec<String> {
    // Other agents may have had some loaded before this one could see it.
    let (mut loaded, mut late) = (HashSet::new(), Vec::new());
    let looked = jvmti.each_loaded_class(jni, |jni, class| {
        let signature = jvmti.signature(class).unwrap_or_default();
        let name = signature.strip_prefix(b"L");
        let name = name.and_then(|name| name.strip_suffix(b";"));
        if let Some(number) = name.and_then(number_later)
            && !is_entered(agent, number)
        {
            loaded.insert(number);
            late.extend(jni.global(class));
        }
    });
    // Not while all classes are held: checks of the JVM count what is held here too.
    for class in late {
        let _ = jvmti.retransform(class.object());
    }
    let mut missing = super::take(&agent.hooks.missing);
    missing.extend(looked.err().map(|error| error.to_string()));
    if missing.is_empty() {
        let must = CLASSES.iter().enumerate().filter(|(number, class)| {
            let is_there = class.is_loaded_at_start || loaded.contains(number);
            is_there && class.releases.contains(release)
        });
        let without = must.filter(|(number, _)| !is_entered(agent, *number));
        missing.extend(without.map(|(_, class)| dotted(class.name)));
    }
    missing
}

/// The new bytes of a class of the boot loader, if it is one of them.
pub(crate) fn patch(agent: &Agent, name: Option<&[u8]>, bytes: &[u8]) -> Option<Vec<u8>> {
    let name = name.filter(|_| agent.config.records)?;
    let number = number(name)?;
    let missing = match entered(agent, bytes) {
        Ok(patched) => {
            agent.hooks.entered.fetch_or(1 << number, Ordering::AcqRel);
            if name == hooks::HANDLES.as_bytes() {
                agent.reflection.handles.store(true, Ordering::Release);
            }
            return Some(patched);
        }
        Err(missing) => missing,
    };
    if agent.session.get().is_some() {
        let missing = missing.join(", ");
        agent.distrust(format!(
            "the JDK does not show {missing}, {}",
            super::ADVICE
        ));
    } else {
        let all = agent.hooks.missing.lock();
        all.unwrap_or_else(PoisonError::into_inner).extend(missing);
    }
    None
}

/// The class with all its hooks, or those that it cannot have.
fn entered(agent: &Agent, bytes: &[u8]) -> Result<Vec<u8>, Vec<String>> {
    let odd = |error: tamis_classfile::Error| vec![format!("a class that can be read: {error}")];
    let class = ClassFile::parse(bytes).map_err(odd)?;
    let is_broken = |hook: &String| {
        let hook = CString::new(hook.as_str());
        hook.is_ok_and(|hook| agent.config.breaks(&hook))
    };
    let mut missing = hooks::missing(&class);
    missing.extend(hooks::of_class(&class).filter(is_broken));
    if !missing.is_empty() {
        return Err(missing);
    }
    let patched = probes::insert_hooks(&class).map_err(odd)?;
    patched.ok_or_else(|| vec!["a class that can be entered".to_owned()])
}

/// A name as people write it.
fn dotted(name: &str) -> String {
    name.replace('/', ".")
}
