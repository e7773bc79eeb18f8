use crate::command::AnyCommand;
use crate::location::{existing, known_root};
use crate::{BuildError, Driver, TOOLS};
use std::path::{Path, PathBuf};

/// A build tool that finds the projects which are built with it.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    /// The file by which a directory is known as a project or a module.
    pub(crate) project_file: &'static str,
    /// The directory of the whole build that a module belongs to.
    pub(crate) find_root: fn(module: &Path) -> PathBuf,
    /// The driver of the project that is meant by a directory and the arguments of the user; none if there is none.
    pub(crate) find_driver: FindDriver,
}

type FindDriver = fn(start: &Path, arguments: &[String]) -> Result<Option<Found>, BuildError>;
type Found = Box<dyn Driver>;

/// The driver of the project in a directory or above it, or of the command of the user if there is one.
pub fn find_driver(
    start: &Path,
    arguments: &[String],
    command: &[String],
) -> Result<Box<dyn Driver>, BuildError> {
    if !arguments.is_empty() && !command.is_empty() {
        return Err(BuildError::ArgumentsBesideCommand(arguments.join(" ")));
    }
    if !command.is_empty() {
        return command_driver(start, command);
    }
    let start = existing(start)?;
    let mut nearest: Option<Box<dyn Driver>> = None;
    for tool in &TOOLS {
        let depth = |driver: &dyn Driver| driver.location().dir.components().count();
        if let Some(found) = (tool.find_driver)(&start, arguments)?
            && nearest
                .as_deref()
                .is_none_or(|nearest| depth(&*found) > depth(nearest))
        {
            nearest = Some(found);
        }
    }
    nearest.ok_or(BuildError::NotAProject(start))
}

/// The driver of a command, which runs in this directory. Without a command it can start nothing: that is enough to ask about
/// tests that ran before.
pub fn command_driver(start: &Path, command: &[String]) -> Result<Box<dyn Driver>, BuildError> {
    Ok(Box::new(AnyCommand::new(start, command)?))
}

/// The root of the project that a directory belongs to, whatever it is built with: the nearest one with `.tamis`, or that of
/// the build, or of the repository.
pub fn find_root(start: &Path) -> Result<PathBuf, BuildError> {
    let dir = existing(start)?;
    let nearest_with = |name: &str| dir.ancestors().find(|dir| dir.join(name).exists());
    let of_build = || {
        let is_module = |dir: &Path, tool: &Tool| dir.join(tool.project_file).is_file();
        dir.ancestors().find_map(|dir| {
            let tool = TOOLS.iter().find(|tool| is_module(dir, tool))?;
            Some((tool.find_root)(dir))
        })
    };
    Ok(known_root(&dir)
        .or_else(of_build)
        .or_else(|| nearest_with(".git").map(Path::to_owned))
        .unwrap_or_else(|| dir.clone()))
}

/// The names of all tools, for messages.
pub(crate) fn tool_names() -> String {
    let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    names.join(" or ")
}

/// The files by which projects are known, for messages.
pub(crate) fn project_files() -> String {
    let files: Vec<&str> = TOOLS.iter().map(|tool| tool.project_file).collect();
    files.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A module of a Maven build in `p/libs/core`, and a directory without a build.
    fn tree() -> (tempfile::TempDir, PathBuf) {
        let tree = tempfile::tempdir().unwrap();
        let base = tree.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("p/libs/core/src")).unwrap();
        fs::create_dir_all(base.join("other/src")).unwrap();
        let pom = "<project><modules><module>libs/core</module></modules></project>";
        fs::write(base.join("p/pom.xml"), pom).unwrap();
        fs::write(base.join("p/libs/core/pom.xml"), "<project/>").unwrap();
        (tree, base)
    }

    #[test]
    fn the_root_is_that_of_the_build_or_of_the_repository() {
        let (_tree, base) = tree();
        let check = |start: &str, expected: &str| {
            assert_eq!(find_root(&base.join(start)).unwrap(), base.join(expected));
        };
        check("p/libs/core/src", "p");
        check("other/src", "other/src");
        fs::create_dir(base.join("other/.git")).unwrap();
        check("other/src", "other");
        fs::create_dir(base.join("p/libs/core/.tamis")).unwrap();
        check("p/libs/core/src", "p/libs/core");
        let nowhere = find_root(&base.join("nowhere"));
        assert!(
            matches!(nowhere, Err(BuildError::Missing(_))),
            "{nowhere:?}"
        );
    }

    #[test]
    fn a_command_runs_where_the_user_is() {
        let (_tree, base) = tree();
        let start = base.join("p/libs/core/src");
        let driver = find_driver(&start, &[], &["true".into()]).unwrap();
        assert_eq!(driver.location().root, base.join("p"));
        assert_eq!(driver.location().dir, start);
    }

    #[test]
    fn what_cannot_be_driven_is_said() {
        let (_tree, base) = tree();
        let check = |start: &str, arguments: &[&str], command: &[&str], expected: &str| {
            let owned = |texts: &[&str]| -> Vec<String> {
                texts.iter().map(|text| (*text).to_owned()).collect()
            };
            let driver = find_driver(&base.join(start), &owned(arguments), &owned(command));
            let message = driver.map(|_| ()).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        };
        let tools = tool_names();
        check("other", &[], &[], &format!("not a {tools} project"));
        check("nowhere", &[], &[], "nowhere does not exist");
        check(
            "p",
            &["-o", "verify"],
            &["true"],
            &format!(
                "{tools} arguments cannot be combined with a command after `--`: give `-o verify`"
            ),
        );
    }
}
