//! Static fields of a class that are roots of shared state.

use super::Load;
use crate::agent::{Agent, State};
use crate::classes::Loaded;
use crate::locations;
use crate::sharing::statics::{Declared, is_opaque};
use std::collections::HashSet;
use tamis_classfile::{ClassFile, Result};
use tamis_code::references::{self, StaticUse};
use tamis_jvmti::Jni;

/// Tells which static fields can change of a class that is loaded before tests. What it does with them itself
/// is not followed: every unit would count as doing it.
pub(super) fn declare_early<'a>(
    agent: &Agent,
    class: &ClassFile<'a>,
    loaded: &mut Loaded<'a>,
) -> Result<()> {
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
pub(super) fn forget_libraries(agent: &Agent, jni: &mut Jni<'_>) {
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
pub(super) fn declare_statics<'a>(
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
    Ok(has_parent || is_opaque(class.name()?))
}

/// Whether the class comes from an archive that is not part of the project.
fn is_library(agent: &Agent, jni: &mut Jni<'_>, load: &Load<'_>) -> bool {
    let domain = load.protection_domain;
    let location = agent.state().locations.id(jni, domain, true);
    locations::resolve(agent, jni, &[location]);
    let project = &agent.config.project;
    agent.state().locations.is_library(location, project)
}
