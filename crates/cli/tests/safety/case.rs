//! A folder of `fixtures/safety`, read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The techniques that every case is run with.
pub(crate) const TECHNIQUES: [&str; 4] = ["ekstazi", "hyrts", "hyrts-f", "hyrts-b"];

/// Whether what is said for one technique holds for another one: by blocks or with exact receivers no
/// more is selected than by methods.
fn holds(said_for: &str, technique: &str) -> bool {
    said_for == technique || (said_for == "hyrts" && ["hyrts-b", EXACT].contains(&technique))
}

/// `hyrts` with exact receivers: as `hyrts`, and what a case says of it alone. It runs where a case
/// does, or where `SAFETY_EXACT` is set.
pub(crate) const EXACT: &str = "hyrts exact";

/// What starts the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Runner {
    /// JUnit 4's `JUnitCore`.
    JUnit4,
    /// The JUnit Platform's `ConsoleLauncher`: Jupiter, and JUnit 4 through Vintage.
    Platform,
    /// `JUnitCore` in a JVM of its own for every test class.
    Each,
    /// A class of the case, with the test classes as its arguments.
    Main(String),
}

/// Where the classes of a source file go, by the folder it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// `first/`: before the others on the class path.
    First,
    /// No folder: on the class path.
    Classes,
    /// `off/`: compiled, and not on the class path.
    Off,
}

impl Part {
    pub(crate) const ALL: [Part; 3] = [Part::First, Part::Classes, Part::Off];

    pub(crate) fn folder(self) -> &'static str {
        match self {
            Part::First => "first",
            Part::Classes => "classes",
            Part::Off => "off",
        }
    }
}

/// The files of one revision, by part and name.
pub(crate) type Revision = BTreeMap<(Part, String), PathBuf>;

/// One program in two revisions.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) revisions: [Revision; 2],
    must: Vec<String>,
    /// More of those, each with the technique that must run it.
    must_for: Vec<(String, String)>,
    pub(crate) must_not: Vec<String>,
    /// More of those, each with the technique that must skip it.
    must_not_for: Vec<(String, String)>,
    pub(crate) may: Vec<String>,
    /// Tests that must run and do not: a known defect, with its reason.
    misses: Vec<String>,
    /// The same for single techniques.
    misses_for: Vec<(String, String)>,
    /// Tests that must pass on the second revision, also where tamis takes a hand in them.
    pub(crate) passes: Vec<String>,
    /// Tests that run again although nothing changed.
    pub(crate) again: Vec<String>,
    /// What is handed to the runner; the classes called `*Test` if absent.
    pub(crate) classes: Vec<String>,
    pub(crate) runners: Vec<Runner>,
    pub(crate) jvm: Vec<String>,
    pub(crate) jdks: Vec<u32>,
    /// Options of the compiler per revision.
    pub(crate) javac: [Vec<String>; 2],
}

impl Case {
    pub(crate) fn all() -> Vec<Case> {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/safety");
        let entries = fs::read_dir(base)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut cases: Vec<Case> = entries.map(|dir| Case::read(&dir)).collect();
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        cases
    }

    fn read(dir: &Path) -> Case {
        let mut case = Case {
            name: dir.file_name().unwrap().to_string_lossy().into_owned(),
            runners: vec![Runner::JUnit4],
            jdks: vec![17],
            ..Case::default()
        };
        let expect = fs::read_to_string(dir.join("expect")).unwrap();
        let (about, lines) = expect.split_once('\n').unwrap();
        assert!(
            !about.contains(':'),
            "{}: a description comes first",
            case.name
        );
        lines.lines().for_each(|line| case.line(line));
        let before = sources(&dir.join("before"));
        let mut after = before.clone();
        after.extend(sources(&dir.join("after")));
        let deleted = fs::read_to_string(dir.join("after/DELETED")).unwrap_or_default();
        for name in deleted.lines() {
            let (part, file) = match name.split_once('/') {
                Some(("first", file)) => (Part::First, file),
                Some(("off", file)) => (Part::Off, file),
                _ => (Part::Classes, name),
            };
            let gone = after.remove(&(part, file.to_owned()));
            assert!(gone.is_some(), "{}: {name} cannot be deleted", case.name);
        }
        case.revisions = [before, after];
        case
    }

    fn line(&mut self, line: &str) {
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let list = || {
            let names = value
                .split(" because ")
                .next()
                .unwrap_or_default()
                .split(',');
            names
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
        };
        let words = || value.split_whitespace().map(str::to_owned);
        if let Some((key, techniques)) = key.split_once(" for ") {
            let of_key = match key {
                "must" => &mut self.must_for,
                "must not" => &mut self.must_not_for,
                "misses" if value.contains(" because ") => &mut self.misses_for,
                _ => panic!("{}: what does {line:?} mean?", self.name),
            };
            for technique in techniques.split(", ") {
                let known = TECHNIQUES.contains(&technique) || technique == EXACT;
                assert!(known, "{}: no technique {technique}", self.name);
                of_key.extend(list().map(|test| (technique.to_owned(), test)));
            }
            return;
        }
        match key {
            "must" => self.must.extend(list()),
            "must not" => self.must_not.extend(list()),
            "may" | "misses" | "again" => {
                let reason = value.contains(" because ");
                assert!(reason, "{}: {line} needs a reason", self.name);
                let named = match key {
                    "may" => &mut self.may,
                    "misses" => &mut self.misses,
                    _ => &mut self.again,
                };
                named.extend(list());
            }
            "passes" => self.passes.extend(list()),
            "run" => self.classes.extend(list()),
            "runner" => self.runners = runners(value.trim()),
            "jvm" => self.jvm.extend(words()),
            "jdk" => self.jdks = list().map(|major| major.parse().unwrap()).collect(),
            "javac before" => self.javac[0].extend(words()),
            "javac after" => self.javac[1].extend(words()),
            _ => panic!("{}: what does {line:?} mean?", self.name),
        }
    }

    /// Whether it says anything of this class.
    pub(crate) fn speaks_of(&self, class: &str) -> bool {
        let lists = [&self.must, &self.must_not, &self.may, &self.misses];
        let by_technique = [&self.must_for, &self.must_not_for, &self.misses_for];
        lists
            .iter()
            .any(|list| list.iter().any(|name| name == class))
            || by_technique
                .iter()
                .any(|list| list.iter().any(|(_, name)| name == class))
    }

    /// Whether it says anything of exact receivers.
    pub(crate) fn is_exact(&self) -> bool {
        let lists = [&self.must_for, &self.must_not_for, &self.misses_for];
        let mut lines = lists.into_iter().flatten();
        std::env::var_os("SAFETY_EXACT").is_some() || lines.any(|(technique, _)| technique == EXACT)
    }

    /// The tests that a technique must run.
    pub(crate) fn must(&self, technique: &str) -> Vec<&String> {
        let own = self.must_for.iter().filter(|(t, _)| holds(t, technique));
        self.must.iter().chain(own.map(|(_, test)| test)).collect()
    }

    /// The tests that a technique must skip.
    pub(crate) fn must_not(&self, technique: &str) -> Vec<&String> {
        let own = self
            .must_not_for
            .iter()
            .filter(|(t, _)| holds(t, technique));
        self.must_not
            .iter()
            .chain(own.map(|(_, test)| test))
            .collect()
    }

    /// The tests that a technique is known to miss.
    pub(crate) fn misses(&self, technique: &str) -> Vec<&String> {
        let own = self.misses_for.iter().filter(|(t, _)| holds(t, technique));
        self.misses
            .iter()
            .chain(own.map(|(_, test)| test))
            .collect()
    }

    /// The test classes of a revision.
    pub(crate) fn tests(&self, revision: usize) -> Vec<String> {
        if !self.classes.is_empty() {
            return self.classes.clone();
        }
        let files = self.revisions[revision].iter();
        let tests =
            files.filter(|((part, name), _)| *part != Part::Off && name.ends_with("Test.java"));
        tests
            .map(|((_, name), file)| class_name(name, file))
            .collect()
    }
}

fn runners(text: &str) -> Vec<Runner> {
    match text.split_once(' ') {
        Some(("main", class)) => vec![Runner::Main(class.to_owned())],
        _ => match text {
            "junit4" => vec![Runner::JUnit4],
            "each" => vec![Runner::Each],
            "platform" => vec![Runner::Platform],
            "both" => vec![Runner::JUnit4, Runner::Platform],
            _ => panic!("no such runner: {text}"),
        },
    }
}

/// The source files of a folder and of its parts.
fn sources(dir: &Path) -> Revision {
    let mut files = Revision::new();
    for (part, dir) in [
        (Part::First, dir.join("first")),
        (Part::Classes, dir.to_owned()),
        (Part::Off, dir.join("off")),
    ] {
        for entry in fs::read_dir(dir).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".java") {
                files.insert((part, name), path);
            }
        }
    }
    files
}

fn class_name(file_name: &str, file: &Path) -> String {
    let simple = file_name.trim_end_matches(".java");
    let text = fs::read_to_string(file).unwrap();
    let package = text
        .lines()
        .find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
    package.map_or_else(
        || simple.to_owned(),
        |package| format!("{package}.{simple}"),
    )
}
