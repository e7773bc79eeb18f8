//! A replay for a terminal, and for a file in a repository.

use crate::conclusion::{Judgement, conclusion, sentence};
use crate::figures::Figures;
use crate::phrases::{BOLD, DIM, GREEN, RED, YELLOW, clean, count, short, styled};
use crate::tables::{self, Cell, Table, Tone};
use crate::{Replay, Setting};
use anstyle::Style;
use std::iter::zip;

/// How wide the text is at most.
const WIDTH: usize = 100;

/// Text columns that are wider than this may be broken into lines.
const NARROWEST: usize = 12;

/// The report for a terminal.
pub fn text(replay: &Replay, figures: &Figures) -> String {
    let conclusion = conclusion(figures);
    let mut text = String::new();
    for (place, words) in conclusion.sentences.iter().enumerate() {
        let style = match conclusion.judgement {
            Judgement::Missed | Judgement::Failed if place == 0 => RED,
            _ if place > 0 => Style::new(),
            Judgement::Pays => GREEN,
            _ => YELLOW,
        };
        for line in wrapped(&sentence(words), WIDTH) {
            text += &format!("{}\n", styled(style, &line));
        }
    }
    for line in wrapped(&made(&replay.setting, figures), WIDTH) {
        text += &format!("{}\n", styled(DIM, &line));
    }
    for table in tables::report(figures) {
        text += &format!("\n{}\n", styled(BOLD, table.title));
        text += &aligned(&table);
        for line in wrapped(&table.note, WIDTH) {
            text += &format!("{}\n", styled(DIM, &line));
        }
    }
    text
}

/// The report for a file in a repository: the tables of [`text`] and one of all commits.
pub fn markdown(replay: &Replay, figures: &Figures) -> String {
    let conclusion = conclusion(figures);
    let title = match clean(&replay.setting.project) {
        name if name.is_empty() => "Replay".to_owned(),
        name => format!("Replay of {}", marked(&name)),
    };
    let mut text = format!("# {title}\n\n");
    for (place, words) in conclusion.sentences.iter().enumerate() {
        let words = marked(&sentence(words));
        text += &match place {
            0 => format!("**{words}**\n"),
            _ => format!("{words}\n"),
        };
    }
    text += &format!("\n{}\n", marked(&made(&replay.setting, figures)));
    let all = tables::report(figures).into_iter();
    let commits = tables::revisions(replay);
    for table in all.chain((!commits.rows.is_empty()).then_some(commits)) {
        text += &format!("\n## {}\n\n", table.title);
        text += &marked_table(&table);
        if !table.note.is_empty() {
            text += &format!("\n{}\n", marked(&table.note));
        }
    }
    text
}

/// How the replay was made.
pub(crate) fn made(setting: &Setting, figures: &Figures) -> String {
    let only_mutants = figures.steps == 0 && figures.mutants.is_some();
    let runs = match setting.runs {
        _ if only_mutants => String::new(),
        0 => String::new(),
        1 => "each time of one run".into(),
        runs => format!("each time the median of {}", count(runs, "run")),
    };
    let arguments = match setting.build_arguments.join(" ") {
        none if none.is_empty() => none,
        arguments => format!("{} with {arguments}", setting.build_tool),
    };
    let tamis = match &setting.version {
        none if none.is_empty() => String::new(),
        version => format!("tamis {version}"),
    };
    let parts = [
        clean(&setting.project),
        match only_mutants {
            true => String::new(),
            false => count(figures.steps, "commit"),
        },
        tamis,
        setting.runtime.clone(),
        setting.machine.clone(),
        arguments,
        runs,
        setting
            .revision
            .as_deref()
            .map_or_else(String::new, |at| format!("mutants of {}", short(at))),
        setting
            .seed
            .map_or_else(String::new, |seed| format!("seed {seed}")),
        match setting.alone {
            true => "each mutant alone".into(),
            false => String::new(),
        },
    ];
    let some: Vec<String> = parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| clean(part))
        .collect();
    some.join(", ")
}

fn aligned(table: &Table) -> String {
    let widths = widths(table);
    let heads = table
        .columns
        .iter()
        .map(|column| Cell::faint(&column.head))
        .collect();
    std::iter::once(&heads)
        .chain(&table.rows)
        .map(|row: &Vec<Cell>| aligned_row(row, table, &widths))
        .collect()
}

/// A row, on as many lines as its longest cell needs.
fn aligned_row(row: &[Cell], table: &Table, widths: &[usize]) -> String {
    let lines: Vec<Vec<String>> = zip(row, widths)
        .map(|(cell, width)| wrapped(&cell.text, *width))
        .collect();
    let height = lines.iter().map(Vec::len).max().unwrap_or_default();
    let mut text = String::new();
    for place in 0..height {
        let mut line = String::new();
        for (((cell, lines), column), width) in zip(zip(zip(row, &lines), &table.columns), widths) {
            let words = lines.get(place).map_or("", String::as_str);
            let gap = " ".repeat(width.saturating_sub(words.chars().count()));
            let words = toned(words, cell.tone);
            line += &match column.right {
                true => format!("  {gap}{words}"),
                false => format!("  {words}{gap}"),
            };
        }
        text += &format!("{}\n", line.trim_end());
    }
    text
}

fn toned(words: &str, tone: Tone) -> String {
    match tone {
        _ if words.is_empty() => String::new(),
        Tone::Plain => words.to_owned(),
        Tone::Good => styled(GREEN, words),
        Tone::Bad => styled(RED, words),
        Tone::Warning => styled(YELLOW, words),
        Tone::Faint => styled(DIM, words),
    }
}

/// How wide each column is: as wide as its widest cell, but the widest columns of text give way until all fit.
fn widths(table: &Table) -> Vec<usize> {
    let length = |text: &str| text.chars().count();
    let mut widths: Vec<usize> = table
        .columns
        .iter()
        .map(|column| length(&column.head))
        .collect();
    for row in &table.rows {
        for (width, cell) in zip(&mut widths, row) {
            *width = length(&cell.text).max(*width);
        }
    }
    loop {
        let over = (widths.iter().sum::<usize>() + 2 * widths.len()).saturating_sub(WIDTH);
        let broken = zip(&mut widths, &table.columns).filter(|(_, column)| !column.right);
        let widest = broken.map(|(width, _)| width).max_by_key(|width| **width);
        match widest {
            Some(width) if over > 0 && *width > NARROWEST => *width -= 1,
            _ => return widths,
        }
    }
}

/// The text in lines of at most that width, broken between words where that is possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line: Vec<char> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let word: Vec<char> = word.chars().collect();
        if !line.is_empty() && line.len() + 1 + word.len() > width {
            lines.push(line.drain(..).collect());
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word);
        while line.len() > width.max(1) {
            lines.push(line.drain(..width.max(1)).collect());
        }
    }
    if !line.is_empty() {
        lines.push(line.into_iter().collect());
    }
    lines
}

fn marked_table(table: &Table) -> String {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let heads = table.columns.iter().map(|column| marked(&column.head));
    let rule = table.columns.iter();
    let rule: Vec<&str> = rule
        .map(|column| if column.right { "--:" } else { "---" })
        .collect();
    let mut text = row(heads.collect()) + &format!("|{}|\n", rule.join("|"));
    for cells in &table.rows {
        let cells = cells.iter().map(|cell| match cell.tone {
            Tone::Bad => format!("**{}**", marked(&cell.text)),
            _ => marked(&cell.text),
        });
        text += &row(cells.collect());
    }
    text
}

/// Text in which nothing means anything to Markdown.
fn marked(text: &str) -> String {
    let mut marked = String::new();
    for character in clean(text).chars() {
        match character {
            '<' => marked += "&lt;",
            '>' => marked += "&gt;",
            '&' => marked += "&amp;",
            '|' | '*' | '`' | '[' | ']' | '\\' => marked.extend(['\\', character]),
            _ => marked.push(character),
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{alone, edges, hostile, missing, replay, short};
    use anstream::adapter::strip_str;

    fn shown(replay: &Replay) -> String {
        strip_str(&text(replay, &Figures::of(replay))).to_string()
    }

    fn written(replay: &Replay) -> String {
        markdown(replay, &Figures::of(replay))
    }

    #[test]
    fn the_report_of_a_usual_replay() {
        insta::assert_snapshot!(shown(&replay()));
    }

    #[test]
    fn the_report_of_a_replay_with_misses_starts_with_them() {
        insta::assert_snapshot!(shown(&missing()));
    }

    #[test]
    fn the_report_of_a_suite_that_is_too_short() {
        let text = shown(&short());
        assert!(
            text.starts_with("Your suite takes 600 ms: it is too short"),
            "{text}"
        );
    }

    #[test]
    fn misses_are_red() {
        let replay = missing();
        let text = text(&replay, &Figures::of(&replay));
        assert!(
            text.starts_with("\u{1b}[1m\u{1b}[31mNot safe: mest missed 1 of 12"),
            "{text:?}"
        );
    }

    #[test]
    fn the_markdown_of_a_replay_with_misses() {
        insta::assert_snapshot!(written(&missing()));
    }

    #[test]
    fn the_report_of_mutants_that_ran_alone() {
        insta::assert_snapshot!(shown(&alone()));
    }

    #[test]
    fn replays_with_little_in_them_are_shown() {
        let all: Vec<String> = edges()
            .iter()
            .filter(|(name, _)| !["only mutants", "no times"].contains(name))
            .map(|(name, replay)| format!("== {name}\n{}", shown(replay)))
            .collect();
        insta::assert_snapshot!(all.join("\n"));
    }

    #[test]
    fn no_line_is_too_wide_and_no_number_missing() {
        let mut all = edges();
        all.extend([
            ("a", replay()),
            ("b", missing()),
            ("c", short()),
            ("d", hostile()),
            ("e", alone()),
        ]);
        for (name, replay) in all {
            let (text, markdown) = (shown(&replay), written(&replay));
            for line in text.lines() {
                assert!(line.chars().count() <= WIDTH, "{name}: {line}");
            }
            for word in ["NaN", "inf", " -0 "] {
                assert!(!text.contains(word) && !markdown.contains(word), "{name}");
            }
        }
    }

    #[test]
    fn foreign_strings_change_neither_terminal_nor_markup() {
        let text = text(&hostile(), &Figures::of(&hostile()));
        let escapes = text.split('\x1b').skip(1);
        assert!(
            escapes.clone().all(|rest| !rest.starts_with("[31m|")),
            "{text:?}"
        );
        let written = written(&hostile());
        assert!(!written.contains("<b>") && written.contains("&lt;b&gt;&amp;"));
        assert!(written.contains("\\|\\`"));
    }

    #[test]
    fn long_words_are_broken() {
        assert_eq!(wrapped("abcdefgh ij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrapped("ab cd ef", 5), ["ab cd", "ef"]);
        assert!(wrapped("", 5).is_empty());
    }
}
