use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::knowledge::open_to_read;
use std::path::Path;
use tamis_build::find_root;
use tamis_report::Affected;
use tamis_store::Project;

/// `tamis affected`: the tests that used a class, or executed a method, when they last ran.
pub(crate) fn affected(start: &Path, class: &str, console: &Console) -> Result<ExitCode, Error> {
    let project = Project {
        root: find_root(start)?,
    };
    let opened = open_to_read(&project, console)?;
    opened
        .warning
        .iter()
        .for_each(|warning| console.warning(warning));
    let affected = Affected {
        class: class.to_owned(),
        tests: opened.store.affected(class),
        known: opened.store.known_tests(),
    };
    console.answer(affected.text());
    console.progress(affected.closing());
    console.json(affected.json())?;
    Ok(ExitCode::Success)
}
