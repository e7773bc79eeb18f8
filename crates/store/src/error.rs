use std::io;
use std::path::PathBuf;

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process holds the lock.
    #[error("the store is locked by {}", holder_text(*holder))]
    Locked {
        /// Its process id, if known.
        holder: Option<u32>,
    },
    /// What the users of the project say of it cannot be understood.
    #[error("{}: {}", file.display(), why.trim_end())]
    Settings {
        /// Where they say it.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, such as `write`.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

fn holder_text(holder: Option<u32>) -> String {
    match holder {
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}

impl StoreError {
    /// Makes errors of `action` at `path`.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| StoreError::Io {
            action,
            path,
            source,
        }
    }
}

/// The store on disk was not used; everything runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreWarning {
    /// The damage, as a lower-case fragment.
    pub why: String,
    /// The file to which it was moved; absent if it could not be moved.
    pub backup: Option<PathBuf>,
}

impl std::fmt::Display for StoreWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the store is not used, everything runs: {}", self.why)?;
        match &self.backup {
            Some(path) => write!(f, " (kept as {})", path.display()),
            None => Ok(()),
        }
    }
}
