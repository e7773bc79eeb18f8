//! One module per command.

mod affected;
mod audit;
mod collect;
mod demo;
mod isolated;
mod replay;
mod select;
mod status;
mod test;
mod verdict;
mod why;

pub(crate) use affected::affected;
pub(crate) use audit::audit;
pub(crate) use collect::collect;
pub(crate) use demo::demo;
pub(crate) use replay::replay;
pub(crate) use select::select;
pub(crate) use status::status;
pub(crate) use test::test;
pub(crate) use verdict::verdict;
pub(crate) use why::why;

use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::target::Target;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};
use tamis_build::find_root;
use tamis_select::Granularity;
use tamis_store::Project;

/// Runs this command once more in a process of its own, which outlives this one and has a low
/// priority; its output goes to `.tamis/NAME.log`.
fn background(start: &Path, name: &str, console: &Console) -> Result<ExitCode, Error> {
    let project = Project {
        root: find_root(start)?,
    };
    project.create_dir()?;
    let path = project.dir().join(format!("{name}.log"));
    let log = File::create(&path).map_err(Error::io("create", &path))?;
    let errors = log.try_clone().map_err(Error::io("write", &path))?;
    let tamis = std::env::current_exe().map_err(Error::io("find", "the tamis executable"))?;
    let arguments = std::env::args_os().skip(1);
    let child = Command::new("nice")
        .arg("-n10")
        .arg(&tamis)
        .args(arguments.filter(|argument| argument != "--background"))
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(errors)
        // A group of its own: Ctrl-C here does not reach it.
        .process_group(0)
        .spawn()
        .map_err(Error::io("start", "nice"))?;
    console.progress(format_args!(
        "{name}ing in the background, process {}; see {}",
        child.id(),
        path.display()
    ));
    Ok(ExitCode::Success)
}

/// Refuses `--granularity method`: test classes have JVMs of their own, single tests do not.
fn needs_classes(target: &Target, command: &str) -> Result<(), Error> {
    match target.granularity {
        Granularity::Class => Ok(()),
        Granularity::Method => Err(Error::Usage(format!(
            "`{command}` runs whole test classes alone: leave out `--granularity method`"
        ))),
    }
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since_1970.as_millis().try_into().unwrap_or(u64::MAX)
}
