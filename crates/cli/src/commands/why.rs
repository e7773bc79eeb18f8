use super::now_ms;
use super::select::{ask, failure};
use crate::arguments::Run as RunArguments;
use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::knowledge::open_to_read;
use std::path::{Path, PathBuf};
use tamis_build::{Signals, find_root};
use tamis_report::{Share, TestReport, Why};
use tamis_select::{MemberName, Reason, TestName, Verdict};
use tamis_store::Project;

/// For so many changes of a test a path in the code is looked for.
const PATHS: usize = 3;

/// `tamis why`: the reasons of one test, or that there are none.
pub(crate) fn why(
    start: &Path,
    test: &str,
    arguments: &RunArguments,
    no_build: bool,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    let run = ask(start, arguments, no_build, console, signals)?;
    if let Some(code) = failure(&run) {
        console.progress(run.closing());
        return Ok(code);
    }
    run.warnings
        .iter()
        .for_each(|warning| console.warning(warning));
    run.unheld.iter().for_each(|unheld| console.warning(unheld));
    let all = run.tests.len();
    let asked = TestName::from(test);
    let named = run.tests.into_iter().filter(|report| {
        let name = &report.test.name;
        name.is_called(&asked) || name.whole_class().is_called(&asked)
    });
    let verdicts: Vec<Verdict> = named.map(verdict).collect();
    if verdicts.is_empty() {
        return Err(Error::Usage(format!(
            "no test class {test} among the {all} that are known"
        )));
    }
    let root = find_root(start)?;
    let project = Project { root };
    let store = open_to_read(&project, console)?.store;
    let shares = |verdict: &Verdict| {
        let shares = store.shares(&verdict.test).into_iter();
        let share = |share: tamis_store::Share| Share {
            through: share.through,
            from: share.from,
        };
        shares.map(share).collect()
    };
    let java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let paths = |verdict: &Verdict| {
        let to = verdict.reasons.iter().filter_map(changed).take(PATHS);
        let paths =
            to.filter_map(|to| store.path(&project, &verdict.test, &to, java_home.as_deref()));
        paths.filter(|path| path.len() > 1).collect()
    };
    let why = Why {
        asked: test.to_owned(),
        technique: run.technique,
        shares: verdicts.iter().map(shares).collect(),
        paths: verdicts.iter().map(paths).collect(),
        verdicts,
    };
    console.answer(why.text(now_ms()));
    console.json(why.json())?;
    Ok(ExitCode::Success)
}

/// The class or member that a recording says was used and that changed.
fn changed(reason: &Reason) -> Option<MemberName<'_>> {
    match reason {
        Reason::Class { class, .. } => Some(MemberName::class(&**class)),
        Reason::Member { class, member, .. } => Some(MemberName::member(&**class, &**member)),
        _ => None,
    }
}

fn verdict(report: TestReport) -> Verdict {
    let TestReport {
        test,
        selected,
        reasons,
        known,
        excused,
        unchanged,
        ..
    } = report;
    Verdict {
        test,
        selected,
        reasons,
        known,
        excused,
        grown: false,
        unchanged,
    }
}
