use super::now_ms;
use super::select::{ask, failure};
use crate::arguments::Run as RunArguments;
use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::knowledge::open_to_read;
use std::path::Path;
use tamis_build::{Signals, find_root};
use tamis_report::{Share, TestReport, Why};
use tamis_select::{TestName, Verdict};
use tamis_store::Project;

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
    let store = open_to_read(&Project { root }, console)?.store;
    let shares = |verdict: &Verdict| {
        let shares = store.shares(&verdict.test).into_iter();
        let share = |share: tamis_store::Share| Share {
            through: share.through,
            from: share.from,
        };
        shares.map(share).collect()
    };
    let why = Why {
        asked: test.to_owned(),
        technique: run.technique,
        shares: verdicts.iter().map(shares).collect(),
        verdicts,
    };
    console.answer(why.text(now_ms()));
    console.json(why.json())?;
    Ok(ExitCode::Success)
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
