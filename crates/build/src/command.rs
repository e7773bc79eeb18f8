//! Any command that starts JVMs with tests.

mod gradle;

use crate::location::existing;
use crate::{AgentOption, Build, BuildError, Driver, ProjectLocation, find_root};
use std::env;
use std::path::Path;
use std::process::Command;

/// The driver of a command of the user: nothing is known of it but how it is started.
#[derive(Debug)]
pub(crate) struct AnyCommand {
    command: Vec<String>,
    location: ProjectLocation,
}

impl AnyCommand {
    /// A command that runs in this directory.
    pub(crate) fn new(start: &Path, command: &[String]) -> Result<AnyCommand, BuildError> {
        Ok(AnyCommand {
            command: command.to_vec(),
            location: ProjectLocation {
                root: find_root(start)?,
                dir: existing(start)?,
            },
        })
    }
}

impl Driver for AnyCommand {
    fn name(&self) -> &'static str {
        "a plain command"
    }

    fn location(&self) -> &ProjectLocation {
        &self.location
    }

    fn arguments(&self) -> &[String] {
        &[]
    }

    fn check(&self) -> Result<(), BuildError> {
        Ok(())
    }

    fn command(&self, build: &Build, agent: &AgentOption) -> Result<Command, BuildError> {
        let command = gradle::for_purpose(&self.command, build.purpose);
        let (program, arguments) = command
            .split_first()
            .map_or(("", &[][..]), |(program, arguments)| {
                (program.as_str(), arguments)
            });
        let before = env::var("JAVA_TOOL_OPTIONS").unwrap_or_default();
        let mut started = Command::new(program);
        started
            .args(arguments)
            .current_dir(&self.location.dir)
            .env("JAVA_TOOL_OPTIONS", agent.after(&before));
        Ok(started)
    }

    /// Only `java` is known to be one JVM, behind which nothing comes.
    fn may_stop_early(&self) -> bool {
        let program = self.command.first().map(Path::new);
        program
            .and_then(Path::file_name)
            .is_none_or(|program| program != "java")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, TestOptions};

    #[test]
    fn a_command_has_the_agent_in_every_jvm_that_it_starts() {
        let dir = tempfile::tempdir().unwrap();
        let driver = AnyCommand::new(dir.path(), &["./run-tests.sh".into(), "-x".into()]).unwrap();
        let agent = AgentOption::new(Path::new("/a.so"), Path::new("/r")).unwrap();
        let build = Build {
            purpose: Purpose::Test,
            quiet: true,
            options: TestOptions::default(),
        };
        let command = driver.command(&build, &agent).unwrap();
        assert_eq!(command.get_program(), "./run-tests.sh");
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["-x"]);
        let options = command
            .get_envs()
            .find(|(name, _)| *name == "JAVA_TOOL_OPTIONS");
        let options = options.unwrap().1.unwrap().to_str().unwrap();
        assert!(options.ends_with("\"-agentpath:/a.so=/r\""), "{options}");
    }

    #[test]
    fn only_java_itself_is_one_jvm() {
        let check = |command: &str, expected| {
            let dir = tempfile::tempdir().unwrap();
            let driver = AnyCommand::new(dir.path(), &[command.to_owned()]).unwrap();
            assert_eq!(driver.may_stop_early(), expected, "{command}");
        };
        check("/usr/bin/java", false);
        check("gradle", true);
    }
}
