//! Facts about objects: their tags, the fields of their classes, the values they held.
//!
//! A tag is a number that the VM keeps for an object, by identity. Classes have tags that say how to
//! treat their objects; other objects get one when a [`HeapComparison`](crate::HeapComparison) first meets them.

use crate::env::{Jvmti, JvmtiError, checked};
use crate::raw::{self, JFieldId, JObject, JvmtiEnvPtr, jvmti_slot};
use crate::{Jni, Object, Thrown, Weak};
use std::collections::{HashMap, HashSet};
use std::ffi::{c_char, c_int};
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
    /// By their identity alone, and so are those of classes that extend it. Of one that is plain again
    /// only what it adds counts.
    Opaque = 5,
    /// By what they hold for the current thread beside their fields, and so are those of classes that
    /// extend it.
    PerThread = 6,
    /// By what the JVM keeps for them elsewhere, and so are those of classes that extend it: nobody can
    /// say.
    Elsewhere = 7,
    /// By what they hold when they are first met, until [`Heap::thaw`]: no code changes it by its name, and
    /// it leads to nothing that changes.
    Frozen = 8,
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

    /// Whether a tag is that of a class.
    pub(crate) fn is_of_class(tag: i64) -> bool {
        tag & IS_CLASS != 0
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
            (true, 8) => Kind::Frozen,
            _ => Kind::Plain,
        }
    }
}

/// Fields, by their ids and the first letters of their types.
type Fields = Vec<(usize, u8)>;

/// What an object of a class has.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    Fields(Fields),
    /// The same, as long as none of the classes that declare them thaws; these by their tags.
    Frozen(Fields, Vec<i64>),
    /// The same, and a value for each thread.
    Local(Fields),
    /// Elements that are objects.
    Objects,
    /// Elements of so many bytes.
    Numbers(usize),
}

impl Shape {
    /// The id of a field, and the first letter of its type.
    pub(crate) fn field(&self, number: usize) -> Option<(usize, u8)> {
        match self {
            Shape::Fields(fields) | Shape::Frozen(fields, _) | Shape::Local(fields) => {
                fields.get(number).copied()
            }
            Shape::Objects | Shape::Numbers(_) => None,
        }
    }
}

/// Facts about objects that last from one comparison to the next.
#[derive(Debug, Default)]
pub struct Heap {
    last: i64,
    /// How many comparisons there were.
    pub(crate) comparisons: u32,
    /// What the objects of classes have.
    pub(crate) shapes: Vec<Shape>,
    /// How the objects of classes count, and the numbers of their shapes, by the tags of the classes.
    kinds: HashMap<i64, (Kind, usize)>,
    /// The tags of classes whose fields may change after all.
    thawed: HashSet<i64>,
    pub(crate) objects: Objects,
}

/// What is known of objects, by their tags. Tags are numbers in a row, and objects that are met together
/// stand together: a comparison of many of them reads memory in order.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    blocks: Vec<Option<Block>>,
    len: usize,
}

type Block = Box<[Option<Known>; BLOCK]>;

const BLOCK: usize = 64;

impl Objects {
    /// Where an object stands; nowhere if its tag is that of a class.
    fn place(tag: i64) -> Option<(usize, usize)> {
        let number = usize::try_from(tag)
            .ok()
            .filter(|_| !Tag::is_of_class(tag))?;
        Some((number / BLOCK, number % BLOCK))
    }

    pub(crate) fn get_mut(&mut self, tag: i64) -> Option<&mut Known> {
        let (block, place) = Objects::place(tag)?;
        let block = self.blocks.get_mut(block)?.as_mut()?;
        block.get_mut(place)?.as_mut()
    }

    pub(crate) fn insert(&mut self, tag: i64, known: Known) {
        let Some((block, place)) = Objects::place(tag) else {
            return;
        };
        if self.blocks.len() <= block {
            self.blocks.resize_with(block + 1, || None);
        }
        if let Some(block) = self.blocks.get_mut(block) {
            let block = block.get_or_insert_with(|| Box::new([const { None }; BLOCK]));
            if let Some(place) = block.get_mut(place) {
                self.len += usize::from(place.replace(known).is_none());
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Forgets all objects but those that a comparison met.
    pub(crate) fn keep_met_in(&mut self, comparison: u32) {
        self.len = 0;
        for place in &mut self.blocks {
            let mut left = 0;
            for known in place.iter_mut().flat_map(|block| block.iter_mut()) {
                drop(known.take_if(|known| known.met.0 != comparison));
                left += usize::from(known.is_some());
            }
            if left == 0 {
                *place = None;
            }
            self.len += left;
        }
    }
}

/// What is known of an object.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) of: Of,
    /// What it held when it was last compared.
    pub(crate) held: Option<u64>,
    /// The last comparison that met it, and its number there.
    pub(crate) met: (u32, u32),
    /// The tags of the objects that it referred to when it was last compared, 0 for null.
    pub(crate) referred: Vec<i64>,
    /// The object itself, from the second time on that it is met: comparing references takes a tenth of
    /// asking for a tag.
    pub(crate) reference: Option<Weak>,
}

/// How an object counts.
#[derive(Debug, Clone)]
pub(crate) enum Of {
    /// As this number, for ever.
    Value(i64),
    /// By what it holds and leads to; the number of its shape.
    Open(usize),
    /// Nobody can say.
    Unknown,
}

/// Why something cannot be told.
pub(crate) struct Cut;

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

impl Heap {
    fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    /// Notes that reflection reaches fields of this class: from now on they may change, in subclasses too.
    pub fn thaw(&mut self, class: Tag) {
        self.thawed.insert(class.0);
        for shape in &mut self.shapes {
            if let Shape::Frozen(fields, classes) = shape
                && classes.contains(&class.0)
            {
                *shape = Shape::Fields(std::mem::take(fields));
            }
        }
    }

    /// How objects of a class count, and the number of their shape.
    pub(crate) fn shape(
        &mut self,
        jvmti: Jvmti,
        jni: &mut Jni<'_>,
        class: Object<'_>,
    ) -> Result<(Kind, usize), Cut> {
        let tag = jvmti.identity(self, class)?;
        if let Some(known) = self.kinds.get(&tag) {
            return Ok(*known);
        }
        let kind = Tag(tag).kind();
        let signature = jvmti.signature(class)?;
        let shape = match signature.as_slice() {
            [b'[', b'Z' | b'B'] => Shape::Numbers(1),
            [b'[', b'C' | b'S'] => Shape::Numbers(2),
            [b'[', b'I' | b'F'] => Shape::Numbers(4),
            [b'[', b'J' | b'D'] => Shape::Numbers(8),
            [b'[', ..] => Shape::Objects,
            _ => {
                let (fields, classes) = fields(jvmti, jni, class, kind)?;
                let is_thawed = classes.iter().any(|tag| self.thawed.contains(tag));
                match kind {
                    Kind::PerThread => Shape::Local(fields),
                    Kind::Frozen if !is_thawed => Shape::Frozen(fields, classes),
                    _ => Shape::Fields(fields),
                }
            }
        };
        let known = (kind, self.shapes.len());
        self.shapes.push(shape);
        self.kinds.insert(tag, known);
        Ok(known)
    }
}

/// The fields of the objects of a class, with those of its superclasses up to one that is opaque, and the tags
/// of these classes. Of references there is one.
fn fields(
    jvmti: Jvmti,
    jni: &mut Jni<'_>,
    class: Object<'_>,
    kind: Kind,
) -> Result<(Fields, Vec<i64>), Cut> {
    const STATIC: c_int = 8;
    let (mut all, mut classes) = (Vec::new(), Vec::new());
    jni.frame(|jni| {
        let mut next = Some(jni.copy(class)?);
        while let Some(class) = next {
            let tag = jvmti.class_tag(class)?;
            if tag.is_some_and(|tag| tag.kind() == Kind::Opaque) {
                break;
            }
            classes.extend(tag.map(|tag| tag.0));
            for (field, name, of) in jvmti.fields(class, STATIC)? {
                if kind != Kind::Reference || name == b"referent" {
                    all.push((field.addr(), of));
                }
            }
            // SAFETY: it is a class.
            next = unsafe { jni.superclass(class)? };
        }
        Ok((all, classes))
    })
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
        Ok(tag.filter(|tag| Tag::is_of_class(*tag)).map(Tag))
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

    /// Whether the initializer of a class has ended normally.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn known(comparison: u32) -> Known {
        Known {
            of: Of::Unknown,
            held: None,
            met: (comparison, 0),
            referred: Vec::new(),
            reference: None,
        }
    }

    #[test]
    fn objects_are_found_by_their_tags_until_they_are_forgotten() {
        let mut objects = Objects::default();
        let tags = [1, 63, 64, 65, 1000, 100_000];
        for (comparison, tag) in (1..).zip(tags) {
            objects.insert(tag, known(comparison));
        }
        objects.insert(64, known(3));
        assert_eq!(objects.len(), tags.len(), "each counts once");
        let check = |objects: &mut Objects, expected: &[i64]| {
            let is_there = |tag: &i64| objects.get_mut(*tag).is_some();
            let there: Vec<i64> = tags.into_iter().filter(is_there).collect();
            assert_eq!(there, expected);
            assert_eq!(objects.len(), expected.len());
        };
        check(&mut objects, &tags);
        objects.keep_met_in(3);
        check(&mut objects, &[64]);
        objects.insert(65, known(7));
        check(&mut objects, &[64, 65]);
    }

    #[test]
    fn tags_of_classes_and_of_nothing_have_no_place() {
        let mut objects = Objects::default();
        for tag in [Tag::of_class(Kind::Leaf, 7).0, -1] {
            objects.insert(tag, known(1));
            assert!(objects.get_mut(tag).is_none());
        }
        assert_eq!(objects.len(), 0);
    }
}
