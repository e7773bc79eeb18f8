use crate::BuildError;
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The `java` that build tools run on.
pub fn find_java() -> Result<PathBuf, BuildError> {
    if let Some(home) = env::var_os("JAVA_HOME").filter(|home| !home.is_empty()) {
        let java = Path::new(&home).join("bin/java");
        return if is_executable(&java) {
            Ok(java)
        } else {
            let home = Path::new(&home).display();
            Err(BuildError::NoJava(format!(
                "JAVA_HOME is {home}, which has no bin/java"
            )))
        };
    }
    on_path("java").ok_or_else(|| {
        BuildError::NoJava("JAVA_HOME is not set and there is no java on the PATH".into())
    })
}

/// The first executable file of that name on the `PATH`.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| is_executable(file))
}

pub(crate) fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
