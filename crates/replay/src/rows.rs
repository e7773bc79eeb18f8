//! Rows of a replay: its raw results, from which everything else is computed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Times of the same thing in seconds, one per run.
pub type Seconds = Vec<f64>;

/// All that a replay found out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// The setting in which it was made.
    pub setting: Setting,
    /// Revisions of which each is compared with the one before, in order.
    pub steps: Vec<Step>,
    /// Revisions that were left out.
    pub skipped: Vec<Skip>,
    /// The runs of all tests without mutants, in a replay of mutants that run alone.
    #[serde(default)]
    pub unmutated: Option<Unmutated>,
    /// Mutants that were tried.
    pub mutants: Vec<Mutation>,
}

/// How a replay was made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The name of the project.
    pub project: String,
    /// The version of tamis.
    pub version: String,
    /// The Java runtime of the tests.
    pub runtime: String,
    /// The machine: system and number of processors.
    pub machine: String,
    /// The build tool.
    #[serde(default)]
    pub build_tool: String,
    /// The arguments for it.
    pub build_arguments: Vec<String>,
    /// Names of the techniques, such as `hyrts --granularity method`, in the order of tables.
    pub techniques: Vec<String>,
    /// How often each time was taken.
    pub runs: usize,
    /// The seed of a replay of mutants.
    pub seed: Option<u64>,
    /// The commit whose classes got the mutants, in a replay of mutants.
    #[serde(default)]
    pub revision: Option<String>,
    /// Whether each mutant runs alone.
    #[serde(default)]
    pub alone: bool,
}

/// A revision that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// Its commit.
    pub revision: String,
    /// Why.
    pub why: Why,
}

/// Why a revision was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Its sources or tests do not compile, or the build tool fails before tests run.
    DoesNotBuild,
    /// It changes nothing that could matter to a test.
    NoRelevantChange,
}

/// A revision compared with the one before that was not left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its commit.
    pub revision: String,
    /// The commit it is compared with; none for the first, at which everything is new.
    pub before: Option<String>,
    /// The first line of its message.
    pub subject: String,
    /// How many files it changes.
    pub changes: Changes,
    /// All tests, run without tamis.
    pub retest: Retest,
    /// The results of each technique, by its name.
    pub techniques: BTreeMap<String, Tried>,
}

/// How many files of each kind a revision changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Code.
    pub main: usize,
    /// Tests.
    pub test: usize,
    /// Files that configure the build.
    pub build: usize,
    /// Everything else.
    pub other: usize,
}

/// How a test class ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassOutcome {
    /// All its tests passed or were left out by itself.
    Passed,
    /// One failed or could not run.
    Failed,
}

/// All tests of a revision, run without tamis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Retest {
    /// End to end.
    pub seconds: Seconds,
    /// How each test class ended, by `module:class`.
    pub classes: BTreeMap<String, ClassOutcome>,
    /// How many single tests there are.
    pub tests: usize,
    /// Test classes of which a test ended differently in runs of this same revision.
    pub flaky: Vec<String>,
    /// Test classes that are new, or of which a test ended differently than at the revision before; without
    /// flaky ones. A technique must select them.
    pub differing: Vec<String>,
}

/// The results of a technique at a revision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// How many test classes it knew or found.
    pub classes: usize,
    /// How many of them it selected.
    pub selected: usize,
    /// How many single tests there were in its choice, where it selects these.
    pub tests: Option<usize>,
    /// How many of them it selected.
    pub selected_tests: Option<usize>,
    /// Deciding what to run.
    pub analysis: Seconds,
    /// The build and the tests, with recording.
    pub execution: Seconds,
    /// Taking in what was recorded.
    pub collection: Seconds,
    /// End to end without recording.
    pub ae: Seconds,
    /// End to end with recording.
    pub aec: Seconds,
    /// The classes of [`Retest::differing`] that it did not select.
    pub missed: Vec<String>,
    /// Why it has no figures here, if it has none.
    pub problem: Option<String>,
}

/// All tests without mutants, run several times: what mutants that run alone are compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Unmutated {
    /// The goal by which the build tool runs the tests, without mutants and with.
    pub goal: String,
    /// How long each run took.
    pub seconds: Seconds,
    /// How many test classes are compared.
    pub classes: usize,
    /// How many of them fail without mutants.
    pub failing: usize,
    /// Test classes that end differently from run to run; they are not compared.
    pub flaky: Vec<String>,
    /// Test classes with tests that print something else in each run; what those tests print is not compared.
    pub varying_output: Vec<String>,
}

/// A mutant that was tried.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Mutation {
    /// The class, such as `com.acme.Foo`.
    pub class: String,
    /// The method with its descriptor; none if the class itself is changed.
    pub method: Option<String>,
    /// The line in the source.
    pub line: Option<u32>,
    /// The operator, such as `conditionals`.
    pub operator: String,
    /// The change in words, such as `>= becomes >`.
    pub description: String,
    /// How many test classes reach the class according to what was recorded.
    pub reached_by: usize,
    /// Test classes that fail with the mutant and pass without, of all that there are.
    pub killers: Vec<String>,
    /// Whether a test never ended.
    pub endless: bool,
    /// Further results of a run of this mutant alone; none if it shared its run.
    #[serde(default)]
    pub alone: Option<Alone>,
    /// The results of each technique, by its name.
    pub techniques: BTreeMap<String, Survey>,
}

/// Results of the run of a mutant alone, beside [`Mutation::killers`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Alone {
    /// Test classes of which tests end differently without making the class fail: they are skipped, missing, or pass now.
    pub otherwise: Vec<String>,
    /// Test classes whose tests end as without the mutant and print something else.
    pub output: Vec<String>,
    /// Test classes that were running when their JVM or the build came to its end; they have no report.
    pub unfinished: Vec<String>,
    /// Test classes that never started because of that: nothing is known of them.
    pub not_run: Vec<String>,
    /// How long the run took.
    pub seconds: f64,
}

impl Mutation {
    /// Test classes that differ with the mutant: a technique must select them.
    pub fn differing(&self) -> impl Iterator<Item = &String> {
        let alone = self.alone.iter();
        let alone = alone.flat_map(|alone| [&alone.otherwise, &alone.output, &alone.unfinished]);
        self.killers.iter().chain(alone.flatten())
    }

    /// Whether a test class fails with the mutant, or does not come to its end.
    pub fn is_killed(&self) -> bool {
        let unfinished = self.alone.as_ref().map(|alone| &alone.unfinished);
        !self.killers.is_empty() || unfinished.is_some_and(|classes| !classes.is_empty())
    }

    /// Whether all that differs with the mutant is what tests print.
    pub fn is_output_only(&self) -> bool {
        let output = self.alone.as_ref().map_or(0, |alone| alone.output.len());
        output > 0 && output == self.differing().count()
    }
}

/// The results of a technique for a mutant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    /// How many test classes it knew.
    pub classes: usize,
    /// How many of them it selected.
    pub selected: usize,
    /// How many single tests it selected, where it selects these.
    pub selected_tests: Option<usize>,
    /// The test classes that it selected, until it is known what they do.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Whether one that it selected kills the mutant.
    pub kills: bool,
    /// The classes of [`Mutation::differing`] that it did not select.
    pub missed: Vec<String>,
    /// Why it gave no answer, if it gave none: it has failed then.
    #[serde(default)]
    pub problem: Option<String>,
}
