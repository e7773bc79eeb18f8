use super::{check, check_body};

#[test]
fn a_field_without_initializer_is_only_itself() {
    check_body("int a;", "long a;", &["~ A a"]);
    check_body("", "int a;", &["+ A a"]);
    check_body("static int a;", "", &["- A a"]);
    check_body("int a, b;", "int a, b[];", &["~ A b"]);
    check_body("int a;", "@Inject int a;", &["~ A a"]);
}

#[test]
fn instance_fields_are_initialized_by_all_constructors() {
    check_body(
        "int a = b();",
        "int a = c();",
        &["~ A {}", "~ A a", "~ A <init>()"],
    );
    check_body(
        "int a = b(); A() {} A(int a) {}",
        "int a = c(); A() {} A(int a) {}",
        &["~ A {}", "~ A a", "~ A <init>()", "~ A <init>(int)"],
    );
    check_body("", "int a = b();", &["+ A {}", "+ A a", "~ A <init>()"]);
    check_body("int a = b(), c;", "int a = b(), d;", &["- A c", "+ A d"]);
    check_body(
        "int a = b();",
        "int a = c(); A(int a) {}",
        &["~ A {}", "~ A a", "- A <init>()", "+ A <init>(int)"],
    );
    check_body("{ a(); }", "{ b(); }", &["~ A {}", "~ A <init>()"]);
    check_body("", "{ b(); }", &["+ A {}", "~ A <init>()"]);
}

#[test]
fn static_fields_are_initialized_with_the_class() {
    check_body(
        "static int a = b();",
        "static int a = c();",
        &["~ A <clinit>", "~ A a"],
    );
    check_body("", "static int a = b();", &["+ A <clinit>", "+ A a"]);
    check_body("static { a(); }", "static { b(); }", &["~ A <clinit>"]);
    check_body("static { a(); }", "", &["- A <clinit>"]);
    check(
        "interface A { int[] A = {1}; }",
        "interface A { int[] A = {2}; }",
        &["~ A <clinit>", "~ A A"],
    );
}

#[test]
fn the_order_of_initializers_counts() {
    check_body(
        "int a = f(); int b = g();",
        "int b = g(); int a = f();",
        &["~ A {}", "~ A <init>()"],
    );
    check_body(
        "int a = f(); { g(); }",
        "{ g(); } int a = f();",
        &["~ A {}", "~ A <init>()"],
    );
    check_body(
        "static int a = f(); static { g(); }",
        "static { g(); } static int a = f();",
        &["~ A <clinit>"],
    );
    check_body(
        "int a = f(); static int b = g();",
        "static int b = g(); int a = f();",
        &[],
    );
    check_body("int a = f(); int b;", "int b; int a = f();", &[]);
}

#[test]
fn a_block_is_no_static_block() {
    check_body(
        "static { a(); }",
        "{ a(); }",
        &["+ A {}", "- A <clinit>", "~ A <init>()"],
    );
}

#[test]
fn constants_are_known() {
    let is_constant = |declared: &str, value: [&str; 2], expected: bool| {
        let constant = if expected { " constant" } else { "" };
        let [before, now] = value.map(|value| format!("class B {{ {declared} = {value}; }}"));
        let found = super::compare(&before, &now);
        assert!(
            found.contains(&format!("~ B A{constant}")),
            "{declared} = {value:?}: {found:?}"
        );
    };
    is_constant("static final int A", ["1", "2"], true);
    is_constant("public static final String A", ["\"a\" + B", "\"b\""], true);
    is_constant("static final java.lang.String A", ["\"a\"", "\"b\""], true);
    is_constant("static final long A", ["1L << 3", "(C.D ? 1 : ~2)"], true);
    is_constant("final int A", ["1", "2"], true);
    is_constant("static final int A", ["1", "f()"], true);
    is_constant("static final int A", ["g()", "f()"], false);
    is_constant("static int A", ["1", "2"], false);
    is_constant("static final Integer A", ["1", "2"], false);
    is_constant(
        "static final String A",
        ["new String(\"a\")", "null"],
        false,
    );
    is_constant("static final int[] A", ["{1}", "{2}"], false);
    is_constant("static final int A[]", ["{1}", "{2}"], false);
    is_constant("static final int A", ["a[0]", "B.class.x"], false);
}

#[test]
fn what_was_a_constant_counts_as_one() {
    check_body(
        "final int a = 1;",
        "int a = 1;",
        &["~ A {}", "~ A a constant", "~ A <init>()"],
    );
    check_body(
        "static final int a = 1;",
        "",
        &["- A <clinit>", "- A a constant"],
    );
    check(
        "interface A { int B = 1; }",
        "interface A { int B = 2; }",
        &["~ A <clinit>", "~ A B constant"],
    );
    check(
        "@interface A { int B = 1; }",
        "@interface A { int B = 2; }",
        &["~ A <clinit>", "~ A B constant"],
    );
}

#[test]
fn constants_of_enums_are_made_by_the_static_initializer() {
    check(
        "enum A { B(1), C }",
        "enum A { B(2), C }",
        &["~ A <clinit>", "~ A B of enum"],
    );
    check(
        "enum A { B, C }",
        "enum A { B { int a; }, C }",
        &["~ A <clinit> {}", "~ A B of enum {}"],
    );
    check(
        "enum A { B, C }",
        "enum A { C, B }",
        &["~ A class {}", "~ A <clinit>"],
    );
    check(
        "enum A { B, C }",
        "enum A { B, C, D }",
        &["~ A class {}", "~ A <clinit>", "+ A D of enum"],
    );
    check(
        "enum A { B, C; }",
        "enum A { B, C, ; void m() {} }",
        &["+ A m()"],
    );
}
