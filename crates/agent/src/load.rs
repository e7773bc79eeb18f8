//! A class is about to be defined: its checksums, its references, its probes.

use crate::agent::{Agent, State};
use crate::classes::Loaded;
use crate::config::Mode;
use crate::sharing::statics::Declared;
use crate::{frameworks, locations, probes, sharing::statics};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use tamis_classfile::{ClassFile, Member, Result, access};
use tamis_fingerprint::signature;
use tamis_frameworks::looks_at_subclasses;
use tamis_inputs::CLASS_PATH;
use tamis_instrument::blocks::{self, Blocks};
use tamis_instrument::probes::Probes;
use tamis_instrument::references::{self, Kind, Look, StaticUse};
use tamis_instrument::runtime::is_ours;
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

/// Whether the JDK made the class at run time: such a class changes only when what it is made from
/// changes, and that has its own probes. Classes from files may have such names too, but they come
/// from somewhere.
fn is_made_by_the_jdk(load: &Load<'_>) -> bool {
    let Some(name) = load.name else { return false };
    let accessor_or_proxy = || {
        let made = [
            b"jdk/internal/".as_slice(),
            b"sun/reflect/",
            b"jdk/proxy",
            b"com/sun/proxy/",
        ];
        // A proxy of an interface that is not public stands in that interface's package.
        let simple = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
        made.iter().any(|prefix| name.starts_with(prefix)) || simple.starts_with(b"$Proxy")
    };
    (load.protection_domain.is_none() && accessor_or_proxy()) || is_lambda(name)
}

/// Whether the name is that of a lambda's class: `Foo$$Lambda/0x01`, `Foo$$Lambda$12/34`.
fn is_lambda(name: &[u8]) -> bool {
    const MARK: &[u8] = b"$$Lambda";
    let at = name.windows(MARK.len()).rposition(|window| window == MARK);
    let rest = at
        .and_then(|at| name.get(at + MARK.len()..))
        .and_then(<[u8]>::split_first);
    match rest {
        Some((b'/', _)) => true,
        Some((b'$', number)) => {
            let digits = number
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            digits > 0 && matches!(number.get(digits), None | Some(b'/'))
        }
        _ => false,
    }
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
            statics::watch(agent, facts.jvmti, jni);
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

/// Tells which static fields can change of a class that is loaded before tests. What it does with them itself
/// is not followed: every unit would count as doing it.
fn declare_early<'a>(agent: &Agent, class: &ClassFile<'a>, loaded: &mut Loaded<'a>) -> Result<()> {
    let name = class.name()?;
    loaded.static_uses.retain(|(_, used)| used.class != name);
    agent.statics.declare(&Declared {
        class: name,
        statics: references::changeable_statics(class)?,
        has_initializer: true,
        is_frozen: references::is_frozen(class)?,
        extends: extends(class)?,
        is_early: true,
        is_library: false,
    });
    Ok(())
}

/// Of classes that were loaded before tests, those of libraries do not count after all: where they come from
/// could not be asked for then.
fn forget_libraries(agent: &Agent, jni: &mut Jni<'_>) {
    let locations = agent.state().classes.locations();
    let ids: Vec<u32> = locations.iter().copied().collect();
    locations::resolve(agent, jni, &ids);
    let mut state = agent.state();
    let State {
        classes,
        locations: known,
        ..
    } = &mut *state;
    let is_library = |id: &u32| known.is_library(*id, &agent.config.project);
    let libraries: HashSet<u32> = locations.into_iter().filter(is_library).collect();
    for class in classes.forget_uses(&libraries) {
        agent.statics.forget(&class);
    }
}

/// Tells which static fields of a class can change. Libraries keep state too: of theirs those fields are
/// followed that others may set and that code of the project names.
fn declare_statics<'a>(
    agent: &Agent,
    jni: &mut Jni<'_>,
    load: &Load<'_>,
    class: &ClassFile<'a>,
    loaded: &mut Loaded<'a>,
) -> Result<()> {
    let mut statics = references::changeable_statics(class)?;
    let is_frozen = references::is_frozen(class)?;
    let mut extends = !is_frozen && extends(class)?;
    let is_concerned = extends
        || !statics.is_empty()
        || !loaded.any_static.is_empty()
        || loaded.gives_handles
        || !loaded.static_uses.is_empty();
    if is_concerned && is_library(agent, jni, load) {
        loaded.is_library = true;
        extends = false;
        statics.retain(|field| field.is_open);
        loaded.any_static.clear();
        loaded.gives_handles = false;
        // Most of what code uses is its own, and nobody else's.
        let is_open = |name: &[u8]| statics.iter().any(|field| field.name == name);
        loaded
            .static_uses
            .retain(|(_, used)| used.class != loaded.name || is_open(used.field));
    } else {
        let named = loaded.static_uses.iter().map(|(_, used)| used);
        agent.statics.named(named);
    }
    if class.super_name()? == Some(b"java/lang/Enum") && !is_frozen {
        // The JDK hands out the constants (`valueOf`, `EnumSet`): who executes a method of theirs has one.
        for (index, method) in (0..).zip(class.methods()) {
            if class.pool.utf8(method?.name)? != b"<clinit>" {
                let uses = statics.iter().map(|field| StaticUse {
                    class: loaded.name,
                    field: field.name,
                    writes: false,
                });
                loaded.static_uses.extend(uses.map(|used| (index, used)));
            }
        }
    }
    let mut methods = class.methods().filter_map(Result::ok);
    let has_initializer = methods.any(|method| class.pool.utf8(method.name) == Ok(b"<clinit>"));
    agent.statics.declare(&Declared {
        class: class.name()?,
        statics,
        has_initializer,
        is_frozen,
        extends,
        is_early: false,
        is_library: loaded.is_library,
    });
    Ok(())
}

/// Whether objects of a class might not be followed because of what it extends, or of its package.
fn extends(class: &ClassFile<'_>) -> Result<bool> {
    let parent = class.super_name()?;
    let has_parent = parent.is_some_and(|parent| parent != b"java/lang/Object");
    Ok(has_parent || statics::is_opaque(class.name()?))
}

/// Whether the class comes from an archive that is not part of the project.
fn is_library(agent: &Agent, jni: &mut Jni<'_>, load: &Load<'_>) -> bool {
    let domain = load.protection_domain;
    let location = agent.state().locations.id(jni, domain, true);
    locations::resolve(agent, jni, &[location]);
    let project = &agent.config.project;
    agent.state().locations.is_library(location, project)
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
    Ok(blocks::encode_all(&flows))
}

/// Whether a method with this descriptor deals with members that somebody else has found: proxies, for
/// example, call those that handle their calls.
fn is_given_members(descriptor: &[u8]) -> bool {
    const PACKAGE: &[u8] = b"Ljava/lang/reflect/";
    descriptor
        .windows(PACKAGE.len())
        .any(|window| window == PACKAGE)
}

fn collect_references<'a>(
    agent: &Agent,
    class: &ClassFile<'a>,
    loaded: &mut Loaded<'a>,
) -> Result<()> {
    // In a JVM that a test started a framework looks on behalf of that test.
    let is_framework = agent.archives.has(loaded.name)
        && tamis_frameworks::looks_at_tests_alone(loaded.name)
        && !agent.is_started_by_a_test();
    loaded.superclass = class.super_name()?.unwrap_or_default();
    let of_interest = |name: &[u8]| !name.starts_with(b"java/") && name != loaded.name;
    references::structural(class, &mut |name| {
        if of_interest(name) {
            loaded.structural.push(name);
        }
    })?;
    references::linked(class, &mut |name| {
        if of_interest(name) && !agent.archives.has(name) {
            loaded.linked.push(name);
        }
    })?;
    references::around(class, &mut |name| {
        if of_interest(name) {
            loaded.around.push(name);
        }
    })?;
    references::shown(class, &mut |name| {
        if of_interest(name) && !loaded.shown.contains(name) {
            loaded.shown.insert(name.to_vec());
        }
    })?;
    for (index, method) in class.methods().enumerate() {
        let (index, method) = (index as u16, method?);
        let name = class.pool.utf8(method.name)?;
        if method.access & access::STATIC != 0 {
            let of = class.pool.utf8(method.descriptor)?;
            loaded.statics.push(signature(name, of));
        }
        if name == b"<init>" {
            loaded.constructors.push(index);
        }
        if let Some(code) = class.code(&method)? {
            let mut looks = Vec::new();
            looks.extend(
                is_given_members(class.pool.utf8(method.descriptor)?).then_some(Look::Members),
            );
            let is_initializer = name == b"<clinit>";
            references::static_uses(class, &code, &mut |used| {
                // An initializer sets its own fields: that is how they start.
                if !(is_initializer && used.class == loaded.name) {
                    loaded.static_uses.push((index, used));
                }
            })?;
            references::of_code(class, &code, &mut |owner, kind| {
                match kind {
                    Kind::Call {
                        name, is_static, ..
                    } => {
                        if !is_framework && references::uses_any_static(owner, name) {
                            loaded.any_static.push(index);
                        }
                        loaded.gives_handles |=
                            !is_framework && owner == b"java/lang/invoke/MethodHandleProxies";
                        looks.extend(references::look(owner, name));
                        // By hand, and not for a lambda.
                        let makes = is_static && owner == b"java/lang/invoke/LambdaMetafactory";
                        looks.extend(makes.then_some(Look::Later));
                    }
                    Kind::Handle { name } => looks.extend(references::look_later(owner, name)),
                    Kind::Text => {
                        looks.extend((owner == CLASS_PATH.as_bytes()).then_some(Look::ClassPath));
                        return;
                    }
                    Kind::Type | Kind::Check => {}
                }
                if !of_interest(owner) {
                    return;
                }
                match kind {
                    Kind::Type => loaded.types.push((index, owner)),
                    Kind::Check => loaded.checks.push((index, owner)),
                    Kind::Call {
                        name,
                        descriptor,
                        is_static: true,
                    } => {
                        loaded
                            .static_calls
                            .push((index, owner, signature(name, descriptor)));
                    }
                    // A call leaves its trace in the method that it reaches, and its object in the
                    // constructor.
                    Kind::Call { .. } => loaded.calls.push((index, owner)),
                    Kind::Handle { .. } | Kind::Text => {}
                }
            })?;
            if !is_framework {
                let looks = looks.into_iter().map(|look| (index, look));
                loaded.looking.extend(looks);
            }
        }
    }
    // A framework looks for a method of these that takes an annotation.
    let mut supertypes = class.interface_names().filter_map(Result::ok);
    if !is_framework
        && (class.super_name()?.is_some_and(looks_at_subclasses)
            || supertypes.any(looks_at_subclasses))
    {
        let constructors = loaded.constructors.iter();
        loaded
            .looking
            .extend(constructors.map(|constructor| (*constructor, Look::Members)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_lambda;

    #[test]
    fn a_lambda_is_known_by_its_number_or_address() {
        let check =
            |name: &str, expected| assert_eq!(is_lambda(name.as_bytes()), expected, "{name}");
        check("a/Foo$$Lambda$12", true);
        check("a/Foo$$Lambda$12/34", true);
        check("a/Foo$$Lambda/0x0001", true);
        check("a/Foo$$Lambda$Util", false);
        check("a/Foo$$Lambda", false);
        check("a/Foo$$Lambda$1x", false);
        check("a/Foo", false);
    }
}
