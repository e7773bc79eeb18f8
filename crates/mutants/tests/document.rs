//! Holds the table in `docs/mutants.md` to the operators that there are.

use tamis_mutants::Operator;

const DOCUMENT: &str = include_str!("../../../docs/mutants.md");

#[test]
fn the_table_has_all_operators_in_their_order() {
    let rows = DOCUMENT.lines().filter(|line| line.starts_with("| `"));
    let listed: Vec<String> = rows
        .map(|row| {
            let row = row.replace("\\|", "OR");
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            format!("{}: {}", cells[1], cells[2].replace("OR", "|"))
        })
        .collect();
    let known = Operator::ALL.map(|operator| format!("`{operator}`: {}", operator.description()));
    assert_eq!(listed, known);
}
