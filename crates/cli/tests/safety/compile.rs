//! Compiles both revisions of every case with one compiler process per JDK.

use crate::case::{Case, Part};
use crate::jars::{Jars, jdk};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A case whose classes are in `dir/1` and `dir/2`, with a folder per part.
pub(crate) struct Program<'a> {
    pub(crate) case: &'a Case,
    pub(crate) dir: PathBuf,
}

pub(crate) fn all<'a>(cases: &'a [Case], jars: &Jars, base: &Path) -> Vec<Program<'a>> {
    let mut programs = Vec::new();
    let mut jdks: Vec<u32> = cases.iter().map(|case| case.jdks[0]).collect();
    jdks.sort_unstable();
    jdks.dedup();
    for major in jdks {
        let mut tasks = String::new();
        for case in cases.iter().filter(|case| case.jdks[0] == major) {
            let dir = base.join(&case.name);
            tasks += &of_case(case, &dir, jars);
            programs.push(Program { case, dir });
        }
        compile(major, &tasks, base);
    }
    programs
}

/// A line per revision and part: output directory, class path, options, files; tabs between them.
fn of_case(case: &Case, dir: &Path, jars: &Jars) -> String {
    let mut tasks = String::new();
    for (revision, files) in case.revisions.iter().enumerate() {
        let out = |part: Part| dir.join((revision + 1).to_string()).join(part.folder());
        let on_path = [out(Part::First), out(Part::Classes)].map(|d| d.display().to_string());
        let class_path = format!("{}:{}", on_path.join(":"), jars.class_path);
        for part in [Part::First, Part::Classes, Part::Off] {
            fs::create_dir_all(out(part)).unwrap();
            let of_part = files.iter().filter(|((p, _), _)| *p == part);
            let files: Vec<String> = of_part
                .map(|(_, file)| file.display().to_string())
                .collect();
            if files.is_empty() {
                continue;
            }
            let options = case.javac[revision].join(" ");
            tasks += &format!(
                "{}\t{class_path}\t{options}\t{}\n",
                out(part).display(),
                files.join("\t")
            );
        }
    }
    tasks
}

fn compile(major: u32, tasks: &str, base: &Path) {
    let file = base.join(format!("tasks-{major}"));
    fs::write(&file, tasks).unwrap();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/safety/Compile.java");
    let output = Command::new(jdk(major).join("bin/java"))
        .args(["-Xshare:auto", "-XX:TieredStopAtLevel=1"])
        .arg(program)
        .arg(file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
