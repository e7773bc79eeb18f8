//! One look at what objects hold and lead to, field by field: `FollowReferences` was tried, and was too
//! slow for many small walks.
//!
//! Each object is read once, however many lead to it. What it holds is compared with what it held at the
//! last look: the values of its fields, and which objects they refer to, by identity. An object that is
//! met for the first time counts as changed; so does the one that leads to it, because it did not before.

use crate::heap::{Cut, Heap, Kind, Known, Of, Shape, Tag};
use crate::{Jni, Jvmti, Object, Value};
use std::ops::Range;
use std::sync::Arc;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A look in progress.
pub struct Look<'f, 'h> {
    heap: &'h mut Heap,
    jvmti: Jvmti,
    jni: Jni<'f>,
    /// Whether the next look compares with this one.
    is_kept: bool,
    objects: Vec<Met<'f>>,
    /// The numbers of the objects that each object refers to, one after the other.
    next: Vec<u32>,
    /// The objects that are not followed: the number of one that refers to them, and their tags.
    opaque: Vec<(u32, i64)>,
    /// The object that is being read, and what it holds.
    reading: u32,
    held: Vec<u8>,
    /// How many references may still be followed for the root that is being read.
    left: usize,
    followed: usize,
    /// Whether an object that was looked at before holds something else.
    has_changes: bool,
    digests: u32,
}

/// An object that a look has met.
struct Met<'f> {
    tag: i64,
    /// It has yet to be read.
    unread: Option<(Object<'f>, Arc<Shape>)>,
    held: u64,
    next: Range<usize>,
    is_changed: bool,
    is_unknown: bool,
    /// The last digest that it is part of.
    digest: u32,
}

/// What a reference is to a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The number that it counts as: the identity of the object, or its value.
    pub value: i64,
    /// The number of the object in this look, if it leads on.
    pub object: Option<u32>,
    /// Whether it leads on, and is not followed.
    pub is_opaque: bool,
}

impl Seen {
    /// A number, or an object that counts as one.
    pub fn value(value: i64) -> Seen {
        Seen {
            value,
            object: None,
            is_opaque: false,
        }
    }
}

impl<'f> Look<'f, '_> {
    /// Looks at objects while `body` lasts. No code of the program may run meanwhile on this thread.
    /// What is seen counts for the next look if this one `is_kept`.
    pub fn with<T>(
        jvmti: Jvmti,
        jni: Jni<'_>,
        heap: &mut Heap,
        is_kept: bool,
        body: impl for<'g, 'h> FnOnce(Jni<'g>, &mut Look<'g, 'h>) -> T,
    ) -> T {
        heap.looks = heap.looks.wrapping_add(1);
        jni.frame_for(u16::MAX, |jni| {
            let mut look = Look {
                heap,
                jvmti,
                jni,
                is_kept,
                objects: Vec::new(),
                next: Vec::new(),
                opaque: Vec::new(),
                reading: 0,
                held: Vec::new(),
                left: 0,
                followed: 0,
                has_changes: false,
                digests: 0,
            };
            body(jni, &mut look)
        })
    }

    /// Reads `object` and everything that it leads to; what lies behind more than `most` references that
    /// were not followed before stays unknown. `None` if nobody can say what it is.
    ///
    /// # Safety
    /// It must be called in the frame of the look: what it meets belongs to the frame that is on top.
    pub unsafe fn follow(&mut self, object: Object<'_>, most: usize) -> Option<Seen> {
        self.left = most;
        let first = self.objects.len();
        let object = self.jni.copy(object).ok()?;
        let seen = self.meet(object).ok()?;
        let mut work: Vec<usize> = (first..self.objects.len()).collect();
        while let Some(number) = work.pop() {
            let first = self.objects.len();
            self.read(number);
            work.extend(first..self.objects.len());
        }
        self.followed += most - self.left;
        Some(seen)
    }

    /// How many references it has followed.
    pub fn followed(&self) -> usize {
        self.followed
    }

    /// Whether an object that was looked at before holds something else. The next look will not see that
    /// any more: everybody who may lead to it must be followed in this one.
    pub fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// The objects that this look has met, by their numbers.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether it has met none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The numbers of the objects that an object refers to.
    pub fn next(&self, object: usize) -> &[u32] {
        let met = self.objects.get(object);
        let next = met.and_then(|met| self.next.get(met.next.clone()));
        next.unwrap_or_default()
    }

    /// The tag of an object.
    pub fn tag(&self, object: usize) -> Option<i64> {
        self.objects.get(object).map(|met| met.tag)
    }

    /// The objects that this look met and did not follow: the number of one that refers to them, and their
    /// tags.
    pub fn opaque(&self) -> &[(u32, i64)] {
        &self.opaque
    }

    /// Whether an object holds something else than at the last look.
    pub fn is_changed(&self, object: usize) -> bool {
        self.objects.get(object).is_none_or(|met| met.is_changed)
    }

    /// Whether nobody can say what an object holds.
    pub fn is_unknown(&self, object: usize) -> bool {
        self.objects.get(object).is_none_or(|met| met.is_unknown)
    }

    /// A digest of everything that an object leads to; `None` if that is unknown, or more than `most`
    /// references.
    pub fn digest(&mut self, object: u32, most: usize) -> Option<u128> {
        self.digests += 1;
        let (mut hash, mut left) = (Xxh3::new(), most);
        let mut work = vec![object];
        while let Some(number) = work.pop() {
            let met = self.objects.get_mut(number as usize)?;
            if std::mem::replace(&mut met.digest, self.digests) == self.digests {
                continue;
            }
            if met.is_unknown {
                return None;
            }
            left = left.checked_sub(met.next.len())?;
            hash.update(&met.held.to_ne_bytes());
            work.extend(self.next.get(met.next.clone())?);
        }
        Some(hash.digest128())
    }

    /// Whether much is known of objects that this look did not meet, `others` aside.
    pub fn is_crowded(&self, others: usize) -> bool {
        self.heap.objects.len() > 4 * (self.objects.len() + others) + 100_000
    }

    /// Forgets objects that this look did not meet: it must have met all that later looks are compared with.
    pub fn forget_others(&mut self) {
        self.heap.objects.keep_met_in(self.heap.looks);
    }

    fn read(&mut self, number: usize) {
        let met = self.objects.get_mut(number);
        let Some((tag, Some((object, shape)))) = met.map(|met| (met.tag, met.unread.take())) else {
            return;
        };
        let start = self.next.len();
        self.held.clear();
        self.reading = number as u32;
        let is_read = self.contents(object, &shape).is_ok();
        self.jni.drop_local(object);
        let held = xxh3_64(&self.held);
        let Some(met) = self.objects.get_mut(number) else {
            return;
        };
        met.next = start..self.next.len();
        met.held = held;
        met.is_unknown = !is_read;
        if let Some(known) = self.heap.objects.get_mut(tag) {
            met.is_changed = known.held != Some(held);
            self.has_changes |= known.held.is_some_and(|before| before != held);
            if self.is_kept {
                known.held = is_read.then_some(held);
            }
        }
    }

    fn contents(&mut self, object: Object<'f>, shape: &Shape) -> Result<(), Cut> {
        match shape {
            Shape::Fields(fields) => self.fields(object, fields)?,
            Shape::Local(fields) => {
                self.fields(object, fields)?;
                // SAFETY: only thread locals have this shape.
                let value = unsafe { self.jni.on_this_thread(object)? };
                self.push(i64::from(value.is_some()));
                self.reference(value.flatten())?;
            }
            Shape::Objects => {
                // SAFETY: it is an array of objects.
                for index in 0..unsafe { self.jni.length(object) } {
                    // SAFETY: as above; an array keeps its length.
                    let value = unsafe { self.jni.element_within(object, index) };
                    self.reference(value)?;
                }
            }
            Shape::Numbers(size) => {
                // SAFETY: it is an array of values of this size.
                let hash = unsafe { self.jni.hash_of_numbers(object, *size)? };
                self.push(hash as i64);
            }
        }
        Ok(())
    }

    fn fields(&mut self, object: Object<'f>, fields: &[(usize, u8)]) -> Result<(), Cut> {
        for (field, of) in fields {
            let field = std::ptr::without_provenance_mut(*field);
            // SAFETY: the VM said that the object's class has this field, of this type; an id is
            // nothing but a number for the VM.
            match unsafe { self.jni.field_by_id(object, field, *of) } {
                Value::Number(number) => self.push(number),
                Value::Object(value) => self.reference(value)?,
            }
        }
        Ok(())
    }

    fn push(&mut self, number: i64) {
        self.held.extend(number.to_ne_bytes());
    }

    /// The object that is being read refers to this one.
    fn reference(&mut self, value: Option<Object<'f>>) -> Result<(), Cut> {
        let Some(object) = value else {
            self.push(0);
            return Ok(());
        };
        self.left = self.left.checked_sub(1).ok_or(Cut)?;
        let seen = self.meet(object)?;
        self.push(seen.value);
        self.next.extend(seen.object);
        if seen.is_opaque {
            self.opaque.push((self.reading, seen.value));
        }
        Ok(())
    }

    /// Something leads to this object, whose reference is given up.
    fn meet(&mut self, object: Object<'f>) -> Result<Seen, Cut> {
        let mut tag = self.jvmti.tag(object)?.unwrap_or_default();
        if Tag::is_of_class(tag) {
            self.jni.drop_local(object);
            return Ok(Seen {
                is_opaque: true,
                ..Seen::value(tag)
            });
        }
        if self.heap.objects.get_mut(tag).is_none() {
            tag = self.first(object)?;
        }
        let known = self.heap.objects.get_mut(tag).ok_or(Cut)?;
        let seen = match &known.of {
            Of::Value(value) => Seen::value(*value),
            Of::Opaque => Seen {
                is_opaque: true,
                ..Seen::value(tag)
            },
            Of::Unknown => return Err(Cut),
            Of::Open(shape) => {
                let number = self.objects.len() as u32;
                let is_new = known.met.0 != self.heap.looks;
                if is_new {
                    known.met = (self.heap.looks, number);
                    self.objects.push(Met {
                        tag,
                        unread: Some((object, shape.clone())),
                        held: 0,
                        next: 0..0,
                        is_changed: true,
                        is_unknown: true,
                        digest: 0,
                    });
                }
                let seen = Seen {
                    object: Some(known.met.1),
                    ..Seen::value(tag)
                };
                if is_new {
                    return Ok(seen);
                }
                seen
            }
        };
        self.jni.drop_local(object);
        Ok(seen)
    }

    /// Notes how an object counts that is not known; its tag.
    fn first(&mut self, object: Object<'f>) -> Result<i64, Cut> {
        let class = self.jni.class_of(object)?;
        let (kind, shape) = self.heap.shape(self.jvmti, self.jni, class)?;
        self.jni.drop_local(class);
        let tag = self.jvmti.identity(self.heap, object)?;
        let of = match kind {
            Kind::Elsewhere => Of::Unknown,
            // SAFETY: only texts have this kind.
            Kind::Text => Of::Value(xxh3_64(&unsafe { self.jni.text(object)? }) as i64),
            Kind::Boxed => Of::Value(self.value(object, &shape)?),
            Kind::Leaf => Of::Value(tag),
            Kind::Opaque => Of::Opaque,
            Kind::Plain | Kind::Reference | Kind::PerThread => Of::Open(shape),
        };
        let known = Known {
            of,
            held: None,
            met: (0, 0),
        };
        self.heap.objects.insert(tag, known);
        Ok(tag)
    }

    /// The value in an object that is nothing else.
    fn value(&self, object: Object<'f>, shape: &Shape) -> Result<i64, Cut> {
        let mut bytes = Vec::new();
        if let Shape::Fields(fields) = shape {
            for (field, of) in fields {
                let field = std::ptr::without_provenance_mut(*field);
                // SAFETY: as for other objects.
                if let Value::Number(number) = unsafe { self.jni.field_by_id(object, field, *of) } {
                    bytes.push(*of);
                    bytes.extend(number.to_ne_bytes());
                }
            }
        }
        Ok(xxh3_64(&bytes) as i64)
    }
}
