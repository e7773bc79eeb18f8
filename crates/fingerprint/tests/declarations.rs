//! What shows to a tool that reads class files without code, and what does not.

mod support;

use support::{Classes, javac};
use tamis_classfile::ClassFile;
use tamis_fingerprint::declarations;

fn compile<'s>(sources: impl Iterator<Item = &'s str>, options: &[&str]) -> Classes {
    let files: Vec<(String, String)> = sources
        .enumerate()
        .map(|(i, source)| {
            let text = format!("package case{i}; @interface A {{}} @interface B {{}} {source}");
            (format!("case{i}/C.java"), text.replace("@interface", KEPT))
        })
        .collect();
    let files = files
        .iter()
        .map(|(path, text)| (path.clone(), text.as_str()));
    javac(files, options)
}

const KEPT: &str =
    "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) @interface";

/// Compares what `C` declares before and after each edit.
fn check(cases: &[(&str, &str, &str)], shows: bool) {
    let before = compile(cases.iter().map(|case| case.1), &["-g"]);
    let after = compile(cases.iter().map(|case| case.2), &["-g"]);
    for (i, (name, ..)) in cases.iter().enumerate() {
        let class = format!("case{i}/C.class");
        let [before, after] = [&before, &after].map(|classes| &classes[&class]);
        assert_ne!(before, after, "{name}: the edit changes nothing at all");
        assert_eq!(declared(before) != declared(after), shows, "{name}");
    }
}

fn declared(bytes: &[u8]) -> tamis_fingerprint::Digest {
    declarations(&ClassFile::parse(bytes).unwrap()).unwrap()
}

#[test]
fn code_does_not_show() {
    check(
        &[
            (
                "a value",
                "class C { int m() { return 1; } }",
                "class C { int m() { return 2; } }",
            ),
            (
                "a text",
                "class C { String m() { return \"a\"; } }",
                "class C { String m() { return \"b\"; } }",
            ),
            (
                "calls and types",
                "class C { Object m() { return null; } }",
                "class C { Object m() { return new Thread(\"t\"); } }",
            ),
            (
                "an initial value",
                "class C { int f = 1; }",
                "class C { int f = 2; }",
            ),
            (
                "lines",
                "class C { int m() { return 1; } }",
                "\n\nclass C { int m() { return 1; } }",
            ),
        ],
        false,
    );
}

#[test]
fn everything_else_shows() {
    check(
        &[
            ("an annotation", "class C {}", "@A class C {}"),
            (
                "the order of annotations",
                "@A @B class C {}",
                "@B @A class C {}",
            ),
            (
                "an annotation of a method",
                "class C { void m() {} }",
                "class C { @A void m() {} }",
            ),
            (
                "an annotation of a field",
                "class C { int f; }",
                "class C { @A int f; }",
            ),
            (
                "a supertype",
                "class C {}",
                "class C implements Runnable { public void run() {} }",
            ),
            ("flags", "class C {}", "abstract class C {}"),
            ("a field", "class C {}", "class C { int f; }"),
            (
                "a constant",
                "class C { static final int F = 1; }",
                "class C { static final int F = 2; }",
            ),
            ("a method", "class C {}", "class C { void m() {} }"),
            (
                "the order of methods",
                "class C { void m() {} void n() {} }",
                "class C { void n() {} void m() {} }",
            ),
            (
                "an exception",
                "class C { void m() {} }",
                "class C { void m() throws Exception {} }",
            ),
            (
                "a generic type",
                "class C { java.util.List<String> f; }",
                "class C { java.util.List<C> f; }",
            ),
            (
                "a nested class",
                "class C {}",
                "class C { static class D {} }",
            ),
            (
                "the order of nested classes",
                "class C { static class D {} static class E {} }",
                "class C { static class E {} static class D {} }",
            ),
            (
                "a method of a lambda",
                "class C { Runnable m() { return null; } }",
                "class C { Runnable m() { return () -> {}; } }",
            ),
        ],
        true,
    );
}

#[test]
fn the_exact_version_shows() {
    let compile = |release| {
        let source = ["class C {}"].into_iter();
        compile(source, &["--release", release])["case0/C.class"].clone()
    };
    assert_ne!(declared(&compile("11")), declared(&compile("17")));
}
