//! Runs a compiled case: the first revision, recorded by basic blocks, then the second one by blocks;
//! what the other techniques would run there is asked of the store. Then both again by single tests,
//! recorded by methods.

use crate::case::{Case, EXACT, SINGLE_TESTS, STATIC, techniques};
use crate::compile::Program;
use crate::jars::Jars;
use crate::project::{Project, Tests};
use crate::prove;
use std::collections::BTreeSet;
use std::fs;
use tamis_store::Store;

const BY_CLASS: &str = "class";
const BY_METHOD: &str = "method";

/// Something that is not as a case says.
pub(crate) struct Problem {
    /// The columns of the table that it belongs in; all of them if there are none.
    pub(crate) columns: Vec<&'static str>,
    pub(crate) text: String,
}

impl From<String> for Problem {
    fn from(text: String) -> Problem {
        let columns = Vec::new();
        Problem { columns, text }
    }
}

/// The problems of a case, under each of its runners and JDKs.
pub(crate) fn check(program: &Program<'_>, jars: &Jars) -> Vec<Problem> {
    let mut problems = Vec::new();
    for &jdk in &program.case.jdks {
        for (number, runner) in program.case.runners.iter().enumerate() {
            let mut project = Project {
                program,
                jars,
                jdk,
                runner,
                root: program.dir.join(format!("project-{jdk}-{number}")),
            };
            let found = check_project(&mut project);
            for mut problem in found.unwrap_or_else(|problem| vec![problem]) {
                let (name, columns) = (&program.case.name, problem.columns.join(", "));
                let how = format!("{name} ({runner:?}, JDK {jdk}) {columns}");
                problem.text = format!("{}: {}", how.trim_end(), problem.text);
                problems.push(problem);
            }
        }
    }
    problems
}

fn check_project(project: &mut Project<'_>) -> Result<Vec<Problem>, Problem> {
    let case = project.program.case;
    let mut problems: Vec<Problem> = Vec::new();
    let mut judge = |column: &'static str, technique: &str, second: &Tests| {
        let Err(text) = compare(case, technique, second) else {
            return;
        };
        match problems.iter_mut().find(|known| known.text == text) {
            Some(known) => known.columns.push(column),
            None => problems.push(Problem {
                columns: vec![column],
                text,
            }),
        }
    };
    project.place(1);
    let first = project.test(1, "hyrts-b", BY_CLASS)?;
    if first.is_empty() || first.values().any(Option::is_none) {
        return Err(format!("not everything ran at first: {first:?}").into());
    }
    project.place(1);
    let again = again(project)?;
    if again.iter().any(|test| !case.again.contains(test)) {
        return Err(format!("{again:?} would run again although nothing changed").into());
    }
    let known = project.load();
    project.next();
    let others = techniques().filter(|t| *t != "hyrts-b");
    let others = others.map(|technique| Ok((technique, left_out(project, &known, technique)?)));
    let others: Vec<_> = others.collect::<Result<_, Problem>>()?;
    let missed_statically: Vec<Problem> = STATIC
        .iter()
        .filter_map(|technique| {
            let text = missed_statically(project, &known, technique).err()?;
            let columns = vec![*technique];
            Some(Problem { columns, text })
        })
        .collect();
    let second = project.test(2, "hyrts-b", BY_CLASS)?;
    for (technique, left_out) in others {
        judge(technique, technique, &without(&second, &left_out));
    }
    judge("hyrts-b", "hyrts-b", &second);
    let once_more = due_again(project, "hyrts-b", &second);

    project.clear();
    project.place(1);
    project.test(1, "hyrts", BY_METHOD)?;
    project.next();
    let mut wrong_single = None;
    let (single, once_more_single) = match case.runs_single_tests() {
        true => {
            let tests = project.test(2, "hyrts", BY_METHOD)?;
            let once_more = due_again(project, "hyrts", &tests);
            wrong_single = case.judge_single_tests(&ran(&tests));
            (by_class(case, tests), once_more)
        }
        false => {
            let left_out = left_out(project, &project.load(), "hyrts")?;
            (without(&second, &left_out), Vec::new())
        }
    };
    judge(SINGLE_TESTS, "hyrts", &single);
    if case.is_exact() {
        project.clear();
        project.place(1);
        project.test(1, EXACT, BY_CLASS)?;
        project.next();
        judge(EXACT, EXACT, &project.test(2, EXACT, BY_CLASS)?);
    }
    problems.extend(missed_statically);
    problems.extend(wrong_single.map(|text| Problem {
        columns: vec![SINGLE_TESTS],
        text,
    }));
    for (column, tests) in [("hyrts-b", once_more), (SINGLE_TESTS, once_more_single)] {
        if !tests.is_empty() {
            problems.push(Problem {
                columns: vec![column],
                text: format!("{tests:?} would run once more on the second revision"),
            });
        }
    }
    if std::env::var_os("SAFETY_PROVE").is_some() {
        problems.extend(prove::prove(project, &first, &second));
    }
    Ok(problems)
}

impl Project<'_> {
    /// Goes to the second revision.
    fn next(&mut self) {
        if self.program.case.moves {
            let mut name = self.root.file_name().unwrap().to_owned();
            name.push("-moved");
            let root = self.root.with_file_name(name);
            fs::rename(&self.root, &root).unwrap();
            self.root = root;
        }
        self.place(2);
    }

    /// Starts from nothing.
    fn clear(&self) {
        fs::remove_dir_all(&self.root).unwrap();
    }
}

/// The tests that run once more on the first revision.
fn again(project: &Project<'_>) -> Result<Vec<String>, String> {
    let case = project.program.case;
    if case.again.is_empty() && !case.asks_a_jvm() {
        let selection = project.select(&project.load(), 1, "hyrts-b");
        let selected = selection.selected();
        return Ok(selected.map(|verdict| verdict.test.to_string()).collect());
    }
    Ok(ran(&project.test(1, "hyrts-b", BY_CLASS)?))
}

/// The tests that would run once more on the second revision although they just passed there, or were
/// left out.
fn due_again(project: &Project<'_>, technique: &str, second: &Tests) -> Vec<String> {
    let case = project.program.case;
    if !case.again.is_empty() || case.asks_a_jvm() {
        return Vec::new();
    }
    let selection = project.select(&project.load(), 2, technique);
    let names = selection.selected().map(|verdict| verdict.test.to_string());
    let ended_well = |name: &String| {
        let outcome = second.get(name).and_then(Option::as_ref);
        outcome.is_none_or(|outcome| outcome == "passed")
    };
    names.filter(ended_well).collect()
}

/// The tests that a technique would leave out on the second revision.
fn left_out(
    project: &Project<'_>,
    known: &Store,
    technique: &str,
) -> Result<BTreeSet<String>, String> {
    if project.program.case.asks_a_jvm() {
        return project.left_out_by_jvm(2, technique);
    }
    let selection = project.select(known, 2, technique);
    let names = selection.left_out().into_iter();
    Ok(names.map(String::from).collect())
}

/// Whether a static technique selects all that must run, but for what it cannot see.
fn missed_statically(project: &Project<'_>, known: &Store, technique: &str) -> Result<(), String> {
    let case = project.program.case;
    let left_out = project.select(known, 2, technique).left_out();
    let left_out: BTreeSet<String> = left_out.into_iter().map(String::from).collect();
    let must = case.must(technique).into_iter();
    let missed: Vec<_> = must.filter(|test| left_out.contains(*test)).collect();
    let runs_once = case.runners.len() == 1 && case.jdks.len() == 1;
    match (missed.is_empty(), case.unseen(technique)) {
        (false, None) => Err(format!("MISSED {missed:?}")),
        (true, Some(what)) if runs_once => Err(format!("no longer unseen: {what}")),
        _ => Ok(()),
    }
}

/// Those tests, and some of them left out. How the others would end is what they ended with, if they
/// ran.
fn without(tests: &Tests, left_out: &BTreeSet<String>) -> Tests {
    let outcome = |(name, outcome): (&String, &Option<String>)| {
        let outcome = outcome.clone().unwrap_or_else(|| "passed".into());
        (name.clone(), (!left_out.contains(name)).then_some(outcome))
    };
    tests.iter().map(outcome).collect()
}

/// Single tests brought together for their classes: one that ran is enough.
fn by_class(case: &Case, tests: Tests) -> Tests {
    let mut classes = Tests::new();
    for (test, outcome) in tests {
        let class = test.split('#').next().unwrap_or(&test);
        let class = match case.speaks_of(class) {
            true => class,
            false => class.split('$').next().unwrap_or(class),
        };
        let known = classes.entry(class.to_owned()).or_default();
        // "failed" comes before "passed".
        *known = match (known.take(), outcome) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    classes
}

/// What ran on the second revision against what the case says.
fn compare(case: &Case, technique: &str, second: &Tests) -> Result<(), String> {
    let ran = ran(second);
    let (all, passes): (Vec<_>, Vec<_>) = (second.keys().collect(), case.passes.iter().collect());
    let [must, must_not, misses] = [
        case.must(technique),
        case.must_not(technique),
        case.misses(technique),
    ];
    let is_said = |test: &String| {
        let mut lists = [&must, &must_not, &misses].into_iter();
        lists.any(|list| list.contains(&test)) || case.may.contains(test)
    };
    let passed = |test: &String| second.get(test) == Some(&Some("passed".into()));
    let those = |tests: &[&String], is_meant: &dyn Fn(&String) -> bool| {
        let meant = tests.iter().filter(|test| is_meant(test));
        let names: Vec<&str> = meant.map(|test| test.as_str()).collect();
        names.join(", ")
    };
    let problems = [
        (
            "MISSED",
            those(&must, &|t| !ran.contains(t) && !misses.contains(&t)),
        ),
        ("not passed:", those(&passes, &|t| !passed(t))),
        ("no longer missed:", those(&misses, &|t| ran.contains(t))),
        ("needless:", those(&must_not, &|t| ran.contains(t))),
        ("nothing is said about", those(&all, &|t| !is_said(t))),
        (
            "not asked for:",
            those(&must_not, &|t| !second.contains_key(t)),
        ),
    ];
    let problems = problems.iter().filter(|(_, tests)| !tests.is_empty());
    let problems: Vec<String> = problems
        .map(|(words, tests)| format!("{words} {tests}"))
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems.join("; ")),
    }
}

fn ran(tests: &Tests) -> Vec<String> {
    tests
        .iter()
        .filter(|(_, outcome)| outcome.is_some())
        .map(|(test, _)| test.clone())
        .collect()
}
