use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;

pub(crate) fn demo(_keep: bool, _console: &Console) -> Result<ExitCode, Error> {
    Ok(ExitCode::Success)
}
