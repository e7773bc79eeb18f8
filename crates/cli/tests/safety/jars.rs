//! The jars that cases need, fetched once through Maven; and the JDKs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Jars {
    /// All of them as a class path.
    pub(crate) class_path: String,
    pub(crate) jacoco: PathBuf,
}

/// Puts the jars that the POM beside this file names into the target directory.
pub(crate) fn fetch() -> Jars {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("safety");
    fs::create_dir_all(&base).unwrap();
    let lock = File::create(base.join("lock")).unwrap();
    lock.lock().unwrap();
    let pom = include_str!("pom.xml");
    let known = base.join("pom.xml");
    let jars = base.join("jars");
    if fs::read_to_string(&known).ok().as_deref() != Some(pom) {
        let _ = fs::remove_dir_all(&jars);
        let asked = base.join("asked.xml");
        fs::write(&asked, pom).unwrap();
        let output = Command::new("mvn")
            .args(["-q", "-B", "-f"])
            .arg(&asked)
            .arg("dependency:copy-dependencies")
            .arg(format!("-DoutputDirectory={}", jars.display()))
            .output()
            .expect("Maven is installed");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        fs::rename(asked, known).unwrap();
    }
    let mut files: Vec<PathBuf> = fs::read_dir(jars)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    // The JVM opens all that come before the one that it looks for: large ones come last.
    let is_large = |file: &PathBuf| {
        let name = file.display().to_string();
        name.contains("/byte-buddy") || name.contains("/mockito")
    };
    files.sort_by_key(|file| (is_large(file), file.clone()));
    let is_jacoco = |file: &PathBuf| file.display().to_string().contains("jacoco");
    let jacoco = files.iter().find(|file| is_jacoco(file)).unwrap().clone();
    files.retain(|file| !is_jacoco(file));
    let class_path: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    Jars {
        class_path: class_path.join(":"),
        jacoco,
    }
}

/// The home of the JDK of that major version.
pub(crate) fn jdk(major: u32) -> PathBuf {
    let of_java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let homes = of_java_home
        .into_iter()
        .chain(installed.map(|entry| entry.path()));
    let is_it = |home: &PathBuf| {
        let release = fs::read_to_string(home.join("release")).unwrap_or_default();
        release.contains(&format!("JAVA_VERSION=\"{major}")) && home.join("bin/javac").exists()
    };
    let mut homes: Vec<_> = homes.filter(is_it).collect();
    homes.sort();
    homes
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("these tests need a JDK {major}"))
}
