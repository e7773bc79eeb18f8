//! Opens the store for a command, and takes in what runs recorded.

use crate::console::Console;
use crate::error::Error;
use crate::run_dir::RunDir;
use crate::verdict_file::Answer;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tamis_recording::Spool;
use tamis_select::{Outcome, TestId};
use tamis_store::{Absorbed, Ended, Project, Store};

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
    let answers = run.answers();
    let unchanged = unchanged(&answers);
    let absorbed = if spools.is_empty() {
        Ok(Absorbed::default())
    } else {
        absorb(project, &spools, &unchanged, &answers)
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
    answers: &[Answer],
) -> Result<Absorbed, tamis_store::StoreError> {
    let _lock = Store::lock(project, PATIENCE)?;
    let mut store = Store::load(project)?.store;
    let absorbed = store.absorb_keeping(project, spools, unchanged);
    store.save(project)?;
    // Without it, static techniques compare with an earlier state, or select.
    let _ = project.add_to_history(ended(&absorbed, answers));
    Ok(absorbed)
}

/// How test classes ended, each with what the classes were like in the JVMs of its module.
fn ended(absorbed: &Absorbed, answers: &[Answer]) -> Vec<Ended> {
    // Whether something failed, and whether all of it ran.
    let mut classes: BTreeMap<TestId, (bool, bool)> = BTreeMap::new();
    let ran = absorbed.ran.iter();
    let ran = ran.map(|ran| (&ran.test, ran.outcome >= Outcome::Failed, ran.is_complete));
    let unfinished = absorbed.unfinished.iter().map(|test| (test, true, false));
    for (test, has_failed, is_complete) in ran.chain(unfinished) {
        let class = classes.entry(test.whole_class()).or_insert((false, true));
        *class = (class.0 | has_failed, class.1 & is_complete);
    }
    let baseline = |module: &str| {
        let of_module = answers.iter().filter(|answer| answer.module == module);
        let mut baselines = of_module.map(|answer| answer.baseline.as_deref());
        let first = baselines.next()??;
        let is_same = baselines.all(|other| other == Some(first));
        is_same.then(|| u128::from_str_radix(first, 16).ok())?
    };
    let ended = classes
        .into_iter()
        .map(|(class, (failed, is_complete))| Ended {
            baseline: baseline(&class.module),
            class,
            failed,
            is_complete,
        });
    ended.collect()
}

fn load(project: &Project) -> Result<Opened, Error> {
    let loaded = Store::load(project)?;
    Ok(Opened {
        store: loaded.store,
        warning: loaded.warning.map(|warning| warning.to_string()),
    })
}
