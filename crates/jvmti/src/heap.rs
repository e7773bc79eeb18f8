//! What objects lead to: tags, static fields, and digests of everything that an object reaches.
//!
//! A tag is a number that the VM keeps for an object, by identity. Classes have tags that say how to
//! treat their objects; other objects get one when a digest first meets them, so that two digests are
//! equal only if the same objects refer to each other in the same way and hold the same values.

use crate::Object;
use crate::env::{Jvmti, JvmtiError, checked};
use crate::raw::{
    self, HeapCallbacks, JObject, JValue, JvmtiEnvPtr, REFERENCE_ARRAY_ELEMENT, REFERENCE_FIELD,
    VISIT_ABORT, VISIT_OBJECTS, jvmti_slot,
};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::hash::Hasher;
use std::ptr::null_mut;

/// How the objects of a class count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// By what they hold and lead to.
    Plain = 0,
    /// By their identity alone: what they hold does not change, or is not followed.
    Leaf = 1,
    /// By their text.
    Text = 2,
    /// By the one object that they refer to.
    Reference = 3,
    /// By the one value that they hold.
    Boxed = 4,
    /// By their identity alone, and so are those of classes that extend it.
    Opaque = 5,
    /// By what they hold for the current thread, and so are those of classes that extend it: more than
    /// a digest can tell.
    PerThread = 6,
}

/// The tag of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag(i64);

const KIND_SHIFT: u32 = 56;
const IS_CLASS: i64 = 1 << 55;
/// Tags of texts and values say what these are.
const IS_CONTENT: i64 = 1 << 54;

impl Tag {
    /// The tag of the class with this number.
    pub fn of_class(kind: Kind, number: u32) -> Tag {
        Tag((i64::from(kind as u8) << KIND_SHIFT) | IS_CLASS | i64::from(number))
    }

    /// How the objects of the class count that has this tag.
    pub fn kind(self) -> Kind {
        match (self.0 & IS_CLASS != 0, self.0 >> KIND_SHIFT) {
            (true, 1) => Kind::Leaf,
            (true, 2) => Kind::Text,
            (true, 3) => Kind::Reference,
            (true, 4) => Kind::Boxed,
            (true, 5) => Kind::Opaque,
            (true, 6) => Kind::PerThread,
            _ => Kind::Plain,
        }
    }
}

/// Gives out tags of objects and takes digests.
#[derive(Debug, Default)]
pub struct Heap {
    last: i64,
}

/// A digest in the making. What an edge leads to may be a text that is visited later, so numbers are kept
/// until the end.
struct Walk<'h> {
    heap: &'h mut Heap,
    numbers: Vec<i64>,
    /// What stands for texts and values that this walk met first: their final tags.
    contents: HashMap<i64, i64>,
    left: usize,
    is_cut: bool,
}

impl Heap {
    fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// A digest of everything that `object` leads to; `None` if that is more than `most` references, or
    /// depends on the thread.
    pub fn digest(
        &mut self,
        jvmti: Jvmti,
        object: Object<'_>,
        most: usize,
    ) -> Result<Option<u128>, JvmtiError> {
        type F = unsafe extern "C" fn(
            JvmtiEnvPtr,
            c_int,
            JObject,
            JObject,
            *const HeapCallbacks,
            *mut c_void,
        ) -> c_int;
        let first = jvmti.tag(object)?.unwrap_or_else(|| self.next());
        jvmti.set_tag(object, first)?;
        let mut walk = Walk {
            heap: self,
            numbers: vec![first],
            contents: HashMap::new(),
            left: most,
            is_cut: false,
        };
        let callbacks = HeapCallbacks {
            iteration: None,
            reference: Some(reference),
            primitive_field: Some(primitive_field),
            primitive_array: Some(primitive_array),
            string: Some(string),
            reserved: [None; 11],
        };
        let user: *mut Walk<'_> = &mut walk;
        // SAFETY: `env` is live and the reference valid; the VM calls back during this call only, on one
        // thread while all others stand, with the walk, which nobody else uses meanwhile.
        let code = unsafe {
            let follow: F = raw::function(jvmti.env, jvmti_slot::FOLLOW_REFERENCES);
            let start = object.as_raw();
            follow(jvmti.env, 0, null_mut(), start, &callbacks, user.cast())
        };
        checked("FollowReferences", code)?;
        Ok((!walk.is_cut).then(|| walk.finish()))
    }
}

impl Walk<'_> {
    fn push(&mut self, number: i64) {
        self.numbers.push(number);
    }

    fn finish(self) -> u128 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        for number in self.numbers {
            let number = self.contents.get(&number).copied().unwrap_or(number);
            hash.update(&number.to_ne_bytes());
        }
        hash.digest128()
    }

    /// Notes what a text or a value is; its tag says so from now on.
    fn content(&mut self, tag: &mut i64, content: u64) {
        let content = (content as i64 & (IS_CONTENT - 1)) | IS_CONTENT;
        self.contents.insert(*tag, content);
        *tag = content;
    }

    fn edge(&mut self, index: i64, of: Kind, referrer: Kind, tag: &mut i64) -> c_int {
        match referrer {
            Kind::Leaf | Kind::Opaque | Kind::PerThread | Kind::Text | Kind::Boxed => return 0,
            // The first field of `java.lang.ref.Reference` is what it refers to.
            Kind::Reference if index != 0 => return 0,
            Kind::Plain | Kind::Reference => {}
        }
        let left = self.left.checked_sub(1);
        let Some(left) = left.filter(|_| of != Kind::PerThread) else {
            self.is_cut = true;
            return VISIT_ABORT;
        };
        self.left = left;
        if *tag == 0 {
            *tag = self.heap.next();
        }
        self.push(index);
        self.push(*tag);
        match of {
            Kind::Leaf | Kind::Opaque => 0,
            _ if *tag & IS_CONTENT != 0 => 0,
            _ => VISIT_OBJECTS,
        }
    }
}

/// The walk that a callback was handed.
///
/// # Safety
/// `user` must be what [`Heap::digest`] handed to the VM, in the same call.
unsafe fn walk<'w>(user: *mut c_void) -> &'w mut Walk<'w> {
    // SAFETY: the caller vouches for it.
    unsafe { &mut *user.cast() }
}

unsafe extern "C" fn reference(
    kind: c_int,
    info: *const c_int,
    class_tag: i64,
    referrer_class_tag: i64,
    _size: i64,
    tag: *mut i64,
    _referrer_tag: *mut i64,
    _length: c_int,
    user: *mut c_void,
) -> c_int {
    if kind != REFERENCE_FIELD && kind != REFERENCE_ARRAY_ELEMENT {
        return 0;
    }
    let (of, referrer) = (Tag(class_tag).kind(), Tag(referrer_class_tag).kind());
    // SAFETY: the VM hands over the walk, the place of the tag, and for these kinds the index of the
    // field or element.
    unsafe { walk(user).edge(i64::from(*info), of, referrer, &mut *tag) }
}

unsafe extern "C" fn primitive_field(
    kind: c_int,
    info: *const c_int,
    class_tag: i64,
    tag: *mut i64,
    value: JValue,
    of: c_int,
    user: *mut c_void,
) -> c_int {
    if kind != REFERENCE_FIELD {
        return 0;
    }
    // SAFETY: every bit pattern is a number; the VM fills as many bytes as the type has.
    let all = unsafe { value.long };
    let value = match of as u8 {
        b'Z' | b'B' => all & 0xFF,
        b'C' | b'S' => all & 0xFFFF,
        b'I' | b'F' => all & 0xFFFF_FFFF,
        _ => all,
    };
    // SAFETY: as above.
    let (walk, tag, index) = unsafe { (walk(user), &mut *tag, i64::from(*info)) };
    match Tag(class_tag).kind() {
        Kind::Plain => {
            walk.push(index);
            walk.push(value);
        }
        Kind::Boxed => {
            let mut hash = std::hash::DefaultHasher::new();
            hash.write_i64(class_tag);
            hash.write_i64(value);
            walk.content(tag, hash.finish());
        }
        Kind::Leaf | Kind::Opaque | Kind::PerThread | Kind::Text | Kind::Reference => {}
    }
    0
}

unsafe extern "C" fn primitive_array(
    _class_tag: i64,
    _size: i64,
    _tag: *mut i64,
    count: c_int,
    of: c_int,
    elements: *const c_void,
    user: *mut c_void,
) -> c_int {
    let size = match of as u8 {
        b'Z' | b'B' => 1,
        b'C' | b'S' => 2,
        b'I' | b'F' => 4,
        _ => 8,
    };
    let length = count.max(0) as usize * size;
    // SAFETY: the VM hands over so many elements of that type, and the walk.
    let (bytes, walk) = unsafe {
        let bytes = match elements.is_null() {
            true => &[][..],
            false => std::slice::from_raw_parts(elements.cast::<u8>(), length),
        };
        (bytes, walk(user))
    };
    walk.push(i64::from(count));
    walk.push(xxhash_rust::xxh3::xxh3_64(bytes) as i64);
    0
}

unsafe extern "C" fn string(
    class_tag: i64,
    _size: i64,
    tag: *mut i64,
    value: *const u16,
    length: c_int,
    user: *mut c_void,
) -> c_int {
    let length = length.max(0) as usize * 2;
    // SAFETY: the VM hands over so many characters, the place of the tag, and the walk.
    unsafe {
        let bytes = match value.is_null() {
            true => &[][..],
            false => std::slice::from_raw_parts(value.cast::<u8>(), length),
        };
        if Tag(class_tag).kind() == Kind::Text {
            walk(user).content(&mut *tag, xxhash_rust::xxh3::xxh3_64(bytes));
        }
    }
    0
}

impl Jvmti {
    /// The tag of an object, if it has one.
    pub(crate) fn tag(&self, object: Object<'_>) -> Result<Option<i64>, JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, JObject, *mut i64) -> c_int;
        let mut tag = 0;
        // SAFETY: `env` is live and the reference valid; the VM writes one number.
        let code = unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_TAG);
            get(self.env, object.as_raw(), &mut tag)
        };
        checked("GetTag", code).map(|()| (tag != 0).then_some(tag))
    }

    fn set_tag(&self, object: Object<'_>, tag: i64) -> Result<(), JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, JObject, i64) -> c_int;
        // SAFETY: `env` is live and the reference valid.
        let code = unsafe {
            let set: F = raw::function(self.env, jvmti_slot::SET_TAG);
            set(self.env, object.as_raw(), tag)
        };
        checked("SetTag", code)
    }

    /// The tag of a class, if it has one.
    pub fn class_tag(&self, class: Object<'_>) -> Result<Option<Tag>, JvmtiError> {
        let tag = self.tag(class)?;
        Ok(tag.filter(|tag| tag & IS_CLASS != 0).map(Tag))
    }

    /// Gives a class its tag.
    pub fn tag_class(&self, class: Object<'_>, tag: Tag) -> Result<(), JvmtiError> {
        self.set_tag(class, tag.0)
    }

    /// The number of an object, by its identity.
    pub fn identity(&self, heap: &mut Heap, object: Object<'_>) -> Result<i64, JvmtiError> {
        match self.tag(object)? {
            Some(tag) => Ok(tag),
            None => {
                let tag = heap.next();
                self.set_tag(object, tag).map(|()| tag)
            }
        }
    }

    /// Whether the initializer of a class has ended well.
    pub fn is_initialized(&self, class: Object<'_>) -> Result<bool, JvmtiError> {
        type F = unsafe extern "C" fn(JvmtiEnvPtr, JObject, *mut c_int) -> c_int;
        let mut status = 0;
        // SAFETY: `env` is live and the reference valid; the VM writes one number.
        let code = unsafe {
            let get: F = raw::function(self.env, jvmti_slot::GET_CLASS_STATUS);
            get(self.env, class.as_raw(), &mut status)
        };
        checked("GetClassStatus", code).map(|()| status & raw::CLASS_INITIALIZED != 0)
    }
}
