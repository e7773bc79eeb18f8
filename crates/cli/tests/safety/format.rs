//! Both revisions of a few files, as one text.
//!
//! A line `--- PATH` starts a file. Where the revisions differ stands `«before¦after»`. In parentheses
//! behind the path may stand `before` or `after`, if this revision alone has the file or this content,
//! and `link`, `executable` or `base64`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::collections::BTreeMap;

const START: &str = "--- ";

/// What stands under a name in one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    File { bytes: Vec<u8>, is_executable: bool },
    Link(String),
}

/// The files of a revision by their names.
pub(crate) type Files = BTreeMap<String, Content>;

/// The two revisions of a text that is empty or starts with the first file.
pub(crate) fn parse(text: &str) -> Result<[Files; 2], String> {
    let mut revisions = [Files::new(), Files::new()];
    let Some(text) = text.strip_suffix('\n') else {
        return match text {
            "" => Ok(revisions),
            _ => Err("the last line has no end".into()),
        };
    };
    let text = text.strip_prefix(START).ok_or("no file comes first")?;
    for section in text.split(&format!("\n{START}")) {
        let (head, body) = match section.split_once('\n') {
            Some((head, body)) => (head, format!("{body}\n")),
            None => (section, String::new()),
        };
        add(&mut revisions, head, &body).map_err(|problem| format!("{head}: {problem}"))?;
    }
    Ok(revisions)
}

/// Adds the file of a section to the revisions that have it.
fn add(revisions: &mut [Files; 2], head: &str, body: &str) -> Result<(), String> {
    let in_parentheses = head.strip_suffix(')').and_then(|h| h.rsplit_once(" ("));
    let (path, words) = in_parentheses.unwrap_or((head, ""));
    let words: Vec<&str> = words.split(", ").filter(|word| !word.is_empty()).collect();
    let has = |word: &str| words.contains(&word);
    let known = ["before", "after", "link", "executable", "base64"];
    if let Some(word) = words.iter().find(|word| !known.contains(word)) {
        return Err(format!("what does {word:?} mean?"));
    }
    for (number, other) in ["after", "before"].into_iter().enumerate() {
        if has(other) {
            continue;
        }
        let text = revision(body, number)?;
        let content = match has("link") {
            true => Content::Link(text.trim_end().to_owned()),
            false => Content::File {
                bytes: bytes(text, has("base64"))?,
                is_executable: has("executable"),
            },
        };
        if revisions[number].insert(path.to_owned(), content).is_some() {
            return Err("it stands twice".into());
        }
    }
    Ok(())
}

fn bytes(text: String, is_base64: bool) -> Result<Vec<u8>, String> {
    if !is_base64 {
        return Ok(text.into_bytes());
    }
    let digits = text.replace('\n', "");
    let bytes = BASE64_STANDARD.decode(digits);
    bytes.map_err(|error| error.to_string())
}

/// The text of one revision.
fn revision(text: &str, number: usize) -> Result<String, String> {
    let mut of_revision = String::new();
    let mut rest = text;
    while let Some((same, slot)) = rest.split_once('«') {
        let (slot, after) = slot.split_once('»').ok_or("a `«` has no `»`")?;
        let (old, new) = slot.split_once('¦').ok_or("no `¦` between `«` and `»`")?;
        of_revision += same;
        of_revision += [old, new][number];
        rest = after;
    }
    of_revision += rest;
    match of_revision.contains(['«', '¦', '»']) {
        true => Err("a `«`, `¦` or `»` stands alone".into()),
        false => Ok(of_revision),
    }
}

#[test]
fn a_text_has_both_revisions() {
    let check = |text: &str, expected: [&str; 2]| {
        let shown = |files: Files| {
            let files = files.into_iter().map(|(name, content)| match content {
                Content::Link(target) => format!("{name}->{target}"),
                Content::File {
                    bytes,
                    is_executable,
                } => {
                    let mark = if is_executable { "*" } else { "" };
                    format!("{name}{mark}={}", bytes.escape_ascii())
                }
            });
            files.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(parse(text).unwrap().map(shown), expected, "{text}");
    };
    check("", ["", ""]);
    check("--- A\n", ["A=", "A="]);
    check("--- A\n\n--- B\nb\n", [r"A=\n B=b\n"; 2]);
    check(
        "--- A\nf(«1¦2»);«¦\ng();»\n",
        [r"A=f(1);\n", r"A=f(2);\ng();\n"],
    );
    check(
        "--- a b (before)\none\n--- a b (after, executable)\n",
        [r"a b=one\n", "a b*="],
    );
    check("--- A (link)\n«x¦y»\n", ["A->x", "A->y"]);
    check("--- A (base64, after)\nAAH/\n", ["", r"A=\x00\x01\xff"]);
}

#[test]
fn what_is_no_text_of_revisions_is_refused() {
    let check = |text: &str| assert!(parse(text).is_err(), "{text}");
    check("A\n");
    check("--- A\na");
    check("--- A\na\n--- A\na\n");
    check("--- A\n«1\n");
    check("--- A\n«1»\n");
    check("--- A\n«1¦2¦3»\n");
    check("--- A\n1¦2\n");
    check("--- A (later)\n");
    check("--- A (base64)\n?\n");
}
