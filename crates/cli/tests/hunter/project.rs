//! A directory in which revisions of programs are compiled, judged and run, all in one JVM.

use crate::jars::jdk;
use crate::javac::Javac;
use crate::model::Program;
use crate::print::sources;
use crate::tamis::tamis;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

pub(crate) const TECHNIQUES: [&str; 5] = [
    "ekstazi",
    "hyrts",
    "hyrts-f",
    "hyrts-b",
    "hyrts receivers=exact",
];

const JDK: u32 = 17;

const CLASSES: &str = "classes";
const TESTS: &str = "tests";

/// How long the tests of a program may run, for `timeout`: some compute for ages.
const SECONDS: &str = "20";
const TIMED_OUT: i32 = 124;

/// What all projects share.
pub(crate) struct Tools {
    pub(crate) javac: Mutex<Javac>,
    /// JUnit and what it needs.
    pub(crate) class_path: String,
}

impl Tools {
    pub(crate) fn start(errors: Stdio) -> Tools {
        let jars = crate::jars::fetch().class_path;
        let names = ["/junit-", "/hamcrest", "/opentest4j", "/apiguardian"];
        let is_wanted = |jar: &&str| names.iter().any(|name| jar.contains(name));
        let wanted: Vec<&str> = jars.split(':').filter(is_wanted).collect();
        Tools {
            javac: Mutex::new(Javac::start(JDK, errors)),
            class_path: wanted.join(":"),
        }
    }
}

/// What each test put out, by class and method.
pub(crate) type Texts = BTreeMap<String, String>;

/// What tests did.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) texts: Texts,
    /// The tests, or the classes of tests, that passed or were ignored.
    pub(crate) passed: BTreeSet<String>,
}

/// How tests are recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recording {
    /// Whether single tests are told apart.
    pub(crate) by_method: bool,
    /// Whether the objects are recorded on which methods run.
    pub(crate) receivers: bool,
}

pub(crate) struct Project<'a> {
    tools: &'a Tools,
    root: PathBuf,
    programs: usize,
    recording: Recording,
}

impl<'a> Project<'a> {
    pub(crate) fn new(
        tools: &'a Tools,
        root: &Path,
        programs: usize,
        recording: Recording,
    ) -> Project<'a> {
        let _ = fs::remove_dir_all(root);
        fs::create_dir_all(root.join(".tamis")).unwrap();
        Project {
            tools,
            root: root.to_owned(),
            programs,
            recording,
        }
    }

    /// Puts the classes of a revision of one of the programs in place, if it compiles.
    pub(crate) fn compile(&self, number: usize, program: &Program) -> bool {
        let new = self.root.join("new");
        let _ = fs::remove_dir_all(&new);
        let (mut classes, mut tests) = (Vec::new(), Vec::new());
        for folder in ["src", CLASSES, TESTS] {
            fs::create_dir_all(new.join(folder)).unwrap();
        }
        for (name, text) in sources(program) {
            let file = new.join("src").join(&name);
            fs::write(&file, text).unwrap();
            let files = match name.ends_with("Test.java") {
                true => &mut tests,
                false => &mut classes,
            };
            files.push(file.display().to_string());
        }
        let out = new.join(CLASSES);
        let class_path = format!("{}:{}", out.display(), self.tools.class_path);
        let mut javac = self.tools.javac.lock().unwrap();
        let compiled = javac.compile(&out, &class_path, &[], &classes)
            && javac.compile(&new.join(TESTS), &class_path, &[], &tests);
        if compiled {
            let place = self.root.join(number.to_string());
            let _ = fs::remove_dir_all(&place);
            fs::rename(new, place).unwrap();
        }
        compiled
    }

    /// Where classes are, relative to the root.
    fn class_path(&self) -> Vec<String> {
        let folders = (0..self.programs)
            .flat_map(|number| [TESTS, CLASSES].map(|folder| format!("{number}/{folder}")));
        folders.collect()
    }

    /// Runs all tests and records them; `None` if they ran too long.
    pub(crate) fn run(&self, programs: &[Program]) -> Option<Seen> {
        let granularity = if self.recording.by_method {
            "method"
        } else {
            "class"
        };
        let receivers = if self.recording.receivers {
            "exact"
        } else {
            "created"
        };
        let answer = self.root.join("answer.json");
        let _ = fs::remove_file(&answer);
        let output = tamis(&self.root)
            .arg("--json")
            .arg(&answer)
            .args(["test", "--technique", "all", "--record-blocks"])
            .args(["--granularity", granularity, "--receivers", receivers, "--"])
            .args(self.command(programs))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let json = fs::read(&answer).unwrap_or_default();
        let json: Value = serde_json::from_slice(&json)
            .unwrap_or_else(|_| panic!("no answer in {}: {said}", self.root.display()));
        if json["build"]["exit_code"] == TIMED_OUT {
            return None;
        }
        let tests = json["tests"].as_array().into_iter().flatten();
        let passed = tests.filter(|test| {
            ["passed", "ignored"].contains(&test["outcome"].as_str().unwrap_or_default())
        });
        Some(Seen {
            texts: texts(&said),
            passed: passed
                .map(|test| test["id"].as_str().unwrap_or_default().to_owned())
                .collect(),
        })
    }

    /// What all tests put out where nothing is recorded; `None` if they ran too long.
    pub(crate) fn run_alone(&self, programs: &[Program]) -> Option<Texts> {
        let command = self.command(programs);
        let output = Command::new(&command[0])
            .args(&command[1..])
            .current_dir(&self.root)
            .output()
            .unwrap();
        let is_done = output.status.code() != Some(TIMED_OUT);
        is_done.then(|| texts(&String::from_utf8_lossy(&output.stdout)))
    }

    fn command(&self, programs: &[Program]) -> Vec<String> {
        let java = jdk(JDK).join("bin/java").display().to_string();
        let class_path = format!("{}:{}", self.class_path().join(":"), self.tools.class_path);
        let mut command = vec!["timeout".to_owned(), SECONDS.to_owned(), java];
        let options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"];
        command.extend(options.map(str::to_owned));
        command.push(class_path);
        let jupiter = programs.iter().any(|program| program.jupiter);
        let runner: &[&str] = match jupiter {
            true => &[
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--disable-banner",
                "--details=none",
            ],
            false => &["org.junit.runner.JUnitCore"],
        };
        command.extend(runner.iter().map(|word| (*word).to_owned()));
        let classes = programs.iter().flat_map(|program| &program.tests);
        let tests = classes.filter(|class| !class.is_abstract);
        let option = if jupiter { "--select-class=" } else { "" };
        command.extend(tests.map(|class| format!("{option}{}", class.name)));
        command
    }

    /// What each technique would leave out now: classes, and single tests.
    pub(crate) fn left_out(&self) -> [(&'static str, BTreeSet<String>); TECHNIQUES.len()] {
        let runtime = self.runtime();
        TECHNIQUES.map(|technique| (technique, self.left_out_by(technique, &runtime)))
    }

    fn left_out_by(&self, technique: &str, runtime: &str) -> BTreeSet<String> {
        let run = self.root.join("verdict");
        fs::create_dir_all(&run).unwrap();
        let root = self.root.display();
        let config = format!("project={root}\ntechnique={technique}\n");
        fs::write(run.join("run.conf"), config).unwrap();
        let mut request = format!("module={root}\nruntime={runtime}\n");
        for folder in self.class_path() {
            request += &format!("cp={root}/{folder}\n");
        }
        for jar in self.tools.class_path.split(':') {
            request += &format!("cp={jar}\n");
        }
        let (asked, answer) = (run.join("a.request"), run.join("a.verdict"));
        fs::write(&asked, request).unwrap();
        let _ = fs::remove_file(&answer);
        let status = tamis(&self.root)
            .args(["verdict", "--run"])
            .arg(&run)
            .arg("--request")
            .arg(&asked)
            .status()
            .unwrap();
        assert!(status.success(), "no verdict in {root}");
        let text = fs::read_to_string(answer).unwrap();
        let skipped = text.lines().filter_map(|line| line.strip_prefix("skip "));
        skipped.map(str::to_owned).collect()
    }

    /// The runtime as the agent recorded it.
    fn runtime(&self) -> String {
        let output = tamis(&self.root)
            .args(["status", "--json", "-"])
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        json["modules"][0]["runtime"].as_str().unwrap().to_owned()
    }
}

fn texts(said: &str) -> Texts {
    // JUnit's own dots may stand before it.
    let lines = said.lines().filter_map(|line| line.split_once("@@"));
    let texts = lines.filter_map(|(_, line)| line.split_once(' '));
    texts
        .map(|(test, text)| (test.to_owned(), text.to_owned()))
        .collect()
}
