use crate::BuildError;
use std::path::{Path, PathBuf};

/// The directory in which a build runs, and the one in which `.tamis` is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLocation {
    /// The directory that holds `.tamis`.
    pub root: PathBuf,
    /// The directory the build tool is started in.
    pub dir: PathBuf,
}

/// The path without links; an error if there is nothing.
pub(crate) fn existing(path: &Path) -> Result<PathBuf, BuildError> {
    path.canonicalize()
        .map_err(|_| BuildError::Missing(path.to_owned()))
}

/// The nearest directory upwards with `.tamis`.
pub(crate) fn known_root(dir: &Path) -> Option<PathBuf> {
    dir.ancestors()
        .find(|dir| dir.join(".tamis").exists())
        .map(Path::to_owned)
}
