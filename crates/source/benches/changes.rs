//! What it costs to compare many changed files, as a ratio to what git itself needs for them.
//!
//! `cargo bench -p tamis-source` makes a repository in a temporary directory with 500 classes of 20
//! methods each, changes a method of all, and then times, in turn, `changes` and the `git diff` of the same
//! files. The bar is a second on two cores.
#![allow(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tamis_source::{Change, changes};

const FILES: usize = 500;
const METHODS: usize = 20;
const ROUNDS: usize = 11;

fn main() {
    let project = tempfile::tempdir().unwrap();
    let write = |limit: usize| {
        for number in 0..FILES {
            let path = project.path().join(format!("C{number}.java"));
            fs::write(path, source(number, limit)).unwrap();
        }
    };
    git(project.path(), &["init", "-q"]);
    write(10);
    git(project.path(), &["add", "-A"]);
    let name = ["-c", "user.name=n", "-c", "user.email=e"];
    git(
        project.path(),
        &[&name[..], &["commit", "-qm", "First"]].concat(),
    );
    write(11);

    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        times[0].push(time(|| git(project.path(), &["diff", "HEAD"])));
        times[1].push(time(|| {
            let found = changes(project.path(), "HEAD").unwrap();
            let one = |change: &Change| matches!(change, Change::Members { members, .. } if members.len() == 1);
            assert!(found.files.iter().all(|file| one(&file.change)));
            assert_eq!(found.files.len(), FILES);
        }));
    }
    let [git, ours] = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2]
    });
    let size = source(0, 10).len() * FILES * 2;
    println!(
        "{FILES} changed files, both sides {} MB (medians of {ROUNDS})",
        size / 1_000_000
    );
    println!("git diff {git:>8.0?}");
    println!(
        "changes  {ours:>8.0?}, {:.1} times as much",
        ours.as_secs_f64() / git.as_secs_f64()
    );
}

fn source(number: usize, limit: usize) -> String {
    let mut source = format!(
        "package p;\n\nimport java.util.List;\n\n/** Number {number}. */\npublic class C{number} {{\n"
    );
    for method in 0..METHODS {
        let limit = if method == 7 { limit } else { 9 };
        write!(
            source,
            "
    /** Counts what is in a list. */
    public int count{method}(List<String> list, int start) {{
        int sum = start; // from there on
        for (String each : list) {{
            if (each.length() > {limit} && !each.isEmpty()) {{
                sum += each.substring(1).length() * 2;
            }}
        }}
        return sum;
    }}
"
        )
        .unwrap();
    }
    source + "}\n"
}

fn time(action: impl FnOnce()) -> Duration {
    let start = Instant::now();
    action();
    start.elapsed()
}

fn git(directory: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command
        .current_dir(directory)
        .args(arguments)
        .stdout(Stdio::null());
    assert!(command.status().unwrap().success());
}
