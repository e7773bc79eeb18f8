//! A directory in which revisions of programs are compiled, judged and run, in one JVM or two.

use crate::idioms::{DATA, RESOURCE};
use crate::jars::jdk;
use crate::javac::Javac;
use crate::model::Program;
use crate::print::{Sources, sources};
use crate::recording::{Recording, hash};
use crate::seen::{Said, Seen, Texts, said_by_tests};
use crate::tamis::tamis;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tamis_select::TechniqueName;

/// Techniques as a run is asked for them.
const BLOCKS: &str = "hyrts-b";
const EXACT: &str = "hyrts receivers=exact";

/// The static techniques that claim to see what code tells.
const STATIC: [&str; 2] = ["fest", "mest"];

/// Those that are hunted: the ones with recordings, or with `HUNT_STATIC` the ones without.
pub(crate) fn techniques() -> impl Iterator<Item = &'static str> {
    let is_static = std::env::var_os("HUNT_STATIC").is_some();
    let recorded = TechniqueName::recorded().map(TechniqueName::as_str);
    let recorded = recorded.chain([EXACT]).filter(move |_| !is_static);
    recorded.chain(STATIC.into_iter().filter(move |_| is_static))
}

const JDK: u32 = 17;

const CLASSES: &str = "classes";
const TESTS: &str = "tests";
/// Where idioms are for the compiler, each by itself.
const UNITS: &str = "units";
const TYPES: &str = "types";

/// How long test classes may run: some compute for ages.
const SECONDS: usize = 20;
const CLASSES_PER_SECOND: usize = 50;
const TIMED_OUT: i32 = 124;

/// What the projects of a thread share.
pub(crate) struct Tools {
    pub(crate) javac: Mutex<Javac>,
    pub(crate) times: Mutex<Times>,
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
            javac: Mutex::new(Javac::start(&jdk(JDK), errors)),
            times: Mutex::default(),
            class_path: wanted.join(":"),
        }
    }
}

/// Per technique, the classes and single tests that it would leave out.
pub(crate) type LeftOut = Vec<(&'static str, BTreeSet<String>)>;

/// Whether a test is in a set, by itself or with its class.
pub(crate) fn is_among(tests: &BTreeSet<String>, test: &str) -> bool {
    let class = test.split('#').next().unwrap_or(test);
    tests.contains(test) || tests.contains(class)
}

/// What tests do after an edit.
#[derive(Debug)]
pub(crate) struct Now {
    pub(crate) done: Seen,
    /// What they did when they were last recorded.
    pub(crate) known: Seen,
}

/// Where the time goes, in all threads.
#[derive(Debug, Default)]
pub(crate) struct Times {
    pub(crate) compiling: Duration,
    pub(crate) judging: Duration,
    pub(crate) running: Duration,
}

pub(crate) struct Project<'a> {
    tools: &'a Tools,
    root: PathBuf,
    programs: usize,
    recording: Recording,
    /// Which technique selects next.
    turn: Cell<usize>,
    /// Per program, what was compiled last.
    compiled: RefCell<Vec<Sources>>,
}

/// What is compiled together: an idiom, by its name; what all call; the types and tests.
fn unit(file: &str) -> &str {
    for (start, _) in file.match_indices('G') {
        let digits = file[start + 1..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        if digits > 0 {
            return &file[start..start + 1 + digits];
        }
    }
    if file.starts_with("safe/") {
        "safe"
    } else {
        TYPES
    }
}

/// The files below a directory, relative to it.
fn files(dir: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        match path.is_dir() {
            true => all.extend(files(&path).iter().map(|file| format!("{name}/{file}"))),
            false => all.push(name.to_owned()),
        }
    }
    all
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
            turn: Cell::new(0),
            compiled: RefCell::new(vec![Sources::new(); programs]),
        }
    }

    /// Puts the classes of a revision of one of the programs in place, if it compiles.
    ///
    /// Only units are compiled that changed: an idiom, or all types and tests. Nobody needs more of an
    /// idiom than the methods that all of them have.
    pub(crate) fn compile(&self, number: usize, program: &Program) -> bool {
        let (new, place) = (self.root.join("new"), self.root.join(number.to_string()));
        let _ = fs::remove_dir_all(&new);
        let sources = sources(program);
        let mut compiled = self.compiled.borrow_mut();
        let old = &compiled[number];
        let mut changed: BTreeSet<&str> = BTreeSet::new();
        let came = sources
            .iter()
            .filter(|(name, text)| old.get(*name) != Some(text));
        changed.extend(came.map(|(name, _)| unit(name)));
        let gone = old.keys().filter(|name| !sources.contains_key(*name));
        changed.extend(gone.map(|name| unit(name)));
        let mut files = Vec::new();
        for (name, text) in sources
            .iter()
            .filter(|(name, _)| changed.contains(unit(name)))
        {
            let file = if name.starts_with(DATA) {
                new.join(name)
            } else if let Some(name) = name.strip_prefix(RESOURCE) {
                new.join(CLASSES).join(name)
            } else {
                let file = new.join("src").join(name);
                files.push(file.display().to_string());
                file
            };
            fs::create_dir_all(file.parent().expect("it has a folder")).unwrap();
            fs::write(&file, text).unwrap();
        }
        let out = new.join(CLASSES);
        fs::create_dir_all(&out).unwrap();
        let units: BTreeSet<&str> = sources.keys().map(|name| unit(name)).collect();
        let known = units
            .difference(&changed)
            .map(|unit| place.join(UNITS).join(unit));
        let mut class_path: Vec<String> = known.map(|dir| dir.display().to_string()).collect();
        class_path.push(self.tools.class_path.clone());
        let options = ["-g".to_owned()];
        let mut javac = self.tools.javac.lock().unwrap();
        let start = Instant::now();
        let is_compiled =
            files.is_empty() || javac.compile(&out, &class_path.join(":"), &options, &files);
        self.tools.times.lock().unwrap().compiling += start.elapsed();
        if is_compiled {
            self.put(&place, &new, &changed);
            compiled[number] = sources;
        }
        is_compiled
    }

    /// Replaces units by those that were compiled.
    fn put(&self, place: &Path, new: &Path, changed: &BTreeSet<&str>) {
        for folder in [CLASSES, TESTS] {
            fs::create_dir_all(place.join(folder)).unwrap();
            for file in files(&place.join(folder)) {
                if changed.contains(unit(&file)) {
                    fs::remove_file(place.join(folder).join(file)).unwrap();
                }
            }
        }
        for unit in changed {
            let _ = fs::remove_dir_all(place.join(UNITS).join(unit));
            let _ = fs::remove_dir_all(self.root.join(DATA).join(unit));
        }
        let put = |from: &Path, to: &Path| {
            fs::create_dir_all(to.parent().expect("it has a folder")).unwrap();
            fs::copy(from, to).unwrap();
        };
        for file in files(&new.join(CLASSES)) {
            let (from, unit) = (new.join(CLASSES).join(&file), unit(&file));
            let of = file.split(['$', '.']).next().unwrap_or_default();
            let folder = if of.ends_with("Test") { TESTS } else { CLASSES };
            put(&from, &place.join(folder).join(&file));
            if unit != TYPES {
                put(&from, &place.join(UNITS).join(unit).join(&file));
            }
        }
        for file in files(&new.join(DATA)) {
            put(
                &new.join(DATA).join(&file),
                &self.root.join(DATA).join(&file),
            );
        }
    }

    /// Where classes are, relative to the root.
    fn class_path(&self) -> Vec<String> {
        let folders = (0..self.programs)
            .flat_map(|number| [TESTS, CLASSES].map(|folder| format!("{number}/{folder}")));
        folders.collect()
    }

    /// Runs tests and records them, all or those that one of the techniques selects; what all do.
    pub(crate) fn run_after(
        &self,
        programs: &[Program],
        seen: &Seen,
        left_out: &LeftOut,
    ) -> Option<Now> {
        if !self.recording.selects {
            let done = self.run(programs)?;
            let known = done.clone();
            return Some(Now { done, known });
        }
        let turn = self.turn.get();
        self.turn.set(turn + 1);
        // Ekstazi's would record nothing for the others.
        let (technique, _) = left_out[1 + turn % (left_out.len() - 1)];
        let Said { texts, writes } = self.run_alone(programs)?;
        let ran = self.run_by(technique, programs)?;
        let mut known = seen.clone();
        let declared = programs.iter().flat_map(Program::declared);
        for test in declared.filter(|test| is_among(&ran.ran, test)) {
            known.texts.remove(&test);
        }
        for (test, text) in &ran.texts {
            assert_eq!(texts.get(test), Some(text), "recording changes {test}");
        }
        known.texts.extend(ran.texts);
        known.writes = writes;
        let done = Seen {
            texts,
            ..known.clone()
        };
        Some(Now { done, known })
    }

    /// Runs all tests and records them; `None` if they ran too long.
    pub(crate) fn run(&self, programs: &[Program]) -> Option<Seen> {
        self.run_by("all", programs)
    }

    fn run_by(&self, technique: &str, programs: &[Program]) -> Option<Seen> {
        let technique = technique.split(' ').next().unwrap_or(technique);
        let granularity = if self.recording.by_method {
            "method"
        } else {
            "class"
        };
        let is_static = STATIC.contains(&technique);
        let receivers = if self.recording.receivers && !is_static {
            "exact"
        } else {
            "created"
        };
        let start = Instant::now();
        let answer = self.root.join("answer.json");
        let _ = fs::remove_file(&answer);
        let output = tamis(&self.root)
            .arg("--json")
            .arg(&answer)
            .args(["test", "--technique", technique])
            .args(self.recording.blocks.then_some("--record-blocks"))
            .args(["--granularity", granularity, "--receivers", receivers, "--"])
            .args(self.command(programs))
            .output()
            .unwrap();
        self.tools.times.lock().unwrap().running += start.elapsed();
        let said = String::from_utf8_lossy(&output.stdout);
        let json = fs::read(&answer).unwrap_or_default();
        let json: Value = serde_json::from_slice(&json).unwrap_or_else(|_| {
            panic!(
                "no answer in {}: {said}{}",
                self.root.display(),
                String::from_utf8_lossy(&output.stderr)
            )
        });
        if json["build"]["exit_code"] == TIMED_OUT {
            return None;
        }
        let tests = || json["tests"].as_array().into_iter().flatten();
        let ids = |outcomes: &[&str]| {
            let ended = |test: &&Value| {
                let outcome = test["outcome"].as_str();
                outcome.is_some_and(|is| outcomes.is_empty() || outcomes.contains(&is))
            };
            let ids = tests().filter(ended).filter_map(|test| test["id"].as_str());
            ids.map(str::to_owned).collect()
        };
        let Said { texts, writes } = said_by_tests(&said);
        Some(Seen {
            texts,
            writes,
            passed: ids(&["passed", "ignored"]),
            ran: ids(&[]),
        })
    }

    /// What all tests put out where nothing is recorded; `None` if they ran too long.
    pub(crate) fn texts_alone(&self, programs: &[Program]) -> Option<Texts> {
        Some(self.run_alone(programs)?.texts)
    }

    fn run_alone(&self, programs: &[Program]) -> Option<Said> {
        let command = self.command(programs);
        let output = Command::new(&command[0])
            .args(&command[1..])
            .current_dir(&self.root)
            .output()
            .unwrap();
        let is_done = output.status.code() != Some(TIMED_OUT);
        is_done.then(|| said_by_tests(&String::from_utf8_lossy(&output.stdout)))
    }

    /// The test classes in the order in which they run, for each JVM.
    pub(crate) fn classes<'p>(&self, programs: &'p [Program]) -> Vec<Vec<&'p str>> {
        let classes = programs.iter().flat_map(|program| &program.tests);
        let tests = classes.filter(|class| !class.is_abstract);
        let mut names: Vec<&str> = tests.map(|class| class.name.as_str()).collect();
        self.recording.order.apply(&mut names);
        let is_second = |name: &&str| self.recording.two_jvms && hash(name, 2) % 2 == 1;
        let (second, first): (Vec<&str>, Vec<&str>) = names.into_iter().partition(is_second);
        let jvms = [first, second].into_iter();
        jvms.filter(|names| !names.is_empty()).collect()
    }

    fn command(&self, programs: &[Program]) -> Vec<String> {
        let jupiter = programs.iter().any(|program| program.jupiter);
        let classes = self.classes(programs).into_iter();
        let mut jvms: Vec<Vec<String>> = classes.map(|c| self.jvm(&c, jupiter)).collect();
        if jvms.len() == 1 {
            return jvms.remove(0);
        }
        let mut script = "end=0\n".to_owned();
        for jvm in &jvms {
            let words: Vec<String> = jvm.iter().map(|word| format!("'{word}'")).collect();
            let words = words.join(" ");
            script += &format!("{words} || {{ end=$?; [ $end = {TIMED_OUT} ] && exit $end; }}\n");
        }
        vec!["sh".into(), "-c".into(), script + "exit $end"]
    }

    fn jvm(&self, classes: &[&str], jupiter: bool) -> Vec<String> {
        let java = jdk(JDK).join("bin/java").display().to_string();
        let class_path = format!("{}:{}", self.class_path().join(":"), self.tools.class_path);
        let seconds = SECONDS + classes.len() / CLASSES_PER_SECOND;
        let mut command = vec!["timeout".to_owned(), seconds.to_string(), java];
        let options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"];
        command.extend(options.map(str::to_owned));
        command.push(class_path);
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
        let option = if jupiter { "--select-class=" } else { "" };
        command.extend(classes.iter().map(|class| format!("{option}{class}")));
        command
    }

    /// What each technique would leave out now, classes and single tests; without those that have
    /// nothing to decide on.
    pub(crate) fn left_out(&self) -> LeftOut {
        let start = Instant::now();
        let runtime = self.runtime();
        let asked = techniques().filter(|technique| match *technique {
            BLOCKS => self.recording.blocks,
            EXACT => self.recording.receivers,
            _ => true,
        });
        let told = asked.map(|technique| (technique, self.left_out_by(technique, &runtime)));
        let told = told.collect();
        self.tools.times.lock().unwrap().judging += start.elapsed();
        told
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
