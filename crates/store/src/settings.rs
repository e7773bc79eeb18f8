use crate::{Project, StoreError};
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// The name of the settings file in the root of a project.
pub(crate) const FILE: &str = "tamis.toml";

/// The settings of a project in `tamis.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Patterns of files that count for all tests.
    pub global: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Text {
    inputs: Inputs,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Inputs {
    global: Vec<String>,
}

impl Settings {
    /// Reads the settings of a project; the default ones if there is no file.
    pub fn read(project: &Project) -> Result<Settings, StoreError> {
        let file = project.root.join(FILE);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Settings::default()),
            Err(error) => return Err(StoreError::io("read", file)(error)),
        };
        Settings::parse(&text).map_err(|why| StoreError::Settings { file, why })
    }

    fn parse(text: &str) -> Result<Settings, String> {
        let text: Text = toml::from_str(text).map_err(|error| error.to_string())?;
        for pattern in &text.inputs.global {
            matcher(pattern)?;
        }
        Ok(Settings {
            global: text.inputs.global,
        })
    }
}

fn matcher(pattern: &str) -> Result<GlobMatcher, String> {
    let leads_away = |part| !matches!(part, Component::Normal(_) | Component::CurDir);
    if pattern.is_empty() || Path::new(pattern).components().any(leads_away) {
        return Err(format!(
            "the pattern {pattern:?} does not lead into the project"
        ));
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|error| error.to_string())
}

/// The files below `root` that match `pattern`, relative to it and sorted; `None` if that cannot be
/// said.
pub(crate) fn files_like(root: &Path, pattern: &str) -> Option<Vec<PathBuf>> {
    let matcher = matcher(pattern).ok()?;
    // Without special characters the directories before the last name need not be searched.
    let is_plain = |part: &Component<'_>| {
        let text = part.as_os_str().to_string_lossy();
        !text.contains(['*', '?', '[', '{', '\\'])
    };
    let parts: Vec<Component<'_>> = Path::new(pattern).components().collect();
    let start = parts.len().saturating_sub(1);
    let start: PathBuf = parts
        .iter()
        .take(start)
        .take_while(|part| is_plain(part))
        .collect();
    let mut files = Vec::new();
    let mut directories = vec![start];
    while let Some(directory) = directories.pop() {
        let entries = match root.join(&directory).read_dir() {
            Ok(entries) => entries,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                continue;
            }
            Err(_) => return None,
        };
        for entry in entries {
            let entry = entry.ok()?;
            let name = entry.file_name();
            if !tamis_inputs::policy::is_searched(&name) {
                continue;
            }
            let path = directory.join(name);
            match entry.file_type().ok()?.is_dir() {
                true => directories.push(path),
                false if matcher.is_match(&path) => files.push(path),
                false => {}
            }
        }
    }
    files.sort_unstable();
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_or_refused() {
        let check = |text: &str, expected: Result<&[&str], &str>| {
            let settings = Settings::parse(text).map(|settings| settings.global);
            match expected {
                Ok(global) => assert_eq!(settings.unwrap(), global, "{text}"),
                Err(why) => assert!(settings.unwrap_err().contains(why), "{text}"),
            }
        };
        check("", Ok(&[]));
        check(
            "[inputs]\nglobal = [\"a/**\", \"pom.xml\"]",
            Ok(&["a/**", "pom.xml"]),
        );
        check("[inputs]\nglobals = []", Err("unknown field"));
        check("[input]\n", Err("unknown field"));
        check("[inputs]\nglobal = 1", Err("invalid type"));
        check(
            "[inputs]\nglobal = [\"../x\"]",
            Err("does not lead into the project"),
        );
        check(
            "[inputs]\nglobal = [\"/x\"]",
            Err("does not lead into the project"),
        );
        check("[inputs]\nglobal = [\"a[\"]", Err("error parsing glob"));
        check("x", Err("TOML"));
    }

    #[test]
    fn a_pattern_matches_files_at_any_depth_only_if_it_says_so() {
        let dir = tempfile::tempdir().unwrap();
        for file in [
            "a/x.yml",
            "a/b/y.yml",
            "a/b/z.txt",
            "pom.xml",
            ".git/c.yml",
            "c/pom.xml",
        ] {
            let file = dir.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let check = |pattern: &str, expected: &[&str]| {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(files_like(dir.path(), pattern), Some(expected), "{pattern}");
        };
        check("pom.xml", &["pom.xml"]);
        check("**/pom.xml", &["c/pom.xml", "pom.xml"]);
        check("a/*.yml", &["a/x.yml"]);
        check("a/**", &["a/b/y.yml", "a/b/z.txt", "a/x.yml"]);
        check("**/*.{yml,txt}", &["a/b/y.yml", "a/b/z.txt", "a/x.yml"]);
        check("nothing/*", &[]);
    }
}
