//! Maven, with Surefire and Failsafe.

mod arguments;
mod listing;
mod location;
mod log;
mod plain;
mod pom;
mod program;
mod reports;
mod unrecorded;

use crate::tools::Tool;
use crate::{
    AgentOption, Build, BuildError, Capability, Driver, ForkPerClass, Listing, PlainBuilds,
    ProjectLocation, Purpose, TestOptions, TestOrder, Unrecorded,
};
use arguments::MavenArguments;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::SystemTime;

/// How projects of Maven are found.
pub(crate) const TOOL: Tool = Tool {
    name: "Maven",
    project_file: location::POM,
    find_root: location::topmost_pom,
    find_driver: |start, arguments| {
        let arguments = MavenArguments::new(arguments.to_vec());
        let location = location::find(start, arguments.pom_file())?;
        Ok(location.map(|location| {
            let maven: Box<dyn Driver> = Box::new(Maven {
                location,
                arguments,
            });
            maven
        }))
    },
};

/// Appended by Surefire and Failsafe to the options of every JVM they fork, after a POM's own
/// `<argLine>`.
const FORK_OPTIONS: [&str; 2] = ["maven.surefire.debug", "maven.failsafe.debug"];

/// The value that `-Dmaven.surefire.debug` without a value stands for.
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

/// The property with which a failed test does not keep Maven from later modules.
const GO_ON: &str = "maven.test.failure.ignore";

/// Properties that make Surefire and Failsafe start a JVM for each test class.
const FORKS: [(&str, &str); 2] = [("forkCount", "1"), ("reuseForks", "false")];

/// Properties that name a file with test classes to leave out.
const EXCLUDES: [&str; 2] = ["surefire.excludesFile", "failsafe.excludesFile"];

/// The default exclusion of Surefire.
const NESTED: &str = "**/*$*";

/// Properties with the order of test classes, and with the seed of a random one.
const ORDERS: [(&str, &str); 2] = [
    ("surefire.runOrder", "surefire.runOrder.random.seed"),
    ("failsafe.runOrder", "failsafe.runOrder.random.seed"),
];

/// A property of a build and its value.
type Property = (&'static str, String);

/// The driver of Maven.
#[derive(Debug)]
struct Maven {
    location: ProjectLocation,
    arguments: MavenArguments,
}

impl Driver for Maven {
    fn name(&self) -> &'static str {
        TOOL.name
    }

    fn location(&self) -> &ProjectLocation {
        &self.location
    }

    fn arguments(&self) -> &[String] {
        self.arguments.as_given()
    }

    fn check(&self) -> Result<(), BuildError> {
        program::find(&self.location).map(drop)
    }

    fn command(&self, build: &Build, agent: &AgentOption) -> Result<Command, BuildError> {
        let properties = properties(&self.arguments, &build.options)?;
        let arguments = self.arguments.with_properties(&properties);
        let mut command = program::start(&self.location)?;
        command.args(with_agent(&arguments, build.purpose, agent));
        if build.quiet {
            command.arg("-q");
        }
        Ok(command)
    }

    fn supports(&self, capability: Capability) -> bool {
        match capability {
            Capability::ListSources | Capability::ForkPerClass | Capability::TestOrder => true,
        }
    }

    fn partial_run(&self) -> Option<String> {
        self.arguments.partial()
    }

    fn listing(&self) -> Option<Listing> {
        listing::take(&self.location, &self.arguments.effective())
    }

    fn has_modules(&self) -> bool {
        location::has_modules(&self.location)
    }

    fn fork_obstacle(&self) -> &'static str {
        "the POM sets forkCount or reuseForks"
    }

    fn find_unrecorded(&self, since: SystemTime, recorded: &[PathBuf]) -> Vec<Unrecorded> {
        unrecorded::find_unrecorded(&self.location, &self.arguments, since, recorded)
    }

    fn find_out_of_reach(&self) -> Option<Unrecorded> {
        unrecorded::find_out_of_reach(&self.location, &self.arguments)
    }

    fn plain_builds(&self) -> Result<&dyn PlainBuilds, BuildError> {
        Ok(self)
    }
}

/// All arguments of a build with the agent in every JVM that is forked for tests.
fn with_agent(arguments: &MavenArguments, purpose: Purpose, agent: &AgentOption) -> Vec<String> {
    let others = FORK_OPTIONS
        .iter()
        .fold(arguments.clone(), |kept, name| kept.without_property(name));
    let mut all = match purpose {
        Purpose::Test => others.with_goal(),
        Purpose::Select => others.with_only_test(),
    };
    for name in FORK_OPTIONS {
        let before = match arguments.property(name) {
            Some("true" | "") => WAIT_FOR_DEBUGGER,
            Some(options) => options,
            None => "",
        };
        all.push(format!("-D{name}={}", agent.after(before)));
    }
    for name in NO_TESTS_ARE_FINE {
        if arguments.property(name).is_none() {
            all.push(format!("-D{name}=false"));
        }
    }
    if purpose == Purpose::Select {
        // Behind those of the user: the last one counts.
        all.extend(ONLY_ASKS.map(str::to_owned));
    }
    all
}

/// The properties that make tests run as the options say.
fn properties(
    arguments: &MavenArguments,
    options: &TestOptions,
) -> Result<Vec<Property>, BuildError> {
    let mut properties = Vec::new();
    if options.continues_after_failures {
        properties.push((GO_ON, "true".to_owned()));
    }
    if let Some(forks) = &options.fork_per_class {
        properties.extend(FORKS.map(|(name, value)| (name, value.to_owned())));
        if EXCLUDES
            .iter()
            .all(|name| arguments.property(name).is_none())
        {
            let file = write_excludes(forks)?.display().to_string();
            properties.extend(EXCLUDES.map(|name| (name, file.clone())));
        }
    }
    properties.extend(options.order.into_iter().flat_map(of_order));
    Ok(properties)
}

/// Surefire starts a JVM even for a class that the agent leaves out: it must not see the class.
fn write_excludes(forks: &ForkPerClass) -> Result<PathBuf, BuildError> {
    let classes = forks.left_out.iter();
    let lines = classes.map(|class| format!("{}.java\n", class.replace('.', "/")));
    let text: String = std::iter::once(format!("{NESTED}\n"))
        .chain(lines)
        .collect();
    let file = forks.dir.join("excludes");
    fs::write(&file, text).map_err(BuildError::file("write", &file))?;
    Ok(file)
}

fn of_order(order: TestOrder) -> Vec<Property> {
    let orders = ORDERS.into_iter();
    match order {
        TestOrder::Reverse => orders
            .map(|(name, _)| (name, "reversealphabetical".to_owned()))
            .collect(),
        TestOrder::Random(seed) => orders
            .flat_map(|(name, of_seed)| [(name, "random".to_owned()), (of_seed, seed.to_string())])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn check(given: &str, expected: &[&str]) {
        assert_eq!(arguments(given, Purpose::Test), expected);
    }

    fn given(text: &str) -> MavenArguments {
        MavenArguments::new(text.split_whitespace().map(str::to_owned).collect())
    }

    fn arguments(text: &str, purpose: Purpose) -> Vec<String> {
        let agent = AgentOption::new(Path::new("/a.so"), Path::new("/r s")).unwrap();
        with_agent(&given(text), purpose, &agent)
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
    fn options_of_tests_are_properties() {
        let check = |text: &str, options: &TestOptions, expected: &[&str]| {
            let properties = properties(&given(text), options).unwrap().into_iter();
            let said: Vec<String> = properties.map(|(k, v)| format!("{k}={v}")).collect();
            assert_eq!(said, expected);
        };
        check("-o", &TestOptions::default(), &[]);
        let order = |order| TestOptions {
            order: Some(order),
            ..TestOptions::default()
        };
        check(
            "-o",
            &order(TestOrder::Reverse),
            &[
                "surefire.runOrder=reversealphabetical",
                "failsafe.runOrder=reversealphabetical",
            ],
        );
        check(
            "-o",
            &order(TestOrder::Random(7)),
            &[
                "surefire.runOrder=random",
                "surefire.runOrder.random.seed=7",
                "failsafe.runOrder=random",
                "failsafe.runOrder.random.seed=7",
            ],
        );
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("excludes");
        let alone = TestOptions {
            continues_after_failures: true,
            order: None,
            fork_per_class: Some(ForkPerClass {
                left_out: vec!["a.b.FooTest".into()],
                dir: dir.path().to_owned(),
            }),
        };
        let forks = [
            "maven.test.failure.ignore=true",
            "forkCount=1",
            "reuseForks=false",
        ];
        // Excludes of the user stay.
        check("-Dsurefire.excludesFile=x", &alone, &forks);
        assert!(!file.exists());
        let excludes =
            ["surefire", "failsafe"].map(|of| format!("{of}.excludesFile={}", file.display()));
        let all: Vec<&str> = forks
            .into_iter()
            .chain(excludes.iter().map(String::as_str))
            .collect();
        check("-o", &alone, &all);
        assert_eq!(
            fs::read_to_string(file).unwrap(),
            "**/*$*\na/b/FooTest.java\n"
        );
    }
}
