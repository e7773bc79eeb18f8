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

    /// Whether code that has this text may mean this file: its path, the end of it, or its name without what
    /// follows the first dot.
    pub(crate) fn is_named_by(&self, text: &str) -> bool {
        let text = text.trim_start_matches("./").trim_matches('/');
        let ends_with = |path: &str| {
            let before = path.strip_suffix(text);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let stem = match self.path.rfind('/') {
            Some(slash) => self.path.get(slash + 1..),
            None => Some(&*self.path),
        };
        let stem = stem.and_then(|name| Some((name, name.split(['.', '_']).next()?)));
        let without_end = stem.and_then(|(name, stem)| {
            let end = name.len() - stem.len();
            self.path.get(..self.path.len() - end)
        });
        !text.is_empty()
            && (ends_with(&self.path)
                || without_end
                    .is_some_and(|path| ends_with(path) || path == text.replace('.', "/")))
    }
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
}
