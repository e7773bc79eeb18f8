use crate::java::{find_java, is_executable, on_path};
use crate::{BuildError, ProjectLocation};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files from which the `mvn` script may take another `JAVA_HOME`.
const RC_FILES: [&str; 2] = ["/etc/mavenrc", "/usr/local/etc/mavenrc"];

/// Neither the wrapper nor Maven itself is there.
const NO_MAVEN: BuildError = BuildError::NoTool {
    tool: "Maven",
    missing: "there is no mvnw in the project and no mvn on the PATH or in MAVEN_HOME",
};

/// The wrapper in the project, or the installed Maven; with a Java for it to run on.
pub(super) fn find(location: &ProjectLocation) -> Result<PathBuf, BuildError> {
    let program = wrapper(location).or_else(installed).ok_or(NO_MAVEN)?;
    if let Err(no_java) = find_java()
        && !has_rc_file()
    {
        return Err(no_java);
    }
    Ok(program)
}

/// The command that runs Maven, without arguments.
pub(super) fn start(location: &ProjectLocation) -> Result<Command, BuildError> {
    let program = find(location)?;
    let mut command = if is_executable(&program) {
        Command::new(&program)
    } else {
        // A wrapper that lost its permission on the way is still a script.
        let mut shell = Command::new("sh");
        shell.arg(&program);
        shell
    };
    command.current_dir(&location.dir);
    Ok(command)
}

fn wrapper(location: &ProjectLocation) -> Option<PathBuf> {
    let within = location
        .dir
        .ancestors()
        .take_while(|dir| dir.starts_with(&location.root));
    within
        .map(|dir| dir.join("mvnw"))
        .find(|file| file.is_file())
}

fn installed() -> Option<PathBuf> {
    let homes = ["MAVEN_HOME", "M2_HOME"]
        .into_iter()
        .filter_map(env::var_os);
    on_path("mvn").or_else(|| {
        homes
            .map(|home| Path::new(&home).join("bin/mvn"))
            .find(|file| is_executable(file))
    })
}

fn has_rc_file() -> bool {
    let own = env::home_dir().map(|home| home.join(".mavenrc"));
    RC_FILES
        .iter()
        .map(PathBuf::from)
        .chain(own)
        .any(|file| file.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_wrapper_within_the_project_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let location = ProjectLocation {
            root: dir.path().join("p"),
            dir: dir.path().join("p/core"),
        };
        std::fs::create_dir_all(&location.dir).unwrap();
        std::fs::write(dir.path().join("mvnw"), "").unwrap();
        assert_eq!(wrapper(&location), None);
        std::fs::write(location.root.join("mvnw"), "").unwrap();
        assert_eq!(wrapper(&location), Some(location.root.join("mvnw")));
    }
}
