//! Classes of the JDK that say what they are asked for.

use crate::agent::Agent;
use std::ffi::CString;
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

/// The new bytes of a class of the boot loader, if it is one of them.
pub(crate) fn patch(agent: &Agent, name: Option<&[u8]>, bytes: &[u8]) -> Option<Vec<u8>> {
    let name = name.filter(|_| agent.config.records)?;
    let mut watched = hooks::OF_THE_JDK.into_iter().flatten();
    watched.find(|watched| watched.as_bytes() == name)?;
    let class = ClassFile::parse(bytes).ok()?;
    let patched = probes::insert_hooks(&class).ok()??;
    let is_complete = hooks::is_complete(&class);
    let seen = match name {
        _ if name == hooks::HANDLES.as_bytes() => &agent.looks.handles,
        _ if name == hooks::SYSTEM.as_bytes() => &agent.values,
        _ => &agent.resources,
    };
    seen.store(is_complete, Ordering::Release);
    Some(patched)
}
