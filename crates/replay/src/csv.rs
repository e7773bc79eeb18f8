//! The rows of a replay as CSV (RFC 4180), for those who compute with them, and as JSON.

use crate::figures::names;
use crate::statistics::median;
use crate::{Alone, ClassOutcome, Endings, Figures, Replay, Seconds, conclusion};
use serde_json::json;

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
pub fn steps_csv(replay: &Replay) -> String {
    let setting = &replay.setting;
    let names = names(replay);
    let mut text = record(STEPS.map(str::to_owned));
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
            text += &record(
                start
                    .iter()
                    .cloned()
                    .chain(middle)
                    .chain(end.iter().cloned()),
            );
        }
        if none {
            let middle = vec![String::new(); STEPS.len() - start.len() - end.len()];
            text += &record(start.into_iter().chain(middle).chain(end));
        }
    }
    text
}

/// One record per mutant and technique; lists within a field have `;` between.
pub fn mutants_csv(replay: &Replay) -> String {
    let setting = &replay.setting;
    let names = names(replay);
    let mut text = record(MUTANTS.map(str::to_owned));
    for mutant in &replay.mutants {
        let tried = names
            .iter()
            .filter_map(|name| Some((name, mutant.techniques.get(name)?)));
        let alone = mutant.alone.as_ref();
        let classes = |of: fn(&Alone) -> &[String]| {
            alone.map_or_else(String::new, |alone| of(alone).join(";"))
        };
        for (name, survey) in tried {
            text += &record([
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
            ]);
        }
    }
    text
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

fn record(fields: impl IntoIterator<Item = String>) -> String {
    let fields: Vec<String> = fields.into_iter().map(quoted).collect();
    fields.join(",") + "\r\n"
}

/// A field as RFC 4180 has it: in quotes if it holds a comma, a quote or the end of a line, and quotes doubled.
fn quoted(field: String) -> String {
    match field.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{hostile, missing, sized};

    /// The records of a CSV text, by a reader that knows quotes.
    fn records(text: &str) -> Vec<Vec<String>> {
        let mut records = vec![vec![String::new()]];
        let mut inside = false;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let last = records.last_mut().unwrap();
            match character {
                '"' if inside && characters.peek() == Some(&'"') => {
                    characters.next();
                    last.last_mut().unwrap().push('"');
                }
                '"' => inside = !inside,
                ',' if !inside => last.push(String::new()),
                '\r' if !inside => {}
                '\n' if !inside => records.push(vec![String::new()]),
                other => last.last_mut().unwrap().push(other),
            }
        }
        records.pop();
        records
    }

    #[test]
    fn fields_are_quoted_where_that_is_needed() {
        assert_eq!(quoted("a b".into()), "a b");
        assert_eq!(quoted("a,b".into()), "\"a,b\"");
        assert_eq!(quoted("say \"a\"".into()), "\"say \"\"a\"\"\"");
        assert_eq!(quoted("a\nb".into()), "\"a\nb\"");
    }

    #[test]
    fn all_records_have_as_many_fields_as_heads() {
        let mut bare = missing();
        bare.steps
            .iter_mut()
            .for_each(|step| step.techniques.clear());
        for replay in [missing(), hostile(), bare, Replay::default()] {
            for (text, fields) in [
                (steps_csv(&replay), STEPS.len()),
                (mutants_csv(&replay), MUTANTS.len()),
            ] {
                assert!(records(&text).iter().all(|record| record.len() == fields));
            }
        }
        let hostile = hostile();
        let read = records(&steps_csv(&hostile));
        assert_eq!(read[1][3], hostile.steps[0].subject);
    }

    #[test]
    fn the_records_of_a_small_replay() {
        let mut replay = sized(3, 5, 20.0);
        replay.mutants.truncate(3);
        insta::assert_snapshot!(steps_csv(&replay).replace('\r', ""));
        insta::assert_snapshot!(mutants_csv(&replay).replace('\r', ""));
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
