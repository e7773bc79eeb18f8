//! `tamis replay`: history and mutants of a small project.

use crate::support::Project;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// A project under version control.
fn repository() -> Project {
    let project = Project::copy_of("junit5");
    git(&project, &["init", "-q", "-b", "main"]);
    fs::write(project.root.join(".gitignore"), "target\n.tamis\n").unwrap();
    commit(&project, "First");
    project
}

fn git(project: &Project, arguments: &[&str]) -> String {
    let name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    let output = Command::new("git")
        .args(name)
        .args(arguments)
        .current_dir(&project.root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn commit(project: &Project, subject: &str) {
    git(project, &["add", "-A"]);
    git(project, &["commit", "-qm", subject]);
}

fn list<'v>(value: &'v Value, what: &str) -> Vec<&'v str> {
    let items = value.as_array().unwrap().iter();
    items.map(|item| item[what].as_str().unwrap()).collect()
}

#[test]
fn history_is_replayed_on_a_clone() {
    let project = repository();
    let calculator = "src/main/java/acme/Calculator.java";
    project.write("README.md", "words");
    commit(&project, "Only words");
    project.edit(calculator, "a + b", "a +");
    commit(&project, "Broken");
    project.edit(calculator, "a +;", "a - b;");
    commit(&project, "Wrong");
    project.edit(calculator, "a - b", "b + a");
    commit(&project, "Right <again>");
    let before = git(&project, &["status", "--porcelain", "--ignored"]);

    let arguments = [
        "replay",
        "--last",
        "4",
        "--techniques",
        "ekstazi,hyrts+method",
    ];
    let answer = project.ask(&arguments).code(0);
    let answer = answer
        .says("Maven failed: ")
        .says("left out: it does not build")
        .says("left out: nothing changed that could matter to a test");
    let json = answer.json.as_ref().unwrap();
    let replay = &json["replay"];
    assert_eq!(
        list(&replay["steps"], "subject"),
        ["First", "Wrong", "Right <again>"]
    );
    assert_eq!(
        list(&replay["skipped"], "why"),
        ["no-relevant-change", "does-not-build"]
    );
    for step in replay["steps"].as_array().unwrap().iter().skip(1) {
        assert_eq!(step["retest"]["differing"][0], ":acme.CalculatorTest");
        for technique in ["ekstazi", "hyrts+method"] {
            let tried = &step["techniques"][technique];
            assert_eq!(tried["selected"], 1, "{step}");
            assert_eq!(tried["classes"], 3, "{step}");
            assert_eq!(tried["missed"].as_array().unwrap().len(), 0, "{step}");
            assert_eq!(tried["aec"].as_array().unwrap().len(), 1, "{step}");
        }
    }
    let endings = serde_json::json!({ "new": 0, "failed": 1, "repaired": 1, "otherwise": 0 });
    assert_eq!(json["figures"]["endings"], endings);
    let report = project.root.join(".tamis/replay/report");
    let page = fs::read_to_string(report.join("report.html")).unwrap();
    assert!(page.contains("Right &lt;again&gt;"));
    for file in ["report.md", "steps.csv", "replay.json"] {
        assert!(report.join(file).metadata().unwrap().len() > 0, "{file}");
    }
    // The checkout is as it was, but for what tamis keeps in its own directory.
    let after = git(&project, &["status", "--porcelain", "--ignored"]);
    assert_eq!(after.replace("!! .tamis/\n", ""), before);
    assert_eq!(
        git(&project, &["log", "-1", "--format=%s"]),
        "Right <again>\n"
    );

    // All is done already; another way to replay is another replay.
    let again = project.ask(&arguments).code(0);
    again.says("5 of 5 revisions are done already");
    project
        .ask(&["replay", "--last", "4", "--techniques", "hyrts"])
        .code(2)
        .says("its techniques differ")
        .says("--restart");
    project
        .ask(&["replay", "--from", "nowhere"])
        .code(2)
        .says("nowhere");
    project
        .ask(&["replay", "--techniques", "ekstasy"])
        .code(2)
        .says("ekstasy");
}

#[test]
fn a_test_that_failed_by_chance_at_the_revision_before_is_not_missed() {
    let project = repository();
    // A temporary file: tests do not depend on it, and no revision clears it away.
    let runs = std::env::temp_dir().join(format!("tamis-moody-{}", std::process::id()));
    project.write(
        "src/test/java/acme/MoodyTest.java",
        &r#"package acme;
        import java.nio.file.*;
        class MoodyTest {
          @org.junit.jupiter.api.Test void failsTheSecondTime() throws Exception {
            Path file = Paths.get("RUNS");
            int runs = Files.exists(file) ? Files.readAllBytes(file).length : 0;
            Files.write(file, new byte[runs + 1]);
            if (runs == 1) throw new AssertionError("bad mood");
          }
        }"#
        .replace("RUNS", runs.to_str().unwrap()),
    );
    commit(
        &project,
        "A test that is recorded, then fails with all others",
    );
    project.edit("src/main/java/acme/Calculator.java", "a + b", "b + a");
    commit(&project, "Something else");
    let arguments = [
        "replay",
        "--last",
        "1",
        "--techniques",
        "ekstazi",
        "--no-ae",
    ];
    let answer = project
        .ask(&arguments)
        .code(0)
        .says("again, in case one is flaky");
    let step = &answer.json.as_ref().unwrap()["replay"]["steps"][1];
    assert_eq!(step["retest"]["differing"].as_array().unwrap().len(), 0);
    assert_eq!(step["retest"]["flaky"][0], ":acme.MoodyTest");
    let tried = &step["techniques"]["ekstazi"];
    assert_eq!(tried["missed"].as_array().unwrap().len(), 0, "{step}");
    assert_eq!(tried["ae"].as_array().unwrap().len(), 0, "{step}");
    assert_eq!(tried["selected"], 1, "{step}");
    fs::remove_file(runs).unwrap();
}

#[test]
fn mutants_are_killed_by_what_techniques_select() {
    let project = repository();
    let arguments = [
        "replay",
        "--mutants",
        "6",
        "--seed",
        "7",
        "--techniques",
        "ekstazi,hyrts-b,hyrts+method",
    ];
    let answer = project.ask(&arguments).code(0);
    let json = answer.json.as_ref().unwrap();
    let mutants = json["replay"]["mutants"].as_array().unwrap();
    assert_eq!(mutants.len(), 6);
    let killed = |mutant: &&Value| !mutant["killers"].as_array().unwrap().is_empty();
    assert!(mutants.iter().filter(killed).count() > 0, "{json}");
    for mutant in mutants {
        for (name, survey) in mutant["techniques"].as_object().unwrap() {
            assert_eq!(
                survey["missed"].as_array().unwrap().len(),
                0,
                "{name}: {mutant}"
            );
            assert_eq!(
                survey["kills"].as_bool(),
                Some(killed(&mutant)),
                "{name}: {mutant}"
            );
        }
    }
}

#[test]
fn mutants_that_run_alone_are_judged_by_outcomes_and_output() {
    let project = Project::copy_of("junit5");
    for file in [
        "main/java/acme/Calculator",
        "main/java/acme/Words",
        "test/java/acme/CalculatorTest",
    ] {
        fs::remove_file(project.root.join(format!("src/{file}.java"))).unwrap();
    }
    project.write(
        "src/main/java/acme/Greeter.java",
        "package acme;
        public final class Greeter {
          public static String greeting() { return \"hello\"; }
          public static String never() { return \"never\"; }
        }",
    );
    project.write(
        "src/test/java/acme/GreeterTest.java",
        "package acme;
        class GreeterTest {
          @org.junit.jupiter.api.Test void prints() { System.out.println(Greeter.greeting()); }
          @org.junit.jupiter.api.Test void varies() { System.err.println(System.nanoTime()); }
        }",
    );
    git(&project, &["init", "-q", "-b", "main"]);
    fs::write(project.root.join(".gitignore"), "target\n.tamis\n").unwrap();
    commit(&project, "First");
    // A method of which nobody executes anything gets its mutant, too: two methods, two mutants.
    let arguments = [
        "replay",
        "--mutants",
        "2",
        "--alone",
        "--techniques",
        "hyrts",
    ];
    let answer = project
        .ask(&arguments)
        .code(0)
        .prints("2 mutants ran alone");
    let json = answer.json.as_ref().unwrap();
    let unmutated = &json["replay"]["unmutated"];
    assert_eq!(unmutated["goal"], "surefire:test@default-test");
    assert_eq!(unmutated["varying_output"][0], ":acme.GreeterTest");
    let mutants = json["replay"]["mutants"].as_array().unwrap();
    let mut judged: Vec<(&str, usize, usize)> = mutants
        .iter()
        .map(|mutant| {
            let output = mutant["alone"]["output"].as_array().unwrap().len();
            let survey = &mutant["techniques"]["hyrts"];
            assert_eq!(survey["missed"].as_array().unwrap().len(), 0, "{mutant}");
            assert_eq!(mutant["killers"].as_array().unwrap().len(), 0, "{mutant}");
            let selected = survey["selected"].as_u64().unwrap();
            (
                mutant["method"].as_str().unwrap(),
                output,
                selected as usize,
            )
        })
        .collect();
    judged.sort_unstable();
    let greeting = ("greeting()Ljava/lang/String;", 1, 1);
    let never = ("never()Ljava/lang/String;", 0, 0);
    assert_eq!(judged, [greeting, never]);
    let figures = &json["figures"]["mutants"]["all"];
    assert_eq!(
        (&figures["changed"], &figures["only_output"]),
        (&1.into(), &1.into())
    );
    // All is done already; without `--alone` it is another replay.
    project
        .ask(&arguments)
        .code(0)
        .says("all mutants are done already");
    let area = project.root.join(".tamis/mutants-alone");
    let other = [
        "replay",
        "--mutants",
        "2",
        "--area",
        area.to_str().unwrap(),
        "--techniques",
        "hyrts",
    ];
    project
        .ask(&other)
        .code(2)
        .says("one runs each mutant alone, the other does not");
    project
        .ask(&["replay", "--alone"])
        .code(2)
        .says("--mutants");
}
