use super::background;
use super::isolated::collect_isolated;
use super::test::run_tests;
use crate::arguments::{Collect, Mode};
use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use std::path::Path;
use tamis_build::Signals;
use tamis_report::RunKind;

/// `tamis collect`: the second half of the offline mode. What ran without being recorded is still
/// compared with its last recording, so the tests that are selected now are those to record.
pub(crate) fn collect(
    start: &Path,
    arguments: &Collect,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    if arguments.background {
        return background(start, "collect", console);
    }
    if arguments.isolated {
        return collect_isolated(start, arguments, console, signals);
    }
    let (run, kind) = (&arguments.run, RunKind::Collect);
    run_tests(start, run, Mode::Online, kind, console, signals)
}
