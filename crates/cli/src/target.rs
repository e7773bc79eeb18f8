use crate::arguments::{Run, UnknownReflection, Unrecorded};
use crate::error::Error;
use crate::sources::Sources;
use std::path::Path;
use std::process::Command;
use tamis_build::{
    AgentOption, Build, BuildError, Capability, Driver, Listing, command_driver, find_driver,
};
use tamis_select::{Choice, Granularity, NoChoice, StaticChoice, TechniqueName};
use tamis_store::{Project, Settings};

/// The target of the user's command: a project, and the driver that starts its tests.
pub(crate) struct Target {
    pub(crate) project: Project,
    pub(crate) driver: Box<dyn Driver>,
    /// Whether a build can be started to bring the class files up to date.
    pub(crate) has_build: bool,
    pub(crate) choice: Choice,
    pub(crate) granularity: Granularity,
    /// Whether basic blocks are recorded.
    pub(crate) blocks: bool,
}

impl Target {
    pub(crate) fn find(start: &Path, run: &Run) -> Result<Target, Error> {
        let usual = choice(run, None)?;
        let driver = find_driver(start, &run.build_arguments, &run.command)?;
        let choice = match &run.statics.diff {
            None => usual,
            Some(revision) => {
                let commit = tamis_source::resolve(&driver.location().root, revision)?;
                choice(run, Some(commit))?
            }
        };
        Target::new(driver, run, choice)
    }

    /// The target of a question about a project whose tests were run by a command: it needs no build tool.
    pub(crate) fn without_build(start: &Path, run: &Run) -> Result<Target, Error> {
        let commit = run.statics.diff.as_deref();
        let commit = commit.map(|revision| tamis_source::resolve(start, revision));
        let choice = choice(run, commit.transpose()?)?;
        let target = Target::new(command_driver(start, &[])?, run, choice)?;
        if !target.project.dir().exists() {
            return Err(BuildError::NotAProject(start.to_owned()).into());
        }
        Ok(Target {
            has_build: false,
            ..target
        })
    }

    fn new(driver: Box<dyn Driver>, run: &Run, choice: Choice) -> Result<Target, Error> {
        let project = Project {
            root: driver.location().root.clone(),
        };
        // What is wrong with them is told before anything runs.
        Settings::read(&project)?;
        Ok(Target {
            project,
            driver,
            has_build: true,
            blocks: run.record_blocks || choice.compares_blocks(),
            choice,
            granularity: run.granularity.into(),
        })
    }

    /// The command that starts the tests.
    pub(crate) fn command(
        &self,
        build: &Build,
        agent: &AgentOption,
    ) -> Result<Command, BuildError> {
        build.options.check(&*self.driver)?;
        self.driver.command(build, agent)
    }

    /// After a build: class files are those of the sources when all of it ended well; or when tests
    /// of its only module ran, whatever their outcome. `listing` was taken before it.
    pub(crate) fn keep_sources(
        &self,
        listing: Option<Listing>,
        run: &tamis_report::Run,
    ) -> Result<(), Error> {
        if !self.driver.supports(Capability::ListSources) {
            return Sources::Unknown.write(&self.project);
        }
        let end = run.build.unwrap_or_default();
        let whole = end.success || !self.driver.has_modules();
        let compiled = whole && !end.interrupted && !run.unrecorded && !run.tests.is_empty();
        match listing {
            Some(listing) if compiled => {
                let asked = run.tests.iter().map(|test| test.test.outermost()).collect();
                Sources::listed(listing, asked).write(&self.project)
            }
            _ => Ok(()),
        }
    }
}

/// The technique with its options; changes since `commit` count, if there is one.
fn choice(run: &Run, commit: Option<String>) -> Result<Choice, Error> {
    let usage = |error: NoChoice| Error::Usage(error.to_string());
    let statics = StaticChoice {
        since: commit.or_else(|| run.statics.diff.clone()),
        unrecorded: match run.statics.unrecorded {
            Unrecorded::Run => None,
            Unrecorded::Fest => Some(TechniqueName::Fest),
            Unrecorded::Mest => Some(TechniqueName::Mest),
        },
        unknown_reflection: match run.statics.unknown_reflection {
            UnknownReflection::Everything => tamis_graph::UnknownReflection::Everything,
            UnknownReflection::Nothing => tamis_graph::UnknownReflection::Nothing,
        },
        recent_runs: run.statics.recent_runs,
    };
    let choice = Choice::new(
        &run.technique,
        &run.treat_as_file,
        &run.without_rules,
        run.receivers.into(),
    );
    choice
        .and_then(|choice| choice.with_statics(statics))
        .map_err(usage)
}
