mod arguments;
mod listing;
mod location;
mod pom;
mod unrecorded;

pub use arguments::MavenArguments;
pub use listing::{Listing, take_listing};
pub use location::{Place, find_command_place, find_maven_place, has_modules};
pub use unrecorded::{Unrecorded, find_out_of_reach, find_unrecorded};

use crate::java::{find_java, is_executable, on_path};
use crate::{AgentOption, BuildError};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Appended by Surefire and Failsafe to the options of every JVM they fork, after a POM's own
/// `<argLine>`.
const FORK_OPTIONS: [&str; 2] = ["maven.surefire.debug", "maven.failsafe.debug"];

/// What `-Dmaven.surefire.debug` without a value stands for.
const WAIT_FOR_DEBUGGER: &str =
    "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=5005";

/// A run in which every test of a module is skipped is no failure.
const NO_TESTS_ARE_FINE: [&str; 3] = [
    "failIfNoTests",
    "surefire.failIfNoSpecifiedTests",
    "failsafe.failIfNoSpecifiedTests",
];

/// A build that only asks must ask in the modules behind one whose test JVM the agent ended, too; and it
/// must leave nothing in a cache of builds.
const ONLY_ASKS: [&str; 2] = ["--fail-at-end", "-Dmaven.build.cache.enabled=false"];

/// Files from which the `mvn` script may take another `JAVA_HOME`.
const RC_FILES: [&str; 2] = ["/etc/mavenrc", "/usr/local/etc/mavenrc"];

/// What a build is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To run tests.
    Test,
    /// To know which tests would run.
    Select,
}

/// The Maven of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maven {
    program: PathBuf,
}

impl Maven {
    /// The wrapper in the project, or the installed Maven; with a Java for it to run on.
    pub fn find(place: &Place) -> Result<Maven, BuildError> {
        let program = wrapper(place)
            .or_else(installed)
            .ok_or(BuildError::NoMaven)?;
        if let Err(no_java) = find_java()
            && !has_rc_file()
        {
            return Err(no_java);
        }
        Ok(Maven { program })
    }

    /// The command that runs Maven, without arguments.
    pub fn start(&self, place: &Place) -> Command {
        let mut command = if is_executable(&self.program) {
            Command::new(&self.program)
        } else {
            // A wrapper that lost its permission on the way is still a script.
            let mut shell = Command::new("sh");
            shell.arg(&self.program);
            shell
        };
        command.current_dir(&place.dir);
        command
    }

    /// The command that runs a build with the agent in every JVM that is forked for tests.
    pub fn command(
        &self,
        place: &Place,
        arguments: &MavenArguments,
        purpose: Purpose,
        agent: &AgentOption,
    ) -> Command {
        let mut command = self.start(place);
        let others = FORK_OPTIONS
            .iter()
            .fold(arguments.clone(), |kept, name| kept.without_property(name));
        command.args(match purpose {
            Purpose::Test => others.with_goal(),
            Purpose::Select => others.with_only_test(),
        });
        for name in FORK_OPTIONS {
            let before = match arguments.property(name) {
                Some("true" | "") => WAIT_FOR_DEBUGGER,
                Some(options) => options,
                None => "",
            };
            command.arg(format!("-D{name}={}", agent.after(before)));
        }
        for name in NO_TESTS_ARE_FINE {
            if arguments.property(name).is_none() {
                command.arg(format!("-D{name}=false"));
            }
        }
        if purpose == Purpose::Select {
            // Behind those of the user: the last one counts.
            command.args(ONLY_ASKS);
        }
        command
    }
}

fn wrapper(place: &Place) -> Option<PathBuf> {
    let within = place
        .dir
        .ancestors()
        .take_while(|dir| dir.starts_with(&place.root));
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

    fn check(given: &str, expected: &[&str]) {
        assert_eq!(arguments(given, Purpose::Test), expected);
    }

    fn arguments(given: &str, purpose: Purpose) -> Vec<String> {
        let place = Place {
            root: "/p".into(),
            dir: "/p".into(),
        };
        let agent = AgentOption::new(Path::new("/a.so"), Path::new("/r s")).unwrap();
        let arguments = MavenArguments::new(given.split_whitespace().map(str::to_owned).collect());
        let maven = Maven {
            program: "/bin/sh".into(),
        };
        let command = maven.command(&place, &arguments, purpose, &agent);
        let text = |argument: &std::ffi::OsStr| argument.to_str().unwrap().to_owned();
        command.get_args().map(text).collect()
    }

    #[test]
    fn a_build_that_only_asks_goes_on_and_caches_nothing() {
        let all = arguments("-Dmaven.build.cache.enabled", Purpose::Select);
        assert!(all.ends_with(&ONLY_ASKS.map(str::to_owned)), "{all:?}");
    }

    #[test]
    fn the_agent_comes_behind_the_arguments_of_the_user() {
        check(
            "-o -Dtest=Foo",
            &[
                "-o",
                "-Dtest=Foo",
                "test",
                "-Dmaven.surefire.debug=\"-agentpath:/a.so=/r s\"",
                "-Dmaven.failsafe.debug=\"-agentpath:/a.so=/r s\"",
                "-DfailIfNoTests=false",
                "-Dsurefire.failIfNoSpecifiedTests=false",
                "-Dfailsafe.failIfNoSpecifiedTests=false",
            ],
        );
    }

    #[test]
    fn what_the_user_sets_is_kept() {
        check(
            "-DfailIfNoTests verify -Dmaven.surefire.debug -Dmaven.failsafe.debug=-Xint",
            &[
                "-DfailIfNoTests",
                "verify",
                &format!("-Dmaven.surefire.debug={WAIT_FOR_DEBUGGER} \"-agentpath:/a.so=/r s\""),
                "-Dmaven.failsafe.debug=-Xint \"-agentpath:/a.so=/r s\"",
                "-Dsurefire.failIfNoSpecifiedTests=false",
                "-Dfailsafe.failIfNoSpecifiedTests=false",
            ],
        );
    }

    #[test]
    fn the_nearest_wrapper_within_the_project_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place {
            root: dir.path().join("p"),
            dir: dir.path().join("p/core"),
        };
        std::fs::create_dir_all(&place.dir).unwrap();
        std::fs::write(dir.path().join("mvnw"), "").unwrap();
        assert_eq!(wrapper(&place), None);
        std::fs::write(place.root.join("mvnw"), "").unwrap();
        assert_eq!(wrapper(&place), Some(place.root.join("mvnw")));
    }
}
