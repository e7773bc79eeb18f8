//! Projects to run `tamis` on, and what it answered.

use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The version of Surefire in the projects.
const SUREFIRE: &str = "3.5.2";

/// A copy of one of the projects in `tests/projects`.
pub(crate) struct Project {
    _dir: TempDir,
    pub(crate) root: PathBuf,
    /// Outside the project, so that it does not change it.
    answer: PathBuf,
}

impl Project {
    pub(crate) fn copy_of(name: &str) -> Project {
        Project::copy_to(name, "project")
    }

    pub(crate) fn copy_to(name: &str, dir_name: &str) -> Project {
        warm_up(name, SUREFIRE);
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join(dir_name);
        copy(&template(name), &root);
        Project {
            answer: dir.path().join("answer.json"),
            _dir: dir,
            root,
        }
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let file = self.root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(crate) fn edit(&self, file: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.root.join(file)).unwrap();
        assert!(text.contains(old), "{file} has no {old}");
        self.write(file, &text.replace(old, new));
    }

    pub(crate) fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.root.join(file)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tamis();
        command.current_dir(&self.root).args(arguments);
        command
    }

    pub(crate) fn tamis(&self, arguments: &[&str]) -> Answer {
        Answer::of(self.command(arguments).output().unwrap())
    }

    /// Runs a command with `--json`, and keeps the document with the answer.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Answer {
        self.ask_with(self.command(arguments))
    }

    pub(crate) fn ask_with(&self, mut command: Command) -> Answer {
        let _ = fs::remove_file(&self.answer);
        let given: Vec<_> = command.get_args().map(|a| a.to_owned()).collect();
        let mut with_json = Command::new(command.get_program());
        with_json
            .arg("--json")
            .arg(&self.answer)
            .args(given)
            .current_dir(command.get_current_dir().unwrap_or(&self.root));
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => with_json.env(name, value),
                None => with_json.env_remove(name),
            };
        }
        command = with_json;
        let mut answer = Answer::of(command.output().unwrap());
        answer.json = fs::read(&self.answer)
            .ok()
            .and_then(|b| serde_json::from_slice(&b).ok());
        answer
    }
}

/// The `tamis` that was just built, with a cache of its own.
pub(crate) fn tamis() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tamis"));
    command.env(
        "XDG_CACHE_HOME",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
    );
    command
}

/// What `tamis` said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) json: Option<Value>,
}

impl Answer {
    pub(crate) fn of(output: Output) -> Answer {
        Answer {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            json: None,
        }
    }

    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Answer {
        assert_eq!(self.code, Some(expected), "{self}");
        self
    }

    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Answer {
        assert!(
            self.stdout.contains(words) || self.stderr.contains(words),
            "no {words:?} in\n{self}"
        );
        self
    }

    #[track_caller]
    pub(crate) fn prints(self, words: &str) -> Answer {
        assert!(self.stdout.contains(words), "no {words:?} in\n{self}");
        self
    }

    /// The selected tests and the others are these, by their simple names.
    #[track_caller]
    pub(crate) fn selects(self, selected: &[&str], skipped: &[&str]) -> Answer {
        assert_eq!(self.tests(true), selected, "selected by\n{self}");
        assert_eq!(self.tests(false), skipped, "skipped by\n{self}");
        self
    }

    #[track_caller]
    pub(crate) fn tests(&self, selected: bool) -> Vec<String> {
        let json = self
            .json
            .as_ref()
            .unwrap_or_else(|| panic!("no JSON from\n{self}"));
        let tests = json["tests"].as_array().unwrap().iter();
        let named = tests.filter(|test| test["selected"] == selected);
        named
            .map(|test| test["id"].as_str().unwrap().replace("acme.", ""))
            .collect()
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "exit code {:?}\n--- stdout\n{}", self.code, self.stdout)?;
        write!(f, "--- stderr\n{}--- json\n{:#?}", self.stderr, self.json)
    }
}

fn template(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/projects")
        .join(name)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Maven may not download the same thing twice at once, so each project is built once, alone,
/// before tests use copies of it at the same time.
pub(crate) fn warm_up(name: &str, surefire: &str) {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lock = File::create(base.join("warm-up.lock")).unwrap();
    lock.lock().unwrap();
    let done = base.join(format!("warm-{name}-{surefire}"));
    let plugin = repository().join("org/apache/maven/plugins/maven-surefire-plugin");
    if done.exists() && plugin.join(surefire).exists() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    copy(&template(name), &dir.path().join(name));
    let mut maven = Command::new("mvn");
    maven.args([
        "-q",
        "-B",
        "test",
        &format!("-Dsurefire.version={surefire}"),
    ]);
    let output = maven
        .current_dir(dir.path().join(name))
        .output()
        .expect("Maven is installed");
    assert!(output.status.success(), "{}", Answer::of(output));
    fs::write(done, "").unwrap();
}

/// Where Maven keeps what it downloads.
pub(crate) fn repository() -> PathBuf {
    std::env::home_dir().unwrap().join(".m2/repository")
}

/// The home of the JDK of that major version.
pub(crate) fn jdk(major: u32) -> PathBuf {
    let of_java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let homes = of_java_home
        .into_iter()
        .chain(installed.map(|entry| entry.path()));
    let is_it = |home: &PathBuf| {
        let release = fs::read_to_string(home.join("release")).unwrap_or_default();
        release.contains(&format!("JAVA_VERSION=\"{major}")) && home.join("bin/javac").exists()
    };
    let mut homes: Vec<_> = homes.filter(is_it).collect();
    homes.sort();
    homes
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("these tests need a JDK {major}"))
}
