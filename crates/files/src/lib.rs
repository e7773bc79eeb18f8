//! Writes files whole or not at all: who reads one sees what it was, or what it is to be, however many
//! write it at once and whatever goes wrong.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells the temporary files of one process apart.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Writes a file whole or not at all. After a power cut it may be damaged: for files that are checked when they
/// are read, or of which nobody asks then.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |file| file.write_all(bytes))
}

/// Writes a file whole or not at all, power cuts included.
pub fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |file| {
        file.write_all(bytes)?;
        file.sync_all()
    })?;
    // The new name must survive, too, where directories can be synced.
    if let Some(Ok(directory)) = path.parent().map(File::open) {
        let _ = directory.sync_all();
    }
    Ok(())
}

fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let number = WRITES.fetch_add(1, Ordering::Relaxed);
    let temporary = path.with_added_extension(format!("{}-{number}.tmp", process::id()));
    let replaced = File::create(&temporary)
        .and_then(|mut file| write(&mut file))
        .and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // What it holds is of no use to anyone, and the first error tells what went wrong.
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    #[test]
    fn a_file_is_made_and_replaced() {
        for write in [write, write_synced] {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("a.json");
            for text in ["first", "2"] {
                write(&file, text.as_bytes()).unwrap();
                assert_eq!(fs::read_to_string(&file).unwrap(), text);
                assert_eq!(names(dir.path()), ["a.json"]);
            }
        }
    }

    #[test]
    fn what_was_there_stays_if_it_cannot_be_replaced() {
        for write in [write, write_synced] {
            let dir = tempfile::tempdir().unwrap();
            let directory = dir.path().join("a");
            fs::create_dir(&directory).unwrap();
            assert!(write(&directory, b"x").is_err());
            assert_eq!(names(dir.path()), ["a"]);
            assert!(write(&dir.path().join("none/b"), b"x").is_err());
        }
    }

    #[test]
    fn who_reads_sees_what_one_of_the_writers_wrote() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        write(&file, &[0; 9_000]).unwrap();
        thread::scope(|scope| {
            for byte in 0..4 {
                let file = &file;
                scope.spawn(move || {
                    for _ in 0..200 {
                        write(file, &[byte; 9_000]).unwrap();
                        let read = fs::read(file).unwrap();
                        assert_eq!(read, vec![read[0]; 9_000]);
                    }
                });
            }
        });
        assert_eq!(names(dir.path()), ["a"]);
    }
}
