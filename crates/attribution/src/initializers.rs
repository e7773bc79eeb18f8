//! Static initializers that run, and what runs in each.
//!
//! All that run get what runs, on any thread: the last one notes it, and hands it to the one before when it ends, so
//! that what runs is noted once. What is known to happen on one thread counts for those of that thread alone.

use crate::SparseBits;

/// An initializer that runs now.
#[derive(Debug)]
struct Running {
    class: u32,
    thread: u64,
    /// What ran since it started and before the next one did, and in those behind it that have ended.
    probes: SparseBits,
    /// What is known to have happened on its thread meanwhile, likewise.
    on_thread: SparseBits,
}

/// The probes that fired in an initializer.
#[derive(Debug, PartialEq, Eq)]
pub struct Initialized {
    /// The class that was initialized.
    pub class: u32,
    /// The probes that fired meanwhile.
    pub probes: SparseBits,
    /// Its end was not seen: it may have thrown.
    pub broken: bool,
}

/// The initializers that run, in the order in which they started.
#[derive(Debug, Default)]
pub(crate) struct Initializers(Vec<Running>);

impl Initializers {
    /// Hands out what ran, on any thread; whether one of them runs.
    pub(crate) fn executed(&mut self, ran: &SparseBits) -> bool {
        let innermost = self.0.last_mut();
        innermost.map(|running| running.probes.union(ran)).is_some()
    }

    /// Hands out what happened on `thread` alone; whether one of them runs there.
    pub(crate) fn executed_on(&mut self, thread: u64, ran: &SparseBits) -> bool {
        let innermost = self.0.iter_mut().rfind(|running| running.thread == thread);
        innermost
            .map(|running| running.on_thread.union(ran))
            .is_some()
    }

    /// Whether one of them runs on `thread`.
    pub(crate) fn run_on(&self, thread: u64) -> bool {
        self.0.iter().any(|running| running.thread == thread)
    }

    /// The initializer of `class` starts on `thread`.
    pub(crate) fn started(&mut self, class: u32, thread: u64) {
        self.0.push(Running {
            class,
            thread,
            probes: SparseBits::default(),
            on_thread: SparseBits::default(),
        });
    }

    /// The initializer of `class` ended, and with it those inside it that never said so.
    pub(crate) fn ended(&mut self, class: u32, thread: u64) -> Vec<Initialized> {
        let position = self
            .0
            .iter()
            .rposition(|r| r.class == class && r.thread == thread);
        let mut ended = match position {
            Some(position) => self.close(thread, position),
            None => Vec::new(),
        };
        if let Some(outermost) = ended.first_mut() {
            outermost.broken = false;
        }
        ended
    }

    /// All initializers of `thread` from `position` on end now, without having said so.
    fn close(&mut self, thread: u64, position: usize) -> Vec<Initialized> {
        let mut closed = Vec::new();
        for at in (position..self.0.len()).rev() {
            if self.0.get(at).is_some_and(|r| r.thread == thread) {
                closed.extend(self.seen_in(at));
                let ended = self.0.remove(at);
                let before = self.0.get_mut(..at).unwrap_or_default();
                if let Some(before) = before.last_mut() {
                    before.probes.union(&ended.probes);
                }
                if let Some(around) = before.iter_mut().rfind(|r| r.thread == thread) {
                    around.on_thread.union(&ended.on_thread);
                }
            }
        }
        closed.reverse();
        closed
    }

    /// The probes that fired in the initializer at `position` so far.
    fn seen_in(&self, position: usize) -> Option<Initialized> {
        let since = self.0.get(position..).unwrap_or_default();
        let (running, later) = since.split_first()?;
        let mut probes = running.probes.clone();
        probes.union(&running.on_thread);
        for later in later {
            probes.union(&later.probes);
            if later.thread == running.thread {
                probes.union(&later.on_thread);
            }
        }
        Some(Initialized {
            class: running.class,
            probes,
            broken: true,
        })
    }

    /// Initializers that threw stay open; the end of a unit on their thread closes them. Those of
    /// other threads go on, and what they saw so far is given too.
    pub(crate) fn settle(&mut self, thread: u64) -> Vec<Initialized> {
        let mut seen = self.close(thread, 0);
        let open = 0..self.0.len();
        seen.extend(open.filter_map(|position| self.seen_in(position)));
        seen
    }
}
