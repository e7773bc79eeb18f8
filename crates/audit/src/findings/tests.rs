use super::*;
use crate::difference::tests::methods;

fn id(class: &str) -> TestId {
    TestId::new("", class)
}

/// `A` passed, `-A` failed.
fn ended(test: &str) -> Ended {
    let (class, outcome) = match test.strip_prefix('-') {
        Some(class) => (class, Outcome::Failed),
        None => (test, Outcome::Passed),
    };
    Ended {
        test: id(class),
        outcome,
        methods: 10,
    }
}

fn all(tests: &str) -> Vec<Ended> {
    tests.split_whitespace().map(ended).collect()
}

fn usual(tests: &str) -> Step {
    Step::Usual {
        jvms: vec![all(tests)],
    }
}

fn reordered(tests: &str) -> Step {
    Step::Reordered {
        order: Order::Reverse,
        jvms: vec![all(tests)],
        differences: vec![],
    }
}

fn alone(test: &str, used: &str) -> Step {
    Step::Alone {
        ended: ended(test),
        difference: methods(used),
        taken_in: !test.starts_with('-'),
    }
}

fn repeated(tests: &str, test: &str, used: &str) -> Step {
    Step::Repeated {
        ended: all(tests),
        differences: vec![TestDifference {
            test: id(test),
            difference: methods(used),
        }],
    }
}

#[test]
fn hidden_dependencies_are_summed_and_sorted() {
    let steps = [
        usual("A B C"),
        alone("A", ""),
        alone("B", "p.Q#m()"),
        alone("C", "p.Q#m() p.Q#n() p.R#m()"),
    ];
    let findings = Findings::of(&steps);
    let tests: Vec<String> = findings.hidden.iter().map(|h| h.test.to_string()).collect();
    assert_eq!(tests, ["C", "B"]);
    assert_eq!((findings.pairs(), findings.methods()), (4, 3));
    let source = |class: &str, methods, tests| Source {
        class: class.into(),
        methods,
        tests,
    };
    assert_eq!(findings.sources, [source("p.Q", 2, 2), source("p.R", 1, 1)]);
    assert_eq!((findings.methods_usual, findings.methods_alone), (30, 30));
    assert_eq!(findings.alone, 3);
}

#[test]
fn what_differs_from_run_to_run_is_not_hidden() {
    let steps = [
        usual("A B"),
        repeated("A -B", "A", "p.Q#m()"),
        alone("A", "p.Q#m() p.Q#n()"),
        alone("-B", ""),
    ];
    let findings = Findings::of(&steps);
    assert_eq!(findings.hidden[0].difference, methods("p.Q#n()"));
    let unstable: Vec<_> = findings.unstable.iter().map(|u| u.outcomes).collect();
    let flaky = Some((Outcome::Passed, Outcome::Failed));
    assert_eq!(unstable, [None, flaky]);
    assert_eq!(findings.dependents, []);
}

#[test]
fn what_test_frameworks_do_is_of_interest_only_to_themselves() {
    let check = |test: &str, expected: usize| {
        let steps = [usual(test), alone(test, "org.junit.A#m() p.Q#m()")];
        assert_eq!(Findings::of(&steps).pairs(), expected);
    };
    check("p.T", 1);
    check("org.junit.T", 2);
    let mut used = Difference {
        inputs: [
            "system property junit.x",
            "file p/junit",
            "resource META-INF/services/org.junit.X",
            "resource org/junit/X.class",
        ]
        .map(str::to_owned)
        .into(),
        ..Difference::default()
    };
    used.drop_all_of(&["junit.", "org.junit."]);
    assert_eq!(used.inputs, BTreeSet::from(["file p/junit".to_owned()]));
}

/// Which tests end differently where, and why.
fn check(steps: &[Step], expected: &[(&str, Circumstance, Option<Cause>)]) {
    let found = Findings::of(steps).dependents.into_iter();
    let found: Vec<_> = found.map(|d| (d.test, d.circumstance, d.cause)).collect();
    let expected = expected.iter().cloned();
    let expected: Vec<_> = expected.map(|(t, w, c)| (id(t), w, c)).collect();
    assert_eq!(found, expected);
}

#[test]
fn tests_that_end_differently_are_named_with_their_cause() {
    let reverse = Circumstance::Order(Order::Reverse);
    check(&[usual("A B"), alone("A", ""), reordered("B A")], &[]);
    check(
        &[usual("A B"), reordered("-B A"), alone("B", "")],
        &[("B", reverse, None)],
    );
    check(
        &[usual("A B"), reordered("-B A"), alone("-B", "")],
        &[("B", Circumstance::Alone, None)],
    );
    check(&[usual("A -B"), alone("-B", "")], &[]);
    check(
        &[usual("A -B"), alone("B", "")],
        &[("B", Circumstance::Alone, None)],
    );
    let cause = Cause::Test { test: id("A") };
    let narrowed = Step::Narrowed {
        test: id("B"),
        circumstance: Circumstance::Alone,
        cause: cause.clone(),
    };
    check(
        &[usual("A B"), alone("-B", ""), narrowed],
        &[("B", Circumstance::Alone, Some(cause))],
    );
}

#[test]
fn an_order_that_changes_nothing_is_noticed() {
    let fixed = |order: &str| Findings::of(&[usual("A B"), reordered(order)]).fixed;
    assert_eq!(fixed("A B"), [Order::Reverse]);
    assert_eq!(fixed("B A"), []);
}
