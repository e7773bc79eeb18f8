use super::needs_classes;
use crate::arguments::Collect;
use crate::console::Console;
use crate::error::Error;
use crate::exit_code::ExitCode;
use crate::isolation::Isolation;
use crate::knowledge::open_to_write;
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tamis_build::Signals;
use tamis_report::Isolated;
use tamis_select::TestId;
use tamis_store::{Project, Scope, Store};

/// `tamis collect --isolated`: records test classes alone in fresh JVMs. What is recorded so stays until
/// something changes for the test, so the store tells what is left to do.
pub(super) fn collect_isolated(
    start: &Path,
    arguments: &Collect,
    console: &Console,
    signals: &Signals,
) -> Result<ExitCode, Error> {
    let target = Target::find(start, &arguments.run)?;
    needs_classes(&target, "collect --isolated")?;
    target.driver.check()?;
    let opened = open_to_write(&target.project, console)?;
    if let Some(warning) = &opened.warning {
        console.warning(warning);
    }
    let (tests, already) = to_isolate(&opened.store, &target, &arguments.tests);
    if tests.is_empty() && already == 0 {
        return Err(Error::Usage(match arguments.tests.is_empty() {
            true => "nothing is known yet: run `tamis test` first".into(),
            false => format!(
                "no known test class is called {}",
                arguments.tests.join(",")
            ),
        }));
    }
    let isolation = Isolation::new(&target, console, signals, arguments.budget)?;
    let report = run(isolation, tests, already)?;
    console.answer(report.text());
    console.json(report.json())?;
    Ok(match report.interrupted {
        true => ExitCode::Interrupted,
        false if report.failed.is_empty() => ExitCode::Success,
        false => ExitCode::Failed,
    })
}

/// The test classes that are not known from a run alone or for which something has changed: those that
/// inherit from others first, the quickest of them first; and how many others there are.
fn to_isolate(store: &Store, target: &Target, patterns: &[String]) -> (Vec<TestId>, usize) {
    let technique = target.choice.technique();
    let scope = Scope::default();
    let selection = store.select(&target.project, &scope, technique.as_ref());
    let isolated: BTreeSet<TestId> = store.isolated().into_iter().collect();
    // Whether a class inherits nothing, and how long it takes.
    let mut tests: BTreeMap<TestId, (bool, u64)> = BTreeMap::new();
    let mut already = 0;
    for verdict in &selection.verdicts {
        let class = verdict.test.whole_class();
        let is_asked = |pattern: &String| is_like(class.class(), pattern);
        if !patterns.is_empty() && !patterns.iter().any(is_asked) {
            continue;
        }
        match !verdict.selected && isolated.contains(&verdict.test) {
            true => already += 1,
            false => {
                let took = verdict.known.map_or(0, |known| known.duration_us);
                let (alone, time) = tests.entry(class).or_insert((true, 0));
                *alone &= store.shares(&verdict.test).is_empty();
                *time += took;
            }
        }
    }
    let mut tests: Vec<_> = tests
        .into_iter()
        .map(|(test, order)| (order, test))
        .collect();
    tests.sort();
    (tests.into_iter().map(|(_, test)| test).collect(), already)
}

fn run(
    mut isolation: Isolation<'_>,
    tests: Vec<TestId>,
    already: usize,
) -> Result<Isolated, Error> {
    let mut report = Isolated {
        already,
        ..Isolated::default()
    };
    let all = tests.len();
    let mut todo = tests;
    while !todo.is_empty() && !report.interrupted {
        let number = isolation.next(todo.len());
        if number == 0 {
            break;
        }
        let project: &Project = &isolation.target.project;
        let known = Store::load(project)?.store;
        let next: Vec<TestId> = todo.drain(..number).collect();
        let batch = isolation.run(&next, &known)?;
        report.interrupted = batch.interrupted;
        report.recorded += batch.taken_in.len();
        let not_taken = batch.alone.into_keys();
        let failed = not_taken.filter(|test| !batch.taken_in.contains(test));
        report.failed.extend(failed);
        // Those that did not run alone in a build of many get one of their own.
        match next.len() {
            1 => report.together.extend(batch.together),
            _ => todo.extend(batch.together),
        }
        report.missing.extend(batch.missing);
        isolation.tell_progress(all - todo.len(), all);
    }
    report.left = todo.len();
    Ok(report)
}

/// Whether a class is called so, with or without its package; `*` stands for anything.
fn is_like(class: &str, pattern: &str) -> bool {
    let simple = class.rsplit('.').next().unwrap_or(class);
    matches(class, pattern) || matches(simple, pattern)
}

fn matches(text: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => text == pattern,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| text.get(at..).is_some_and(|text| matches(text, rest)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_for_the_name_with_or_without_package() {
        let check = |pattern: &str, expected| {
            assert_eq!(is_like("a.b.FooTest", pattern), expected, "{pattern}");
        };
        check("FooTest", true);
        check("a.b.FooTest", true);
        check("b.FooTest", false);
        check("Foo*", true);
        check("*Test", true);
        check("a.b.*", true);
        check("a.*Foo*", true);
        check("*Bar*", false);
        check("Foo", false);
    }
}
