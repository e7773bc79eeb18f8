use super::pom::Pom;
use crate::{Listing, ProjectLocation, find_java};
use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// More files than this are not worth a look: the build is asked.
const MOST_FILES: usize = 200_000;

/// Variables that change what a build does.
const VARIABLES: [&str; 7] = [
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "M2_HOME",
    "MAVEN_ARGS",
    "MAVEN_HOME",
    "MAVEN_OPTS",
    "MAVEN_PROJECTBASEDIR",
];

/// Every file of the project but what the build makes, by name, size and time of change; `None` if
/// there is something whose content this cannot stand for.
pub(super) fn take(location: &ProjectLocation, arguments: &[String]) -> Option<Listing> {
    let mut walk = Walk {
        root: &location.root,
        files: Vec::new(),
        poms: Vec::new(),
    };
    walk.directory(&location.root).ok()?;
    walk.outside().ok()?;
    let mut hasher = Xxh3::new();
    let mut line = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    line(
        location
            .dir
            .strip_prefix(&location.root)
            .unwrap_or(&location.dir)
            .to_str()?,
    );
    arguments.iter().for_each(|argument| line(argument));
    for name in VARIABLES {
        line(&format!("{name}={:?}", env::var_os(name)));
    }
    line(&format!(
        "{:?}",
        find_java().map(|java| java.canonicalize().ok()).ok()
    ));
    walk.files.sort_unstable();
    walk.files.iter().for_each(|file| line(file));
    Some(Listing(hasher.digest128()))
}

struct Walk<'a> {
    root: &'a Path,
    files: Vec<String>,
    poms: Vec<PathBuf>,
}

impl Walk<'_> {
    fn directory(&mut self, dir: &Path) -> io::Result<()> {
        let mut below = Vec::new();
        let mut has_pom = false;
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                below.push(path);
            } else if kind.is_symlink() && path.is_dir() {
                return Err(unlistable("a link to a directory"));
            } else {
                if entry.file_name() == "pom.xml" {
                    has_pom = true;
                    self.poms.push(path.clone());
                }
                self.file(&path)?;
            }
        }
        below
            .iter()
            .filter(|dir| !is_made(dir, has_pom))
            .try_for_each(|dir| self.directory(dir))
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        // A broken link is listed as such.
        let data = path.metadata().or_else(|_| path.symlink_metadata())?;
        let name = path.strip_prefix(self.root).unwrap_or(path);
        let name = name
            .to_str()
            .ok_or_else(|| unlistable("a name that is not text"))?;
        let (size, seconds, nanos) = (data.len(), data.mtime(), data.mtime_nsec());
        self.files.push(format!("{name}\0{size} {seconds}.{nanos}"));
        if self.files.len() > MOST_FILES {
            Err(unlistable("too many files"))
        } else {
            Ok(())
        }
    }

    /// Files outside the project that its build reads.
    fn outside(&mut self) -> io::Result<()> {
        for pom in std::mem::take(&mut self.poms) {
            let read = Pom::parse(&fs::read_to_string(&pom)?);
            if !read.is_whole() {
                return Err(unlistable("a POM that is not well formed"));
            }
            let dir = pom.parent().unwrap_or(self.root);
            if read
                .modules(dir)
                .iter()
                .any(|module| !module.starts_with(self.root))
            {
                return Err(unlistable("a module outside the project"));
            }
            for parent in read.texts("relativePath") {
                let parent = dir.join(parent);
                let parent = if parent.is_dir() {
                    parent.join("pom.xml")
                } else {
                    parent
                };
                if parent.is_file() {
                    self.file(&parent)?;
                }
            }
        }
        let parents = self.root.ancestors().skip(1).map(|dir| dir.join("pom.xml"));
        let settings = env::home_dir().map(|home| home.join(".m2/settings.xml"));
        for file in parents.take_while(|pom| pom.is_file()).chain(settings) {
            if file.is_file() {
                self.file(&file)?;
            }
        }
        Ok(())
    }
}

fn unlistable(what: &str) -> io::Error {
    io::Error::other(what)
}

/// Whether a directory is made by the build or by other tools. A package may well be called
/// `target`: only the one beside a POM is Maven's.
fn is_made(dir: &Path, beside_pom: bool) -> bool {
    let name = dir
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    match name {
        ".mvn" => false,
        "node_modules" => true,
        "target" => beside_pom,
        _ => name.starts_with('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, ProjectLocation) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for below in [
            "src/a/target",
            "target/classes",
            ".tamis/runs",
            ".mvn",
            ".git",
        ] {
            fs::create_dir_all(root.join(below)).unwrap();
        }
        fs::write(root.join("pom.xml"), "<project/>").unwrap();
        fs::write(root.join("src/a/A.java"), "class A {}").unwrap();
        (
            dir,
            ProjectLocation {
                dir: root.clone(),
                root,
            },
        )
    }

    fn check(change: impl Fn(&Path), same: bool) {
        let (_keep, location) = project();
        let before = take(&location, &[]).unwrap();
        change(&location.root);
        assert_eq!(take(&location, &[]) == Some(before), same);
    }

    #[test]
    fn what_a_build_reads_is_listed() {
        check(|_| {}, true);
        check(
            |root| fs::write(root.join("src/a/A.java"), "class AB {}").unwrap(),
            false,
        );
        check(
            |root| fs::write(root.join("src/a/target/B.java"), "").unwrap(),
            false,
        );
        check(
            |root| fs::write(root.join(".mvn/maven.config"), "").unwrap(),
            false,
        );
        check(
            |root| fs::write(root.join("pom.xml"), "<project></project>").unwrap(),
            false,
        );
        check(
            |root| fs::remove_file(root.join("src/a/A.java")).unwrap(),
            false,
        );
    }

    #[test]
    fn what_a_build_makes_is_not_listed() {
        check(
            |root| fs::write(root.join("target/classes/A.class"), "").unwrap(),
            true,
        );
        check(
            |root| fs::write(root.join(".tamis/runs/x"), "").unwrap(),
            true,
        );
        check(|root| fs::write(root.join(".git/HEAD"), "").unwrap(), true);
    }

    #[test]
    fn a_file_of_the_same_size_with_another_time_is_another_file() {
        check(
            |root| {
                let file = fs::File::options()
                    .append(true)
                    .open(root.join("src/a/A.java"))
                    .unwrap();
                file.set_modified(std::time::UNIX_EPOCH).unwrap();
            },
            false,
        );
    }

    #[test]
    fn what_cannot_be_listed_gives_no_listing() {
        let (_keep, location) = project();
        fs::write(
            location.root.join("pom.xml"),
            "<module>../elsewhere</module>",
        )
        .unwrap();
        assert_eq!(take(&location, &[]), None);
        fs::write(location.root.join("pom.xml"), "").unwrap();
        std::os::unix::fs::symlink("src", location.root.join("more")).unwrap();
        assert_eq!(take(&location, &[]), None);
    }

    #[test]
    fn other_arguments_or_another_directory_give_another_listing() {
        let (_keep, location) = project();
        let listing = take(&location, &[]);
        assert_ne!(take(&location, &["-Px".into()]), listing);
        assert_ne!(
            take(
                &ProjectLocation {
                    dir: location.root.join("src"),
                    ..location
                },
                &[]
            ),
            listing
        );
    }
}
