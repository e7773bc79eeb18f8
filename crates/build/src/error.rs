use crate::Capability;
use crate::tools::{project_files, tool_names};
use std::io;
use std::path::PathBuf;

/// Why tests could not be started.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No directory from the start upwards is a project of any build tool.
    #[error(
        "no {files} in {0} or above it: not a {tools} project; go to one, give --project DIR, or \
         name the command that runs your tests after `--`",
        files = project_files(),
        tools = tool_names()
    )]
    NotAProject(PathBuf),
    /// Arguments for a build tool and a command that runs instead of it.
    #[error(
        "{tools} arguments cannot be combined with a command after `--`: give `{0}` to that command, \
         or leave it out",
        tools = tool_names()
    )]
    ArgumentsBesideCommand(String),
    /// A build tool was asked for what it cannot do.
    #[error("{tool} cannot {capability}")]
    Unsupported {
        /// The tool.
        tool: &'static str,
        /// What it was asked for.
        capability: Capability,
    },
    /// A build tool that only starts tests was asked how they end.
    #[error("{0} cannot tell how each test ends without tamis, which a replay must know")]
    NoPlainBuilds(&'static str),
    /// The directory or the file that the user named does not exist.
    #[error("{0} does not exist")]
    Missing(PathBuf),
    /// The build tool is not there.
    #[error("no {tool}: {missing}")]
    NoTool {
        /// Its name.
        tool: &'static str,
        /// What there would have to be.
        missing: &'static str,
    },
    /// There is no Java for the build tool to run on.
    #[error("no JDK: {0}")]
    NoJava(String),
    /// A path that no JVM option can carry.
    #[error("the path {0} contains {1}, which a JVM option cannot carry; use another directory")]
    Unquotable(PathBuf, &'static str),
    /// A file for a build, or of one, cannot be written or read.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// The command could not be started.
    #[error("could not start {program}: {source}")]
    Start {
        /// What was to be started.
        program: String,
        /// Why it was not.
        source: io::Error,
    },
    /// The user or the system asked to stop before anything was started.
    #[error("interrupted before the build started")]
    Interrupted,
    /// The command could not be waited for.
    #[error("cannot wait for the build to end: {0}")]
    Wait(io::Error),
}

impl BuildError {
    /// Makes errors of `action` on a file.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> BuildError {
        let path = path.into();
        move |source| BuildError::File {
            action,
            path,
            source,
        }
    }

    /// Whether the user can put it right: by other arguments, in another directory, by installing something.
    pub fn is_usage_error(&self) -> bool {
        !matches!(self, BuildError::Wait(_) | BuildError::File { .. })
    }
}
