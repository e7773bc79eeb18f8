//! What objects lead to: tags, static fields, and digests of everything that an object reaches.
//!
//! A tag is a number that the VM keeps for an object, by identity. Classes have tags that say how to
//! treat their objects; other objects get one when a digest first meets them, so that two digests are
//! equal only if the same objects refer to each other in the same way and hold the same values.

use crate::env::{Jvmti, JvmtiError, checked};
use crate::raw::{self, JFieldId, JObject, JvmtiEnvPtr, jvmti_slot};
use crate::{Jni, Object, Thrown, Value};
use std::collections::{HashMap, HashSet};
use std::ffi::{c_char, c_int};
use std::ptr::null_mut;
use std::sync::Arc;

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
    /// By what the JVM keeps for them elsewhere, and so are those of classes that extend it: nobody can
    /// say.
    Elsewhere = 7,
}

/// The tag of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag(i64);

const KIND_SHIFT: u32 = 56;
const IS_CLASS: i64 = 1 << 55;

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
            (true, 7) => Kind::Elsewhere,
            _ => Kind::Plain,
        }
    }
}

/// What an object of a class has.
#[derive(Debug, Clone)]
enum Shape {
    /// Fields, by their ids and the first letters of their types.
    Fields(Vec<(usize, u8)>),
    /// Elements that are objects.
    Objects,
    /// Elements of so many bytes.
    Numbers(usize),
}

/// Gives out tags of objects and takes digests, field by field: `FollowReferences` was tried, and was too
/// slow for many small walks.
#[derive(Debug, Default)]
pub struct Heap {
    last: i64,
    /// What the objects of classes have, by the tags of the classes.
    shapes: HashMap<i64, (Kind, Arc<Shape>)>,
}

/// Why there is no digest.
struct Cut;

impl From<Thrown> for Cut {
    fn from(_: Thrown) -> Cut {
        Cut
    }
}

impl From<JvmtiError> for Cut {
    fn from(_: JvmtiError) -> Cut {
        Cut
    }
}

/// A digest in the making.
struct Walk<'h, 'f> {
    heap: &'h mut Heap,
    jvmti: Jvmti,
    jni: Jni<'f>,
    hash: xxhash_rust::xxh3::Xxh3,
    seen: HashSet<i64>,
    work: Vec<Object<'f>>,
    left: usize,
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
        jni: Jni<'_>,
        object: Object<'_>,
        most: u16,
    ) -> Option<u128> {
        jni.frame_for(most.saturating_add(32), |jni| {
            let mut walk = Walk {
                heap: self,
                jvmti,
                jni,
                hash: xxhash_rust::xxh3::Xxh3::new(),
                seen: HashSet::new(),
                work: Vec::new(),
                left: most.into(),
            };
            let start = jni.copy(object).ok()?;
            walk.all(start).ok()?;
            Some(walk.hash.digest128())
        })
    }

    /// How objects of a class count, and what they have.
    fn shape(
        &mut self,
        jvmti: Jvmti,
        jni: Jni<'_>,
        class: Object<'_>,
    ) -> Result<(Kind, Arc<Shape>), Cut> {
        let tag = jvmti.identity(self, class)?;
        if let Some(known) = self.shapes.get(&tag) {
            return Ok(known.clone());
        }
        let kind = Tag(tag).kind();
        let signature = jvmti.signature(class)?;
        let shape = match signature.as_slice() {
            [b'[', b'Z' | b'B'] => Shape::Numbers(1),
            [b'[', b'C' | b'S'] => Shape::Numbers(2),
            [b'[', b'I' | b'F'] => Shape::Numbers(4),
            [b'[', b'J' | b'D'] => Shape::Numbers(8),
            [b'[', ..] => Shape::Objects,
            _ => Shape::Fields(fields(jvmti, jni, class, kind)?),
        };
        let known = (kind, Arc::new(shape));
        self.shapes.insert(tag, known.clone());
        Ok(known)
    }
}

/// The fields of the objects of a class, with those of its superclasses. Of references there is one.
fn fields(
    jvmti: Jvmti,
    jni: Jni<'_>,
    class: Object<'_>,
    kind: Kind,
) -> Result<Vec<(usize, u8)>, Cut> {
    const STATIC: c_int = 8;
    let mut all = Vec::new();
    jni.frame(|jni| {
        let mut next = Some(jni.copy(class)?);
        while let Some(class) = next {
            for (field, name, of) in jvmti.fields(class, STATIC)? {
                if kind != Kind::Reference || name == b"referent" {
                    all.push((field.addr(), of));
                }
            }
            // SAFETY: it is a class.
            next = unsafe { jni.superclass(class)? };
        }
        Ok(all)
    })
}

impl<'f> Walk<'_, 'f> {
    fn push(&mut self, number: i64) {
        self.hash.update(&number.to_ne_bytes());
    }

    fn all(&mut self, start: Object<'f>) -> Result<(), Cut> {
        self.edge(start)?;
        while let Some(object) = self.work.pop() {
            let class = self.jni.class_of(object)?;
            let (_, shape) = self.heap.shape(self.jvmti, self.jni, class)?;
            self.jni.drop_local(class);
            match &*shape {
                Shape::Fields(fields) => {
                    for (field, of) in fields {
                        let field = std::ptr::without_provenance_mut(*field);
                        // SAFETY: the VM said that the object's class has this field, of this type; an id is
                        // nothing but a number for the VM.
                        match unsafe { self.jni.field_by_id(object, field, *of)? } {
                            Value::Number(number) => self.push(number),
                            Value::Object(None) => self.push(0),
                            Value::Object(Some(value)) => self.edge(value)?,
                        }
                    }
                }
                Shape::Objects => {
                    // SAFETY: it is an array of objects.
                    for index in 0..unsafe { self.jni.length(object) } {
                        // SAFETY: as above.
                        match unsafe { self.jni.element(object, index)? } {
                            None => self.push(0),
                            Some(value) => self.edge(value)?,
                        }
                    }
                }
                Shape::Numbers(size) => {
                    // SAFETY: it is an array of values of this size.
                    let hash = unsafe { self.jni.hash_of_numbers(object, *size)? };
                    self.push(hash as i64);
                }
            }
            self.jni.drop_local(object);
        }
        Ok(())
    }

    /// Something refers to this object.
    fn edge(&mut self, object: Object<'f>) -> Result<(), Cut> {
        self.left = self.left.checked_sub(1).ok_or(Cut)?;
        let class = self.jni.class_of(object)?;
        let (kind, shape) = self.heap.shape(self.jvmti, self.jni, class)?;
        self.jni.drop_local(class);
        let is_new = match kind {
            Kind::PerThread | Kind::Elsewhere => return Err(Cut),
            Kind::Text => {
                // SAFETY: only texts have this kind.
                let text = unsafe { self.jni.text(object)? };
                self.push(xxhash_rust::xxh3::xxh3_64(&text) as i64);
                false
            }
            Kind::Boxed => {
                if let Shape::Fields(fields) = &*shape {
                    for (field, of) in fields {
                        let field = std::ptr::without_provenance_mut(*field);
                        // SAFETY: as for other objects.
                        let value = unsafe { self.jni.field_by_id(object, field, *of)? };
                        if let Value::Number(number) = value {
                            self.push(i64::from(*of));
                            self.push(number);
                        }
                    }
                }
                false
            }
            Kind::Leaf | Kind::Opaque => {
                let identity = self.jvmti.identity(self.heap, object)?;
                self.push(identity);
                false
            }
            Kind::Plain | Kind::Reference => {
                let identity = self.jvmti.identity(self.heap, object)?;
                self.push(identity);
                self.seen.insert(identity)
            }
        };
        match is_new {
            true => self.work.push(object),
            false => self.jni.drop_local(object),
        }
        Ok(())
    }
}

/// The id of a field, its name, and the first letter of its type.
type Field = (JFieldId, Vec<u8>, u8);

impl Jvmti {
    /// The fields that a class itself declares and that have none of these modifiers.
    fn fields(&self, class: Object<'_>, without: c_int) -> Result<Vec<Field>, JvmtiError> {
        type Modifiers = unsafe extern "C" fn(JvmtiEnvPtr, JObject, JFieldId, *mut c_int) -> c_int;
        type Name = unsafe extern "C" fn(
            JvmtiEnvPtr,
            JObject,
            JFieldId,
            *mut *mut c_char,
            *mut *mut c_char,
            *mut *mut c_char,
        ) -> c_int;
        let mut fields = Vec::new();
        // SAFETY: `env` is live and the reference valid; the first function writes an array of ids of fields
        // of the class, the others a number and two texts for each.
        unsafe {
            for id in self.array("GetClassFields", jvmti_slot::GET_CLASS_FIELDS, class)? {
                let mut modifiers = 0;
                let get: Modifiers = raw::function(self.env, jvmti_slot::GET_FIELD_MODIFIERS);
                let code = get(self.env, class.as_raw(), id, &mut modifiers);
                checked("GetFieldModifiers", code)?;
                if modifiers & without != 0 {
                    continue;
                }
                let (mut name, mut signature) = (null_mut(), null_mut());
                let get: Name = raw::function(self.env, jvmti_slot::GET_FIELD_NAME);
                let class = class.as_raw();
                let code = get(self.env, class, id, &mut name, &mut signature, null_mut());
                checked("GetFieldName", code)?;
                let (name, signature) = (self.take_text(name), self.take_text(signature));
                fields.push((id, name, signature.first().copied().unwrap_or(b'L')));
            }
        }
        Ok(fields)
    }

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
