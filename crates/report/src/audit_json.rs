use crate::json::{Document, TestItem, document, item};
use crate::{Audit, Isolated};
use serde::Serialize;
use std::collections::BTreeSet;
use tamis_audit::{Cause, Circumstance, Difference, Findings, Order};
use tamis_select::{Outcome, TestId};

#[derive(Serialize)]
struct AuditBody<'a> {
    complete: bool,
    interrupted: bool,
    tests: usize,
    alone: AloneItem,
    repeated: bool,
    orders: Vec<OrderItem>,
    hidden: HiddenItem<'a>,
    order_dependent: Vec<TestItem<'a, DependentItem<'a>>>,
    unstable: Vec<TestItem<'a, UnstableItem<'a>>>,
    not_alone: Vec<TestItem<'a, NotAloneItem>>,
    failing: Vec<TestItem<'a, ()>>,
}

#[derive(Serialize)]
struct AloneItem {
    asked: usize,
    ran: usize,
    methods_usual: usize,
    methods_alone: usize,
}

#[derive(Serialize)]
struct OrderItem {
    order: &'static str,
    seed: Option<u64>,
    is_usual: bool,
}

#[derive(Serialize)]
struct HiddenItem<'a> {
    tests: usize,
    methods: usize,
    pairs: usize,
    by_class: Vec<SourceItem<'a>>,
    by_test: Vec<TestItem<'a, HiddenTest<'a>>>,
}

#[derive(Serialize)]
struct SourceItem<'a> {
    class: &'a str,
    methods: usize,
    tests: usize,
}

#[derive(Serialize)]
struct HiddenTest<'a> {
    taken_in: bool,
    #[serde(flatten)]
    used: Used<'a>,
}

#[derive(Serialize)]
struct Used<'a> {
    methods: &'a BTreeSet<String>,
    classes: &'a BTreeSet<String>,
    inputs: &'a BTreeSet<String>,
}

fn used(difference: &Difference) -> Used<'_> {
    Used {
        methods: &difference.methods,
        classes: &difference.classes,
        inputs: &difference.inputs,
    }
}

#[derive(Serialize)]
struct DependentItem<'a> {
    circumstance: &'static str,
    seed: Option<u64>,
    usual: Outcome,
    outcome: Outcome,
    cause: Option<CauseItem<'a>>,
}

#[derive(Serialize)]
struct CauseItem<'a> {
    kind: &'static str,
    #[serde(flatten)]
    test: Option<TestItem<'a, ()>>,
}

#[derive(Serialize)]
struct UnstableItem<'a> {
    outcomes: Option<(Outcome, Outcome)>,
    #[serde(flatten)]
    used: Used<'a>,
}

#[derive(Serialize)]
struct NotAloneItem {
    ran: bool,
}

fn order(order: Order) -> (&'static str, Option<u64>) {
    match order {
        Order::Reverse => ("reverse", None),
        Order::Random(seed) => ("random", Some(seed)),
    }
}

fn cause(cause: &Cause) -> CauseItem<'_> {
    let (kind, test) = match cause {
        Cause::Test { test } => ("test", Some(item(test, ()))),
        Cause::Several => ("several", None),
        Cause::Flaky => ("flaky", None),
    };
    CauseItem { kind, test }
}

impl Audit {
    /// The document of `tamis audit`.
    pub fn json(&self) -> impl Serialize {
        let Findings {
            tests,
            alone,
            orders,
            fixed,
            repeated,
            hidden,
            sources,
            dependents,
            unstable,
            not_alone,
            failing,
            methods_usual,
            methods_alone,
        } = &self.findings;
        let hidden_tests = hidden.iter().map(|hidden| {
            let used = used(&hidden.difference);
            let taken_in = hidden.taken_in;
            item(&hidden.test, HiddenTest { taken_in, used })
        });
        let by_class = sources.iter().map(|source| SourceItem {
            class: &source.class,
            methods: source.methods,
            tests: source.tests,
        });
        let dependents = dependents.iter().map(|dependent| {
            let (circumstance, seed) = match dependent.circumstance {
                Circumstance::Alone => ("alone", None),
                Circumstance::Order(ran) => order(ran),
            };
            let body = DependentItem {
                circumstance,
                seed,
                usual: dependent.usual,
                outcome: dependent.outcome,
                cause: dependent.cause.as_ref().map(cause),
            };
            item(&dependent.test, body)
        });
        let unstable = unstable.iter().map(|unstable| {
            let used = used(&unstable.difference);
            let outcomes = unstable.outcomes;
            item(&unstable.test, UnstableItem { outcomes, used })
        });
        let not_alone = not_alone.iter();
        let body = AuditBody {
            complete: self.is_complete(),
            interrupted: self.interrupted,
            tests: tests.len(),
            alone: AloneItem {
                asked: self.to_isolate,
                ran: *alone,
                methods_usual: *methods_usual,
                methods_alone: *methods_alone,
            },
            repeated: *repeated,
            orders: orders
                .iter()
                .map(|ran| {
                    let is_usual = fixed.contains(ran);
                    let (order, seed) = order(*ran);
                    OrderItem {
                        order,
                        seed,
                        is_usual,
                    }
                })
                .collect(),
            hidden: HiddenItem {
                tests: hidden.len(),
                methods: self.findings.methods(),
                pairs: self.findings.pairs(),
                by_class: by_class.collect(),
                by_test: hidden_tests.collect(),
            },
            order_dependent: dependents.collect(),
            unstable: unstable.collect(),
            not_alone: not_alone
                .map(|(test, ran)| item(test, NotAloneItem { ran: *ran }))
                .collect(),
            failing: items(failing),
        };
        document("audit", body)
    }
}

#[derive(Serialize)]
struct IsolatedBody<'a> {
    isolated: bool,
    recorded: usize,
    already: usize,
    left: usize,
    interrupted: bool,
    failed: Vec<TestItem<'a, ()>>,
    together: Vec<TestItem<'a, ()>>,
    missing: Vec<TestItem<'a, ()>>,
}

impl Isolated {
    /// The document of `tamis collect --isolated`.
    pub fn json(&self) -> impl Serialize {
        let body: Document<IsolatedBody<'_>> = document(
            "collect",
            IsolatedBody {
                isolated: true,
                recorded: self.recorded,
                already: self.already,
                left: self.left,
                interrupted: self.interrupted,
                failed: items(&self.failed),
                together: items(&self.together),
                missing: items(&self.missing),
            },
        );
        body
    }
}

fn items(tests: &[TestId]) -> Vec<TestItem<'_, ()>> {
    tests.iter().map(|test| item(test, ())).collect()
}

#[cfg(test)]
mod tests {
    use crate::audit::tests::sample;
    use crate::to_json;

    #[test]
    fn the_document_of_an_audit_has_everything() {
        insta::assert_snapshot!(to_json(&sample().json()));
    }
}
