//! Declarations of the JDK types that recorded classes extend or implement. These types have no probes and
//! no fingerprints, so nothing else says which methods a class can inherit from them.
//!
//! What cannot be found out is not recorded: such a type may declare anything.

use crate::agent::Agent;
use std::collections::HashSet;
use std::ffi::CString;
use tamis_classfile::decode_mutf8;
use tamis_fingerprint::{Fingerprint, signature};
use tamis_jvmti::raw::CLASS_NOT_PREPARED;
use tamis_jvmti::{Global, Jni, Jvmti, Object};
use tamis_recording::Record;

/// The types that have been asked for.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// Those that need not be asked for again: recorded, or not to be found.
    settled: HashSet<Vec<u8>>,
    /// Those that were not linked yet, and so no class that extends them.
    unlinked: HashSet<Vec<u8>>,
}

impl Outside {
    /// Leaves in `names`, once each, what must be asked for; what was not linked is among it.
    pub(crate) fn narrow(&mut self, names: &mut Vec<Vec<u8>>) {
        names.retain(|name| !self.settled.contains(name));
        names.extend(self.unlinked.drain());
        names.sort_unstable();
        names.dedup();
    }
}

/// Whether the JDK may have a type of this name though the agent saw one being loaded: libraries
/// bring copies of these along.
pub(crate) fn has_copies(name: &[u8]) -> bool {
    let prefixes: [&[u8]; 8] = [
        b"com/sun/",
        b"javax/",
        b"jdk/",
        b"org/ietf/",
        b"org/omg/",
        b"org/w3c/",
        b"org/xml/",
        b"sun/",
    ];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Adds the names of the direct supertypes that the encoded fingerprint `print` has.
pub(crate) fn add_supertypes(print: &[u8], names: &mut Vec<Vec<u8>>) {
    if let Some(print) = Fingerprint::decode(print) {
        let supertypes = print.super_class.into_iter().chain(print.interfaces);
        names.extend(supertypes.map(<[u8]>::to_vec));
    }
}

/// The records of the types called so (internal names) and of all their supertypes that have not
/// been recorded yet. Calls Java: the state must not be locked.
pub(crate) fn records(agent: &Agent, jni: &mut Jni<'_>, names: &[Vec<u8>]) -> Vec<Record> {
    let mut records = Vec::new();
    for name in names {
        jni.frame(|jni| {
            if let Some(class) = load(agent, jni, name) {
                record(agent, jni, class, &mut records);
            } else {
                agent.state().outside.settled.insert(name.clone());
            }
        });
    }
    records
}

/// The class of this name, which is loaded and not initialized by it. Only the JDK's own loaders are
/// asked, so that no code of the program runs.
fn load<'f>(agent: &Agent, jni: &Jni<'f>, name: &[u8]) -> Option<Object<'f>> {
    let loader = agent.facts.get()?.platform_loader.as_ref()?;
    let dotted = name
        .iter()
        .map(|&byte| if byte == b'/' { b'.' } else { byte });
    let dotted = CString::new(dotted.collect::<Vec<u8>>()).ok()?;
    let dotted = jni.string(&dotted).ok()?;
    let signature = c"(Ljava/lang/String;)Ljava/lang/Class;";
    // SAFETY: takes a string and returns a class.
    unsafe { jni.call_object(loader.object(), c"loadClass", signature, &[dotted]) }.ok()?
}

/// Records a class and its supertypes. `None` says that this one is not recorded.
fn record(
    agent: &Agent,
    jni: &mut Jni<'_>,
    class: Object<'_>,
    records: &mut Vec<Record>,
) -> Option<()> {
    let facts = agent.facts.get()?;
    let jvmti = &facts.jvmti;
    let name = internal_name(jvmti, class)?;
    if agent.state().outside.settled.contains(&name) {
        return None;
    }
    let methods = jvmti.methods(class);
    if methods
        .as_ref()
        .is_err_and(|e| e.code == CLASS_NOT_PREPARED)
    {
        agent.state().outside.unlinked.insert(name);
        return None;
    }
    agent.state().outside.settled.insert(name.clone());
    // The platform loader also finds classes of modules that other loaders define: those have
    // fingerprints.
    let loader = jvmti.loader(jni, class).ok()?;
    let platform = facts.platform_loader.as_ref().map(Global::object);
    if loader.is_some() && !jni.same(loader, platform) {
        return None;
    }
    let mut methods: Vec<u64> = methods
        .ok()?
        .iter()
        .map(|method| signature(&method.name, &method.descriptor))
        .collect();
    methods.sort_unstable();
    methods.dedup();
    let mut above = jvmti.interfaces(jni, class).ok()?;
    // SAFETY: the class comes from a loader or is a supertype of such a one.
    above.extend(unsafe { jni.superclass(class) }.ok()?);
    let supertypes = above
        .iter()
        .map(|&class| decode_mutf8(&internal_name(jvmti, class)?));
    records.push(Record::Outside {
        name: decode_mutf8(&name)?,
        supertypes: supertypes.collect::<Option<_>>()?,
        methods,
    });
    for class in above {
        jni.frame(|jni| record(agent, jni, class, records));
    }
    Some(())
}

fn internal_name(jvmti: &Jvmti, class: Object<'_>) -> Option<Vec<u8>> {
    let signature = jvmti.signature(class).ok()?;
    Some(signature.strip_prefix(b"L")?.strip_suffix(b";")?.to_vec())
}
