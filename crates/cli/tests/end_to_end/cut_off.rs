//! Runs that end too early: what finished is kept, what did not runs again.

use crate::bad_input::with_small_files;
use crate::shapes::junit_4_classes;
use crate::support::{Answer, Project, jdk};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tamis_recording::Record;

const OTHERS: [&str; 3] = ["CalculatorTest", "GreeterTest", "PlainTest"];

/// A test class that comes last and does something rude while a file is there.
fn project_with(rude: &str) -> Project {
    let project = Project::copy_of("junit5");
    let version = "<version>${surefire.version}</version>";
    let order = "<configuration><runOrder>alphabetical</runOrder></configuration>";
    project.edit("pom.xml", version, &format!("{version}{order}"));
    project.write(
        "src/test/java/acme/RudeTest.java",
        &format!(
            "package acme;\n\
             import java.nio.file.*;\n\
             class RudeTest {{\n\
               @org.junit.jupiter.api.Test void isRude() throws Exception {{\n\
                 Path file = Paths.get(\"target/rude\");\n\
                 if (Files.exists(file)) {{ Files.write(file, new byte[] {{1}}); {rude} }}\n\
               }}\n\
             }}\n"
        ),
    );
    project.write("target/rude", "");
    project
}

fn started(project: &Project) -> Child {
    let mut command = project.command(&["test"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while project.read("target/rude") != [1] {
        assert!(
            Instant::now() < deadline && child.try_wait().unwrap().is_none(),
            "never started"
        );
        thread::sleep(Duration::from_millis(20));
    }
    child
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

/// After the rude test was cut off, only it runs again.
fn only_the_rude_test_is_due(project: &Project) {
    fs::remove_file(project.root.join("target/rude")).unwrap();
    project
        .ask(&["test"])
        .code(0)
        .selects(&["RudeTest"], &OTHERS);
    project.tamis(&["test"]).code(0).says("nothing to run");
}

#[test]
fn a_jvm_that_is_killed_loses_only_the_test_it_was_in() {
    let kill = "new ProcessBuilder(\"kill\", \"-9\", \"\" + ProcessHandle.current().pid()).start();\
                Thread.sleep(60000);";
    let project = project_with(kill);
    project
        .ask(&["test"])
        .code(1)
        .says("1 did not finish")
        .says("did not finish: acme.RudeTest")
        .says("1 of 1 test JVMs did not shut down normally");
    only_the_rude_test_is_due(&project);
}

#[test]
fn an_interrupted_run_keeps_what_finished() {
    let project = project_with("Thread.sleep(60000);");
    let child = started(&project);
    send(&child, Signal::INT);
    Answer::of(child.wait_with_output().unwrap())
        .code(130)
        .says("interrupted; the results of 3 test classes are kept, 1 did not finish and will run again");
    only_the_rude_test_is_due(&project);
}

#[test]
fn a_terminated_run_keeps_what_finished() {
    let project = project_with("Thread.sleep(60000);");
    let child = started(&project);
    send(&child, Signal::TERM);
    Answer::of(child.wait_with_output().unwrap())
        .code(130)
        .says("interrupted; ");
    only_the_rude_test_is_due(&project);
}

#[test]
fn what_a_killed_tamis_left_behind_is_taken_in_next_time() {
    let project = project_with("Thread.sleep(3000);");
    let mut child = started(&project);
    send(&child, Signal::KILL);
    child.wait().unwrap();
    // Maven goes on alone for a while.
    thread::sleep(Duration::from_millis(200));
    project
        .tamis(&["status"])
        .code(0)
        .says("stored the results of 3 test classes from an interrupted run")
        .prints("1 test class did not finish when last run");
    // It holds the pipe until it ends, and on its way deletes what the next Maven would need.
    child.wait_with_output().unwrap();
    only_the_rude_test_is_due(&project);
}

#[test]
fn runs_at_the_same_time_lose_nothing_of_each_other() {
    let (project, class_path) = junit_4_classes();
    let java = jdk(17).join("bin/java");
    let start = |tests: &[&str]| {
        let jvm = [java.to_str().unwrap(), "-cp", &class_path];
        let runner = ["org.junit.runner.JUnitCore"];
        let command = [&["test", "--"], &jvm[..], &runner, tests].concat();
        let mut command = project.command(&command);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let all = ["acme.CalculatorTest", "acme.GreeterTest", "acme.PlainTest"];
    let mut runs: Vec<Child> = all.iter().map(|test| start(&[test])).collect();
    runs.push(start(&all));
    for run in runs {
        Answer::of(run.wait_with_output().unwrap()).code(0);
    }
    project.tamis(&["status"]).prints("3 test classes known");
    let again = start(&all).wait_with_output().unwrap();
    Answer::of(again).code(0).says("nothing to run");
    let left = fs::read_dir(project.root.join(".tamis/runs")).unwrap();
    assert_eq!(left.count(), 0);
}

/// The records of the only JVM of a run that could not be taken in.
fn records(project: &Project) -> Vec<Record> {
    let runs = fs::read_dir(project.root.join(".tamis/runs")).unwrap();
    let files = runs.flat_map(|run| fs::read_dir(run.unwrap().path()).unwrap());
    let mut spools = files.map(|file| file.unwrap().path());
    let spool = spools.find(|file| file.extension().is_some_and(|e| e == "spool"));
    let spool = tamis_recording::read(&fs::read(spool.unwrap()).unwrap());
    assert_eq!(spool.damage, None);
    spool.records
}

#[test]
fn a_class_ends_behind_its_tests_so_that_a_cut_between_them_loses_none() {
    let (project, class_path) = junit_4_classes();
    // Writes the agent to the cache.
    project.tamis(&["test", "--", "true"]).code(0);
    let java = jdk(17).join("bin/java");
    let java = format!(
        "ulimit -S -f unlimited; exec {} -cp '{class_path}' \"$@\"",
        java.display()
    );
    let runner = ["org.junit.runner.JUnitCore", "acme.CalculatorTest"];
    let by_method = [
        "test",
        "--granularity",
        "method",
        "--",
        "sh",
        "-c",
        &java,
        "sh",
    ];
    with_small_files(&project, 4, &[&by_method[..], &runner].concat()).code(3);
    let mut names = Vec::new();
    let mut ends = Vec::new();
    for record in records(&project) {
        match record {
            Record::UnitStarted { test, .. } => names.push(test.to_string()),
            Record::UnitFinished { unit, .. } => ends.push(names[unit as usize].clone()),
            _ => {}
        }
    }
    assert_eq!(ends, ["acme.CalculatorTest#adds", "acme.CalculatorTest"]);
}
