#![allow(dead_code)] // each test program uses a part
//! A compiler that stays alive: starting one takes longer than most compilations. Tests of other crates use it too.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Those of this test program by the homes of their JDKs. They end when it does, because their input does.
static COMPILERS: Mutex<BTreeMap<PathBuf, Javac>> = Mutex::new(BTreeMap::new());

/// Compiles files with the compiler of this JDK; fails the test if there is an error.
pub(crate) fn compile(home: &Path, out: &Path, options: &[String], files: &[String]) {
    let compilers = COMPILERS.lock();
    // A test that failed does not harm the compiler.
    let mut compilers = compilers.unwrap_or_else(PoisonError::into_inner);
    let start = || Javac::start(home, Stdio::inherit());
    let javac = compilers.entry(home.to_owned()).or_insert_with(start);
    let ok = javac.compile(out, ".", options, files);
    assert!(ok, "{files:?} do not compile with {options:?}");
}

pub(crate) struct Javac {
    child: Child,
    tasks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Javac {
    /// The compiler of the JDK in `home`; what it says of errors goes to `errors`.
    pub(crate) fn start(home: &Path, errors: Stdio) -> Javac {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let program = crates.join("classfile/tests/java/Compile.java");
        let mut child = Command::new(home.join("bin/java"))
            .env_remove("JAVA_TOOL_OPTIONS")
            .args([
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
            ])
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap();
        Javac {
            tasks: child.stdin.take(),
            answers: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Compiles files into a directory that exists; whether there was no error.
    pub(crate) fn compile(
        &mut self,
        out: &Path,
        class_path: &str,
        options: &[String],
        files: &[String],
    ) -> bool {
        let (out, options) = (out.display(), options.join(" "));
        let task = format!("{out}\t{class_path}\t{options}\t{}\n", files.join("\t"));
        let tasks = self.tasks.as_mut().unwrap();
        tasks.write_all(task.as_bytes()).unwrap();
        tasks.flush().unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        answer.trim() == "true"
    }
}

impl Drop for Javac {
    fn drop(&mut self) {
        // It ends when there are no more tasks.
        self.tasks = None;
        let _ = self.child.wait();
    }
}
