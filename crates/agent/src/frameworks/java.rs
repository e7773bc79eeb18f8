//! Calls to Java methods of framework objects.

use std::ffi::CStr;
use tamis_classfile::decode_mutf8;
use tamis_jvmti::{Jni, Object, Thrown};

/// Calls a method without parameters that returns a string.
pub(super) fn string(jni: &Jni<'_>, object: Object<'_>, method: &CStr) -> Option<String> {
    // SAFETY: takes nothing and returns a string or null.
    unsafe {
        let text = jni
            .call_object(object, method, c"()Ljava/lang/String;", &[])
            .ok()??;
        decode_mutf8(&jni.text(text).ok()?)
    }
}

/// Calls a method without parameters that returns an `Optional`, and unwraps it.
pub(super) fn optional<'f>(jni: &Jni<'f>, object: Object<'_>, method: &CStr) -> Option<Object<'f>> {
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

/// Visits the elements of a collection.
pub(super) fn each(
    jni: &mut Jni<'_>,
    collection: Object<'_>,
    mut visit: impl FnMut(&mut Jni<'_>, Object<'_>) -> Result<(), Thrown>,
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

/// The first answer about the class of an object or one of its superclasses; no if there is none.
pub(super) fn has_superclass(
    jni: &Jni<'_>,
    object: Object<'_>,
    answer: impl Fn(&str) -> Option<bool>,
) -> bool {
    let mut class = jni.class_of(object).ok();
    while let Some(this) = class {
        let Some(name) = string(jni, this, c"getName") else {
            return false;
        };
        if let Some(answer) = answer(&name) {
            return answer;
        }
        // SAFETY: takes nothing and returns a class or null.
        class = unsafe {
            jni.call_object(this, c"getSuperclass", c"()Ljava/lang/Class;", &[])
                .ok()
                .flatten()
        };
    }
    false
}
