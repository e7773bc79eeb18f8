use crate::exit_code::ExitCode;
use std::io;
use std::path::PathBuf;
use tamis_build::BuildError;
use tamis_store::StoreError;

/// Why a command could not do its work. Each error knows its message and its exit code.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Source(#[from] tamis_source::SourceError),
    #[error(transparent)]
    Replay(#[from] tamis_replay::Error),
    /// Wrong use.
    #[error("{0}")]
    Usage(String),
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Tests ran, but what they recorded did not reach the store.
    #[error("{source}; the results are kept in {}, and the next `tamis` command stores them", run_dir.display())]
    NotTakenIn {
        source: StoreError,
        run_dir: PathBuf,
    },
    #[error("cannot catch signals: {0}")]
    Signals(io::Error),
}

impl Error {
    /// Makes errors of `action` at `path`.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io {
            action,
            path,
            source,
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Error::Build(BuildError::Interrupted) => ExitCode::Interrupted,
            Error::Build(error) if error.is_usage_error() => ExitCode::Usage,
            Error::Usage(_) | Error::Source(_) | Error::Store(StoreError::Settings { .. }) => {
                ExitCode::Usage
            }
            Error::Replay(error) if error.is_of_use() => ExitCode::Usage,
            Error::Build(_)
            | Error::Replay(_)
            | Error::Store(_)
            | Error::Io { .. }
            | Error::NotTakenIn { .. }
            | Error::Signals(_) => ExitCode::Internal,
        }
    }
}
