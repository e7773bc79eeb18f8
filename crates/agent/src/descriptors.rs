//! What the agent asks the descriptors of the JUnit Platform.

use crate::junit4::string;
use std::ffi::CStr;
use tamis_jvmti::{Jni, Object, Thrown};

const CLASS_SOURCE: &str = "org.junit.platform.engine.support.descriptor.ClassSource";

/// What a method without parameters that returns an `Optional` holds.
pub(crate) fn optional<'f>(jni: Jni<'f>, object: Object<'_>, method: &CStr) -> Option<Object<'f>> {
    // SAFETY: all three take nothing; the first returns an `Optional`, the last an object.
    unsafe {
        let optional = jni
            .call_object(object, method, c"()Ljava/util/Optional;", &[])
            .ok()??;
        if !jni.call_boolean(optional, c"isPresent", c"()Z", &[]).ok()? {
            return None;
        }
        jni.call_object(optional, c"get", c"()Ljava/lang/Object;", &[])
            .ok()?
    }
}

/// Whether a descriptor may have children. Most have none: they are single tests, and for those
/// nothing more is asked.
pub(crate) fn is_container(jni: Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    // SAFETY: takes nothing and returns a boolean.
    unsafe {
        jni.call_boolean(descriptor, c"isContainer", c"()Z", &[])
            .ok()
    }
}

/// [`class_of`], without a look at single tests.
pub(crate) fn class_of_container(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    if is_container(jni, descriptor)? {
        class_of(jni, descriptor)
    } else {
        None
    }
}

/// The test class that a descriptor stands for. Nested classes are parts of the class around them,
/// whatever their names: a class inherits those of its superclass.
pub(crate) fn class_of(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    jni.frame(|jni| {
        let class = any_class_of(jni, descriptor)?;
        (!is_nested(&unique_id(jni, descriptor)?)).then_some(class)
    })
}

/// The nested class that a descriptor stands for.
pub(crate) fn nested_class_of(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    jni.frame(|jni| {
        let class = any_class_of(jni, descriptor)?;
        is_nested(&unique_id(jni, descriptor)?).then_some(class)
    })
}

fn any_class_of(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    let source = optional(jni, descriptor, c"getSource")?;
    let kind = string(jni, jni.class_of(source).ok()?, c"getName")?;
    if kind == CLASS_SOURCE {
        string(jni, source, c"getClassName")
    } else {
        None
    }
}

/// The classes that the descriptors around this one stand for, outermost first.
pub(crate) fn classes_around(jni: Jni<'_>, descriptor: Object<'_>) -> Vec<String> {
    jni.frame(|jni| {
        let mut names = Vec::new();
        let mut parent = optional(jni, descriptor, c"getParent");
        while let Some(this) = parent {
            names.extend(class_of(jni, this));
            parent = optional(jni, this, c"getParent");
        }
        names.reverse();
        names
    })
}

pub(crate) fn unique_id(jni: Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    // SAFETY: takes nothing and returns a unique id.
    let id = unsafe {
        let signature = c"()Lorg/junit/platform/engine/UniqueId;";
        jni.call_object(descriptor, c"getUniqueId", signature, &[])
            .ok()??
    };
    string(jni, id, c"toString")
}

/// The last part of a unique id: `[class:a.B]`.
fn last(unique_id: &str) -> &str {
    unique_id
        .rsplit_once('/')
        .map_or(unique_id, |(_, last)| last)
}

/// Whether this is the unique id of a suite, which runs other test classes.
pub(crate) fn is_suite(unique_id: &str) -> bool {
    last(unique_id).starts_with("[suite:")
}

/// Whether this is the unique id of an engine.
pub(crate) fn is_engine(unique_id: &str) -> bool {
    last(unique_id).starts_with("[engine:")
}

fn is_nested(unique_id: &str) -> bool {
    last(unique_id).starts_with("[nested-class")
}

/// The unique ids of the suites that a descriptor is in.
pub(crate) fn suites_around(unique_id: &str) -> impl Iterator<Item = &str> {
    let ends = unique_id.match_indices("]/").map(|(at, _)| at + 1);
    ends.filter_map(|end| unique_id.get(..end))
        .filter(|id| is_suite(id))
}

/// Visits the elements of a collection.
pub(crate) fn each(
    jni: Jni<'_>,
    collection: Object<'_>,
    mut visit: impl FnMut(Jni<'_>, Object<'_>) -> Result<(), Thrown>,
) -> Result<(), Thrown> {
    // SAFETY: a collection has an iterator, and that has these two methods.
    unsafe {
        let iterator = jni.call_object(collection, c"iterator", c"()Ljava/util/Iterator;", &[])?;
        let iterator = iterator.ok_or(Thrown)?;
        while jni.call_boolean(iterator, c"hasNext", c"()Z", &[])? {
            jni.frame(|jni| {
                let next = jni.call_object(iterator, c"next", c"()Ljava/lang/Object;", &[])?;
                visit(jni, next.ok_or(Thrown)?)
            })?;
        }
    }
    Ok(())
}

pub(crate) fn has_no_children(jni: Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    jni.frame(|jni| {
        // SAFETY: takes nothing and returns a set, which has `isEmpty`.
        unsafe {
            let children = jni
                .call_object(descriptor, c"getChildren", c"()Ljava/util/Set;", &[])
                .ok()??;
            jni.call_boolean(children, c"isEmpty", c"()Z", &[]).ok()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unique_id_tells_its_kind_and_the_suites_around_it() {
        let suite = "[engine:junit-platform-suite]/[suite:All]";
        let test = format!("{suite}/[engine:junit-jupiter]/[class:a.B]/[nested-class:C]");
        assert!(is_suite(suite) && !is_suite(&test));
        assert!(is_engine("[engine:junit-jupiter]") && !is_engine(suite));
        assert!(is_nested(&test) && !is_nested(suite));
        assert_eq!(suites_around(&test).collect::<Vec<_>>(), [suite]);
        assert_eq!(suites_around(suite).count(), 0);
    }
}
