//! What can be said of a source that is not parsed, by its words alone.

use crate::change::Change;
use crate::text::words;
use std::collections::BTreeSet;

/// What compilers copy into other files, or compile these by without a reference: values, functions, types.
const COPIED: [&str; 10] = [
    "inline",
    "const",
    "final",
    "value",
    "typealias",
    "macro",
    "transparent",
    "implicit",
    "given",
    "operator",
];

/// What may stand between `private` and one of these.
const MODIFIERS: [&str; 16] = [
    "private",
    "abstract",
    "const",
    "final",
    "implicit",
    "infix",
    "inline",
    "lateinit",
    "lazy",
    "operator",
    "override",
    "static",
    "suspend",
    "synchronized",
    "tailrec",
    "transparent",
];

/// Words before a bracket that are no names.
const NO_NAMES: [&str; 12] = [
    "if", "for", "while", "when", "switch", "match", "catch", "try", "else", "do", "return", "fun",
];

/// A source of Kotlin, Groovy or Scala that changed, and the names of which others may now mean something else.
pub(crate) fn foreign(before: Option<&str>, now: Option<&str>) -> (Change, BTreeSet<String>) {
    let sides = [before, now].into_iter().flatten();
    let change = Change::Unparsed {
        copied: sides.clone().any(is_copied),
        classes: sides.flat_map(classes).collect(),
    };
    let now: BTreeSet<&str> = now.unwrap_or_default().lines().map(str::trim).collect();
    let gone = before.unwrap_or_default().lines();
    let gone = gone.filter(|line| !now.contains(line.trim()));
    let names = gone.flat_map(declared).map(str::to_owned).collect();
    (change, names)
}

/// A source of which nothing is known.
pub(crate) fn unknown() -> Change {
    Change::Unparsed {
        copied: true,
        classes: BTreeSet::new(),
    }
}

/// Whether what is compiled from other files may hold copies of what a source declares. What is private is copied
/// in its own file only.
fn is_copied(source: &str) -> bool {
    source.lines().any(|line| {
        let words: Vec<&str> = words(line).collect();
        let is_private = |at: usize| {
            let is_modifier = |word: &&&str| MODIFIERS.contains(word);
            let before = words.get(..at).unwrap_or_default().iter().rev();
            let behind = words.get(at + 1..).unwrap_or_default().iter();
            let mut around = before
                .take_while(is_modifier)
                .chain(behind.take_while(is_modifier));
            around.any(|word| *word == "private") && !line.contains("private[")
        };
        let mut copied = words
            .iter()
            .enumerate()
            .filter(|(_, word)| COPIED.contains(word));
        copied.any(|(at, _)| !is_private(at))
    })
}

/// The names that a line may declare: those before a bracket, a sign or the end.
fn declared(line: &str) -> impl Iterator<Item = &str> {
    words(line).filter(|word| {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let after = line.get(start + word.len()..).unwrap_or_default();
        let after = after.trim_start_matches('`').trim_start();
        let is_name = after.is_empty()
            || after.starts_with(['(', '[', '{', '<', '=', ':', ',', ')', ';'])
            || words(after).next() == Some("by");
        is_name && !NO_NAMES.contains(word) && !word.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// The internal names of the classes that a source may declare: any of its words, in any of its packages.
fn classes(source: &str) -> Vec<String> {
    let mut packages = vec![String::new()];
    for line in source.lines() {
        let mut parts = line.split_whitespace();
        let name = parts.next().filter(|first| *first == "package");
        if let Some(package) = name.and(parts.next()) {
            let package = package.trim_end_matches([';', '{', ':']).replace('.', "/");
            let package = package.replace('`', "");
            // Packages of Scala continue the one before.
            let inner = packages.last().map(|last| format!("{last}{package}/"));
            packages.extend([format!("{package}/")].into_iter().chain(inner));
        }
    }
    let all: BTreeSet<&str> = words(source).collect();
    let mut classes = Vec::new();
    for package in &packages {
        classes.extend(all.iter().map(|word| format!("{package}{word}")));
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_files_may_hold_copies_of_is_told_by_words() {
        let check = |source: &str, expected| assert_eq!(is_copied(source), expected, "{source}");
        check("class A { fun a() = 1 }", false);
        check("inline fun a() = 1", true);
        check("public inline\nfun a() = 1", true);
        check("const val MAX = 1", true);
        check("private const val MAX = 1", false);
        check("private[a] final val MAX = 1", true);
        check("static private final int MAX = 1", false);
        check("private val a = 1; const val B = 2", true);
        check("class A private constructor() { inline fun a() = 1 }", true);
        check("typealias A = B", true);
        check("operator fun A.plus(b: B) = b", true);
        check("fun inlined() = constant", false);
    }

    #[test]
    fn names_that_are_gone_are_those_that_changed_lines_may_declare() {
        let check = |before: &str, now: &str, expected: &[&str]| {
            let (_, names) = foreign(Some(before), Some(now));
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            assert_eq!(names, expected, "{before} -> {now}");
        };
        check("fun a(b: B) = c", "fun a(b: B) = c", &[]);
        check("fun a() {\n  b\n}", "fun a() {\n  c\n}", &["b"]);
        check("fun String.a(b: B) = c", "", &["B", "a", "b", "c"]);
        check("val a by lazy {", "", &["a", "lazy"]);
        check("val `a b` = 1", "", &["b"]);
        check("  fun a() = 1", "fun a() = 1", &[]);
        check("if (a) {", "", &["a"]);
    }

    #[test]
    fn classes_are_looked_for_in_all_packages() {
        let check = |source: &str, name: &str| {
            let classes = classes(source);
            assert!(
                classes.iter().any(|class| class == name),
                "{name}: {classes:?}"
            );
        };
        check("package a.b;\nclass C", "a/b/C");
        check("package a.b\nclass C", "a/b/C");
        check("package a\npackage b\nclass C", "a/b/C");
        check("class C", "C");
    }
}
