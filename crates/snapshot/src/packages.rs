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
    /// Those that its classes name in any way. Texts count as names if they look like one.
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

fn add_packages(bytes: &[u8], packages: &mut BTreeSet<String>) -> Option<()> {
    let class = ClassFile::parse(bytes).ok()?;
    for (_, constant) in class.pool.iter() {
        // A type that stands in a descriptor alone has no code that runs.
        match constant.ok()? {
            Constant::Class { name } => {
                let name = decode_mutf8(class.pool.utf8(name).ok()?)?;
                let name = match name.strip_prefix('[') {
                    None => &*name,
                    Some(element) => match element.trim_start_matches('[').strip_prefix('L') {
                        Some(element) => element,
                        None => continue,
                    },
                };
                packages.insert(package_of(name).to_owned());
            }
            Constant::String { utf8 } => {
                let text = decode_mutf8(class.pool.utf8(utf8).ok()?)?;
                if text.len() <= LONGEST {
                    packages.extend(packages_in(&text));
                }
            }
            _ => {}
        }
    }
    Some(())
}

/// The packages that a text may name: what stands before a dot or slash in the name that it starts with.
fn packages_in(text: &str) -> impl Iterator<Item = String> {
    let text = text.trim_start_matches(['[', '/']);
    let text = match text.ends_with(';') {
        true => text.strip_prefix('L').unwrap_or(text),
        false => text,
    };
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '/' | '_' | '$');
    let end = text.find(|letter| !is_part(letter)).unwrap_or(text.len());
    let name = text.get(..end).unwrap_or_default().replace('.', "/");
    let ends: Vec<usize> = name.match_indices('/').map(|(at, _)| at).collect();
    ends.into_iter()
        .filter_map(move |end| name.get(..end).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_the_packages_that_they_start_with() {
        let check = |text: &str, expected: &[&str]| {
            let packages: Vec<_> = packages_in(text).collect();
            assert_eq!(packages, expected, "{text}");
        };
        check("a.b.C", &["a", "a/b"]);
        check("/a/b/C.txt", &["a", "a/b", "a/b/C"]);
        check("[La/b/C;", &["a", "a/b"]);
        check("La/b/C;", &["a", "a/b"]);
        check("L.C", &["L"]);
        check("a.C#m", &["a"]);
        check("C", &[]);
        check("see a.C", &[]);
        check("", &[]);
    }
}
