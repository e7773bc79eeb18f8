use super::now_ms;
use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::knowledge::open_to_read;
use crate::savings::Savings;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tamis_build::find_root;
use tamis_report::{ModuleStatus, Status};
use tamis_select::{All, Known, Outcome};
use tamis_store::{ModuleInfo, Project, Scope};

/// `tamis status`: what is known, and what it was good for.
pub(crate) fn status(start: &Path, console: &Console) -> Result<ExitCode, Error> {
    let project = Project {
        root: find_root(start)?,
    };
    let opened = open_to_read(&project, console)?;
    let selection = opened.store.select(&project, &Scope::default(), &All);
    let known: Vec<Known> = selection
        .verdicts
        .iter()
        .filter_map(|verdict| verdict.known)
        .collect();
    let ended = |outcome| {
        known
            .iter()
            .filter(|known| known.outcome == outcome)
            .count()
    };
    let savings = Savings::read(&project);
    let status = Status {
        tests: known.len(),
        failed: ended(Outcome::Failed),
        unfinished: ended(Outcome::Unfinished),
        isolated: known.iter().filter(|known| known.isolated).count(),
        duration: Duration::from_micros(known.iter().map(|known| known.duration_us).sum()),
        runs: savings.runs,
        saved: savings.saved,
        store_bytes: fs::metadata(project.dir().join("store")).map_or(0, |data| data.len()),
        warnings: opened.warning.into_iter().collect(),
        modules: opened.store.modules().into_iter().map(module).collect(),
    };
    console.answer(status.text(now_ms()));
    console.json(status.json())?;
    Ok(ExitCode::Success)
}

fn module(info: ModuleInfo) -> ModuleStatus {
    let ModuleInfo {
        module,
        tests,
        last_run_ms,
        runtime,
        ..
    } = info;
    ModuleStatus {
        module,
        tests,
        last_run_ms,
        runtime,
    }
}
