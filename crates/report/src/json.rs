use crate::{Affected, BuildEnd, Run, RunKind, Share, Status, Unheld, Why};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use tamis_select::{Excuse, Granularity, Known, Outcome, Reason, TestId, TestName};

/// The version of every JSON document; it changes when a reader could misunderstand the new one.
pub const SCHEMA: u32 = 1;

/// A document as it is written to a file.
pub fn to_json(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

fn ms(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

#[derive(Serialize)]
pub(crate) struct Document<B> {
    schema: u32,
    command: &'static str,
    #[serde(flatten)]
    body: B,
}

pub(crate) fn document<B>(command: &'static str, body: B) -> Document<B> {
    Document {
        schema: SCHEMA,
        command,
        body,
    }
}

#[derive(Serialize)]
pub(crate) struct TestItem<'a, B> {
    id: &'a TestName,
    module: &'a str,
    #[serde(flatten)]
    body: B,
}

pub(crate) fn item<B>(test: &TestId, body: B) -> TestItem<'_, B> {
    TestItem {
        id: &test.name,
        module: &test.module,
        body,
    }
}

#[derive(Serialize)]
struct KnownItem {
    outcome: Outcome,
    last_run_ms: u64,
    duration_ms: f64,
    classes: usize,
    isolated: bool,
    shares: bool,
}

fn known(known: &Known) -> KnownItem {
    KnownItem {
        outcome: known.outcome,
        last_run_ms: known.last_run_ms,
        duration_ms: ms(Duration::from_micros(known.duration_us)),
        classes: known.classes,
        isolated: known.isolated,
        shares: known.shares,
    }
}

#[derive(Serialize)]
struct RunBody<'a> {
    technique: &'a str,
    granularity: Granularity,
    phases: PhaseTimes,
    counts: Counts,
    saved_ms: f64,
    saved_by_rules: BTreeMap<&'a str, u64>,
    build: Option<BuildItem>,
    unheld: &'a [Unheld],
    warnings: &'a [String],
    tests: Vec<TestItem<'a, RunItem<'a>>>,
}

#[derive(Serialize)]
struct PhaseTimes {
    analysis_ms: f64,
    execution_ms: f64,
    collection_ms: f64,
}

#[derive(Serialize)]
struct Counts {
    known: usize,
    selected: usize,
    skipped: usize,
    passed: usize,
    ignored: usize,
    aborted: usize,
    failed: usize,
    unfinished: usize,
    flaky: usize,
}

#[derive(Serialize)]
struct BuildItem {
    success: bool,
    exit_code: Option<i32>,
    interrupted: bool,
}

impl From<BuildEnd> for BuildItem {
    fn from(end: BuildEnd) -> Self {
        let BuildEnd {
            success,
            exit_code,
            interrupted,
        } = end;
        BuildItem {
            success,
            exit_code,
            interrupted,
        }
    }
}

#[derive(Serialize)]
struct RunItem<'a> {
    selected: bool,
    outcome: Option<Outcome>,
    duration_ms: Option<f64>,
    reasons: &'a [Reason],
    excused: &'a [Excuse],
    flaky: bool,
    known: Option<KnownItem>,
}

impl Run {
    /// The document of `tamis test` and `tamis select`.
    pub fn json(&self) -> impl Serialize {
        let command = match self.kind {
            RunKind::Test => "test",
            RunKind::Collect => "collect",
            RunKind::Select => "select",
        };
        let tests = self.tests.iter().map(|test| {
            item(
                &test.test,
                RunItem {
                    selected: test.selected,
                    outcome: test.outcome,
                    duration_ms: test.took.map(ms),
                    reasons: &test.reasons,
                    excused: &test.excused,
                    flaky: test.is_flaky(),
                    known: test.known.as_ref().map(known),
                },
            )
        });
        let body = RunBody {
            technique: &self.technique,
            granularity: self.granularity,
            phases: PhaseTimes {
                analysis_ms: ms(self.phases.analysis),
                execution_ms: ms(self.phases.execution),
                collection_ms: ms(self.phases.collection),
            },
            counts: self.counts(),
            saved_ms: ms(self.saved()),
            saved_by_rules: self.saved_by_rules(),
            build: self.build.map(BuildItem::from),
            unheld: &self.unheld,
            warnings: &self.warnings,
            tests: tests.collect(),
        };
        document(command, body)
    }

    fn counts(&self) -> Counts {
        let ended = |outcome| self.ended(outcome).count();
        Counts {
            known: self
                .tests
                .iter()
                .filter(|test| test.known.is_some())
                .count(),
            selected: self.selected().count(),
            skipped: self.skipped().count(),
            passed: ended(Outcome::Passed),
            ignored: ended(Outcome::Ignored),
            aborted: ended(Outcome::Aborted),
            failed: ended(Outcome::Failed),
            unfinished: ended(Outcome::Unfinished),
            flaky: self.tests.iter().filter(|test| test.is_flaky()).count(),
        }
    }
}

#[derive(Serialize)]
struct WhyBody<'a> {
    test: &'a str,
    technique: &'a str,
    tests: Vec<TestItem<'a, WhyItem<'a>>>,
}

#[derive(Serialize)]
struct WhyItem<'a> {
    selected: bool,
    reasons: &'a [Reason],
    excused: &'a [Excuse],
    known: Option<KnownItem>,
    shares: &'a [Share],
}

impl Why {
    /// The document of `tamis why`.
    pub fn json(&self) -> impl Serialize {
        let mut shares = self.shares.iter();
        let tests = self.verdicts.iter().map(|verdict| {
            item(
                &verdict.test,
                WhyItem {
                    selected: verdict.selected,
                    reasons: &verdict.reasons,
                    excused: &verdict.excused,
                    known: verdict.known.as_ref().map(known),
                    shares: shares.next().map_or(&[], Vec::as_slice),
                },
            )
        });
        let tests = tests.collect();
        document(
            "why",
            WhyBody {
                test: &self.asked,
                technique: &self.technique,
                tests,
            },
        )
    }
}

#[derive(Serialize)]
struct AffectedBody<'a> {
    class: &'a str,
    known: usize,
    tests: Vec<TestItem<'a, ()>>,
}

impl Affected {
    /// The document of `tamis affected`.
    pub fn json(&self) -> impl Serialize {
        let tests = self.tests.iter().map(|test| item(test, ())).collect();
        document(
            "affected",
            AffectedBody {
                class: &self.class,
                known: self.known,
                tests,
            },
        )
    }
}

#[derive(Serialize)]
struct StatusBody<'a> {
    tests: usize,
    due: Due,
    isolated: usize,
    duration_ms: f64,
    runs: u64,
    saved_ms: f64,
    store_bytes: u64,
    warnings: &'a [String],
    modules: Vec<ModuleItem<'a>>,
}

#[derive(Serialize)]
struct Due {
    failed: usize,
    unfinished: usize,
}

#[derive(Serialize)]
struct ModuleItem<'a> {
    module: &'a str,
    tests: usize,
    last_run_ms: u64,
    runtime: &'a str,
}

impl Status {
    /// The document of `tamis status`.
    pub fn json(&self) -> impl Serialize {
        let modules = self.modules.iter().map(|module| ModuleItem {
            module: &module.module,
            tests: module.tests,
            last_run_ms: module.last_run_ms,
            runtime: &module.runtime,
        });
        let body = StatusBody {
            tests: self.tests,
            due: Due {
                failed: self.failed,
                unfinished: self.unfinished,
            },
            isolated: self.isolated,
            duration_ms: ms(self.duration),
            runs: self.runs,
            saved_ms: ms(self.saved),
            store_bytes: self.store_bytes,
            warnings: &self.warnings,
            modules: modules.collect(),
        };
        document("status", body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::samples::{changed, id, known as known_sample, ran, run, saved, skipped};
    use tamis_select::Verdict;

    #[test]
    fn the_document_of_a_run_is_as_described() {
        let tests = vec![
            ran("a.ATest", Outcome::Failed, vec![changed("a.A")]),
            ran("a.BTest", Outcome::Passed, vec![Reason::New]),
            skipped("a.CTest"),
            saved("a.DTest", &["throws"]),
        ];
        insta::assert_snapshot!(to_json(&run(RunKind::Test, tests).json()));
    }

    #[test]
    fn the_document_of_why_is_as_described() {
        let known = Some(known_sample(Outcome::Passed));
        let why = Why {
            asked: "ATest".into(),
            technique: "ekstazi".into(),
            verdicts: vec![Verdict::new(id("a.ATest"), known, vec![changed("a.A")])],
            shares: vec![vec![Share {
                through: "a.Cache.entries".into(),
                from: vec!["a.FirstTest".into()],
            }]],
        };
        insta::assert_snapshot!(to_json(&why.json()));
    }

    #[test]
    fn the_document_of_affected_is_as_described() {
        let affected = Affected {
            class: "a.A".into(),
            tests: vec![id("a.ATest")],
            known: 3,
        };
        insta::assert_snapshot!(to_json(&affected.json()));
    }

    #[test]
    fn the_document_of_status_is_as_described() {
        insta::assert_snapshot!(to_json(&crate::status::sample().json()));
    }
}
