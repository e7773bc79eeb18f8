//! What it costs to find out that nothing changed, as a ratio to reading the same files.
//!
//! `cargo bench -p tamis-store --bench select` makes a project in a temporary directory (2,600
//! classes, 500 of them tests, and a jar), records a run, and then times, in turn, a process of its
//! own that loads the store and selects, and `cat` of the same files. The bars are 100 ms for the
//! process and 3 times `cat`.
//!
//! `cargo bench -p tamis-store --bench select -- scale` times each step on 2,000, 20,000 and 200,000
//! classes, half of them tests, each with five methods. For the largest the bar is 2 s for load and
//! select, and 1 GiB; making the files takes longer, and a process of its own selects, so that its
//! memory can be told.
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
use tamis_fingerprint::{Digest, Fingerprint, MemberPrint, Rules, raw};
use tamis_recording::{Looks, Outcome, Record, Spool};
use tamis_select::{Ekstazi, Hyrts, Technique};
use tamis_store::{Project, Scope, Store};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const ROUNDS: usize = 21;
const JARS: usize = 40;
/// Methods of each class.
const MEMBERS: u32 = 5;

/// How large a project is.
struct Size {
    classes: usize,
    tests: usize,
    /// Classes that each test uses, of which one in three comes from a jar.
    used: usize,
    in_jars: usize,
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
        [_, "scale", ..] => [100, 10, 1].into_iter().for_each(scale),
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
        tests: 500,
        used: 300,
        in_jars: 4_000,
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
        format!("0 of {}\n", size.tests)
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

/// Content of the size of a usual class file.
fn content(name: &str) -> Vec<u8> {
    let length = 1_000 + raw(name.as_bytes()).0 as usize % 6_000;
    name.bytes().cycle().take(length).collect()
}

/// A fingerprint with [`MEMBERS`] methods.
fn print(name: &str) -> Vec<u8> {
    let names: Vec<String> = (0..MEMBERS).map(|n| format!("method{n}")).collect();
    let mut methods = Vec::new();
    for method in &names {
        methods.push(MemberPrint {
            name: method.as_bytes(),
            descriptor: b"(Ljava/lang/String;I)V",
            access: 1,
            mirror: Digest::ABSENT,
            thrown: Digest::ABSENT,
            body: Some(raw(format!("{name}{method}").as_bytes())),
        });
    }
    Fingerprint {
        head: raw(name.as_bytes()),
        access: 1,
        name: name.as_bytes(),
        super_class: Some(b"java/lang/Object"),
        interfaces: Vec::new(),
        fields: Vec::new(),
        methods,
        nested: Vec::new(),
    }
    .encode()
}

/// Half of the methods of these classes.
fn members(classes: &[u32]) -> Vec<u32> {
    let of_class = |class: &u32| (class * MEMBERS..(class + 1) * MEMBERS).step_by(2);
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

fn make_project(root: &Path, size: &Size) -> Vec<PathBuf> {
    let classes = (0..size.classes).map(|n| ("classes", class_name(n)));
    let tests = (0..size.tests).map(|n| ("test-classes", test_name(n)));
    let mut files = Vec::new();
    for (dir, name) in classes.chain(tests) {
        let path = root.join("target").join(dir).join(format!("{name}.class"));
        fs::create_dir_all(path.parent().expect("a parent")).expect("to create");
        fs::write(&path, content(&name)).expect("to write");
        files.push(path);
    }
    for jar in 0..JARS {
        let file = File::create(root.join(format!("lib{jar}.jar"))).expect("to create");
        let mut zip = ZipWriter::new(file);
        for n in (jar..size.in_jars).step_by(JARS) {
            let name = library_name(n);
            let options = SimpleFileOptions::default();
            zip.start_file(format!("{name}.class"), options)
                .expect("to write");
            zip.write_all(&content(&name)).expect("to write");
        }
        zip.finish().expect("to write");
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
    }];
    let names = (0..size.classes)
        .map(class_name)
        .chain((0..size.tests).map(test_name));
    let names = names.chain((0..size.in_jars).map(library_name));
    for (id, name) in (0..).zip(names) {
        let raw = raw(&content(&name)).0;
        let print = print(&name);
        records.push(Record::Class {
            id,
            name,
            location: 0,
            raw,
            smart: Some(raw),
            print,
            members: Some(id * MEMBERS),
            counts: Vec::new(),
            blocks: Vec::new(),
        });
    }
    for n in 0..size.tests {
        let own = (size.classes + n) as u32;
        let near = (0..size.used * 2 / 3).map(|k| ((n * 7 + k) % size.classes) as u32);
        let first_in_jars = size.classes + size.tests;
        let far =
            (0..size.used / 3).map(|k| (first_in_jars + (n + k * 3) % size.in_jars.max(1)) as u32);
        let mut classes: Vec<u32> = near.chain(far).chain([own]).collect();
        classes.sort_unstable();
        classes.dedup();
        let (unit, test) = (n as u32, test_name(n).replace('/', "."));
        records.push(Record::UnitStarted {
            unit,
            test,
            at_ms: 1,
        });
        records.push(Record::UnitFinished {
            unit,
            outcome: Outcome::Passed,
            container: false,
            split: false,
            duration_us: 1,
            members: members(&classes),
            classes,
            looks: Looks::default(),
            created: Vec::new(),
            looked_at: Vec::new(),
            distrust: None,
            receivers: None,
        });
    }
    Spool {
        records,
        damage: None,
    }
}

/// The large project, divided by `part`.
fn scale(part: usize) {
    let dir = tempfile::tempdir().expect("a directory");
    let size = Size {
        classes: 40_000 / part,
        tests: 100_000 / part,
        used: 300,
        in_jars: 60_000 / part,
    };
    println!("\n{} classes, {} of them tests", 200_000 / part, size.tests);
    let files = make_project(dir.path(), &size);
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
    let mut spools = vec![record(dir.path(), &size)];
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
        let path = dir
            .path()
            .join("target/classes")
            .join(format!("{}.class", class_name(n)));
        fs::write(path, "changed").expect("to write");
    }
    let selected = select("100 classes changed", &store);
    println!("{selected} tests selected");
    let program = std::env::current_exe().expect("a program");
    let mut alone = Command::new(program);
    alone.arg("--select").arg(dir.path());
    println!("a process that selects: {:?}", time(alone));
}
