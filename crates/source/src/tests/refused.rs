use super::{check, check_body};

#[test]
fn what_is_not_understood_is_refused() {
    let check = |source: &str| {
        check("class A {}", source, &["unparsed"]);
        super::check(source, "class A {}", &["unparsed"]);
    };
    check("class A {");
    check("class A { void m() { int = 3; } }");
    check("class A { } }");
    check("class A { <<<<<<< HEAD\n int a;\n=======\n int b;\n>>>>>>> b\n }");
    check("class A { \"a\nb\"; }");
    check("class A { int \\u0061; }");
    check("class A { } // \\u000a class B { }");
    check("class A { String s = \"\\u0022 + b + \\u0022\"; }");
    check("class A { int a\u{a0}= 1; }");
    check("class A { int a;\0 }");
    check("class A { } class A { }");
    check("class A { class B {} } class A$B {}");
    // A class without a name, or code without a class.
    check("void main() { }");
    check("int a = 1;");
    check("@B package a; class A {}");
}

#[test]
fn files_without_classes_are_understood() {
    check("", "// nothing\n", &[]);
    check("", "package a;", &[]);
    check(" ", "class A {}", &["+ A class {}"]);
    check_body(";", ";;", &[]);
}

#[test]
fn code_of_new_releases_is_understood() {
    let check = |before: &str, now: &str| {
        let [before, now] = [before, now].map(|code| format!("Object m(Object o) {{ {code} }}"));
        check_body(&before, &now, &["~ A m(Object)"]);
    };
    check("var a = 1;", "var a = 2;");
    check(
        "if (o instanceof B b) {}",
        "if (o instanceof B(int x, var y)) {}",
    );
    check(
        "return switch (o) { case Integer i when i > 1 -> 1; default -> 2; };",
        "return switch (o) { case C(var x, D _) -> { yield 1; } case null, default -> 2; };",
    );
    check("try (a; var b = c()) {}", "try (a; var b = d()) {}");
    check("for (var _ : f) {}", "for (var _ : f) { g(); }");
    check(
        "int yield = 1; int record = 2;",
        "int yield = 1; int record = 3;",
    );
    check("return a < b && c > d;", "return a < b && c >> d;");
    check("return (B & C) D::e;", "return B::<C>new;");
}

#[test]
fn code_that_nests_deeply_is_compared() {
    let sum = |last: &str| format!("int m() {{ return {}{last}; }}", "1 + ".repeat(20_000));
    check_body(&sum("1"), &sum("2"), &["~ A m()"]);
    let nested = |last: &str| {
        let (open, close) = ("(".repeat(2_000), ")".repeat(2_000));
        format!("int m() {{ return {open}{last}{close}; }}")
    };
    check_body(&nested("1"), &nested("2"), &["~ A m()"]);
}
