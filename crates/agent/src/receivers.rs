//! On which objects methods ran: pairs of a method and the class of a receiver.
//!
//! A pair is a [`PseudoProbe`](crate::pseudo_probes::PseudoProbe), so that it reaches whoever its method reaches.
//!
//! The Java side asks about a class that it does not find in the method's place. The agent notes the
//! pair and puts the class there; at a boundary it empties the places that it filled. Both happen
//! while the state is locked, and nobody else writes: a class that is found has been noted since
//! the last boundary. A thread that looks just before that runs a method that is noted for the
//! units that were active then, as with a probe.

use crate::probes::number;
use std::collections::HashMap;
use tamis_instrument::runtime::SEGMENT;
use tamis_jvmti::{Global, Jni, Object, Thrown};

/// The content of a method's place.
#[derive(Debug, Clone, Copy)]
struct Filled {
    /// How many classes.
    classes: u32,
    /// In a table of this size; a single class is there itself.
    size: u32,
}

/// The places that the Java side reads: per segment an array with a place for every method.
#[derive(Default)]
pub(crate) struct Places {
    arrays: Vec<Option<Global>>,
    /// By the probes of the methods.
    filled: HashMap<u32, Filled>,
    /// The pairs since the last boundary.
    noted: Vec<u32>,
}

/// A class that the Java side asks about.
pub(crate) struct Receiver<'a> {
    pub(crate) class: Object<'a>,
    pub(crate) hash: u32,
    pub(crate) segment: u32,
    pub(crate) index: u32,
}

impl Places {
    pub(crate) fn register(&mut self, segment: u32, array: Global) {
        let segment = segment as usize;
        if self.arrays.len() <= segment {
            self.arrays.resize_with(segment + 1, || None);
        }
        if let Some(slot) = self.arrays.get_mut(segment) {
            *slot = Some(array);
        }
    }

    /// Notes a pair for those who are active.
    pub(crate) fn note(&mut self, pair: u32) {
        self.noted.push(pair);
    }

    /// Puts a class where the Java side finds it. If that fails, it asks again.
    pub(crate) fn fill(&mut self, jni: &Jni<'_>, receiver: &Receiver<'_>) -> Result<(), Thrown> {
        let array = self.arrays.get(receiver.segment as usize);
        let array = array.and_then(Option::as_ref).ok_or(Thrown)?.object();
        let probe = number(receiver.segment, receiver.index);
        let known = self.filled.get(&probe).copied();
        if known.is_some_and(|filled| filled.size == 1) {
            // SAFETY: the segment's class handed over its `Object[]`.
            let only = unsafe { jni.element(array, receiver.index)? };
            if jni.same(only, Some(receiver.class)) {
                // Another thread was faster.
                return Ok(());
            }
        }
        let filled = match known {
            // SAFETY: the segment's class handed over its `Object[]`.
            None => unsafe {
                jni.set_element(array, receiver.index, Some(receiver.class))?;
                Filled {
                    classes: 1,
                    size: 1,
                }
            },
            Some(Filled { classes, size }) if (classes + 1) * 4 <= size * 3 => {
                // SAFETY: as above; where there is more than one class, there is a table.
                let table = unsafe { jni.element(array, receiver.index)? }.ok_or(Thrown)?;
                // SAFETY: as above.
                let new = unsafe { insert(jni, table, size, receiver)? };
                Filled {
                    classes: classes + u32::from(new),
                    size,
                }
            }
            Some(Filled { size, .. }) => {
                // A larger table. The Java side asks about the others again.
                let size = if size == 1 { 8 } else { size * 4 };
                let table = jni.new_array(size)?;
                // SAFETY: both are arrays of objects.
                unsafe {
                    insert(jni, table, size, receiver)?;
                    jni.set_element(array, receiver.index, Some(table))?;
                }
                Filled { classes: 1, size }
            }
        };
        self.filled.insert(probe, filled);
        Ok(())
    }

    /// The pairs since the last boundary; all places are emptied.
    pub(crate) fn take(&mut self, jni: &Jni<'_>) -> Option<Vec<u32>> {
        for (probe, _) in self.filled.drain() {
            let array = self.arrays.get((probe / SEGMENT) as usize)?.as_ref()?;
            // SAFETY: the segment's class handed over its `Object[]`.
            unsafe { jni.set_element(array.object(), probe % SEGMENT, None) }.ok()?;
        }
        Some(std::mem::take(&mut self.noted))
    }
}

/// Puts a class into a table of classes, which has an empty place; says whether it is new there. The
/// Java side looks from the place of its hash on up to the first empty one.
///
/// # Safety
/// `table` must be an array of objects with `size` places, a power of two.
unsafe fn insert(
    jni: &Jni<'_>,
    table: Object<'_>,
    size: u32,
    receiver: &Receiver<'_>,
) -> Result<bool, Thrown> {
    let mut at = receiver.hash & (size - 1);
    // SAFETY: the caller vouches for the table.
    unsafe {
        while let Some(other) = jni.element(table, at)? {
            if jni.same(Some(other), Some(receiver.class)) {
                return Ok(false);
            }
            at = (at + 1) & (size - 1);
        }
        jni.set_element(table, at, Some(receiver.class))?;
    }
    Ok(true)
}
