//! Rules for exceptions that are declared, for `final`, and for private members that come or go.

use crate::{Edit, check, check_edited, unchanged};
use tamis_classfile::access;

#[test]
fn declared_exceptions_are_excused_alone() {
    check(&[
        (
            "class C { C() {} void m() {} static void s() throws Error {} }",
            "class C { C() throws Error {} void m() throws Exception {} static void s() {} }",
            &[
                "CI <init> thrown (throws)",
                "CIM m thrown (throws)",
                "CSM s thrown (throws)",
            ],
        ),
        (
            "class C { void m() {} }",
            "class C { void m() throws Error { System.gc(); } }",
            &["CIM m thrown body"],
        ),
        (
            "class C { void m() {} }",
            "class C { @Deprecated void m() throws Error {} }",
            &["CIM m mirror thrown"],
        ),
        (
            "class C { void m() {} }",
            "class C { public void m() throws Error {} }",
            &["CIM m flags thrown"],
        ),
    ]);
}

#[test]
fn final_is_excused_where_methods_cannot_be_overridden() {
    check(&[
        (
            "class C { private void p() {} static void s() {} static final void t() {} }",
            "class C { private final void p() {} static final void s() {} static void t() {} }",
            &[
                "CIM p flags (final)",
                "CSM s flags (final)",
                "CSM t flags (final)",
            ],
        ),
        (
            "class C { void m() {} }",
            "class C { final void m() {} }",
            &["CIM m flags"],
        ),
        (
            "class C { public final void m() {} }",
            "class C { public void m() {} }",
            &["CIM m flags"],
        ),
        (
            "class C { static void s() {} }",
            "class C { private static final void s() {} }",
            &["CSM s flags"],
        ),
    ]);
}

#[test]
fn final_is_excused_where_fields_are_assigned_by_their_initializer_alone() {
    let sets = "class C { private static Object f = C.class; static void m() { f = null; } }";
    let member = "class C { private Object f = C.class; void m() { f = null; } }";
    let lambda = "class C { private static Object f; static Runnable r = () -> { f = null; }; }";
    let flip: Edit = |class| class.fields[0].head[1] ^= access::FINAL as u8;
    check_edited(&[
        (
            "class C { private static Object f = C.class; private static final Object g; static { g = null; } }",
            "class C { private static final Object f = C.class; private static Object g; static { g = null; } }",
            unchanged,
            &["CFD f flags (final)", "CFD g flags (final)"],
        ),
        (
            "class C { private Object f = C.class; }",
            "class C { private final Object f = C.class; }",
            unchanged,
            &["CFD f flags (final)"],
        ),
        // Other threads may see it before it is set.
        (
            "class C { private final Object f = C.class; }",
            "class C { private Object f = C.class; }",
            unchanged,
            &["CFD f flags"],
        ),
        (
            "class C { static Object f = C.class; }",
            "class C { static final Object f = C.class; }",
            unchanged,
            &["CFD f flags"],
        ),
        // The compiler puts the value of a constant into the code that uses it.
        (
            "class C { private static int f = 1; }",
            "class C { private static final int f = 1; }",
            unchanged,
            &["CFD f flags body", "DSI <clinit>"],
        ),
        (sets, sets, flip, &["CFD f flags"]),
        (member, member, flip, &["CFD f flags"]),
        (lambda, lambda, flip, &["CFD f flags"]),
        (
            "class C { private static Object f = C.class; String m() { return \"f\"; } }",
            "class C { private static final Object f = C.class; String m() { return \"f\"; } }",
            unchanged,
            &["CFD f flags"],
        ),
        // A nest mate may assign it.
        (
            "class C { private static Object f = C.class; class N { void m() { f = null; } } }",
            "class C { private static Object f = C.class; class N { void m() { f = null; } } }",
            flip,
            &["CFD f flags"],
        ),
        (
            "class C { private static volatile Object f = C.class; }",
            "class C { private static volatile Object f = C.class; }",
            flip,
            &["CFD f flags"],
        ),
    ]);
}

#[test]
fn a_private_field_that_hides_nothing_is_excused() {
    let used = "class C { private int x; int m() { return x; } }";
    check(&[
        (
            "class C {}",
            "class C { private int x; }",
            &["AFD x (private-field)"],
        ),
        (
            "class C { int m() { return 0; } }",
            used,
            &["AFD x (private-field)", "CIM m body"],
        ),
        ("class C {}", "class C { int x; }", &["AFD x"]),
        (
            "class C { class N {} }",
            "class C { class N {} private int x; }",
            &["AFD x (private-field)"],
        ),
        // `m` has the same code and means another field.
        (
            "class C extends P { int m() { return x; } } class P { int x; }",
            "class C extends P { int m() { return x; } private int x; } class P { int x; }",
            &["AFD x"],
        ),
        (
            "class C implements P { int m() { return x; } } interface P { int x = new int[1].length; }",
            "class C implements P { int m() { return x; } private static int x; } interface P { int x = new int[1].length; }",
            &["AFD x"],
        ),
        (
            "class C {}",
            "class C { private static final long serialVersionUID = 1; }",
            &["AFD serialVersionUID"],
        ),
    ]);
}

#[test]
fn a_private_field_that_nothing_mentions_is_excused_when_it_goes() {
    check(&[
        (
            "class C { private int x; }",
            "class C {}",
            &["DFD x (private-field)"],
        ),
        (
            "class C extends Thread { private static int x; private transient int y; }",
            "class C extends Thread {}",
            &["DFD x (private-field)", "DFD y (private-field)"],
        ),
        // The superclass may be serializable, and objects are then written without it.
        (
            "class C extends java.util.Date { private int x; }",
            "class C extends java.util.Date {}",
            &["DFD x"],
        ),
        ("class C { int x; }", "class C {}", &["DFD x"]),
        // `m` has the same code and means another field.
        (
            "class C extends P { private static int x; int m() { return x; } } class P { static int x; }",
            "class C extends P { int m() { return x; } } class P { static int x; }",
            &["DFD x"],
        ),
        (
            "class C { private int x; class N {} }",
            "class C { class N {} }",
            &["DFD x"],
        ),
        (
            "class C { private int x; String m() { return \"x\"; } }",
            "class C { String m() { return \"x\"; } }",
            &["DFD x"],
        ),
        (
            "class C { private static final long serialVersionUID = 1; }",
            "class C {}",
            &["DFD serialVersionUID"],
        ),
    ]);
}

#[test]
fn a_private_method_that_nothing_mentions_is_excused_when_it_goes() {
    check(&[
        (
            "class C extends Thread { private void p() {} private static void s() {} }",
            "class C extends Thread {}",
            &[
                "DIM p (removed-private-method)",
                "DSM s (removed-private-method)",
            ],
        ),
        ("class C { void p() {} }", "class C {}", &["DIM p"]),
        (
            "class C { private C(int i) {} C() {} }",
            "class C { C() {} }",
            &["DI <init>"],
        ),
        (
            "class C { private native void p(); }",
            "class C {}",
            &["DIM p"],
        ),
        (
            "class C { private void p() {} class N {} }",
            "class C { class N {} }",
            &["DIM p"],
        ),
        (
            "class C { private Object readResolve() { return null; } }",
            "class C {}",
            &["DIM readResolve"],
        ),
        (
            "interface C { private void p() {} }",
            "interface C {}",
            &["DIM p"],
        ),
        (
            "class C { private void p() {} void q(Thread t) { t.start(); } private void start() {} }",
            "class C { void q(Thread t) { t.start(); } }",
            &["DIM p (removed-private-method)", "DIM start"],
        ),
    ]);
}

#[test]
fn private_methods_that_are_added_count() {
    check(&[
        ("class C {}", "class C { private void p() {} }", &["AIM p"]),
        (
            "final class C {}",
            "final class C { private static void p() {} }",
            &["ASM p"],
        ),
        (
            "interface C {}",
            "interface C { private void p() {} }",
            &["AIM p"],
        ),
    ]);
}
