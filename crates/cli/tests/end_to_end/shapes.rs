//! Projects and commands of all shapes.

use crate::support::{Project, jdk, repository};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn a_directory_with_a_space_and_a_quote_works() {
    let project = Project::copy_to("junit5", "my project's dir");
    let cache = project.root.with_file_name("ca che");
    let test = || {
        let mut command = project.command(&["test"]);
        command.env("XDG_CACHE_HOME", &cache);
        project.ask_with(command)
    };
    test().code(0).says("recorded 3 test classes");
    test().code(0).says("nothing to run");
    assert_eq!(fs::read_dir(cache.join("tamis")).unwrap().count(), 1);
}

#[test]
fn an_arg_line_in_the_pom_keeps_working() {
    let project = Project::copy_of("junit5");
    let version = "<version>${surefire.version}</version>";
    let arg_line = "<configuration><argLine>-Dacme.word=\"x y\"</argLine></configuration>";
    project.edit("pom.xml", version, &format!("{version}{arg_line}"));
    project.edit(
        "src/test/java/acme/PlainTest.java",
        "assertEquals(1, Integer.parseInt(\"1\"));",
        "assertEquals(\"x y\", System.getProperty(\"acme.word\"));",
    );
    project
        .ask(&["test"])
        .code(0)
        .says("recorded 3 test classes");
    project.ask(&["test"]).code(0).says("nothing to run");
}

#[test]
fn two_runs_of_one_build_have_each_their_environment() {
    let project = Project::copy_of("junit5");
    project.edit(
        "src/test/java/acme/PlainTest.java",
        "assertEquals(1, Integer.parseInt(\"1\"));",
        "assertEquals(\"one\", System.getenv(\"ACME_WORD\"));",
    );
    let execution = |id: &str, tests: &str, word: &str| {
        format!(
            "<execution><id>{id}</id><phase>test</phase><goals><goal>test</goal></goals>
             <configuration><useManifestOnlyJar>false</useManifestOnlyJar><includes><include>{tests}</include></includes>
             <environmentVariables><ACME_WORD>{word}</ACME_WORD></environmentVariables>
             </configuration></execution>"
        )
    };
    let first = execution("default-test", "**/CalculatorTest.java", "one");
    let second = execution("second", "**/PlainTest.java", "one");
    let version = "<version>${surefire.version}</version>";
    let executions = format!("{version}<executions>{first}{second}</executions>");
    project.edit("pom.xml", version, &executions);
    let both = ["CalculatorTest", "PlainTest"];
    project.ask(&["test"]).code(0).selects(&both, &[]);
    project.ask(&["test"]).code(0).selects(&[], &both);
    project.edit("pom.xml", &second, &second.replace(">one<", ">two<"));
    let tests = project.ask(&["test"]).code(1);
    tests.selects(&["PlainTest"], &["CalculatorTest"]);
}

#[test]
fn names_that_somebody_looks_up_around_tests_do_not_tie_them_together() {
    let project = Project::copy_of("junit5");
    let launcher = "<dependency><groupId>org.junit.platform</groupId>\
                    <artifactId>junit-platform-launcher</artifactId><version>1.11.4</version></dependency>";
    project.edit(
        "pom.xml",
        "</dependencies>",
        &format!("{launcher}</dependencies>"),
    );
    // It runs outside of tests and so counts for all; Surefire and JUnit looked up test classes before.
    let watcher = "src/test/java/acme/Watcher.java";
    project.write(
        watcher,
        "package acme;
        import org.junit.platform.launcher.*;
        public class Watcher implements TestExecutionListener {
            private final java.util.ServiceLoader<Runnable> all = java.util.ServiceLoader.load(Runnable.class);
            @Override public void executionStarted(TestIdentifier test) {
                all.forEach(Runnable::run);
            }
        }",
    );
    let services = "src/test/resources/META-INF/services";
    let service = format!("{services}/org.junit.platform.launcher.TestExecutionListener");
    project.write(&service, "acme.Watcher");
    // No class can have this name: it is too long for a file, and a terminal would obey it.
    project.write(
        "src/test/java/acme/OddTest.java",
        r#"package acme;
        class OddTest {
            @org.junit.jupiter.api.Test void looksUpWhatCannotBe() {
                String name = "acme.\u00fc\u001b[31m" + "x".repeat(300);
                try { Class.forName(name); } catch (ClassNotFoundException expected) { }
            }
        }"#,
    );
    // JUnit asks test classes for those that they declare.
    let test = "src/test/java/acme/CalculatorTest.java";
    project.edit(
        test,
        "class CalculatorTest {",
        "class CalculatorTest { class Helper { }",
    );
    let others = ["GreeterTest", "OddTest", "PlainTest"];
    let all = ["CalculatorTest", "GreeterTest", "OddTest", "PlainTest"];
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
    project.edit(test, "assertEquals(", "System.out.print(1); assertEquals(");
    let answer = project.ask(&["test"]).code(0);
    answer.selects(&["CalculatorTest"], &others);
    project.edit(watcher, "Runnable::run", "one -> one.run()");
    project.ask(&["test"]).code(0).selects(&all, &[]);
    let runnable = format!("{services}/java.lang.Runnable");
    project.write(&runnable, "acme.Calculator");
    project.ask(&["select"]).selects(&all, &[]);
}

#[test]
fn what_is_around_tests_counts_under_surefire_too() {
    let project = Project::copy_of("junit5");
    let test = |name: &str, body: &str| {
        let text = format!(
            "package acme;
            public class {name} {{
                @org.junit.jupiter.api.Test
                public void looks() {{ {body} }}
            }}"
        );
        project.write(&format!("src/test/java/acme/{name}.java"), &text);
    };
    test("ListTest", "new java.io.File(\"data\").list();");
    test(
        "ArgumentsTest",
        "java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments();",
    );
    test("PropertyTest", "System.getProperty(\"acme.word\");");
    // Its name is in no constant.
    let class_path = "System.getProperty(\"java.class.\" + \"path \".trim());";
    test("ClassPathTest", class_path);
    project.write("data/a.txt", "");
    let all = [
        "ArgumentsTest",
        "CalculatorTest",
        "ClassPathTest",
        "GreeterTest",
        "ListTest",
        "PlainTest",
        "PropertyTest",
    ];
    let without = |some: &[&str]| -> Vec<&str> {
        all.into_iter()
            .filter(|name| !some.contains(name))
            .collect()
    };
    let word = |word: &str| format!("-DargLine=-Dacme.word={word}");
    let one = word("one");
    project.ask(&["test", &one]).code(0).selects(&all, &[]);
    project.ask(&["test", &one]).code(0).selects(&[], &all);
    project.write("data/b.txt", "");
    let list = ["ListTest"];
    project
        .ask(&["test", &one])
        .code(0)
        .selects(&list, &without(&list));
    let readers = ["ArgumentsTest", "PropertyTest"];
    let two = word("two");
    project
        .ask(&["test", &two])
        .code(0)
        .selects(&readers, &without(&readers));
    let readers = ["ArgumentsTest", "ClassPathTest"];
    let entry = "-Dmaven.test.additionalClasspath=more";
    project
        .ask(&["test", &two, entry])
        .code(0)
        .selects(&readers, &without(&readers));
}

#[test]
fn what_surefire_and_modules_tell_the_jvm_counts() {
    let project = Project::copy_of("junit5");
    let version = "<version>${surefire.version}</version>";
    let with = |on: bool| {
        format!("{version}<configuration><enableAssertions>{on}</enableAssertions></configuration>")
    };
    project.edit("pom.xml", version, &with(true));
    project.write(
        "src/main/java/module-info.java",
        "module acme { exports acme; }",
    );
    let all = ["CalculatorTest", "GreeterTest", "PlainTest"];
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
    project.edit("pom.xml", &with(true), &with(false));
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.edit(
        "src/main/java/module-info.java",
        "exports",
        "opens acme; exports",
    );
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
}

#[test]
fn changes_cross_modules() {
    let project = Project::copy_of("modules");
    let all = ["CalculatorTest", "PageTest", "PlainTest"];
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
    project.edit("core/src/main/java/acme/Calculator.java", "a + b", "b + a");
    project
        .ask(&["select"])
        .code(0)
        .selects(&["CalculatorTest", "PageTest"], &["PlainTest"]);
    project
        .ask(&["test"])
        .code(0)
        .selects(&["CalculatorTest", "PageTest"], &["PlainTest"]);
}

#[test]
fn a_module_alone_uses_what_the_whole_build_knows() {
    let project = Project::copy_of("modules");
    project.ask(&["test"]).code(0);
    let in_core = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.current_dir(project.root.join("core/src"));
        project.ask_with(command)
    };
    in_core(&["test"]).code(0).selects(&[], &["CalculatorTest"]);
    in_core(&["select"])
        .code(0)
        .selects(&[], &["CalculatorTest"]);
    assert!(!project.root.join("core/.tamis").exists());
    let by_option = project.root.join("core");
    let by_option = ["--project", by_option.to_str().unwrap(), "test"];
    project
        .ask(&by_option)
        .code(0)
        .selects(&[], &["CalculatorTest"]);
    project
        .ask(&["test", "-pl", "core"])
        .code(0)
        .selects(&[], &["CalculatorTest"]);
    // A part of the build says nothing of the rest.
    let whole = project.ask(&["select"]).code(0).says("compiling");
    whole.selects(&[], &["CalculatorTest", "PageTest", "PlainTest"]);
}

#[test]
fn a_filter_leaves_the_other_tests_as_they_were() {
    let project = Project::copy_of("junit4");
    project
        .ask(&["test", "-Dtest=PlainTest"])
        .code(0)
        .selects(&["PlainTest"], &[]);
    project
        .ask(&["test", "-Dtest=PlainTest"])
        .code(0)
        .selects(&[], &["PlainTest"]);
    project
        .ask(&["test"])
        .code(0)
        .selects(&["CalculatorTest", "GreeterTest"], &["PlainTest"]);
    project.edit("src/main/java/acme/Calculator.java", "a + b", "b + a");
    project
        .ask(&["test", "-Dtest=PlainTest"])
        .code(0)
        .selects(&[], &["PlainTest"]);
    project
        .ask(&["test"])
        .code(0)
        .selects(&["CalculatorTest"], &["GreeterTest", "PlainTest"]);
}

#[test]
fn a_wrapper_in_the_project_is_used_even_if_it_is_not_executable() {
    let project = Project::copy_of("junit5");
    project.write("mvnw", "echo wrapped \"$@\"\n");
    project
        .tamis(&["test", "-o"])
        .code(0)
        .prints("wrapped -o test -Dmaven.surefire.debug=\"-agentpath:")
        .prints("tamis: nothing to run: the build asked for no test class");
}

#[test]
fn the_technique_all_runs_everything() {
    let project = Project::copy_of("junit5");
    project.ask(&["test"]).code(0);
    let all = ["CalculatorTest", "GreeterTest", "PlainTest"];
    project
        .ask(&["test", "--technique", "all"])
        .code(0)
        .selects(&all, &[]);
    project
        .ask(&["test", "--technique", "none"])
        .code(2)
        .says("no technique `none`");
}

#[test]
fn a_class_with_helpers_that_surefire_looks_into_ran_with_all_its_tests() {
    let project = Project::copy_of("junit5");
    // Without its own excludes Surefire looks for tests in nested classes, each for itself.
    project.edit(
        "pom.xml",
        "<version>${surefire.version}</version>",
        "<version>${surefire.version}</version>
         <configuration><excludes><exclude>None</exclude></excludes></configuration>",
    );
    project.edit(
        "src/test/java/acme/PlainTest.java",
        "class PlainTest {",
        "class PlainTest {
            static class TestData {}
            static class RunTest {}
            @org.junit.jupiter.api.Disabled @Test void disabled() {}",
    );
    let all = ["CalculatorTest", "GreeterTest", "PlainTest"];
    project.ask(&["test"]).code(0).selects(&all, &[]);
    project.ask(&["test"]).code(0).selects(&[], &all);
    // A nested class that is asked for alone is a part of the class around it.
    project.edit(
        "src/test/java/acme/PlainTest.java",
        "static class RunTest {}",
        "@org.junit.jupiter.api.Nested class RunTest { @Test void runs() {} }",
    );
    project
        .ask(&["test", "-Dtest=PlainTest$RunTest"])
        .code(0)
        .selects(&["PlainTest"], &[]);
    project
        .ask(&["test"])
        .code(0)
        .selects(&["PlainTest"], &["CalculatorTest", "GreeterTest"]);
    project.ask(&["test"]).code(0).selects(&[], &all);
}

/// Compiled classes of the JUnit 4 project, and the class path to run them on.
pub(crate) fn junit_4_classes() -> (Project, String) {
    let project = Project::copy_of("junit4");
    let mut maven = Command::new("mvn");
    let output = maven
        .args(["-q", "test-compile"])
        .current_dir(&project.root)
        .output()
        .unwrap();
    assert!(output.status.success());
    let class_path = class_path(&project, &["target/classes", "target/test-classes"]);
    (project, class_path)
}

/// The class path of these directories of a project and JUnit 4.
fn class_path(project: &Project, directories: &[&str]) -> String {
    let jars = [
        "junit/junit/4.13.2/junit-4.13.2.jar",
        "org/hamcrest/hamcrest-core/1.3/hamcrest-core-1.3.jar",
    ];
    let classes = directories.iter().map(|dir| project.root.join(dir));
    let entries: Vec<PathBuf> = classes
        .chain(jars.map(|jar| repository().join(jar)))
        .collect();
    let class_path = std::env::join_paths(entries);
    class_path.unwrap().into_string().unwrap()
}

#[test]
fn any_command_that_starts_a_jvm_is_recorded() {
    let (project, class_path) = junit_4_classes();
    fs::remove_file(project.root.join("pom.xml")).unwrap();
    fs::create_dir(project.root.join(".git")).unwrap();
    let java = jdk(17).join("bin/java");
    let command = [
        "test",
        "--",
        java.to_str().unwrap(),
        "-cp",
        &class_path,
        "org.junit.runner.JUnitCore",
        "acme.CalculatorTest",
        "acme.GreeterTest",
    ];
    let both = ["CalculatorTest", "GreeterTest"];
    project.ask(&command).code(0).selects(&both, &[]);
    project.ask(&command).code(0).selects(&[], &both);
    project.ask(&["select"]).code(0).selects(&[], &both);

    // Compiled by hand: the class files are all that is looked at.
    project.edit("src/main/java/acme/Words.java", "\"hello\"", "\"bye\"");
    let mut javac = Command::new(jdk(17).join("bin/javac"));
    javac.args(["-d", "target/classes", "src/main/java/acme/Words.java"]);
    assert!(javac.current_dir(&project.root).status().unwrap().success());
    project
        .ask(&["select"])
        .code(0)
        .selects(&["GreeterTest"], &["CalculatorTest"]);
    project
        .ask(&command)
        .code(1)
        .selects(&["GreeterTest"], &["CalculatorTest"])
        .says("1 failed");
    project
        .tamis(&["test", "-o", "--", "true"])
        .code(2)
        .says("Maven arguments cannot be combined with a command after `--`: give `-o`");
}

#[test]
fn a_class_that_is_left_out_leaves_no_trace_in_the_build() {
    let project = Project::copy_of("junit4");
    project.tamis(&["test"]).code(0).says("Running acme.");
    let reports = project.root.join("target/surefire-reports");
    fs::remove_dir_all(&reports).unwrap();
    let quiet = project.tamis(&["test"]).code(0).says("nothing to run");
    assert!(!quiet.stdout.contains("Running acme."), "{quiet}");
    assert!(!reports.join("acme.PlainTest.txt").exists());
}

#[test]
fn a_suite_method_of_junit_3_is_one_test_class_whatever_its_suite_is_called() {
    let project = Project::copy_of("junit4");
    let suite = |of: &str| {
        format!(
            "package acme;
            public class OldTest {{
                public static junit.framework.Test suite() {{ return {of}; }}
                public static class Inner extends junit.framework.TestCase {{
                    public void testIt() {{ assertEquals(3, new Calculator().add(1, 2)); }}
                }}
            }}"
        )
    };
    for of in [
        "new junit.framework.TestSuite(Inner.class, \"old tests\")",
        "new junit.framework.TestSuite(Inner.class)",
    ] {
        project.write("src/test/java/acme/OldTest.java", &suite(of));
        let all = ["CalculatorTest", "GreeterTest", "OldTest", "PlainTest"];
        let _ = fs::remove_dir_all(project.root.join(".tamis"));
        project.ask(&["test"]).code(0).selects(&all, &[]);
        project.ask(&["test"]).code(0).selects(&[], &all);
        project.edit("src/main/java/acme/Greeter.java", "+ name", "+ name + 1");
        let greeter = ["CalculatorTest", "OldTest", "PlainTest"];
        project.ask(&["select"]).selects(&["GreeterTest"], &greeter);
        project.edit("src/main/java/acme/Greeter.java", "+ name + 1", "+ name");
        project.edit("src/main/java/acme/Calculator.java", "a + b", "b + a");
        let both = ["CalculatorTest", "OldTest"];
        let others = ["GreeterTest", "PlainTest"];
        project.ask(&["test"]).code(0).selects(&both, &others);
        project.edit("src/main/java/acme/Calculator.java", "b + a", "a + b");
    }
}

/// A method of 65,535 bytes, which has no room for a probe; classes with 65,000 constants and with as
/// many as there may be, which have no room for what a probe needs; more methods than an array of
/// probes has places.
#[test]
fn classes_at_the_limits_of_the_format_are_seen_being_used() {
    let project = Project::copy_of("junit4");
    // Three bytes each, four for the sum, two for the return.
    let steps = "x++;".repeat(21_843);
    let list = |count: u32, item: fn(u32) -> String| -> String { (0..count).map(item).collect() };
    let run = "int run(int x, int y) { return 1; }";
    let classes = [
        (
            "Big",
            format!("int run(int x, int y) {{ {steps} x = x + y; return x; }}"),
        ),
        ("Full", list(65_510, |n| format!("int f{n};")) + run),
        ("Many", list(65_000, |n| format!("int f{n};")) + run),
        (
            "Methods",
            list(33_000, |n| format!("void m{n}() {{}}")) + run,
        ),
    ];
    let class_path = class_path(&project, &["target/limits"]);
    let mut javac = Command::new(jdk(17).join("bin/javac"));
    javac.args(["-g:none", "-cp", &class_path, "-d", "target/limits"]);
    for (class, body) in &classes {
        let text = format!(
            "package acme; class {class} {{ {body} }} public class {class}Test {{ \
             @org.junit.Test public void runs() {{ new {class}().run(1, 2); }} }}"
        );
        let file = format!("limits/{class}Test.java");
        project.write(&file, &text);
        javac.arg(file);
    }
    assert!(javac.current_dir(&project.root).status().unwrap().success());

    let tests = classes.each_ref().map(|(class, _)| format!("{class}Test"));
    let all = tests.each_ref().map(String::as_str);
    let java = jdk(17).join("bin/java");
    let mut command = vec!["test", "--", java.to_str().unwrap(), "-cp", &class_path];
    command.push("org.junit.runner.JUnitCore");
    let names = all.map(|test| format!("acme.{test}"));
    command.extend(names.iter().map(String::as_str));
    project.ask(&command).code(0).selects(&all, &[]);
    project.ask(&command).code(0).selects(&[], &all);
    for ((class, _), test) in classes.iter().zip(&tests) {
        let file = project
            .root
            .join(format!("target/limits/acme/{class}.class"));
        let mut bytes = fs::read(&file).unwrap();
        // `iload_1 iload_2 iadd` becomes a difference, `iconst_1 ireturn` another constant.
        let (code, place, other) = match *class {
            "Big" => (&[0x1b, 0x1c, 0x60][..], 2, 0x64),
            _ => (&[0x04, 0xac][..], 0, 0x05),
        };
        let at = bytes.windows(code.len()).rposition(|window| window == code);
        bytes[at.unwrap() + place] = other;
        fs::write(&file, bytes).unwrap();
        let answer = project.ask(&["select"]).code(0);
        assert!(answer.tests(true).contains(test), "{test}: {answer}");
    }
}

#[test]
fn a_directory_that_a_jvm_knows_by_another_name_is_not_trusted() {
    let (project, _) = junit_4_classes();
    let locale = project.root.join("target/en_US.ISO-8859-1");
    let mut localedef = Command::new("localedef");
    localedef
        .args(["-i", "en_US", "-f", "ISO-8859-1"])
        .arg(&locale);
    if !localedef.output().is_ok_and(|made| made.status.success()) {
        return; // Not every system has the sources of its locales.
    }
    let name = OsStr::from_bytes(b"target/gr\xfcn");
    fs::rename(project.root.join("target/classes"), project.root.join(name)).unwrap();
    let class_path = class_path(&project, &["target/test-classes"]);
    let script = format!(
        "LOCPATH=$PWD/target LC_ALL=en_US.ISO-8859-1 exec {} -cp \"$(printf 'target/gr\\374n'):{class_path}\" \
         org.junit.runner.JUnitCore acme.CalculatorTest acme.PlainTest",
        jdk(17).join("bin/java").display()
    );
    let command = ["test", "--", "sh", "-c", &script];
    let both = ["CalculatorTest", "PlainTest"];
    project.ask(&command).code(0).selects(&both, &[]);
    project
        .ask(&command)
        .code(0)
        .selects(&both, &[])
        .says("encodes file names as ISO-8859-1, not as UTF-8");
}
