use crate::Lookup;
use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tamis_fingerprint::{Digest, raw};

/// A directory of class files. Each package is listed once, when first asked for, so that names
/// which are not there cost no system call; each file is read once, and always read: its size and
/// times can lie.
#[derive(Debug)]
pub(crate) struct Directory {
    root: PathBuf,
    packages: Mutex<HashMap<Box<str>, Arc<Package>>>,
}

/// The class files of one package by their simple name; `None` if it could not be listed.
type Package = Option<HashMap<Box<str>, OnceLock<Option<Digest>>>>;

impl Directory {
    pub(crate) fn new(root: PathBuf) -> Self {
        Directory {
            root,
            packages: Mutex::default(),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.root.join(format!("{name}.class"))
    }

    pub(crate) fn lookup(&self, name: &str) -> Lookup<Digest> {
        let (package, simple) = name.rsplit_once('/').unwrap_or(("", name));
        let package = self.package(package);
        let Some(files) = package.as_ref() else {
            return Lookup::Unreadable;
        };
        match files.get(simple) {
            Some(digest) => match digest.get_or_init(|| self.digest(name).ok()) {
                Some(digest) => Lookup::Found(*digest),
                None => Lookup::Unreadable,
            },
            None if self.spelled_otherwise(name, simple) => {
                self.digest(name).map_or(Lookup::Unreadable, Lookup::Found)
            }
            None => Lookup::Absent,
        }
    }

    /// Whether the class may be here, without reading it.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        let (package, simple) = name.rsplit_once('/').unwrap_or(("", name));
        let package = self.package(package);
        let listed = |files: &HashMap<_, _>| files.contains_key(simple);
        package.as_ref().as_ref().is_none_or(listed) || self.spelled_otherwise(name, simple)
    }

    /// File systems may spell a name in another way than they were asked.
    fn spelled_otherwise(&self, name: &str, simple: &str) -> bool {
        let exists = || self.file(name).try_exists();
        !simple.is_ascii() && exists().unwrap_or_else(|error| !is_missing(&error))
    }

    fn digest(&self, name: &str) -> io::Result<Digest> {
        fs::read(self.file(name)).map(|bytes| raw(&bytes))
    }

    fn package(&self, package: &str) -> Arc<Package> {
        let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listed) = packages.get(package) {
            return Arc::clone(listed);
        }
        let listed = Arc::new(list(&self.root.join(package)));
        packages.insert(package.into(), Arc::clone(&listed));
        listed
    }
}

fn list(directory: &Path) -> Package {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if is_missing(&error) => return Some(HashMap::new()),
        Err(_) => return None,
    };
    let mut files = HashMap::new();
    for entry in entries {
        let name = entry.ok()?.file_name();
        if let Some(simple) = name.to_str().and_then(|name| name.strip_suffix(".class")) {
            files.insert(simple.into(), OnceLock::new());
        }
    }
    Some(files)
}

/// Whether `error` says that there is no such file, as opposed to that it cannot be told. There is none whose
/// name is too long, or has a zero in it.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => true,
        // Not even the system was asked.
        ErrorKind::InvalidInput => error.raw_os_error().is_none(),
        _ => false,
    }
}
