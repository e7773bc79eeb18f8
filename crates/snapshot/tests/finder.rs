//! Which tests are found among compiled classes.

#[path = "../../fingerprint/tests/support/mod.rs"]
mod support;

use std::fs;
use std::sync::LazyLock;
use tamis_classpath::Entries;
use tamis_snapshot::{Snapshot, Unknown, find_tests};
use tempfile::TempDir;

/// As much of the frameworks as the tests need.
const FRAMEWORKS: [(&str, &str); 18] = [
    ("junit/framework/Test", "public interface Test {}"),
    (
        "junit/framework/TestCase",
        "public abstract class TestCase implements Test { public void runBare() {} }",
    ),
    ("org/junit/Test", "public @interface Test {}"),
    ("org/junit/Before", "public @interface Before {}"),
    (
        "org/junit/runner/RunWith",
        "@java.lang.annotation.Inherited public @interface RunWith { Class<?> value(); }",
    ),
    ("org/junit/jupiter/api/Test", "public @interface Test {}"),
    (
        "org/junit/jupiter/api/Disabled",
        "public @interface Disabled {}",
    ),
    (
        "org/junit/jupiter/api/Nested",
        "public @interface Nested {}",
    ),
    (
        "org/junit/jupiter/api/RepeatedTest",
        "public @interface RepeatedTest {}",
    ),
    (
        "org/junit/jupiter/api/TestFactory",
        "public @interface TestFactory {}",
    ),
    (
        "org/junit/jupiter/api/TestTemplate",
        "public @interface TestTemplate {}",
    ),
    (
        "org/junit/jupiter/params/ParameterizedTest",
        "public @interface ParameterizedTest {}",
    ),
    (
        "org/other/Retried",
        "@org.junit.jupiter.api.TestTemplate public @interface Retried {}",
    ),
    (
        "org/other/Twice",
        "@Retried @Twice public @interface Twice {}",
    ),
    (
        "org/other/Group",
        "@org.junit.jupiter.api.Nested public @interface Group {}",
    ),
    ("org/testng/annotations/Test", "public @interface Test {}"),
    (
        "org/testng/annotations/BeforeMethod",
        "public @interface BeforeMethod {}",
    ),
    (
        "org/testng/annotations/DataProvider",
        "public @interface DataProvider {}",
    ),
];

const JUNIT_3: &str = "
    package p;
    import junit.framework.*;

    public class Three extends TestCase {
        public void testOne() {}
        public void test() {}
        void testHidden() {}
        public void testWith(int i) {}
        public int testValue() { return 1; }
        public void other() {}
        public static class Inside extends Three { public void testOne() {} public void testTwo() {} }
        public class Inner extends Three {}
        abstract static class Base extends Three {}
        public static class Named extends Three { public Named(String name) {} }
        public static class Numbered extends Three { public Numbered(int number) {} }
        public static class Closed extends Three { Closed() {} }
    }
    class ThreeHidden extends TestCase { public void testOne() {} }
    class ThreeSuites {
        public static class All { public static Test suite() { return null; } }
        public static class Void { public static void suite() {} }
        public static class Own { public Test suite() { return null; } }
        public static class Given { public static Test suite(int i) { return null; } }
    }
";

const JUNIT_4: &str = "
    package p;
    import org.junit.*;
    import org.junit.runner.RunWith;

    public class Four {
        @Before public void before() {}
        @Test public void one() {}
        @Test public void two() {}
        public void none() {}
        public static class Inherits extends Four { public void one() {} }
        public static class Three extends junit.framework.TestCase { @Test public void one() {} public void testTwo() {} }
        public abstract static class Base { @Test public void inBase() {} }
        public static class OfBase extends Base {}
        public class Inner { @Test public void one() {} }
        public static class Plain { @Before public void before() {} }
        @RunWith(Object.class) public static class Runs {}
        public static class RunsToo extends Runs { public void m() {} }
        @RunWith(Object.class) public static class RunsThree extends junit.framework.TestCase { public void testOne() {} }
        @RunWith(Object.class) public abstract static class RunsNot {}
        @RunWith(Object.class) public interface Face {}
        public static class OfFace implements Face {}
        static class Hidden { @Test public void one() {} }
    }
";

const JUPITER: &str = "
    package p;
    import org.junit.jupiter.api.*;
    import org.junit.jupiter.params.ParameterizedTest;
    import org.other.*;

    class Five {
        @Test void one() {}
        @Test @Disabled void disabled() {}
        @RepeatedTest void repeated() {}
        @TestTemplate void template(int i) {}
        @ParameterizedTest void parameters(String s) {}
        @TestFactory Object factory() { return null; }
        @Retried void retried() {}
        @Twice void twice() {}
        @Disabled void none() {}
        @Test private void hidden() {}
        @Test static void ofClass() {}
        @Test int value() { return 1; }
        @TestFactory void nothing() {}
        @Nested class Inside { @Test void inside() {} }
        @Group class Grouped { @Test void one() {} }
        class Inner { @Test void one() {} }
        static class Static { @Test void one() {} }
        private static class Private { @Test void one() {} }
        void local() {
            class Local { @Test void one() {} }
            new Object() { @Test void one() {} };
        }
    }
    class OnlyNested { @Nested class Inside { @Nested class Deeper { @Test void one() {} } } }
    class NoTests { @Nested class Inside {} @Nested class Again extends NoTests {} }
    abstract class FiveBase { @Test void inBase() {} @Test void replaced() {} @Test void again() {} @Test abstract void open(); }
    class FiveInherits extends FiveBase { void replaced() {} @Test void again() {} void open() {} }
    interface Face { @Test default void inFace() {} @Test default void replaced() {} @Test void open(); @Test static void ofFace() {} }
    interface Deeper extends Face { default void replaced() {} }
    class OfFace implements Deeper { public void open() {} }
    abstract class Generic<T> { @Test void with(T t) {} }
    class OfGeneric extends Generic<String> { @Test void with(String s) {} }
    enum Kinds { A; @Test void one() {} }
";

const TEST_NG: &str = "
    package p;
    import org.testng.annotations.*;

    public class Ng {
        @Test public void one() {}
        public void none() {}
        @Test void inPackage() {}
        @Test public static class All {
            public All() {}
            public void one() {}
            void hidden() {}
            public static void ofClass() {}
            @BeforeMethod public void before() {}
            @DataProvider public Object data() { return null; }
        }
        public static class OfAll extends All { public void two() {} }
        public static class Extends { public void two() {} }
        @Test public abstract static class Base {}
        interface Face { @Test default void inFace() {} }
        public static class OfFace implements Face {}
    }
";

/// The classes, compiled once. Annotations are visible at run time, as those of the frameworks are.
static CLASSES: LazyLock<TempDir> = LazyLock::new(|| {
    let stubs = FRAMEWORKS.map(|(name, text)| {
        let package = name.rsplit_once('/').unwrap().0.replace('/', ".");
        let retention =
            "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)";
        let annotations = if text.contains("@interface") {
            retention
        } else {
            ""
        };
        (
            format!("{name}.java"),
            format!("package {package}; {annotations} {text}"),
        )
    });
    let tests = [
        ("p/Three.java", JUNIT_3),
        ("p/Four.java", JUNIT_4),
        ("p/Five.java", JUPITER),
        ("p/Ng.java", TEST_NG),
    ];
    let stubs = stubs
        .iter()
        .map(|(path, text)| (path.clone(), text.as_str()));
    let tests = tests.map(|(path, text)| (path.to_owned(), text));
    let dir = tempfile::tempdir().unwrap();
    for (path, bytes) in support::javac(stubs.chain(tests), &["--release", "17"]) {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
});

/// The tests of a class, a line per framework, and a word per method with the class that declares it.
fn found(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let tests = find_tests(snapshot).tests.into_iter();
    let tests = tests.filter(|test| test.class.name() == name);
    let simple = |name: &str| name.strip_prefix("p/").unwrap_or(name).to_owned();
    let line = |test: tamis_snapshot::TestClass<'_>| {
        let mut methods: Vec<_> = test
            .methods
            .iter()
            .map(|method| match method.class == name {
                true => format!(" {}", method.name),
                false => format!(" {}.{}", simple(method.class), method.name),
            })
            .collect();
        methods.sort();
        format!("{:?}:{}", test.framework, methods.concat())
    };
    tests.map(line).collect()
}

fn check(name: &str, expected: &[&str]) {
    let path = Entries::new(None).class_path(&[CLASSES.path().to_owned()]);
    let snapshot = Snapshot::read(&path, None);
    assert_eq!(found(&snapshot, &format!("p/{name}")), expected, "{name}");
}

#[test]
fn junit_3_runs_test_methods_of_test_cases() {
    check("Three", &["JUnit3: test testOne"]);
    check("Three$Inside", &["JUnit3: Three.test testOne testTwo"]);
    check("Three$Inner", &[]);
    check("Three$Base", &[]);
    check("Three$Named", &["JUnit3: Three.test Three.testOne"]);
    check("Three$Numbered", &["JUnit3:"]);
    check("Three$Closed", &["JUnit3:"]);
    check("ThreeHidden", &[]);
}

#[test]
fn junit_3_runs_suites() {
    check("ThreeSuites$All", &["JUnit3:"]);
    check("ThreeSuites$Void", &[]);
    check("ThreeSuites$Own", &[]);
    check("ThreeSuites$Given", &[]);
}

#[test]
fn junit_4_runs_annotated_methods() {
    check("Four", &["JUnit4: one two"]);
    check("Four$Inherits", &["JUnit4: Four.one Four.two"]);
    check("Four$OfBase", &["JUnit4: Four$Base.inBase"]);
    check("Four$Three", &["JUnit3: testTwo"]);
    for none in ["Four$Base", "Four$Inner", "Four$Plain", "Four$Hidden"] {
        check(none, &[]);
    }
}

#[test]
fn junit_4_runs_what_names_a_runner() {
    check("Four$Runs", &["JUnit4:"]);
    check("Four$RunsToo", &["JUnit4:"]);
    check("Four$RunsThree", &["JUnit4:"]);
    check("Four$RunsNot", &[]);
    check("Four$OfFace", &[]);
}

#[test]
fn jupiter_runs_methods_with_its_annotations_and_with_those_that_have_them() {
    let methods = "disabled factory one parameters repeated retried template twice";
    check("Five", &[&format!("Jupiter: {methods}")]);
    check("Five$Static", &["Jupiter: one"]);
    check("Kinds", &["Jupiter: one"]);
    for none in ["Five$Private", "Five$1", "Five$1Local", "Five$Inner"] {
        check(none, &[]);
    }
}

#[test]
fn jupiter_runs_nested_classes() {
    check("Five$Inside", &["Jupiter: inside"]);
    check("Five$Grouped", &["Jupiter: one"]);
    check("OnlyNested", &["Jupiter:"]);
    check("OnlyNested$Inside", &["Jupiter:"]);
    check("OnlyNested$Inside$Deeper", &["Jupiter: one"]);
    check("NoTests", &[]);
    check("NoTests$Inside", &[]);
}

#[test]
fn jupiter_runs_what_is_inherited_and_not_overridden() {
    check("FiveBase", &[]);
    check("FiveInherits", &["Jupiter: FiveBase.inBase again"]);
    check("OfFace", &["Jupiter: Face.inFace"]);
    check("OfGeneric", &["Jupiter: with"]);
}

#[test]
fn testng_runs_annotated_methods_and_all_of_annotated_classes() {
    check("Ng", &["TestNg: inPackage one"]);
    check("Ng$All", &["TestNg: ofClass one"]);
    check("Ng$OfAll", &["TestNg: Ng$All.ofClass Ng$All.one two"]);
    check("Ng$OfFace", &["TestNg: Ng$Face.inFace"]);
    check("Ng$Extends", &[]);
    check("Ng$Base", &[]);
}

#[test]
fn frameworks_need_not_be_on_the_class_path() {
    let dir = tempfile::tempdir().unwrap();
    for class in ["Three", "Four", "Five", "Ng"] {
        let file = format!("{class}.class");
        fs::create_dir_all(dir.path().join("p")).unwrap();
        fs::copy(
            CLASSES.path().join("p").join(&file),
            dir.path().join("p").join(&file),
        )
        .unwrap();
    }
    let path = Entries::new(None).class_path(&[dir.path().to_owned()]);
    let snapshot = Snapshot::read(&path, None);
    assert_eq!(found(&snapshot, "p/Three"), ["JUnit3: test testOne"]);
    assert_eq!(found(&snapshot, "p/Four"), ["JUnit4: one two"]);
    assert_eq!(found(&snapshot, "p/Ng"), ["TestNg: inPackage one"]);
    // What an annotation means that is not there, nobody knows.
    let methods = "disabled factory one parameters repeated template";
    assert_eq!(found(&snapshot, "p/Five"), [format!("Jupiter: {methods}")]);
    assert!(find_tests(&snapshot).unknown.is_empty());
}

#[test]
fn what_cannot_be_read_may_be_a_test() {
    let dir = tempfile::tempdir().unwrap();
    let write = |file: &str, bytes: &[u8]| {
        let file = dir.path().join("p").join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    };
    let class = |file: &str| fs::read(CLASSES.path().join("p").join(file)).unwrap();
    write("FiveInherits.class", &class("FiveInherits.class"));
    write("Four$OfBase.class", &class("Four$OfBase.class"));
    write("Four$Base.class", b"nothing");
    let path = Entries::new(None).class_path(&[dir.path().to_owned()]);
    let snapshot = Snapshot::read(&path, None);
    let unknown = find_tests(&snapshot).unknown.into_iter();
    let unknown: Vec<_> = unknown.map(|(class, why)| (class.name(), why)).collect();
    assert_eq!(
        unknown,
        [
            ("p/Four$Base", Unknown::Unreadable),
            ("p/Four$OfBase", Unknown::Supertype("p/Four$Base")),
        ]
    );
}
