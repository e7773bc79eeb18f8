//! What git says of a project: which files differ, and what they were like. Git is only asked.

mod blobs;
mod entries;

pub(crate) use blobs::Blobs;
pub(crate) use entries::{Entry, Side};

use crate::error::SourceError;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository of a project.
#[derive(Debug)]
pub(crate) struct Repository {
    /// Its work tree.
    root: PathBuf,
    /// The project, from there on.
    project: PathBuf,
}

impl Repository {
    pub(crate) fn of(project: &Path) -> Result<Repository, SourceError> {
        let output = run(project, &["rev-parse", "--show-cdup"])?;
        if !output.status.success() && contains(&output.stderr, b"not a git repository") {
            let project = project.to_owned();
            return Err(SourceError::NoRepository { project });
        }
        let up = checked(&["rev-parse", "--show-cdup"], output)?;
        let inside = git(project, &["rev-parse", "--show-prefix"])?;
        let repository = Repository {
            root: project.join(path(line(&up))),
            project: path(line(&inside)),
        };
        let is_ignored = !line(&inside).is_empty() && repository.knows_nothing_of(project)?;
        match is_ignored {
            true => Err(SourceError::Ignored {
                project: project.to_owned(),
            }),
            false => Ok(repository),
        }
    }

    fn knows_nothing_of(&self, project: &Path) -> Result<bool, SourceError> {
        let known = ["ls-files", "--cached", "--others", "--exclude-standard"];
        Ok(git(project, &known)?.is_empty())
    }

    /// The commit that a revision means.
    pub(crate) fn resolve(&self, revision: &str) -> Result<String, SourceError> {
        let commit = format!("{revision}^{{commit}}");
        let verify = [
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &commit,
        ];
        let output = run(&self.root, &verify)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(line(&output.stdout)).into_owned());
        }
        let shallow = git(&self.root, &["rev-parse", "--is-shallow-repository"])?;
        Err(SourceError::NoRevision {
            revision: revision.to_owned(),
            shallow: line(&shallow) == b"true",
        })
    }

    /// What differs between a commit and the work tree, with new files that are not ignored.
    pub(crate) fn differences(&self, commit: &str) -> Result<Vec<Entry>, SourceError> {
        // No setting of the user may hide something.
        let diff = [
            "diff",
            "--raw",
            "-z",
            "--no-abbrev",
            "--find-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            "--no-color",
            "--ignore-submodules=none",
            commit,
            "--",
        ];
        let tracked = git(&self.root, &diff)?;
        let others = ["ls-files", "--others", "--exclude-standard", "-z"];
        let others = git(&self.root, &others)?;
        let exists = |path: &Path| {
            let path = self.root.join(path);
            path.symlink_metadata().is_ok_and(|found| !found.is_dir())
        };
        Ok(entries::read(&tracked, names(&others), exists))
    }

    /// All files that are tracked, or new and not ignored.
    pub(crate) fn files(&self) -> Result<BTreeSet<PathBuf>, SourceError> {
        let list = [
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ];
        Ok(names(&git(&self.root, &list)?).collect())
    }

    /// The contents of files in the past.
    pub(crate) fn blobs(&self) -> Result<Blobs, SourceError> {
        Blobs::of(command(&self.root, &["cat-file", "--batch"]))
    }

    /// The content of a file now.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(self.root.join(path))
    }

    /// A path of the repository, from the project on.
    pub(crate) fn relative(&self, path: &Path) -> PathBuf {
        let common = self.project.iter().zip(path.iter());
        let common = common.take_while(|(left, right)| left == right).count();
        let up = self.project.iter().skip(common).map(|_| OsStr::new(".."));
        up.chain(path.iter().skip(common)).collect()
    }
}

fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments);
    // Messages are read, and a question must not write to the repository.
    command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
    command
}

fn run(directory: &Path, arguments: &[&str]) -> Result<Output, SourceError> {
    command(directory, arguments)
        .output()
        .map_err(SourceError::NoGit)
}

fn checked(arguments: &[&str], output: Output) -> Result<Vec<u8>, SourceError> {
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(SourceError::Git {
            command: arguments.join(" "),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        }),
    }
}

fn git(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, SourceError> {
    checked(arguments, run(directory, arguments)?)
}

fn line(output: &[u8]) -> &[u8] {
    output.strip_suffix(b"\n").unwrap_or(output)
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

fn names(output: &[u8]) -> impl Iterator<Item = PathBuf> {
    let names = output.split(|byte| *byte == 0);
    names.filter(|name| !name.is_empty()).map(path)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_at_the_project() {
        let check = |project: &str, path: &str, expected: &str| {
            let repository = Repository {
                root: PathBuf::new(),
                project: project.into(),
            };
            let found = repository.relative(Path::new(path));
            assert_eq!(found, Path::new(expected), "{path} from {project}");
        };
        check("", "a/B.java", "a/B.java");
        check("core/", "core/a/B.java", "a/B.java");
        check("core/", "web/a/B.java", "../web/a/B.java");
        check("a/core/", "a/web/B.java", "../web/B.java");
        check("a/core/", "pom.xml", "../../pom.xml");
        check("a/core/", "a/corelib/x", "../corelib/x");
    }
}
