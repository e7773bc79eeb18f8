//! What a user sees, from the first run to the repaired test.

use crate::support::{Answer, Project, jdk, warm_up};

/// The oldest and the newest Surefire that are supported; other tests use one between them.
const OLDEST: &str = "2.22.2";
const NEWEST: &str = "3.6.1";

const ALL: [&str; 3] = ["CalculatorTest", "GreeterTest", "PlainTest"];
const CALCULATOR: &str = "src/main/java/acme/Calculator.java";
const WORDS: &str = "src/main/java/acme/Words.java";

/// First run, second run, an edit, a comment.
fn check(project: &str, test: impl Fn(&Project) -> Answer) {
    let project = Project::copy_of(project);
    test(&project)
        .code(0)
        .selects(&ALL, &[])
        .prints("tamis: recorded 3 test classes (first run); next time only what changed will run");
    test(&project)
        .code(0)
        .selects(&[], &ALL)
        .prints("tamis: nothing to run: none of the 3 test classes is affected; ");
    project.edit(WORDS, "\"hello\"", "\"hel\" + \"lo\".trim()");
    test(&project)
        .code(0)
        .selects(&["GreeterTest"], &["CalculatorTest", "PlainTest"])
        .prints("tamis: why: 1 for changes in 1 class (acme.Words)")
        .prints("tamis: ran 1 of 3 test classes, ");
    project.edit(WORDS, "/** Words. */", "/** Words,\n  in English. */\n");
    test(&project).code(0).selects(&[], &ALL);
}

fn with_surefire(project: &str, version: &str) {
    warm_up(project, version);
    let version = format!("-Dsurefire.version={version}");
    check(project, |project| project.ask(&["test", &version]));
}

fn on_jdk(project: &str, major: u32) {
    check(project, |project| {
        let mut command = project.command(&["test"]);
        command.env("JAVA_HOME", jdk(major));
        project.ask_with(command)
    });
}

#[test]
fn junit_5_with_the_oldest_surefire() {
    with_surefire("junit5", OLDEST);
}

#[test]
fn junit_5_with_the_newest_surefire() {
    with_surefire("junit5", NEWEST);
}

#[test]
fn junit_4_with_the_oldest_surefire() {
    with_surefire("junit4", OLDEST);
}

#[test]
fn junit_4_with_the_newest_surefire() {
    with_surefire("junit4", NEWEST);
}

#[test]
fn junit_5_on_jdk_17() {
    on_jdk("junit5", 17);
}

#[test]
fn junit_5_on_jdk_25() {
    on_jdk("junit5", 25);
}

#[test]
fn junit_4_on_jdk_17() {
    on_jdk("junit4", 17);
}

#[test]
fn junit_4_on_jdk_25() {
    on_jdk("junit4", 25);
}

#[test]
fn another_jdk_runs_everything() {
    let project = Project::copy_of("junit4");
    project.ask(&["test"]).code(0);
    let mut command = project.command(&["test"]);
    command.env("JAVA_HOME", jdk(25));
    project
        .ask_with(command)
        .code(0)
        .selects(&ALL, &[])
        .says("3 ran on ");
}

#[test]
fn a_test_that_failed_stays_due_until_it_passes() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0);
    project.edit(CALCULATOR, "a + b", "a - b");
    let others = ["GreeterTest", "PlainTest"];
    for _ in 0..2 {
        project
            .ask(&["test"])
            .code(1)
            .selects(&["CalculatorTest"], &others)
            .prints("tamis: failed: acme.CalculatorTest")
            .prints("; 1 failed");
    }
    project
        .tamis(&["why", "CalculatorTest"])
        .code(0)
        .prints("it failed last time, and stays due until it passes");
    project
        .tamis(&["status"])
        .code(0)
        .prints("1 test class failed when last run");
    project.edit(CALCULATOR, "a - b", "a + b");
    project
        .ask(&["test"])
        .code(0)
        .selects(&["CalculatorTest"], &others);
    project.ask(&["test"]).code(0).selects(&[], &ALL);
}

#[test]
fn a_test_that_fails_and_passes_on_the_same_code_is_called_flaky() {
    let project = Project::copy_of("junit5");
    project.edit(
        "src/test/java/acme/PlainTest.java",
        "assertEquals(1, Integer.parseInt(\"1\"));",
        "String place = System.getProperty(\"user.dir\").replace('/', '-');
         String temporary = System.getProperty(\"java.io.tmpdir\");
         assertFalse(new java.io.File(temporary, place).mkdir());",
    );
    project.edit(
        "src/test/java/acme/PlainTest.java",
        "Assertions.assertEquals;",
        "Assertions.*;",
    );
    let flaky = |answer: Answer| answer.json.unwrap()["counts"]["flaky"].as_u64();
    let failed = project
        .ask(&["test"])
        .code(1)
        .prints("failed: acme.PlainTest");
    assert_eq!(flaky(failed), Some(0));
    let said =
        "tamis: flaky: failed last time and passed now, and nothing changed for acme.PlainTest";
    let passed = project.ask(&["test"]).code(0).prints(said);
    assert_eq!(
        flaky(passed.selects(&["PlainTest"], &["CalculatorTest", "GreeterTest"])),
        Some(1)
    );
    project.ask(&["test"]).code(0).selects(&[], &ALL);
    let place = project.root.canonicalize().unwrap();
    let place = place.to_str().unwrap().replace('/', "-");
    std::fs::remove_dir(std::env::temp_dir().join(place)).unwrap();
}

#[test]
fn a_test_that_passes_after_anything_changed_is_not_called_flaky() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0);
    // It fails unrecorded, so nobody knows whether what it used then has changed.
    project.edit("src/main/java/acme/Calculator.java", "a + b", "a - b");
    project.ask(&["test", "--mode", "run-only"]).code(1);
    project.edit("src/main/java/acme/Calculator.java", "a - b", "a + b");
    let passed = project.ask(&["test"]).code(0);
    let passed = passed.selects(&["CalculatorTest"], &["GreeterTest", "PlainTest"]);
    assert_eq!(passed.json.unwrap()["counts"]["flaky"], 0);
}

#[test]
fn a_new_test_class_runs_and_a_deleted_one_is_no_error() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0);
    let plain = String::from_utf8(project.read("src/test/java/acme/PlainTest.java")).unwrap();
    project.write(
        "src/test/java/acme/NewTest.java",
        &plain.replace("PlainTest", "NewTest"),
    );
    project
        .ask(&["test"])
        .code(0)
        .selects(&["NewTest"], &ALL)
        .prints("1 new");
    std::fs::remove_file(project.root.join("src/test/java/acme/NewTest.java")).unwrap();
    std::fs::remove_file(project.root.join("target/test-classes/acme/NewTest.class")).unwrap();
    project.ask(&["test"]).code(0).selects(&[], &ALL);
    project.ask(&["select"]).code(0).selects(&[], &ALL);
}

#[test]
fn select_says_what_test_will_do_and_runs_nothing() {
    let project = Project::copy_of("junit5");
    let stdout = |answer: &Answer| answer.stdout.clone();
    let first = project.ask(&["select"]).code(0).selects(&ALL, &[]);
    assert!(stdout(&first).contains("acme.PlainTest  new\n"), "{first}");
    assert!(
        !project
            .root
            .join("target/surefire-reports/TEST-acme.PlainTest.xml")
            .exists()
    );
    project.ask(&["test"]).code(0);

    // As after the last run: answered from the class files.
    let same = project.ask(&["select"]).code(0).selects(&[], &ALL);
    assert_eq!(stdout(&same), "");
    assert!(!same.stderr.contains("compiling"), "{same}");

    // After an edit the class files are stale: the build is asked.
    project.edit(CALCULATOR, "a + b", "b + a");
    project
        .tamis(&["why", "acme.CalculatorTest", "--no-build"])
        .code(0)
        .says("this answer is for the class files as they are")
        .prints("would be skipped");
    let skipped = ["GreeterTest", "PlainTest"];
    let edited = project
        .ask(&["select"])
        .code(0)
        .selects(&["CalculatorTest"], &skipped);
    assert_eq!(
        stdout(&edited),
        "acme.CalculatorTest  acme.Calculator#add(int,int) changed (CIM)\n"
    );
    edited
        .says("tamis: compiling to see what changed; no test runs")
        .says("1 of 3 test classes would run");

    // Now they are those of the sources again.
    let why = project.tamis(&["why", "acme.CalculatorTest"]).code(0);
    assert!(!why.stderr.contains("compiling"), "{why}");
    why.prints("acme.Calculator#add(int,int) changed (CIM), which it executed when it last ran");
    project
        .tamis(&["why", "PlainTest"])
        .code(0)
        .prints("would be skipped: nothing it used has changed")
        .prints("last run ");
    project
        .tamis(&["why", "NoTest"])
        .code(2)
        .says("no test class NoTest");
    project
        .ask(&["test"])
        .code(0)
        .selects(&["CalculatorTest"], &skipped);
}

#[test]
fn affected_and_status_tell_what_is_known() {
    let project = Project::copy_of("junit4");
    project
        .tamis(&["status"])
        .code(0)
        .prints("nothing is known yet");
    project.ask(&["test"]).code(0);
    let affected = project
        .ask(&["affected", "acme.Words"])
        .code(0)
        .says("1 of 3 test classes used acme.Words");
    assert_eq!(affected.stdout, "acme.GreeterTest\n");
    let nobody = project.tamis(&["affected", "acme.Nobody"]).code(0);
    assert_eq!(nobody.stdout, "");
    let status = project
        .ask(&["status"])
        .code(0)
        .prints("3 test classes known");
    assert_eq!(status.json.unwrap()["tests"], 3);
}

#[test]
fn skipped_classes_are_named_when_verbose_and_nothing_is_said_when_quiet() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0);
    project
        .tamis(&["test", "-v"])
        .code(0)
        .prints("BUILD SUCCESS")
        .prints("tamis: skipped acme.PlainTest  nothing it used has changed; last run ");
    let quiet = project.tamis(&["-q", "test"]).code(0);
    assert!(
        !quiet.stdout.contains("tamis") && !quiet.stdout.contains("INFO"),
        "{quiet}"
    );
}

#[test]
fn json_on_standard_output_is_alone_there() {
    let project = Project::copy_of("junit5");
    let answer = project.tamis(&["test", "--json", "-"]).code(0);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["counts"]["passed"], 3);
    assert!(answer.stderr.contains("BUILD SUCCESS"), "{answer}");
    assert!(
        answer.stderr.contains("tamis: recorded 3 test classes"),
        "{answer}"
    );
    let answer = project.tamis(&["select", "--json=-"]).code(0);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(json["counts"]["skipped"], 3);
}
