use crate::compact::compact;
use crate::format::{self, FormatError};
use crate::model::Store;
use crate::{Lock, Project, StoreError, StoreWarning};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// As many stores that could not be used are kept; the last one makes place for others.
const MOST_KEPT: u32 = 9;

/// A store that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The store; empty if there was none or it could not be used.
    pub store: Store,
    /// Why it could not be used, if so.
    pub warning: Option<StoreWarning>,
}

impl Store {
    /// Reads the store of `project`. What is no whole store of this version is put aside as
    /// `store.damaged-N`, and the answer is an empty store, with which everything runs.
    pub fn load(project: &Project) -> Result<Loaded, StoreError> {
        let path = project.store_file();
        let why = match read(&path) {
            Ok(Ok(store)) => {
                return Ok(Loaded {
                    store,
                    warning: None,
                });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Loaded {
                    store: Store::default(),
                    warning: None,
                });
            }
            Ok(Err(error)) => error.to_string(),
            Err(error) => format!("cannot be read: {error}"),
        };
        let warning = StoreWarning {
            why,
            backup: put_aside(&path),
        };
        Ok(Loaded {
            store: Store::default(),
            warning: Some(warning),
        })
    }

    /// Waits at most `wait` for the sole right to change the store.
    pub fn lock(project: &Project, wait: Duration) -> Result<Lock, StoreError> {
        project.lock(wait)
    }

    /// Writes the store, whole or not at all; class versions that no test refers to are dropped.
    pub fn save(&self, project: &Project) -> Result<(), StoreError> {
        project.create_dir()?;
        self.save_as(&project.store_file())
    }

    /// Reads a store that [`Store::save_as`] wrote; `None` if there is no whole one of this version.
    pub fn load_from(path: &Path) -> Option<Store> {
        read(path).ok()?.ok()
    }

    /// Writes it to a file of its own, whole or not at all.
    pub fn save_as(&self, path: &Path) -> Result<(), StoreError> {
        tamis_files::write_synced(path, &format::encode(&compact(self)))
            .map_err(StoreError::io("write", path))
    }
}

fn read(path: &Path) -> io::Result<Result<Store, FormatError>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    // The length is checked before memory is taken for it.
    let mut bytes = Vec::new();
    (&mut file)
        .take(format::HEAD as u64)
        .read_to_end(&mut bytes)?;
    if let Err(error) = format::check_head(&bytes, length) {
        return Ok(Err(error));
    }
    bytes.try_reserve_exact(length as usize - bytes.len())?;
    file.read_to_end(&mut bytes)?;
    Ok(format::decode(&bytes.into()))
}

fn put_aside(path: &Path) -> Option<PathBuf> {
    let kept = |n: u32| path.with_extension(format!("damaged-{n}"));
    let is_free = |n: &u32| kept(*n).symlink_metadata().is_err();
    let kept = kept((1..MOST_KEPT).find(is_free).unwrap_or(MOST_KEPT));
    fs::rename(path, &kept).ok()?;
    Some(kept)
}
