#![allow(dead_code, reason = "not every test uses all")]

use std::fs;
use std::path::Path;
use std::process::Command;
use tamis_source::FileChange;
use tempfile::TempDir;

/// A repository in a temporary directory, with one commit or more.
pub(crate) struct Repository(TempDir);

impl Repository {
    pub(crate) fn new(files: &[(&str, &str)]) -> Repository {
        let repository = Repository(tempfile::tempdir().unwrap());
        repository.git(&["init", "-q", "-b", "main"]);
        for (name, content) in files {
            repository.write(name, content);
        }
        repository.commit();
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        self.write_bytes(name, content.as_bytes());
    }

    pub(crate) fn write_bytes(&self, name: &str, content: &[u8]) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.path().join(name)).unwrap();
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path().join(from), self.path().join(to)).unwrap();
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "Next"]);
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        assert!(run(self.path(), arguments), "{arguments:?}");
    }

    pub(crate) fn git_fails(&self, arguments: &[&str]) {
        assert!(!run(self.path(), arguments), "{arguments:?}");
    }

    /// A clone that has the last commit only.
    pub(crate) fn shallow_clone(&self) -> Repository {
        self.commit();
        let directory = tempfile::tempdir().unwrap();
        let from = format!("file://{}", self.path().display());
        let clone = ["clone", "-q", "--depth=1", &from, "."];
        assert!(run(directory.path(), &clone));
        Repository(directory)
    }
}

fn run(directory: &Path, arguments: &[&str]) -> bool {
    command(directory, arguments)
        .output()
        .unwrap()
        .status
        .success()
}

fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(directory);
    command.args([
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "-c",
        "protocol.file.allow=always",
    ]);
    command.args(arguments);
    command
}

pub(crate) fn lines(files: &[FileChange]) -> Vec<String> {
    files.iter().map(ToString::to_string).collect()
}
