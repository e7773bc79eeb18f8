use std::io;
use std::path::PathBuf;

/// Why tests could not be started.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No directory from the start upwards has a `pom.xml`.
    #[error(
        "no pom.xml in {0} or above it: not a Maven project; go to one, give --project DIR, or \
         name the command that runs your tests after `--`"
    )]
    NotAProject(PathBuf),
    /// The directory or POM that the user named is not there.
    #[error("{0} does not exist")]
    Missing(PathBuf),
    /// Neither the wrapper nor Maven itself is there.
    #[error("no Maven: there is no mvnw in the project and no mvn on the PATH or in MAVEN_HOME")]
    NoMaven,
    /// There is no Java for Maven to run on.
    #[error("no JDK: {0}")]
    NoJava(String),
    /// A path that no JVM option can carry.
    #[error("the path {0} contains {1}, which a JVM option cannot carry; use another directory")]
    Unquotable(PathBuf, &'static str),
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
    #[error("lost the build: {0}")]
    Wait(io::Error),
}
