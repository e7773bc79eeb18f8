//! Which changes are excused, and which look like it and are not.

mod declarations;
mod limits;
mod names;
#[path = "../support/mod.rs"]
mod support;

use support::model::Class;
use support::{changes, javac};
use tamis_fingerprint::Rules;

/// What of a class file the edits below touch.
type Edit = fn(&mut Class);

fn unchanged(_: &mut Class) {}

/// The texts of two revisions, an edit of the second one's class file, and what is found.
type Case<'c> = (&'c str, &'c str, Edit, &'c [&'c str]);

/// Compiles both revisions of each case and compares what `find` finds in the class `C`.
fn compare(cases: &[Case<'_>], find: fn(&[u8], &[u8], Rules) -> Vec<String>) {
    let compile = |sources: &mut dyn Iterator<Item = &str>| {
        let texts: Vec<String> = sources
            .enumerate()
            .map(|(i, source)| format!("package p{i}; import java.util.function.*; {source}"))
            .collect();
        let paths = (0..texts.len()).map(|i| format!("p{i}/C.java"));
        javac(paths.zip(texts.iter().map(String::as_str)), &["-g"])
    };
    let before = compile(&mut cases.iter().map(|case| case.0));
    let after = compile(&mut cases.iter().map(|case| case.1));
    for (i, (old, new, edit, expected)) in cases.iter().enumerate() {
        let path = format!("p{i}/C.class");
        let mut after = Class::parse(&after[&path]);
        edit(&mut after);
        let found = find(&before[&path], &after.bytes(), Rules::default());
        assert_eq!(found, *expected, "{old} to {new}");
    }
}

fn check_edited(cases: &[Case<'_>]) {
    compare(cases, all);
}

fn check(cases: &[(&str, &str, &[&str])]) {
    compare(&without_edit(cases), all);
}

/// Compares what is not excused, for lambdas whose numbers are not the same with every compiler.
fn check_unexcused(cases: &[(&str, &str, &[&str])]) {
    compare(&without_edit(cases), unexcused);
}

fn without_edit<'c>(cases: &[(&'c str, &'c str, &'c [&'c str])]) -> Vec<Case<'c>> {
    let cases = cases.iter();
    let cases = cases.map(|&(old, new, expected)| (old, new, unchanged as Edit, expected));
    cases.collect()
}

fn all(before: &[u8], after: &[u8], rules: Rules) -> Vec<String> {
    changes(before, after, rules).unwrap()
}

/// The changes that no rule excuses.
fn unexcused(before: &[u8], after: &[u8], rules: Rules) -> Vec<String> {
    let mut changes = all(before, after, rules);
    changes.retain(|change| !change.ends_with(')'));
    changes
}
