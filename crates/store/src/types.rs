use crate::{Lock, Project, StoreError, StoreWarning};
use std::path::PathBuf;
use std::time::Duration;
use tamis_classpath::Place;
use tamis_recording::Spool;
use tamis_select::{Known, Outcome, Selection, Technique, TestId};

/// What is known of all tests of a project.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Store {}

/// A store that was read.
#[derive(Debug)]
pub struct Loaded {
    /// The store; empty if there was none or it could not be used.
    pub store: Store,
    /// Why it could not be used, if so.
    pub warning: Option<StoreWarning>,
}

/// Which tests to decide for, and in which circumstances.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// The module; `None` for all.
    pub module: Option<String>,
    /// Where classes are now; `None` for where they were when each test last ran.
    pub class_path: Option<Vec<PathBuf>>,
    /// The runtime; `None` for the one on which each test last ran.
    pub runtime: Option<String>,
}

/// A test that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The test.
    pub test: TestId,
    /// How it ended, at worst.
    pub outcome: Outcome,
    /// How long it took in all.
    pub duration_us: u64,
}

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Absorbed {
    /// Tests that ran to their end.
    pub ran: Vec<Ran>,
    /// Tests that the build asked for and that were left out.
    pub skipped: Vec<TestId>,
    /// Tests that would run, from a run that only asks.
    pub wanted: Vec<TestId>,
    /// Tests that started and whose end was not seen.
    pub unfinished: Vec<TestId>,
    /// What went wrong in the agent.
    pub problems: Vec<String>,
    /// How many JVMs ran tests.
    pub jvms: usize,
    /// How many of their spools were damaged.
    pub damaged: usize,
}

/// What is known of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleInfo {
    /// Its directory relative to the root; empty for the root.
    pub module: String,
    /// Where its classes were when it last ran.
    pub class_path: Vec<Place>,
    /// The runtime on which it last ran.
    pub runtime: String,
    /// When it last ran, in milliseconds since 1970.
    pub last_run_ms: u64,
    /// How many tests are known.
    pub tests: usize,
}

impl Store {
    /// Reads the store of `project`; see [`Loaded`].
    pub fn load(project: &Project) -> Result<Loaded, StoreError> {
        project.create_dir()?;
        Ok(Loaded {
            store: Store::default(),
            warning: None,
        })
    }

    /// Waits at most `wait` for the sole right to change the store.
    pub fn lock(project: &Project, wait: Duration) -> Result<Lock, StoreError> {
        project.lock(wait)
    }

    /// Takes in what the JVMs of one run recorded.
    pub fn absorb(&mut self, _project: &Project, spools: Vec<Spool>) -> Absorbed {
        Absorbed {
            jvms: spools.len(),
            ..Absorbed::default()
        }
    }

    /// Writes the store, whole or not at all.
    pub fn save(&self, project: &Project) -> Result<(), StoreError> {
        project.create_dir()
    }

    /// Decides which tests of `scope` must run; reads the class files as they are now.
    pub fn select(
        &self,
        _project: &Project,
        _scope: &Scope,
        technique: &dyn Technique,
    ) -> Selection {
        Selection {
            technique: technique.name().to_owned(),
            verdicts: Vec::new(),
        }
    }

    /// What is known of each module.
    pub fn modules(&self) -> Vec<ModuleInfo> {
        Vec::new()
    }

    /// The tests that used the class `a.b.C`.
    pub fn affected(&self, _class: &str) -> Vec<TestId> {
        Vec::new()
    }

    /// The tests of that class name, qualified or not, in any module.
    pub fn known(&self, _class: &str) -> Vec<(TestId, Known)> {
        Vec::new()
    }
}
