//! References of a class that dependencies are built from.

use crate::agent::Agent;
use crate::classes::Loaded;
use tamis_classfile::{ClassFile, Result, access};
use tamis_code::references::{self, Invoke, Kind, ReflectionKind};
use tamis_fingerprint::signature;
use tamis_frameworks::inspects_subclasses;
use tamis_inputs::CLASS_PATH;

/// Whether a method with this descriptor deals with members that somebody else has found: proxies, for
/// example, call those that handle their calls.
fn is_given_members(descriptor: &[u8]) -> bool {
    const PACKAGE: &[u8] = b"Ljava/lang/reflect/";
    descriptor
        .windows(PACKAGE.len())
        .any(|window| window == PACKAGE)
}

/// Notes in `loaded` what a class refers to.
pub(super) fn collect_references<'a>(
    agent: &Agent,
    class: &ClassFile<'a>,
    loaded: &mut Loaded<'a>,
) -> Result<()> {
    // In a JVM that a test started a framework uses reflection on behalf of that test.
    let is_framework = agent.archives.has(loaded.name)
        && tamis_frameworks::inspects_tests_alone(loaded.name)
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
            let mut reflection = Vec::new();
            reflection.extend(
                is_given_members(class.pool.utf8(method.descriptor)?)
                    .then_some(ReflectionKind::Members),
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
                    Kind::Call { name, invoke, .. } => {
                        if !is_framework && references::uses_any_static(owner, name) {
                            loaded.any_static.push(index);
                        }
                        loaded.gives_handles |=
                            !is_framework && owner == b"java/lang/invoke/MethodHandleProxies";
                        reflection.extend(references::reflection_kinds(owner, name));
                        // By hand, and not for a lambda.
                        let makes = invoke == Invoke::Static
                            && owner == b"java/lang/invoke/LambdaMetafactory";
                        reflection.extend(makes.then_some(ReflectionKind::MembersLater));
                    }
                    Kind::Handle { name } => {
                        reflection.extend(references::reflection_through_handle(owner, name))
                    }
                    Kind::Text => {
                        reflection.extend(
                            (owner == CLASS_PATH.as_bytes()).then_some(ReflectionKind::ClassPath),
                        );
                        return;
                    }
                    Kind::Type | Kind::New | Kind::Literal | Kind::Check | Kind::Field { .. } => {}
                }
                if !of_interest(owner) {
                    return;
                }
                match kind {
                    Kind::Type | Kind::New | Kind::Literal => loaded.types.push((index, owner)),
                    Kind::Check => loaded.checks.push((index, owner)),
                    Kind::Call {
                        name,
                        descriptor,
                        invoke: Invoke::Static,
                    } => {
                        loaded
                            .static_calls
                            .push((index, owner, signature(name, descriptor)));
                    }
                    // A call leaves its trace in the method that it reaches, and its object in the
                    // constructor.
                    Kind::Call { .. } => loaded.calls.push((index, owner)),
                    Kind::Handle { .. } | Kind::Field { .. } | Kind::Text => {}
                }
            })?;
            if !is_framework {
                let reflection = reflection.into_iter().map(|kind| (index, kind));
                loaded.reflection.extend(reflection);
            }
        }
    }
    // A framework looks for a method of these that takes an annotation.
    let mut supertypes = class.interface_names().filter_map(Result::ok);
    if !is_framework
        && (class.super_name()?.is_some_and(inspects_subclasses)
            || supertypes.any(inspects_subclasses))
    {
        let constructors = loaded.constructors.iter();
        loaded
            .reflection
            .extend(constructors.map(|constructor| (*constructor, ReflectionKind::Members)));
    }
    Ok(())
}
