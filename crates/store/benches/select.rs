//! What it costs to find out that nothing changed, as a ratio to reading the same files.
//!
//! `cargo bench -p tamis-store --bench select` makes a project in a temporary directory (2,600
//! classes, 500 of them tests, and a jar), records a run, and then times, in turn, a process of its
//! own that loads the store and selects, and `cat` of the same files. The bars are 100 ms for the
//! process and 3 times `cat`.
//!
//! `cargo bench -p tamis-store --bench select -- scale` times each step on 1,000, 10,000 and 100,000
//! classes with ten methods each and as many tests, ten to a class, and then on 200,000 classes with
//! five methods each, half of them tests. In 100 classes a method's code changes and a method comes
//! that overrides an inherited one or is overridden. The bar is 2 s and 1 GiB for the process that
//! loads and selects; making the files takes longer.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark tells what it measured"
)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tamis_classfile::ClassFile;
use tamis_fingerprint::{Fingerprint, Rules, raw};
use tamis_recording::{Record, ReflectionUse, Spool, UnitOutcome};
use tamis_select::{Ekstazi, Hyrts, Technique};
use tamis_store::{Project, Scope, Store};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const ROUNDS: usize = 21;
const JARS: usize = 40;
/// Classes that each test uses, of which one in three comes from a jar.
const USED: usize = 300;
/// One class in so many is the superclass of those that follow.
const FAMILY: usize = 10;

/// How large a project is.
struct Size {
    classes: usize,
    test_classes: usize,
    in_jars: usize,
    /// Tests of each test class; if there is only one, it is the class.
    tests: usize,
    /// Methods of each class.
    members: u32,
}

impl Size {
    fn all_classes(&self) -> usize {
        self.classes + self.test_classes + self.in_jars
    }

    fn all_tests(&self) -> usize {
        self.test_classes * self.tests
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [_, "--select", root] => select(Path::new(root)),
        [_, "scale", ..] => {
            for part in [100, 10, 1] {
                scale(&Size {
                    classes: 60_000 / part,
                    test_classes: 10_000 / part,
                    in_jars: 30_000 / part,
                    tests: 10,
                    members: 10,
                });
            }
            scale(&Size {
                classes: 40_000,
                test_classes: 100_000,
                in_jars: 60_000,
                tests: 1,
                members: 5,
            });
        }
        _ => nothing_changed(),
    }
}

/// The process that is measured.
fn select(root: &Path) {
    let project = Project {
        root: root.to_owned(),
    };
    let store = Store::load(&project).expect("a store").store;
    let technique = Hyrts::basic(vec![], Rules::default());
    let selection = store.select(&project, &Scope::default(), &technique);
    println!(
        "{} of {}",
        selection.selected().count(),
        selection.verdicts.len()
    );
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    eprintln!("{}", peak.unwrap_or("VmHWM unknown"));
}

fn nothing_changed() {
    let dir = tempfile::tempdir().expect("a directory");
    let size = Size {
        classes: 2_100,
        test_classes: 500,
        in_jars: 4_000,
        tests: 1,
        members: 5,
    };
    let files = make_project(dir.path(), &size);
    std::thread::sleep(Duration::from_secs(3));
    let project = Project {
        root: dir.path().to_owned(),
    };
    let mut store = Store::default();
    let started = Instant::now();
    store.absorb(&project, vec![record(dir.path(), &size)]);
    println!("absorb, with jars to index: {:?}", started.elapsed());
    store.save(&project).expect("to save");

    let program = std::env::current_exe().expect("a program");
    let selecting = || {
        let mut command = Command::new(&program);
        command.arg("--select").arg(dir.path());
        command
    };
    let answer = selecting().output().expect("to select").stdout;
    assert_eq!(
        String::from_utf8_lossy(&answer),
        format!("0 of {}\n", size.all_tests())
    );
    let reading = || {
        let mut command = Command::new("cat");
        command.args(&files);
        command
    };
    let (mut select_times, mut cat_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        select_times.push(time(selecting()));
        cat_times.push(time(reading()));
    }
    let (select, cat) = (median(select_times), median(cat_times));
    println!("select: {select:?}, cat of {} files: {cat:?}", files.len());
    println!("ratio: {:.2}", select.as_secs_f64() / cat.as_secs_f64());
}

fn time(mut command: Command) -> Duration {
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).status().expect("to run");
    assert!(status.success());
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// A class file of the usual size. The first method has another name in superclasses; a class that
/// `changed` has both, and other code in its own.
fn content(name: &str, superclass: Option<&str>, members: u32, changed: bool) -> Vec<u8> {
    let mut methods: Vec<String> = (1..members).map(|n| format!("method{n}")).collect();
    let (own, other) = match superclass {
        Some(_) => ("own", "inherited"),
        None => ("inherited", "own"),
    };
    methods.insert(0, own.to_owned());
    methods.extend(changed.then(|| other.to_owned()));

    let superclass = superclass.unwrap_or("java/lang/Object");
    // Nothing refers to it, so it is nothing but length.
    let length = 500 + raw(name.as_bytes()).0 as usize % 6_000;
    let idle = name.repeat(length / name.len());
    let texts = [name, superclass, "(Ljava/lang/String;I)V", "Code", &idle];
    let texts = texts.into_iter().chain(methods.iter().map(String::as_str));
    let mut pool = vec![7, 0, 3, 7, 0, 4];
    for text in texts {
        pool.push(1);
        pool.extend((text.len() as u16).to_be_bytes());
        pool.extend(text.as_bytes());
    }
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49];
    bytes.extend((methods.len() as u16 + 8).to_be_bytes());
    bytes.extend(pool);
    // Public, named by the first entry of the pool, with the second one as its superclass.
    bytes.extend([0, 0x21, 0, 1, 0, 2, 0, 0, 0, 0]);
    bytes.extend((methods.len() as u16).to_be_bytes());
    for at in 0..methods.len() as u16 {
        let code: &[u8] = match changed && at == 0 {
            true => &[0x00, 0xb1],
            false => &[0xb1],
        };
        bytes.extend([0, 1]);
        bytes.extend((at + 8).to_be_bytes());
        bytes.extend([0, 5, 0, 1, 0, 6, 0, 0, 0, 12 + code.len() as u8]);
        bytes.extend([0, 0, 0, 3, 0, 0, 0, code.len() as u8]);
        bytes.extend(code);
        bytes.extend([0, 0, 0, 0]);
    }
    bytes.extend([0, 0]);
    bytes
}

/// Half of the methods of these classes.
fn members(classes: &[u32], members: u32) -> Vec<u32> {
    let of_class = |class: &u32| (class * members..(class + 1) * members).step_by(2);
    classes.iter().flat_map(of_class).collect()
}

fn class_name(n: usize) -> String {
    format!("com/example/project/p{}/Class{n}", n % 60)
}

fn test_name(n: usize) -> String {
    format!("com/example/project/p{}/Class{n}Test", n % 60)
}

fn library_name(n: usize) -> String {
    format!("org/library{}/internal/Class{n}", n % JARS)
}

/// A class of the project as `content` makes it.
fn class_content(n: usize, members: u32, changed: bool) -> Vec<u8> {
    let superclass = (!n.is_multiple_of(FAMILY)).then(|| class_name(n - n % FAMILY));
    content(&class_name(n), superclass.as_deref(), members, changed)
}

/// All classes with their contents: those of the project, of its tests, of its jars.
fn all_classes(size: &Size) -> impl Iterator<Item = (String, Vec<u8>)> {
    let members = size.members;
    let classes = (0..size.classes).map(move |n| (class_name(n), class_content(n, members, false)));
    let others = (0..size.test_classes).map(test_name);
    let others = others.chain((0..size.in_jars).map(library_name));
    classes.chain(others.map(move |name| {
        let content = content(&name, None, members, false);
        (name, content)
    }))
}

fn class_file(root: &Path, dir: &str, name: &str) -> PathBuf {
    root.join("target").join(dir).join(format!("{name}.class"))
}

fn make_project(root: &Path, size: &Size) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut jars: Vec<_> = (0..JARS)
        .map(|jar| ZipWriter::new(File::create(root.join(format!("lib{jar}.jar"))).expect("a jar")))
        .collect();
    for (n, (name, content)) in all_classes(size).enumerate() {
        let dir = match n {
            n if n < size.classes => "classes",
            n if n < size.classes + size.test_classes => "test-classes",
            n => {
                let jar = &mut jars[n % JARS];
                jar.start_file(format!("{name}.class"), SimpleFileOptions::default())
                    .expect("to write");
                jar.write_all(&content).expect("to write");
                continue;
            }
        };
        let path = class_file(root, dir, &name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("to create");
        fs::write(&path, content).expect("to write");
        files.push(path);
    }
    for jar in jars {
        jar.finish().expect("to write");
    }
    files
}

/// One JVM that ran all tests; each used classes that lie close together.
fn record(root: &Path, size: &Size) -> Spool {
    let path = |entry: &str| root.join(entry).to_str().expect("UTF-8").to_owned();
    let jars = (0..JARS).map(|n| path(&format!("lib{n}.jar")));
    let dirs = [path("target/test-classes"), path("target/classes")];
    let mut records = vec![Record::Jvm {
        pid: 1,
        started_ms: 1,
        runtime: "runtime".into(),
        module: path(""),
        class_path: dirs.into_iter().chain(jars).collect(),
        records: true,
        above: Vec::new(),
    }];
    records.push(Record::Outside {
        name: "java/lang/Object".into(),
        supertypes: Vec::new(),
        methods: Vec::new(),
    });
    for (id, (name, content)) in (0..).zip(all_classes(size)) {
        let class = ClassFile::parse(&content).expect("a class file");
        let print = Fingerprint::of(&class).expect("a fingerprint");
        records.push(Record::Class {
            id,
            name,
            location: 0,
            raw: raw(&content).0,
            smart: Some(print.class().0),
            print: print.encode(),
            members: Some(id * size.members),
            counts: Vec::new(),
            blocks: Vec::new(),
        });
    }
    for n in 0..size.all_tests() {
        let class = n / size.tests;
        let own = (size.classes + class) as u32;
        let near = (0..USED * 2 / 3).map(|k| ((n * 7 + k) % size.classes) as u32);
        let first_in_jars = size.classes + size.test_classes;
        let far = (0..USED / 3).map(|k| (first_in_jars + (n + k * 3) % size.in_jars) as u32);
        let mut classes: Vec<u32> = near.chain(far).chain([own]).collect();
        classes.sort_unstable();
        classes.dedup();
        let (unit, mut test) = (n as u32, test_name(class).replace('/', "."));
        if size.tests > 1 {
            test += &format!("#test{}", n % size.tests);
        }
        records.push(Record::UnitStarted {
            unit,
            test: test.into(),
            at_ms: 1,
        });
        records.push(Record::UnitFinished {
            unit,
            outcome: UnitOutcome::Passed,
            container: false,
            split: false,
            duration_us: 1,
            members: members(&classes, size.members),
            classes,
            checked: Vec::new(),
            inputs: Vec::new(),
            reflection: ReflectionUse::default(),
            created: Vec::new(),
            inspected: Vec::new(),
            distrust: None,
            receivers: None,
            inherited: Vec::new(),
            changed: Vec::new(),
        });
    }
    Spool {
        records,
        damage: None,
    }
}

fn scale(size: &Size) {
    let dir = tempfile::tempdir().expect("a directory");
    println!(
        "\n{} classes, {} members, {} tests",
        size.all_classes(),
        size.all_classes() * size.members as usize,
        size.all_tests()
    );
    let files = make_project(dir.path(), size);
    std::thread::sleep(Duration::from_secs(3));
    let project = Project {
        root: dir.path().to_owned(),
    };
    let mut store = Store::default();
    let timed = |what: &str, work: &mut dyn FnMut()| {
        let started = Instant::now();
        work();
        println!("{what}: {:?}", started.elapsed());
    };
    let mut spools = vec![record(dir.path(), size)];
    timed("absorb", &mut || {
        store.absorb(&project, std::mem::take(&mut spools));
    });
    timed("save", &mut || store.save(&project).expect("to save"));
    let length = fs::metadata(project.dir().join("store"))
        .expect("a store")
        .len();
    println!("store: {} MB, {} files", length >> 20, files.len());
    timed("load", &mut || {
        store = Store::load(&project).expect("a store").store
    });
    let hyrts = Hyrts::basic(vec![], Rules::default());
    let techniques: [&dyn Technique; 2] = [&Ekstazi, &hyrts];
    let mut selected = 0;
    let mut select = |what: &str, store: &Store| {
        for technique in techniques {
            timed(&format!("select {}, {what}", technique.name()), &mut || {
                let selection = store.select(&project, &Scope::default(), technique);
                selected = selection.selected().count();
            });
        }
        selected
    };
    assert_eq!(select("nothing changed", &store), 0);
    for n in 0..100 {
        let path = class_file(dir.path(), "classes", &class_name(n));
        fs::write(path, class_content(n, size.members, true)).expect("to write");
    }
    let selected = select("100 classes changed", &store);
    println!("{selected} tests selected");
    let program = std::env::current_exe().expect("a program");
    let mut alone = Command::new(program);
    alone.arg("--select").arg(dir.path());
    println!("a process that selects: {:?}", time(alone));
}
