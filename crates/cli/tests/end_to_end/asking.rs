//! `tamis select` runs no test and leaves no trace in a build.

use crate::shapes::junit_4_classes;
use crate::support::{Answer, Project, jdk};
use std::fs;
use std::path::Path;
use std::process::Command;

const SOURCE: &str = "src/main/java/acme/Calculator.java";

fn javac(project: &Project, arguments: &[&str]) {
    let mut javac = Command::new(jdk(17).join("bin/javac"));
    javac.args(arguments).current_dir(&project.root);
    assert!(javac.status().unwrap().success());
}

/// Compiled classes, and a build tool that keeps in mind that tests passed.
fn caching_tool() -> (Project, String) {
    let (project, class_path) = junit_4_classes();
    fs::remove_file(project.root.join("pom.xml")).unwrap();
    fs::create_dir(project.root.join(".git")).unwrap();
    let java = jdk(17).join("bin/java");
    let script = format!(
        "[ -f passed ] && exit 0
         '{}' -cp '{class_path}' \"$@\" && touch passed",
        java.display()
    );
    project.write("build.sh", &script);
    (project, class_path)
}

#[test]
fn select_leaves_nothing_that_a_build_tool_takes_for_passed_tests() {
    let (project, _) = caching_tool();
    let passed = project.root.join("passed");
    let run = |command: &[&'static str]| {
        let build = ["--", "sh", "build.sh", "org.junit.runner.JUnitCore"];
        let tests = ["acme.CalculatorTest", "acme.GreeterTest"];
        project.ask(&[command, &build, &tests].concat())
    };
    run(&["test"]).code(0);
    assert!(passed.exists());
    fs::remove_file(&passed).unwrap();

    project.edit(SOURCE, "a + b", "a - b");
    javac(&project, &["-d", "target/classes", SOURCE]);
    run(&["select"])
        .code(0)
        .selects(&["CalculatorTest"], &["GreeterTest"])
        .says("the command failed because tamis ended its test JVMs")
        .says("1 of 2 test classes would run");
    assert!(!passed.exists());
    run(&["test"]).code(1);
}

#[test]
fn select_ends_a_jvm_before_tests_run_that_it_cannot_hold_back() {
    let (project, class_path) = caching_tool();
    project.write(
        "src/test/java/acme/OldTest.java",
        "package acme;
        public class OldTest extends junit.framework.TestCase {
            public void testIt() throws Exception { new java.io.File(\"ran\").createNewFile(); }
        }",
    );
    let source = "src/test/java/acme/OldTest.java";
    javac(
        &project,
        &["-cp", &class_path, "-d", "target/test-classes", source],
    );
    let build = [
        "--",
        "sh",
        "build.sh",
        "junit.textui.TestRunner",
        "acme.OldTest",
    ];
    let ran = project.root.join("ran");
    let answer = project
        .ask(&[&["select"], &build[..]].concat())
        .code(1)
        .says("no answer for the tests of JUnit 3: tamis cannot keep them from running")
        .says("tamis: no answer (see above)");
    assert_eq!(framework(&answer), "JUnit 3");
    assert!(!ran.exists() && !project.root.join("passed").exists());
    project.tamis(&[&["test"], &build[..]].concat()).code(0);
    assert!(ran.exists());
}

fn framework(answer: &Answer) -> &str {
    let json = answer.json.as_ref().unwrap();
    json["unheld"][0]["framework"].as_str().unwrap()
}

#[test]
fn select_answers_for_the_other_modules_of_one_with_testng() {
    let project = Project::copy_of("modules");
    let module = |file: &str| format!("web/{file}");
    project.edit(
        &module("pom.xml"),
        "</dependencies>",
        "<dependency>
           <groupId>org.testng</groupId><artifactId>testng</artifactId>
           <version>7.5.1</version><scope>test</scope>
         </dependency>
       </dependencies>
       <build><plugins><plugin>
         <artifactId>maven-surefire-plugin</artifactId>
         <dependencies><dependency>
           <groupId>org.apache.maven.surefire</groupId>
           <artifactId>surefire-testng</artifactId><version>3.5.2</version>
         </dependency></dependencies>
       </plugin></plugins></build>",
    );
    project.write(
        &module("src/test/java/acme/NgTest.java"),
        "package acme;
        public class NgTest {
            @org.testng.annotations.Test public void ran() throws Exception {
                new java.io.File(\"ran\").createNewFile();
            }
        }",
    );
    let answer = project
        .ask(&["select"])
        .code(1)
        .says("tests of TestNG in web");
    assert_eq!(framework(&answer), "TestNG");
    assert!(!answer.tests(true).is_empty(), "{answer}");
    assert!(!project.root.join(module("ran")).exists());
}

#[test]
fn select_does_not_start_a_build_whose_tests_the_agent_does_not_reach() {
    let project = Project::copy_of("junit5");
    project
        .tamis(&["select", "-DforkCount=0"])
        .code(2)
        .says("the build would run its tests: with ")
        .says("-DforkCount=0");
    assert!(!Path::new(&project.root.join("target")).exists());
}
