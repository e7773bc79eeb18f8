//! The probe arrays: who has which, and reading them.

use crate::agent::{Agent, State};
use crate::watchers;
use std::ffi::CString;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use tamis_attribution::{SparseBits, Word};
use tamis_instrument::probes::Probes;
use tamis_instrument::runtime::{SEGMENT, segment_bytes, segment_class};
use tamis_jvmti::{Global, Jni};

/// The probes that are taken.
#[derive(Default)]
pub(crate) struct Allocation {
    /// Segments whose class is defined.
    defined: u32,
    /// Probes taken in the last of them.
    used: u32,
}

/// The arrays, as far as their classes have been initialized.
#[derive(Default)]
pub(crate) struct Segments {
    arrays: Vec<Option<Global>>,
    used: Vec<u32>,
}

/// The number of a probe in this JVM.
pub(crate) fn number(segment: u32, index: u32) -> u32 {
    segment * SEGMENT + index
}

/// Takes consecutive probes for the methods of a class; `None` if there are too many or the JVM
/// refuses the class that holds them.
pub(crate) fn reserve(agent: &Agent, jni: &mut Jni<'_>, methods: u16) -> Option<Probes> {
    let methods = u32::from(methods);
    if methods > SEGMENT {
        return None;
    }
    let mut allocation = agent
        .allocation
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    if allocation.defined == 0 || allocation.used + methods > SEGMENT {
        let segment = allocation.defined;
        let name = CString::new(segment_class(segment)).ok()?;
        jni.frame(|jni| {
            let bytes = segment_bytes(segment, agent.config.receivers);
            jni.define_class(&name, None, &bytes).map(|_| ())
        })
        .ok()?;
        allocation.defined += 1;
        allocation.used = 0;
    }
    let first = allocation.used;
    allocation.used += methods;
    Some(Probes {
        segment: allocation.defined - 1,
        first: first as u16,
    })
}

impl Segments {
    /// Probes up to `end` of a segment are in use.
    pub(crate) fn grow(&mut self, segment: u32, end: u32) {
        let segment = segment as usize;
        if self.used.len() <= segment {
            self.used.resize(segment + 1, 0);
        }
        if let Some(used) = self.used.get_mut(segment) {
            *used = end.max(*used);
        }
    }

    pub(crate) fn register(&mut self, segment: u32, array: Global) {
        let segment = segment as usize;
        if self.arrays.len() <= segment {
            self.arrays.resize_with(segment + 1, || None);
        }
        if let Some(slot) = self.arrays.get_mut(segment) {
            *slot = Some(array);
        }
    }

    /// The probes that fired since the last time; they are cleared.
    fn drain(&self, jni: &Jni<'_>) -> Option<SparseBits> {
        let mut fired = SparseBits::default();
        for (segment, (array, &used)) in (0..).zip(self.arrays.iter().zip(&self.used)) {
            let Some(array) = array else { continue };
            // SAFETY: the segment class handed over its `byte[]`; the body only reads and writes it.
            unsafe {
                jni.with_bytes(array.object(), |bytes| {
                    let bytes = bytes.get(..used as usize).unwrap_or(bytes);
                    let first = number(segment, 0) / 64;
                    take(bytes, |(word, bits)| {
                        fired.insert_word((first + word, bits))
                    });
                })
            }
            .ok()?;
        }
        Some(fired)
    }
}

// The words of a segment are words of all probes.
const _: () = assert!(SEGMENT.is_multiple_of(64));

/// Clears the bytes that are set and names them, 64 of them as one word. A probe that fires between the look
/// and the clearing is one that is named anyway, for the units that are active now: so only bytes that were
/// seen to be set are written.
fn take(bytes: &[AtomicU8], mut fired: impl FnMut(Word)) {
    for (word, bytes) in (0..).zip(bytes.chunks(64)) {
        // SAFETY: eight atomics of one byte can be read as one of eight where they are aligned; the
        // other side is machine code of the JIT that writes single bytes.
        let (head, eights, tail) = unsafe { bytes.align_to::<AtomicU64>() };
        let is_set =
            |bytes: &[AtomicU8]| bytes.iter().any(|byte| byte.load(Ordering::Relaxed) != 0);
        let all = eights
            .iter()
            .fold(0, |all, eight| all | eight.load(Ordering::Relaxed));
        if all == 0 && !is_set(head) && !is_set(tail) {
            continue;
        }
        let mut bits = 0;
        for (bit, byte) in (0..).zip(bytes) {
            if byte.load(Ordering::Relaxed) != 0 {
                byte.store(0, Ordering::Relaxed);
                bits |= 1 << bit;
            }
        }
        fired((word, bits));
    }
}

/// Hands what ran since the last boundary to whom it belongs.
pub(crate) fn settle(agent: &Agent, state: &mut State, jni: &Jni<'_>) {
    let fired = state.segments.drain(jni).and_then(|mut fired| {
        fired.extend(state.places.take(jni)?);
        Some(fired)
    });
    let Some(mut ran) = fired else {
        state.distrust = Some("the probes could not be read".into());
        return;
    };
    let events = watchers::events(agent, state);
    let active = state.units.active();
    let mut for_all = state.jdk_caches.settle(&state.classes, &active, &ran);
    for_all.extend(events.cached_by_jdk);
    state.units.count_for_all(&for_all);
    ran.extend(events.seen);
    state.units.executed(&ran);
    // An initializer comes to such an object only on its own thread, or through a static field, which is a
    // root itself.
    for (thread, event) in events.on_threads {
        state
            .units
            .executed_on(thread, &[event].into_iter().collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis_attribution::numbers;

    #[test]
    fn every_set_byte_is_named_once_and_cleared_at_any_alignment() {
        let bytes: Vec<AtomicU8> = (0..100).map(|_| AtomicU8::new(0)).collect();
        for start in 0..9 {
            let window = &bytes[start..90 + start];
            let set = [0, 7, 8, 9, 40, 88, 89];
            set.iter()
                .for_each(|&i: &usize| window[i].store(1, Ordering::Relaxed));
            let mut named = Vec::new();
            take(window, |word| {
                named.extend(numbers(word).map(|i| i as usize))
            });
            assert_eq!(named, set, "start {start}");
            take(window, |_| panic!("still set"));
        }
    }
}
