//! Compiles both revisions of every case with one compiler process per JDK.

use crate::case::Case;
use crate::files::{Part, Revision, put, walk};
use crate::jars::Jars;
use crate::javac::Javac;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A case whose revisions are in `dir/1` and `dir/2`, with a folder per part, and its jars.
pub(crate) struct Program<'a> {
    pub(crate) case: &'a Case,
    pub(crate) dir: PathBuf,
}

impl Program<'_> {
    /// Where the program is that runs tests on the JUnit Platform.
    pub(crate) fn launch(&self) -> PathBuf {
        self.dir.with_file_name(LAUNCH)
    }
}

const LAUNCH: &str = "launch";

/// Sends each of the cases as soon as it is compiled.
pub(crate) fn all<'a>(cases: &'a [Case], jars: &Jars, base: &Path, compiled: &Sender<Program<'a>>) {
    let mut jdks: Vec<u32> = cases.iter().map(|case| case.jdks[0]).collect();
    jdks.sort_unstable();
    jdks.dedup();
    for major in jdks {
        let mut javac = Javac::start(major, Stdio::inherit());
        launch(&base.join(LAUNCH), jars, &mut javac);
        let of_jdk = |case: &&Case| case.jdks[0] == major && case.is_run();
        for case in cases.iter().filter(of_jdk) {
            let dir = base.join(&case.name);
            for (number, revision) in case.revisions.iter().enumerate() {
                let out = dir.join((number + 1).to_string());
                let ok = compile(revision, &out, jars, &case.javac[number], &mut javac);
                assert!(ok, "{} does not compile", case.name);
            }
            let _ = compiled.send(Program { case, dir });
        }
    }
}

fn launch(to: &Path, jars: &Jars, javac: &mut Javac) {
    if fs::create_dir(to).is_ok() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/safety/Launch.java");
        let ok = javac.compile(to, &jars.class_path, &[], &[source.display().to_string()]);
        assert!(ok, "{} does not compile", source.display());
    }
}

fn compile(
    revision: &Revision,
    out: &Path,
    jars: &Jars,
    options: &[String],
    javac: &mut Javac,
) -> bool {
    let parts = revision.parts();
    let always = [Part::First, Part::Classes, Part::Off, Part::Files];
    // All of them now: the compiler remembers which directories there are.
    for part in always.iter().chain(parts.keys()) {
        fs::create_dir_all(out.join(part.folder())).unwrap();
    }
    let in_jars = parts.keys().filter(|part| matches!(part, Part::Jar(_)));
    let folders = [Part::First, Part::Classes];
    let folders = folders
        .iter()
        .chain(in_jars)
        .map(|part| out.join(part.folder()));
    let mut class_path: Vec<String> = folders.map(|dir| dir.display().to_string()).collect();
    class_path.push(jars.class_path.clone());
    for (part, files) in &parts {
        let to = out.join(part.folder());
        let (sources, others): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.is_source);
        for other in others {
            match other.path.strip_suffix(".c") {
                Some(path) if *part == Part::Files => library(other.file, &to, path),
                _ => put(other.file, &to.join(other.path)),
            }
        }
        let sources: Vec<String> = sources
            .iter()
            .map(|s| s.file.display().to_string())
            .collect();
        let class_path = class_path.join(":");
        if !sources.is_empty() && !javac.compile(&to, &class_path, options, &sources) {
            return false;
        }
        if let Part::Jar(name) = part {
            pack(&to, &out.join(format!("{name}.jar")));
        }
    }
    true
}

/// Compiles a C source, `a/b`, to the library `a/libb.so`.
fn library(source: &Path, to: &Path, path: &str) {
    let path = Path::new(path);
    let name = format!("lib{}.so", path.file_name().unwrap().to_string_lossy());
    let library = to.join(path).with_file_name(name);
    fs::create_dir_all(library.parent().unwrap()).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(library).arg(source);
    assert!(
        cc.status().unwrap().success(),
        "{} does not compile",
        source.display()
    );
}

/// Makes a jar that depends on nothing but the names and the bytes of its files, and is as large as
/// another one if these are.
fn pack(dir: &Path, jar: &Path) {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut writer = ZipWriter::new(File::create(jar).unwrap());
    for path in walk(dir) {
        writer.start_file(&path, options).unwrap();
        let mut file = File::open(dir.join(&path)).unwrap();
        std::io::copy(&mut file, &mut writer).unwrap();
    }
    writer.finish().unwrap();
}
