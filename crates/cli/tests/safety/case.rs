//! A file of `fixtures/safety`, read.

use crate::files::{Part, Placed, Revision};
use crate::format;
use std::fs;
use std::path::Path;
use tamis_select::TechniqueName;

/// The techniques that every case is run with.
pub(crate) fn techniques() -> impl Iterator<Item = &'static str> {
    TechniqueName::recorded().map(TechniqueName::as_str)
}

/// The techniques that need no recording and that claim to see what code tells.
pub(crate) const STATIC: [&str; 2] = ["fest", "mest"];

/// What static techniques cannot see, as cases name it, and what that is.
pub(crate) const UNSEEN: [(&str, &str); 5] = [
    (
        "inputs",
        "files, values of the environment and processes, which static techniques do not watch",
    ),
    ("state", "what other tests left behind"),
    (
        "names",
        "names of classes that the JDK makes, or that data has",
    ),
    ("loaders", "classes that are on no class path"),
    ("packages", "annotations of packages"),
];

/// The column of the table for `hyrts` with single tests.
pub(crate) const SINGLE_TESTS: &str = "single tests";

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
    /// The JUnit Platform: Jupiter, and JUnit 4 through Vintage.
    Platform,
    /// The console of the JUnit Platform: nothing but JUnit is on the stack.
    Console,
    /// `JUnitCore` in a JVM of its own for every test class, one after the other.
    Each,
    /// The same, all JVMs at once.
    AtOnce,
    /// A class of the case, with the test classes as its arguments.
    Main(String),
}

/// One program in two revisions.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// What it is about.
    pub(crate) about: String,
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
    /// Single tests that must run, where single tests are told apart.
    pub(crate) single_must: Vec<String>,
    /// Single tests that must be skipped there.
    pub(crate) single_must_not: Vec<String>,
    /// Tests that must pass on the second revision, also where tamis takes a hand in them.
    pub(crate) passes: Vec<String>,
    /// Tests that must run and end in the same way on both revisions, with the reason.
    pub(crate) same_end: Vec<String>,
    /// What static techniques, or one of them, do not see of the change.
    unseen: Vec<(&'static str, &'static str)>,
    /// Tests that run again although nothing changed.
    pub(crate) again: Vec<String>,
    /// What is handed to the runner; the classes called `*Test` if absent.
    pub(crate) classes: Vec<String>,
    pub(crate) runners: Vec<Runner>,
    pub(crate) jdks: Vec<u32>,
    /// Options of the compiler per revision.
    pub(crate) javac: [Vec<String>; 2],
    /// Options of the JVM per revision.
    pub(crate) jvm: [Vec<String>; 2],
    /// Environment variables, `NAME=VALUE`, per revision.
    pub(crate) env: [Vec<String>; 2],
    /// Files that keep their time of modification when they are replaced.
    pub(crate) same_time: Vec<String>,
    /// Whether the project is in another directory when the second revision runs.
    pub(crate) moves: bool,
    /// Why it is not run yet.
    pub(crate) pending: Option<String>,
    /// Where else the idea is tested: a file, and a test in it; or another case.
    pub(crate) elsewhere: Vec<String>,
}

impl Case {
    pub(crate) fn all() -> Vec<Case> {
        let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/safety");
        let entries = fs::read_dir(base)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut cases: Vec<Case> = entries.map(|file| Case::read(&file)).collect();
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        cases
    }

    fn read(file: &Path) -> Case {
        let name = file.file_name().unwrap().to_string_lossy();
        let name = name.strip_suffix(".txt").expect("cases are called *.txt");
        let mut case = Case {
            name: name.to_owned(),
            runners: vec![Runner::JUnit4],
            jdks: vec![17],
            ..Case::default()
        };
        let text = fs::read_to_string(file).unwrap();
        let (head, files) = text.split_once("\n\n").unwrap_or((&text, ""));
        let (about, lines) = head.split_once('\n').unwrap();
        assert!(!about.contains(':'), "{name}: a description comes first");
        case.about = about.to_owned();
        lines.lines().for_each(|line| case.line(line));
        let revisions = format::parse(files);
        let revisions = revisions.unwrap_or_else(|problem| panic!("{name}: {problem}"));
        case.revisions = revisions.map(Revision::new);
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
                let known =
                    self::techniques().any(|known| known == technique) || technique == EXACT;
                assert!(known, "{}: no technique {technique}", self.name);
                of_key.extend(list().map(|test| (technique.to_owned(), test)));
            }
            return;
        }
        if let Some(by) = key.strip_prefix("unseen") {
            let what = UNSEEN.iter().find(|(what, _)| *what == value.trim());
            let (what, _) = what.unwrap_or_else(|| panic!("{}: {line}", self.name));
            let by = by.trim().strip_prefix("by ").unwrap_or(by);
            let techniques = STATIC
                .iter()
                .filter(|technique| by.is_empty() || by == **technique);
            self.unseen
                .extend(techniques.map(|technique| (*technique, *what)));
            return;
        }
        match key {
            "must" => self.must.extend(list()),
            "must not" => self.must_not.extend(list()),
            "may" | "misses" | "same end" | "again" => {
                let reason = value.contains(" because ");
                assert!(reason, "{}: {line} needs a reason", self.name);
                let named = match key {
                    "may" => &mut self.may,
                    "misses" => &mut self.misses,
                    "same end" => &mut self.same_end,
                    _ => &mut self.again,
                };
                named.extend(list());
            }
            "single must" => self.single_must.extend(list()),
            "single must not" => self.single_must_not.extend(list()),
            "passes" => self.passes.extend(list()),
            "run" => self.classes.extend(list()),
            "runner" => self.runners = runners(value.trim()),
            "jvm" => self.jvm.iter_mut().for_each(|jvm| jvm.extend(words())),
            "jvm before" => self.jvm[0].extend(words()),
            "jvm after" => self.jvm[1].extend(words()),
            "env" => self.env.iter_mut().for_each(|env| env.extend(words())),
            "env before" => self.env[0].extend(words()),
            "env after" => self.env[1].extend(words()),
            "same time" => self.same_time.extend(list()),
            "moves" => self.moves = true,
            "pending" => self.pending = Some(value.trim().to_owned()),
            "elsewhere" => self.elsewhere.extend(list()),
            "jdk" => self.jdks = list().map(|major| major.parse().unwrap()).collect(),
            "javac before" => self.javac[0].extend(words()),
            "javac after" => self.javac[1].extend(words()),
            _ => panic!("{}: what does {line:?} mean?", self.name),
        }
    }

    /// Whether something changes that only a JVM knows, or the command.
    pub(crate) fn asks_a_jvm(&self) -> bool {
        let configured = self
            .revisions
            .iter()
            .any(|files| files.has_file("tamis.toml"));
        // Options may be in a file, which changes.
        let is_in_file = |option: &String| option.contains('@') || option.contains("File=");
        let mut options = self.jvm.iter().chain(&self.env).flatten();
        let [before, after] = self.revisions.each_ref().map(|files| files.jars());
        configured
            // Tests may ask for the class path.
            || before != after
            || self.jvm[0] != self.jvm[1]
            || self.env[0] != self.env[1]
            || options.any(is_in_file)
    }

    /// Whether single tests are run on the second revision too, and not only asked about: where it
    /// is the test framework that may do what nobody expects.
    pub(crate) fn runs_single_tests(&self) -> bool {
        let is_framework = self.name.starts_with(['t', 'n', 'r']) || !self.passes.is_empty();
        let names_single_tests = !self.single_must.is_empty() || !self.single_must_not.is_empty();
        is_framework || names_single_tests || self.asks_a_jvm()
    }

    /// What is wrong with the single tests that ran.
    pub(crate) fn judge_single_tests(&self, ran: &[String]) -> Option<String> {
        let missed = self.single_must.iter().filter(|test| !ran.contains(test));
        let missed = missed.map(|test| format!("MISSED {test}"));
        let needless = self.single_must_not.iter().filter(|t| ran.contains(t));
        let needless = needless.map(|test| format!("needless: {test}"));
        let wrong: Vec<String> = missed.chain(needless).collect();
        (!wrong.is_empty()).then(|| wrong.join("; "))
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

    /// What a static technique does not see of the change, so that it may miss tests.
    pub(crate) fn unseen(&self, technique: &str) -> Option<&'static str> {
        let mut unseen = self.unseen.iter();
        unseen
            .find(|(by, _)| *by == technique)
            .map(|(_, what)| *what)
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

    /// Whether it has a reason for tests that run with a technique and need not.
    pub(crate) fn may_run_more(&self, technique: &str) -> bool {
        let must_not = self.must_not(technique);
        self.may.iter().any(|test| !must_not.contains(&test))
    }

    /// The test classes of a revision.
    pub(crate) fn tests(&self, revision: usize) -> Vec<String> {
        if !self.classes.is_empty() {
            return self.classes.clone();
        }
        let files = self.revisions[revision].files();
        let tests = files.filter(|file| {
            [Part::First, Part::Classes].contains(&file.part) && file.path.ends_with("Test.java")
        });
        tests.map(|file| class_name(&file)).collect()
    }
}

fn runners(text: &str) -> Vec<Runner> {
    match text.split_once(' ') {
        Some(("main", class)) => vec![Runner::Main(class.to_owned())],
        _ => match text {
            "junit4" => vec![Runner::JUnit4],
            "each" => vec![Runner::Each],
            "at once" => vec![Runner::AtOnce],
            "platform" => vec![Runner::Platform],
            "console" => vec![Runner::Console],
            "both" => vec![Runner::JUnit4, Runner::Platform],
            _ => panic!("no such runner: {text}"),
        },
    }
}

fn class_name(file: &Placed<'_>) -> String {
    let simple = file.path.trim_end_matches(".java");
    let mut lines = file.text().lines();
    let package = lines.find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
    package.map_or_else(
        || simple.to_owned(),
        |package| format!("{package}.{simple}"),
    )
}
