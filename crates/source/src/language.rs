use std::ffi::OsStr;
use std::path::Path;

/// What a file is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Java with classes.
    Java,
    /// `package-info.java` or `module-info.java`: read by frameworks and by the JVM, but no code uses it.
    Info,
    /// Another language that is compiled to classes.
    Foreign,
    /// Anything else.
    None,
}

impl Language {
    pub(crate) fn of(path: &Path) -> Language {
        // Nothing compiles what lies among resources: tests read it.
        let is_resource = path.iter().any(|part| part == "resources");
        let extension = path.extension().and_then(OsStr::to_str);
        match extension {
            _ if is_resource => Language::None,
            Some("java") => match path.file_stem().and_then(OsStr::to_str) {
                Some("package-info" | "module-info") => Language::Info,
                _ => Language::Java,
            },
            Some("kt" | "groovy" | "scala") => Language::Foreign,
            _ => Language::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_a_file_is() {
        let check =
            |path: &str, expected| assert_eq!(Language::of(Path::new(path)), expected, "{path}");
        check("src/main/java/a/B.java", Language::Java);
        check("B.java", Language::Java);
        check("a/package-info.java", Language::Info);
        check("a/B.kt", Language::Foreign);
        check("build.gradle.kts", Language::None);
        check("src/test/resources/a/B.java", Language::None);
        check("pom.xml", Language::None);
        check("java", Language::None);
    }
}
