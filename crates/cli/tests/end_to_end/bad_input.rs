//! Everything that can be wrong before, while and after tests run: each has a clear message and an
//! exit code, and loses nothing.

use crate::shapes::junit_4_classes;
use crate::support::{Answer, Project, jdk, tamis};
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const ALL: [&str; 3] = ["CalculatorTest", "GreeterTest", "PlainTest"];

fn in_dir(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = tamis();
    command.current_dir(dir).args(arguments);
    command
}

fn project_without_maven() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("pom.xml"), "<project/>").unwrap();
    dir
}

#[test]
fn a_directory_that_is_not_a_project() {
    let dir = tempfile::tempdir().unwrap();
    for command in ["test", "select"] {
        Answer::of(in_dir(dir.path(), &[command]).output().unwrap())
            .code(2)
            .says("no pom.xml in ");
    }
    Answer::of(in_dir(dir.path(), &["why", "X"]).output().unwrap())
        .code(2)
        .says("not a Maven project");
    let nowhere = in_dir(dir.path(), &["test", "--project", "nowhere"])
        .output()
        .unwrap();
    Answer::of(nowhere).code(2).says("nowhere does not exist");
    assert!(!dir.path().join(".tamis").exists());
}

#[test]
fn no_maven() {
    let dir = project_without_maven();
    let mut command = in_dir(dir.path(), &["test"]);
    command
        .env("PATH", dir.path())
        .env_remove("MAVEN_HOME")
        .env_remove("M2_HOME");
    Answer::of(command.output().unwrap())
        .code(2)
        .says("no Maven: ");
    assert!(!dir.path().join(".tamis").exists());
}

#[test]
fn no_jdk() {
    let dir = project_without_maven();
    let maven = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|dir| dir.join("mvn"))
        .find(|file| file.exists())
        .unwrap();
    symlink(maven, dir.path().join("mvn")).unwrap();
    let check = |java_home: Option<&str>, words: &str| {
        let mut command = in_dir(dir.path(), &["test"]);
        command
            .env("PATH", dir.path())
            .env("HOME", dir.path())
            .env_remove("JAVA_HOME");
        command.envs(java_home.map(|home| ("JAVA_HOME", home)));
        Answer::of(command.output().unwrap()).code(2).says(words);
    };
    check(
        None,
        "no JDK: JAVA_HOME is not set and there is no java on the PATH",
    );
    check(
        Some("/nowhere"),
        "no JDK: JAVA_HOME is /nowhere, which has no bin/java",
    );
}

#[test]
fn a_command_that_does_not_exist() {
    let dir = tempfile::tempdir().unwrap();
    let output = in_dir(dir.path(), &["test", "--", "no-such-command"])
        .output()
        .unwrap();
    Answer::of(output)
        .code(2)
        .says("could not start no-such-command: ");
}

#[test]
fn wrong_use() {
    let dir = tempfile::tempdir().unwrap();
    Answer::of(in_dir(dir.path(), &["tset"]).output().unwrap())
        .code(2)
        .says("unrecognized subcommand");
    Answer::of(in_dir(dir.path(), &["status", "-o"]).output().unwrap()).code(2);
    let replay = in_dir(dir.path(), &["replay", "--", "true"]).output();
    Answer::of(replay.unwrap())
        .code(2)
        .says("a plain command cannot tell how each test ends without tamis");
}

#[test]
fn a_read_only_directory() {
    let dir = project_without_maven();
    let project = dir.path().join("project");
    fs::create_dir(&project).unwrap();
    fs::rename(dir.path().join("pom.xml"), project.join("pom.xml")).unwrap();
    // Root may write anywhere, so the command runs as somebody else, who must be able to reach it.
    let copy = dir.path().join("tamis");
    fs::copy(env!("CARGO_BIN_EXE_tamis"), &copy).unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&project, Permissions::from_mode(0o555)).unwrap();
    let mut command = Command::new(copy);
    command.arg("test").current_dir(&project);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    let answer = Answer::of(command.output().unwrap());
    fs::set_permissions(&project, Permissions::from_mode(0o755)).unwrap();
    answer
        .code(3)
        .says("cannot create ")
        .says("ermission denied");
}

#[test]
fn a_directory_whose_name_is_not_text() {
    let dir = tempfile::tempdir().unwrap();
    let project = dir.path().join(OsStr::from_bytes(b"p\xff"));
    fs::create_dir(&project).unwrap();
    fs::write(project.join("pom.xml"), "<project/>").unwrap();
    for arguments in [&["test"][..], &["test", "--", "true"], &["select"]] {
        Answer::of(in_dir(&project, arguments).output().unwrap())
            .code(2)
            .says("bytes that are not text");
    }
    Answer::of(in_dir(&project, &["status"]).output().unwrap())
        .code(0)
        .prints("nothing is known yet");
    assert!(!project.join("target").exists(), "nothing was built");
}

#[test]
fn a_cache_of_the_user_that_cannot_be_written() {
    let dir = project_without_maven();
    let mut command = in_dir(dir.path(), &["test", "--", "true"]);
    // Not even the superuser makes a directory in a file.
    command.env("XDG_CACHE_HOME", dir.path().join("pom.xml"));
    Answer::of(command.output().unwrap()).code(0);
    let own = fs::read_dir(dir.path().join(".tamis/cache")).unwrap();
    let names = own.map(|file| file.unwrap().file_name().into_string().unwrap());
    let names: Vec<String> = names.collect();
    assert!(
        names.len() == 1 && names[0].starts_with("libtamis_agent"),
        "{names:?}"
    );
}

#[test]
fn something_else_in_the_place_of_the_store() {
    let dir = project_without_maven();
    fs::write(dir.path().join(".tamis"), "mine").unwrap();
    Answer::of(in_dir(dir.path(), &["test"]).output().unwrap())
        .code(3)
        .says("cannot create ");
    assert_eq!(fs::read(dir.path().join(".tamis")).unwrap(), b"mine");
}

/// Runs `tamis` in a shell that lets it write no file larger than so many blocks, as on a full disk.
pub(crate) fn with_small_files(project: &Project, blocks: u32, arguments: &[&str]) -> Answer {
    let mut shell = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -S -f {blocks}; exec \"$@\"");
    shell
        .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_tamis")])
        .args(arguments);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    Answer::of(
        shell
            .env("XDG_CACHE_HOME", cache)
            .current_dir(&project.root)
            .output()
            .unwrap(),
    )
}

#[test]
fn a_disk_that_is_full_before_the_tests() {
    let project = Project::copy_of("junit5");
    with_small_files(&project, 0, &["test"])
        .code(3)
        .says("File too large");
    assert!(!project.root.join("target").exists(), "nothing was built");
    project.ask(&["test"]).code(0).selects(&ALL, &[]);
    let store = project.read(".tamis/store");
    with_small_files(&project, 0, &["test"]).code(3);
    assert_eq!(project.read(".tamis/store"), store);
    project.ask(&["test"]).code(0).selects(&[], &ALL);
}

#[test]
fn a_disk_that_is_full_after_the_tests() {
    let (project, class_path) = junit_4_classes();
    // Writes the agent to the cache.
    project.tamis(&["test", "--", "true"]).code(0);
    // The JVM itself may write what it likes.
    let java = jdk(17).join("bin/java");
    let java = format!(
        "ulimit -S -f unlimited; exec {} -cp '{class_path}' \"$@\"",
        java.display()
    );
    let command = [
        "test",
        "--",
        "sh",
        "-c",
        &java,
        "sh",
        "org.junit.runner.JUnitCore",
        "acme.PlainTest",
    ];
    with_small_files(&project, 4, &command)
        .code(3)
        .says("File too large")
        .says("and the next `tamis` command stores them");
    project
        .tamis(&["status"])
        .code(0)
        .says("stored the results of 1 test classes from an interrupted run")
        .prints("1 test class known");
    project.ask(&command).code(0).selects(&[], &["PlainTest"]);
}

#[test]
fn a_store_that_another_process_holds() {
    let project = Project::copy_of("junit5");
    fs::create_dir(project.root.join(".tamis")).unwrap();
    let lock = File::create(project.root.join(".tamis/lock")).unwrap();
    lock.lock().unwrap();
    project
        .tamis(&["test"])
        .code(3)
        .says("the store is locked by another process");
    assert!(!project.root.join("target").exists(), "nothing was built");
    lock.unlock().unwrap();
    project.ask(&["test"]).code(0).selects(&ALL, &[]);
}

fn damaged_store(damage: impl Fn(&mut Vec<u8>), words: &str) {
    let project = Project::copy_of("junit4");
    project.ask(&["test"]).code(0);
    let mut store = project.read(".tamis/store");
    damage(&mut store);
    fs::write(project.root.join(".tamis/store"), &store).unwrap();
    let all = project
        .ask(&["test"])
        .code(0)
        .selects(&ALL, &[])
        .says(words)
        .says("kept as ");
    let kept = fs::read_dir(project.root.join(".tamis")).unwrap().flatten();
    let is_kept = kept
        .filter(|file| fs::read(file.path()).is_ok_and(|bytes| bytes == store))
        .count()
        == 1;
    assert!(is_kept, "the damaged store is kept\n{all}");
    project.ask(&["test"]).code(0).selects(&[], &ALL);
}

#[test]
fn a_corrupt_store_runs_everything() {
    let flip = |store: &mut Vec<u8>| {
        let middle = store.len() / 2;
        store[middle] ^= 1;
    };
    damaged_store(flip, "the store is not used, everything runs: ");
}

#[test]
fn a_store_of_another_version_runs_everything() {
    let newer = |store: &mut Vec<u8>| store["tamis store\n".len()] = 77;
    damaged_store(newer, "written by another version of tamis");
}

#[test]
fn a_failed_compilation_leaves_the_store_untouched() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0);
    let store = project.read(".tamis/store");
    project.edit("src/main/java/acme/Calculator.java", "a + b", "a +");
    project.ask(&["test"]).code(1).selects(&[], &[]).prints(
        "tamis: the build failed before any test ran (see above); nothing recorded, the store is \
         as it was",
    );
    project
        .tamis(&["select"])
        .code(1)
        .says("COMPILATION ERROR")
        .says("the build failed");
    assert_eq!(project.read(".tamis/store"), store);
    assert_eq!(
        fs::read_dir(project.root.join(".tamis/runs"))
            .unwrap()
            .count(),
        0
    );
    project.edit("src/main/java/acme/Calculator.java", "a +", "a + b");
    project.ask(&["test"]).code(0).selects(&[], &ALL);
}

#[test]
fn a_verdict_that_cannot_be_had_runs_everything_and_its_cause_is_told() {
    let (project, class_path) = junit_4_classes();
    let java = jdk(17).join("bin/java");
    let run = |what: &str, before: &str| {
        let script = format!(
            "{before}\nexec {} -cp '{class_path}' org.junit.runner.JUnitCore acme.GreeterTest acme.PlainTest",
            java.display()
        );
        project.ask(&[what, "--", "sh", "-c", &script])
    };
    let both = ["GreeterTest", "PlainTest"];
    run("test", "").code(0).selects(&both, &[]);
    run("test", "").code(0).selects(&[], &both);
    let check = |before: &str, cause: &str| {
        let everything = |answer: Answer| {
            let told = answer
                .selects(&both, &[])
                .says("a test JVM got no answer which tests to skip, so it ran everything: ")
                .says(cause);
            let json = told.json.as_ref().unwrap();
            let reason = &json["tests"][0]["reasons"][0];
            assert_eq!(reason["kind"], "store", "{json}");
            assert!(reason["why"].as_str().unwrap().contains(cause), "{json}");
        };
        everything(run("select", before));
        everything(run("test", before).code(0));
        run("test", "").code(0).selects(&[], &both);
    };
    let conf = ".tamis/runs/*/run.conf";
    check(
        &format!("sed -i 's,^tamis=.*,tamis=/nowhere/tamis,' {conf}"),
        "cannot start /nowhere/tamis: No such file or directory",
    );
    check(
        &format!("sed -i '/^technique=/d' {conf}"),
        "run.conf has no technique",
    );
    let other_tamis = |script: &str| {
        project.write("tamis.sh", &format!("#!/bin/sh\n{script}\n"));
        let tamis = project.root.join("tamis.sh");
        fs::set_permissions(&tamis, Permissions::from_mode(0o755)).unwrap();
        format!("sed -i 's,^tamis=.*,tamis={},' {conf}", tamis.display())
    };
    check(
        &other_tamis("echo 'thread main panicked at x.rs:1:1' >&2; exit 101"),
        "`tamis verdict` failed (exit status: 101): thread main panicked at x.rs:1:1",
    );
    check(
        &other_tamis("kill -9 $$"),
        "(signal: 9 (SIGKILL)): it said nothing",
    );
    let tamis = env!("CARGO_BIN_EXE_tamis");
    let full = format!("trap '' XFSZ; ulimit -S -f 1; exec {tamis} \"$@\"");
    check(&other_tamis(&full), "File too large");
}

#[test]
fn a_store_that_is_damaged_while_tests_run_is_told() {
    let (project, class_path) = junit_4_classes();
    let java = jdk(17).join("bin/java");
    let run = |before: &str| {
        let script = format!(
            "{before}\nexec {} -cp '{class_path}' org.junit.runner.JUnitCore acme.PlainTest",
            java.display()
        );
        project.ask(&["test", "--", "sh", "-c", &script]).code(0)
    };
    run("").selects(&["PlainTest"], &[]);
    run("rm .tamis/store; mkdir .tamis/store")
        .selects(&["PlainTest"], &[])
        .says("so it ran everything: the store is not used, everything runs: cannot be read: Is a directory");
    run("").selects(&[], &["PlainTest"]);
}

#[test]
fn tests_that_run_inside_maven_are_not_recorded_and_that_is_said() {
    let project = Project::copy_of("junit4");
    project
        .ask(&["test", "-DforkCount=0"])
        .code(0)
        .says("all tests of this project ran and nothing was recorded")
        .says("because of -DforkCount=0")
        .says("forkCount of 1 or more");
    project
        .tamis(&["status"])
        .code(0)
        .prints("nothing is known yet");
}
