#![allow(dead_code)] // each test program uses a part
//! What the tests share: a JDK, its compiler, and classes taken apart.

#[path = "../../../classfile/tests/support/javac.rs"]
mod compiler;
pub(crate) mod indexes;
pub(crate) mod model;
pub(crate) mod shuffle;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fs};

use tamis_classfile::{ClassFile, Result};
use tamis_fingerprint::{Digest, Fingerprint, Rules, class_digest, diff};

/// Classes by their path below the output directory, such as `p/C.class`.
pub(crate) type Classes = BTreeMap<String, Vec<u8>>;

/// A tool of `JAVA_HOME`, of a JDK below `/usr/lib/jvm`, or of the search path.
pub(crate) fn jdk_tool(name: &str) -> PathBuf {
    let listed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    env::var_os("JAVA_HOME")
        .map(PathBuf::from)
        .into_iter()
        .chain(listed.map(|entry| entry.path()))
        .map(|jdk| jdk.join("bin").join(name))
        .find(|tool| tool.exists())
        .unwrap_or_else(|| PathBuf::from(name))
}

/// Compiles `sources` (path and text) in one go.
pub(crate) fn javac<'s>(
    sources: impl IntoIterator<Item = (String, &'s str)>,
    options: &[&str],
) -> Classes {
    let directory = tempfile::tempdir().unwrap();
    let output = directory.path().join("out");
    fs::create_dir(&output).unwrap();
    let mut files = Vec::new();
    for (path, text) in sources {
        let path = directory.path().join("src").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        files.push(path.display().to_string());
    }
    let javac = jdk_tool("javac").canonicalize().unwrap();
    let home = javac.ancestors().nth(2).unwrap();
    let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
    compiler::compile(home, &output, &options, &files);
    read_classes(&output)
}

/// Runs `command` and fails the test with its output if it fails.
pub(crate) fn run(command: &mut Command) {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?} failed: {text}");
}

/// All classes below `root`.
pub(crate) fn read_classes(root: &Path) -> Classes {
    let mut classes = Classes::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "class")
            {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                classes.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    classes
}

/// Classes of the JDK itself, some of them large and from several language features.
pub(crate) fn jdk_classes() -> Classes {
    let directory = tempfile::tempdir().unwrap();
    let jimage = jdk_tool("jimage").canonicalize().unwrap();
    let modules = jimage
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("lib/modules");
    let mut command = Command::new(jimage);
    command.args([
        "extract",
        "--include",
        "regex:.*/java\\.base/java/util/(concurrent|stream)/.*",
    ]);
    run(command.arg("--dir").arg(directory.path()).arg(modules));
    read_classes(directory.path())
}

/// Classes with every attribute that the compiler writes, compiled once per test program.
pub(crate) fn everything() -> &'static Classes {
    static EVERYTHING: LazyLock<Classes> = LazyLock::new(|| {
        let sources = [
            (
                "everything/Everything.java",
                include_str!("../java/Everything.java"),
            ),
            ("module-info.java", include_str!("../java/module-info.java")),
            ("everything/inner/First.java", FIRST),
            ("everything/inner/Second.java", SECOND),
        ];
        let sources = sources.map(|(path, text)| (path.to_owned(), text));
        javac(sources, &["-g", "-parameters", "--release", "17"])
    });
    &EVERYTHING
}

const FIRST: &str =
    "package everything.inner; public class First implements Runnable { public void run() {} }";
const SECOND: &str = "package everything.inner; public class Second extends First {}";

/// The digest of the class in `bytes`, which must be readable.
pub(crate) fn digest(bytes: &[u8]) -> Digest {
    try_digest(bytes).unwrap()
}

/// The digest of the class in `bytes`.
pub(crate) fn try_digest(bytes: &[u8]) -> Result<Digest> {
    class_digest(&ClassFile::parse(bytes)?)
}

/// How `after` differs from `before`, a change per text: its kind, its name, what it was called
/// before, the parts that differ, and the rule that excuses it; `+C$N` for a nested class that came, `-C$N`
/// for one that is lost.
/// Sorted.
pub(crate) fn changes(before: &[u8], after: &[u8], rules: Rules) -> Result<Vec<String>> {
    let class = ClassFile::parse(before)?;
    let print = Fingerprint::of(&class)?;
    let diff = diff(&print, &ClassFile::parse(after)?, rules)?;
    let head = diff.head.then(|| "CH".to_owned());
    let members = diff.members.iter().map(|change| {
        let mut text = format!("{} {}", change.kind, String::from_utf8_lossy(&change.name));
        if let Some(before) = change.before {
            let is_field = change.kind.to_string().ends_with("FD");
            let members = if is_field {
                &print.fields
            } else {
                &print.methods
            };
            let was = &members[usize::from(before.index)];
            assert_eq!(was.access, before.access);
            assert_eq!(was.descriptor, &*change.descriptor);
            if *was.name != *change.name {
                text += &format!(" was {}", String::from_utf8_lossy(was.name));
            }
        }
        for (differs, part) in [
            (change.flags, " flags"),
            (change.mirror, " mirror"),
            (change.thrown, " thrown"),
            (change.body, " body"),
        ] {
            text += if differs { part } else { "" };
        }
        match change.ignored {
            Some(rule) => format!("{text} ({rule})"),
            None => text,
        }
    });
    let added = diff.nested.iter().map(|name| ('+', name));
    let lost = diff.nested_lost.iter().map(|name| ('-', name));
    let nested = added.chain(lost).map(|(sign, name)| {
        let name = String::from_utf8_lossy(name);
        format!("{sign}{}", name.rsplit('/').next().unwrap())
    });
    let mut changes: Vec<String> = head.into_iter().chain(members).chain(nested).collect();
    changes.sort();
    Ok(changes)
}
