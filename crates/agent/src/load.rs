//! Handles a class that is about to be defined: its checksums, its references, its probes.

mod made;
mod references;
mod statics;

use crate::agent::Agent;
use crate::classes::Loaded;
use crate::config::Mode;
use crate::{frameworks, locations, probes, sharing};
use made::is_made_by_the_jdk;
use references::collect_references;
use statics::{declare_early, declare_statics, forget_libraries};
use std::sync::atomic::Ordering;
use tamis_classfile::{ClassFile, Member, Result};
use tamis_code::blocks::{Blocks, encode_all};
use tamis_instrument::blocks;
use tamis_instrument::probes::Probes;
use tamis_instrument::runtime::is_ours;
use tamis_instrument::{hooks, probes as sites};
use tamis_jvmti::{Jni, Object};

/// The class that the JVM is about to define.
pub(crate) struct Load<'a> {
    pub(crate) redefined: bool,
    pub(crate) loader: Option<Object<'a>>,
    pub(crate) name: Option<&'a [u8]>,
    pub(crate) protection_domain: Option<Object<'a>>,
    pub(crate) bytes: &'a [u8],
}

/// Names of classes that the system loader may take from the JDK's own modules: compilers, tools.
fn may_be_the_jdk(name: &[u8]) -> bool {
    [b"com/sun/".as_slice(), b"jdk/", b"sun/"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// Whether the class comes from the JDK's image: then the runtime's version stands for it.
fn is_from_the_jdk(agent: &Agent, jni: &mut Jni<'_>, load: &Load<'_>) -> bool {
    let id = agent
        .state()
        .locations
        .id(jni, load.protection_domain, true);
    locations::resolve(agent, jni, &[id]);
    agent.state().locations.is_jdk(id)
}

/// The new bytes of a class, if it gets probes.
pub(crate) fn class(agent: &Agent, jni: &mut Jni<'_>, load: &Load<'_>) -> Option<Vec<u8>> {
    let facts = agent.facts.get()?;
    if facts
        .platform_loader
        .as_ref()
        .is_some_and(|p| jni.same(Some(p.object()), load.loader))
    {
        return None;
    }
    let raw = tamis_fingerprint::raw(load.bytes).0;
    if agent.config.records {
        frameworks::note(agent, jni, load);
    }
    if !agent.awake.load(Ordering::Acquire) {
        let asks = agent.config.mode == Mode::Select;
        let is_sign = |name: &[u8]| {
            tamis_frameworks::is_sign_of_tests(name)
                || (asks && tamis_frameworks::is_sign_of_unrecorded_tests(name))
        };
        if !load.name.is_some_and(is_sign) {
            if agent.config.records {
                remember(agent, jni, load, raw);
            }
            return None;
        }
        agent.awake.store(true, Ordering::Release);
        if agent.config.records {
            forget_libraries(agent, jni);
            sharing::statics::watch(agent, facts.jvmti, jni);
        }
    }
    if is_made_by_the_jdk(load) || load.name.is_some_and(is_ours) {
        return None;
    }
    if load.name.is_some_and(may_be_the_jdk) && is_from_the_jdk(agent, jni, load) {
        return None;
    }
    load.name.into_iter().for_each(frameworks::loaded);
    if !agent.config.records {
        // A framework's class that cannot be entered makes tests run, and run unseen.
        let class = ClassFile::parse(load.bytes).ok()?;
        return sites::insert_hooks(&class).ok()?;
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

/// Keeps a class that has no probes: every unit depends on its bytes and on what it refers to.
fn remember(agent: &Agent, jni: &Jni<'_>, load: &Load<'_>, raw: u128) {
    let mut loaded = Loaded {
        name: load.name.unwrap_or_default(),
        raw,
        ..Loaded::default()
    };
    let awake = agent.awake.load(Ordering::Acquire);
    let read = ClassFile::parse(load.bytes).and_then(|class| {
        collect_references(agent, &class, &mut loaded)?;
        match awake {
            true => Ok(()),
            false => declare_early(agent, &class, &mut loaded),
        }
    });
    if let Err(error) = read {
        let name = String::from_utf8_lossy(loaded.name).replace('/', ".");
        agent.distrust(format!("{name} cannot be read: {error}"));
    }
    let mut state = agent.state();
    loaded.location = state.locations.id(jni, load.protection_domain, awake);
    state.classes.add(&loaded, 0);
}

fn instrument(
    agent: &Agent,
    jni: &mut Jni<'_>,
    load: &Load<'_>,
    raw: u128,
) -> Result<Option<Vec<u8>>> {
    let class = ClassFile::parse(load.bytes)?;
    if let Some(method) = hooks::missing(&class).first() {
        agent.distrust(format!(
            "tamis does not find {method}, which tells what tests do; use another version of that library, or a newer tamis"
        ));
    }
    let methods = class.methods().len() as u16;
    let print = tamis_fingerprint::Fingerprint::of(&class)?;
    let mut loaded = Loaded {
        name: class.name()?,
        raw,
        code: raw,
        smart: Some(print.class().0),
        print: print.encode(),
        ..Loaded::default()
    };
    collect_references(agent, &class, &mut loaded)?;
    declare_statics(agent, jni, load, &class, &mut loaded)?;
    let receivers = agent.config.receivers;
    if load.redefined
        && let Some(site) = agent.state().classes.probes_of(loaded.name, raw)
    {
        // Another agent has it transformed again: the same class with the same probes.
        return Ok(match site.blocks {
            true => blocks::insert(&class, receivers, |_| Some(site.probes))?
                .map(|patched| patched.bytes),
            false => Some(sites::insert(&class, site.probes, receivers)?.bytes),
        });
    }
    let patched = match agent.config.blocks {
        true => in_blocks(agent, jni, &class),
        false => None,
    };
    let patched = patched.or_else(|| at_entries(agent, jni, &class));
    let mut state = agent.state();
    if load.redefined
        && let Some(first) = state.classes.find(loaded.name)
    {
        // Another agent replaces its code: it is still the class that was on disk. Its print has
        // been written, or is written with the first one.
        (loaded.raw, loaded.smart) = (first.raw, first.smart);
        loaded.print = first.print.clone();
        loaded.mixed = true;
    }
    loaded.location = state.locations.id(jni, load.protection_domain, true);
    let Some(patched) = patched else {
        loaded.unprobed = true;
        state.classes.add(&loaded, methods);
        return Ok(None);
    };
    let Probes { segment, first } = patched.site;
    let end = u32::from(first) + u32::from(patched.probes);
    state.segments.grow(segment, end);
    loaded.first_probe = Some(probes::number(segment, first.into()));
    loaded.unprobed = patched.unprobed;
    loaded.counts = patched.counts;
    loaded.blocks = patched.blocks;
    state.classes.add(&loaded, methods);
    Ok(Some(patched.bytes))
}

/// A class with probes.
struct Patched {
    bytes: Vec<u8>,
    site: Probes,
    /// How many probes it has.
    probes: u16,
    unprobed: bool,
    /// As in [`Loaded`].
    counts: Vec<u16>,
    blocks: Vec<u8>,
}

/// One probe per method, at its entry.
fn at_entries(agent: &Agent, jni: &mut Jni<'_>, class: &ClassFile<'_>) -> Option<Patched> {
    let methods = class.methods().len() as u16;
    let site = probes::reserve(agent, jni, methods)?;
    let patched = sites::insert(class, site, agent.config.receivers).ok()?;
    Some(Patched {
        bytes: patched.bytes,
        site,
        probes: methods,
        unprobed: patched.unprobed,
        counts: Vec::new(),
        blocks: Vec::new(),
    })
}

/// One probe per basic block; `None` if that is not possible.
fn in_blocks(agent: &Agent, jni: &mut Jni<'_>, class: &ClassFile<'_>) -> Option<Patched> {
    let mut reserved = None;
    let patched = blocks::insert(class, agent.config.receivers, |count| {
        let site = probes::reserve(agent, jni, count)?;
        reserved = Some((site, count));
        Some(site)
    });
    let patched = patched.ok()??;
    let (site, probes) = reserved?;
    Some(Patched {
        blocks: flows(class, &patched.probes).ok()?,
        bytes: patched.bytes,
        site,
        probes,
        unprobed: patched.unprobed,
        counts: patched.probes,
    })
}

/// The basic blocks of all methods, encoded; nothing is known of those that do not have one probe per
/// block.
fn flows(class: &ClassFile<'_>, counts: &[u16]) -> Result<Vec<u8>> {
    let unknown = Blocks::unknown;
    let flows = tamis_fingerprint::constants(class, |constant| {
        let flow = |(method, count): (Result<Member<'_>>, &u16)| {
            let Some(code) = class.code(&method?)?.filter(|_| *count > 1) else {
                return Ok(unknown());
            };
            let hash = |bytes: &[u8]| tamis_fingerprint::raw(bytes).0;
            let flow = Blocks::of(&code, hash, &mut *constant).unwrap_or_else(|_| unknown());
            Ok(match flow.count() == usize::from(*count) {
                true => flow,
                false => unknown(),
            })
        };
        let flows = class.methods().zip(counts).map(flow);
        flows.collect::<Result<Vec<_>>>()
    })?;
    Ok(encode_all(&flows))
}
