//! The little that must be known of a POM before Maven runs. It is read as text: a POM that is not
//! well formed gives less, and Maven itself will say so.
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The POM of a directory; empty if there is none to be read.
pub(crate) fn read(dir: &Path) -> String {
    fs::read_to_string(dir.join("pom.xml")).unwrap_or_default()
}

/// Directories of the modules that a POM names, in every profile.
pub(crate) fn modules(pom: &str, dir: &Path) -> Vec<PathBuf> {
    let pom = without_comments(pom);
    let named = ["module", "subproject"]
        .into_iter()
        .flat_map(|tag| elements(&pom, tag));
    named.map(|module| module_dir(dir, &module)).collect()
}

/// Texts of all elements of that name.
pub(crate) fn elements(pom: &str, tag: &str) -> Vec<String> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let after_open = pom.split(&open).skip(1);
    after_open
        .filter_map(|rest| rest.split_once(&close))
        .map(|(text, _)| text.trim().to_owned())
        .collect()
}

/// The POM with its comments cut out.
pub(crate) fn without_comments(pom: &str) -> String {
    let mut pieces = pom.split("<!--");
    let first = pieces.next().unwrap_or_default();
    let rest = pieces
        .filter_map(|piece| piece.split_once("-->"))
        .map(|(_, after)| after);
    std::iter::once(first).chain(rest).collect()
}

/// A module is named by its directory or by its POM file.
fn module_dir(dir: &Path, module: &str) -> PathBuf {
    let path = lexical(&dir.join(module));
    match path.extension() {
        Some(extension) if extension == "xml" => path.parent().unwrap_or(dir).to_owned(),
        _ => path,
    }
}

/// The path without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    path.components()
        .fold(PathBuf::new(), |mut clean, component| {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    clean.pop();
                }
                other => clean.push(other),
            }
            clean
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pom: &str, expected: &[&str]) {
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(modules(pom, Path::new("/p")), expected);
    }

    #[test]
    fn modules_are_found_wherever_they_stand() {
        check("<project/>", &[]);
        check(
            "<modules><module>core</module> <module> libs/web </module></modules>",
            &["/p/core", "/p/libs/web"],
        );
        check(
            "<module>./a/</module><module>../b</module>",
            &["/p/a", "/b"],
        );
        check("<module>a/pom-other.xml</module>", &["/p/a"]);
        check("<subproject>a</subproject>", &["/p/a"]);
    }

    #[test]
    fn modules_in_comments_do_not_count() {
        check(
            "<module>a</module><!-- <module>b</module> --><module>c</module>",
            &["/p/a", "/p/c"],
        );
        check("<module>a</module><!-- <module>b</module>", &["/p/a"]);
    }
}
