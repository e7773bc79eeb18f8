//! Prints both revisions of a program as `fixtures/safety` has them.

use crate::idioms::{DATA, RESOURCE};
use crate::print::Sources;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::BTreeSet;

/// The files that differ, and those that are the same.
pub(crate) fn print(before: &Sources, after: &Sources) -> [String; 2] {
    let [mut differ, mut same] = [String::new(), String::new()];
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (place, old, new) = (place(name), before.get(name), after.get(name));
        let whole = |revision: &str, text: Option<&String>| {
            let text = text.map(|text| format!("--- {place} ({revision})\n{text}"));
            text.unwrap_or_default()
        };
        match (old, new) {
            (Some(old), Some(new)) if old == new => same += &format!("--- {place}\n{new}"),
            (Some(old), Some(new)) if !old.is_empty() && !new.is_empty() => {
                differ += &format!("--- {place}\n{}", slots(old, new));
            }
            _ => differ += &(whole("before", old) + &whole("after", new)),
        }
    }
    [differ, same]
}

/// The name of a file in a case.
fn place(name: &str) -> String {
    match name.strip_prefix(RESOURCE) {
        Some(path) => format!("resources/{path}"),
        None if name.starts_with(DATA) => format!("files/{name}"),
        None => name.to_owned(),
    }
}

/// A text with `«before¦after»` where two texts differ.
fn slots(before: &str, after: &str) -> String {
    let (old, new) = (lines(before), lines(after));
    let mut text = String::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (old, new) = (old[op.old_range()].concat(), new[op.new_range()].concat());
        text += &match op.tag() {
            DiffTag::Equal => new,
            _ => slot(&old, &new),
        };
    }
    text
}

/// The lines of a text, each with the end of the one before: so a new one is a slot of one line.
fn lines(text: &str) -> Vec<&str> {
    let ends = text.match_indices('\n').map(|(at, _)| at);
    let starts: Vec<usize> = [0].into_iter().chain(ends).chain([text.len()]).collect();
    starts
        .windows(2)
        .map(|line| &text[line[0]..line[1]])
        .collect()
}

/// Two texts, with what both start and end with outside of the slot.
fn slot(before: &str, after: &str) -> String {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        let same = pairs.take_while(|(a, b)| a == b);
        same.map(|(a, _)| a.len_utf8()).sum()
    };
    let start = same(&mut before.chars().zip(after.chars()));
    let (head, before, after) = (&before[..start], &before[start..], &after[start..]);
    let end = same(&mut before.chars().rev().zip(after.chars().rev()));
    let (old, tail) = before.split_at(before.len() - end);
    let new = &after[..after.len() - end];
    format!("{head}«{old}¦{new}»{tail}")
}

#[test]
fn what_is_printed_is_read() {
    let check = |before: &[(&str, &str)], after: &[(&str, &str)], expected: &str| {
        let sources = |files: &[(&str, &str)]| -> Sources {
            let files = files.iter();
            files
                .map(|(name, text)| (name.to_string(), text.to_string()))
                .collect()
        };
        let (before, after) = (sources(before), sources(after));
        let text = print(&before, &after).concat();
        assert_eq!(text, expected);
        let read = crate::format::parse(&text).unwrap();
        for (files, sources) in read.into_iter().zip([before, after]) {
            let is_same = files.len() == sources.len()
                && sources.iter().all(|(name, text)| {
                    let expected = crate::format::Content::File {
                        bytes: text.clone().into_bytes(),
                        is_executable: false,
                    };
                    files.get(&place(name)) == Some(&expected)
                });
            assert!(is_same, "{files:?} of {sources:?}");
        }
    };
    check(&[("A", "a\n")], &[("A", "a\n")], "--- A\na\n");
    check(
        &[("A", "f(1);\nend\n"), ("B", "b\n")],
        &[("A", "f(2);\nend\n"), ("C", "c\n")],
        "--- A\nf(«1¦2»);\nend\n--- B (before)\nb\n--- C (after)\nc\n",
    );
    check(
        &[("A", "a\nc\n"), ("B", "b\n")],
        &[("A", "a\nb\nc\n"), ("B", "b\n")],
        "--- A\na«¦\nb»\nc\n--- B\nb\n",
    );
    check(
        &[("A", "a\n")],
        &[("A", "")],
        "--- A (before)\na\n--- A (after)\n",
    );
    check(&[("data/x", "")], &[("data/x", "")], "--- files/data/x\n");
}
