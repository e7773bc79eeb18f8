//! `--mode`: recording while tests run, afterwards, or not at all.

use crate::support::Project;
use std::time::Duration;

const ALL: [&str; 3] = ["CalculatorTest", "GreeterTest", "PlainTest"];
const OTHERS: [&str; 2] = ["GreeterTest", "PlainTest"];

#[test]
fn offline_gives_results_first_and_records_later() {
    for name in ["junit4", "junit5"] {
        let project = Project::copy_of(name);
        let offline = ["test", "--mode", "offline"];
        project
            .ask(&offline)
            .code(0)
            .selects(&ALL, &[])
            .says("ran all of the 3 test classes; not recorded yet, `tamis collect` does it");
        // Nothing is known yet.
        project.ask(&offline).code(0).selects(&ALL, &[]);
        let collected = project.ask(&["collect"]).code(0).selects(&ALL, &[]);
        collected.says("recorded all of the 3 test classes");
        project.ask(&offline).code(0).selects(&[], &ALL);

        project.edit("src/main/java/acme/Calculator.java", "a + b", "b + a");
        project
            .ask(&offline)
            .code(0)
            .selects(&["CalculatorTest"], &OTHERS);
        project
            .ask(&["collect"])
            .code(0)
            .selects(&["CalculatorTest"], &OTHERS);
        project.ask(&["test"]).code(0).selects(&[], &ALL);
    }
}

#[test]
fn a_test_that_fails_unrecorded_stays_due_and_one_that_passes_is_no_news() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0);
    project.edit("src/main/java/acme/Calculator.java", "a + b", "a - b");
    let run_only = ["test", "--mode", "run-only"];
    project
        .ask(&run_only)
        .code(1)
        .selects(&["CalculatorTest"], &OTHERS)
        .says("not recorded");
    // The code is again that of the last recording, but the test failed since.
    project.edit("src/main/java/acme/Calculator.java", "a - b", "a + b");
    project
        .ask(&run_only)
        .code(0)
        .selects(&["CalculatorTest"], &OTHERS);
    project
        .ask(&["test"])
        .code(0)
        .selects(&["CalculatorTest"], &OTHERS);
    project.ask(&["test"]).code(0).selects(&[], &ALL);
}

#[test]
fn collecting_in_the_background_returns_at_once() {
    let project = Project::copy_of("junit5");
    project
        .tamis(&["collect", "--background"])
        .code(0)
        .says("collecting in the background, process ");
    let log = project.root.join(".tamis/collect.log");
    let mut said = String::new();
    for _ in 0..600 {
        said = std::fs::read_to_string(&log).unwrap_or_default();
        if said.contains("recorded all of the 3 test classes") {
            project.ask(&["test"]).code(0).selects(&[], &ALL);
            return;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    panic!("{said}");
}
