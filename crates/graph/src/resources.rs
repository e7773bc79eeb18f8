/// A file of the project that is no class: what code can find by its name on the class path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Where it is below its class path entry, with slashes.
    pub path: String,
    /// The internal names of the project's classes that its text names.
    pub classes: Vec<String>,
}

impl Resource {
    /// The internal name of the type whose providers it lists, if it is a file for `java.util.ServiceLoader`.
    pub(crate) fn service(&self) -> Option<String> {
        let name = self.path.strip_prefix("META-INF/services/")?;
        (!name.contains('/')).then(|| name.replace('.', "/"))
    }

    /// Whether it sets up JUnit, which looks for it in all tests.
    pub(crate) fn is_of_junit(&self) -> bool {
        self.path == "junit-platform.properties"
    }

    /// Whether code that has this text may mean this file: its path, the end of it, or its name without what
    /// follows the first dot.
    pub(crate) fn is_named_by(&self, text: &str) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let stem = name.split(['.', '_']).next().unwrap_or_default();
        let end = self.path.len() - (name.len() - stem.len());
        let without_end = self.path.get(..end).unwrap_or_default();
        ends_with(&self.path, text)
            || ends_with(without_end, text)
            || ends_with(without_end, &text.replace('.', "/"))
    }

    /// Whether code that has this text means this file, so that it concerns nobody else: not so where frameworks look
    /// for files of certain names, and not by a word that is only a part of its name.
    pub(crate) fn belongs_to(&self, text: &str) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let end = name.rsplit('.').next().unwrap_or_default();
        let is_setting = !self.path.contains('/') && SETTINGS.contains(&end);
        !is_setting && !self.path.starts_with("META-INF/") && ends_with(&self.path, text)
    }
}

/// The ends of files in the root of the class path that libraries look for by themselves.
const SETTINGS: [&str; 9] = [
    "cfg",
    "conf",
    "groovy",
    "ini",
    "properties",
    "toml",
    "xml",
    "yaml",
    "yml",
];

/// Whether a path ends with a text, as a whole or behind a slash.
fn ends_with(path: &str, text: &str) -> bool {
    let text = text.rsplit("../").next().unwrap_or_default();
    let text = text.trim_start_matches("./").trim_matches('/');
    let before = path.strip_suffix(text);
    !text.is_empty() && before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_may_mean_a_file_by_its_path_its_end_or_its_stem() {
        let check = |path: &str, text: &str, expected: bool| {
            let resource = Resource {
                path: path.into(),
                classes: vec![],
            };
            assert_eq!(resource.is_named_by(text), expected, "{path} by {text}");
        };
        check("a/b/data.txt", "a/b/data.txt", true);
        check("a/b/data.txt", "/a/b/data.txt", true);
        check("a/b/data.txt", "data.txt", true);
        check("a/b/data.txt", "b/data", true);
        check("a/b/messages_de.properties", "a.b.messages", true);
        check("a/b/data.txt", "ata.txt", false);
        check("a/b/data.txt", "txt", false);
        check("a/b/data.txt", "", false);
        check("application.properties", "application", true);
    }

    #[test]
    fn a_file_belongs_to_those_who_name_it_unless_libraries_look_for_it() {
        let check = |path: &str, text: &str, expected: bool| {
            let resource = Resource {
                path: path.into(),
                classes: vec![],
            };
            assert_eq!(resource.belongs_to(text), expected, "{path} by {text}");
        };
        check("a/b/data.txt", "data.txt", true);
        check("a/b/data.txt", "data", false);
        check("data.json", "/data.json", true);
        check("application.properties", "application", false);
        check("application.properties", "application.properties", false);
        check("a/messages.properties", "a/messages.properties", true);
        check("META-INF/a/b.txt", "META-INF/a/b.txt", false);
    }
}
