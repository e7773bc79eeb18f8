//! The cases against the techniques, as a table.

use crate::case::{Case, SINGLE_TESTS, STATIC, UNSEEN, techniques};
use crate::run::Problem;
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The ideas that have numbers: every one has a case.
const IDEAS: [(char, u32, &str); 4] = [
    ('c', 28, "Code"),
    ('t', 6, "Test code"),
    ('f', 11, "What is not code"),
    ('r', 11, "How the run is shaped"),
];

/// Others, in groups.
const OTHERS: [(char, &str); 5] = [
    ('b', "Basic blocks"),
    ('m', "Methods"),
    ('n', "Nasty things"),
    ('p', "Examples of papers"),
    ('s', "State that one test leaves for another"),
];

/// What holds for a case and a technique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    Right,
    More,
    Misses,
    Fails,
    Pending,
    Elsewhere,
}

impl Sign {
    const ALL: [Sign; 6] = [
        Sign::Right,
        Sign::More,
        Sign::Misses,
        Sign::Fails,
        Sign::Pending,
        Sign::Elsewhere,
    ];

    /// What holds, by the problems of the case if it ran.
    fn of(case: &Case, problems: Option<&[Problem]>, column: &str) -> Sign {
        let technique = if column == SINGLE_TESTS {
            "hyrts"
        } else {
            column
        };
        let concerns = |p: &Problem| p.columns.is_empty() || p.columns.contains(&column);
        if !case.elsewhere.is_empty() {
            Sign::Elsewhere
        } else if problems.is_none() && case.pending.is_some() {
            Sign::Pending
        } else if problems.is_none_or(|problems| problems.iter().any(concerns)) {
            Sign::Fails
        } else if !case.misses(technique).is_empty() {
            Sign::Misses
        } else if case.may_run_more(technique) {
            Sign::More
        } else {
            Sign::Right
        }
    }

    fn shown(self) -> &'static str {
        match self {
            Sign::Right => "✓",
            Sign::More => "✓+",
            Sign::Misses => "✗",
            Sign::Fails => "fails",
            Sign::Pending => "…",
            Sign::Elsewhere => "→",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Sign::Right => "all right",
            Sign::More => "right, and more than needed may run for a written reason",
            Sign::Misses => "known miss, with its reason",
            Sign::Fails => "not as the case says, yet",
            Sign::Pending => "pending",
            Sign::Elsewhere => "tested elsewhere",
        }
    }
}

/// The problems of each case.
pub(crate) type Findings = BTreeMap<String, Vec<Problem>>;

pub(crate) fn table(cases: &[Arc<Case>], findings: &Findings) -> String {
    let signs = Sign::ALL.map(|sign| format!("| {} | {} |", sign.shown(), sign.meaning()));
    let legend = format!("| sign | meaning |\n|:-:|---|\n{}", signs.join("\n"));
    let unseen = UNSEEN.map(|(what, meaning)| format!("| {what} | {meaning} |"));
    let legend = format!(
        "{legend}\n\nWhere a static technique misses tests, its column says what it cannot see:\n\n\
         | word | what is not seen |\n|---|---|\n{}",
        unseen.join("\n")
    );
    let mut text = format!("{legend}\n\n{}\n", totals(cases, findings));
    let groups = IDEAS.map(|(group, _, title)| (group, title));
    for (group, title) in groups.into_iter().chain(OTHERS) {
        let of_group = cases.iter().filter(|case| case.name.starts_with(group));
        let rows: Vec<String> = of_group.map(|case| row(case, findings)).collect();
        if !rows.is_empty() {
            let columns = techniques().chain([SINGLE_TESTS]).chain(STATIC);
            let columns: Vec<&str> = columns.collect();
            let head = format!("| case | {} | |", columns.join(" | "));
            let line = format!("|---|{}---|", ":-:|".repeat(columns.len()));
            text += &format!("\n### {title}\n\n{head}\n{line}\n{}\n", rows.join("\n"));
        }
    }
    text
}

fn row(case: &Case, findings: &Findings) -> String {
    let mut signs: Vec<&str> = signs(case, findings).into_iter().map(Sign::shown).collect();
    let problems = findings.get(&case.name).map(Vec::as_slice);
    signs.extend(STATIC.map(|technique| match case.unseen(technique) {
        Some(what) => what,
        None if case.pending.is_some() || !case.elsewhere.is_empty() => "",
        None if problems.is_some_and(|all| all.iter().any(|p| p.columns.contains(&technique))) => {
            Sign::Fails.shown()
        }
        None => Sign::Right.shown(),
    }));
    let mut about = case.about.replace('|', "\\|");
    if let Some(reason) = &case.pending {
        about += &format!(" Pending: {reason}.");
    }
    let places: Vec<String> = case
        .elsewhere
        .iter()
        .map(|place| format!("`{place}`"))
        .collect();
    if !places.is_empty() {
        about += &format!(" See {}.", places.join(", "));
    }
    format!("| `{}` | {} | {about} |", case.name, signs.join(" | "))
}

fn signs(case: &Case, findings: &Findings) -> Vec<Sign> {
    let problems = findings.get(&case.name).map(Vec::as_slice);
    let columns = techniques().chain([SINGLE_TESTS]);
    columns
        .map(|column| Sign::of(case, problems, column))
        .collect()
}

/// How many cases there are of each kind; a case is as bad as the worst of its techniques.
fn totals(cases: &[Arc<Case>], findings: &Findings) -> String {
    let worst = |case: &Case| signs(case, findings).into_iter().max();
    let count = |sign: Sign| {
        let of_sign = cases.iter().filter(|case| worst(case) == Some(sign));
        format!("{} {}", of_sign.count(), sign.shown())
    };
    let counts = Sign::ALL.map(count).join(", ");
    format!(
        "{} cases, by the worst of their signs: {counts}.",
        cases.len()
    )
}

/// Puts the table into a document, behind the text that stands there before its heading.
pub(crate) fn write(document: &Path, table: &str) {
    const HEADING: &str = "## The cases\n\n";
    let text = fs::read_to_string(document).unwrap_or_default();
    let before = text.split(HEADING).next().unwrap_or_default();
    fs::write(document, format!("{before}{HEADING}{table}")).unwrap();
}

/// Whether there is a case for every idea, and an idea or a group for every case.
pub(crate) fn every_idea_has_a_case(cases: &[Arc<Case>]) -> Result<(), Failed> {
    let has_case = |start: &str| cases.iter().any(|case| case.name.starts_with(start));
    for (group, count, _) in IDEAS {
        let ideas = (1..=count).map(|number| format!("{group}{number:02}-"));
        if let Some(idea) = ideas.into_iter().find(|idea| !has_case(idea)) {
            return Err(format!("there is no case {idea}").into());
        }
    }
    let ideas = IDEAS.map(|(group, ..)| group).into_iter();
    let groups: Vec<char> = ideas.chain(OTHERS.map(|(group, _)| group)).collect();
    let is_lost = |case: &&Arc<Case>| !case.name.starts_with(&groups[..]);
    match cases.iter().find(is_lost) {
        Some(case) => Err(format!("{} is in no group", case.name).into()),
        None => Ok(()),
    }
}

/// Whether the tests are there that a case names instead of files.
pub(crate) fn tests_elsewhere(case: &Case) -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_there = |place: &str| match place.split_once(' ') {
        None => root.join(place).exists(),
        Some((file, test)) => fs::read_to_string(root.join(file))
            .is_ok_and(|text| text.contains(&format!("fn {test}("))),
    };
    match case.elsewhere.iter().find(|place| !is_there(place)) {
        Some(place) => Err(format!("there is no {place}").into()),
        None => Ok(()),
    }
}
