//! Whose classes an archive may use: the packages that its class files name.

use crate::cache::Cache;
use std::collections::BTreeSet;
use tamis_classfile::{ClassFile, Constant, decode_mutf8};
use tamis_classpath::Entry;

/// The longest text that is looked at.
const LONGEST: usize = 256;

/// The packages of an archive: `a/b`, empty for the one without a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packages {
    /// Those that its classes are in.
    pub declared: BTreeSet<String>,
    /// Those that its classes name in any way, and other words that look like one.
    pub named: BTreeSet<String>,
}

impl Packages {
    /// Those of an archive; `None` if it cannot be read.
    pub fn of(archive: &Entry, cache: Option<&Cache>) -> Option<Packages> {
        let digest = archive.archive_digest()?;
        if let Some(known) = cache.and_then(|cache| cache.load_packages(digest)) {
            return Some(known);
        }
        let mut packages = Packages::default();
        for source in archive.class_sources()? {
            for (name, _, bytes) in archive.read_source(&source)? {
                if name.ends_with("-info") {
                    continue;
                }
                packages.declared.insert(package_of(&name).to_owned());
                // What is no class file, the JVM cannot use.
                let _ = add_packages(&bytes, &mut packages.named);
            }
        }
        if let Some(cache) = cache {
            // Without a cache the archive is read again next time, which is slower and not wrong.
            let _ = cache.save_packages(digest, &packages);
        }
        Some(packages)
    }
}

/// The package of a class by its internal name.
pub fn package_of(class: &str) -> &str {
    class.rsplit_once('/').map_or("", |(package, _)| package)
}

/// Any text may name a class: of code, of a descriptor, a signature or an annotation.
fn add_packages(bytes: &[u8], packages: &mut BTreeSet<String>) -> Option<()> {
    let class = ClassFile::parse(bytes).ok()?;
    for (_, constant) in class.pool.iter() {
        match constant.ok()? {
            Constant::Class { name } if !class.pool.utf8(name).ok()?.contains(&b'/') => {
                packages.insert(String::new());
            }
            Constant::Utf8(text) if text.len() <= LONGEST => {
                packages.extend(packages_in(&decode_mutf8(text)?));
            }
            _ => {}
        }
    }
    Some(())
}

/// The packages that a text may name: what stands before a dot or slash in its words, also behind the letters that a
/// descriptor has before a name.
fn packages_in(text: &str) -> BTreeSet<String> {
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '/' | '_' | '$');
    let mut packages = BTreeSet::new();
    for word in text.split(|letter| !is_part(letter)) {
        let name = word.trim_start_matches('/').replace('.', "/");
        let first = name.find('/').unwrap_or(0);
        let behind_letters = name.get(..first).unwrap_or_default().match_indices('L');
        let starts = std::iter::once(0).chain(behind_letters.map(|(at, _)| at + 1));
        for start in starts {
            let name = name.get(start..).unwrap_or_default();
            let ends = name.match_indices('/').map(|(end, _)| end);
            let found = ends.filter_map(|end| name.get(..end));
            packages.extend(found.filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_the_packages_of_their_words() {
        let check = |text: &str, expected: &[&str]| {
            let packages: Vec<_> = packages_in(text).into_iter().collect();
            assert_eq!(packages, expected, "{text}");
        };
        check("a.b.C", &["a", "a/b"]);
        check("/a/b/C.txt", &["a", "a/b", "a/b/C"]);
        check("[La/b/C;", &["La", "La/b", "a", "a/b"]);
        check("(ILa/C;)Lb/D;", &["ILa", "Lb", "a", "b"]);
        check("LLazy/C;", &["LLazy", "Lazy", "azy"]);
        check("<T:La/C<Lb/D;>;>", &["La", "Lb", "a", "b"]);
        check("a.C#m", &["a"]);
        check("class:a.C", &["a"]);
        check("C", &[]);
        check("a . b", &[]);
        check("", &[]);
    }
}
