//! What javac writes for every release it knows, patched, verified and run.

mod support;

use std::path::{Path, PathBuf};

use support::archive::{Class, check_pairs, write_pairs};
use support::{jdk::Jdk, patch::patch, scratch};
use tamis_classfile::ClassFile;

#[test]
fn code_for_java_8_to_17_from_jdk_17_verifies_and_runs_when_patched() {
    check(17, 8..=17);
}

#[test]
fn code_for_java_8_to_25_from_jdk_25_verifies_and_runs_when_patched() {
    check(25, 8..=25);
}

fn check(feature: u32, releases: impl Iterator<Item = u32>) {
    let jdk = Jdk::find(feature);
    let probes = jdk.compile(&["Probes.java"], &["-g", "--release", "8"], "probes");
    let mut pairs = Vec::new();
    for release in releases {
        let mut sources = vec!["Exercise.java"];
        if release >= 21 {
            sources.push("Modern.java");
        }
        let name = format!("release-{release}");
        let options = ["-g", "-parameters", "--release", &release.to_string()];
        let original = jdk.compile(&sources, &options, &name);
        let classes = classes(&original);
        let major = ClassFile::parse(&classes[0].bytes).expect("class").major;
        assert_eq!(u32::from(major), release + 44);
        let patched = write_patched(&classes, &format!("{name}-patched-{}", jdk.version));
        for source in sources {
            runs_alike(&jdk, &probes, &original, &patched, source);
        }
        pairs.push(write_pairs(&classes, &format!("{name}-{feature}")).0);
    }
    check_pairs(&pairs);
}

fn classes(dir: &Path) -> Vec<Class> {
    let files = std::fs::read_dir(dir).expect("compiled classes");
    let class = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("entry").path();
        let file = path.file_name()?.to_str()?.to_owned();
        Some(Class {
            file,
            bytes: std::fs::read(path).expect("class"),
        })
    };
    files.filter_map(class).collect()
}

fn write_patched(classes: &[Class], name: &str) -> PathBuf {
    let dir = scratch(name);
    for class in classes {
        let parsed = ClassFile::parse(&class.bytes).expect("class");
        let patched = patch(&parsed).expect("patched");
        std::fs::write(dir.join(&class.file), patched.bytes).expect("written");
    }
    dir
}

/// The patched program prints what the original prints, its probes are hit, and its guard works.
fn runs_alike(jdk: &Jdk, probes: &Path, original: &Path, patched: &Path, source: &str) {
    let program = source.trim_end_matches(".java");
    let output = |classes: &Path, skip: &str| {
        let path = std::env::join_paths([classes, probes]).expect("class path");
        // The verifier looks at all classes but those of the JDK, which would take longer than all others.
        let args = ["-XX:TieredStopAtLevel=1", skip, "Probes", program];
        jdk.java(path.as_ref(), &args)
    };
    let expected = output(original, "-Dskip=false");
    assert!(
        expected.ends_with("hits 0\n") && expected.lines().count() > 3,
        "{expected}"
    );
    assert_eq!(
        output(patched, "-Dskip=false"),
        expected.replace("hits 0", "hits 1")
    );
    assert_eq!(output(patched, "-Dskip=true"), "hits 1\n");
}
