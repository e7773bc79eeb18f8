//! Classes of the JDK that say what they are asked for.

use crate::agent::Agent;
use std::ffi::{CStr, CString};
use std::sync::atomic::Ordering;
use tamis_classfile::ClassFile;
use tamis_instrument::{hooks, probes};
use tamis_jvmti::{Jni, Jvmti};

/// Has these classes say so. The class file load hook must be on.
pub(crate) fn watch(jvmti: Jvmti, jni: Jni<'_>) {
    for names in hooks::OF_THE_JDK {
        jni.frame(|jni| {
            let class = names.iter().find_map(|name| {
                let name = CString::new(*name).unwrap_or_default();
                jni.find_class(&name).ok()
            });
            // What goes wrong leaves looks unseen, and then they count as such.
            let _ = class.map(|class| jvmti.retransform(class));
        });
    }
}

/// Whether a class of the boot loader says what it is asked for once it is loaded.
pub(crate) fn is_watched_later(name: &CStr) -> bool {
    let mut later = hooks::LATER.iter();
    later.any(|watched| watched.as_bytes() == name.to_bytes())
}

/// Whether all of them say so.
pub(crate) fn is_watched(agent: &Agent) -> bool {
    let all = (1 << hooks::OF_THE_JDK.len()) - 1;
    agent.watched.load(Ordering::Acquire) == all
}

/// The new bytes of a class of the boot loader, if it is one of them.
pub(crate) fn patch(agent: &Agent, name: Option<&[u8]>, bytes: &[u8]) -> Option<Vec<u8>> {
    let name = name.filter(|_| agent.config.records)?;
    let is_it = |names: &[&str]| names.iter().any(|watched| watched.as_bytes() == name);
    let index = hooks::OF_THE_JDK.iter().position(|names| is_it(names));
    if index.is_none() && !is_it(&hooks::LATER) {
        return None;
    }
    let class = ClassFile::parse(bytes).ok()?;
    let patched = probes::insert_hooks(&class).ok()??;
    let is_complete = hooks::is_complete(&class);
    if name == hooks::HANDLES.as_bytes() {
        agent.looks.handles.store(is_complete, Ordering::Release);
    }
    match index {
        // Without handles, classes count as looked at as a whole.
        Some(index) if is_complete || name == hooks::HANDLES.as_bytes() => {
            agent.watched.fetch_or(1 << index, Ordering::AcqRel);
        }
        None if !is_complete => {
            let name = String::from_utf8_lossy(name).replace('/', ".");
            agent.distrust(format!("{name} does not show what it is asked for"));
        }
        _ => {}
    }
    Some(patched)
}
