//! The conclusion of a replay for a team, in one or two sentences.

use crate::figures::{Figures, MutantChoice, Technique};
use crate::phrases::{about, clean, count, seconds, short};
use crate::{Missed, Why};
use serde::Serialize;

/// tamis pays if its time with recording, summed, is at most this share of that of all tests. What lies between is
/// within what builds vary by themselves.
pub const CLEARLY_BELOW: f64 = 0.9;

/// A suite of fewer seconds for which tamis does not pay is too short; with a longer one the selection is to blame.
pub const SHORT_SUITE: f64 = 60.0;

/// Fewer steps than this are too few to rely on.
pub const FEWEST_STEPS: usize = 5;

/// A technique that has no figures of more than this share of the steps is not the one that a conclusion is about, if
/// there is another.
pub const MOST_PROBLEMS: f64 = 0.2;

/// The judgement on a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// A technique left out a test that it should have run.
    Missed,
    /// A technique gave no answer.
    Failed,
    /// Time is saved.
    Pays,
    /// No time is saved because the suite is short.
    TooShort,
    /// No time is saved although the suite is long.
    DoesNotPay,
    /// There are no times, or no steps.
    Unknown,
}

/// The conclusion of a replay, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conclusion {
    /// In short.
    pub judgement: Judgement,
    /// The technique that is meant, unless it is about misses alone.
    pub technique: Option<String>,
    /// Sentences without full stop, the most important first; there is at least one.
    pub sentences: Vec<String>,
}

impl Conclusion {
    /// All sentences as running text.
    pub fn text(&self) -> String {
        let sentences: Vec<String> = self.sentences.iter().map(|words| sentence(words)).collect();
        sentences.join(" ")
    }
}

/// The words with a capital letter and a full stop.
pub(crate) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(letters)
        .chain(['.'])
        .collect()
}

/// Draws the conclusion from the figures.
pub fn conclusion(figures: &Figures) -> Conclusion {
    let (misses, failures) = (misses(figures), failures(figures));
    let best = best(figures);
    let mut sentences: Vec<String> = misses.iter().chain(&failures).cloned().collect();
    let (mut judgement, words) = match best {
        Some(technique) => gain(technique, figures),
        None => (Judgement::Unknown, nothing(figures)),
    };
    sentences.extend(words);
    sentences.extend(endings(figures));
    sentences.extend(best.and_then(|technique| mutants(technique, figures)));
    if (1..FEWEST_STEPS).contains(&figures.steps) {
        let steps = count(figures.steps, "commit");
        let verb = if figures.steps == 1 { "is" } else { "are" };
        sentences.push(format!("{steps} {verb} too few to rely on"));
    }
    if misses.is_some() {
        judgement = Judgement::Missed;
    } else if failures.is_some() {
        judgement = Judgement::Failed;
    }
    Conclusion {
        judgement,
        technique: best.map(|technique| technique.name.clone()),
        sentences,
    }
}

/// The technique to speak of: of those that missed nothing, always answered and have figures of nearly all steps, the fastest, then the
/// one that selects least.
fn best(figures: &Figures) -> Option<&Technique> {
    let key = |technique: &Technique| {
        let without = figures.steps.saturating_sub(technique.steps) as f64;
        let gaps = without > MOST_PROBLEMS * figures.steps as f64;
        let choice = choice(figures, &technique.name);
        let of_mutants = choice.map_or(0, |choice| choice.missed.len() + choice.failed.len());
        let greatest = |share: Option<f64>| share.unwrap_or(f64::MAX);
        (
            technique.missed.len() + technique.problems.len() + of_mutants > 0,
            gaps,
            greatest(technique.aec.of_sums),
            greatest(technique.classes.of_sums),
            greatest(choice.and_then(|choice| choice.classes.of_sums)),
        )
    };
    figures.techniques.iter().min_by(|left, right| {
        let (left, right) = (key(left), key(right));
        let first = (left.0, left.1).cmp(&(right.0, right.1));
        first
            .then(left.2.total_cmp(&right.2))
            .then(left.3.total_cmp(&right.3))
            .then(left.4.total_cmp(&right.4))
    })
}

fn choice<'a>(figures: &'a Figures, name: &str) -> Option<&'a MutantChoice> {
    let all = &figures.mutants.as_ref()?.all;
    all.techniques.iter().find(|choice| choice.name == name)
}

/// A sentence on misses, technique by technique.
fn misses(figures: &Figures) -> Option<String> {
    let all = figures.techniques.iter().filter_map(|technique| {
        let mutants = choice(figures, &technique.name).and_then(missed_mutants);
        let parts: Vec<String> = missed_history(technique)
            .into_iter()
            .chain(mutants)
            .collect();
        let name = clean(&technique.name);
        (!parts.is_empty()).then(|| format!("{name} missed {}", parts.join(", and ")))
    });
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| format!("not safe: {}", all.join("; ")))
}

/// A sentence on missing answers of techniques.
fn failures(figures: &Figures) -> Option<String> {
    let all = figures.techniques.iter().filter_map(|technique| {
        let choice = choice(figures, &technique.name);
        let at = technique.problems.first().map(|first| {
            let commits = count(technique.problems.len(), "commit");
            format!(
                "at {commits} ({}: {})",
                short(&first.revision),
                clean(&first.problem)
            )
        });
        let with = choice.and_then(|choice| {
            let first = choice.failed.first()?;
            let mutants = count(choice.failed.len(), "mutant");
            Some(format!(
                "with {mutants} ({}: {})",
                clean(&first.mutant),
                clean(&first.problem)
            ))
        });
        let parts: Vec<String> = at.into_iter().chain(with).collect();
        let name = clean(&technique.name);
        (!parts.is_empty()).then(|| format!("{name} gave no answer {}", parts.join(", and ")))
    });
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| format!("failed: {}", all.join("; ")))
}

/// How test classes changed that ended differently.
fn endings(figures: &Figures) -> Option<String> {
    let endings = &figures.endings;
    let all = count(figures.differing, "test class");
    let verb = |number: usize| if number == 1 { "was" } else { "were" };
    match (figures.differing, endings.failed + endings.repaired) {
        (0, _) => None,
        (_, 0) => Some(format!(
            "of {all} that ended differently none failed or was repaired: what is new or has other tests says little about safety"
        )),
        (_, some) => {
            let others = match figures.differing - some {
                0 => "",
                _ => "; the others are new or have other tests",
            };
            let (failed, repaired) = (endings.failed, endings.repaired);
            let was = verb(repaired);
            Some(format!(
                "of {all} that ended differently {failed} failed and {repaired} {was} repaired{others}"
            ))
        }
    }
}

fn missed_history(technique: &Technique) -> Option<String> {
    let first = technique.missed.first()?;
    let more = match technique.missed.len() - 1 {
        0 => String::new(),
        more => format!(", {more} more"),
    };
    Some(format!(
        "{} of {} that ended differently ({}{more})",
        technique.missed.len(),
        count(technique.differing, "test class"),
        example(first),
    ))
}

fn missed_mutants(choice: &MutantChoice) -> Option<String> {
    let first = choice.missed.first()?;
    Some(format!(
        "{} of {} ({})",
        count(choice.missed_classes(), "test class"),
        count(choice.missed.len(), "mutant"),
        clean(&first.mutant),
    ))
}

fn example(missed: &Missed) -> String {
    let what = if missed.failing {
        "failed"
    } else {
        "came to pass"
    };
    format!(
        "{} {what} at {}",
        clean(&missed.class),
        short(&missed.revision)
    )
}

/// The gain of a technique.
fn gain(technique: &Technique, figures: &Figures) -> (Judgement, Option<String>) {
    let name = clean(&technique.name);
    let Some(share) = technique.classes.of_sums else {
        return (Judgement::Unknown, nothing(figures));
    };
    let selected = about(share);
    let start = format!(
        "over {} tamis ({name}) would have run {selected} of the test classes",
        count(technique.steps, "commit"),
    );
    let safety = safety(technique);
    let Some(time) = technique.aec.of_sums else {
        let words = format!("{start}{safety}; times were not taken");
        return (Judgement::Unknown, Some(words));
    };
    let suite = figures.retest.map_or(0.0, |retest| retest.median);
    if time <= CLEARLY_BELOW {
        let saved = seconds(technique.saved().unwrap_or_default());
        let words = format!(
            "{start} and saved {} of the time ({saved}){safety}",
            about(1.0 - time)
        );
        return (Judgement::Pays, Some(words));
    }
    let taken = about(time);
    if suite < SHORT_SUITE {
        let words = format!(
            "your suite takes {}: it is too short, tamis would not pay ({name} runs {selected} of the test classes \
             in {taken} of the time){safety}",
            seconds(suite),
        );
        return (Judgement::TooShort, Some(words));
    }
    let words = format!("{start} in {taken} of the time: it would not pay{safety}");
    (Judgement::DoesNotPay, Some(words))
}

fn safety(technique: &Technique) -> String {
    match (technique.differing, technique.missed.len()) {
        (0, _) => "; no test ended differently, so this says nothing about safety".into(),
        (all, missed) => format!(
            "; {missed} of {} that ended differently missed",
            count(all, "test class")
        ),
    }
}

fn mutants(technique: &Technique, figures: &Figures) -> Option<String> {
    let choice = choice(figures, &technique.name)?;
    let share = choice.classes.of_sums?;
    let all = &figures.mutants.as_ref()?.all;
    let name = clean(&technique.name);
    if all.alone > 0 {
        return Some(format!(
            "{} ran alone: {} changed at least one test class ({} only what it prints), and {name} missed {} with {} of the test \
             classes",
            count(all.alone, "mutant"),
            all.changed,
            all.only_output,
            match choice.missed_classes() {
                0 => "none".to_owned(),
                missed => missed.to_string(),
            },
            about(share),
        ));
    }
    Some(format!(
        "of {} that all tests kill, {name} kills {} with {} of the test classes",
        count(choice.killed, "mutant"),
        choice.kills,
        about(share),
    ))
}

/// Why there is nothing to say about history.
fn nothing(figures: &Figures) -> Option<String> {
    if figures.mutants.is_some() && figures.steps == 0 {
        return None;
    }
    let reasons: Vec<String> = figures
        .skipped
        .iter()
        .map(|(why, number)| format!("{number} {}", reason(*why, *number)))
        .collect();
    Some(match (figures.steps, reasons.is_empty()) {
        (0, true) => "no commit could be compared with one before it".into(),
        (0, false) => format!("no commit could be compared: {}", reasons.join(", ")),
        _ if figures.techniques.is_empty() => "no technique was tried".into(),
        _ => "no technique has any figures".into(),
    })
}

/// Why revisions were left out, as the end of a sentence.
pub(crate) fn reason(why: Why, number: usize) -> &'static str {
    match (why, number) {
        (Why::DoesNotBuild, 1) => "does not build",
        (Why::DoesNotBuild, _) => "do not build",
        (Why::NoRelevantChange, 1) => "changes nothing that could matter",
        (Why::NoRelevantChange, _) => "change nothing that could matter",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Replay;
    use crate::samples::{alone, edges, missing, replay, short, step};

    fn of(replay: &Replay) -> Conclusion {
        conclusion(&Figures::of(replay))
    }

    fn steps(count: usize, seconds: f64, aec: f64) -> Conclusion {
        let one = |_| step("b", Some("a"), seconds, &[("x", 100, 20, aec)]);
        let steps = (0..count).map(one).collect();
        of(&Replay {
            steps,
            ..Replay::default()
        })
    }

    #[test]
    fn what_it_comes_to_follows_the_constants() {
        assert_eq!(steps(9, 100.0, 90.0).judgement, Judgement::Pays);
        assert_eq!(steps(9, 100.0, 90.1).judgement, Judgement::DoesNotPay);
        assert_eq!(steps(9, 59.0, 59.0).judgement, Judgement::TooShort);
        assert_eq!(steps(9, 0.0, 0.0).judgement, Judgement::Unknown);
        assert_eq!(steps(FEWEST_STEPS, 9.0, 1.0).sentences.len(), 1);
        assert_eq!(steps(FEWEST_STEPS - 1, 9.0, 1.0).sentences.len(), 2);
    }

    #[test]
    fn a_technique_that_missed_is_not_the_one_recommended() {
        let conclusion = of(&missing());
        assert_eq!(conclusion.judgement, Judgement::Missed);
        assert_ne!(conclusion.technique.as_deref(), Some("mest"));
        assert!(conclusion.sentences[0].starts_with("not safe: mest missed 1 of 12"));
    }

    #[test]
    fn a_technique_that_gave_no_answer_has_failed_and_is_not_the_one_recommended() {
        let answered = |name: &'static str, aec| (name, 100, 20, aec);
        let techniques = [answered("x", 10.0), answered("y", 20.0)];
        let mut step = step("b", Some("a"), 100.0, &techniques);
        step.techniques.get_mut("x").unwrap().problem = Some("no answer".into());
        let conclusion = of(&Replay {
            steps: vec![step],
            ..Replay::default()
        });
        assert_eq!(conclusion.judgement, Judgement::Failed);
        assert_eq!(conclusion.technique.as_deref(), Some("y"));
        assert!(
            conclusion.sentences[0]
                .starts_with("failed: x gave no answer at 1 commit (b: no answer)")
        );
    }

    #[test]
    fn conclusions_read_as_sentences() {
        let mut cases = vec![
            ("usual", replay()),
            ("short", short()),
            ("missing", missing()),
            ("alone", alone()),
        ];
        cases.extend(edges());
        let said: Vec<String> = cases
            .iter()
            .map(|(name, rows)| format!("{name}: {}", of(rows).text()))
            .collect();
        insta::assert_snapshot!(said.join("\n"));
    }
}
