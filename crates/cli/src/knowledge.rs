//! Opens the store for a command, and takes in what runs recorded.

use crate::console::Console;
use crate::error::Error;
use crate::run_dir::RunDir;
use crate::verdict_file::Answer;
use std::collections::BTreeSet;
use std::time::Duration;
use tamis_recording::Spool;
use tamis_select::TestId;
use tamis_store::{Absorbed, Project, Store};

/// The lock is only held while results are merged, so nobody waits this long in vain.
const PATIENCE: Duration = Duration::from_secs(10);

/// The store of a project, and why it is empty if it should not be.
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) warning: Option<String>,
}

/// Reads the store for a command that will change it: takes in first what earlier runs left behind.
pub(crate) fn open_to_write(project: &Project, console: &Console) -> Result<Opened, Error> {
    project.create_dir()?;
    let warning = load(project)?.warning;
    // A store that somebody else holds is better noticed before tests run than after.
    drop(Store::lock(project, PATIENCE)?);
    for run in RunDir::left_behind(project) {
        let spools = run.spools()?;
        let tests = take_in(project, run, spools)?.ran.len();
        if tests > 0 {
            console.progress(format_args!(
                "stored the results of {tests} test classes from an interrupted run"
            ));
        }
    }
    Ok(Opened {
        store: load(project)?.store,
        warning,
    })
}

/// Reads the store for a command that only asks. What earlier runs left behind is taken in if that
/// can be done; if not, the answer still is a safe one.
pub(crate) fn open_to_read(project: &Project, console: &Console) -> Result<Opened, Error> {
    if !project.dir().exists() {
        return Ok(Opened {
            store: Store::default(),
            warning: None,
        });
    }
    if project.runs_dir().exists() && !RunDir::left_behind(project).is_empty() {
        match open_to_write(project, console) {
            Ok(opened) => return Ok(opened),
            Err(error) => console.warning(error),
        }
    }
    load(project)
}

/// Adds what a run recorded to the store, and only then removes the run's directory.
pub(crate) fn take_in(
    project: &Project,
    run: RunDir,
    spools: Vec<Spool>,
) -> Result<Absorbed, Error> {
    let unchanged = unchanged(&run.answers());
    let absorbed = if spools.is_empty() {
        Ok(Absorbed::default())
    } else {
        absorb(project, &spools, &unchanged)
    };
    let run_dir = run.path.clone();
    let absorbed = absorbed.map_err(|source| Error::NotTakenIn { source, run_dir })?;
    run.remove()?;
    Ok(absorbed)
}

/// The tests that ran alone when they were recorded and for which, as all JVMs that know them say,
/// nothing has changed.
fn unchanged(answers: &[Answer]) -> BTreeSet<TestId> {
    let is_changed = |test: &TestId| {
        answers.iter().any(|answer| {
            let mut known = answer.selection.verdicts.iter();
            known.any(|verdict| verdict.test == *test) && !answer.unchanged.contains(test)
        })
    };
    let all = answers.iter().flat_map(|answer| &answer.unchanged);
    all.filter(|test| !is_changed(test)).cloned().collect()
}

fn absorb(
    project: &Project,
    spools: &[Spool],
    unchanged: &BTreeSet<TestId>,
) -> Result<Absorbed, tamis_store::StoreError> {
    let _lock = Store::lock(project, PATIENCE)?;
    let mut store = Store::load(project)?.store;
    let absorbed = store.absorb_keeping(project, spools, unchanged);
    store.save(project)?;
    Ok(absorbed)
}

fn load(project: &Project) -> Result<Opened, Error> {
    let loaded = Store::load(project)?;
    Ok(Opened {
        store: loaded.store,
        warning: loaded.warning.map(|warning| warning.to_string()),
    })
}
