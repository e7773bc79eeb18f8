//! The example of figure 2 of the Sapient paper.

#[path = "../../fingerprint/tests/support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use tamis_classpath::Entries;
use tamis_graph::{
    Affected, Change, Changes, ClassGraph, MemberGraph, MemberKey, MemberRules, NodeName, Nothing,
    Program, Relations, UnknownReflection,
};
use tamis_snapshot::Snapshot;
use tempfile::TempDir;

const SOURCES: &[(&str, &str)] = &[
    (
        "A",
        "public class A {
            public void m() {}
            public void m1() { n(); }
            public void n() {}
        }",
    ),
    (
        "APlus",
        "public class APlus extends A {
            @Override public void n() {}
            public void o() { super.n(); }
        }",
    ),
    (
        "B",
        "public class B { public void m2(int i, String s) { new APlus().o(); } }",
    ),
    ("T1", "public class T1 { public void t() { new A().m1(); } }"),
    (
        "T2",
        "public class T2 {
            public void t() { new APlus().m(); }
            public void t1() { A a = new APlus(); a.n(); }
        }",
    ),
    (
        "T3",
        "public class T3 { public void t() { new B().m2(1, null); } }",
    ),
    (
        "T4",
        "public class T4 {
            public void t() throws Exception {
                Class<?> b = Class.forName(\"p.B\");
                b.getMethod(\"m2\", int.class, String.class).invoke(b.getConstructor().newInstance(), 1, null);
            }
        }",
    ),
];

static CLASSES: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = tempfile::tempdir().unwrap();
    let sources = SOURCES.iter().map(|(name, text)| {
        let text: &str = Box::leak(format!("package p; {text}").into_boxed_str());
        (format!("p/{name}.java"), text)
    });
    for (path, bytes) in support::javac(sources, &[]) {
        let path: PathBuf = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
});

fn with_program<R>(body: impl FnOnce(&Program<'_>) -> R) -> R {
    let path = Entries::new(None).class_path(&[CLASSES.path().to_owned()]);
    let snapshot = Snapshot::read(&path, None);
    body(&Program::new(&snapshot, |_| true, &Nothing))
}

/// The method `n` of `A` changes.
fn changes() -> Changes {
    let n = MemberKey {
        name: "n".into(),
        descriptor: "()V".into(),
    };
    let change = Change::Parts {
        head: false,
        nested: false,
        changed: BTreeSet::from([n]),
        added: BTreeSet::new(),
        deleted: BTreeSet::new(),
    };
    Changes {
        classes: [("p/A".to_owned(), change)].into(),
        ..Changes::default()
    }
}

fn tests(program: &Program<'_>) -> Vec<u32> {
    let tests = ["p/T1", "p/T2", "p/T3", "p/T4"];
    tests.map(|name| program.class(name).unwrap()).into()
}

fn names(program: &Program<'_>, affected: &[Affected]) -> Vec<String> {
    let names = affected.iter().map(|a| program.class_name(a.test));
    names.map(|name| name.replace("p/", "")).collect()
}

const R1: Option<UnknownReflection> = Some(UnknownReflection::Everything);

#[test]
fn the_tests_that_the_paper_states_are_affected_by_a_method() {
    let check = |reflection, binding, expected: &[&str]| {
        with_program(|program| {
            let rules = MemberRules {
                reflection,
                binding,
            };
            let graph = MemberGraph::new(program, rules, vec![], &Nothing);
            let affected = graph.affected(&changes(), &tests(program));
            assert_eq!(names(program, &affected), expected);
        });
    };
    check(None, false, &["T1", "T2", "T3"]);
    check(R1, false, &["T1", "T2", "T3", "T4"]);
    check(None, true, &["T1", "T3"]);
    check(R1, true, &["T1", "T3", "T4"]);
}

#[test]
fn the_members_that_the_paper_states_lie_between_the_change_and_the_tests() {
    with_program(|program| {
        let rules = MemberRules {
            reflection: R1,
            binding: true,
        };
        let graph = MemberGraph::new(program, rules, vec![], &Nothing);
        // Whoever is affected reaches `A.n`: each member by itself, as if it were a test.
        let mut affected = BTreeSet::new();
        for test in tests(program) {
            let reached = graph.affected(&changes(), &[test]);
            for one in &reached {
                let tamis_graph::Cause::Path(path) = &one.cause else {
                    panic!("{one:?}");
                };
                let members = path
                    .iter()
                    .filter(|node| matches!(node, NodeName::Member { .. }));
                affected.extend(members.map(|node| node.to_string().replace("p/", "")));
            }
        }
        let affected: Vec<_> = affected.iter().map(String::as_str).collect();
        assert_eq!(
            affected,
            ["A.m1", "A.n", "APlus.o", "B.m2", "T1.t", "T3.t", "T4.t"]
        );
    });
}

#[test]
fn by_classes_all_are_affected_that_name_the_class() {
    let check = |relations, expected: &[&str]| {
        with_program(|program| {
            let graph = ClassGraph::new(program, relations, vec![]);
            let affected = graph.affected(&changes(), &tests(program));
            assert_eq!(names(program, &affected), expected);
        });
    };
    check(Relations::Named, &["T1", "T2", "T3"]);
    check(Relations::Hidden, &["T1", "T2", "T3", "T4"]);
}
