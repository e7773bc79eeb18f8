//! A class is about to be defined: its checksums, its references, its probes.

use crate::agent::Agent;
use crate::classes::Loaded;
use crate::{locations, probes};
use std::sync::atomic::Ordering;
use tamis_classfile::{ClassFile, Result};
use tamis_instrument::references::{self, Kind};
use tamis_instrument::runtime::FILTER;
use tamis_instrument::{hooks, probes as sites};
use tamis_jvmti::{Jni, Object};

/// What the JVM tells of a class.
pub(crate) struct Load<'a> {
    pub(crate) redefined: bool,
    pub(crate) loader: Option<Object<'a>>,
    pub(crate) name: Option<&'a [u8]>,
    pub(crate) protection_domain: Option<Object<'a>>,
    pub(crate) bytes: &'a [u8],
}

/// Names of classes that the JDK makes at run time: they change only when what they are made from
/// changes, and that has its own probes.
fn is_made_by_the_jdk(name: &[u8]) -> bool {
    [
        b"jdk/internal/".as_slice(),
        b"sun/reflect/",
        b"jdk/proxy",
        b"com/sun/proxy/",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
        || name
            .windows(9)
            .any(|w| w == b"$$Lambda/" || w == b"$$Lambda$")
}

/// Names of classes that the system loader may take from the JDK's own modules: compilers, tools.
fn may_be_the_jdk(name: &[u8]) -> bool {
    [b"com/sun/".as_slice(), b"jdk/", b"sun/"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// Whether the class comes from the JDK's image: then the runtime's version stands for it.
fn is_from_the_jdk(agent: &Agent, jni: Jni<'_>, load: &Load<'_>) -> bool {
    let id = agent.state().locations.id(jni, load.protection_domain);
    locations::resolve(agent, jni, &[id]);
    agent.state().locations.is_jdk(id)
}

/// The new bytes of a class, if it gets probes.
pub(crate) fn class(agent: &Agent, jni: Jni<'_>, load: &Load<'_>) -> Option<Vec<u8>> {
    let facts = agent.facts.get()?;
    if facts
        .platform_loader
        .as_ref()
        .is_some_and(|p| jni.same(Some(p.object()), load.loader))
    {
        return None;
    }
    let raw = tamis_fingerprint::raw(load.bytes).0;
    if !agent.awake.load(Ordering::Acquire) {
        if !load.name.is_some_and(hooks::is_sign_of_tests) {
            remember(agent, jni, load, raw);
            return None;
        }
        agent.awake.store(true, Ordering::Release);
    }
    if load
        .name
        .is_some_and(|n| is_made_by_the_jdk(n) || n == FILTER.as_bytes())
    {
        return None;
    }
    if load.name.is_some_and(may_be_the_jdk) && is_from_the_jdk(agent, jni, load) {
        return None;
    }
    if load.name.is_some_and(hooks::is_surefire) {
        agent.surefire.store(true, Ordering::Release);
    }
    if load.name.is_some_and(hooks::is_platform_launcher) {
        agent.platform.store(true, Ordering::Release);
    }
    let patched = instrument(agent, jni, load, raw);
    match patched {
        Ok(bytes) => bytes,
        Err(error) => {
            let name = String::from_utf8_lossy(load.name.unwrap_or(b"a class")).replace('/', ".");
            agent.distrust(format!("{name} could not be instrumented: {error}"));
            remember(agent, jni, load, raw);
            None
        }
    }
}

/// Keeps a class that has no probes: every unit depends on its bytes.
fn remember(agent: &Agent, jni: Jni<'_>, load: &Load<'_>, raw: u128) {
    let mut state = agent.state();
    let location = state.locations.id(jni, load.protection_domain);
    let name = load.name.unwrap_or_default();
    state.classes.add(
        &Loaded {
            name,
            raw,
            location,
            ..Loaded::default()
        },
        0,
    );
}

fn instrument(agent: &Agent, jni: Jni<'_>, load: &Load<'_>, raw: u128) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(load.bytes)?;
    let methods = class.methods().len() as u16;
    let mut loaded = Loaded {
        name: class.name()?,
        raw,
        smart: Some(tamis_fingerprint::class_digest(&class)?.0),
        ..Loaded::default()
    };
    collect_references(&class, &mut loaded)?;
    if load.redefined
        && let Some(site) = agent.state().classes.probes_of(loaded.name, raw)
    {
        // Another agent has it transformed again: the same class with the same probes.
        return Ok(Some(sites::insert(&class, site)?.bytes));
    }
    let patched = probes::reserve(agent, jni, methods)
        .map(|site| sites::insert(&class, site).map(|patched| (site, patched)))
        .and_then(std::result::Result::ok);
    let mut state = agent.state();
    if load.redefined
        && let Some(first) = state.classes.find(loaded.name)
    {
        // Another agent replaces its code: it is still the class that was on disk.
        (loaded.raw, loaded.smart) = (first.raw, first.smart);
    }
    loaded.location = state.locations.id(jni, load.protection_domain);
    if let Some((site, patched)) = &patched {
        let first = u32::from(site.first);
        state
            .segments
            .grow(site.segment, first + u32::from(methods));
        loaded.first_probe = Some(probes::number(site.segment, first));
        loaded.unprobed = patched.unprobed;
    }
    state.classes.add(&loaded, methods);
    Ok(patched.map(|(_, patched)| patched.bytes))
}

fn collect_references<'a>(class: &ClassFile<'a>, loaded: &mut Loaded<'a>) -> Result<()> {
    let of_interest = |name: &[u8]| !name.starts_with(b"java/") && name != loaded.name;
    references::structural(class, &mut |name| {
        if of_interest(name) {
            loaded.structural.push(name);
        }
    })?;
    for (index, method) in class.methods().enumerate() {
        if let Some(code) = class.code(&method?)? {
            references::of_code(class, &code, &mut |name, kind| {
                // A call leaves its trace in the method that it reaches.
                if matches!(kind, Kind::Type) && of_interest(name) {
                    loaded.types.push((index as u16, name));
                }
            })?;
        }
    }
    Ok(())
}
