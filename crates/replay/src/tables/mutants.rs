use super::{Cell, Table, Tone};
use crate::Figures;
use crate::figures::{MutantChoice, MutantGroup};
use crate::phrases::{or_none, percent};

const NOTE: &str = "Killed: by a test class of all that there are, then by one that the technique selected. Missed: test \
                    classes that fail with the mutant and were not selected.";

pub(crate) fn mutants(figures: &Figures) -> Table {
    let heads = [
        "technique",
        ">mutants",
        ">killed by all",
        ">killed",
        ">missed",
        ">selected",
        ">median",
    ];
    let Some(mutants) = &figures.mutants else {
        return Table::default();
    };
    let all = &mutants.all;
    let note = format!(
        "{NOTE} {} reached by no test class, {} with a test that never ended.",
        all.unreached, all.endless,
    );
    let rows = all.techniques.iter().map(|choice| {
        let mut row = vec![Cell::plain(&choice.name)];
        row.extend(numbers(choice));
        row
    });
    Table::new("Mutants", &heads, &note).with(rows)
}

pub(crate) fn by_operator(figures: &Figures) -> Table {
    let heads = [
        "operator",
        "technique",
        ">mutants",
        ">killed by all",
        ">killed",
        ">missed",
        ">selected",
        ">median",
    ];
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

fn numbers(choice: &MutantChoice) -> [Cell; 6] {
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
        Cell::plain(or_none(choice.classes.of_sums, percent)),
        Cell::plain(or_none(median, percent)),
    ]
}

pub(crate) fn missed_mutants(figures: &Figures) -> Table {
    let choices = figures
        .mutants
        .iter()
        .flat_map(|mutants| &mutants.all.techniques);
    let rows = choices.flat_map(|choice| {
        choice.missed.iter().map(|miss| {
            vec![
                Cell::plain(&choice.name),
                Cell::plain(&miss.mutant),
                Cell::new(miss.classes.join(", "), Tone::Bad),
                Cell::plain(if miss.killed { "yes" } else { "no" }),
            ]
        })
    });
    let heads = ["technique", "mutant", "test classes", "still killed"];
    let note = "Test classes that fail with a mutant and were not selected.";
    Table::new("Missed with mutants", &heads, note).with(rows)
}
