//! The files of a case: where they stand in its folder, and where they go in the project.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where a file goes, by the folder it stands in.
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
    /// Where it goes in its part.
    pub(crate) path: &'a str,
    /// Where it stands now.
    pub(crate) file: &'a Path,
    pub(crate) is_source: bool,
}

impl<'a> Placed<'a> {
    fn new(name: &'a str, file: &'a Path) -> Placed<'a> {
        let (part, path) = match name.split_once('/') {
            Some(("files", path)) => (Part::Files, path),
            Some(("jar", path)) => match path.split_once('/') {
                Some((jar, path)) => (Part::Jar(jar.to_owned()), path),
                None => panic!("{} belongs to no jar", file.display()),
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
        assert!(!is_lost, "{} is no source", file.display());
        Placed {
            path: resource.unwrap_or(path),
            part,
            file,
            is_source,
        }
    }
}

/// The files of one revision, by their paths in the folder `before/` or `after/`.
#[derive(Debug, Default, Clone)]
pub(crate) struct Revision(BTreeMap<String, PathBuf>);

impl Revision {
    pub(crate) fn read(dir: &Path) -> Revision {
        let files = walk(dir).into_iter();
        Revision(files.map(|path| (path.clone(), dir.join(path))).collect())
    }

    /// The second revision: files that differ or are added, and `DELETED` with the names of those
    /// that go; a name that ends with `/` is a folder's.
    pub(crate) fn then(&self, dir: &Path) -> Revision {
        let mut after = self.clone();
        after.0.extend(Revision::read(dir).0);
        if let Some(list) = after.0.remove("DELETED") {
            for name in fs::read_to_string(list).unwrap().lines() {
                let count = after.0.len();
                let is_gone =
                    |path: &str| path == name || (name.ends_with('/') && path.starts_with(name));
                after.0.retain(|path, _| !is_gone(path));
                assert!(after.0.len() < count, "{name} cannot be deleted");
            }
        }
        after
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = Placed<'_>> {
        self.0.iter().map(|(name, file)| Placed::new(name, file))
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
