use crate::{AgentOption, BuildError, ProjectLocation, ReportedTest};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A build tool for one project, with the arguments of the user.
///
/// All that is particular to a tool stands behind this trait: nothing outside this crate asks which one it is. Methods with a
/// default are for what a tool may lack; the default is the safe answer.
pub trait Driver: fmt::Debug {
    /// The tool's name as the subject of a sentence: `Maven`.
    fn name(&self) -> &'static str;

    /// The directories of the project and of its build.
    fn location(&self) -> &ProjectLocation;

    /// The arguments of the user.
    fn arguments(&self) -> &[String];

    /// Checks that builds can be started: that the tool is there, and what it needs.
    fn check(&self) -> Result<(), BuildError>;

    /// The command that runs a build with the agent in every JVM that runs tests.
    fn command(&self, build: &Build, agent: &AgentOption) -> Result<Command, BuildError>;

    /// Whether the tool can do something that not every tool can.
    fn supports(&self, _: Capability) -> bool {
        false
    }

    /// Why test classes may run only in part, if the arguments ask for single tests or groups. Such a run must not be taken
    /// for all that a class can use.
    fn partial_run(&self) -> Option<String> {
        None
    }

    /// The state of everything that a build would read now, if the tool can tell ([`Capability::ListSources`]) and nothing in
    /// the project is in the way.
    fn listing(&self) -> Option<Listing> {
        None
    }

    /// Whether a build that failed may have left out modules that it was to compile.
    fn has_modules(&self) -> bool {
        true
    }

    /// Whether a build that only asks may stop behind the first JVM that the agent ended.
    fn may_stop_early(&self) -> bool {
        false
    }

    /// What in a project may keep the tool from starting a JVM for each test class ([`Capability::ForkPerClass`]), as the
    /// start of a sentence.
    fn fork_obstacle(&self) -> &'static str {
        "the build has settings of its own"
    }

    /// Modules whose tests ran since a time, but are not among those that were recorded.
    fn find_unrecorded(&self, _since: SystemTime, _recorded: &[PathBuf]) -> Vec<Unrecorded> {
        Vec::new()
    }

    /// The first module of which is known before the build that its tests would run without the agent.
    fn find_out_of_reach(&self) -> Option<Unrecorded> {
        None
    }

    /// Builds without tamis; an error if the tool cannot tell how their tests end.
    fn plain_builds(&self) -> Result<&dyn PlainBuilds, BuildError> {
        Err(BuildError::NoPlainBuilds(self.name()))
    }
}

/// Builds without tamis, and what they report of tests: a replay compares techniques with them.
pub trait PlainBuilds {
    /// The same tool with the same arguments for a copy of the project in another directory.
    fn for_copy(&self, dir: &Path) -> Box<dyn Driver>;

    /// Whether the project has what a build starts from; a revision may lack it.
    fn has_project(&self) -> bool;

    /// The command that runs a build without tamis.
    fn command(&self, build: &PlainBuild) -> Result<Command, BuildError>;

    /// The tool's name for a goal.
    fn goal_name(&self, goal: Goal) -> &'static str;

    /// Arguments with which failed tests do not keep a build from later modules.
    fn arguments_to_continue(&self) -> Vec<String>;

    /// Removes all reports, so that those of the next build are its own.
    fn forget_reports(&self) -> Result<(), BuildError>;

    /// Reads the reports of the last build on each test.
    fn read_reports(&self) -> Result<Vec<ReportedTest>, BuildError>;

    /// The test classes that were started according to what a build printed, without their modules.
    fn started_classes(&self, printed: &str) -> BTreeSet<String>;

    /// The compiled classes of the project that are no tests.
    fn class_files(&self) -> Vec<PathBuf>;

    /// Whether a file, by its path in the repository, configures the build.
    fn is_build_file(&self, file: &str) -> bool;
}

/// The purpose of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To run tests.
    Test,
    /// To know which tests would run.
    Select,
}

/// A build with the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// Its purpose.
    pub purpose: Purpose,
    /// Whether the tool is to print less.
    pub quiet: bool,
    /// Options for the run of its tests.
    pub options: TestOptions,
}

/// How tests are to run, where that is not left to the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestOptions {
    /// Whether modules behind one with failed tests run, too, where the tool can be asked for it.
    pub continues_after_failures: bool,
    /// The order of test classes ([`Capability::TestOrder`]).
    pub order: Option<TestOrder>,
    /// Whether each test class gets a JVM of its own ([`Capability::ForkPerClass`]).
    pub fork_per_class: Option<ForkPerClass>,
}

impl TestOptions {
    /// Checks that the build tool can do what is asked of it.
    pub fn check(&self, driver: &dyn Driver) -> Result<(), BuildError> {
        let asked = [
            (self.order.is_some(), Capability::TestOrder),
            (self.fork_per_class.is_some(), Capability::ForkPerClass),
        ];
        let lacking =
            |&(is_asked, capability): &(bool, Capability)| is_asked && !driver.supports(capability);
        match asked.into_iter().find(lacking) {
            Some((_, capability)) => Err(BuildError::Unsupported {
                tool: driver.name(),
                capability,
            }),
            None => Ok(()),
        }
    }
}

/// An order of test classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOrder {
    /// By name, backwards.
    Reverse,
    /// At random, by this seed.
    Random(u64),
}

/// A JVM for each test class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPerClass {
    /// The test classes that need no JVM, by their binary names.
    pub left_out: Vec<String>,
    /// A directory in which a file for the build can be written.
    pub dir: PathBuf,
}

/// An ability that not every build tool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Compile before tests run, and tell what it would compile.
    ListSources,
    /// Start a JVM for each test class.
    ForkPerClass,
    /// Run test classes in another order.
    TestOrder,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Capability::ListSources => "tell which sources it compiles",
            Capability::ForkPerClass => "be asked for a JVM for each test class",
            Capability::TestOrder => "be asked for another order of tests",
        })
    }
}

/// One number for all that a build reads before it runs tests: sources, build files, arguments, environment.
///
/// When it is the same as at the end of the last run, the class files are what a build would make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listing(pub(crate) u128);

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// A module whose tests ran, or would run, without the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecorded {
    /// Its directory.
    pub module: PathBuf,
    /// The setting that keeps the agent out, if it was found.
    pub cause: Option<&'static str>,
    /// The setting that the project needs instead.
    pub remedy: &'static str,
}

/// A build without tamis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainBuild {
    /// How far it goes.
    pub goal: Goal,
    /// Whether class files stay as they are: nothing is compiled again because they are newer than sources.
    pub keeps_classes: bool,
    /// When a JVM with tests is ended that takes too long.
    pub jvm_limit: Option<Duration>,
}

/// How far a build without tamis goes. Where it runs tests, modules behind one with failed tests run, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Goal {
    /// It compiles code and tests.
    CompileTests,
    /// It compiles code and tests, and runs tests.
    #[default]
    Test,
    /// It runs tests, and nothing that comes before them.
    OnlyTests,
}

impl From<Goal> for PlainBuild {
    fn from(goal: Goal) -> PlainBuild {
        PlainBuild {
            goal,
            keeps_classes: false,
            jvm_limit: None,
        }
    }
}
