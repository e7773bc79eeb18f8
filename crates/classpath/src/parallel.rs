//! Two cores are better than one: lookups read files, and first looks at jars inflate them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// More threads than this wait for the disk and not for the processor.
const THREADS: usize = 8;

/// Applies `f` to every item, `block` neighbours at a time per thread, and keeps the order.
pub fn map<T: Sync, R: Send>(items: &[T], block: usize, f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(THREADS);
    let blocks: Vec<&[T]> = items.chunks(block.max(1)).collect();
    if threads == 1 || blocks.len() < 2 {
        return items.iter().map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(blocks.len()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(block) = blocks.get(at) else { break };
            let results: Vec<R> = block.iter().map(&f).collect();
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((at, results));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(blocks.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_is_kept() {
        for length in [0, 1, 7, 1000] {
            let items: Vec<usize> = (0..length).collect();
            assert_eq!(super::map(&items, 3, |item| *item), items);
        }
    }
}
