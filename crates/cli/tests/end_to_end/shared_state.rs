//! Tests of one JVM that share what a framework keeps for them.

use crate::support::Project;

const TARIFF: &str = "src/main/java/acme/Tariff.java";
const SUPPLIER: &str = "src/main/java/acme/Supplier.java";
const PROPERTIES: &str = "src/main/resources/application.properties";

/// Changes one thing, asks what would run, runs all tests without tamis, and changes it back.
/// The tests that need not run are the answer.
#[track_caller]
fn check(project: &Project, (file, old, new): (&str, &str, &str), failing: &[&str]) -> Vec<String> {
    project.edit(file, old, new);
    let answer = project.ask(&["select"]).code(0);
    let selected = answer.tests(true);
    for test in failing {
        assert!(
            selected.contains(&(*test).to_owned()),
            "{test} is missed\n{answer}"
        );
    }
    assert_eq!(failed_without_tamis(project), failing, "{file}: {new}");
    project.edit(file, new, old);
    answer.tests(false)
}

/// The test classes that fail in a plain build.
fn failed_without_tamis(project: &Project) -> Vec<String> {
    let mut maven = std::process::Command::new("mvn");
    maven
        .args(["-q", "-B", "-o", "test"])
        .current_dir(&project.root);
    maven.output().unwrap();
    let reports = project.root.join("target/surefire-reports");
    let mut failed: Vec<String> = std::fs::read_dir(reports)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "txt"))
        .filter(|file| std::fs::read_to_string(file).unwrap().contains("FAILURE"))
        .map(|file| {
            file.file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .replace("acme.", "")
        })
        .collect();
    failed.sort();
    failed
}

#[test]
fn tests_that_share_a_spring_context_share_what_made_it() {
    let project = Project::copy_of("spring");
    let all = [
        "AFirstTest",
        "BSecondTest",
        "CThirdTest",
        "DOtherTest",
        "ECountTest",
    ];
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
    // A bean that the first test has made. Without it that test delivers nothing to the second one.
    let three = ["AFirstTest", "BSecondTest", "CThirdTest"];
    let skipped = check(&project, (TARIFF, "return 100", "return 200"), &three);
    assert_eq!(skipped, ["DOtherTest"], "it has another context");
    // One that is made when the first test asks for it.
    let change = (TARIFF, "return 10;", "return 20;");
    let skipped = check(&project, change, &["AFirstTest", "BSecondTest"]);
    assert!(skipped.contains(&"DOtherTest".to_owned()), "{skipped:?}");
    // A property, which every context reads.
    let skipped = check(&project, (PROPERTIES, "Corner", "Market"), &["CThirdTest"]);
    assert!(skipped.is_empty(), "{skipped:?}");
    // What the first test put into a service.
    let skipped = check(&project, (SUPPLIER, "pear", "plum"), &["BSecondTest"]);
    let others = ["DOtherTest", "ECountTest"];
    assert_eq!(
        skipped, others,
        "all contexts look at the class file, but not for its code"
    );
    // A class becomes a component, and contexts find it by its file.
    let annotated = "@org.springframework.stereotype.Service\nclass Supplier";
    let change = (SUPPLIER, "class Supplier", annotated);
    let skipped = check(&project, change, &["ECountTest"]);
    assert_eq!(skipped, ["DOtherTest"], "it looks for no components");
    project
        .tamis(&["why", "acme.BSecondTest"])
        .code(0)
        .says("the Spring context");
}

#[test]
fn tests_that_share_a_quarkus_application_share_what_made_it() {
    let project = Project::copy_of("quarkus");
    let all = ["AFirstTest", "BSecondTest", "CThirdTest"];
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
    // A bean that the first test has made.
    let users = ["AFirstTest", "BSecondTest"];
    check(&project, (TARIFF, "return 100", "return 200"), &users);
    // What the first test put into a bean.
    check(&project, (SUPPLIER, "pear", "plum"), &["BSecondTest"]);
    project
        .tamis(&["why", "acme.BSecondTest"])
        .code(0)
        .says("QuarkusTestExtension");
}

#[test]
fn tests_with_micronaut_depend_on_what_their_contexts_made() {
    let project = Project::copy_of("micronaut");
    let all = ["AFirstTest", "BSecondTest", "DOtherTest"];
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
    let users = ["AFirstTest", "BSecondTest"];
    let skipped = check(&project, (TARIFF, "return 100", "return 200"), &users);
    assert_eq!(skipped, ["DOtherTest"]);
}
