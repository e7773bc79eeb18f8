//! The `tamis` command: arguments, console, exit codes. What it does is in the crates below it.

mod agent_library;
mod arguments;
mod commands;
mod console;
mod error;
mod execution;
mod exit_code;
mod isolation;
mod journal;
mod knowledge;
mod run_dir;
mod savings;
mod sources;
mod target;
mod tests_of_run;
mod verdict_file;

use arguments::{Arguments, Command};
use console::Console;
use error::Error;
use exit_code::ExitCode;
use std::path::PathBuf;
use tamis_build::Signals;

fn main() -> std::process::ExitCode {
    let code = arguments::read(std::env::args_os())
        .and_then(run)
        .unwrap_or_else(|error| {
            Console::error(&error);
            error.exit_code()
        });
    code.into()
}

fn run(arguments: Arguments) -> Result<ExitCode, Error> {
    let console = Console::new(&arguments.common);
    let start = arguments
        .common
        .project
        .unwrap_or_else(|| PathBuf::from("."));
    let signals = || Signals::catch().map_err(Error::Signals);
    match arguments.command {
        Command::Test { run, mode } => commands::test(&start, &run, mode, &console, &signals()?),
        Command::Collect(collect) => commands::collect(&start, &collect, &console, &signals()?),
        Command::Audit(audit) => commands::audit(&start, &audit, &console, &signals()?),
        Command::Select { run, no_build } => {
            commands::select(&start, &run, no_build, &console, &signals()?)
        }
        Command::Why {
            test,
            run,
            no_build,
        } => commands::why(&start, &test, &run, no_build, &console, &signals()?),
        Command::Affected { class } => commands::affected(&start, &class, &console),
        Command::Status => commands::status(&start, &console),
        Command::Replay(replay) => commands::replay(&start, &replay, &console, &signals()?),
        Command::Demo { keep } => commands::demo(keep, &console),
        // The agent keeps what this says on standard error in the run directory.
        Command::Verdict { run, request } => commands::verdict(&run, &request),
    }
}
