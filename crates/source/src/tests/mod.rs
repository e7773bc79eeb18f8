//! What is reported for two states of a Java file.

mod initializers;
mod members;
mod names;
mod refused;
mod tokens;
mod types;

use crate::change::Change;
use crate::changes::between;
use crate::java::Java;

/// Compares two states of a file with a list of lines, or with `unparsed`.
#[track_caller]
fn check(before: &str, now: &str, expected: &[&str]) {
    let found = compare(before, now);
    assert_eq!(found, expected, "\n{before}\n->\n{now}");
}

/// As [`check`], within a class `A` that is the same on both sides.
#[track_caller]
fn check_body(before: &str, now: &str, expected: &[&str]) {
    let class = |body: &str| format!("class A {{ {body} }}");
    check(&class(before), &class(now), expected);
}

fn compare(before: &str, now: &str) -> Vec<String> {
    let change = between(&mut Java::new(), (Some(before), Some(now)), false);
    match change.map(|(change, _)| change) {
        Some(Change::Members { members, .. }) => members.iter().map(ToString::to_string).collect(),
        Some(other) => vec![format!("{other:?}")],
        None => vec!["unparsed".into()],
    }
}
