//! Appends records to this JVM's own file.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use tamis_recording::{MAGIC, Record, VERSION, frame, run_dir};

/// The file of this JVM. After the first failed write nothing more is written: what stands there is
/// whole up to that point, and the tests behind it count as not recorded.
#[derive(Debug)]
pub(crate) struct Spool {
    file: Option<File>,
}

impl Spool {
    pub(crate) fn create(directory: &Path, unique: u128) -> Spool {
        let name = format!(
            "{}-{unique}.{}",
            std::process::id(),
            run_dir::SPOOL_EXTENSION
        );
        let file = File::options()
            .append(true)
            .create_new(true)
            .open(directory.join(name));
        let mut spool = Spool { file: file.ok() };
        let mut start = MAGIC.to_vec();
        start.extend_from_slice(&VERSION.to_le_bytes());
        spool.append(&start);
        spool
    }

    /// Appends all records in one write, so that a kill loses whole frames at most.
    pub(crate) fn write(&mut self, records: &[Record]) {
        let bytes: Vec<u8> = records.iter().flat_map(frame).collect();
        self.append(&bytes);
    }

    fn append(&mut self, bytes: &[u8]) {
        if let Some(file) = &mut self.file
            && file.write_all(bytes).is_err()
        {
            self.file = None;
        }
    }
}
