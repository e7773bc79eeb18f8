//! Techniques that need no recording: `mest` and `fest`, with a git revision or with what an earlier run left behind.

use crate::support::{Answer, Project};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const ALL: [&str; 3] = ["CalculatorTest", "GreeterTest", "PlainTest"];
const OTHERS: [&str; 2] = ["GreeterTest", "PlainTest"];
const CALCULATOR: &str = "src/main/java/acme/Calculator.java";

const SINCE_HEAD: [&str; 4] = ["--technique", "mest", "--diff", "HEAD"];

fn git(dir: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(dir)
        .args(["-c", "user.name=A", "-c", "user.email=a@b"]);
    let output = Answer::of(git.args(arguments).output().unwrap());
    assert_eq!(output.code, Some(0), "git {arguments:?}: {output}");
}

/// A checkout of a project that was never built.
fn checkout() -> Project {
    let project = Project::copy_of("junit5");
    project.write(".gitignore", "target\n");
    git(&project.root, &["init", "-q"]);
    commit(&project);
    project
}

fn commit(project: &Project) {
    git(&project.root, &["add", "-A"]);
    git(&project.root, &["commit", "-q", "-m", "Next"]);
}

fn since_head(command: &'static str, more: &[&'static str]) -> Vec<&'static str> {
    [&[command], &SINCE_HEAD[..], more].concat()
}

/// The reasons of a test.
#[track_caller]
fn reasons(answer: &Answer, test: &str) -> Value {
    let json = answer.json.as_ref().unwrap();
    let tests = json["tests"].as_array().unwrap().iter();
    let mut named = tests.filter(|of| of["id"] == format!("acme.{test}"));
    named.next().unwrap()["reasons"].clone()
}

/// The first reason of a test is that it reaches a change, and this is the way.
#[track_caller]
fn reaches(answer: &Answer, test: &str, path: &[&str]) {
    let reason = reasons(answer, test)[0].clone();
    assert_eq!(reason, json!({"kind": "reaches", "path": path}));
}

const TO_ADD: [&str; 2] = ["acme.CalculatorTest#adds()", "acme.Calculator#add(int,int)"];

#[test]
fn in_a_fresh_clone_only_what_reaches_a_change_runs() {
    let project = checkout();
    project.edit(CALCULATOR, "a + b", "b + a");
    let answer = project
        .ask(&since_head("select", &[]))
        .code(0)
        .selects(&["CalculatorTest"], &OTHERS);
    reaches(&answer, "CalculatorTest", &TO_ADD);
    answer.prints(
        "acme.CalculatorTest  acme.CalculatorTest#adds() → \
         acme.Calculator#add(int,int) (changed)\n",
    );

    let ran = project
        .ask(&since_head("test", &[]))
        .code(0)
        .selects(&["CalculatorTest"], &OTHERS);
    let counts = &ran.json.as_ref().unwrap()["counts"];
    assert_eq!(
        (&counts["passed"], &counts["known"]),
        (&json!(1), &json!(0))
    );
    let report = |test: &str| {
        let report = format!("target/surefire-reports/TEST-acme.{test}.xml");
        project.root.join(report).exists()
    };
    assert_eq!(ALL.map(report), [true, false, false]);
}

/// `PlainTest` has a copy of a constant, and `Greeter` reads a file.
fn checkout_with_constant_and_file() -> Project {
    let project = checkout();
    let limits = "package acme;\n\nclass Limits {\n    static final int MOST = 3;\n}\n";
    project.write("src/main/java/acme/Limits.java", limits);
    project.write("src/main/resources/words.txt", "hello\n");
    let plain = "src/test/java/acme/PlainTest.java";
    project.edit(plain, "parseInt(\"1\")", "min(Limits.MOST, 1)");
    let greeter = "src/main/java/acme/Greeter.java";
    let reads =
        "Greeter.class.getResource(\"/words.txt\").getPath().length() > 0 ? \"hello\" : null";
    project.edit(greeter, "Words.hello()", &format!("({reads})"));
    project.write("README.md", "One.\n");
    commit(&project);
    project
}

#[test]
fn files_constants_and_the_build_count_since_a_revision() {
    let project = checkout_with_constant_and_file();
    project.edit(CALCULATOR, "a + b", "b + a");
    project
        .ask(&since_head("test", &[]))
        .code(0)
        .selects(&["CalculatorTest"], &OTHERS);
    commit(&project);
    // Where classes are is known now, of tests that did not run, too.
    let ask = || project.ask(&since_head("select", &["--no-build"])).code(0);
    ask().selects(&[], &ALL);

    let check = |file: &str, old: &str, new: &str, selected: &[&str]| {
        project.edit(file, old, new);
        let answer = ask();
        assert_eq!(answer.tests(true), selected, "{file}: {answer}");
        project.edit(file, new, old);
        answer
    };
    check("README.md", "One", "Two", &[]);
    let file = "src/main/resources/words.txt";
    let answer = check(file, "hello", "hi", &["GreeterTest"]);
    let path = [
        "acme.GreeterTest#greets()",
        "acme.Greeter#greet(String)",
        "\"/words.txt\"",
        "words.txt",
    ];
    reaches(&answer, "GreeterTest", &path);

    let limits = "src/main/java/acme/Limits.java";
    let answer = check(limits, "= 3", "= 4", &["PlainTest"]);
    let path = ["acme.PlainTest#parses()"];
    reaches(&answer, "PlainTest", &path);

    let answer = check("pom.xml", "<version>1<", "<version>2<", &ALL);
    let changed = json!([{"kind": "build", "name": "pom.xml", "change": "changed"}]);
    assert_eq!(reasons(&answer, "PlainTest"), changed);
    answer.prints("acme.PlainTest  pom.xml changed\n");

    // Nobody knows what others may have copied of a source that is not understood.
    check(CALCULATOR, "b + a;", "b + ;", &ALL);
}

#[test]
fn without_a_revision_tests_are_compared_with_their_last_run() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0).selects(&ALL, &[]);
    project.edit(CALCULATOR, "a + b", "a - b");
    let answer = project
        .ask(&["select", "--technique", "mest"])
        .code(0)
        .selects(&["CalculatorTest"], &OTHERS);
    reaches(&answer, "CalculatorTest", &TO_ADD);
    // The class files are those of the sources now.
    let ask = |technique: &str, more: &[&str]| {
        let start = ["select", "--no-build", "--technique", technique];
        project.ask(&[&start, more].concat()).code(0)
    };
    for technique in ["fest", "firewall"] {
        let answer = ask(technique, &[]).selects(&["CalculatorTest"], &OTHERS);
        let path = ["acme.CalculatorTest", "acme.Calculator"];
        reaches(&answer, "CalculatorTest", &path);
    }

    // One that failed in one of the last runs is selected, whatever changed.
    project.ask(&["test"]).code(1);
    project.edit(CALCULATOR, "a - b", "a + b");
    project.ask(&["test"]).code(0);
    let answer = ask("mest", &[]).selects(&["CalculatorTest"], &OTHERS);
    let failed = json!([{"kind": "recently-failed", "runs": 2}]);
    assert_eq!(reasons(&answer, "CalculatorTest"), failed);
    answer.prints("acme.CalculatorTest  failed 2 runs ago\n");
    ask("mest", &["--recent-runs", "1"]).selects(&[], &ALL);

    // What cannot be read is taken for changed.
    for class in ["classes/acme/Words", "test-classes/acme/GreeterTest"] {
        let file = project.root.join(format!("target/{class}.class"));
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        for technique in ["mest", "fest"] {
            let answer = ask(technique, &["--recent-runs", "0"]);
            answer.selects(&["GreeterTest"], &["CalculatorTest", "PlainTest"]);
        }
        fs::write(&file, whole).unwrap();
    }

    // A run of one of its tests says nothing of the others.
    project.edit(CALCULATOR, "a + b", "b + a");
    project
        .tamis(&["test", "-Dtest=CalculatorTest#adds"])
        .code(0);
    let answer = ask("mest", &["--recent-runs", "0"]).selects(&["CalculatorTest"], &OTHERS);
    reaches(&answer, "CalculatorTest", &TO_ADD);
}

#[test]
fn tests_that_were_never_recorded_may_be_left_to_a_technique_that_needs_no_recording() {
    let project = checkout();
    project.edit(CALCULATOR, "a + b", "b + a");
    let answer = project
        .ask(&["test", "--unrecorded", "mest", "--diff", "HEAD"])
        .code(0)
        .selects(&["CalculatorTest"], &OTHERS);
    reaches(&answer, "CalculatorTest", &TO_ADD);
    // What was left out is as unknown as before.
    let answer = project
        .ask(&["test"])
        .code(0)
        .selects(&OTHERS, &["CalculatorTest"]);
    assert_eq!(reasons(&answer, "PlainTest"), json!([{"kind": "new"}]));
}

#[test]
fn a_question_that_cannot_be_answered_says_why() {
    let project = checkout();
    let refused = |project: &Project, arguments: &[&str], words: &[&str]| {
        let answer = project.tamis(arguments).code(2);
        words
            .iter()
            .fold(answer, |answer, words| answer.says(words));
        assert!(!project.root.join("target").exists(), "nothing was built");
    };
    for command in ["select", "test"] {
        refused(
            &project,
            &[command, "--technique", "mest", "--diff", "no-such"],
            &["there is no revision `no-such` in this repository; run `git fetch`"],
        );
    }
    refused(
        &project,
        &["select", "--diff", "HEAD"],
        &[
            "`hyrts` decides by recordings; these do not: firewall, fest, mest",
            "or add `--unrecorded mest`",
        ],
    );
    refused(
        &project,
        &["test", "--technique", "mest", "--unrecorded", "fest"],
        &["`mest` asks for no recordings: leave out `--unrecorded`"],
    );
    for more in [&[][..], &["--diff", "HEAD"]] {
        let arguments = ["select", "--no-build", "--technique", "mest"];
        refused(
            &project,
            &[&arguments, more].concat(),
            &[
                "it is not known where classes are",
                "leave out `--no-build`",
            ],
        );
    }

    // A clone of the last commit only, as CI makes it.
    git(&project.root, &["commit", "-q", "--allow-empty", "-m", "B"]);
    let shallow = project.root.with_file_name("shallow");
    let from = format!("file://{}", project.root.display());
    let to = shallow.to_str().unwrap();
    git(&project.root, &["clone", "-q", "--depth", "1", &from, to]);
    let asked = ["--project", to, "select", "--technique", "mest"];
    refused(
        &project,
        &[&asked[..], &["--diff", "HEAD~1"]].concat(),
        &["there is no revision `HEAD~1`", "shallow", "fetch-depth: 0"],
    );

    fs::remove_dir_all(project.root.join(".git")).unwrap();
    refused(
        &project,
        &since_head("select", &[]),
        &["is not in a git repository"],
    );
}
