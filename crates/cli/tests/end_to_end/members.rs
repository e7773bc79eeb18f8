//! Methods instead of classes, which is the default.

use crate::support::Project;

const ALL: [&str; 3] = ["CalculatorTest", "GreeterTest", "PlainTest"];
const OTHERS: [&str; 2] = ["GreeterTest", "PlainTest"];
const CALCULATOR: &str = "src/main/java/acme/Calculator.java";

#[test]
fn a_method_that_no_test_executed_may_change() {
    let project = Project::copy_of("junit5");
    let subtract = "public int subtract(int a, int b) { return a - b; }";
    project.edit(
        CALCULATOR,
        "public int add",
        &format!("{subtract}\n    public int add"),
    );
    project.ask(&["test"]).code(0).selects(&ALL, &[]);

    project.edit(CALCULATOR, "a - b", "-b + a");
    project
        .ask(&["select", "--technique", "ekstazi"])
        .selects(&["CalculatorTest"], &OTHERS);
    project.ask(&["test"]).code(0).selects(&[], &ALL);

    project.edit(CALCULATOR, "a + b", "b + a");
    project
        .tamis(&["why", "CalculatorTest"])
        .code(0)
        .prints("acme.Calculator#add(int,int) changed (CIM), which it executed when it last ran");
    let ran = project.ask(&["test"]).code(0);
    let reason = ran.json.as_ref().unwrap()["tests"][0]["reasons"][0].clone();
    let expected = r#"{"kind":"member","class":"acme.Calculator","member":"add(int,int)","change":"CIM","path":"executed"}"#;
    assert_eq!(
        reason,
        serde_json::from_str::<serde_json::Value>(expected).unwrap()
    );
    ran.selects(&["CalculatorTest"], &OTHERS);

    // A rule excuses what it executed.
    let declares = "add(int a, int b) throws IllegalStateException {";
    project.edit(CALCULATOR, "add(int a, int b) {", declares);
    let excuse =
        "acme.Calculator#add(int,int) changed only in a way that cannot matter (rule throws)";
    project
        .tamis(&["why", "CalculatorTest"])
        .code(0)
        .prints(excuse);
    let ran = project.ask(&["test"]).code(0);
    let saved = &ran.json.as_ref().unwrap()["saved_by_rules"];
    assert_eq!(*saved, serde_json::json!({"throws": 1}));
    ran.says("saved by rules: throws 1").selects(&[], &ALL);
}

#[test]
fn affected_knows_methods() {
    let project = Project::copy_of("junit4");
    project.tamis(&["test"]).code(0);
    let affected = |what: &str| project.tamis(&["affected", what]).code(0);
    affected("acme.Calculator#add").prints("acme.CalculatorTest\n");
    affected("Calculator#add(int,int)").prints("acme.CalculatorTest\n");
    affected("Words#hello").prints("acme.GreeterTest\n");
    affected("Calculator#add(long)").says("none of the 3 test classes used Calculator#add(long)");
}

#[test]
fn a_wrong_choice_says_what_there_is() {
    let project = Project::copy_of("junit4");
    let refused = |arguments: &[&str], words: &str| {
        project.tamis(arguments).code(2).says(words);
    };
    refused(
        &["test", "--technique", "luck"],
        "no technique `luck`; there are: ekstazi, hyrts",
    );
    refused(
        &["select", "--treat-as-file", "XYZ"],
        "no kind of change `XYZ`; there are: ASI, DSI, CSI",
    );
    refused(
        &["select", "--without-rules", "luck"],
        "no rule `luck`; there are: throws",
    );
    refused(
        &["test", "--technique", "ekstazi", "--treat-as-file", "CIM"],
        "`ekstazi` does not compare members; these techniques do: hyrts-f, hyrts, hyrts-b",
    );
}
