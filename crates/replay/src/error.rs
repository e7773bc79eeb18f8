use std::path::PathBuf;
use tamis_build::BuildError;
use thiserror::Error;

/// An error that ends a replay.
#[derive(Debug, Error)]
pub enum Error {
    /// There is no `git` to start.
    #[error("cannot start git: {0}; a replay needs it")]
    NoGit(#[source] std::io::Error),
    /// Git refused.
    #[error("git {command}: {message}")]
    Git {
        /// What it was asked.
        command: String,
        /// What it said.
        message: String,
    },
    /// A technique that nobody knows.
    #[error("{0}")]
    Technique(String),
    /// A file or directory could not be written or read.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The work area belongs to another replay.
    #[error(
        "{} has a replay that was made in another way ({differs}); take another directory with --area, \
         or throw it away with --restart",
        area.display()
    )]
    OtherReplay {
        /// The work area.
        area: PathBuf,
        /// What is different.
        differs: String,
    },
    /// What was recorded cannot be read.
    #[error(transparent)]
    Store(#[from] tamis_store::StoreError),
    /// The build tool could not be started.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is nothing to replay.
    #[error("{0}")]
    Nothing(String),
}

impl Error {
    /// Whether other arguments would avoid it.
    pub fn is_of_use(&self) -> bool {
        match self {
            Error::Io { .. } => false,
            Error::Build(error) => error.is_usage_error(),
            _ => true,
        }
    }

    /// For `map_err` behind an action on a file.
    pub(crate) fn io(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.into();
        move |source| Error::Io { what, path, source }
    }
}
