//! What a snapshot has of class paths on disk, with a cache and without.

#[path = "../../fingerprint/tests/support/mod.rs"]
mod support;

use proptest::prelude::*;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use support::Classes;
use tamis_classpath::{ClassPath, Entries, Lookup, Roots};
use tamis_fingerprint::raw;
use tamis_snapshot::{Cache, Declared, Invoke, Reference, Snapshot};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const SOURCES: [(&str, &str); 2] = [
    (
        "p/Main.java",
        "package p;
        @Deprecated public class Main extends Base implements Runnable {
            static int count;
            @Deprecated public void run() { count++; Other.help(\"p.Named\"); Object o = (Runnable) (Object) this; }
            Object later() { return (Runnable) Other::idle; }
            private static class Inside {}
            Object local() { return new Object() {}; }
        }
        class Base {}
        class Other { static void help(String text) {} static void idle() {} }",
    ),
    ("Unnamed.java", "class Unnamed {}"),
];

static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    let sources = SOURCES.map(|(path, text)| (path.to_owned(), text));
    support::javac(sources, &["--release", "17"])
});

/// Classes of these names in two variants.
static VARIANTS: LazyLock<[Classes; 2]> = LazyLock::new(|| {
    [1, 2].map(|number| {
        let names = ["p/Base", "p/Other", "p/Only", "q/Base", "q/New"];
        let text = |name: &str| {
            let (package, simple) = name.split_once('/').unwrap();
            format!("package {package}; class {simple} {{ int f{number}; }}")
        };
        let texts = names.map(|name| (format!("{name}.java"), text(name)));
        let sources = texts
            .iter()
            .map(|(path, text)| (path.clone(), text.as_str()));
        support::javac(sources, &["--release", "17"])
    })
});

/// Another class of this name.
fn variant(path: &str, number: usize) -> Vec<u8> {
    VARIANTS[number - 1][path].clone()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn tree(dir: &Path) {
    for (path, bytes) in CLASSES.iter() {
        write(&dir.join(path), bytes);
    }
}

fn jar(path: &Path, files: &[(&str, &[u8])]) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn class_path(paths: &[PathBuf]) -> ClassPath {
    Entries::new(None).class_path(paths)
}

fn fresh(paths: &[PathBuf]) -> Snapshot {
    Snapshot::read(&class_path(paths), None)
}

/// All that a snapshot says.
fn text(snapshot: &Snapshot) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for class in snapshot.classes() {
        writeln!(text, "{} {:?}", class.name(), class.entry()).unwrap();
        for version in class.versions() {
            writeln!(text, " {} {:?}", version.release(), version.raw()).unwrap();
            let Some(facts) = version.facts() else {
                continue;
            };
            let names: Vec<_> = facts
                .interfaces()
                .chain(facts.annotations())
                .chain(facts.classes())
                .collect();
            writeln!(
                text,
                " {:?} {:?} {:?}",
                facts.super_class(),
                facts.declared(),
                names
            )
            .unwrap();
            writeln!(text, " {} {:?}", facts.digest(), facts.fingerprint()).unwrap();
            for member in facts.fields().chain(facts.methods()) {
                let annotations: Vec<_> = member.annotations().collect();
                let references: Vec<_> = member.references().collect();
                writeln!(
                    text,
                    "  {}{} {} {annotations:?} {references:?}",
                    member.name(),
                    member.descriptor(),
                    member.access()
                )
                .unwrap();
            }
        }
    }
    let unreadable: Vec<_> = snapshot.unreadable_entries().collect();
    writeln!(text, "{unreadable:?}").unwrap();
    text
}

fn names(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.classes().map(|class| class.name()).collect()
}

#[test]
fn a_class_says_what_it_declares_and_refers_to() {
    let dir = tempfile::tempdir().unwrap();
    tree(dir.path());
    let snapshot = fresh(&[dir.path().to_owned()]);
    let all = [
        "Unnamed",
        "p/Base",
        "p/Main",
        "p/Main$1",
        "p/Main$Inside",
        "p/Other",
    ];
    assert_eq!(names(&snapshot), all);
    let Lookup::Found(class) = snapshot.class("p/Main") else {
        panic!("no class");
    };
    assert_eq!(class.entry(), dir.path());
    let facts = class.facts().unwrap();
    assert_eq!(facts.super_class(), Some("p/Base"));
    assert_eq!(
        facts.interfaces().collect::<Vec<_>>(),
        ["java/lang/Runnable"]
    );
    assert_eq!(
        facts.annotations().collect::<Vec<_>>(),
        ["java/lang/Deprecated"]
    );
    assert_eq!(facts.declared(), Declared::TopLevel);
    assert_eq!(facts.fingerprint().unwrap().class(), facts.digest());
    let mut named: Vec<_> = facts
        .classes()
        .filter(|name| name.starts_with("p/"))
        .collect();
    named.sort();
    assert_eq!(named, ["p/Base", "p/Main$1", "p/Main$Inside", "p/Other"]);
    let run = facts
        .methods()
        .find(|method| method.name() == "run")
        .unwrap();
    assert_eq!(
        run.annotations().collect::<Vec<_>>(),
        ["java/lang/Deprecated"]
    );
    let mut references: Vec<_> = run.references().collect();
    references.sort();
    let help = Reference::Call {
        class: "p/Other",
        name: "help",
        descriptor: "(Ljava/lang/String;)V",
        invoke: Invoke::Static,
    };
    let count = Reference::Field {
        class: "p/Main",
        name: "count",
        descriptor: "I",
    };
    let runnable = Reference::Check("java/lang/Runnable");
    let texts = Reference::Text("p.Named");
    assert_eq!(
        references,
        [Reference::Type("p/Main"), runnable, count, help, texts]
    );
    let later = facts
        .methods()
        .find(|method| method.name() == "later")
        .unwrap();
    let idle = Reference::Handle {
        class: "p/Other",
        name: "idle",
    };
    assert!(later.references().any(|reference| reference == idle));
    let declared = |name| match snapshot.class(name) {
        Lookup::Found(class) => class.facts().unwrap().declared(),
        _ => panic!("no {name}"),
    };
    assert_eq!(
        declared("p/Main$Inside"),
        Declared::Member {
            outer: "p/Main",
            access: 10
        }
    );
    assert_eq!(declared("p/Main$1"), Declared::Local);
}

#[test]
fn the_first_entry_that_has_a_class_counts() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (dir.path().join("first.jar"), dir.path().join("second"));
    tree(&second);
    jar(
        &first,
        &[("p/Base.class", &variant("p/Base.class", 1)), ("none", b"")],
    );
    let snapshot = fresh(&[first.clone(), dir.path().join("none"), second.clone()]);
    for class in snapshot.classes() {
        let expected = if class.name() == "p/Base" {
            &first
        } else {
            &second
        };
        assert_eq!(class.entry(), expected, "{}", class.name());
    }
    assert_eq!(names(&snapshot).len(), CLASSES.len());
}

#[test]
fn a_multi_release_jar_has_classes_in_versions() {
    let dir = tempfile::tempdir().unwrap();
    let base = variant("p/Base.class", 1);
    let later = variant("p/Base.class", 2);
    let only = variant("p/Only.class", 1);
    let files = |manifest: &'static [u8]| -> Vec<(&'static str, Vec<u8>)> {
        vec![
            ("META-INF/MANIFEST.MF", manifest.to_vec()),
            ("META-INF/versions/11/p/Base.class", later.clone()),
            ("META-INF/versions/9/p/Only.class", only.clone()),
            ("p/Base.class", base.clone()),
        ]
    };
    let check = |manifest: &'static [u8], expected: &[(&str, u32)]| {
        let path = dir.path().join("a.jar");
        let files = files(manifest);
        let files: Vec<_> = files
            .iter()
            .map(|(name, bytes)| (*name, bytes.as_slice()))
            .collect();
        jar(&path, &files);
        let snapshot = fresh(&[path]);
        let versions = snapshot.classes().flat_map(|class| {
            class
                .versions()
                .map(move |version| (class.name(), version.release()))
        });
        assert_eq!(versions.collect::<Vec<_>>(), expected);
    };
    check(
        b"Multi-Release: true\n",
        &[("p/Base", 0), ("p/Base", 11), ("p/Only", 9)],
    );
    check(b"Multi-Release: false\n", &[("p/Base", 0)]);
}

#[test]
fn a_class_file_that_stands_elsewhere_than_its_name_says_is_no_class() {
    let dir = tempfile::tempdir().unwrap();
    write(&dir.path().join("q/Base.class"), &CLASSES["p/Base.class"]);
    write(&dir.path().join("q/Broken.class"), b"broken");
    let snapshot = fresh(&[dir.path().to_owned()]);
    assert_eq!(names(&snapshot), ["q/Broken"]);
    let Lookup::Found(broken) = snapshot.class("q/Broken") else {
        panic!("no class");
    };
    assert!(broken.facts().is_none());
    assert_eq!(
        broken.versions().next().unwrap().raw(),
        Some(raw(b"broken"))
    );
}

#[test]
fn behind_what_cannot_be_read_nobody_can_say() {
    let dir = tempfile::tempdir().unwrap();
    let (broken, after, before) = (
        dir.path().join("broken.jar"),
        dir.path().join("after"),
        dir.path().join("before"),
    );
    tree(&after);
    write(&before.join("p/Base.class"), &CLASSES["p/Base.class"]);
    fs::write(&broken, b"PK\x05\x06 and no archive all the same").unwrap();
    let snapshot = fresh(&[before, broken.clone(), after]);
    assert_eq!(snapshot.unreadable_entries().collect::<Vec<_>>(), [broken]);
    assert!(matches!(snapshot.class("p/Base"), Lookup::Found(_)));
    assert!(matches!(snapshot.class("p/Main"), Lookup::Unreadable));
    assert!(matches!(snapshot.class("p/None"), Lookup::Unreadable));
    // All the same they are there.
    assert_eq!(names(&snapshot).len(), CLASSES.len());
}

#[test]
fn links_are_followed_unless_they_lead_in_a_circle() {
    let dir = tempfile::tempdir().unwrap();
    let (classes, linked) = (dir.path().join("classes"), dir.path().join("linked"));
    tree(&classes);
    fs::create_dir(&linked).unwrap();
    symlink(classes.join("p"), linked.join("p")).unwrap();
    assert_eq!(
        names(&fresh(std::slice::from_ref(&linked))).len(),
        CLASSES.len() - 1
    );
    symlink(&linked, classes.join("p/again")).unwrap();
    assert_eq!(fresh(&[linked]).unreadable_entries().count(), 1);
}

#[test]
fn a_class_file_that_may_not_be_read_is_there() {
    let dir = tempfile::tempdir().unwrap();
    tree(dir.path());
    let file = dir.path().join("p/Base.class");
    fs::remove_file(&file).unwrap();
    symlink(dir.path().join("none"), &file).unwrap();
    let snapshot = fresh(&[dir.path().to_owned()]);
    let Lookup::Found(class) = snapshot.class("p/Base") else {
        panic!("no class");
    };
    assert!(class.facts().is_none());
    assert_eq!(class.versions().next().unwrap().raw(), None);
}

#[test]
fn a_directory_that_may_not_be_listed_is_unreadable() {
    let dir = tempfile::tempdir().unwrap();
    tree(dir.path());
    let package = dir.path().join("p");
    fs::set_permissions(&package, Permissions::from_mode(0o0)).unwrap();
    let is_root = fs::read_dir(&package).is_ok();
    let snapshot = fresh(&[dir.path().to_owned()]);
    fs::set_permissions(&package, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(snapshot.unreadable_entries().count(), usize::from(!is_root));
}

/// A project with classes and a jar, and its cache.
struct Project {
    dir: PathBuf,
}

impl Project {
    fn paths(&self) -> [PathBuf; 2] {
        [self.dir.join("classes"), self.dir.join("a.jar")]
    }

    fn cache(&self) -> PathBuf {
        self.dir.join(".tamis/cache")
    }

    fn read(&self) -> Snapshot {
        let cache = Cache::new(self.cache(), Roots::new(&self.dir, None, None));
        Snapshot::read(&class_path(&self.paths()), Some(&cache))
    }

    fn check(&self) {
        assert_eq!(text(&self.read()), text(&fresh(&self.paths())));
    }
}

fn project(dir: &Path) -> Project {
    tree(&dir.join("classes"));
    let base = variant("q/Base.class", 1);
    jar(&dir.join("a.jar"), &[("q/Base.class", &base)]);
    Project {
        dir: dir.to_owned(),
    }
}

#[test]
fn a_cache_may_move_with_its_project() {
    let dir = tempfile::tempdir().unwrap();
    let before = project(&dir.path().join("before"));
    before.check();
    let files = |project: &Project| {
        let files = fs::read_dir(project.cache()).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let names = files(&before);
    assert_eq!(names.len(), 2);
    let after = Project {
        dir: dir.path().join("after"),
    };
    fs::rename(&before.dir, &after.dir).unwrap();
    after.check();
    assert_eq!(files(&after), names);
}

#[test]
fn damage_of_the_cache_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let project = project(dir.path());
    project.check();
    let files: Vec<_> = fs::read_dir(project.cache())
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    for file in files {
        let good = fs::read(&file).unwrap();
        for at in (0..good.len()).step_by(97) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            fs::write(&file, &bad).unwrap();
            project.check();
            fs::write(&file, &good[..at]).unwrap();
            project.check();
        }
    }
}

/// A change of a project.
#[derive(Debug, Clone)]
enum Edit {
    Replace(usize, usize),
    Remove(usize),
    Restore,
    Jar(usize),
    RemoveJar,
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0..NAMES.len(), 0..3usize).prop_map(|(name, number)| Edit::Replace(name, number)),
        (0..NAMES.len()).prop_map(Edit::Remove),
        Just(Edit::Restore),
        (0..3usize).prop_map(Edit::Jar),
        Just(Edit::RemoveJar),
    ]
}

const NAMES: [&str; 3] = ["p/Base.class", "p/Other.class", "q/New.class"];

/// The class of that name in one of three variants, of which one makes no sense.
fn file(name: usize, number: usize) -> (&'static str, Vec<u8>) {
    let name = NAMES[name];
    let bytes = match number {
        0 => b"nothing".to_vec(),
        number => variant(name, number),
    };
    (name, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn with_a_cache_a_snapshot_says_the_same(edits in prop::collection::vec(edit(), 1..6)) {
        let dir = tempfile::tempdir().unwrap();
        let project = project(dir.path());
        project.check();
        let classes = dir.path().join("classes");
        for edit in edits {
            match edit {
                Edit::Replace(name, number) => {
                    let (name, bytes) = file(name, number);
                    write(&classes.join(name), &bytes);
                }
                Edit::Remove(name) => drop(fs::remove_file(classes.join(NAMES[name]))),
                Edit::Restore => tree(&classes),
                Edit::Jar(number) => {
                    let files: Vec<_> = (0..NAMES.len()).map(|name| file(name, number)).collect();
                    let files: Vec<_> = files.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
                    jar(&dir.path().join("a.jar"), &files);
                }
                Edit::RemoveJar => drop(fs::remove_file(dir.path().join("a.jar"))),
            }
            project.check();
        }
    }
}
