//! Compares objects and all that they reach, field by field, with their earlier values. `FollowReferences` was tried
//! and was too slow for many small walks.
//!
//! Each object is read once, however many lead to it. What it holds is compared with what it held at the
//! last comparison: the values of its fields, and which objects they refer to, by identity. An object that is
//! met for the first time counts as changed; so does the one that leads to it, because it did not before.

use crate::heap::{Cut, Heap, Kind, Known, Of, Shape, Tag};
use crate::{Jni, Jvmti, Object, Value};
use std::ops::Range;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A comparison of objects with what they held before, in progress.
pub struct HeapComparison<'f, 'h> {
    heap: &'h mut Heap,
    jvmti: Jvmti,
    /// Nobody else can start a frame meanwhile: what is met belongs to the frame of the comparison.
    jni: &'h mut Jni<'f>,
    /// Whether the next comparison compares with this one.
    is_kept: bool,
    objects: Vec<Met<'f>>,
    /// The numbers of the objects that each object refers to, one after the other.
    next: Vec<u32>,
    /// What the object holds that is being read.
    held: Vec<u8>,
    /// The tags of the objects that it refers to, as far as it is read, and from there on of those that it
    /// referred to at the last comparison.
    referred: Vec<i64>,
    /// How many of its references are read.
    read: usize,
    /// How many references may still be followed for the root that is being read.
    left: usize,
    followed: usize,
    /// Whether an object that was compared before holds something else.
    has_changes: bool,
    digests: u32,
}

/// An object that a comparison has met.
struct Met<'f> {
    /// It has yet to be read.
    unread: Option<Unread<'f>>,
    held: u64,
    next: Range<usize>,
    is_changed: bool,
    is_unknown: bool,
    /// It is read only once.
    is_frozen: bool,
    /// The last digest that it is part of.
    digest: u32,
}

/// An object that has yet to be read.
struct Unread<'f> {
    object: Object<'f>,
    tag: i64,
    /// The number of its shape.
    shape: usize,
}

fn is_frozen(shapes: &[Shape], shape: usize) -> bool {
    matches!(shapes.get(shape), Some(Shape::Frozen(..)))
}

/// A reference, as a comparison sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The number that it counts as: the identity of the object, or its value.
    pub value: i64,
    /// The number of the object in this comparison, if it leads on.
    pub object: Option<u32>,
}

impl<'f> HeapComparison<'f, '_> {
    /// Compares objects while `body` lasts. No code of the program may run meanwhile on this thread.
    /// What is seen counts for the next comparison if this one `is_kept`.
    pub fn with<T>(
        jvmti: Jvmti,
        jni: &mut Jni<'_>,
        heap: &mut Heap,
        is_kept: bool,
        body: impl for<'g, 'h> FnOnce(&mut HeapComparison<'g, 'h>) -> T,
    ) -> T {
        heap.comparisons = heap.comparisons.wrapping_add(1);
        jni.frame_for(u16::MAX, |jni| {
            body(&mut HeapComparison {
                heap,
                jvmti,
                jni,
                is_kept,
                objects: Vec::new(),
                next: Vec::new(),
                held: Vec::new(),
                referred: Vec::new(),
                read: 0,
                left: 0,
                followed: 0,
                has_changes: false,
                digests: 0,
            })
        })
    }

    /// The environment of the frame in which objects are met.
    pub fn jni(&self) -> &Jni<'f> {
        self.jni
    }

    /// Reads `object` and everything that it leads to; what lies behind more than `most` references that
    /// were not followed before stays unknown. `None` if its kind is unknown.
    pub fn follow(&mut self, object: Object<'_>, most: usize) -> Option<Seen> {
        self.left = most;
        let first = self.objects.len();
        let object = self.jni.copy(object).ok()?;
        let (_, seen) = self.meet(object, 0).ok()?;
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

    /// Whether an object that was compared before holds something else. The next comparison will not see that
    /// any more: everybody who may lead to it must be followed in this one.
    pub fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// The objects that this comparison has met, by their numbers.
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

    /// Whether an object holds something else than at the last comparison.
    pub fn is_changed(&self, object: usize) -> bool {
        self.objects.get(object).is_none_or(|met| met.is_changed)
    }

    /// Whether the content of an object is unknown.
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
            // Those that lead to it hold its identity; the next digest may not meet it.
            if met.is_frozen {
                continue;
            }
            left = left.checked_sub(met.next.len())?;
            hash.update(&met.held.to_ne_bytes());
            work.extend(self.next.get(met.next.clone())?);
        }
        Some(hash.digest128())
    }

    /// Forgets objects that this comparison did not meet, if there are many: it must have met all that later
    /// comparisons are made with.
    pub fn forget_others(&mut self) {
        let objects = &mut self.heap.objects;
        if objects.len() > 4 * self.objects.len() + 100_000 {
            objects.keep_met_in(self.heap.comparisons);
        }
    }

    fn read(&mut self, number: usize) {
        let unread = self.objects.get_mut(number).map(|met| met.unread.take());
        let Some(Some(Unread { object, tag, shape })) = unread else {
            return;
        };
        let start = self.next.len();
        self.held.clear();
        let known = self.heap.objects.get_mut(tag);
        self.referred = known.map_or_else(Vec::new, |known| std::mem::take(&mut known.referred));
        self.read = 0;
        let is_read = self.contents(object, shape).is_ok();
        // SAFETY: it was kept to be read, once.
        unsafe { self.jni.drop_local(object) };
        let held = xxh3_64(&self.held);
        let Some(met) = self.objects.get_mut(number) else {
            return;
        };
        met.next = start..self.next.len();
        met.held = held;
        met.is_unknown = !is_read;
        if let Some(known) = self.heap.objects.get_mut(tag) {
            self.referred.truncate(self.read);
            known.referred = std::mem::take(&mut self.referred);
            met.is_changed = known.held != Some(held);
            self.has_changes |= known.held.is_some_and(|before| before != held);
            if self.is_kept {
                known.held = is_read.then_some(held);
            }
        }
    }

    fn contents(&mut self, object: Object<'f>, shape: usize) -> Result<(), Cut> {
        match self.heap.shapes.get(shape).ok_or(Cut)? {
            Shape::Fields(_) | Shape::Frozen(..) => self.fields(object, shape)?,
            Shape::Local(_) => {
                self.fields(object, shape)?;
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

    fn fields(&mut self, object: Object<'f>, shape: usize) -> Result<(), Cut> {
        for number in 0.. {
            let shape = self.heap.shapes.get(shape);
            let Some((field, of)) = shape.and_then(|shape| shape.field(number)) else {
                break;
            };
            let field = std::ptr::without_provenance_mut(field);
            // SAFETY: the VM said that the object's class has this field, of this type; an id is
            // nothing but a number for the VM.
            match unsafe { self.jni.field_by_id(object, field, of) } {
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
            self.refers_to(0);
            self.push(0);
            return Ok(());
        };
        self.left = self.left.checked_sub(1).ok_or(Cut)?;
        let expected = self.referred.get(self.read).copied();
        let (tag, seen) = self.meet(object, expected.unwrap_or_default())?;
        self.refers_to(tag);
        self.push(seen.value);
        self.next.extend(seen.object);
        Ok(())
    }

    fn refers_to(&mut self, tag: i64) {
        match self.referred.get_mut(self.read) {
            Some(referred) => *referred = tag,
            None => self.referred.push(tag),
        }
        self.read += 1;
    }

    /// Something leads to this object, whose reference is given up: its tag, which may be the one that is
    /// expected, and what it is.
    fn meet(&mut self, object: Object<'f>, expected: i64) -> Result<(i64, Seen), Cut> {
        let tag = match self.heap.objects.get_mut(expected) {
            Some(Known {
                reference: Some(reference),
                ..
            }) if self.jni.is(reference, Some(object)) => expected,
            _ => self.tag(object)?,
        };
        if Tag::is_of_class(tag) {
            // SAFETY: the caller gave it up.
            unsafe { self.jni.drop_local(object) };
            let seen = Seen {
                value: tag,
                object: None,
            };
            return Ok((tag, seen));
        }
        let known = self.heap.objects.get_mut(tag).ok_or(Cut)?;
        let seen = match &known.of {
            Of::Value(value) => Seen {
                value: *value,
                object: None,
            },
            Of::Unknown => return Err(Cut),
            Of::Open(shape) if known.held.is_some() && is_frozen(&self.heap.shapes, *shape) => {
                Seen {
                    value: tag,
                    object: None,
                }
            }
            Of::Open(shape) => {
                let is_frozen = is_frozen(&self.heap.shapes, *shape);
                let number = self.objects.len() as u32;
                let is_new = known.met.0 != self.heap.comparisons;
                if is_new {
                    known.met = (self.heap.comparisons, number);
                    self.objects.push(Met {
                        unread: Some(Unread {
                            object,
                            tag,
                            shape: *shape,
                        }),
                        held: 0,
                        next: 0..0,
                        is_changed: true,
                        is_unknown: true,
                        is_frozen,
                        digest: 0,
                    });
                }
                let seen = Seen {
                    value: tag,
                    object: Some(known.met.1),
                };
                if is_new {
                    return Ok((tag, seen));
                }
                seen
            }
        };
        // SAFETY: the caller gave it up, and it was met before.
        unsafe { self.jni.drop_local(object) };
        Ok((tag, seen))
    }

    /// The tag of an object that is a class or known from now on.
    fn tag(&mut self, object: Object<'f>) -> Result<i64, Cut> {
        let tag = self.jvmti.tag(object)?.unwrap_or_default();
        match self.heap.objects.get_mut(tag) {
            _ if Tag::is_of_class(tag) => {}
            None => return self.first(object),
            Some(known) if known.reference.is_none() => {
                known.reference = Some(self.jni.weak(object)?);
            }
            Some(_) => {}
        }
        Ok(tag)
    }

    /// Notes how an object counts that is not known; its tag.
    fn first(&mut self, object: Object<'f>) -> Result<i64, Cut> {
        let class = self.jni.class_of(object)?;
        let (kind, shape) = self.heap.shape(self.jvmti, self.jni, class)?;
        // SAFETY: nobody else has it.
        unsafe { self.jni.drop_local(class) };
        let tag = self.jvmti.identity(self.heap, object)?;
        let of = match kind {
            Kind::Elsewhere => Of::Unknown,
            // SAFETY: only texts have this kind.
            Kind::Text => Of::Value(xxh3_64(&unsafe { self.jni.text(object)? }) as i64),
            Kind::Boxed => Of::Value(self.value(object, shape)?),
            Kind::Leaf | Kind::Opaque => Of::Value(tag),
            Kind::Plain | Kind::Reference | Kind::PerThread | Kind::Frozen => Of::Open(shape),
        };
        let known = Known {
            of,
            held: None,
            met: (0, 0),
            referred: Vec::new(),
            reference: None,
        };
        self.heap.objects.insert(tag, known);
        Ok(tag)
    }

    /// The value in an object that is nothing else.
    fn value(&self, object: Object<'f>, shape: usize) -> Result<i64, Cut> {
        let mut bytes = Vec::new();
        if let Some(Shape::Fields(fields)) = self.heap.shapes.get(shape) {
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
