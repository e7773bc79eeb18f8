//! Test frameworks, what starts them, and what keeps something for their tests: one module each.
//!
//! What a framework is known by, and where tamis enters its classes, stands in [`tamis_frameworks`]. Its module here
//! has the entrances that those hooks call, and all that the agent keeps for it. It tells the
//! [session](crate::session) which test is announced, starts, ends, and how, and asks there what may be left out.
//! The rest of the agent knows no framework by its name; what it asks of them is in [`Framework`].

mod archives;
mod java;
mod junit3;
mod junit4;
mod junit_platform;
mod jupiter;
mod runs;
mod sbt;
mod scalatest;
mod spring;
mod surefire;
mod testng;

pub(crate) use archives::{Archives, note};

use std::io;
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The questions that the agent asks a framework.
pub(crate) trait Framework: Sync {
    /// Its names.
    fn description(&self) -> &'static tamis_frameworks::Framework;

    /// A class of this name (internal) is loaded in a JVM that runs tests.
    fn loaded(&self, _class: &[u8]) {}

    /// Its settings in this JVM that can change how tests end, beside arguments and properties.
    fn settings(&self, _project: &Path) -> io::Result<Option<String>> {
        Ok(None)
    }

    /// Whether it runs this JVM for a build tool that keeps no test as passed because a JVM ended well.
    fn keeps_no_results(&self) -> bool {
        false
    }
}

/// The frameworks that answer.
static ALL: [&dyn Framework; 2] = [&surefire::Surefire, &junit_platform::JUnitPlatform];

/// A class of this name (internal) is loaded in a JVM that runs tests.
pub(crate) fn loaded(class: &[u8]) {
    ALL.iter().for_each(|framework| framework.loaded(class));
}

/// The settings of frameworks in this JVM, by their names.
pub(crate) fn settings(
    project: &Path,
) -> impl Iterator<Item = (&'static str, io::Result<Option<String>>)> {
    ALL.iter()
        .map(move |framework| (framework.description().name, framework.settings(project)))
}

/// Whether no build tool keeps the tests of this JVM as passed because it ended well.
pub(crate) fn keep_no_results() -> bool {
    ALL.iter().any(|framework| framework.keeps_no_results())
}

/// State of one framework, a static of its module. It is locked before the state of the agent, never
/// while that is.
struct FrameworkState<T: 'static>(LazyLock<Mutex<T>>);

impl<T: Default> FrameworkState<T> {
    const fn new() -> FrameworkState<T> {
        FrameworkState(LazyLock::new(Mutex::default))
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
