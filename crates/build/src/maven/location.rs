use super::pom;
use crate::BuildError;
use std::path::{Path, PathBuf};

/// Where a build runs, and where what is known of the project lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The directory that holds `.tamis`.
    pub root: PathBuf,
    /// The directory the build tool is started in.
    pub dir: PathBuf,
}

/// The place of a Maven build started in `start`, or with the POM that the user names.
///
/// Maven runs in the nearest directory with a POM. The root is the nearest directory with
/// `.tamis`, so that the modules of one build share what is known; without one it is the topmost
/// POM whose modules lead down to here.
pub fn find_maven_place(start: &Path, pom_file: Option<&Path>) -> Result<Place, BuildError> {
    let start = existing(start)?;
    let (nearest, dir) = match pom_file {
        Some(file) => (pom_dir(&existing(&start.join(file))?), start),
        None => {
            let nearest = start.ancestors().find(|dir| has_pom(dir));
            let nearest = nearest
                .ok_or_else(|| BuildError::NotAProject(start.clone()))?
                .to_owned();
            (nearest.clone(), nearest)
        }
    };
    let root = known_root(&nearest).unwrap_or_else(|| topmost_pom(&nearest));
    Ok(Place { root, dir })
}

/// The place of a command that the user names: it runs where the user is.
pub fn find_command_place(start: &Path) -> Result<Place, BuildError> {
    let dir = existing(start)?;
    let nearest_with = |test: fn(&Path) -> bool| dir.ancestors().find(|dir| test(dir));
    let root = known_root(&dir)
        .or_else(|| nearest_with(has_pom).map(topmost_pom))
        .or_else(|| nearest_with(|dir| dir.join(".git").exists()).map(Path::to_owned))
        .unwrap_or_else(|| dir.clone());
    Ok(Place { root, dir })
}

/// Whether the build in this place has modules besides its own directory.
pub fn has_modules(place: &Place) -> bool {
    !pom::modules(&pom::read(&place.dir), &place.dir).is_empty()
}

fn existing(path: &Path) -> Result<PathBuf, BuildError> {
    path.canonicalize()
        .map_err(|_| BuildError::Missing(path.to_owned()))
}

fn pom_dir(pom: &Path) -> PathBuf {
    if pom.is_dir() {
        pom.to_owned()
    } else {
        pom.parent().unwrap_or(pom).to_owned()
    }
}

fn has_pom(dir: &Path) -> bool {
    dir.join("pom.xml").is_file()
}

fn known_root(dir: &Path) -> Option<PathBuf> {
    dir.ancestors()
        .find(|dir| dir.join(".tamis").exists())
        .map(Path::to_owned)
}

fn topmost_pom(nearest: &Path) -> PathBuf {
    let mut top = nearest;
    for dir in nearest.ancestors().skip(1).filter(|dir| has_pom(dir)) {
        if !pom::modules(&pom::read(dir), dir)
            .iter()
            .any(|module| module == top)
        {
            break;
        }
        top = dir;
    }
    top.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A project whose parent lists `libs/core` but not `other`, with `.tamis` where asked.
    fn tree(tamis: Option<&str>) -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        let dir = tree.path();
        for module in ["p/libs/core/src", "p/other", "p/deep/er"] {
            fs::create_dir_all(dir.join(module)).unwrap();
        }
        let pom = "<modules><module>libs/core</module></modules>";
        fs::write(dir.join("p/pom.xml"), pom).unwrap();
        fs::write(dir.join("p/libs/core/pom.xml"), "<project/>").unwrap();
        fs::write(dir.join("p/other/pom.xml"), "<project/>").unwrap();
        if let Some(tamis) = tamis {
            fs::create_dir(dir.join(tamis).join(".tamis")).unwrap();
        }
        tree
    }

    fn check(tamis: Option<&str>, start: &str, pom: Option<&str>, root: &str, dir: &str) {
        let tree = tree(tamis);
        let base = tree.path().canonicalize().unwrap();
        let place = find_maven_place(&base.join(start), pom.map(Path::new)).unwrap();
        assert_eq!(
            place,
            Place {
                root: base.join(root),
                dir: base.join(dir)
            }
        );
    }

    #[test]
    fn the_root_is_the_topmost_pom_whose_modules_lead_here() {
        check(None, "p", None, "p", "p");
        check(None, "p/libs/core", None, "p", "p/libs/core");
        check(None, "p/libs/core/src", None, "p", "p/libs/core");
        check(None, "p/other", None, "p/other", "p/other");
        check(None, "p/deep/er", None, "p", "p");
    }

    #[test]
    fn a_directory_that_is_known_already_is_the_root() {
        check(Some("p"), "p/other", None, "p", "p/other");
        check(
            Some("p/libs/core"),
            "p/libs/core",
            None,
            "p/libs/core",
            "p/libs/core",
        );
    }

    #[test]
    fn a_pom_that_the_user_names_leaves_maven_where_it_is() {
        check(None, "p/deep", Some("../libs/core/pom.xml"), "p", "p/deep");
        check(None, "p/deep", Some("../other"), "p/other", "p/deep");
    }

    #[test]
    fn a_project_that_is_reached_through_a_link_is_the_same_project() {
        let tree = tree(None);
        let base = tree.path().canonicalize().unwrap();
        let link = base.join("link");
        std::os::unix::fs::symlink(base.join("p/libs"), &link).unwrap();
        let place = find_maven_place(&link.join("core"), None).unwrap();
        let expected = Place {
            root: base.join("p"),
            dir: base.join("p/libs/core"),
        };
        assert_eq!(place, expected);
    }

    #[test]
    fn a_directory_without_a_pom_is_not_a_project() {
        let empty = tempfile::tempdir().unwrap();
        let place = find_maven_place(empty.path(), None);
        assert!(
            matches!(place, Err(BuildError::NotAProject(_))),
            "{place:?}"
        );
        let place = find_maven_place(&empty.path().join("nowhere"), None);
        assert!(matches!(place, Err(BuildError::Missing(_))), "{place:?}");
    }

    #[test]
    fn a_build_with_modules_is_known_by_its_pom() {
        let tree = tree(None);
        let check = |dir: &str, expected| {
            let dir = tree.path().join(dir);
            assert_eq!(
                has_modules(&Place {
                    root: dir.clone(),
                    dir
                }),
                expected
            );
        };
        check("p", true);
        check("p/other", false);
    }

    #[test]
    fn a_command_runs_where_the_user_is() {
        let tree = tree(None);
        let base = tree.path().canonicalize().unwrap();
        let place = find_command_place(&base.join("p/libs/core/src")).unwrap();
        let expected = Place {
            root: base.join("p"),
            dir: base.join("p/libs/core/src"),
        };
        assert_eq!(place, expected);
    }
}
