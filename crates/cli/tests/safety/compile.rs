//! Compiles both revisions of every case with one compiler process per JDK.

use crate::case::{Case, Part};
use crate::jars::Jars;
use crate::javac::Javac;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

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
        let mut javac = Javac::start(major, Stdio::inherit());
        for case in cases.iter().filter(|case| case.jdks[0] == major) {
            let dir = base.join(&case.name);
            compile(case, &dir, jars, &mut javac);
            programs.push(Program { case, dir });
        }
    }
    programs
}

fn compile(case: &Case, dir: &Path, jars: &Jars, javac: &mut Javac) {
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
            let ok = javac.compile(&out(part), &class_path, &case.javac[revision], &files);
            assert!(ok, "{} does not compile", case.name);
        }
    }
}
