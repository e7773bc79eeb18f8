//! The files of a case: what their names say, and where they go in the project.

use crate::format::{Content, Files};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Where a file goes, by the folder in its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// `jar/NAME/`: in a jar behind the directories of the class path. It is compiled before the rest.
    Jar(String),
    /// `first/`: before the others on the class path.
    First,
    /// No folder: on the class path.
    Classes,
    /// `off/`: compiled, and not on the class path.
    Off,
    /// `files/`: as it is, in the directory in which tests run.
    Files,
}

impl Part {
    pub(crate) fn folder(&self) -> String {
        match self {
            Part::Jar(name) => format!("jar/{name}"),
            Part::First => "first".into(),
            Part::Classes => "classes".into(),
            Part::Off => "off".into(),
            Part::Files => "files".into(),
        }
    }
}

/// A file of a revision.
#[derive(Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) part: Part,
    /// Its name in the case.
    pub(crate) name: &'a str,
    /// Where it goes in its part.
    pub(crate) path: &'a str,
    pub(crate) content: &'a Content,
    pub(crate) is_source: bool,
}

impl<'a> Placed<'a> {
    fn new(name: &'a str, content: &'a Content) -> Placed<'a> {
        let (part, path) = match name.split_once('/') {
            Some(("files", path)) => (Part::Files, path),
            Some(("jar", path)) => match path.split_once('/') {
                Some((jar, path)) => (Part::Jar(jar.to_owned()), path),
                None => panic!("{name} belongs to no jar"),
            },
            Some(("first", path)) => (Part::First, path),
            Some(("off", path)) => (Part::Off, path),
            _ => (Part::Classes, name),
        };
        let resource = path.strip_prefix("resources/");
        let is_source = part != Part::Files && resource.is_none() && path.ends_with(".java");
        let is_lost = [Part::First, Part::Classes, Part::Off].contains(&part)
            && resource.is_none()
            && !is_source;
        assert!(!is_lost, "{name} is no source");
        Placed {
            part,
            name,
            path: resource.unwrap_or(path),
            content,
            is_source,
        }
    }

    /// Its text, if it has one.
    pub(crate) fn text(&self) -> &str {
        match self.content {
            Content::File { bytes, .. } => str::from_utf8(bytes).unwrap_or_default(),
            Content::Link(_) => "",
        }
    }

    /// Writes it to a place.
    pub(crate) fn write(&self, to: &Path) {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        match self.content {
            Content::Link(target) => symlink(target, to).unwrap(),
            Content::File {
                bytes,
                is_executable,
            } => {
                fs::write(to, bytes).unwrap();
                if *is_executable {
                    fs::set_permissions(to, fs::Permissions::from_mode(0o755)).unwrap();
                }
            }
        }
    }
}

/// The files of one revision.
#[derive(Debug, Default, Clone)]
pub(crate) struct Revision(Files);

impl Revision {
    pub(crate) fn new(files: Files) -> Revision {
        Revision(files)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = Placed<'_>> {
        let files = self.0.iter();
        files.map(|(name, content)| Placed::new(name, content))
    }

    pub(crate) fn parts(&self) -> BTreeMap<Part, Vec<Placed<'_>>> {
        let mut parts: BTreeMap<Part, Vec<Placed<'_>>> = BTreeMap::new();
        for file in self.files() {
            parts.entry(file.part.clone()).or_default().push(file);
        }
        parts
    }

    /// The names of its jars.
    pub(crate) fn jars(&self) -> Vec<String> {
        let parts = self.parts().into_keys();
        parts
            .filter_map(|part| match part {
                Part::Jar(name) => Some(format!("{name}.jar")),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn has_file(&self, path: &str) -> bool {
        self.0.contains_key(&format!("files/{path}"))
    }
}

/// The files and links below a directory, sorted.
pub(crate) fn walk(dir: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let below = walk(&entry.path()).into_iter();
            files.extend(below.map(|path| format!("{name}/{path}")));
        } else {
            files.push(name);
        }
    }
    files.sort();
    files
}

/// Copies a file, or a link as a link.
pub(crate) fn put(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    match fs::read_link(from) {
        Ok(target) => symlink(target, to).unwrap(),
        Err(_) => {
            fs::copy(from, to).unwrap();
        }
    }
}
