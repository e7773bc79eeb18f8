use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// The directory that a place is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// The root of the project.
    Project,
    /// The local Maven repository.
    Maven,
    /// The home directory of the user.
    Home,
    /// The root of the file system.
    System,
}

impl Base {
    const ALL: [Base; 4] = [Base::Project, Base::Maven, Base::Home, Base::System];

    fn name(self) -> &'static str {
        match self {
            Base::Project => "project",
            Base::Maven => "maven",
            Base::Home => "home",
            Base::System => "system",
        }
    }
}

/// A path that survives a move of the project, of the user, and of the Maven repository.
///
/// As text it is `project:target/classes` or `maven:junit/junit/4.13.2/junit-4.13.2.jar`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Place {
    /// The base that it is relative to.
    pub base: Base,
    /// The rest, with `/`; empty for the base itself.
    pub path: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.base.name(), self.path)
    }
}

/// A text is no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a place: {0}")]
pub struct NotAPlace(String);

impl FromStr for Place {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        let not_a_place = || NotAPlace(text.to_owned());
        let (name, path) = text.split_once(':').ok_or_else(not_a_place)?;
        let base = Base::ALL.into_iter().find(|base| base.name() == name);
        Ok(Place {
            base: base.ok_or_else(not_a_place)?,
            path: path.to_owned(),
        })
    }
}

impl From<Place> for String {
    fn from(place: Place) -> String {
        place.to_string()
    }
}

impl TryFrom<String> for Place {
    type Error = NotAPlace;

    fn try_from(text: String) -> Result<Self, NotAPlace> {
        text.parse()
    }
}

/// The bases of places on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roots {
    project: PathBuf,
    maven: Option<PathBuf>,
    home: Option<PathBuf>,
    /// The same directories by their real paths: a JVM may see them under either name.
    real: Vec<(Base, PathBuf)>,
}

impl Roots {
    /// Finds them for the project in `project`.
    pub fn detect(project: &Path) -> Self {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let maven = crate::maven::local_repository(project, home.as_deref());
        Roots::new(project, maven, home)
    }

    /// Roots with these directories.
    pub fn new(project: &Path, maven: Option<PathBuf>, home: Option<PathBuf>) -> Self {
        let project = std::path::absolute(project).unwrap_or_else(|_| project.to_owned());
        let mut roots = Roots {
            project,
            maven,
            home,
            real: Vec::new(),
        };
        let real = |(base, path): (Base, &Path)| Some((base, path.canonicalize().ok()?));
        roots.real = roots.named().filter_map(real).collect();
        roots
    }

    fn named(&self) -> impl Iterator<Item = (Base, &Path)> {
        [
            (Base::Project, Some(&self.project)),
            (Base::Maven, self.maven.as_ref()),
            (Base::Home, self.home.as_ref()),
        ]
        .into_iter()
        .filter_map(|(base, path)| Some((base, path?.as_path())))
    }

    /// The place of an absolute path; the first base that it lies in counts. Links lead to bases,
    /// and not out of them or into them: where they lead to may change.
    pub fn place(&self, path: &Path) -> Place {
        self.below_a_base(path)
            .or_else(|| self.below_the_other_name_of_a_base(path))
            .unwrap_or_else(|| Place {
                base: Base::System,
                path: slashes(path),
            })
    }

    fn below_the_other_name_of_a_base(&self, path: &Path) -> Option<Place> {
        let below = |above: &Path| {
            let real = above.canonicalize().ok()?;
            let (base, _) = self.real.iter().find(|(_, root)| *root == real)?;
            let path = slashes(path.strip_prefix(above).ok()?);
            Some(Place { base: *base, path })
        };
        let places = path.ancestors().filter_map(below);
        places.min_by_key(|place| place.base)
    }

    fn below_a_base(&self, path: &Path) -> Option<Place> {
        let real = self.real.iter().map(|(base, root)| (*base, root.as_path()));
        let mut candidates: Vec<(Base, &Path)> = self.named().chain(real).collect();
        candidates.sort_by_key(|(base, _)| *base);
        candidates.into_iter().find_map(|(base, root)| {
            let path = slashes(path.strip_prefix(root).ok()?);
            Some(Place { base, path })
        })
    }

    /// The path of a place now; `None` if this machine has no such base.
    pub fn resolve(&self, place: &Place) -> Option<PathBuf> {
        let root = match place.base {
            Base::Project => &self.project,
            Base::Maven => self.maven.as_ref()?,
            Base::Home => self.home.as_ref()?,
            Base::System => Path::new("/"),
        };
        Some(match place.path.as_str() {
            "" => root.to_owned(),
            path => root.join(path),
        })
    }
}

fn slashes(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .filter(|part| !matches!(part, Component::RootDir | Component::CurDir))
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots() -> Roots {
        Roots::new(
            Path::new("/home/u/p"),
            Some("/home/u/.m2/repository".into()),
            Some("/home/u".into()),
        )
    }

    fn check(path: &str, text: &str) {
        let place = roots().place(Path::new(path));
        assert_eq!(place.to_string(), text);
        assert_eq!(text.parse(), Ok(place));
    }

    #[test]
    fn the_first_base_that_holds_a_path_counts() {
        check("/home/u/p/target/classes/", "project:target/classes");
        check("/home/u/p", "project:");
        check("/home/u/.m2/repository/j/j.jar", "maven:j/j.jar");
        check("/home/u/.gradle/x y.jar", "home:.gradle/x y.jar");
        check("/usr/share/java/é.jar", "system:usr/share/java/é.jar");
        check("/home/u/pp/a", "home:pp/a");
    }

    #[test]
    fn a_place_moves_with_its_base() {
        let moved = Roots::new(Path::new("/q"), None, Some("/root".into()));
        let check = |text: &str, path: Option<&str>| {
            let place: Place = text.parse().unwrap();
            assert_eq!(moved.resolve(&place), path.map(PathBuf::from));
        };
        check("project:target/classes", Some("/q/target/classes"));
        check("project:", Some("/q"));
        check("maven:j/j.jar", None);
        check("home:x", Some("/root/x"));
        check("system:usr/x", Some("/usr/x"));
    }

    #[test]
    fn other_texts_are_no_places() {
        for text in ["", "target", "projects:x", ":x"] {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_seen_through_a_link_is_in_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real");
        let link = dir.path().join("link");
        std::fs::create_dir_all(real.join("target")).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let check = |root: &Path, path: &Path| {
            let place = Roots::new(root, None, None).place(&path.join("target"));
            assert_eq!(place.to_string(), "project:target");
        };
        check(&real, &link);
        check(&link, &real);
        check(&link, &link);
    }

    #[test]
    fn a_link_into_the_project_is_a_place_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        std::fs::create_dir_all(project.join("v1/sub")).unwrap();
        let link = dir.path().join("current");
        std::os::unix::fs::symlink(project.join("v1"), &link).unwrap();
        let roots = Roots::new(&project, None, None);
        for path in [link.clone(), link.join("sub")] {
            let place = roots.place(&path);
            assert_eq!(place.base, Base::System);
            assert_eq!(roots.resolve(&place), Some(path));
        }
    }
}
