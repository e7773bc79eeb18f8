//! Edits of Java sources: which of them change the digest of the class `C`.

mod support;

use support::{Classes, digest, javac};

const IMPORTS: &str = "import common.Common.*; import java.lang.annotation.*; \
                       import java.util.*; import java.util.function.*;";

fn compile<'s>(sources: impl Iterator<Item = &'s str>, options: &[&str]) -> Classes {
    let files: Vec<String> = sources
        .enumerate()
        .map(|(i, source)| format!("package case{i};{IMPORTS}\n{source}"))
        .collect();
    let paths = (0..files.len()).map(|i| format!("case{i}/C.java"));
    let common = (
        "common/Common.java".to_owned(),
        include_str!("java/Common.java"),
    );
    javac(
        paths.zip(files.iter().map(String::as_str)).chain([common]),
        options,
    )
}

/// Compiles all sources before the edit, then all after it, and compares `C` of each case.
fn check(cases: &[(&str, &str, &str)], same: bool) {
    let before = compile(cases.iter().map(|case| case.1), &["-g"]);
    let after = compile(cases.iter().map(|case| case.2), &["-g"]);
    for (i, (name, ..)) in cases.iter().enumerate() {
        let class = format!("case{i}/C.class");
        assert_ne!(
            before[&class], after[&class],
            "{name}: the edit changes nothing at all"
        );
        assert_eq!(
            digest(&before[&class]) == digest(&after[&class]),
            same,
            "{name}"
        );
    }
}

#[test]
fn edits_that_cannot_change_behaviour_do_not_show() {
    let many = |call: &str| {
        let strings: String = (0..300).map(|i| format!("s(\"{call}{i}\");")).collect();
        format!("static void s(String s) {{}} static void many() {{ {strings} }}")
    };
    let method = "static String m(int n) { switch (n) { case 1: return \"x\"; } \
                  try { while (n > 0) n--; } catch (Error e) { return \"e\"; } return \"y\"; }";
    let near = format!("class C {{ {method} {} }}", many("text"));
    let far = format!("class C {{ {} {method} }}", many("text"));
    check(
        &[
            (
                "lines",
                "class C { int m() { return 1; } }",
                "// c\n\nclass C {\n int m() {\n return 1; } }",
            ),
            (
                "local names",
                "class C { int m(int a) { int b = a; return b; } }",
                "class C { int m(int x) { int y = x; return y; } }",
            ),
            (
                "generic local",
                "class C { void m() { List<String> a = null; } }",
                "class C { void m() { List<Integer> a = null; } }",
            ),
            (
                "increment",
                "class C { int m(int i) { i++; return i; } }",
                "class C { int m(int i) {\n i += 1; return i; } }",
            ),
            (
                "method order",
                "class C { void a() {} void b() { a(); } }",
                "class C { void b() { a(); } void a() {} }",
            ),
            (
                "field order",
                "class C { int a; String b; }",
                "class C { String b; int a; }",
            ),
            (
                "nested class order",
                "class C { class A {} class B {} }",
                "class C { class B {} class A {} }",
            ),
            ("constants beyond 255", &near, &far),
            (
                "annotation order",
                "@Seen @Other class C {}",
                "@Other @Seen class C {}",
            ),
            (
                "element order",
                "@Other(one = 3, two = 4) class C {}",
                "@Other(two = 4, one = 3) class C {}",
            ),
            (
                "class retention",
                "class C { @Unseen(\"a\") int f; void m(int p) {} }",
                "class C { int f; void m(@Unseen(\"b\") int p) {} }",
            ),
            ("source retention", "class C {}", "\n@Gone class C {}"),
            (
                "deprecated in a comment",
                "class C { void m() {} }",
                "class C { /** @deprecated no */ void m() {} }",
            ),
            (
                "scope of a local",
                "class C { void m(int n) { int i = 0; while (i < n) i++; if (n > 1) n = 2; } }",
                "class C { void m(int n) { { int i = 0; while (i < n) i++; } if (n > 1) n = 2; } }",
            ),
            (
                "flags of a nested class of another class",
                "class C { Object m(A.B b) { return b; } } class A { static class B {} }",
                "class C { Object m(A.B b) { return b; } } class A { protected static class B {} }",
            ),
            (
                "type annotation in code",
                "class C { Object m() { Object o = null; return o; } }",
                "class C { Object m() { @OnType(1) Object o = null; return o; } }",
            ),
            (
                "module-like order of nested sealed types",
                "sealed interface C { record A() implements C {} record B() implements C {} }",
                "sealed interface C { record B() implements C {} record A() implements C {} }",
            ),
        ],
        true,
    );
}

#[test]
fn edits_of_code_and_constants_show() {
    check(
        &[
            (
                "digits",
                "class C { static final int X = m(12); static int m(int i) { return i; } }",
                "class C { static final int X = m(21); static int m(int i) { return i; } }",
            ),
            (
                "letters",
                "class C { String x = \"ab\"; }",
                "class C { String x = \"ba\"; }",
            ),
            (
                "two texts",
                "class C { void m() { System.getProperty(\"12\", \"1\"); } }",
                "class C { void m() { System.getProperty(\"1\", \"21\"); } }",
            ),
            (
                "swapped texts",
                "class C { String a = \"1\", b = \"2\"; }",
                "class C { String a = \"2\", b = \"1\"; }",
            ),
            (
                "int or float bits",
                "class C { Object m() { return 1065353216; } }",
                "class C { Object m() { return 1.0f; } }",
            ),
            (
                "sign of zero",
                "class C { double x = 0.0; }",
                "class C { double x = -0.0; }",
            ),
            (
                "negative zero",
                "class C { float x = 2f - 2f; }",
                "class C { float x = -0f; }",
            ),
            (
                "operator",
                "class C { int m(int a) { return a + 300; } }",
                "class C { int m(int a) { return a - 300; } }",
            ),
            (
                "condition",
                "class C { int m(int a) { return a < 3 ? 1 : 2; } }",
                "class C { int m(int a) { return a <= 3 ? 1 : 2; } }",
            ),
            (
                "target of a call",
                "class C { int a() { return 1; } int b() { return 1; } int m() { return a(); } }",
                "class C { int a() { return 1; } int b() { return 1; } int m() { return b(); } }",
            ),
            (
                "overload",
                "class C { void m(long a) {} void n() { m(1); } }",
                "class C { void m(long a) {} void m(int a) {} void n() { m(1); } }",
            ),
            (
                "loop",
                "class C { void m() { while (true) { System.gc(); System.exit(1); } } }",
                "class C { void m() { System.gc(); while (true) { System.exit(1); } } }",
            ),
            (
                "switch key",
                "class C { int m(int a) { switch (a) { case 1: return 5; case 900: return 6; } return 7; } }",
                "class C { int m(int a) { switch (a) { case 1: return 5; case 901: return 6; } return 7; } }",
            ),
            (
                "switch range",
                "class C { int m(int a) { switch (a) { case 1: case 2: return 5; } return 7; } }",
                "class C { int m(int a) { switch (a) { case 2: case 3: return 5; } return 7; } }",
            ),
            (
                "switch target",
                "class C { int m(int a) { switch (a) { case 1: case 2: return 5; case 3: return 6; } return 7; } }",
                "class C { int m(int a) { switch (a) { case 1: return 5; case 2: case 3: return 6; } return 7; } }",
            ),
            (
                "caught type",
                "class C { void m() { try { hashCode(); } catch (Error e) { } } }",
                "class C { void m() { try { hashCode(); } catch (RuntimeException e) { } } }",
            ),
            (
                "order of handlers",
                "class C { void m() { try { hashCode(); } catch (Error e) { } catch (RuntimeException e) { } } }",
                "class C { void m() { try { hashCode(); } catch (RuntimeException e) { } catch (Error e) { } } }",
            ),
            (
                "range of a handler",
                "class C { void m() { try { hashCode(); } catch (Error e) { } toString(); } }",
                "class C { void m() { try { hashCode(); toString(); } catch (Error e) { } } }",
            ),
            (
                "recipe",
                "class C { String m(int a) { return \"a\" + a; } }",
                "class C { String m(int a) { return a + \"a\"; } }",
            ),
            (
                "method handle",
                "class C { Function<String, Integer> m() { return Integer::parseInt; } }",
                "class C { Function<String, Integer> m() { return Integer::valueOf; } }",
            ),
            (
                "body of a lambda",
                "class C { Runnable m() { return () -> System.gc(); } }",
                "class C { Runnable m() { return () -> System.exit(1); } }",
            ),
            (
                "type of a lambda",
                "class C { Object m() { return (Supplier<Object>) () -> null; } }",
                "class C { Object m() { return (Callable) () -> null; } interface Callable { Object get(); } }",
            ),
            (
                "cast",
                "class C { Object m(Object o) { return (List) o; } }",
                "class C { Object m(Object o) { return (Set) o; } }",
            ),
            (
                "array dimensions",
                "class C { Object m() { return new int[2][2][]; } }",
                "class C { Object m() { return new int[2][2][2]; } }",
            ),
            (
                "class literal",
                "class C { Object m() { return int[].class; } }",
                "class C { Object m() { return long[].class; } }",
            ),
            (
                "constant value",
                "class C { static final int X = 12; }",
                "class C { static final int X = 13; }",
            ),
            (
                "kind of constant value",
                "class C { static final long X = 1; }",
                "class C { static final long X = Long.MAX_VALUE; }",
            ),
            (
                "static initializer",
                "class C { static { System.gc(); } }",
                "class C { static { System.exit(1); } }",
            ),
            ("enum constants", "enum C { A, B }", "enum C { B, A }"),
            (
                "enum constant added",
                "enum C { A, B }",
                "enum C { A, B, D }",
            ),
        ],
        false,
    );
}

#[test]
fn edits_of_declarations_show() {
    check(
        &[
            ("public class", "class C {}", "public class C {}"),
            ("final class", "class C {}", "final class C {}"),
            (
                "superclass",
                "class C extends Object {}",
                "class C extends Thread {}",
            ),
            (
                "interface",
                "class C implements Cloneable {}",
                "class C implements java.io.Serializable {}",
            ),
            (
                "interfaces swapped",
                "class C implements Cloneable, java.io.Serializable {}",
                "class C implements java.io.Serializable, Cloneable {}",
            ),
            (
                "private method",
                "class C { void m() {} }",
                "class C { private void m() {} }",
            ),
            (
                "synchronized",
                "class C { void m() {} }",
                "class C { synchronized void m() {} }",
            ),
            (
                "native",
                "class C { void m() {} }",
                "class C { native void m(); }",
            ),
            (
                "varargs",
                "class C { void m(int[] a) {} }",
                "class C { void m(int... a) {} }",
            ),
            (
                "volatile",
                "class C { int f; }",
                "class C { volatile int f; }",
            ),
            ("field type", "class C { int f; }", "class C { long f; }"),
            ("field name", "class C { int f; }", "class C { int g; }"),
            (
                "field or method",
                "abstract class C { int f; }",
                "abstract class C { abstract int f(); }",
            ),
            ("method added", "class C { }", "class C { void m() {} }"),
            (
                "throws",
                "class C { void m() {} }",
                "class C { void m() throws Exception {} }",
            ),
            (
                "throws swapped",
                "class C { void m() throws Error, Exception {} }",
                "class C { void m() throws Exception, Error {} }",
            ),
            (
                "generic class",
                "class C<T> {}",
                "class C<T extends Number> {}",
            ),
            (
                "generic field",
                "class C { List<String> f; }",
                "class C { List<Integer> f; }",
            ),
            (
                "generic method",
                "class C { void m(List<String> l) {} }",
                "class C { void m(List<?> l) {} }",
            ),
            (
                "record component type",
                "record C(int a) {}",
                "record C(long a) {}",
            ),
            (
                "record components swapped",
                "record C(int a, int b) {}",
                "record C(int b, int a) {}",
            ),
            (
                "record component annotation",
                "record C(int a) {}",
                "record C(@Seen int a) {}",
            ),
            (
                "permits",
                "sealed interface C permits A {} record A() implements C {} record B() {}",
                "sealed interface C permits A, B {} record A() implements C {} record B() implements C {}",
            ),
            (
                "sealed",
                "sealed interface C permits A {} record A() implements C {}",
                "interface C {} record A() implements C {}",
            ),
            ("nested class", "class C { }", "class C { class A {} }"),
            (
                "flags of a nested class",
                "class C { class A {} }",
                "class C { private class A {} }",
            ),
            (
                "static nested class",
                "class C { class A {} }",
                "class C { static class A {} }",
            ),
        ],
        false,
    );
}

#[test]
fn edits_of_annotations_kept_at_run_time_show() {
    check(
        &[
            ("on the class", "class C {}", "@Seen class C {}"),
            (
                "value",
                "@Seen(\"a\") class C {}",
                "@Seen(\"b\") class C {}",
            ),
            (
                "explicit default",
                "@Seen class C {}",
                "@Seen(\"\") class C {}",
            ),
            (
                "order of an array",
                "@Seen(list = {1, 2}) class C {}",
                "@Seen(list = {2, 1}) class C {}",
            ),
            (
                "array or nothing",
                "@Seen class C {}",
                "@Seen(list = {}) class C {}",
            ),
            (
                "elements swapped",
                "@Other(one = 3, two = 4) class C {}",
                "@Other(one = 4, two = 3) class C {}",
            ),
            (
                "on a field",
                "class C { int f; }",
                "class C { @Seen int f; }",
            ),
            (
                "on another field",
                "class C { @Seen int f; int g; }",
                "class C { int f; @Seen int g; }",
            ),
            (
                "on a method",
                "class C { void m() {} }",
                "class C { @Seen void m() {} }",
            ),
            (
                "on a parameter",
                "class C { void m(int a, int b) {} }",
                "class C { void m(int a, @Seen int b) {} }",
            ),
            (
                "on another parameter",
                "class C { void m(@Seen int a, int b) {} }",
                "class C { void m(int a, @Seen int b) {} }",
            ),
            (
                "on a type",
                "class C { List<String> f; }",
                "class C { List<@OnType(1) String> f; }",
            ),
            (
                "value on a type",
                "class C { @OnType(1) String f; }",
                "class C { @OnType(2) String f; }",
            ),
            (
                "path on a type",
                "class C { @OnType(1) List<String> f; }",
                "class C { List<@OnType(1) String> f; }",
            ),
            (
                "on a bound",
                "class C<T, U> {}",
                "class C<T, @Bound U> {} @Retention(RetentionPolicy.RUNTIME) @Target(ElementType.TYPE_PARAMETER) @interface Bound {}",
            ),
            (
                "on a supertype",
                "class C extends Thread {}",
                "class C extends @OnType(1) Thread {}",
            ),
            ("deprecated", "class C {}", "@Deprecated class C {}"),
            (
                "default",
                "@interface C { int value() default 1; }",
                "@interface C { int value() default 2; }",
            ),
            (
                "default added",
                "@interface C { int value(); }",
                "@interface C { int value() default 2; }",
            ),
            (
                "retention of the annotation itself",
                "@Retention(RetentionPolicy.CLASS) @interface C {}",
                "@Retention(RetentionPolicy.RUNTIME) @interface C {}",
            ),
        ],
        false,
    );
}

/// Compiles one class with each of two sets of options and compares.
fn check_options(before: &[&str], after: &[&str], same: bool) {
    let source = "class C { int f = 3; int m(int p) { int x = p * f; for (String s : List.of(\"a\")) x += s.length(); return x; } }";
    let [before, after] = [before, after].map(|options| compile([source].into_iter(), options));
    let class = "case0/C.class";
    assert_ne!(before[class], after[class]);
    assert_eq!(digest(&before[class]) == digest(&after[class]), same);
}

#[test]
fn debug_information_and_the_class_file_version_do_not_show_but_parameter_names_do() {
    check_options(&["-g"], &["-g:none"], true);
    check_options(&["--release", "11"], &["--release", "17"], true);
    check_options(&["-g"], &["-g", "-parameters"], false);
}
