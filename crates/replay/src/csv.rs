//! The rows of a replay as CSV (RFC 4180), for those who compute with them, and as JSON.

use crate::figures::names;
use crate::statistics::median;
use crate::{Alone, ClassOutcome, Endings, Figures, Replay, Seconds, conclusion};
use csv::{Terminator, Writer, WriterBuilder};
use serde_json::json;
use std::io;

const STEPS: [&str; 40] = [
    "project",
    "revision",
    "before",
    "subject",
    "changes_main",
    "changes_test",
    "changes_build",
    "changes_other",
    "retest_classes",
    "retest_failed",
    "retest_tests",
    "retest_s",
    "retest_runs_s",
    "flaky",
    "differing",
    "differing_new",
    "differing_failed",
    "differing_repaired",
    "technique",
    "classes",
    "selected",
    "tests",
    "selected_tests",
    "analysis_s",
    "analysis_runs_s",
    "execution_s",
    "execution_runs_s",
    "collection_s",
    "collection_runs_s",
    "ae_s",
    "ae_runs_s",
    "aec_s",
    "aec_runs_s",
    "missed",
    "problem",
    "runs",
    "version",
    "runtime",
    "machine",
    "build_arguments",
];

const MUTANTS: [&str; 25] = [
    "project",
    "revision",
    "seed",
    "class",
    "method",
    "line",
    "operator",
    "description",
    "reached_by",
    "killers",
    "endless",
    "alone",
    "otherwise",
    "output",
    "unfinished",
    "not_run",
    "alone_s",
    "technique",
    "classes",
    "selected",
    "selected_tests",
    "kills",
    "missed",
    "problem",
    "version",
];

/// One record per step and technique, the first step among them; lists within a field have `;` between. A step at
/// which nothing was tried has one record without technique.
///
/// # Errors
///
/// If records do not have as many fields as there are heads.
pub fn steps_csv(replay: &Replay) -> io::Result<String> {
    let setting = &replay.setting;
    let names = names(replay);
    let mut table = table();
    table.write_record(STEPS)?;
    for step in &replay.steps {
        let retest = &step.retest;
        let endings = Endings::of(replay, step);
        let failed = retest.classes.values();
        let failed = failed
            .filter(|outcome| **outcome == ClassOutcome::Failed)
            .count();
        let start = [
            setting.project.clone(),
            step.revision.clone(),
            step.before.clone().unwrap_or_default(),
            step.subject.clone(),
            step.changes.main.to_string(),
            step.changes.test.to_string(),
            step.changes.build.to_string(),
            step.changes.other.to_string(),
            retest.classes.len().to_string(),
            failed.to_string(),
            retest.tests.to_string(),
            middle(&retest.seconds),
            runs(&retest.seconds),
            retest.flaky.join(";"),
            retest.differing.join(";"),
            endings.new.to_string(),
            endings.failed.to_string(),
            endings.repaired.to_string(),
        ];
        let end = [
            setting.runs.to_string(),
            setting.version.clone(),
            setting.runtime.clone(),
            setting.machine.clone(),
            setting.build_arguments.join(" "),
        ];
        let tried = names
            .iter()
            .filter_map(|name| Some((name, step.techniques.get(name)?)));
        let mut none = true;
        for (name, tried) in tried {
            none = false;
            let times = [
                &tried.analysis,
                &tried.execution,
                &tried.collection,
                &tried.ae,
                &tried.aec,
            ];
            let numbers = [
                name.clone(),
                tried.classes.to_string(),
                tried.selected.to_string(),
                optional(tried.tests),
                optional(tried.selected_tests),
            ];
            let times = times
                .into_iter()
                .flat_map(|times| [middle(times), runs(times)]);
            let trouble = [
                tried.missed.join(";"),
                tried.problem.clone().unwrap_or_default(),
            ];
            let middle = numbers.into_iter().chain(times).chain(trouble);
            let start = start.iter().cloned();
            table.write_record(start.chain(middle).chain(end.iter().cloned()))?;
        }
        if none {
            let middle = vec![String::new(); STEPS.len() - start.len() - end.len()];
            table.write_record(start.into_iter().chain(middle).chain(end))?;
        }
    }
    text(table)
}

/// One record per mutant and technique; lists within a field have `;` between.
///
/// # Errors
///
/// If records do not have as many fields as there are heads.
pub fn mutants_csv(replay: &Replay) -> io::Result<String> {
    let setting = &replay.setting;
    let names = names(replay);
    let mut table = table();
    table.write_record(MUTANTS)?;
    for mutant in &replay.mutants {
        let tried = names
            .iter()
            .filter_map(|name| Some((name, mutant.techniques.get(name)?)));
        let alone = mutant.alone.as_ref();
        let classes = |of: fn(&Alone) -> &[String]| {
            alone.map_or_else(String::new, |alone| of(alone).join(";"))
        };
        for (name, survey) in tried {
            table.write_record([
                setting.project.clone(),
                setting.revision.clone().unwrap_or_default(),
                optional(setting.seed),
                mutant.class.clone(),
                mutant.method.clone().unwrap_or_default(),
                optional(mutant.line),
                mutant.operator.clone(),
                mutant.description.clone(),
                mutant.reached_by.to_string(),
                mutant.killers.join(";"),
                mutant.endless.to_string(),
                alone.is_some().to_string(),
                classes(|alone| &alone.otherwise),
                classes(|alone| &alone.output),
                classes(|alone| &alone.unfinished),
                classes(|alone| &alone.not_run),
                optional(alone.map(|alone| format!("{:.3}", alone.seconds))),
                name.clone(),
                survey.classes.to_string(),
                survey.selected.to_string(),
                optional(survey.selected_tests),
                survey.kills.to_string(),
                survey.missed.join(";"),
                survey.problem.clone().unwrap_or_default(),
                setting.version.clone(),
            ])?;
        }
    }
    text(table)
}

/// The rows, the figures and the conclusion as one JSON document.
///
/// # Errors
///
/// If a name cannot be written as JSON, which does not happen with rows that came from JSON.
pub fn json(replay: &Replay, figures: &Figures) -> serde_json::Result<String> {
    let document = json!({
        "replay": serde_json::to_value(replay)?,
        "figures": serde_json::to_value(figures)?,
        "verdict": serde_json::to_value(conclusion(figures))?,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn middle(seconds: &Seconds) -> String {
    let median = median(seconds.iter().copied());
    median.map_or_else(String::new, |median| format!("{median:.3}"))
}

fn runs(seconds: &Seconds) -> String {
    let runs: Vec<String> = seconds.iter().map(|run| format!("{run:.3}")).collect();
    runs.join(";")
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn table() -> Writer<Vec<u8>> {
    let mut lines = WriterBuilder::new();
    lines.terminator(Terminator::CRLF).from_writer(Vec::new())
}

fn text(table: Writer<Vec<u8>>) -> io::Result<String> {
    let bytes = table.into_inner().map_err(|error| error.into_error())?;
    // All fields were texts.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{hostile, missing, sized};
    use csv::ReaderBuilder;

    fn records(text: &str) -> Vec<Vec<String>> {
        let mut reader = ReaderBuilder::new();
        let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
        let records = reader.deserialize();
        records.map(Result::unwrap).collect()
    }

    #[test]
    fn all_records_have_as_many_fields_as_heads() {
        let mut bare = missing();
        bare.steps
            .iter_mut()
            .for_each(|step| step.techniques.clear());
        for replay in [missing(), hostile(), bare, Replay::default()] {
            for (text, fields) in [
                (steps_csv(&replay).unwrap(), STEPS.len()),
                (mutants_csv(&replay).unwrap(), MUTANTS.len()),
            ] {
                assert!(records(&text).iter().all(|record| record.len() == fields));
            }
        }
        let hostile = hostile();
        let read = records(&steps_csv(&hostile).unwrap());
        assert_eq!(read[1][3], hostile.steps[0].subject);
    }

    #[test]
    fn the_records_of_a_small_replay() {
        let mut replay = sized(3, 5, 20.0);
        replay.mutants.truncate(3);
        insta::assert_snapshot!(steps_csv(&replay).unwrap().replace('\r', ""));
        insta::assert_snapshot!(mutants_csv(&replay).unwrap().replace('\r', ""));
    }

    #[test]
    fn json_holds_the_rows_as_they_were() {
        let replay = missing();
        let text = json(&replay, &Figures::of(&replay)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows: Replay = serde_json::from_value(value["replay"].clone()).unwrap();
        assert_eq!(rows.steps.len(), replay.steps.len());
        assert_eq!(value["verdict"]["judgement"], "missed");
        assert_eq!(value["figures"]["skipped"]["no-relevant-change"], 2);
    }
}
