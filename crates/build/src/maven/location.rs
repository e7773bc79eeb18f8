use super::pom::Pom;
use crate::location::{existing, known_root};
use crate::{BuildError, ProjectLocation};
use std::path::{Path, PathBuf};

/// The file by which Maven knows a project.
pub(super) const POM: &str = "pom.xml";

/// The location of a build that is started in `start`, or with the POM that the user names; none if there is no POM.
///
/// Maven runs in the nearest directory with a POM. The root is the nearest directory with
/// `.tamis`, so that the modules of one build share what is known; without one it is the topmost
/// POM whose modules lead down to here.
pub(super) fn find(
    start: &Path,
    pom_file: Option<&Path>,
) -> Result<Option<ProjectLocation>, BuildError> {
    let start = existing(start)?;
    let (nearest, dir) = match pom_file {
        Some(file) => (pom_dir(&existing(&start.join(file))?), start),
        None => match start.ancestors().find(|dir| has_pom(dir)) {
            Some(nearest) => (nearest.to_owned(), nearest.to_owned()),
            None => return Ok(None),
        },
    };
    let root = known_root(&nearest).unwrap_or_else(|| topmost_pom(&nearest));
    Ok(Some(ProjectLocation { root, dir }))
}

/// Whether the build has modules besides its own directory.
pub(super) fn has_modules(location: &ProjectLocation) -> bool {
    !Pom::of(&location.dir).modules(&location.dir).is_empty()
}

fn pom_dir(pom: &Path) -> PathBuf {
    if pom.is_dir() {
        pom.to_owned()
    } else {
        pom.parent().unwrap_or(pom).to_owned()
    }
}

/// Whether a directory is a project or a module.
pub(super) fn has_pom(dir: &Path) -> bool {
    dir.join(POM).is_file()
}

/// The topmost POM whose modules lead down to this one.
pub(super) fn topmost_pom(nearest: &Path) -> PathBuf {
    let mut top = nearest;
    for dir in nearest.ancestors().skip(1).filter(|dir| has_pom(dir)) {
        if !Pom::of(dir).modules(dir).iter().any(|module| module == top) {
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
        let location = find(&base.join(start), pom.map(Path::new)).unwrap();
        assert_eq!(
            location,
            Some(ProjectLocation {
                root: base.join(root),
                dir: base.join(dir)
            })
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
        let location = find(&link.join("core"), None).unwrap();
        let expected = ProjectLocation {
            root: base.join("p"),
            dir: base.join("p/libs/core"),
        };
        assert_eq!(location, Some(expected));
    }

    #[test]
    fn a_directory_without_a_pom_is_not_a_project() {
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(find(empty.path(), None).unwrap(), None);
        let location = find(&empty.path().join("nowhere"), None);
        assert!(
            matches!(location, Err(BuildError::Missing(_))),
            "{location:?}"
        );
    }

    #[test]
    fn a_build_with_modules_is_known_by_its_pom() {
        let tree = tree(None);
        let check = |dir: &str, expected| {
            let dir = tree.path().join(dir);
            assert_eq!(
                has_modules(&ProjectLocation {
                    root: dir.clone(),
                    dir
                }),
                expected
            );
        };
        check("p", true);
        check("p/other", false);
    }
}
