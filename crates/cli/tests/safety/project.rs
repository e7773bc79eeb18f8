//! The project that a case is in, as it is on disk, and what `tamis` answers there.

use crate::case::{EXACT, Runner};
use crate::compile::Program;
use crate::files::{Part, put, walk};
use crate::jars::{Jars, jdk};
use crate::tamis::tamis;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tamis_select::{Choice, Selection};
use tamis_store::{Scope, Store};

/// What the JVM says on standard output when an agent misuses it.
const COMPLAINTS: [&str; 3] = [
    "WARNING in native method",
    "FATAL ERROR in native",
    "WARNING: JNI",
];

/// How the tests of a run ended; `None` for those that were skipped.
pub(crate) type Tests = BTreeMap<String, Option<String>>;

pub(crate) struct Project<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) jars: &'a Jars,
    pub(crate) jdk: u32,
    pub(crate) runner: &'a Runner,
    pub(crate) root: PathBuf,
}

impl Project<'_> {
    /// Puts the classes and files of a revision in place. What tests have made themselves stays.
    pub(crate) fn place(&self, number: usize) {
        let case = self.program.case;
        let compiled = self.program.dir.join(number.to_string());
        self.share_indexes();
        let was = |path| (path, fs::metadata(self.root.join(path)).ok());
        let was: Vec<_> = case.same_time.iter().map(was).collect();

        for part in [Part::First, Part::Classes, Part::Off].map(|part| part.folder()) {
            let to = self.root.join(&part);
            let _ = fs::remove_dir_all(&to);
            let not_tests = |name: &str| part != "classes" || !is_of_test(name);
            copy(&compiled.join(&part), &to, &not_tests);
        }
        // As in a build: tests are apart from what they test.
        let tests = self.root.join("tests");
        let _ = fs::remove_dir_all(&tests);
        copy(&compiled.join("classes"), &tests, &is_of_test);

        for revision in ["1", "2"] {
            let files = self.program.dir.join(revision);
            walk(&files.join("files"))
                .iter()
                .for_each(|path| self.remove(path));
        }
        case.revisions
            .iter()
            .flat_map(|r| r.jars())
            .for_each(|jar| self.remove(&jar));
        for jar in case.revisions[number - 1].jars() {
            put(&compiled.join(&jar), &self.root.join(jar));
        }
        for path in walk(&compiled.join("files")) {
            put(&compiled.join("files").join(&path), &self.root.join(path));
        }
        for (path, was) in was.into_iter().filter_map(|(path, was)| Some((path, was?))) {
            let file = File::open(self.root.join(path)).unwrap();
            assert_eq!(
                file.metadata().unwrap().len(),
                was.len(),
                "{path} is as large"
            );
            file.set_modified(was.modified().unwrap()).unwrap();
        }
    }

    /// Lets it have the indexes of jars that other projects made: that saves most of the time.
    fn share_indexes(&self) {
        let (dir, shared) = (
            self.root.join(".tamis"),
            self.program.dir.with_file_name("indexes"),
        );
        if !dir.exists() {
            fs::create_dir_all(&dir).unwrap();
            fs::create_dir_all(&shared).unwrap();
            symlink(shared, dir.join("cache")).unwrap();
        }
    }

    /// Removes a file if it is there, and the directories around it if nothing else is in them.
    fn remove(&self, path: &str) {
        let _ = fs::remove_file(self.root.join(path));
        for dir in Path::new(path).ancestors().skip(1) {
            if dir.as_os_str().is_empty() || fs::remove_dir(self.root.join(dir)).is_err() {
                return;
            }
        }
    }

    /// Runs the tests of the revision that is in place.
    pub(crate) fn test(
        &self,
        number: usize,
        technique: &str,
        granularity: &str,
    ) -> Result<Tests, String> {
        let (name, receivers) = match technique {
            EXACT => ("hyrts", "exact"),
            _ => (technique, "created"),
        };
        let mut command = tamis(&self.root);
        command.args([
            "test",
            "--receivers",
            receivers,
            "--granularity",
            granularity,
        ]);
        let tests = self.answer(command, number, name)?;
        let outcome = |test: &Value| test["outcome"].as_str().map(str::to_owned);
        let named = tests.iter().map(|test| (id(test), outcome(test)));
        Ok(named.collect())
    }

    /// The tests that a technique leaves out on the revision that is in place, as a JVM with its
    /// options and variables is told.
    pub(crate) fn left_out_by_jvm(
        &self,
        number: usize,
        technique: &str,
    ) -> Result<BTreeSet<String>, String> {
        let mut command = tamis(&self.root);
        command.arg("select");
        let tests = self.answer(command, number, technique)?;
        let left_out = tests.iter().filter(|test| test["selected"] == false);
        Ok(left_out.map(id).collect())
    }

    /// The tests in the JSON that a command answers.
    fn answer(
        &self,
        mut command: Command,
        number: usize,
        technique: &str,
    ) -> Result<Vec<Value>, String> {
        let case = self.program.case;
        let answer = self.root.with_extension("json");
        let _ = fs::remove_file(&answer);
        let variables = case.env[number - 1].iter();
        let output = command
            .envs(variables.filter_map(|variable| variable.split_once('=')))
            .args(["--technique", technique, "--json"])
            .arg(&answer)
            .arg("--")
            .args(self.command(number))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let is_complaint = |line: &&str| COMPLAINTS.iter().any(|words| line.contains(words));
        if let Some(complaint) = said.lines().find(is_complaint) {
            return Err(format!("the JVM complains: {complaint}"));
        }
        let json: Option<Value> = fs::read(&answer)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let json = json.ok_or_else(|| {
            let complaints = String::from_utf8_lossy(&output.stderr);
            format!("no answer: {said}{complaints}")
        })?;
        if std::env::var_os("SAFETY_SHOW").is_some() {
            println!(
                "{} revision {number} {technique}\n{said}{json:#}",
                case.name
            );
        }
        Ok(json["tests"].as_array().cloned().unwrap_or_default())
    }

    /// What all tests of the revision that is in place put out, without tamis.
    pub(crate) fn run_without_tamis(&self, number: usize) -> String {
        let (command, variables) = (self.command(number), &self.program.case.env[number - 1]);
        let output = Command::new(&command[0])
            .args(&command[1..])
            .envs(variables.iter().filter_map(|v| v.split_once('=')))
            .current_dir(&self.root)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn load(&self) -> Store {
        Store::load(&self.store()).unwrap().store
    }

    fn store(&self) -> tamis_store::Project {
        tamis_store::Project {
            root: self.root.clone(),
        }
    }

    /// What a technique decides on what is known and the revision that is in place.
    pub(crate) fn select(&self, known: &Store, number: usize, technique: &str) -> Selection {
        let project = self.store();
        let class_path = self.class_path(number);
        let class_path: Vec<PathBuf> = std::env::split_paths(&class_path)
            .map(|entry| self.root.join(entry))
            .collect();
        let scope = Scope {
            class_path: Some(project.expand_class_path(&class_path)),
            java_home: Some(jdk(self.jdk)),
            ..Scope::default()
        };
        let choice: Choice = technique.parse().unwrap();
        known.select(&project, &scope, choice.technique().as_ref())
    }

    fn command(&self, number: usize) -> Vec<String> {
        let java = jdk(self.jdk).join("bin/java").display().to_string();
        let mut command = vec![java];
        command.extend(self.arguments(number));
        let between = match self.runner {
            Runner::Each => "; ",
            Runner::AtOnce => "& ",
            _ => return command,
        };
        let tests = self.program.case.tests(number - 1);
        let runs = tests
            .iter()
            .map(|test| format!("\"$@\" '{test}' {between}"));
        let script = runs.collect::<String>() + "wait";
        command.splice(0..0, ["sh".into(), "-c".into(), script, "sh".into()]);
        command
    }

    fn class_path(&self, number: usize) -> String {
        let mut entries = ["first", "tests", "classes"].map(str::to_owned).to_vec();
        entries.extend(self.program.case.revisions[number - 1].jars());
        entries.push(self.jars.class_path.clone());
        entries.push(self.program.launch().display().to_string());
        entries.join(":")
    }

    fn arguments(&self, number: usize) -> Vec<String> {
        let case = self.program.case;
        let jacoco = self.jars.jacoco.display().to_string();
        let mut arguments = vec!["-XX:TieredStopAtLevel=1".to_owned()];
        let options = case.jvm[number - 1].iter();
        arguments.extend(options.map(|option| option.replace("${jacoco}", &jacoco)));
        // A small JVM starts sooner, and is over before it pays to compile much.
        let is_set = |of: &str| case.jvm[number - 1].iter().any(|own| own.contains(of));
        if !is_set("GC") {
            arguments.push("-XX:+UseSerialGC".into());
        }
        if !is_set("Tiered") {
            arguments.push("-XX:CompileThresholdScaling=10".into());
        }
        arguments.push("-cp".into());
        arguments.push(self.class_path(number));
        let tests = case.tests(number - 1);
        match self.runner {
            Runner::JUnit4 => {
                arguments.push("org.junit.runner.JUnitCore".into());
                arguments.extend(tests);
            }
            Runner::Each | Runner::AtOnce => arguments.push("org.junit.runner.JUnitCore".into()),
            Runner::Platform => {
                arguments.push("Launch".into());
                arguments.extend(tests);
            }
            Runner::Console => {
                let console = ["org.junit.platform.console.ConsoleLauncher", "execute"];
                arguments.extend(console.map(String::from));
                arguments.extend(tests.iter().map(|test| format!("--select-class={test}")));
            }
            Runner::Main(class) => {
                arguments.push(class.clone());
                arguments.extend(tests);
            }
        }
        arguments
    }
}

fn id(test: &Value) -> String {
    test["id"].as_str().unwrap().to_owned()
}

/// Whether a class file is that of a test class, or of a class nested in one.
fn is_of_test(file: &str) -> bool {
    let class = file.strip_suffix(".class").unwrap_or(file);
    let outer = class.split('$').next().unwrap_or(class);
    outer.ends_with("Test")
}

/// Copies the files that `is_wanted` by their names.
fn copy(from: &Path, to: &Path, is_wanted: &dyn Fn(&str) -> bool) {
    fs::create_dir_all(to).unwrap();
    for path in walk(from) {
        let name = path.rsplit('/').next().unwrap_or(&path);
        if is_wanted(name) {
            put(&from.join(&path), &to.join(path));
        }
    }
}
