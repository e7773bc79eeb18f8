//! Files of a project that changed between two revisions: which of them can matter to a test, and to which.

/// Endings of files that no test reads, unless they lie among sources.
const DOCUMENTS: [&str; 8] = [
    ".adoc", ".bib", ".html", ".md", ".png", ".rst", ".svg", ".textile",
];

/// Files and directories in the root that are for people and services alone.
const FOR_OTHERS: [&str; 14] = [
    ".asf.yaml",
    ".editorconfig",
    ".git-blame-ignore-revs",
    ".gitattributes",
    ".github/",
    ".gitignore",
    ".travis.yml",
    "AUTHORS",
    "CHANGES",
    "CONTRIBUTING",
    "LICENSE",
    "NOTICE",
    "README",
    "RELEASE-NOTES",
];

/// Whether a change of this file could matter to a test.
pub fn is_relevant(file: &str) -> bool {
    let is_source = file.starts_with("src/") || file.contains("/src/");
    let is_document = DOCUMENTS.iter().any(|ending| file.ends_with(ending));
    let is_for_others = FOR_OTHERS.iter().any(|start| file.starts_with(start));
    let is_site = file.starts_with("src/site/") || file.contains("/src/site/");
    is_source && !is_site
        || !(is_document || is_for_others || is_site || file == "src/changes/changes.xml")
}

/// Files that say how a project is built, by their names.
const OF_BUILDS: [&str; 9] = [
    "build.gradle",
    "build.gradle.kts",
    "build.xml",
    "gradle.lockfile",
    "gradle.properties",
    "libs.versions.toml",
    "pom.xml",
    "settings.gradle",
    "settings.gradle.kts",
];

/// Directories with code and settings of builds.
const BUILD_DIRECTORIES: [&str; 3] = [".mvn", "buildSrc", "gradle"];

/// Whether a file may change how a project is built, so that a change of it may concern every test.
pub fn is_of_build(file: &str) -> bool {
    let before_sources = file.split('/').take_while(|part| *part != "src");
    let is_in_source = file.split('/').any(|part| part == "src");
    let name = file.rsplit('/').next().unwrap_or_default();
    OF_BUILDS.contains(&name) && !is_in_source
        || before_sources
            .take(file.matches('/').count())
            .any(|part| BUILD_DIRECTORIES.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_no_test_can_see_is_irrelevant() {
        let check = |file: &str, expected: bool| assert_eq!(is_relevant(file), expected, "{file}");
        check("src/main/java/A.java", true);
        check("core/src/test/resources/page.html", true);
        check("pom.xml", true);
        check("data/words.txt", true);
        check("docs/manual.md", false);
        check("README.md", false);
        check("LICENSE.txt", false);
        check(".github/workflows/ci.yml", false);
        check("src/site/xdoc/index.xml", false);
        check(".mvn/maven.config", true);
    }

    #[test]
    fn a_build_is_known_by_its_files() {
        let check = |file: &str, expected: bool| assert_eq!(is_of_build(file), expected, "{file}");
        check("pom.xml", true);
        check("core/pom.xml", true);
        check(".mvn/maven.config", true);
        check("buildSrc/src/main/java/A.java", true);
        check("buildSrc/build.gradle.kts", true);
        check("src/test/resources/pom.xml", false);
        check("src/main/java/gradle/A.java", false);
        check("core/notes.txt", false);
    }
}
