use crate::change::{Change, FileChange};
use crate::compare::{Uncertain, compare, names_of};
use crate::error::SourceError;
use crate::git::Repository;
use crate::java::Java;
use crate::language::Language;
use crate::text::{decode, words};
use crate::unparsed;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Finds the members of the working tree that mention one of these names, and those that mention a constant
/// which is computed from such a member, and so on.
///
/// javac copies the values of constants into other classes, whose sources do not change with them. And code
/// that used a member or class which is gone may now use another one of the same name. Either way the members that
/// mention the name are as if they had changed; so they are reported, in the form of [`changes`](crate::changes).
/// Only words are compared, in the whole repository: there are members that mean something else.
///
/// Sources that git ignores are not seen, and neither are those of submodules.
pub fn mentions(project: &Path, names: &BTreeSet<String>) -> Result<Vec<FileChange>, SourceError> {
    let repository = Repository::of(project)?;
    let files: Vec<PathBuf> = repository.files()?.into_iter().collect();
    let mut java = Java::new();
    let (mut known, mut new) = (BTreeSet::new(), names.clone());
    let mut found: BTreeMap<PathBuf, Change> = BTreeMap::new();
    while !new.is_empty() {
        known.append(&mut new.clone());
        let mut others = BTreeSet::new();
        for path in &files {
            let language = Language::of(path);
            if language == Language::None {
                continue;
            }
            let source = match repository.read(path) {
                Ok(bytes) => decode([Some(bytes)]).into_iter().flatten().next(),
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(_) => None,
            };
            let change = match &source {
                Some(source) if !has_word(source, &new) => continue,
                Some(source) => in_file(&mut java, language, source, &known),
                None => unparsed::unknown(),
            };
            if matches!(&change, Change::Members { members, .. } if members.is_empty()) {
                continue;
            }
            if let Change::Members { members, .. } = &change {
                others.extend(names_of(members));
            }
            found.insert(repository.relative(path), change);
        }
        new = others.difference(&known).cloned().collect();
    }
    let file = |(path, change)| FileChange {
        path,
        before: None,
        change,
    };
    Ok(found.into_iter().map(file).collect())
}

/// What mentions one of the names in a file that has one somewhere.
fn in_file(java: &mut Java, language: Language, source: &str, names: &BTreeSet<String>) -> Change {
    match language {
        Language::Info | Language::None => return Change::Other,
        Language::Foreign => return unparsed::foreign(Some(source), Some(source)).0,
        Language::Java => {}
    }
    let Some(unit) = java.unit(source) else {
        return unparsed::unknown();
    };
    Change::Members {
        classes: unit.types.keys().cloned().collect(),
        members: compare(&unit, &unit, &Uncertain::names(names, &unit)),
    }
}

fn has_word(source: &str, names: &BTreeSet<String>) -> bool {
    let has = |source: &str| words(source).any(|word| names.contains(word));
    has(source) || source.contains("\\u") && has(&unescaped(source))
}

/// A source with `\u0041` as `A`, wherever it stands.
fn unescaped(source: &str) -> String {
    let mut parts = source.split("\\u");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let part = part.trim_start_matches('u');
        let escaped = part.split_at_checked(4).and_then(|(digits, rest)| {
            let letter = u32::from_str_radix(digits, 16)
                .ok()
                .and_then(char::from_u32);
            Some((letter?, rest))
        });
        match escaped {
            Some((letter, rest)) => text.extend([letter.to_string().as_str(), rest]),
            None => text.push_str(part),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_as_a_whole() {
        let names = BTreeSet::from(["MAX".to_owned()]);
        let check = |source: &str, expected| assert_eq!(has_word(source, &names), expected);
        check("a.MAX+1", true);
        check("MAX", true);
        check("MAX_VALUE", false);
        check("$MAX", false);
        check("é MAX", true);
        check("éMAX", false);
        check("\\u004dAX", true);
        check("\\uu004d\\u0041X", true);
        check("\\u004eAX", false);
        check("\\user MIN", false);
        check("", false);
    }
}
