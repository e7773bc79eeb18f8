use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why nobody can say what changed.
#[derive(Debug, Error)]
pub enum SourceError {
    /// There is no `git` to start.
    #[error("cannot start git: {0}; install it, or select without a revision")]
    NoGit(#[source] io::Error),
    /// The project is in no repository.
    #[error(
        "{} is not in a git repository; run this in a checkout, or select without a revision",
        project.display()
    )]
    NoRepository {
        /// The root of the project.
        project: PathBuf,
    },
    /// The repository around the project knows no file of it.
    #[error(
        "git ignores all files of {}; make it a repository of its own, or select without a revision",
        project.display()
    )]
    Ignored {
        /// The root of the project.
        project: PathBuf,
    },
    /// The revision does not exist here.
    #[error("there is no revision `{revision}` in this repository; {}", advice(*shallow))]
    NoRevision {
        /// What was asked for.
        revision: String,
        /// Whether the history of the repository is cut off.
        shallow: bool,
    },
    /// Git refused.
    #[error("git {command}: {message}")]
    Git {
        /// What it was asked.
        command: String,
        /// What it said.
        message: String,
    },
    /// Git started, but could not be talked to.
    #[error("cannot read what git {command} says: {source}")]
    Pipe {
        /// What it was asked.
        command: String,
        /// What went wrong.
        source: io::Error,
    },
}

fn advice(shallow: bool) -> &'static str {
    match shallow {
        true => {
            "this clone is shallow: run `git fetch --unshallow`, or have the CI check out the whole history \
             (`fetch-depth: 0` for actions/checkout), and name branches as `origin/main`"
        }
        false => "run `git fetch`, and name branches of the remote as `origin/main`",
    }
}
