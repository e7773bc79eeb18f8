use super::check;
use crate::change::Change;
use crate::changes::between;
use crate::java::Java;

#[test]
fn the_head_of_a_class_is_all_before_its_body() {
    let check = |before: &str, now: &str| {
        let [before, now] = [before, now].map(|head| format!("{head} {{ int B = 1; }}"));
        check(&before, &now, &["~ A class {}"]);
    };
    check("class A", "final class A");
    check("final class A", "class A");
    check("class A", "@B class A");
    check("@B(1) class A", "@B(2) class A");
    check("class A", "class A extends B");
    check("class A implements B", "class A implements C");
    check("class A<T>", "class A<T extends B>");
    check(
        "sealed interface A permits B",
        "sealed interface A permits B, C",
    );
    check("interface A", "@interface A");
    check("interface A extends B", "interface A extends C");
}

#[test]
fn the_head_of_a_class_counts_for_those_in_it() {
    let classes =
        |head: &str| format!("class A {head} {{ class B {{ class C {{ }} }} }} class D {{ }}");
    let expected = ["~ A class {}", "~ A$B class {}", "~ A$B$C class {}"];
    check(&classes(""), &classes("extends X"), &expected);
    check(
        &classes("<T extends X>"),
        &classes("<T extends Y>"),
        &expected,
    );
    check(
        "enum A { X; class B { } }",
        "enum A { X, Y; class B { } }",
        &["~ A class {}", "~ A <clinit>", "+ A Y of enum"],
    );
}

#[test]
fn a_sealed_class_permits_those_of_its_file() {
    let classes = |more: &str| format!("sealed class A {{ }} final class B extends A {{ }} {more}");
    let more = "final class C extends A { }";
    check(
        &classes(""),
        &classes(more),
        &["~ A class {}", "+ C class {}"],
    );
    check(
        "sealed class A permits B { }",
        "sealed class A permits B { } class C { }",
        &["+ C class {}"],
    );
}

#[test]
fn classes_come_and_go_as_a_whole() {
    check(
        "class A {}",
        "class A {} class B { int a = 1; class C { void m() {} } }",
        &["+ B class {}", "+ B$C class {}"],
    );
    check(
        "class A { enum B { C } }",
        "class A {}",
        &["- A$B class {}"],
    );
    check(
        "class A {}",
        "class B {}",
        &["- A class {}", "+ B class {}"],
    );
}

#[test]
fn nested_classes_are_their_own() {
    let nested = |body: &str| {
        format!("package a.b; class A {{ int x; static class B {{ interface C {{ {body} }} }} }}")
    };
    check(&nested(""), &nested("void m();"), &["+ a/b/A$B$C m()"]);
    check(
        "enum A { B; class C { void m() {} } }",
        "enum A { B; class C { void m() { n(); } } }",
        &["~ A$C m()"],
    );
    check(
        "@interface A { class C { int a; } }",
        "@interface A { class C { long a; } }",
        &["~ A$C a"],
    );
}

#[test]
fn a_package_is_a_part_of_names() {
    check(
        "package a; class A {}",
        "package a.b; class A {}",
        &["- a/A class {}", "+ a/b/A class {}"],
    );
    check("package a . b; class A {}", "package a.b; class A {}", &[]);
}

#[test]
fn the_header_of_a_record_is_a_part_of_its_head() {
    check(
        "record A(int a) {}",
        "record A(long a) {}",
        &["~ A class {}", "- A <init>(int)", "+ A <init>(long)"],
    );
    check(
        "record A(int a) {}",
        "record A(@B int a) {}",
        &["~ A class {}"],
    );
    check(
        "record A(int a) {}",
        "record A(int a, int b) {}",
        &[
            "~ A class {}",
            "- A <init>(int)",
            "+ A <init>(int, int)",
            "+ A b()",
        ],
    );
}

#[test]
fn what_a_record_declares_itself_is_not_new() {
    check(
        "record A(int a) {}",
        "record A(int a) { A { b(); } }",
        &["~ A <init>(int)"],
    );
    check(
        "record A(int a) {}",
        "record A(int a) { A(int a) { this.a = 1; } }",
        &["~ A <init>(int)"],
    );
    check(
        "record A(int a) {}",
        "record A(int a) { public int a() { return 1; } }",
        &["~ A a()"],
    );
    check(
        "record A(int a) { public String toString() { return a; } }",
        "record A(int a) {}",
        &["~ A toString()"],
    );
    check(
        "record A(int a) {}",
        "record A(int a) { void b() {} }",
        &["+ A b()"],
    );
    check(
        "record A<T>(T a) {}",
        "record A<T>(T a) { A { b(); } }",
        &["~ A <init>(Object)"],
    );
}

#[test]
fn a_file_that_is_new_or_gone_or_renamed_is_its_classes() {
    let source = Some("package a; class A { class B {} }");
    let check = |sides, is_renamed, expected: [&[&str]; 2]| {
        let [before, now] = expected.map(|names| names.iter().map(ToString::to_string).collect());
        let found = between(&mut Java::new(), sides, is_renamed);
        let found = found.map(|(change, _)| change);
        assert_eq!(found, Some(Change::Classes { before, now }));
    };
    let names: &[&str] = &["a/A", "a/A$B"];
    check((None, source), false, [&[], names]);
    check((source, None), false, [names, &[]]);
    check((source, source), true, [names, names]);
    assert_eq!(
        between(&mut Java::new(), (None, Some("class")), false),
        None
    );
    assert_eq!(
        between(&mut Java::new(), (Some("class"), source), true),
        None
    );
}

#[test]
fn where_lombok_is_used_members_make_others() {
    let lombok = |body: &str| format!("import lombok.Data; @Data class A {{ {body} }}");
    check(
        &lombok("int a;"),
        &lombok("long a;"),
        &["~ A class {}", "~ A a"],
    );
    check(&lombok("int a;"), &lombok(""), &["~ A class {}", "- A a"]);
    check(
        &lombok(""),
        &lombok("int getA() { return 1; }"),
        &["~ A class {}", "+ A getA()"],
    );
    check(
        &lombok("void m() {}"),
        &lombok("void m() { n(); }"),
        &["~ A m()"],
    );
    check(
        "@lombok.Data class A { int a; }",
        "@lombok.Data class A { }",
        &["~ A class {}", "- A a"],
    );
}
