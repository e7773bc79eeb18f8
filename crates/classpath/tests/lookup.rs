//! Looking up classes in directories and jars as they are on disk.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use tamis_classpath::{ClassPath, Entries, Lookup};
use tamis_fingerprint::raw;
use tempfile::TempDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(&dir.path().join(path), text);
    }
    dir
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn jar(path: &Path, files: &[(&str, &str)]) {
    let mut zip = ZipWriter::new(File::create(path).unwrap());
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
}

fn class_path(dir: &Path, entries: &[&str]) -> ClassPath {
    let paths: Vec<PathBuf> = entries.iter().map(|entry| dir.join(entry)).collect();
    Entries::new(None).class_path(&paths)
}

fn check(path: &ClassPath, name: &str, expected: Lookup<&str>) {
    let found = match path.lookup(name) {
        Lookup::Found(found) => Lookup::Found(found.raw),
        Lookup::Absent => Lookup::Absent,
        Lookup::Unreadable => Lookup::Unreadable,
    };
    let expected = match expected {
        Lookup::Found(text) => Lookup::Found(raw(text.as_bytes())),
        Lookup::Absent => Lookup::Absent,
        Lookup::Unreadable => Lookup::Unreadable,
    };
    assert_eq!(found, expected, "{name}");
}

#[test]
fn the_first_entry_that_has_a_class_counts() {
    let dir = tree(&[
        ("a/p/C.class", "a"),
        ("b/p/C.class", "b"),
        ("b/p/D.class", "d"),
    ]);
    jar(
        &dir.path().join("j.jar"),
        &[("p/D.class", "j"), ("p/E.class", "e")],
    );
    let path = class_path(dir.path(), &["a", "none", "b", "j.jar"]);
    check(&path, "p/C", Lookup::Found("a"));
    check(&path, "p/D", Lookup::Found("d"));
    check(&path, "p/E", Lookup::Found("e"));
    check(&path, "p/F", Lookup::Absent);
    let path = class_path(dir.path(), &["j.jar", "b", "a"]);
    check(&path, "p/C", Lookup::Found("b"));
    check(&path, "p/D", Lookup::Found("j"));
}

#[test]
fn unusual_names_are_found() {
    let files = [
        ("Main.class", "m"),
        ("p/A$1$B.class", "n"),
        ("p/Grün.class", "u"),
    ];
    let dir = tree(&files.map(|(name, text)| (format!("d/{name}").leak() as &str, text)));
    jar(&dir.path().join("j.jar"), &files);
    for entry in ["d", "j.jar"] {
        let path = class_path(dir.path(), &[entry]);
        check(&path, "Main", Lookup::Found("m"));
        check(&path, "p/A$1$B", Lookup::Found("n"));
        check(&path, "p/Grün", Lookup::Found("u"));
        check(&path, "p/Gr", Lookup::Absent);
        check(&path, "main", Lookup::Absent);
    }
}

#[test]
fn names_do_not_lead_out_of_an_entry() {
    let dir = tree(&[("d/p/C.class", "c"), ("X.class", "x")]);
    let path = class_path(dir.path(), &["d"]);
    for name in ["../X", "p/../../X", "/p/C", "p//C", "./p/C", ""] {
        check(&path, name, Lookup::Absent);
    }
}

#[test]
fn links_are_followed() {
    let dir = tree(&[("real/p/C.class", "c"), ("D.class", "d")]);
    symlink(dir.path().join("real"), dir.path().join("link")).unwrap();
    symlink(
        dir.path().join("D.class"),
        dir.path().join("real/p/D.class"),
    )
    .unwrap();
    let path = class_path(dir.path(), &["link"]);
    check(&path, "p/C", Lookup::Found("c"));
    check(&path, "p/D", Lookup::Found("d"));
}

#[test]
fn what_cannot_be_read_equals_nothing() {
    let dir = tree(&[("d/p/C.class", "c"), ("e/q/D.class", "d")]);
    // A directory where a class file should be: unreadable for every user.
    fs::create_dir_all(dir.path().join("d/p/Dir.class")).unwrap();
    check(&class_path(dir.path(), &["d"]), "p/Dir", Lookup::Unreadable);

    let locked = dir.path().join("d/p");
    fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
    // The superuser can read it all the same.
    if fs::read_dir(&locked).is_err() {
        check(&class_path(dir.path(), &["d"]), "p/C", Lookup::Unreadable);
    }
    fs::set_permissions(&locked, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_broken_jar_hides_what_is_behind_it() {
    let dir = tree(&[("d/p/C.class", "c")]);
    let broken = dir.path().join("j.jar");
    jar(
        &broken,
        &[(
            "p/C.class",
            "some class that is long enough to be squeezed, squeezed",
        )],
    );
    let mut bytes = fs::read(&broken).unwrap();
    bytes[45] ^= 0xff;
    fs::write(&broken, &bytes).unwrap();
    check(
        &class_path(dir.path(), &["j.jar", "d"]),
        "p/C",
        Lookup::Unreadable,
    );
    check(
        &class_path(dir.path(), &["d", "j.jar"]),
        "p/C",
        Lookup::Found("c"),
    );
}

#[test]
fn a_file_that_is_no_archive_holds_no_classes() {
    let dir = tree(&[
        ("native.so", "ELF"),
        ("empty.jar", ""),
        ("d/p/C.class", "c"),
    ]);
    let path = class_path(dir.path(), &["native.so", "empty.jar", "d"]);
    check(&path, "p/C", Lookup::Found("c"));
}

#[test]
fn any_cut_of_a_jar_is_survived() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole.jar");
    jar(&whole, &[("p/C.class", "c"), ("p/D.class", "d")]);
    let bytes = fs::read(&whole).unwrap();
    for length in 0..bytes.len() {
        fs::write(dir.path().join("cut.jar"), &bytes[..length]).unwrap();
        let path = class_path(dir.path(), &["cut.jar"]);
        assert!(
            !matches!(path.lookup("p/C"), Lookup::Found(_)),
            "cut at {length}"
        );
    }
}

#[test]
fn a_manifest_adds_entries_right_behind_its_jar() {
    let dir = tree(&[
        ("x y/p/C.class", "c"),
        ("last/p/C.class", "l"),
        ("last/p/D.class", "d"),
    ]);
    jar(
        &dir.path().join("lib.jar"),
        &[
            ("META-INF/MANIFEST.MF", "Class-Path: boot.jar x%20y/\n"),
            ("p/E.class", "e"),
        ],
    );
    let text = "Manifest-Version: 1.0\nClass-Path: missing.jar lib.jar\n";
    jar(
        &dir.path().join("boot.jar"),
        &[("META-INF/MANIFEST.MF", text)],
    );
    let path = class_path(dir.path(), &["boot.jar", "last"]);
    check(&path, "p/C", Lookup::Found("c"));
    check(&path, "p/D", Lookup::Found("d"));
    check(&path, "p/E", Lookup::Found("e"));
    // The jar that only lists others is itself no part of the path.
    assert_eq!(path.entries().count(), 4);
    let boot = [("META-INF/MANIFEST.MF", text), ("some.txt", "text")];
    jar(&dir.path().join("boot.jar"), &boot);
    let path = class_path(dir.path(), &["boot.jar", "last"]);
    assert_eq!(path.entries().count(), 5);
}

#[test]
fn a_multi_release_class_changes_when_any_version_does() {
    let dir = tempfile::tempdir().unwrap();
    let digest = |multi_release: &str, nine: &str, eleven: &str| {
        let manifest = format!("Multi-Release: {multi_release}\n");
        jar(
            &dir.path().join("j.jar"),
            &[
                ("META-INF/MANIFEST.MF", &manifest),
                ("p/C.class", "base"),
                ("p/Plain.class", "plain"),
                ("META-INF/versions/9/p/C.class", nine),
                ("META-INF/versions/11/p/C.class", eleven),
                ("META-INF/versions/9/p/Only.class", "only"),
                ("META-INF/versions/any/p/Odd.class", "odd"),
            ],
        );
        let path = class_path(dir.path(), &["j.jar"]);
        check(&path, "p/Plain", Lookup::Found("plain"));
        let expected = match multi_release {
            "true" => Lookup::Found("only"),
            _ => Lookup::Absent,
        };
        check(&path, "p/Only", expected);
        // As entries they have their own names too.
        check(&path, "META-INF/versions/9/p/C", Lookup::Found(nine));
        check(&path, "META-INF/versions/any/p/Odd", Lookup::Found("odd"));
        let Lookup::Found(found) = path.lookup("p/C") else {
            panic!("not found")
        };
        for text in ["base", nine, eleven] {
            let expected = multi_release == "true" || text == "base";
            assert_eq!(
                found.entry.has("p/C", raw(text.as_bytes())),
                expected,
                "{text}"
            );
        }
        assert!(!found.entry.has("p/C", raw(b"other")));
        found.raw
    };
    let digests = [
        digest("false", "9", "11"),
        digest("true", "9", "11"),
        digest("true", "9", "12"),
        digest("true", "8", "11"),
    ];
    assert_eq!(digests[0], raw(b"base"));
    for (n, first) in digests.iter().enumerate() {
        assert!(digests[n + 1..].iter().all(|second| first != second));
    }
}

#[test]
fn a_directory_may_appear_later() {
    let dir = tempfile::tempdir().unwrap();
    check(&class_path(dir.path(), &["d"]), "p/C", Lookup::Absent);
    write(&dir.path().join("d/p/C.class"), "c");
    check(&class_path(dir.path(), &["d"]), "p/C", Lookup::Found("c"));
}

fn cached(dir: &Path) -> Vec<PathBuf> {
    match fs::read_dir(dir.join("cache")) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    }
}

fn lookup_cached(dir: &Path) -> Lookup<tamis_fingerprint::Digest> {
    let entries = Entries::new(Some(dir.join("cache")));
    entries.entry(&dir.join("j.jar")).lookup("p/C")
}

#[test]
fn a_jar_that_has_just_changed_is_not_cached() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("j.jar");
    jar(&path, &[("p/C.class", "1")]);
    assert_eq!(lookup_cached(dir.path()), Lookup::Found(raw(b"1")));
    // An old modification time does not help: the change time is young.
    let old = SystemTime::now() - Duration::from_secs(3600);
    File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    assert_eq!(lookup_cached(dir.path()), Lookup::Found(raw(b"1")));
    assert_eq!(cached(dir.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_cached_jar_is_believed_only_while_it_is_the_same_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("j.jar");
    let old = SystemTime::now() - Duration::from_secs(3600);
    let put = |text: &str| {
        jar(&path, &[("p/C.class", text)]);
        File::options()
            .append(true)
            .open(&path)
            .unwrap()
            .set_modified(old)
            .unwrap();
    };
    put("1");
    std::thread::sleep(Duration::from_millis(2_200));
    assert_eq!(lookup_cached(dir.path()), Lookup::Found(raw(b"1")));
    let files = cached(dir.path());
    assert_eq!(files.len(), 1);
    assert_eq!(lookup_cached(dir.path()), Lookup::Found(raw(b"1")));

    // Same size and modification time: only the change time tells.
    put("2");
    assert_eq!(lookup_cached(dir.path()), Lookup::Found(raw(b"2")));

    // Damage to the cache is noticed wherever it is.
    put("1");
    std::thread::sleep(Duration::from_millis(2_200));
    lookup_cached(dir.path());
    let good = fs::read(&files[0]).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&files[0], &bad).unwrap();
        assert_eq!(
            lookup_cached(dir.path()),
            Lookup::Found(raw(b"1")),
            "byte {at}"
        );
    }
}

fn run(program: &str, arguments: &[&Path]) {
    assert!(
        Command::new(program)
            .args(arguments)
            .status()
            .unwrap()
            .success()
    );
}

/// Puts the first file into the place of the second one.
type Replace = fn(&Path, &Path);

/// Every way to replace a jar by another one of the same size and modification time.
#[test]
fn a_jar_that_is_replaced_is_read_again_whatever_its_times_say() {
    let dir = tempfile::tempdir().unwrap();
    let old = SystemTime::now() - Duration::from_secs(3600);
    let path = |name: &str| dir.path().join(name);
    let put = |name: &str, text: &str| {
        jar(&path(name), &[("p/C.class", text)]);
        let file = File::options().append(true).open(path(name)).unwrap();
        file.set_modified(old).unwrap();
    };
    let replacements: [(&str, Replace); 6] = [
        ("moved over it", |new, jar| fs::rename(new, jar).unwrap()),
        ("copied with cp -p", |new, jar| {
            run("cp", &["-p".as_ref(), new, jar]);
        }),
        ("deleted and copied with cp -p", |new, jar| {
            fs::remove_file(jar).unwrap();
            run("cp", &["-p".as_ref(), new, jar]);
        }),
        ("written into and touched", |new, jar| {
            fs::write(jar, fs::read(new).unwrap()).unwrap();
            run("touch", &["-r".as_ref(), new, jar]);
        }),
        ("linked", |new, jar| {
            fs::remove_file(jar).unwrap();
            symlink(new, jar).unwrap();
        }),
        ("hard linked", |new, jar| {
            fs::remove_file(jar).unwrap();
            fs::hard_link(new, jar).unwrap();
        }),
    ];
    for number in 0..replacements.len() {
        put(&format!("{number}.jar"), "1");
        put(&format!("{number}.new"), "2");
    }
    put("same.jar", "1");
    put("link-1.jar", "1");
    put("link-2.jar", "2");
    symlink("link-1.jar", path("link.jar")).unwrap();
    std::thread::sleep(Duration::from_millis(2_100));

    let lookup = |name: &str| {
        let entries = Entries::new(Some(path("cache")));
        entries.entry(&path(name)).lookup("p/C")
    };
    let is = |text: &str| Lookup::Found(raw(text.as_bytes()));
    for number in 0..replacements.len() {
        assert_eq!(lookup(&format!("{number}.jar")), is("1"));
    }
    assert_eq!(lookup("same.jar"), is("1"));
    assert_eq!(lookup("link.jar"), is("1"));
    let mut indexes = cached(dir.path());
    assert_eq!(indexes.len(), replacements.len() + 2);

    for (number, (how, replace)) in replacements.iter().enumerate() {
        replace(
            &path(&format!("{number}.new")),
            &path(&format!("{number}.jar")),
        );
        assert_eq!(lookup(&format!("{number}.jar")), is("2"), "{how}");
    }
    fs::remove_file(path("link.jar")).unwrap();
    symlink("link-2.jar", path("link.jar")).unwrap();
    assert_eq!(lookup("link.jar"), is("2"));

    // An index of one jar in the place of that of another.
    indexes.sort();
    let whole: Vec<Vec<u8>> = indexes.iter().map(|file| fs::read(file).unwrap()).collect();
    for (number, file) in indexes.iter().enumerate() {
        fs::write(file, &whole[(number + 1) % whole.len()]).unwrap();
    }
    assert_eq!(lookup("same.jar"), is("1"));
    assert_eq!(lookup("link-2.jar"), is("2"));
    assert_eq!(lookup("link.jar"), is("2"));
}

#[test]
fn a_cache_that_cannot_be_written_costs_time_alone() {
    let dir = tempfile::tempdir().unwrap();
    jar(&dir.path().join("j.jar"), &[("p/C.class", "1")]);
    std::thread::sleep(Duration::from_millis(2_100));
    // Not even the superuser makes a directory of a file.
    fs::write(dir.path().join("cache"), "in the way").unwrap();
    assert_eq!(lookup_cached(dir.path()), Lookup::Found(raw(b"1")));
    fs::remove_file(dir.path().join("cache")).unwrap();
    // Nor a file of a directory.
    lookup_cached(dir.path());
    let index = cached(dir.path()).pop().unwrap();
    fs::remove_file(&index).unwrap();
    fs::create_dir_all(index.join("in the way")).unwrap();
    assert_eq!(lookup_cached(dir.path()), Lookup::Found(raw(b"1")));
    assert_eq!(cached(dir.path()), [index], "nothing is left behind");
}

#[test]
fn a_smart_digest_needs_the_bytes_that_were_compared() {
    let dir = tempfile::tempdir().unwrap();
    write(
        &dir.path().join("src/p/C.java"),
        "package p; class C { int f() { return 1; } }",
    );
    let run_java = |program: &str, arguments: &[&str]| {
        let java_home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
        let program = java_home.map_or(program.into(), |home| home.join("bin").join(program));
        let status = Command::new(program)
            .args(arguments)
            .current_dir(dir.path())
            .status();
        assert!(status.unwrap().success());
    };
    run_java("javac", &["-d", "d", "src/p/C.java"]);
    run_java("jar", &["cf", "j.jar", "-C", "d", "."]);
    for entry in ["d", "j.jar"] {
        let entry = Entries::new(None).entry(&dir.path().join(entry));
        let Lookup::Found(digest) = entry.lookup("p/C") else {
            panic!("not found")
        };
        assert!(entry.smart("p/C", digest).is_some());
        assert_eq!(entry.smart("p/C", raw(b"other")), None);
        assert_eq!(entry.smart("p/D", digest), None);
    }
    write(&dir.path().join("d/p/C.class"), "no class file");
    let entry = Entries::new(None).entry(&dir.path().join("d"));
    assert_eq!(entry.smart("p/C", raw(b"no class file")), None);
}
