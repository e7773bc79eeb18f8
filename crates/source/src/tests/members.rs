use super::{check, check_body};

#[test]
fn what_javac_does_not_care_about_is_no_change() {
    check_body(
        "int m() { return 1; }",
        "int m() {\n  // one\n  return 1;\n}",
        &[],
    );
    check_body(
        "int m() { return 1; }",
        "/** Doc. */ int m() { return /* 1 */ 1; }",
        &[],
    );
    check_body("void a() {} void b() {}", "void b() {}\n\nvoid a() {}", &[]);
    check_body("int a; int b;", "int b; int a;", &[]);
    check("class A {}\nclass B {}", "class B {}\n\n\nclass A {}", &[]);
    check("class A {}", "class A {};", &[]);
    check_body("List<List<A>> f;", "List<List<A> > f;", &[]);
}

#[test]
fn a_method_that_differs_is_reported() {
    check_body(
        "int m() { return 1; }",
        "int m() { return 2; }",
        &["~ A m()"],
    );
    check_body(
        "int m() { return 1; }",
        "long m() { return 1; }",
        &["~ A m()"],
    );
    check_body("void m() {}", "public void m() {}", &["~ A m()"]);
    check_body("void m() {}", "@Deprecated void m() {}", &["~ A m()"]);
    check_body("void m() {}", "void m() throws E {}", &["~ A m()"]);
    check_body(
        "void m() { f(\"a b\"); }",
        "void m() { f(\"a  b\"); }",
        &["~ A m()"],
    );
    check_body("void m(int a) {}", "void m(int b) {}", &["~ A m(int)"]);
    check_body(
        "int m() { return a - -b; }",
        "int m() { return a-- -b; }",
        &["~ A m()"],
    );
    check_body(
        "void m() { c = ' '; }",
        "void m() { c = '\t'; }",
        &["~ A m()"],
    );
}

#[test]
fn the_text_of_a_block_counts_with_its_white_space_but_not_its_line_ends() {
    let block = |text: &str| format!("String m() {{ return \"\"\"\n{text}\"\"\"; }}");
    check_body(
        &block("  a\n  // b\n"),
        &block("  a\n // b\n"),
        &["~ A m()"],
    );
    check_body(&block("  // b\n"), &block("  // c\n"), &["~ A m()"]);
    check_body(
        &block("say \\\"\"\" // \" b\n"),
        &block("say \\\"\"\" // \" b\n"),
        &[],
    );
}

#[test]
fn methods_come_and_go() {
    check_body("", "void m() {}", &["+ A m()"]);
    check_body("void m() {}", "", &["- A m()"]);
    check_body(
        "void m(int a) {}",
        "void m(long a) {}",
        &["- A m(int)", "+ A m(long)"],
    );
    check_body(
        "void m(A a) {} void m(B b) {}",
        "void m(A a) {} void m(B b) { b(); }",
        &["~ A m(B)"],
    );
}

#[test]
fn parameters_are_simple_names_of_erased_types() {
    let check =
        |written: &str, expected: &str| check_body("", written, &[&format!("+ A {expected}")]);
    check(
        "void m(int a, final String b, java.util.List<String> c) {}",
        "m(int, String, List)",
    );
    check(
        "void m(int[] a, int b[], int[] c[], String... d) {}",
        "m(int[], int[], int[][], String[])",
    );
    check(
        "void m(Map.Entry<K, V> a, Outer<X>.Inner b) {}",
        "m(Entry, Inner)",
    );
    check(
        "void m(@N String a, java.lang.@N String b, @N int @N [] c) {}",
        "m(String, String, int[])",
    );
    check(
        "<T> void m(T a, T[] b, T... c) {}",
        "m(Object, Object[], Object[])",
    );
    check(
        "<T extends Comparable<T> & B> void m(T a) {}",
        "m(Comparable)",
    );
    check(
        "<T extends U, U extends java.util.List<?>> void m(T a) {}",
        "m(List)",
    );
    check("<T extends T> void m(T a) {}", "m(T)");
    check("void m(A this, int a) {}", "m(int)");
    check(
        "void m(/* a */ int /* b */ a, // c\n int b) {}",
        "m(int, int)",
    );
}

#[test]
fn type_variables_of_classes_around_are_known() {
    check(
        "class A<T extends Number> { class B<U> { } }",
        "class A<T extends Number> { class B<U> { void m(T a, U b, V c) {} } }",
        &["+ A$B m(Number, Object, V)"],
    );
}

#[test]
fn methods_that_cannot_be_told_apart_are_one() {
    let two = "void m(a.X x) {} void m(b.X x) {}";
    check_body(two, two, &[]);
    check_body(
        two,
        "void m(a.X x) {} void m(b.X x) { c(); }",
        &["~ A m(X)"],
    );
    check_body(two, "void m(a.X x) {}", &["~ A m(X)"]);
}

#[test]
fn constructors_come_and_go_with_the_one_that_javac_writes() {
    check_body("A(int a) {}", "A(int a) { b(); }", &["~ A <init>(int)"]);
    check_body("", "A() {}", &["~ A <init>()"]);
    check_body("", "A(int a) {}", &["- A <init>()", "+ A <init>(int)"]);
    check_body("A(int a) {}", "", &["+ A <init>()", "- A <init>(int)"]);
    check_body(
        "A(int a) {}",
        "A(int a) {} A(long a) {}",
        &["+ A <init>(long)"],
    );
    check("interface A { }", "interface A { void m(); }", &["+ A m()"]);
}

#[test]
fn members_with_classes_inside_say_so() {
    check_body(
        "void m() { f(); }",
        "void m() { f(() -> 1); }",
        &["~ A m() {}"],
    );
    check_body(
        "void m() { f(() -> 1); }",
        "void m() { f(); }",
        &["~ A m() {}"],
    );
    check_body(
        "void m() { f(new B()); }",
        "void m() { f(new B() { int a; }); }",
        &["~ A m() {}"],
    );
    check_body(
        "void m() { class B {} }",
        "void m() { class B { int a; } }",
        &["~ A m() {}"],
    );
    check_body(
        "void m() { record B(int a) {} }",
        "void m() { record B(long a) {} }",
        &["~ A m() {}"],
    );
    check_body(
        "void m() { f(A::n); }",
        "void m() { f(A::o); }",
        &["~ A m()"],
    );
    check_body(
        "void m() { f(() -> 1); } void n() {} void o() { f(() -> 1); }",
        "void m() { f(() -> 1); } void n() { g(); } void o() { f(() -> 1); }",
        &["~ A n()"],
    );
    check_body(
        "Object o = new B() { int a() { return 1; } };",
        "Object o = new B() { int a() { return 2; } };",
        &["~ A {} {}", "~ A o {}", "~ A <init>()"],
    );
}

#[test]
fn elements_of_annotations_are_methods() {
    let annotation = |default: &str| format!("@interface A {{ int value() default {default}; }}");
    check(&annotation("1"), &annotation("2"), &["~ A value()"]);
}
