use crate::{Affected, BuildEnd, Run, RunKind, Share, Status, Unheld, Why};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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

#[derive(Serialize, Deserialize)]
pub(crate) struct Document<B> {
    schema: u32,
    command: Cow<'static, str>,
    #[serde(flatten)]
    body: B,
}

pub(crate) fn document<B>(command: &'static str, body: B) -> Document<B> {
    Document {
        schema: SCHEMA,
        command: Cow::Borrowed(command),
        body,
    }
}

/// A test in a document, with what the document says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestItem<'a, B> {
    /// Its class, or class and method.
    pub id: Cow<'a, TestName>,
    /// The directory of its module.
    pub module: Cow<'a, str>,
    /// The fields about it.
    #[serde(flatten)]
    pub body: B,
}

pub(crate) fn item<B>(test: &TestId, body: B) -> TestItem<'_, B> {
    TestItem {
        id: Cow::Borrowed(&test.name),
        module: Cow::Borrowed(&test.module),
        body,
    }
}

/// The last run of a test before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownItem {
    /// How it ended when it last ran.
    pub outcome: Outcome,
    /// When that was.
    pub last_run_ms: u64,
    /// How long it took.
    pub duration_ms: f64,
    /// How many classes it used.
    pub classes: usize,
    /// Whether that was recorded alone in a JVM.
    pub isolated: bool,
    /// Whether it inherits what other tests used.
    pub shares: bool,
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

/// The document of `tamis test` and `tamis select`, without the head that all documents have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDocument<'a> {
    /// The technique's name.
    pub technique: Cow<'a, str>,
    /// The granularity: what is selected or skipped.
    pub granularity: Granularity,
    /// How long each part took.
    pub phases: PhaseTimes,
    /// How many tests there are of each kind.
    pub counts: Counts,
    /// How long the skipped tests took when they last ran.
    pub saved_ms: f64,
    /// How many of the skipped tests would have run without each rule.
    pub saved_by_rules: BTreeMap<Cow<'a, str>, u64>,
    /// How the build ended; absent if none was needed.
    pub build: Option<BuildItem>,
    /// The tests that there is no answer for.
    pub unheld: Cow<'a, [Unheld]>,
    /// Warnings for the user.
    pub warnings: Cow<'a, [String]>,
    /// The tests that the build asked for.
    pub tests: Vec<RunTest<'a>>,
}

/// A test in the document of a run.
pub type RunTest<'a> = TestItem<'a, RunItem<'a>>;

impl RunDocument<'static> {
    /// Reads what [`Run::json`] wrote; nothing if it is not whole.
    pub fn read(text: &str) -> Option<RunDocument<'static>> {
        let document: Document<RunDocument<'static>> = serde_json::from_str(text).ok()?;
        (document.schema == SCHEMA).then_some(document.body)
    }
}

/// How long each part of a run took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// Deciding what to run.
    pub analysis_ms: f64,
    /// The build and its tests, without the other two.
    pub execution_ms: f64,
    /// Taking in what was recorded.
    pub collection_ms: f64,
}

/// How many tests of a run there are of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Known before.
    pub known: usize,
    /// Had to run, or would have to.
    pub selected: usize,
    /// Left out.
    pub skipped: usize,
    /// Passed.
    pub passed: usize,
    /// Disabled by an annotation.
    pub ignored: usize,
    /// Aborted by a failed assumption.
    pub aborted: usize,
    /// Failed.
    pub failed: usize,
    /// Did not finish.
    pub unfinished: usize,
    /// Failed last time and passed now, with nothing changed.
    pub flaky: usize,
}

/// How a build ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildItem {
    /// Whether it ended as a success.
    pub success: bool,
    /// Its exit code; absent if a signal ended it.
    pub exit_code: Option<i32>,
    /// Whether tamis was asked to stop.
    pub interrupted: bool,
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

/// A test in the document of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunItem<'a> {
    /// Whether it had to run.
    pub selected: bool,
    /// How it ended; absent if it did not run.
    pub outcome: Option<Outcome>,
    /// How long it took; absent if it did not run to its end.
    pub duration_ms: Option<f64>,
    /// Why it had to run.
    pub reasons: Cow<'a, [Reason]>,
    /// The excused changes that would have selected it otherwise.
    pub excused: Cow<'a, [Excuse]>,
    /// Whether it failed last time and passed now, with nothing changed.
    pub flaky: bool,
    /// Its last run before; absent if it is new.
    pub known: Option<KnownItem>,
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
                    reasons: Cow::Borrowed(&test.reasons),
                    excused: Cow::Borrowed(&test.excused),
                    flaky: test.is_flaky(),
                    known: test.known.as_ref().map(known),
                },
            )
        });
        let saved_by_rules = self.saved_by_rules().into_iter();
        let body = RunDocument {
            technique: Cow::Borrowed(&self.technique),
            granularity: self.granularity,
            phases: PhaseTimes {
                analysis_ms: ms(self.phases.analysis),
                execution_ms: ms(self.phases.execution),
                collection_ms: ms(self.phases.collection),
            },
            counts: self.counts(),
            saved_ms: ms(self.saved()),
            saved_by_rules: saved_by_rules
                .map(|(rule, tests)| (Cow::Borrowed(rule), tests))
                .collect(),
            build: self.build.map(BuildItem::from),
            unheld: Cow::Borrowed(&self.unheld),
            warnings: Cow::Borrowed(&self.warnings),
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    paths: &'a [Vec<String>],
}

impl Why {
    /// The document of `tamis why`.
    pub fn json(&self) -> impl Serialize {
        let mut shares = self.shares.iter();
        let mut paths = self.paths.iter();
        let tests = self.verdicts.iter().map(|verdict| {
            item(
                &verdict.test,
                WhyItem {
                    selected: verdict.selected,
                    reasons: &verdict.reasons,
                    excused: &verdict.excused,
                    known: verdict.known.as_ref().map(known),
                    shares: shares.next().map_or(&[], Vec::as_slice),
                    paths: paths.next().map_or(&[], Vec::as_slice),
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
    tests: Vec<TestItem<'a, AffectedItem<'a>>>,
}

#[derive(Serialize)]
struct AffectedItem<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a [String]>,
}

impl Affected {
    /// The document of `tamis affected`.
    pub fn json(&self) -> impl Serialize {
        let mut paths = self.paths.iter().flatten();
        let tests = self.tests.iter().map(|test| {
            let path = paths.next().map(Vec::as_slice);
            item(test, AffectedItem { path })
        });
        let tests = tests.collect();
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
        let text = to_json(&run(RunKind::Test, tests).json());
        let read = RunDocument::read(&text).unwrap();
        assert_eq!(to_json(&document("test", read)), text, "it is read whole");
        assert_eq!(
            RunDocument::read(&text.replace("schema\": 1", "schema\": 2")),
            None
        );
        assert_eq!(RunDocument::read(&text[..text.len() - 3]), None);
        insta::assert_snapshot!(text);
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
            paths: vec![],
        };
        insta::assert_snapshot!(to_json(&why.json()));
    }

    #[test]
    fn the_document_of_affected_is_as_described() {
        let affected = Affected {
            class: "a.A".into(),
            tests: vec![id("a.ATest")],
            known: 3,
            paths: None,
        };
        insta::assert_snapshot!(to_json(&affected.json()));
    }

    #[test]
    fn the_document_of_status_is_as_described() {
        insta::assert_snapshot!(to_json(&crate::status::sample().json()));
    }
}
