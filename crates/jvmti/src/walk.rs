//! One walk over all objects of the JVM: to which of the known ones others lead.

use crate::env::{Jvmti, JvmtiError, checked};
use crate::heap::{Heap, Tag};
use crate::raw::{self, HeapCallbacks, JObject, JvmtiEnvPtr, jvmti_slot};
use crate::{Jni, Object};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// References from classes that a walk does not follow: the tag of the class, that of the object that a static
/// field of it refers to, and how many of its fields do.
pub type Without = HashMap<(i64, i64), u32>;

/// The objects with tags that a walk came to.
#[derive(Debug, Default)]
pub struct Reached {
    objects: Marks,
    classes: Marks,
}

impl Reached {
    /// Whether it came to the object with this tag.
    pub fn has(&self, tag: i64) -> bool {
        match Tag::is_of_class(tag) {
            true => self.classes.has(Tag::number(tag)),
            false => usize::try_from(tag).is_ok_and(|number| self.objects.has(number)),
        }
    }

    fn add(&mut self, tag: i64) {
        if Tag::is_of_class(tag) {
            self.classes.add(Tag::number(tag));
        } else if let Ok(number) = usize::try_from(tag) {
            self.objects.add(number);
        }
    }
}

/// A set of numbers.
#[derive(Debug, Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn has(&self, number: usize) -> bool {
        let word = self.0.get(number / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 != 0)
    }

    /// Numbers for which there is no room are left out.
    fn add(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    fn room_for(numbers: usize) -> Marks {
        Marks(vec![0; numbers / 64 + 1])
    }
}

/// What a walk knows and finds.
struct Walk {
    without: Without,
    reached: Reached,
}

const STATIC_FIELD: c_int = 8;
/// Only objects with tags are told; the others are followed all the same.
const FILTER_UNTAGGED: c_int = 8;
const FOLLOW: c_int = 0x100;

impl Jvmti {
    /// Walks over all objects that the JVM can reach, without some references of classes. It stops all
    /// threads. References that the current thread holds in JNI count, too.
    pub fn walk(&self, heap: &Heap, classes: u32, without: Without) -> Result<Reached, JvmtiError> {
        type F = unsafe extern "C" fn(
            JvmtiEnvPtr,
            c_int,
            JObject,
            JObject,
            *const HeapCallbacks,
            *const c_void,
        ) -> c_int;
        let mut walk = Walk {
            without,
            reached: Reached {
                objects: Marks::room_for(heap.tags()),
                classes: Marks::room_for(classes as usize),
            },
        };
        let callbacks = HeapCallbacks {
            heap_reference: Some(reference),
            ..HeapCallbacks::default()
        };
        // SAFETY: `env` is live; null stands for all classes and for the roots of the VM. The VM calls
        // `reference` alone, with the `walk` that is given, until it returns.
        let code = unsafe {
            let follow: F = raw::function(self.env, jvmti_slot::FOLLOW_REFERENCES);
            let walk: *mut Walk = &mut walk;
            follow(
                self.env,
                FILTER_UNTAGGED,
                null_mut(),
                null_mut(),
                &callbacks,
                walk.cast(),
            )
        };
        checked("FollowReferences", code)?;
        Ok(walk.reached)
    }
}

impl Jvmti {
    /// The objects that have these tags, with them.
    pub fn objects_with_tags<'f>(
        &self,
        jni: Jni<'f>,
        tags: &[i64],
    ) -> Result<Vec<(i64, Object<'f>)>, JvmtiError> {
        type F = unsafe extern "C" fn(
            JvmtiEnvPtr,
            c_int,
            *const i64,
            *mut c_int,
            *mut *mut JObject,
            *mut *mut i64,
        ) -> c_int;
        let wanted = c_int::try_from(tags.len()).unwrap_or_default();
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let (mut count, mut objects, mut theirs) = (0, null_mut(), null_mut());
        // SAFETY: `env` is live; the VM reads so many tags as there are, and writes two arrays of `count`
        // elements, the first of local references of the current frame; they are copied before their
        // memory is given back.
        unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_OBJECTS_WITH_TAGS);
            let code = get(
                self.env,
                wanted,
                tags.as_ptr(),
                &mut count,
                &mut objects,
                &mut theirs,
            );
            checked("GetObjectsWithTags", code)?;
            if objects.is_null() || theirs.is_null() {
                return Ok(Vec::new());
            }
            let count = count.max(0) as usize;
            let found = std::slice::from_raw_parts(theirs, count).iter().copied();
            let found = found.zip(std::slice::from_raw_parts(objects, count));
            let found = found.filter_map(|(tag, object)| Some((tag, jni.object(*object)?)));
            let found = found.collect();
            self.deallocate(objects.cast());
            self.deallocate(theirs.cast());
            Ok(found)
        }
    }
}

/// Something refers to an object that has a tag.
unsafe extern "C" fn reference(
    kind: c_int,
    _info: *const c_void,
    _class_tag: i64,
    _referrer_class_tag: i64,
    _size: i64,
    tag: *mut i64,
    referrer_tag: *mut i64,
    _length: c_int,
    walk: *mut c_void,
) -> c_int {
    // SAFETY: the VM hands over the walk that it was given, and nobody else uses it meanwhile; the pointers
    // to tags are null or valid during this call. Nothing here can panic or call the VM.
    unsafe {
        let Some(walk) = walk.cast::<Walk>().as_mut() else {
            return FOLLOW;
        };
        let tag = tag.as_ref().copied().unwrap_or_default();
        let referrer = referrer_tag.as_ref().copied().unwrap_or_default();
        if kind == STATIC_FIELD
            && let Some(left @ 1..) = walk.without.get_mut(&(referrer, tag))
        {
            *left -= 1;
            return 0;
        }
        walk.reached.add(tag);
    }
    FOLLOW
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::Kind;

    #[test]
    fn objects_and_classes_are_told_apart() {
        let mut reached = Reached {
            objects: Marks::room_for(100),
            classes: Marks::room_for(10),
        };
        let class = Tag::of_class(Kind::Opaque, 7).raw();
        for tag in [1, 64, 100, class] {
            assert!(!reached.has(tag), "{tag}");
            reached.add(tag);
            assert!(reached.has(tag), "{tag}");
        }
        for tag in [0, 7, 63, 65, -1, 1_000_000] {
            assert!(!reached.has(tag), "{tag}");
        }
        reached.add(1_000_000);
        reached.add(-1);
    }
}
