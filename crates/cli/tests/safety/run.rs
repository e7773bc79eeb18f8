//! Runs a compiled case: the first revision twice, recorded by basic blocks, then the second one by
//! blocks; what the other techniques would have run there is asked of the store. Then both again by
//! single tests, recorded by methods.

use crate::case::{EXACT, Part, Runner, TECHNIQUES};
use crate::compile::Program;
use crate::jars::{Jars, jdk};
use crate::tamis::tamis;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tamis_select::Choice;
use tamis_store::{Scope, Store};

/// What the JVM says on standard output when an agent misuses it.
const COMPLAINTS: [&str; 3] = [
    "WARNING in native method",
    "FATAL ERROR in native",
    "WARNING: JNI",
];

const BY_CLASS: &str = "class";
const BY_METHOD: &str = "method";

/// How the tests of a run ended; `None` for those that were skipped.
type Tests = BTreeMap<String, Option<String>>;

/// The problems of a case, under each of its runners and JDKs.
pub(crate) fn check(program: &Program<'_>, jars: &Jars) -> Vec<String> {
    let mut problems = Vec::new();
    for &jdk in &program.case.jdks {
        for (number, runner) in program.case.runners.iter().enumerate() {
            let root = program.dir.join(format!("project-{jdk}-{number}"));
            let project = Project {
                program,
                jars,
                jdk,
                runner,
                root,
            };
            if let Err(problem) = project.check() {
                let name = &program.case.name;
                problems.push(format!("{name} ({runner:?}, JDK {jdk}): {problem}"));
            }
        }
    }
    problems
}

struct Project<'a> {
    program: &'a Program<'a>,
    jars: &'a Jars,
    jdk: u32,
    runner: &'a Runner,
    root: PathBuf,
}

impl Project<'_> {
    fn check(&self) -> Result<(), String> {
        let case = self.program.case;
        fs::create_dir_all(self.root.join(".tamis")).unwrap();
        let first = self.revision(1, "hyrts-b", BY_CLASS)?;
        if first.is_empty() || first.values().any(Option::is_none) {
            return Err(format!("not everything ran at first: {first:?}"));
        }
        let again = ran(&self.revision(1, "hyrts-b", BY_CLASS)?);
        if again.iter().any(|test| !case.again.contains(test)) {
            return Err(format!("{again:?} ran again although nothing changed"));
        }
        let mut problems = Vec::new();
        let known = Store::load(&self.store()).unwrap().store;
        let second = self.revision(2, "hyrts-b", BY_CLASS)?;
        for technique in TECHNIQUES {
            let second = match technique {
                "hyrts-b" => second.clone(),
                _ => self.selected(&known, technique, &second),
            };
            if let Err(problem) = self.compare(technique, &second) {
                problems.push(format!("{technique}: {problem}"));
            }
        }
        let store = self.root.join(".tamis");
        fs::remove_dir_all(&store).unwrap();
        self.revision(1, "hyrts", BY_METHOD)?;
        let second = self.revision(2, "hyrts", BY_METHOD)?;
        if let Err(problem) = self.compare("hyrts", &self.by_class(second)) {
            problems.push(format!("hyrts by method: {problem}"));
        }
        if case.is_exact() {
            fs::remove_dir_all(&store).unwrap();
            self.revision(1, EXACT, BY_CLASS)?;
            let second = self.revision(2, EXACT, BY_CLASS)?;
            if let Err(problem) = self.compare(EXACT, &second) {
                problems.push(format!("{EXACT}: {problem}"));
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems.join("; ")),
        }
    }

    fn store(&self) -> tamis_store::Project {
        tamis_store::Project {
            root: self.root.clone(),
        }
    }

    /// Those of `tests` that a technique selects on the classes as they are now. How they would end is
    /// what they ended with, if they ran.
    fn selected(&self, known: &Store, technique: &str, tests: &Tests) -> Tests {
        let project = self.store();
        let class_path = self.class_path();
        let class_path: Vec<PathBuf> = std::env::split_paths(&class_path)
            .map(|entry| self.root.join(entry))
            .collect();
        let scope = Scope {
            class_path: Some(project.expand_class_path(&class_path)),
            ..Scope::default()
        };
        let choice: Choice = technique.parse().unwrap();
        let selection = known.select(&project, &scope, choice.technique().as_ref());
        let skipped = |name: &str| {
            let mut verdicts = selection.verdicts.iter();
            verdicts.any(|verdict| verdict.test.class == name && !verdict.selected)
        };
        let outcome = |(name, outcome): (&String, &Option<String>)| {
            let outcome = outcome.clone().unwrap_or_else(|| "passed".into());
            (name.clone(), (!skipped(name)).then_some(outcome))
        };
        tests.iter().map(outcome).collect()
    }

    /// Single tests brought together for their classes: one that ran is enough.
    fn by_class(&self, tests: Tests) -> Tests {
        let mut classes = Tests::new();
        for (test, outcome) in tests {
            let class = test.split('#').next().unwrap_or(&test);
            let class = match self.program.case.speaks_of(class) {
                true => class,
                false => class.split('$').next().unwrap_or(class),
            };
            let known = classes.entry(class.to_owned()).or_default();
            // "failed" comes before "passed".
            *known = match (known.take(), outcome) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        classes
    }

    /// What ran on the second revision against what the case says.
    fn compare(&self, technique: &str, second: &Tests) -> Result<(), String> {
        let case = self.program.case;
        let ran = ran(second);
        let must_not = case.must_not(technique);
        let misses = case.misses(technique);
        let must = case.must(technique);
        let missed = must
            .iter()
            .filter(|test| !ran.contains(test) && !misses.contains(test));
        let needless = must_not.iter().filter(|test| ran.contains(test));
        let mended = misses.iter().filter(|test| ran.contains(test));
        let mut problems: Vec<String> = missed.map(|test| format!("MISSED {test}")).collect();
        let failed = case
            .passes
            .iter()
            .filter(|t| second.get(*t) != Some(&Some("passed".into())));
        problems.extend(failed.map(|test| format!("{test} did not pass")));
        problems.extend(mended.map(|test| format!("{test} is no longer missed")));
        problems.extend(needless.map(|test| format!("{test} ran needlessly")));
        let said = |test: &&String| {
            must.contains(test)
                || case.may.contains(test)
                || must_not.contains(test)
                || misses.contains(test)
        };
        let silent = second.keys().filter(|test| !said(test));
        problems.extend(silent.map(|test| format!("nothing is said about {test}")));
        let absent = must_not.iter().filter(|test| !second.contains_key(**test));
        problems.extend(absent.map(|test| format!("{test} was not asked for")));
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems.join(", "))
        }
    }

    /// Puts the classes of a revision in place and runs its tests.
    fn revision(&self, number: usize, technique: &str, granularity: &str) -> Result<Tests, String> {
        let compiled = self.program.dir.join(number.to_string());
        for part in Part::ALL {
            let to = self.root.join(part.folder());
            let _ = fs::remove_dir_all(&to);
            let not_tests = |name: &str| part != Part::Classes || !is_of_test(name);
            copy(&compiled.join(part.folder()), &to, &not_tests);
        }
        // As in a build: tests are apart from what they test.
        let tests = self.root.join("tests");
        let _ = fs::remove_dir_all(&tests);
        copy(&compiled.join(Part::Classes.folder()), &tests, &is_of_test);
        let answer = self.root.with_extension("json");
        let _ = fs::remove_file(&answer);
        let (name, receivers) = match technique {
            EXACT => ("hyrts", "exact"),
            _ => (technique, "created"),
        };
        let output = tamis(&self.root)
            .arg("--json")
            .arg(&answer)
            .args(["test", "--technique", name, "--receivers", receivers])
            .args(["--granularity", granularity, "--"])
            .args(self.command(number))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = said
            .lines()
            .find(|l| COMPLAINTS.iter().any(|c| l.contains(c)));
        if let Some(complaint) = complaint {
            return Err(format!("the JVM complains: {complaint}"));
        }
        let json: Option<Value> = fs::read(&answer)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let json = json.ok_or_else(|| {
            format!(
                "no answer: {said}{}",
                String::from_utf8_lossy(&output.stderr)
            )
        })?;
        if std::env::var_os("SAFETY_SHOW").is_some() {
            println!(
                "{} revision {number} {technique} by {granularity}\n{said}{json:#}",
                self.program.case.name
            );
        }
        let tests = json["tests"].as_array().into_iter().flatten();
        let outcome = |test: &Value| test["outcome"].as_str().map(str::to_owned);
        Ok(tests
            .map(|t| (t["id"].as_str().unwrap().to_owned(), outcome(t)))
            .collect())
    }

    fn command(&self, revision: usize) -> Vec<String> {
        let java = jdk(self.jdk).join("bin/java").display().to_string();
        let mut command = vec![java];
        command.extend(self.arguments(revision));
        if *self.runner == Runner::Each {
            let tests = self.program.case.tests(revision - 1);
            let runs = tests.iter().map(|test| format!("\"$@\" '{test}'"));
            let script = runs.collect::<Vec<_>>().join("; ");
            command.splice(0..0, ["sh".into(), "-c".into(), script, "sh".into()]);
        }
        command
    }

    fn class_path(&self) -> String {
        format!("first:tests:classes:{}", self.jars.class_path)
    }

    fn arguments(&self, revision: usize) -> Vec<String> {
        let case = self.program.case;
        let jacoco = self.jars.jacoco.display().to_string();
        let mut arguments: Vec<String> = vec!["-XX:TieredStopAtLevel=1".into()];
        arguments.extend(
            case.jvm
                .iter()
                .map(|option| option.replace("${jacoco}", &jacoco)),
        );
        arguments.push("-cp".into());
        arguments.push(self.class_path());
        let tests = case.tests(revision - 1);
        match self.runner {
            Runner::JUnit4 => {
                arguments.push("org.junit.runner.JUnitCore".into());
                arguments.extend(tests);
            }
            Runner::Each => arguments.push("org.junit.runner.JUnitCore".into()),
            Runner::Platform => {
                arguments.push("org.junit.platform.console.ConsoleLauncher".into());
                arguments.extend(["execute", "--disable-banner", "--details=none"].map(Into::into));
                arguments.extend(
                    tests
                        .into_iter()
                        .map(|test| format!("--select-class={test}")),
                );
            }
            Runner::Main(class) => {
                arguments.push(class.clone());
                arguments.extend(tests);
            }
        }
        arguments
    }
}

fn ran(tests: &Tests) -> Vec<String> {
    tests
        .iter()
        .filter(|(_, outcome)| outcome.is_some())
        .map(|(test, _)| test.clone())
        .collect()
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
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target, is_wanted);
        } else if is_wanted(&entry.file_name().to_string_lossy()) {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
