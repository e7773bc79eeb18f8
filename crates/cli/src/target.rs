use crate::arguments::Run;
use crate::error::Error;
use crate::sources::Sources;
use std::path::Path;
use std::process::Command;
use tamis_build::{
    AgentOption, BuildError, Listing, Maven, MavenArguments, Place, Purpose, any_command,
    find_command_place, find_maven_place, for_purpose, has_modules, take_listing,
};
use tamis_select::{Choice, Granularity};
use tamis_store::{Project, Settings};

/// What the user's command is about: a project, and what starts its tests.
pub(crate) struct Target {
    pub(crate) place: Place,
    pub(crate) project: Project,
    pub(crate) driver: Driver,
    pub(crate) choice: Choice,
    pub(crate) granularity: Granularity,
    /// Whether basic blocks are recorded.
    pub(crate) blocks: bool,
}

/// What starts tests.
pub(crate) enum Driver {
    Maven(MavenArguments),
    Command(Vec<String>),
}

impl Target {
    pub(crate) fn find(start: &Path, run: &Run) -> Result<Target, Error> {
        let choice = Choice::new(
            &run.technique,
            &run.treat_as_file,
            &run.without_rules,
            run.receivers.into(),
        )
        .map_err(|error| Error::Usage(error.to_string()))?;
        let (driver, place) = if run.command.is_empty() {
            let arguments = MavenArguments::new(run.maven.clone());
            let place = find_maven_place(start, arguments.pom_file())?;
            (Driver::Maven(arguments), place)
        } else if run.maven.is_empty() {
            (
                Driver::Command(run.command.clone()),
                find_command_place(start)?,
            )
        } else {
            let odd = run.maven.join(" ");
            let message = format!("with a command after `--` there is nobody to give `{odd}` to");
            return Err(Error::Usage(message));
        };
        let project = Project {
            root: place.root.clone(),
        };
        // What is wrong with them is told before anything runs.
        Settings::read(&project)?;
        Ok(Target {
            place,
            project,
            driver,
            blocks: run.record_blocks || choice.compares_blocks(),
            choice,
            granularity: run.granularity.into(),
        })
    }

    /// Why test classes may run only in part, if so.
    pub(crate) fn partial(&self) -> Option<String> {
        match &self.driver {
            Driver::Maven(arguments) => arguments.partial(),
            Driver::Command(_) => None,
        }
    }

    /// Whether tests could be started at all.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        match self.driver {
            Driver::Maven(_) => Maven::find(&self.place).map(drop),
            Driver::Command(_) => Ok(()),
        }
    }

    /// The command that starts the tests.
    pub(crate) fn command(
        &self,
        purpose: Purpose,
        properties: &[(&str, String)],
        quiet: bool,
        agent: &AgentOption,
    ) -> Result<Command, BuildError> {
        match &self.driver {
            Driver::Command(command) => {
                let command = for_purpose(command, purpose);
                Ok(any_command(&command, &self.place, agent))
            }
            Driver::Maven(arguments) => {
                let maven = Maven::find(&self.place)?;
                let arguments = arguments.with_properties(properties);
                let mut command = maven.command(&self.place, &arguments, purpose, agent);
                if quiet {
                    command.arg("-q");
                }
                Ok(command)
            }
        }
    }

    /// The state of everything that the build reads; `None` if nobody knows what that is.
    pub(crate) fn listing(&self) -> Option<Listing> {
        match &self.driver {
            Driver::Maven(arguments) => take_listing(&self.place, &arguments.effective()),
            Driver::Command(_) => None,
        }
    }

    /// After a build: class files are those of the sources when all of it ended well; or when tests
    /// of its only module ran, whatever their outcome. `listing` was taken before it.
    pub(crate) fn keep_sources(
        &self,
        listing: Option<Listing>,
        run: &tamis_report::Run,
    ) -> Result<(), Error> {
        let end = run.build.unwrap_or_default();
        let whole = end.success || !has_modules(&self.place);
        let compiled = whole && !end.interrupted && !run.unrecorded && !run.tests.is_empty();
        let sources = match (&self.driver, listing) {
            (Driver::Command(_), _) => Sources::Command,
            (Driver::Maven(_), Some(listing)) if compiled => {
                let asked = run.tests.iter().map(|test| test.test.outermost()).collect();
                Sources::of_maven(listing, asked)
            }
            (Driver::Maven(_), _) => return Ok(()),
        };
        sources.write(&self.project)
    }
}
