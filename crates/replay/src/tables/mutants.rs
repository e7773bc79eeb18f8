use super::{Cell, Table, Tone};
use crate::Figures;
use crate::figures::{MutantChoice, MutantGroup};
use crate::phrases::{NONE, or_none, percent};

const NOTE: &str = "Killed: by a test class of all that there are, then by one that the technique selected. Missed: test \
                    classes that fail with the mutant and were not selected. No answer: the technique failed; such mutants \
                    are in none of its other figures.";

const ALONE: &str = "All tests ran for each mutant alone, without tamis. Killed: a test class fails or does not come to its end; \
                     then, one that the technique selected. Missed: test classes that end differently or print something else \
                     and were not selected. No answer: the technique failed; such mutants are in none of its other figures.";

const HEADS: [&str; 8] = [
    "technique",
    ">mutants",
    ">killed by all",
    ">killed",
    ">missed",
    ">no answer",
    ">selected",
    ">median",
];

pub(crate) fn mutants(figures: &Figures) -> Table {
    let Some(mutants) = &figures.mutants else {
        return Table::default();
    };
    let rows = mutants.all.techniques.iter().map(|choice| {
        let mut row = vec![Cell::plain(&choice.name)];
        row.extend(numbers(choice));
        row
    });
    Table::new("Mutants", &HEADS, &note(&mutants.all)).with(rows)
}

fn note(all: &MutantGroup) -> String {
    match all.alone {
        0 => format!(
            "{NOTE} {} in classes that no test class uses, {} with a test that never ended.",
            all.unreached, all.endless,
        ),
        _ => ALONE.to_owned(),
    }
}

/// The table of mutants that ran alone, and of the runs that they were compared with.
pub(crate) fn alone(figures: &Figures) -> Table {
    let all = figures.mutants.as_ref().map(|mutants| &mutants.all);
    let Some(all) = all.filter(|all| all.alone > 0) else {
        return Table::default();
    };
    let mutants = [
        ("ran", all.alone),
        ("changed at least one test class", all.changed),
        ("made a test class fail, or not come to its end", all.killed),
        ("changed only what tests print", all.only_output),
        ("took too long and were ended", all.endless),
        (
            "kept test classes from running, by such an end",
            all.not_all_run,
        ),
        (
            "in classes that no test class uses, as recorded",
            all.unreached,
        ),
    ];
    let unmutated = figures.unmutated.iter().flat_map(|unmutated| {
        [
            ("all tests without mutants, runs", unmutated.seconds.len()),
            ("test classes compared", unmutated.classes),
            ("of these fail without mutants", unmutated.failing),
            (
                "of these print what varies by itself",
                unmutated.varying_output.len(),
            ),
            ("test classes left out: flaky", unmutated.flaky.len()),
        ]
    });
    let row =
        |(what, number): (&str, usize)| vec![Cell::plain(what), Cell::plain(number.to_string())];
    let rows = mutants.into_iter().chain(unmutated).map(row);
    Table::new("Mutants that ran alone", &["mutants", ">number"], "").with(rows)
}

pub(crate) fn by_operator(figures: &Figures) -> Table {
    let heads: Vec<&str> = ["operator"].into_iter().chain(HEADS).collect();
    let groups = figures
        .mutants
        .iter()
        .flat_map(|mutants| &mutants.operators);
    let rows = groups.flat_map(|(operator, group)| of_operator(operator, group));
    Table::new("Mutants by operator", &heads, "").with(rows)
}

fn of_operator<'a>(
    operator: &'a str,
    group: &'a MutantGroup,
) -> impl Iterator<Item = Vec<Cell>> + 'a {
    group
        .techniques
        .iter()
        .enumerate()
        .map(move |(place, choice)| {
            let operator = if place == 0 { operator } else { "" };
            let mut row = vec![Cell::plain(operator), Cell::plain(&choice.name)];
            row.extend(numbers(choice));
            row
        })
}

fn numbers(choice: &MutantChoice) -> [Cell; 7] {
    let tone = if choice.kills < choice.killed {
        Tone::Bad
    } else {
        Tone::Plain
    };
    let median = choice.classes.per_step.map(|spread| spread.median);
    [
        Cell::plain(choice.tried.to_string()),
        Cell::plain(choice.killed.to_string()),
        Cell::new(choice.kills.to_string(), tone),
        Cell::bad(choice.missed_classes()),
        Cell::bad(choice.failed.len()),
        Cell::plain(or_none(choice.classes.of_sums, percent)),
        Cell::plain(or_none(median, percent)),
    ]
}

pub(crate) fn missed_mutants(figures: &Figures) -> Table {
    let rows = choices(figures).flat_map(|choice| {
        choice.missed.iter().map(|miss| {
            let class = |class: &String| match miss.only_output.contains(class) {
                true => format!("{class} (output)"),
                false => class.clone(),
            };
            let classes: Vec<String> = miss.classes.iter().map(class).collect();
            vec![
                Cell::plain(&choice.name),
                Cell::plain(&miss.mutant),
                Cell::plain(miss.method.as_deref().unwrap_or(NONE)),
                Cell::new(classes.join(", "), Tone::Bad),
                Cell::plain(if miss.killed { "yes" } else { "no" }),
            ]
        })
    });
    let heads = [
        "technique",
        "mutant",
        "method",
        "test classes",
        "still killed",
    ];
    let note = "Test classes that differ with a mutant and were not selected; (output): only in what they print.";
    Table::new("Missed with mutants", &heads, note).with(rows)
}

pub(crate) fn unanswered_mutants(figures: &Figures) -> Table {
    let rows = choices(figures).flat_map(|choice| {
        choice.failed.iter().map(|failure| {
            vec![
                Cell::plain(&choice.name),
                Cell::plain(&failure.mutant),
                Cell::new(&failure.problem, Tone::Bad),
            ]
        })
    });
    let heads = ["technique", "mutant", "problem"];
    Table::new("Failed with mutants: no answer", &heads, "").with(rows)
}

fn choices(figures: &Figures) -> impl Iterator<Item = &MutantChoice> {
    let mutants = figures.mutants.iter();
    mutants.flat_map(|mutants| &mutants.all.techniques)
}
