//! Statements and slices of test methods that javac compiled.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use support::jdk::Jdk;
use support::{compile, some_classes, write};
use tamis_classfile::ClassFile;
use tamis_code::slices::{Changed, Effects, Slice, slices};
use tamis_code::statements::{Statement, Whole, statements};

/// Figure 1 of the SELERTION paper, with a class of its own for what it uses.
const COMPLEX: &str = r#"package p;
public class Complex {
    static final Complex ONE = new Complex(1, 0), ZERO = new Complex(0, 0), I = new Complex(0, 1);
    final double a, b;
    Complex(double a, double b) { this.a = a; this.b = b; }
    Complex negate() { return new Complex(-a, -b); }
    Complex exp() { return this; }
    Complex multiply(Complex other) { return this; }
    double getReal() { return a; }
    double getImaginary() { return b; }
    static void assertEquals(Object expected, Object actual, double delta) { }
    static void assertEquals(double expected, double actual, double delta) { }
}"#;

const TESTS: &str = r#"package p;
import static p.Complex.assertEquals;
import java.util.*;
class Tests {
    List<String> field = new ArrayList<>();
    void exp() {
        Complex z = new Complex(3, 4);
        Complex expected = new Complex(-13.12878, -15.20078);
        assertEquals(expected, z.exp(), 1.0e-5);
        assertEquals(Complex.ONE, Complex.ZERO.exp(), 10e-12);
        Complex iPi = Complex.I.multiply(new Complex(3.14, 0));
        assertEquals(Complex.ONE.negate(), iPi.exp(), 10e-12);
    }
    void negate() {
        Complex x = new Complex(3.0, 4.0);
        Complex z = x.negate();
        assertEquals(-3.0, z.getReal(), 1.0e-5);
        assertEquals(-4.0, z.getImaginary(), 1.0e-5);
    }
    void shapes(int n) {
        int a = n; int b = a;
        String s = "x"
            + a
            + b;
        for (int i = 0; i < n; i++) {
            a += i;
        }
        if (a > b) {
            b = a;
        } else
            b = 1;
        String t = n > 1 ? s : null;
        try {
            hashCode();
        } catch (RuntimeException e) {
            b = 2;
        } finally {
            a = 3;
        }
        switch (n) {
            case 1: a = 1;
            default: b = 2;
        }
        Object o = s.trim()
            .concat(t)
            .length();
        synchronized (o) {
            a = 2;
        }
    }
    void leaves(int n) {
        int a = 1;
        if (n > 1)
            return;
        a = 2;
        a = 3;
    }
    void throwsItself(int n) {
        int a = 1;
        if (n > 1)
            throw new IllegalStateException();
        a = 2;
    }
    int returns() { return 1; }
    void nothing() { }
    void aliases() {
        List<String> list = new ArrayList<>();
        List<String> other = list;
        Iterator<String> iterator = new ArrayList<String>().iterator();
        other.add("a");
        assertEquals(list, null, 0);
        assertEquals(iterator, null, 0);
    }
    void fields() {
        List<String> list = field;
        List<String> free = new ArrayList<>();
        field.add("a");
        assertEquals(list, null, 0);
        assertEquals(free, null, 0);
    }
    void world() {
        List<String> one = Shared.list();
        List<String> two = Shared.list();
        one.add("a");
        System.setProperty("a", "b");
        assertEquals(two, null, 0);
        assertEquals(1.0, 1.0, 0);
        two.clear();
    }
}
class Shared { static List<String> list() { return null; } }
"#;

static TESTS_CLASS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let dir: PathBuf = support::scratch("slices");
    let files = [("p/Complex.java", COMPLEX), ("p/Tests.java", TESTS)];
    let files = files.map(|(name, text)| write(&dir, name, text));
    let jdk = Jdk::find(17);
    compile(&jdk, &[], &files, &dir.join("out"));
    fs::read(dir.join("out/p/Tests.class")).unwrap()
});

/// The line of a text in the tests, by what stands there.
fn line_of(method: &str, nth: usize) -> u16 {
    let start = TESTS
        .lines()
        .position(|line| line.contains(&format!(" {method}(")))
        .unwrap();
    u16::try_from(start + 1 + nth).unwrap()
}

fn of(method: &str) -> Result<Vec<Statement<'static>>, Whole> {
    let class: &'static ClassFile<'static> =
        Box::leak(Box::new(ClassFile::parse(&TESTS_CLASS).unwrap()));
    let members = class.methods().map(Result::unwrap);
    let mut members = members.filter(|m| class.pool.utf8(m.name).unwrap() == method.as_bytes());
    let code = class.code(&members.next().unwrap()).unwrap().unwrap();
    statements(class, &code).unwrap()
}

/// Lines are counted from that of the method's name on.
#[track_caller]
fn check_lines(method: &str, expected: &[usize]) {
    let found = of(method).unwrap();
    let found: Vec<u16> = found.iter().map(|statement| statement.line).collect();
    let expected: Vec<u16> = expected.iter().map(|nth| line_of(method, *nth)).collect();
    assert_eq!(found, expected, "{method}");
}

#[test]
fn a_statement_is_a_line_or_what_jumps_lead_over() {
    check_lines("exp", &[1, 2, 3, 4, 5, 6]);
    // What all cases of a switch come to is a statement of its own.
    check_lines("shapes", &[1, 2, 5, 8, 12, 14, 20, 22, 24, 27]);
    check_lines("throwsItself", &[1, 2, 4]);
    check_lines("nothing", &[]);
}

#[test]
fn what_follows_an_early_return_belongs_to_it() {
    check_lines("leaves", &[1, 2]);
}

#[test]
fn a_method_that_returns_a_value_is_no_test() {
    assert_eq!(of("returns"), Err(Whole::NoEnd));
}

#[test]
fn statements_follow_each_other() {
    for method in ["exp", "shapes", "leaves", "aliases"] {
        let found = of(method).unwrap();
        assert_eq!(found.first().unwrap().start, 0);
        for pair in found.windows(2) {
            assert_eq!(pair[0].end, pair[1].start, "{method}");
        }
    }
}

fn calls(statement: &Statement<'_>, name: &str) -> bool {
    statement
        .calls
        .iter()
        .any(|call| call.name == name.as_bytes())
}

/// The slices of a test of which this is known: which calls change objects, which change the world, and which show it.
fn sliced(method: &str, objects: &[&str], world: &[&str], sees: &[&str]) -> (Vec<Slice>, usize) {
    let found = of(method).unwrap();
    let has = |number: usize, names: &[&str]| names.iter().any(|name| calls(&found[number], name));
    let effects = |number: usize| Effects {
        changes: match (has(number, world), has(number, objects)) {
            (true, _) => Changed::World,
            (_, true) => Changed::Objects,
            _ => Changed::Nothing,
        },
        sees_world: has(number, sees),
    };
    let is_assertion = |number: usize| has(number, &["assertEquals"]);
    (slices(&found, effects, is_assertion), found.len())
}

/// Slices by the lines of their statements, from that of the method's name on.
#[track_caller]
fn check(method: &str, [objects, world, sees]: [&[&str]; 3], expected: &[&[usize]]) {
    let found = of(method).unwrap();
    let (slices, _) = sliced(method, objects, world, sees);
    let lines = |slice: &Slice| -> Vec<usize> {
        let lines = slice
            .statements
            .iter()
            .map(|number| found[*number].line - line_of(method, 0));
        lines.map(usize::from).collect()
    };
    assert_eq!(
        slices.iter().map(lines).collect::<Vec<_>>(),
        expected,
        "{method}"
    );
}

#[test]
fn figure_2_of_the_paper() {
    check("exp", [&[], &[], &[]], &[&[1, 2, 3], &[4], &[5, 6]]);
    check("negate", [&[], &[], &[]], &[&[1, 2, 3], &[1, 2, 4]]);
}

#[test]
fn a_change_of_negate_concerns_the_grey_slices_of_figure_2() {
    let concerned = |method: &str| -> Vec<usize> {
        let statements = of(method).unwrap();
        let (slices, _) = sliced(method, &[], &[], &[]);
        let is_concerned = |slice: &&Slice| {
            let mut numbers = slice.statements.iter();
            numbers.any(|number| calls(&statements[*number], "negate"))
        };
        let targets = slices.iter().filter(is_concerned).map(|slice| slice.target);
        targets.collect()
    };
    assert_eq!(concerned("exp"), [5]);
    assert_eq!(concerned("negate"), [2, 3]);
}

#[test]
fn who_changes_an_object_is_needed_by_all_that_come_to_it() {
    check("aliases", [&["add"], &[], &[]], &[&[1, 2, 4, 5], &[3, 6]]);
}

#[test]
fn fields_of_the_test_are_objects_of_one_local() {
    check("fields", [&["add"], &[], &[]], &[&[1, 3, 4], &[2, 5]]);
}

#[test]
fn the_world_is_needed_by_all_and_its_objects_are_shared() {
    let effects: [&[&str]; 3] = [&["add", "clear"], &["setProperty"], &["list"]];
    check(
        "world",
        effects,
        &[&[1, 2, 3, 4, 5], &[4, 6], &[1, 2, 3, 4, 7]],
    );
}

#[test]
fn of_what_nothing_is_known_a_slice_is_all_before_it() {
    for method in ["exp", "negate", "aliases", "shapes"] {
        let found = of(method).unwrap();
        let is_assertion = |number: usize| calls(&found[number], "assertEquals");
        for slice in slices(&found, |_| Effects::default(), is_assertion) {
            let all: BTreeSet<usize> = (0..=slice.target).collect();
            assert_eq!(slice.statements, all, "{method}");
        }
    }
}

#[test]
fn every_statement_is_in_a_slice() {
    for method in ["exp", "shapes", "leaves", "fields", "world"] {
        let (slices, count) = sliced(method, &[], &[], &[]);
        let all: BTreeSet<usize> = slices.iter().flat_map(|s| &s.statements).copied().collect();
        assert_eq!(all, (0..count).collect(), "{method}");
    }
}

/// All code of a JDK makes sense, and what is cut comes together again.
#[test]
fn any_method_can_be_cut() {
    let (mut methods, mut cut) = (0, 0);
    for class in some_classes(&Jdk::find(17)) {
        let class = ClassFile::parse(&class.bytes).unwrap();
        for member in class.methods() {
            let member = member.unwrap();
            let Some(code) = class.code(&member).unwrap() else {
                continue;
            };
            methods += 1;
            let Ok(statements) = statements(&class, &code).unwrap() else {
                continue;
            };
            let mut end = 0;
            for statement in &statements {
                assert_eq!(statement.start, end);
                assert!(statement.end > end);
                end = statement.end;
            }
            // All but the last `return`, or all.
            assert!([0, 1].contains(&(code.code.len() - usize::from(end))));
            cut += usize::from(statements.len() > 1);
        }
    }
    assert!(
        cut > 1_000,
        "{cut} of {methods} methods have several statements"
    );
}
