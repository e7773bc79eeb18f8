//! Whose classes an archive may use: the names that stand in its class files.

use crate::cache::Cache;
use std::collections::BTreeSet;
use tamis_classfile::{ClassFile, Constant, decode_mutf8};
use tamis_classpath::Entry;
use xxhash_rust::xxh3::xxh3_64;

/// The longest text that is looked at.
const LONGEST: usize = 256;

/// The names of classes in an archive, as hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveNames {
    /// Those of its classes.
    pub(crate) declared: Vec<u64>,
    /// What its class files name in any way, and other words that look like names of classes; ascending.
    pub(crate) named: Vec<u64>,
}

impl ArchiveNames {
    /// Those of an archive; `None` if it cannot be read.
    pub fn of(archive: &Entry, cache: Option<&Cache>) -> Option<ArchiveNames> {
        let digest = archive.archive_digest()?;
        if let Some(known) = cache.and_then(|cache| cache.load_names(digest)) {
            return Some(known);
        }
        let (mut declared, mut named) = (Vec::new(), BTreeSet::new());
        for source in archive.class_sources()? {
            for (name, _, bytes) in archive.read_source(&source)? {
                declared.push(hash_of_name(&name));
                // What is no class file, the JVM cannot use.
                let _ = add_names(&bytes, &mut named);
            }
        }
        let names = ArchiveNames {
            declared,
            named: named.into_iter().collect(),
        };
        if let Some(cache) = cache {
            // Without a cache the archive is read again next time, which is slower and not wrong.
            let _ = cache.save_names(digest, &names);
        }
        Some(names)
    }

    /// Its own classes.
    pub fn declared(&self) -> &[u64] {
        &self.declared
    }

    /// Whether it may use a class whose name has this hash.
    pub fn may_use(&self, hash: u64) -> bool {
        self.named.binary_search(&hash).is_ok()
    }
}

/// The hash of the internal name of a class.
pub fn hash_of_name(class: &str) -> u64 {
    xxh3_64(class.as_bytes())
}

/// Any text may name a class: of code, of a descriptor, a signature or an annotation.
fn add_names(bytes: &[u8], names: &mut BTreeSet<u64>) -> Option<()> {
    let class = ClassFile::parse(bytes).ok()?;
    for (_, constant) in class.pool.iter() {
        match constant.ok()? {
            // One in the package without a name looks like any other word.
            Constant::Class { name } => {
                names.insert(hash_of_name(&decode_mutf8(class.pool.utf8(name).ok()?)?));
            }
            Constant::Utf8(text) if text.len() <= LONGEST => {
                let text = decode_mutf8(text)?;
                names.extend(names_in(&text).iter().map(|name| hash_of_name(name)));
            }
            _ => {}
        }
    }
    Some(())
}

/// The names with a package that a text may have: its words up to any dot or slash or the end, also behind the letters
/// that a descriptor has before a name.
fn names_in(text: &str) -> BTreeSet<String> {
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '/' | '_' | '$');
    let mut names = BTreeSet::new();
    for word in text.split(|letter| !is_part(letter)) {
        let name = word.trim_matches(['/', '.']).replace('.', "/");
        let Some(first) = name.find('/') else {
            continue;
        };
        let before = name.get(..first).unwrap_or_default();
        let behind_letters = before.match_indices('L').map(|(at, _)| at + 1);
        for start in std::iter::once(0).chain(behind_letters) {
            let name = name.get(start..).unwrap_or_default();
            let ends = name.match_indices('/').skip(1).map(|(end, _)| end);
            let found = ends.chain([name.len()]).filter_map(|end| name.get(..end));
            names.extend(
                found
                    .filter(|name| !name.starts_with('/'))
                    .map(str::to_owned),
            );
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_the_classes_of_their_words() {
        let check = |text: &str, expected: &[&str]| {
            let names: Vec<_> = names_in(text).into_iter().collect();
            assert_eq!(names, expected, "{text}");
        };
        check("a.b.C", &["a/b", "a/b/C"]);
        check("/a/b/C.class", &["a/b", "a/b/C", "a/b/C/class"]);
        check("[La/b/C;", &["La/b", "La/b/C", "a/b", "a/b/C"]);
        check("(ILa/C;)Lb/D;", &["ILa/C", "Lb/D", "a/C", "b/D"]);
        check("LLazy/C;", &["LLazy/C", "Lazy/C", "azy/C"]);
        check("<T:La/C<Lb/D;>;>", &["La/C", "Lb/D", "a/C", "b/D"]);
        check("a.C#m", &["a/C"]);
        check("class:a.C", &["a/C"]);
        check("see a.C.", &["a/C"]);
        check("C", &[]);
        check("a . b", &[]);
        check("", &[]);
    }
}
