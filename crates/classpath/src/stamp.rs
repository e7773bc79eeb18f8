use std::fs::Metadata;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// File systems tick coarsely: a second change within this time may leave the same stamp.
const TICK_MS: u64 = 2_000;

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
            _ => ns / 1_000_000 + 1,
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

/// Whether `path` may have changed at `ms` or later. If it does not exist, the nearest directory
/// above it tells: deleting a file changes the directory that held it.
pub fn changed_since(path: &Path, ms: u64) -> bool {
    let existing = path.ancestors().find_map(|path| path.metadata().ok());
    existing.is_none_or(|metadata| Stamp::of(&metadata).last_change_ms() >= ms)
}
