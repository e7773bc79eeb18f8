//! What cases share, and the compilation of both revisions of a case.

use crate::case::Case;
use crate::files::{Part, Placed, Revision, walk};
use crate::jars::{self, Jars};
use crate::javac::Javac;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The JDK that compiles what all cases use.
const JDK: u32 = 17;

const LAUNCH: &str = "launch";

/// What cases share.
pub(crate) struct Setup {
    pub(crate) jars: Jars,
    dir: TempDir,
    /// One of each JDK: several would have to warm up, too.
    compilers: Mutex<BTreeMap<u32, Javac>>,
}

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

impl Setup {
    pub(crate) fn new() -> Setup {
        let setup = Setup {
            jars: jars::fetch(),
            dir: tempfile::tempdir().unwrap(),
            compilers: Mutex::default(),
        };
        let launch = setup.dir.path().join(LAUNCH);
        fs::create_dir(&launch).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/safety/Launch.java");
        let source = source.display().to_string();
        let ok = setup.with_compiler(JDK, |javac| {
            javac.compile(&launch, &setup.jars.class_path, &[], &[source])
        });
        assert!(ok, "Launch.java does not compile");
        setup
    }

    /// Compiles both revisions of a case.
    pub(crate) fn compile<'a>(&self, case: &'a Case) -> Program<'a> {
        let dir = self.dir.path().canonicalize().unwrap().join(&case.name);
        self.with_compiler(case.jdks[0], |javac| {
            for (number, revision) in case.revisions.iter().enumerate() {
                let out = dir.join((number + 1).to_string());
                let ok = compile(revision, &out, &self.jars, &case.javac[number], javac);
                assert!(ok, "{} does not compile", case.name);
            }
        });
        Program { case, dir }
    }

    fn with_compiler<T>(&self, major: u32, task: impl FnOnce(&mut Javac) -> T) -> T {
        let compilers = self.compilers.lock();
        // A case that does not compile does not harm the compiler.
        let mut compilers = compilers.unwrap_or_else(PoisonError::into_inner);
        let start = || Javac::start(&jars::jdk(major), Stdio::inherit());
        task(compilers.entry(major).or_insert_with(start))
    }
}

fn compile(
    revision: &Revision,
    out: &Path,
    jars: &Jars,
    options: &[String],
    javac: &mut Javac,
) -> bool {
    let options = [&["-g".to_owned()], options].concat();
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
                Some(path) if *part == Part::Files => library(other, out, &to, path),
                _ => other.write(&to.join(other.path)),
            }
        }
        let sources: Vec<String> = sources
            .iter()
            .map(|source| write_source(source, out).display().to_string())
            .collect();
        let class_path = class_path.join(":");
        if !sources.is_empty() && !javac.compile(&to, &class_path, &options, &sources) {
            return false;
        }
        if let Part::Jar(name) = part {
            pack(&to, &out.join(format!("{name}.jar")));
        }
    }
    true
}

/// Writes a source to where no compiler looks for classes.
fn write_source(source: &Placed<'_>, out: &Path) -> PathBuf {
    let file = out.join("sources").join(source.name);
    source.write(&file);
    file
}

/// Compiles a C source, `a/b`, to the library `a/libb.so`.
fn library(source: &Placed<'_>, out: &Path, to: &Path, path: &str) {
    let path = Path::new(path);
    let name = format!("lib{}.so", path.file_name().unwrap().to_string_lossy());
    let library = to.join(path).with_file_name(name);
    fs::create_dir_all(library.parent().unwrap()).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]);
    cc.arg(library).arg(write_source(source, out));
    assert!(
        cc.status().unwrap().success(),
        "{} does not compile",
        source.name
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
