use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// File systems tick coarsely: a second change within this time may leave the same stamp.
const TICK_MS: u64 = 2_000;

/// The clock that the kernel takes for files may be that much behind the one that is asked for.
const CLOCK_LAG_MS: u64 = 10;

/// As many links as a path may lead through.
const MOST_LINKS: usize = 40;

/// What a file system says of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified_ns: u64,
    pub(crate) changed_ns: u64,
    pub(crate) inode: u64,
    pub(crate) device: u64,
}

impl Stamp {
    /// The same as numbers, of which a later file has others.
    pub(crate) fn numbers(&self) -> [u64; 5] {
        [
            self.size,
            self.modified_ns,
            self.changed_ns,
            self.inode,
            self.device,
        ]
    }

    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        let ns = |seconds: i64, ns: i64| {
            let all = seconds.saturating_mul(1_000_000_000).saturating_add(ns);
            u64::try_from(all).unwrap_or_default()
        };
        Stamp {
            size: metadata.len(),
            modified_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            device: metadata.dev(),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let since_1970 = |time: SystemTime| time.duration_since(UNIX_EPOCH).ok();
        let modified = metadata.modified().ok().and_then(since_1970);
        let modified_ns = modified.map_or(u64::MAX, |time| time.as_nanos() as u64);
        Stamp {
            size: metadata.len(),
            modified_ns,
            changed_ns: modified_ns,
            inode: 0,
            device: 0,
        }
    }

    /// The latest moment at which the file can have changed. Times of whole seconds come from
    /// file systems that know no better.
    fn last_change_ms(&self) -> u64 {
        let ms = |ns: u64| match ns % 1_000_000_000 {
            0 => (ns / 1_000_000).saturating_add(TICK_MS),
            _ => (ns / 1_000_000).saturating_add(1 + CLOCK_LAG_MS),
        };
        ms(self.modified_ns).max(ms(self.changed_ns))
    }

    /// Whether a change after this stamp was taken would show in a later stamp.
    pub(crate) fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now_ms = now.map_or(0, |now| now.as_millis() as u64);
        self.last_change_ms().saturating_add(TICK_MS) < now_ms
    }
}

/// The latest moment at which `path` can have changed. If it does not exist, the nearest directory
/// above it tells: deleting a file changes the directory that held it.
pub(crate) fn last_change_ms(path: &Path) -> u64 {
    let existing = path.ancestors().find_map(|path| path.metadata().ok());
    existing.map_or(u64::MAX, |metadata| Stamp::of(&metadata).last_change_ms())
}

/// The latest moment at which something else can have come into the place of `path`, as old as that
/// may be: a link on the way was switched, or a directory moved here.
pub(crate) fn last_arrival_ms(path: &Path) -> u64 {
    let mut latest = 0;
    let mut links = 0;
    let mut next: Vec<PathBuf> = vec![path.to_owned()];
    while let Some(path) = next.pop() {
        // A link with a slash or a dot behind it is what it leads to.
        let path: PathBuf = path.components().collect();
        for part in path.ancestors() {
            let Ok(metadata) = part.symlink_metadata() else {
                continue;
            };
            latest = latest.max(arrival_ms(&metadata));
            if metadata.is_symlink() {
                links += 1;
                let target = part.read_link().ok().filter(|_| links <= MOST_LINKS);
                let Some(target) = target else {
                    return u64::MAX;
                };
                next.push(part.parent().unwrap_or(part).join(target));
            }
        }
    }
    latest
}

/// Whether `path`, or what leads to it, may have changed at `ms` (since 1970) or later.
pub fn changed_since(path: &Path, ms: u64) -> bool {
    last_change_ms(path).max(last_arrival_ms(path)) >= ms
}

/// The same for one name, without what leads to it.
pub(crate) fn arrival_ms(metadata: &Metadata) -> u64 {
    let stamp = Stamp::of(metadata);
    // What is put into a directory or taken out of it changes both times alike.
    let moved = metadata.is_dir() && stamp.changed_ns != stamp.modified_ns;
    match metadata.is_symlink() || moved {
        true => Stamp {
            modified_ns: stamp.changed_ns,
            ..stamp
        }
        .last_change_ms(),
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn stamp(modified_ns: u64, changed_ns: u64) -> Stamp {
        Stamp {
            size: 1,
            modified_ns,
            changed_ns,
            inode: 1,
            device: 1,
        }
    }

    #[test]
    fn times_of_whole_seconds_are_coarse() {
        let check = |modified_ns, changed_ns, expected_ms| {
            assert_eq!(stamp(modified_ns, changed_ns).last_change_ms(), expected_ms);
        };
        check(5 * SECOND_NS, 4 * SECOND_NS, 7_000);
        check(5 * SECOND_NS + 1, 4 * SECOND_NS, 6_000);
        check(5 * SECOND_NS + 1, 4 * SECOND_NS + 1, 5_011);
        check(0, 9 * SECOND_NS + 999_999_999, 10_010);
    }

    #[test]
    fn a_time_in_the_future_never_settles() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now_ns = now.as_nanos() as u64;
        assert!(stamp(1, now_ns - 3 * SECOND_NS).is_settled());
        assert!(!stamp(1, now_ns - SECOND_NS).is_settled());
        assert!(!stamp(1, now_ns + 3600 * SECOND_NS).is_settled());
        assert!(!stamp(now_ns + 3600 * SECOND_NS, 1).is_settled());
        assert!(!stamp(u64::MAX, u64::MAX).is_settled());
    }
}
