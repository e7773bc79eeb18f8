use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::run_dir::RunDir;
use crate::verdict_file::{Answer, Request, verdict as verdict_text};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis_inputs::{Values, variables};
use tamis_recording::run_dir;
use tamis_select::{Choice, Reason, Selection, TechniqueName, TestId};
use tamis_store::{Project, Scope, Store};

/// `tamis verdict`: answers the agent of a test JVM, which waits for it. Without an answer the agent
/// skips nothing.
pub(crate) fn verdict(run: &Path, request: &Path) -> Result<ExitCode, Error> {
    let start = Instant::now();
    let config_file = run.join(run_dir::CONFIG);
    let config = fs::read_to_string(&config_file).map_err(Error::io("read", &config_file))?;
    let setting = |key: &str| {
        let value = config
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        value.ok_or_else(|| Error::Usage(format!("{} has no {key}", config_file.display())))
    };
    let project = Project {
        root: setting("project")?.into(),
    };
    let choice: Choice = setting("technique")?
        .parse()
        .map_err(|error| Error::Usage(format!("{}: {error}", config_file.display())))?;
    let text = fs::read_to_string(request).map_err(Error::io("read", request))?;
    let unreadable = || Error::Usage(format!("{} is not a whole request", request.display()));
    let asked = Request::read(&text).ok_or_else(unreadable)?;

    let class_path = project.expand_class_path(&asked.class_path);
    let scope = Scope {
        module: Some(project.module_name(&asked.module)),
        class_path: Some(class_path.clone()),
        runtime: Some(asked.runtime.clone()),
        java_home: java_home(&asked.properties),
        statics: choice.statics().clone(),
        // A JVM has properties; who tells none does not ask about them.
        values: (!asked.properties.is_empty())
            .then(|| Values::of_run(asked.properties, variables(), &project.root)),
    };
    let loaded = Store::load(&project)?;
    let store = loaded.store;
    let mut selection = store.choose(&project, &scope, &choice);
    let unchanged = unchanged(&store, &project, &scope, &selection);
    if let Some(only) = RunDir::only(run)? {
        limit(&mut selection, &only);
    }
    let answer = verdict_text(&selection, &class_path);
    // A test class of which only some tests run may have others that what changed can break.
    let is_test = setting("mode").is_ok_and(|mode| mode == "test");
    let runs_whole = is_test && setting("partial").is_err();
    let baseline = runs_whole.then(|| project.keep_baseline(&class_path, &asked.runtime));
    let reasons = Answer {
        module: project.module_name(&asked.module),
        baseline: baseline.flatten().map(|digest| format!("{digest:032x}")),
        selection,
        unchanged,
        analysis: start.elapsed(),
        warning: loaded.warning.map(|warning| warning.to_string()),
    };
    let reasons = serde_json::to_string(&reasons).unwrap_or_default();
    // The agent waits for the verdict; the reasons must be there before it goes on.
    write(&request.with_extension("json"), &reasons)?;
    write(&request.with_extension(run_dir::VERDICT_EXTENSION), &answer)?;
    Ok(ExitCode::Success)
}

/// The tests that ran alone when they were recorded and that no change affects: by the technique of
/// the run, or by the default one if that looks at no changes.
fn unchanged(
    store: &Store,
    project: &Project,
    scope: &Scope,
    selection: &Selection,
) -> Vec<TestId> {
    let isolated: BTreeSet<TestId> = store.isolated().into_iter().collect();
    if isolated.is_empty() {
        return Vec::new();
    }
    let by_default = match selection.technique {
        TechniqueName::All => {
            let choice = Choice::default();
            Some(store.choose(project, scope, &choice))
        }
        _ => None,
    };
    let unaffected = by_default.as_ref().unwrap_or(selection).skipped();
    unaffected
        .map(|verdict| verdict.test.clone())
        .filter(|test| isolated.contains(test))
        .collect()
}

fn java_home(properties: &[(String, Vec<u8>)]) -> Option<PathBuf> {
    let home = properties.iter().find(|(name, _)| name == "java.home");
    let home = home.and_then(|(_, value)| std::str::from_utf8(value).ok());
    home.map(PathBuf::from)
}

/// Leaves out all known tests but those of these classes.
fn limit(selection: &mut Selection, only: &BTreeSet<TestId>) {
    for verdict in &mut selection.verdicts {
        let class = verdict.test.whole_class();
        verdict.selected = only.contains(&class) || only.contains(&class.outermost());
        verdict.reasons.clear();
        verdict
            .reasons
            .extend(verdict.selected.then_some(Reason::Everything));
        verdict.excused.clear();
        verdict.grown = false;
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    tamis_files::write(path, text.as_bytes()).map_err(Error::io("write", path))
}
