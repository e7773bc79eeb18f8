use crate::StoreError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tamis_classpath::{Base, Roots};

const RETRY: Duration = Duration::from_millis(10);

/// A project: the directory that `.tamis` lives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its root.
    pub root: PathBuf,
}

impl Project {
    /// The directory of all files of tamis, `.tamis`.
    pub fn dir(&self) -> PathBuf {
        self.root.join(".tamis")
    }

    /// The directory of run directories.
    pub fn runs_dir(&self) -> PathBuf {
        self.dir().join("runs")
    }

    pub(crate) fn store_file(&self) -> PathBuf {
        self.dir().join("store")
    }

    /// How test classes ended in recorded runs.
    pub(crate) fn history_file(&self) -> PathBuf {
        self.dir().join("history")
    }

    /// What the project was like when tests ran.
    pub(crate) fn baselines_dir(&self) -> PathBuf {
        self.dir().join("baselines")
    }

    pub(crate) fn baseline_file(&self, digest: u128) -> PathBuf {
        self.baselines_dir().join(format!("{digest:032x}"))
    }

    /// Makes [`Project::dir`], which hides itself from git.
    pub fn create_dir(&self) -> Result<(), StoreError> {
        let dir = self.dir();
        fs::create_dir_all(&dir).map_err(StoreError::io("create", &dir))?;
        let ignore = dir.join(".gitignore");
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&ignore)
        {
            Ok(mut file) => file
                .write_all(b"*\n")
                .map_err(StoreError::io("write", ignore)),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(StoreError::io("create", ignore)(error)),
        }
    }

    /// Waits at most `wait` for the lock.
    pub(crate) fn lock(&self, wait: Duration) -> Result<Lock, StoreError> {
        self.create_dir()?;
        let path = self.dir().join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        let deadline = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(RETRY);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(StoreError::Locked {
                        holder: holder(&mut file),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path)(error)),
            }
        }
        // Only for the message of those who wait; the lock itself does not depend on it.
        let _ = file
            .set_len(0)
            .and_then(|()| write!(file, "{}", std::process::id()));
        Ok(Lock { _file: file })
    }

    /// The name of the module in the directory `module`: relative to the root if it lies in it,
    /// however it is reached, and else its place.
    pub fn module_name(&self, module: &Path) -> String {
        let real = module.canonicalize();
        let place = Roots::detect(&self.root).place(real.as_deref().unwrap_or(module));
        match place.base {
            Base::Project => place.path,
            _ => place.to_string(),
        }
    }
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// The store's lock; dropping it frees it, as does the death of the process.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_by_its_directory_in_the_project() {
        let project = Project {
            root: "/some/where/p".into(),
        };
        let check = |module: &str, name: &str| {
            assert_eq!(project.module_name(Path::new(module)), name);
        };
        check("/some/where/p", "");
        check("/some/where/p/core/", "core");
        check("/some/where/p/libs/a", "libs/a");
        check("/some/where/else", "system:some/where/else");
    }

    #[test]
    fn a_module_that_is_reached_through_a_link_is_the_same_module() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("p");
        fs::create_dir_all(root.join("core")).unwrap();
        let (link, module) = (dir.path().join("link"), dir.path().join("module"));
        std::os::unix::fs::symlink(&root, &link).unwrap();
        std::os::unix::fs::symlink(root.join("core"), &module).unwrap();
        for root in [&root, &link] {
            let project = Project { root: root.clone() };
            for module in [root.join("core"), link.join("core"), module.clone()] {
                assert_eq!(project.module_name(&module), "core");
            }
        }
    }
}
