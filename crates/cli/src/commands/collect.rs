use super::test::run_tests;
use crate::arguments::{Mode, Run as RunArguments};
use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tamis_build::{Signals, find_command_place};
use tamis_report::RunKind;
use tamis_store::Project;

/// `tamis collect`: the second half of the offline mode. What ran without being recorded is still
/// compared with its last recording, so the tests that are selected now are those to record.
pub(crate) fn collect(
    start: &Path,
    arguments: &RunArguments,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    let kind = RunKind::Collect;
    run_tests(start, arguments, Mode::Online, kind, console, signals)
}

/// The same in a process of its own, which outlives this one.
pub(crate) fn collect_in_background(start: &Path, console: &Console) -> Result<ExitCode, Error> {
    let project = Project {
        root: find_command_place(start)?.root,
    };
    project.create_dir()?;
    let path = project.dir().join("collect.log");
    let log = File::create(&path).map_err(Error::io("create", &path))?;
    let errors = log.try_clone().map_err(Error::io("write", &path))?;
    let tamis = std::env::current_exe().map_err(Error::io("find", "the tamis executable"))?;
    let arguments = std::env::args_os().skip(1);
    let child = Command::new(&tamis)
        .args(arguments.filter(|argument| argument != "--background"))
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        // A group of its own: Ctrl-C here does not reach it.
        .process_group(0)
        .spawn()
        .map_err(Error::io("start", tamis))?;
    console.progress(format!(
        "collecting in the background, process {}; see {}",
        child.id(),
        path.display()
    ));
    Ok(ExitCode::Success)
}
