//! The command under test.

use std::path::Path;
use std::process::Command;

/// `tamis` in a directory, with a cache that survives it.
pub(crate) fn tamis(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tamis"));
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    command.env("XDG_CACHE_HOME", cache).current_dir(dir);
    command
}
