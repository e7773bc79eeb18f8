//! `--granularity method`: single tests instead of test classes.

use crate::support::Project;

const METHOD: [&str; 3] = ["test", "--granularity", "method"];

/// A test class with a test for each of two classes, and fixtures.
fn mixed(imports: &str, before_all: &str, before: &str, test: &str) -> String {
    format!(
        "package acme;
        {imports}
        public class MixedTest {{
            {before_all} public static void once() {{ Words.hello(); }}
            {before} public void each() {{ }}
            {test} public void adds() {{ if (new Calculator().add(1, 2) != 3) throw new Error(); }}
            {test} public void greets() {{ new Greeter().greet(\"you\"); }}
        }}"
    )
}

#[test]
fn what_one_test_puts_back_another_does_not_own() {
    let project = Project::copy_of("junit4");
    project.write(
        "src/test/java/acme/BackTest.java",
        "package acme;
        import static org.junit.Assert.*;
        import java.nio.file.*;
        import org.junit.*;
        public class BackTest {
            @Test public void aWrites() throws Exception {
                Path file = Path.of(\"shared.txt\");
                byte[] before = Files.readAllBytes(file);
                Files.writeString(file, \"mine\");
                Files.write(file, before);
            }
            @Test public void bReads() throws Exception {
                assertNotNull(Files.readString(Path.of(\"shared.txt\")));
            }
            @Test public void cSets() {
                String before = System.setProperty(\"acme.word\", \"mine\");
                System.setProperty(\"acme.word\", before);
            }
            @Test public void reads() { assertNotNull(System.getProperty(\"acme.word\")); }
            @Test public void eDoesNot() { }
        }",
    );
    for other in ["CalculatorTest", "GreeterTest", "PlainTest"] {
        let file = format!("src/test/java/acme/{other}.java");
        std::fs::remove_file(project.root.join(file)).unwrap();
    }
    project.write("shared.txt", "one");
    // In the order of JUnit 4 those that read come behind those that write.
    let tests = ["aWrites", "bReads", "cSets", "eDoesNot", "reads"];
    let names: Vec<String> = tests
        .iter()
        .map(|test| format!("BackTest#{test}"))
        .collect();
    let some =
        |numbers: &[usize]| -> Vec<&str> { numbers.iter().map(|n| names[*n].as_str()).collect() };
    let run = |word: &str| {
        let option = format!("-DargLine=-Dacme.word={word}");
        project.ask(&[&METHOD[..], &[option.as_str()]].concat())
    };
    run("one").code(0).selects(&some(&[0, 1, 2, 3, 4]), &[]);
    run("one").code(0).selects(&[], &some(&[0, 1, 2, 3, 4]));
    project.write("shared.txt", "two");
    run("one")
        .code(0)
        .selects(&some(&[0, 1]), &some(&[2, 3, 4]));
    run("two")
        .code(0)
        .selects(&some(&[2, 4]), &some(&[0, 1, 3]));
}

fn story(project: &Project, tests: [&str; 3]) {
    let [calculator, greeter, plain] = tests;
    let all = [
        calculator,
        greeter,
        "MixedTest#adds",
        "MixedTest#greets",
        plain,
    ];
    project.ask(&METHOD).code(0).selects(&all, &[]);
    project
        .ask(&METHOD)
        .code(0)
        .selects(&[], &all)
        .says("none of the 5 tests is affected");

    project.edit("src/main/java/acme/Calculator.java", "a + b", "b + a");
    let affected = [calculator, "MixedTest#adds"];
    let others = [greeter, "MixedTest#greets", plain];
    let select = ["select", "--granularity", "method"];
    project.ask(&select).code(0).selects(&affected, &others);
    project.ask(&METHOD).code(0).selects(&affected, &others);
    project.ask(&METHOD).code(0).selects(&[], &all);

    // What class-level fixtures use counts for every test of the class.
    project.edit("src/main/java/acme/Words.java", "\"hello\"", "\"Hello\" ");
    let affected = [greeter, "MixedTest#adds", "MixedTest#greets"];
    project
        .ask(&select)
        .selects(&affected, &[calculator, plain]);
    project.edit("src/main/java/acme/Words.java", "\"Hello\" ", "\"hello\"");
    project.ask(&METHOD).code(0).selects(&[], &all);

    // A test that fails stays due, alone.
    let file = "src/test/java/acme/MixedTest.java";
    project.edit(file, "!= 3", "!= 4");
    project
        .ask(&METHOD)
        .code(1)
        .says("failed: acme.MixedTest#adds");
    project.edit("src/main/java/acme/Calculator.java", "b + a", "b + a + 0");
    let due = project.ask(&METHOD).code(1);
    due.selects(&[calculator, "MixedTest#adds"], &others);
    project.edit(file, "!= 4", "!= 3");
    project.ask(&METHOD).code(0);

    // A test that is added runs, and by methods it is nothing to the others of its class.
    let by_methods = [&METHOD[..], &["--technique", "hyrts"]].concat();
    project.edit(
        file,
        "public void each() { }",
        "public void each() { } @Test public void fresh() { new Greeter().greet(\"all\"); }",
    );
    let grown = project.ask(&by_methods).code(0);
    grown.selects(&["MixedTest#fresh"], &all);
    let mut known = [&all[..], &["MixedTest#fresh"]].concat();
    known.sort_unstable();
    project.ask(&by_methods).code(0).selects(&[], &known);
    project.ask(&METHOD).code(0);

    // Classes as a whole know what their tests know.
    project
        .ask(&["test"])
        .code(0)
        .says("none of the 4 test classes");
    project.edit("src/main/java/acme/Calculator.java", "b + a + 0", "a + b");
    let classes = ["CalculatorTest", "MixedTest"];
    let rest = ["GreeterTest", "PlainTest"];
    project.ask(&["select"]).selects(&classes, &rest);
    project.ask(&["test"]).code(0).selects(&classes, &rest);
    project.ask(&["test"]).code(0).selects(
        &[],
        &["CalculatorTest", "GreeterTest", "MixedTest", "PlainTest"],
    );
}

#[test]
fn single_tests_of_junit_4() {
    let project = Project::copy_of("junit4");
    let imports = "import org.junit.*;";
    let source = mixed(imports, "@BeforeClass", "@Before", "@Test");
    project.write("src/test/java/acme/MixedTest.java", &source);
    story(
        &project,
        [
            "CalculatorTest#adds",
            "GreeterTest#greets",
            "PlainTest#parses",
        ],
    );
}

#[test]
fn single_tests_of_jupiter() {
    let project = Project::copy_of("junit5");
    let imports = "import org.junit.jupiter.api.*;";
    let source = mixed(imports, "@BeforeAll", "@BeforeEach", "@Test");
    project.write("src/test/java/acme/MixedTest.java", &source);
    story(
        &project,
        [
            "CalculatorTest#adds",
            "GreeterTest#greets",
            "PlainTest#parses",
        ],
    );
}

#[test]
fn what_cannot_be_told_apart_is_one_test_and_invocations_are_one() {
    let project = Project::copy_of("junit5");
    project.write(
        "src/test/java/acme/ShapesTest.java",
        "package acme;
        import java.util.stream.Stream;
        import org.junit.jupiter.api.*;
        class ShapesTest {
            @RepeatedTest(3) void repeated() { new Calculator().add(1, 1); }
            @TestFactory Stream<DynamicTest> dynamic() {
                return Stream.of(DynamicTest.dynamicTest(\"one\", () -> new Greeter().greet(\"a\")));
            }
            @Disabled @Test void disabled() { }
            @Nested class Inner {
                @Test void plain(TestInfo info) { }
            }
        }",
    );
    let shared = |name: &str, annotation: &str| {
        format!(
            "package acme;
            import org.junit.jupiter.api.*;
            {annotation}
            class {name} {{
                int state;
                @Test void one() {{ state++; }}
                @Test void two() {{ new Calculator().add(1, 1); }}
            }}"
        )
    };
    let per_class = "@TestInstance(TestInstance.Lifecycle.PER_CLASS)";
    let ordered = "@TestMethodOrder(MethodOrderer.MethodName.class)";
    for (name, annotation) in [("PerClassTest", per_class), ("OrderedTest", ordered)] {
        let file = format!("src/test/java/acme/{name}.java");
        project.write(&file, &shared(name, annotation));
    }
    let all = [
        "CalculatorTest#adds",
        "GreeterTest#greets",
        "OrderedTest",
        "PerClassTest",
        "PlainTest#parses",
        "ShapesTest#disabled",
        "ShapesTest#dynamic",
        "ShapesTest#repeated",
        "ShapesTest$Inner#plain(org.junit.jupiter.api.TestInfo)",
    ];
    project.ask(&METHOD).code(0).selects(&all, &[]);
    project.ask(&METHOD).code(0).selects(&[], &all);
    project.edit("src/main/java/acme/Calculator.java", "a + b", "b + a");
    let affected = [
        "CalculatorTest#adds",
        "OrderedTest",
        "PerClassTest",
        "ShapesTest#repeated",
    ];
    let others = [
        "GreeterTest#greets",
        "PlainTest#parses",
        "ShapesTest#disabled",
        "ShapesTest#dynamic",
        "ShapesTest$Inner#plain(org.junit.jupiter.api.TestInfo)",
    ];
    project
        .ask(&METHOD)
        .code(0)
        .selects(&affected, &others)
        .says("cannot be told apart: acme.OrderedTest, acme.PerClassTest");
    project.ask(&METHOD).code(0).selects(&[], &all);
}
