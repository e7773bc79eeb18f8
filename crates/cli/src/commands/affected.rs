use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::knowledge::open_to_read;
use std::path::{Path, PathBuf};
use tamis_build::find_root;
use tamis_report::Affected;
use tamis_select::MemberName;
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
    let affected = match opened.store.known_tests() {
        0 => by_code(&project, class)?,
        known => Affected {
            class: class.to_owned(),
            tests: opened.store.affected(class),
            known,
            paths: None,
        },
    };
    console.answer(affected.text());
    console.progress(affected.closing());
    console.json(affected.json())?;
    Ok(ExitCode::Success)
}

/// Without a recording, the tests that can reach the class as far as code tells.
fn by_code(project: &Project, class: &str) -> Result<Affected, Error> {
    let asked = MemberName::from(class);
    let java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let reaching = project.reaching(&asked, java_home.as_deref());
    if reaching.known == 0 {
        let message = "nothing was recorded yet, and no compiled test classes are found; run `tamis test`, or compile \
                       the tests";
        return Err(Error::Usage(message.to_owned()));
    }
    if !reaching.exists {
        let message =
            format!("no compiled class has {class}; nothing was recorded that may say more");
        return Err(Error::Usage(message));
    }
    let (tests, paths) = reaching.tests.into_iter().unzip();
    Ok(Affected {
        class: class.to_owned(),
        tests,
        known: reaching.known,
        paths: Some(paths),
    })
}
