//! A project in a temporary directory, and JVMs that recorded tests in it.
#![allow(
    unreachable_pub,
    dead_code,
    reason = "each test binary uses its own part"
)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tamis_classfile::ClassFile;
use tamis_fingerprint::{Digest, Fingerprint, raw};
use tamis_recording::{MAGIC, Record, Spool, UnitOutcome, VERSION, frame};
use tamis_select::{Ekstazi, Reason, Selection};
use tamis_store::{Absorbed, Project, Scope, Store};
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub const RUNTIME: &str = "OpenJDK 17.0.1";

pub struct Fixture {
    pub dir: TempDir,
    pub store: Store,
}

impl Default for Fixture {
    fn default() -> Self {
        Fixture {
            dir: tempfile::tempdir().unwrap(),
            store: Store::default(),
        }
    }
}

impl Fixture {
    /// A project whose class path is `classes`, `tests` and `lib.jar`, with these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let fixture = Fixture::default();
        fixture.write("lib.jar", "");
        for (path, text) in files {
            fixture.write(path, text);
        }
        fixture
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub fn project(&self) -> Project {
        Project {
            root: self.dir.path().to_owned(),
        }
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    pub fn jar(&self, path: &str, files: &[(&str, impl AsRef<[u8]>)]) {
        let mut zip = ZipWriter::new(File::create(self.path(path)).unwrap());
        for (name, content) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_ref()).unwrap();
        }
        zip.finish().unwrap();
    }

    /// A JVM of the root module that started just now.
    pub fn jvm(&self) -> Jvm {
        let class_path = ["classes", "tests", "lib.jar"].map(|entry| self.text(entry));
        let mut jvm = Jvm {
            root: self.dir.path().to_owned(),
            ..Jvm::default()
        };
        jvm.records.push(Record::Jvm {
            pid: 1,
            started_ms: now_ms(),
            runtime: RUNTIME.into(),
            module: self.text(""),
            class_path: class_path.to_vec(),
            records: true,
            above: Vec::new(),
        });
        jvm
    }

    /// A JVM of the root module that starts when all files have had their times for a while.
    pub fn later_jvm(&self) -> Jvm {
        std::thread::sleep(Duration::from_millis(30));
        self.jvm()
    }

    fn text(&self, path: &str) -> String {
        self.path(path).to_str().unwrap().to_owned()
    }

    pub fn absorb(&mut self, jvms: impl IntoIterator<Item = Jvm>) -> Absorbed {
        let spools = jvms.into_iter().map(Jvm::spool).collect();
        self.store.absorb(&self.project(), spools)
    }

    /// Records that these tests of the root module passed, each having used these class files.
    pub fn pass(&mut self, tests: &[(&str, &[&str])]) {
        let jvm = tests
            .iter()
            .fold(self.jvm(), |jvm, (test, files)| jvm.passed(test, files));
        self.absorb([jvm]);
    }

    pub fn select(&self) -> Selection {
        self.select_in(&Scope::default())
    }

    pub fn select_in(&self, scope: &Scope) -> Selection {
        self.store.select(&self.project(), scope, &Ekstazi)
    }

    /// What is known must be exactly `expected`, as `test: reason; reason` lines.
    pub fn check(&self, expected: &[&str]) {
        assert_eq!(lines(&self.select()), expected);
    }
}

pub fn lines(selection: &Selection) -> Vec<String> {
    let line = |verdict: &tamis_select::Verdict| {
        let reasons: Vec<String> = verdict.reasons.iter().map(Reason::to_string).collect();
        format!("{}: {}", verdict.test, reasons.join("; "))
            .trim_end()
            .to_owned()
    };
    selection.verdicts.iter().map(line).collect()
}

pub fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis() as u64
}

/// Writes a spool as the agent would.
#[derive(Default, Clone)]
pub struct Jvm {
    root: PathBuf,
    pub records: Vec<Record>,
    next_class: u32,
    next_unit: u32,
}

impl Jvm {
    /// Changes the first record.
    pub fn started(mut self, change: impl FnOnce(&mut u64, &mut String, &mut Vec<String>)) -> Self {
        if let Some(Record::Jvm {
            started_ms,
            runtime,
            class_path,
            ..
        }) = self.records.first_mut()
        {
            change(started_ms, runtime, class_path);
        }
        self
    }

    pub fn module(mut self, dir: &Path) -> Self {
        if let Some(Record::Jvm { module, .. }) = self.records.first_mut() {
            *module = dir.to_str().unwrap().to_owned();
        }
        self
    }

    /// Loads `dir/a/B.class` as it is on disk.
    pub fn loaded(&mut self, file: &str) -> u32 {
        let (dir, name) = file.split_once('/').unwrap();
        let bytes = fs::read(self.root.join(format!("{file}.class"))).unwrap();
        let class = ClassFile::parse(&bytes);
        let known = class
            .as_ref()
            .ok()
            .and_then(|class| Fingerprint::of(class).ok());
        let smart = known.as_ref().map(Fingerprint::class);
        let url = format!("file:{}/", self.root.join(dir).display());
        let id = self.loaded_as(name, &url, raw(&bytes), smart);
        if let (Some(known), Some(Record::Class { print, members, .. })) =
            (known, self.records.last_mut())
        {
            *print = known.encode();
            *members = Some(first_member(id));
        }
        id
    }

    /// Loads `dir/a/B.class`, the numbers of whose methods start at `first`.
    pub fn loaded_at(&mut self, file: &str, first: u32) -> u32 {
        let id = self.loaded(file);
        if let Some(Record::Class { members, .. }) = self.records.last_mut() {
            *members = Some(first);
        }
        id
    }

    pub fn loaded_as(&mut self, name: &str, url: &str, raw: Digest, smart: Option<Digest>) -> u32 {
        let id = self.next_class;
        self.next_class += 1;
        self.records.push(Record::Location {
            id: id + 1,
            url: url.into(),
        });
        self.records.push(Record::Class {
            id,
            name: name.into(),
            location: id + 1,
            raw: raw.0,
            smart: smart.map(|smart| smart.0),
            print: Vec::new(),
            members: None,
            counts: Vec::new(),
            blocks: Vec::new(),
        });
        id
    }

    pub fn passed(self, test: &str, files: &[&str]) -> Self {
        self.ended(test, UnitOutcome::Passed, files)
    }

    pub fn ended(mut self, test: &str, outcome: UnitOutcome, files: &[&str]) -> Self {
        let classes = files.iter().map(|file| self.loaded(file)).collect();
        self.unit(test, outcome, classes)
    }

    pub fn unit(self, test: &str, outcome: UnitOutcome, classes: Vec<u32>) -> Self {
        self.unit_with(test, outcome, classes, vec![], vec![])
    }

    /// A test that used these class files, executed these methods of theirs (by the position of the
    /// file and the index of the method) and made the first objects of these.
    pub fn executed(
        mut self,
        test: &str,
        files: &[&str],
        methods: &[(usize, u32)],
        created: &[usize],
    ) -> Self {
        let classes: Vec<u32> = files.iter().map(|file| self.loaded(file)).collect();
        let mut members: Vec<u32> = methods
            .iter()
            .map(|(file, method)| first_member(classes[*file]) + method)
            .collect();
        members.sort_unstable();
        let created = created.iter().map(|file| classes[*file]).collect();
        self.unit_with(test, UnitOutcome::Passed, classes, members, created)
    }

    pub fn unit_with(
        self,
        test: &str,
        outcome: UnitOutcome,
        classes: Vec<u32>,
        members: Vec<u32>,
        created: Vec<u32>,
    ) -> Self {
        let unit = self.next_unit;
        self.start(test).record(Record::UnitFinished {
            unit,
            outcome,
            container: false,
            split: false,
            duration_us: 10,
            classes,
            checked: Vec::new(),
            members,
            inputs: Vec::new(),
            reflection: tamis_recording::ReflectionUse::default(),
            inspected: Vec::new(),
            created,
            distrust: None,
            receivers: None,
            inherited: Vec::new(),
            changed: Vec::new(),
        })
    }

    /// The test that ended last used these classes in type checks alone.
    pub fn checking(mut self, classes: &[u32]) -> Self {
        if let Some(Record::UnitFinished { checked, .. }) = self.records.last_mut() {
            *checked = classes.to_vec();
        }
        self
    }

    pub fn start(mut self, test: &str) -> Self {
        let unit = self.next_unit;
        self.next_unit += 1;
        self.record(Record::UnitStarted {
            unit,
            test: test.into(),
            at_ms: now_ms(),
        })
    }

    /// A test class of which each test is a unit of its own.
    pub fn split(mut self, class: &str, tests: &[(&str, &[&str])]) -> Self {
        self = self.unit(class, UnitOutcome::Passed, vec![]);
        let mut end = self.records.pop();
        if let Some(Record::UnitFinished { split, .. }) = &mut end {
            *split = true;
        }
        for (test, files) in tests {
            self = self.passed(test, files);
        }
        self.records.extend(end);
        self
    }

    pub fn record(mut self, record: Record) -> Self {
        self.records.push(record);
        self
    }

    /// The spool as the agent writes it, and where its frames end; the first one begins at the first
    /// of these.
    pub fn bytes(&self) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        let mut ends = vec![bytes.len()];
        for record in &self.records {
            bytes.extend(frame(record));
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    pub fn spool(self) -> Spool {
        Spool {
            records: self.records,
            damage: None,
        }
    }
}

/// The number of a class's first method in its spool.
fn first_member(class: u32) -> u32 {
    class * 1000
}

/// Compiles `source` of the class `name`; gives the bytes of its class file.
pub fn compile(name: &str, source: &str) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(format!("{name}.java"));
    fs::write(&file, source).unwrap();
    let javac = match std::env::var_os("JAVA_HOME") {
        Some(home) => Path::new(&home).join("bin/javac"),
        None => "javac".into(),
    };
    assert!(
        Command::new(javac)
            .arg("-g")
            .arg(&file)
            .status()
            .unwrap()
            .success()
    );
    fs::read(dir.path().join(format!("{name}.class"))).unwrap()
}
