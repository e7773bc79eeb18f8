//! A compiler that stays alive.

use crate::jars::jdk;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Javac {
    child: Child,
    tasks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Javac {
    /// The compiler of a JDK; what it says of errors goes to `errors`.
    pub(crate) fn start(major: u32, errors: Stdio) -> Javac {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/safety/Compile.java");
        let mut child = Command::new(jdk(major).join("bin/java"))
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
