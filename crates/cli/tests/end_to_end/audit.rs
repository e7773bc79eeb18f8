//! `tamis audit` and `tamis collect --isolated`: what tests do for and to each other.

use crate::support::Project;
use serde_json::{Value, json};

/// A project with a cache that `ATest` fills, in a place that tamis does not follow: the name of the
/// thread. `BTest` breaks on what `CTest` leaves behind, and `CTest` needs what `ATest` leaves behind.
fn project() -> Project {
    let project = Project::copy_of("junit5");
    for old in ["CalculatorTest", "GreeterTest", "PlainTest"] {
        let file = format!("src/test/java/acme/{old}.java");
        std::fs::remove_file(project.root.join(file)).unwrap();
    }
    project.edit(
        "pom.xml",
        "<surefire.version>",
        "<surefire.runOrder>alphabetical</surefire.runOrder><surefire.version>",
    );
    project.write(
        "src/main/java/acme/Cache.java",
        "package acme;
         public class Cache {
             public static boolean dirty;
             public static String value() {
                 if (!isFilled()) Thread.currentThread().setName(Builder.build());
                 return Thread.currentThread().getName();
             }
             public static boolean isFilled() {
                 return Thread.currentThread().getName().startsWith(\"built\");
             }
         }",
    );
    project.write(
        "src/main/java/acme/Builder.java",
        "package acme;
         public class Builder { static String build() { return \"built\"; } }",
    );
    let test = |name: &str, body: &str| {
        project.write(
            &format!("src/test/java/acme/{name}.java"),
            &format!(
                "package acme;
                 import static org.junit.jupiter.api.Assertions.*;
                 class {name} {{ @org.junit.jupiter.api.Test void test() {{ {body} }} }}"
            ),
        );
    };
    test("ATest", "assertEquals(5, Cache.value().length());");
    test(
        "BTest",
        "assertEquals(5, Cache.value().length()); assertFalse(Cache.dirty);",
    );
    test("CTest", "Cache.dirty = true; assertTrue(Cache.isFilled());");
    project
}

fn affected(project: &Project, member: &str) -> Value {
    let answer = project.ask(&["affected", member]).code(0);
    let json = answer.json.unwrap();
    let tests = json["tests"].as_array().unwrap().iter();
    tests.map(|test| test["id"].clone()).collect()
}

#[test]
fn an_audit_finds_what_tests_do_for_and_to_each_other() {
    let project = project();
    project.ask(&["test"]).code(0);
    assert_eq!(
        affected(&project, "acme.Builder#build"),
        json!(["acme.ATest"])
    );

    let audit = project
        .ask(&["audit"])
        .code(1)
        .prints("1 test class had dependencies that the shared JVM hid: 1 pair of test and method, 1 method")
        .prints("acme.BTest: 1 method (acme.Builder#build())")
        .prints("acme.BTest fails in reverse order: it breaks on what acme.CTest leaves behind")
        .prints("acme.CTest fails alone: it needs what acme.ATest leaves behind");
    let json = audit.json.unwrap();
    assert_eq!(json["complete"], true);
    assert_eq!(json["hidden"]["by_test"][0]["id"], "acme.BTest");
    assert_eq!(json["order_dependent"][0]["cause"]["id"], "acme.CTest");
    assert_eq!(
        affected(&project, "acme.Builder#build"),
        json!(["acme.ATest", "acme.BTest"])
    );

    // What is done is not done again.
    project
        .ask(&["audit"])
        .code(1)
        .says("continuing the audit that was interrupted");

    // A run beside others with nothing changed tells less than a run alone.
    project.ask(&["test", "--technique", "all"]).code(0);
    project
        .tamis(&["status"])
        .code(0)
        .prints("2 test classes recorded alone in a JVM");
    project.edit(
        "src/main/java/acme/Builder.java",
        "\"built\"",
        "\"bui\" + \"lt\".trim()",
    );
    project
        .ask(&["test"])
        .code(0)
        .selects(&["ATest", "BTest"], &["CTest"]);
}

#[test]
fn tests_are_recorded_alone_where_the_pom_fixes_the_forks_and_with_any_command() {
    let project = project();
    project
        .tamis(&["collect", "--isolated"])
        .code(2)
        .says("run `tamis test` first");
    project.edit(
        "pom.xml",
        "<version>${surefire.version}</version>",
        "<version>${surefire.version}</version><configuration><reuseForks>true</reuseForks></configuration>",
    );
    project.ask(&["test"]).code(0);
    let collect = project
        .ask(&["collect", "--isolated", "--tests", "ATest,B*"])
        .code(0)
        .says("the POM sets forkCount or reuseForks")
        .prints("recorded 2 test classes alone");
    assert_eq!(collect.json.unwrap()["recorded"], 2);
    assert_eq!(
        affected(&project, "acme.Builder#build"),
        json!(["acme.ATest", "acme.BTest"])
    );
    project
        .ask(&["collect", "--isolated", "--", "mvn", "-q", "test"])
        .code(1)
        .prints("1 test class did not pass alone; `tamis audit` tells more: acme.CTest")
        .prints("recorded 0 test classes alone, 2 were so already");
}
