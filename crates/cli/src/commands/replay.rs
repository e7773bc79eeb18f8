use crate::arguments;
use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tamis_build::{Signals, find_driver, find_java};
use tamis_replay::{Faults, Figures, Plan, Range, Replay, TechniqueVariant, history, mutation};

/// Tries techniques on the history of a project.
pub(crate) fn replay(
    start: &Path,
    arguments: &arguments::Replay,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    let driver = find_driver(start, &arguments.build_arguments, &arguments.command)?;
    let root = &driver.location().root;
    let area = match &arguments.area {
        Some(area) => absolute(area)?,
        None if arguments.alone => root.join(".tamis/mutants-alone"),
        None if arguments.mutants.is_some() => root.join(".tamis/mutants"),
        None => root.join(".tamis/replay"),
    };
    let out = match &arguments.out {
        Some(out) => absolute(out)?,
        None => area.join("report"),
    };
    let techniques = arguments.techniques.iter();
    let plan = Plan {
        driver,
        tamis: std::env::current_exe().map_err(Error::io("find", "tamis"))?,
        version: env!("CARGO_PKG_VERSION").into(),
        area,
        restart: arguments.restart,
        range: Range {
            from: arguments.from.clone(),
            to: arguments.to.clone(),
            last: arguments.last,
        },
        all_revisions: arguments.all_revisions,
        techniques: techniques
            .map(|name| name.parse())
            .collect::<Result<Vec<TechniqueVariant>, _>>()?,
        runs: arguments.runs,
        takes_ae: !arguments.no_ae,
        budget: arguments.budget,
        runtime: runtime()?,
    };
    let say = |what: &str| console.progress(what);
    let played = match arguments.mutants {
        Some(number) => {
            let faults = Faults {
                number,
                seed: arguments.seed,
                alone: arguments.alone,
            };
            mutation(&plan, faults, signals, &say)?
        }
        None => history(&plan, signals, &say)?,
    };
    report(&played.replay, &out, console)?;
    if played.interrupted {
        console.progress("interrupted; run the same command again to continue");
        return Ok(ExitCode::Interrupted);
    }
    if played.left > 0 {
        let what = match arguments.mutants {
            Some(_) => "mutants",
            None => "revisions",
        };
        let left = played.left;
        console.progress(format!(
            "the time is up, {left} {what} are left; run the same command again to continue"
        ));
    }
    Ok(ExitCode::Success)
}

/// Shows what was found out, and writes it in all forms.
fn report(replay: &Replay, out: &Path, console: &Console) -> Result<(), Error> {
    let figures = Figures::of(replay);
    fs::create_dir_all(out).map_err(Error::io("create", out))?;
    let json = tamis_replay::json(replay, &figures).unwrap_or_default();
    let steps = tamis_replay::steps_csv(replay).map_err(Error::io("write", out))?;
    let mutants = tamis_replay::mutants_csv(replay).map_err(Error::io("write", out))?;
    for (name, text) in [
        ("replay.json", json),
        ("steps.csv", steps),
        ("mutants.csv", mutants),
        ("report.md", tamis_replay::markdown(replay, &figures)),
        ("report.html", tamis_replay::page(replay, &figures)),
    ] {
        let path = out.join(name);
        fs::write(&path, text).map_err(Error::io("write", &path))?;
    }
    console.answer(tamis_replay::text(replay, &figures));
    console.progress(format!("the whole report is in {}", out.display()));
    console.json(serde_json::json!({ "replay": replay, "figures": figures }))
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(Error::io("find", path))
}

/// The version of the Java that runs the build.
fn runtime() -> Result<String, Error> {
    let java = find_java()?;
    let output = Command::new(&java)
        .arg("-version")
        .output()
        .map_err(Error::io("start", &java))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let version = text.lines().find(|line| line.contains("version"));
    Ok(version.unwrap_or_default().to_owned())
}
