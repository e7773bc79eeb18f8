//! Every class of the JDKs on this machine has been examined for what calls to it can see.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The home of the JDK of that release.
fn jdk(release: u16) -> PathBuf {
    let installed = std::fs::read_dir("/usr/lib/jvm").unwrap().flatten();
    let mut homes = installed.map(|entry| entry.path());
    let home = homes.find(|home| {
        let text = std::fs::read_to_string(home.join("release")).unwrap_or_default();
        text.contains(&format!("JAVA_VERSION=\"{release}")) && home.join("bin/javac").exists()
    });
    home.unwrap_or_else(|| panic!("this test needs a JDK {release}"))
}

fn classes(lists: &str) -> BTreeSet<String> {
    let packages = lists.lines().filter_map(|line| line.split_once(": "));
    let packages = packages.filter(|(package, _)| package.starts_with("java/"));
    let names = packages.flat_map(|(package, names)| {
        let names = names.split(' ').map(|name| name.trim_start_matches('!'));
        names.map(move |name| format!("{package}/{name}"))
    });
    names.collect()
}

#[test]
fn every_class_of_the_jdk_was_examined() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let examined = std::fs::read_to_string(root.join("src/references/examined.txt")).unwrap();
    let examined = classes(&examined);
    let output = Command::new(jdk(25).join("bin/java"))
        .arg(root.join("../../scripts/JdkApi.java"))
        .args([17, 25].map(jdk))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let there = classes(&String::from_utf8(output.stdout).unwrap());
    assert!(there.len() > 1_000, "{}", there.len());
    let unknown: Vec<_> = there.difference(&examined).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}
