use super::*;
use crate::phrases::plain;

pub(crate) fn sample() -> Audit {
    use crate::run::samples::id;
    use tamis_audit::{Difference, Order, Source};
    let used = |names: &[&str]| Difference {
        methods: names.iter().map(|name| name.to_string()).collect(),
        ..Difference::default()
    };
    let dependent = |test: &str, circumstance, outcome, cause| Dependent {
        test: id(test),
        circumstance,
        usual: Outcome::Passed,
        outcome,
        cause,
    };
    let hidden = |test: &str, names: &[&str], taken_in| Hidden {
        test: id(test),
        difference: used(names),
        taken_in,
    };
    let reverse = Circumstance::Order(Order::Reverse);
    let cause = |test: &str| Some(Cause::Test { test: id(test) });
    let findings = Findings {
        tests: ["a.ATest", "a.BTest", "a.CTest", "a.DTest"].map(id).into(),
        alone: 3,
        orders: vec![Order::Reverse, Order::Random(7)],
        fixed: vec![Order::Random(7)],
        repeated: true,
        hidden: vec![
            hidden(
                "a.ATest",
                &["p.Q#m()", "p.Q#n(int)", "p.R#<init>()", "p.R#x()"],
                true,
            ),
            hidden("a.BTest", &["p.Q#m()"], false),
        ],
        sources: vec![Source {
            class: "p.Q".into(),
            methods: 2,
            tests: 2,
        }],
        dependents: vec![
            dependent(
                "a.BTest",
                Circumstance::Alone,
                Outcome::Failed,
                cause("a.ATest"),
            ),
            dependent("a.CTest", reverse, Outcome::Failed, cause("a.DTest")),
            dependent(
                "a.DTest",
                reverse,
                Outcome::Unfinished,
                Some(Cause::Several),
            ),
            dependent("a.ATest", Circumstance::Alone, Outcome::Failed, None),
        ],
        unstable: vec![Unstable {
            test: id("a.DTest"),
            difference: used(&["p.Pool#wait()"]),
            outcomes: Some((Outcome::Passed, Outcome::Failed)),
        }],
        not_alone: vec![(id("a.CTest"), true), (id("a.DTest"), false)],
        failing: vec![id("a.ETest")],
        methods_usual: 100,
        methods_alone: 62,
    };
    Audit {
        findings,
        to_isolate: 4,
        not_isolated: 1,
        ..Audit::default()
    }
}

#[test]
fn what_tests_do_for_and_to_each_other_is_told() {
    insta::assert_snapshot!(plain(&sample().text()));
}

#[test]
fn an_audit_without_findings_is_short() {
    let found = Findings {
        tests: sample().findings.tests,
        alone: 4,
        repeated: true,
        ..Findings::default()
    };
    let audit = Audit {
        findings: found,
        to_isolate: 4,
        ..Audit::default()
    };
    assert!(audit.is_complete());
    let expected = "audit: 4 test classes ran together twice; 4 of them alone\n\
                    no dependencies were hidden by the shared JVM\n";
    assert_eq!(plain(&audit.text()), expected);
}
