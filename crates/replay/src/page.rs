//! A replay as one self-contained HTML page without scripts.

mod boxes;
mod canvas;
mod panels;
mod scale;
mod sums;

use crate::conclusion::{Judgement, conclusion, sentence};
use crate::figures::{Figures, aec_seconds, counted, ratio, retest_seconds, selected_share, tried};
use crate::phrases::{clean, seconds, short};
use crate::tables::{self, Cell, Table, Tone};
use crate::text::made;
use crate::{Replay, Step};
use panels::{Bar, Panel};

/// A technique's values, one per commit.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) values: Vec<Option<f64>>,
}

/// The page.
pub fn page(replay: &Replay, figures: &Figures) -> String {
    let project = match clean(&replay.setting.project) {
        name if name.is_empty() => "Replay".to_owned(),
        name => format!("Replay of {name}"),
    };
    let title = escaped(&project);
    let style = include_str!("page/style.css");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{}{}{}</main>\n</body>\n</html>\n",
        headline(&title, replay, figures),
        plots(replay, figures),
        tail(replay, figures),
    )
}

fn headline(title: &str, replay: &Replay, figures: &Figures) -> String {
    let conclusion = conclusion(figures);
    let class = match conclusion.judgement {
        Judgement::Missed | Judgement::Failed => " class=\"missed\"",
        _ => "",
    };
    let sentences = conclusion.sentences.iter().enumerate();
    let sentences: String = sentences
        .map(|(place, words)| match (place, escaped(&sentence(words))) {
            (0, words) => format!("<h1{class}>{words}</h1>\n"),
            (_, words) => format!("<p class=\"more\">{words}</p>\n"),
        })
        .collect();
    let made = escaped(&made(&replay.setting, figures));
    let tables = [
        tables::missed(figures),
        tables::missed_mutants(figures),
        tables::problems(figures),
        tables::unanswered_mutants(figures),
        tables::selection(figures),
        tables::time(figures),
    ];
    let tables: String = tables.iter().map(section).collect();
    format!(
        "<header>\n<p class=\"project\">{title}</p>\n{sentences}<p class=\"made\">{made}</p>\n</header>\n{tables}"
    )
}

fn plots(replay: &Replay, figures: &Figures) -> String {
    let steps: Vec<&Step> = counted(replay).collect();
    let series = |of: &dyn Fn(&Step, &str) -> Option<f64>| -> Vec<Series> {
        let one = |name: &String| Series {
            name: clean(name),
            values: steps.iter().map(|step| of(step, name)).collect(),
        };
        figures
            .techniques
            .iter()
            .map(|technique| one(&technique.name))
            .collect()
    };
    let shares = series(&selected_share);
    let over_all = series(&|step, name| ratio(aec_seconds(step, name)?, retest_seconds(step)?));
    let saved = series(&|step, name| Some(retest_seconds(step)? - aec_seconds(step, name)?));
    let times = times(&steps, figures);
    let plots = [
        (
            "Share of test classes selected",
            "One dot per commit. Box: the middle half; thick line: median; whiskers: all commits.",
            boxes::boxes(
                "selected",
                "Share of test classes that each technique selected",
                &shares,
            ),
        ),
        (
            "Time with recording, of that of all tests",
            "One dot per commit, AEC. Right of 100 % a technique takes longer than all tests.",
            boxes::boxes(
                "time",
                "Time of each technique by that of all tests",
                &over_all,
            ),
        ),
        (
            "Time saved so far",
            "Summed over the commits; below zero time was lost. Commits without figures add nothing.",
            sums::sums(
                "saved",
                "Time that each technique saved, summed over the commits",
                &saved,
            ),
        ),
        (
            "Time per commit",
            match panels::is_log(&times) {
                true => {
                    "Grey lines: all tests. Dots: the technique, end to end with recording. The scale is logarithmic."
                }
                false => {
                    "Grey: all tests. Coloured: the technique, end to end with recording. “?”: no figures."
                }
            },
            panels::panels(
                "per-commit",
                "Time per commit of all tests and of each technique",
                &times,
            ),
        ),
        (
            "Test classes per commit",
            "Grey: all test classes. Coloured: selected ones. A red cross: a test class was missed.",
            panels::panels(
                "classes",
                "Test classes per commit that each technique selected",
                &classes(&steps, figures),
            ),
        ),
    ];
    let figure = |(title, note, plot): &(&str, &str, String)| match plot.is_empty() {
        true => String::new(),
        false => format!(
            "<section>\n<h2>{title}</h2>\n<p class=\"note\">{note}</p>\n<figure>\n{plot}</figure>\n</section>\n"
        ),
    };
    plots.iter().map(figure).collect()
}

fn saved_words(saved: f64) -> String {
    match saved < 0.0 {
        true => format!("{} lost", seconds(-saved)),
        false => format!("{} saved", seconds(saved)),
    }
}

fn times(steps: &[&Step], figures: &Figures) -> Vec<Panel> {
    let panel = |technique: &crate::Technique| Panel {
        name: clean(&technique.name),
        said: technique.saved().map_or_else(String::new, saved_words),
        seconds: true,
        bars: steps
            .iter()
            .map(|step| {
                let (all, part) = (retest_seconds(step), aec_seconds(step, &technique.name));
                let said = |value: Option<f64>| value.map_or_else(|| "no figures".into(), seconds);
                bar(
                    step,
                    &technique.name,
                    all,
                    part,
                    &format!("{} of {}", said(part), said(all)),
                )
            })
            .collect(),
    };
    figures.techniques.iter().map(panel).collect()
}

fn classes(steps: &[&Step], figures: &Figures) -> Vec<Panel> {
    let panel = |technique: &crate::Technique| Panel {
        name: clean(&technique.name),
        said: technique.classes.of_sums.map_or_else(String::new, |share| {
            format!("{} selected", crate::phrases::percent(share))
        }),
        seconds: false,
        bars: steps
            .iter()
            .map(|step| {
                let tried = tried(step, &technique.name);
                let said = tried.map_or_else(
                    || "no figures".to_owned(),
                    |tried| format!("{} of {} selected", tried.selected, tried.classes),
                );
                let all = tried.map_or(step.retest.classes.len(), |tried| tried.classes);
                let part = tried.map(|tried| tried.selected as f64);
                bar(step, &technique.name, Some(all as f64), part, &said)
            })
            .collect(),
    };
    figures.techniques.iter().map(panel).collect()
}

fn bar(step: &Step, name: &str, all: Option<f64>, part: Option<f64>, said: &str) -> Bar {
    let missed = tried(step, name).is_some_and(|tried| !tried.missed.is_empty());
    let suffix = if missed { ", missed a test class" } else { "" };
    Bar {
        revision: short(&step.revision),
        said: format!(
            "{} {}: {said}{suffix}",
            short(&step.revision),
            clean(&step.subject)
        ),
        all,
        part,
        missed,
    }
}

fn tail(replay: &Replay, figures: &Figures) -> String {
    let tables = [
        tables::safety(figures),
        tables::metrics(figures),
        tables::comparisons(figures),
        tables::alone(figures),
        tables::mutants(figures),
        tables::by_operator(figures),
        tables::left_out(figures),
        tables::revisions(replay),
    ];
    tables.iter().map(section).collect()
}

fn section(table: &Table) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let note = match table.note.is_empty() {
        true => String::new(),
        false => format!("<p class=\"note\">{}</p>\n", escaped(&table.note)),
    };
    format!(
        "<section>\n<h2>{}</h2>\n{note}{}</section>\n",
        escaped(table.title),
        html(table)
    )
}

/// Text columns whose cells are longer than this may have several lines.
const LONG: usize = 36;

/// Heads of columns that are longer than this may have several lines.
const LONG_HEAD: usize = 18;

/// Tables with more columns than this are set closer.
const MOST_COLUMNS: usize = 9;

fn html(table: &Table) -> String {
    let head = |column: &tables::Column| {
        let long = column.head.chars().count() > LONG_HEAD;
        let classes = attribute(&[(column.right, "right"), (long, "long")]);
        format!("<th scope=\"col\"{classes}>{}</th>", escaped(&column.head))
    };
    let heads: String = table.columns.iter().map(head).collect();
    let rows: String = table.rows.iter().map(|row| html_row(row, table)).collect();
    let dense = attribute(&[(table.columns.len() > MOST_COLUMNS, "dense")]);
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table{dense}>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn html_row(row: &[Cell], table: &Table) -> String {
    let cells: String = std::iter::zip(row, &table.columns)
        .map(|(cell, column)| {
            let long = !column.right && cell.text.chars().count() > LONG;
            let tone = match cell.tone {
                Tone::Plain => "",
                Tone::Good => "good",
                Tone::Bad => "bad",
                Tone::Warning => "warning",
                Tone::Faint => "faint",
            };
            let classes = attribute(&[
                (column.right, "right"),
                (long, "wide"),
                (!tone.is_empty(), tone),
            ]);
            format!("<td{classes}>{}</td>", escaped(&cell.text))
        })
        .collect();
    let bad = row.iter().any(|cell| cell.tone == Tone::Bad);
    let class = if bad { " class=\"bad-row\"" } else { "" };
    format!("<tr{class}>{cells}</tr>\n")
}

/// The attribute with those classes that hold.
fn attribute(all: &[(bool, &str)]) -> String {
    let held: Vec<&str> = all
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, class)| *class)
        .collect();
    match held.is_empty() {
        true => String::new(),
        false => format!(" class=\"{}\"", held.join(" ")),
    }
}

/// Text in which nothing means anything to HTML, in content and in attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in clean(text).chars() {
        match character {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
