//! The history of a project, by `git`. The user's checkout is only read.

use crate::error::Error;
use crate::rows::Changes;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) id: String,
    /// The first line of its message.
    pub(crate) subject: String,
}

/// The range of commits that are replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The one at which everything is new; if absent, so many before the last that [`Range::last`] are left.
    pub from: Option<String>,
    /// The last one.
    pub to: String,
    /// How many, if the first is not named.
    pub last: usize,
}

/// A repository and the directory of the project in it.
#[derive(Debug)]
pub(crate) struct Repository {
    root: PathBuf,
    /// The project, from the root on.
    pub(crate) inside: PathBuf,
}

impl Repository {
    pub(crate) fn of(project: &Path) -> Result<Repository, Error> {
        let root = git(project, &["rev-parse", "--show-toplevel"])?;
        let inside = git(project, &["rev-parse", "--show-prefix"])?;
        Ok(Repository {
            root: root.trim_end().into(),
            inside: inside.trim_end().into(),
        })
    }

    /// The commit that a name means.
    pub(crate) fn resolve(&self, name: &str) -> Result<String, Error> {
        let commit = format!("{name}^{{commit}}");
        let id = git(
            &self.root,
            &[
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &commit,
            ],
        );
        let id = id.map_err(|_| Error::Nothing(format!("there is no revision `{name}`")))?;
        Ok(id.trim_end().to_owned())
    }

    /// The commits of a range, the oldest first: of merges, only where they were merged to.
    pub(crate) fn commits(&self, range: &Range) -> Result<Vec<Commit>, Error> {
        let log = |arguments: &[&str]| -> Result<Vec<Commit>, Error> {
            let common = ["log", "--first-parent", "--reverse", "--format=%H %s"];
            let text = git(&self.root, &[&common, arguments].concat())?;
            let commit = |line: &str| {
                let (id, subject) = line.split_once(' ').unwrap_or((line, ""));
                Commit {
                    id: id.to_owned(),
                    subject: subject.to_owned(),
                }
            };
            Ok(text.lines().map(commit).collect())
        };
        let Some(from) = &range.from else {
            // One more: where to start.
            return log(&[&format!("-{}", range.last + 1), &range.to, "--"]);
        };
        let mut commits = log(&["-1", from, "--"])?;
        commits.extend(log(&[&format!("{from}..{}", range.to), "--"])?);
        Ok(commits)
    }

    /// Makes a clone that shares what the repository has.
    pub(crate) fn clone_to(&self, directory: &Path) -> Result<(), Error> {
        let (from, to) = (self.root.to_string_lossy(), directory.to_string_lossy());
        git(
            &self.root,
            &["clone", "-q", "--shared", "--no-checkout", &from, &to],
        )?;
        Ok(())
    }

    /// The files that differ between two commits.
    pub(crate) fn changed(&self, before: &str, now: &str) -> Result<Vec<String>, Error> {
        let names = git(&self.root, &["diff", "--name-only", "-z", before, now])?;
        let names = names.split('\0').filter(|name| !name.is_empty());
        Ok(names.map(str::to_owned).collect())
    }
}

/// Has a clone show a commit and nothing else, but for what tamis keeps there.
pub(crate) fn check_out(clone: &Path, commit: &str) -> Result<(), Error> {
    git(clone, &["checkout", "-q", "--force", "--detach", commit])?;
    git(clone, &["clean", "-xdffq", "-e", "/.tamis"])?;
    if clone.join(".gitmodules").exists() {
        git(
            clone,
            &["submodule", "update", "-q", "--init", "--recursive"],
        )?;
    }
    Ok(())
}

fn git(directory: &Path, arguments: &[&str]) -> Result<String, Error> {
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(arguments)
        .output()
        .map_err(Error::NoGit)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(Error::Git {
            command: arguments.join(" "),
            message: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        }),
    }
}

/// How many of these files are of which kind.
pub(crate) fn kinds(files: &[String], is_build_file: impl Fn(&str) -> bool) -> Changes {
    let mut changes = Changes::default();
    for file in files {
        let kind = match file.as_str() {
            file if file.contains("src/main/") => &mut changes.main,
            file if file.contains("src/test/") => &mut changes.test,
            file if is_build_file(file) => &mut changes.build,
            _ => &mut changes.other,
        };
        *kind += 1;
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_come_in_order_and_know_what_they_change() {
        let dir = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| git(dir.path(), arguments).unwrap();
        run(&["init", "-q", "-b", "main"]);
        let commit = |file: &str, subject: &str| {
            std::fs::write(dir.path().join(file), subject).unwrap();
            run(&["add", "-A"]);
            let name = ["-c", "user.name=n", "-c", "user.email=e"];
            run(&[&name[..], &["commit", "-qm", subject]].concat());
        };
        commit("a", "First");
        commit("b", "Second one");
        commit("pom.xml", "Third");
        let repository = Repository::of(dir.path()).unwrap();
        let subjects = |range: Range| -> Vec<String> {
            let commits = repository.commits(&range).unwrap();
            commits.into_iter().map(|commit| commit.subject).collect()
        };
        let range = |from: Option<&str>, last| Range {
            from: from.map(str::to_owned),
            to: "HEAD".into(),
            last,
        };
        assert_eq!(subjects(range(None, 1)), ["Second one", "Third"]);
        assert_eq!(subjects(range(None, 9)), ["First", "Second one", "Third"]);
        assert_eq!(
            subjects(range(Some("HEAD~2"), 1)),
            ["First", "Second one", "Third"]
        );
        let changed = repository.changed("HEAD~2", "HEAD").unwrap();
        assert_eq!(changed, ["b", "pom.xml"]);
        let expected = Changes {
            build: 1,
            other: 1,
            ..Changes::default()
        };
        assert_eq!(kinds(&changed, |file| file == "pom.xml"), expected);
        let missing = repository.commits(&range(Some("nothing"), 1));
        assert!(missing.unwrap_err().to_string().contains("nothing"));

        let clone = dir.path().join(".tamis/clone");
        repository.clone_to(&clone).unwrap();
        check_out(&clone, "HEAD~1").unwrap();
        std::fs::create_dir_all(clone.join("target")).unwrap();
        std::fs::create_dir_all(clone.join(".tamis")).unwrap();
        let first = repository.commits(&range(Some("HEAD~2"), 1)).unwrap();
        check_out(&clone, &first[0].id).unwrap();
        let is_there = |name: &str| clone.join(name).exists();
        assert_eq!(
            ["a", "b", "target", ".tamis"].map(is_there),
            [true, false, false, true]
        );
    }
}
