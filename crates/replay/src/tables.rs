//! The tables of a replay, independent of how they are shown.

mod history;
mod mutants;

pub(crate) use history::{
    comparisons, left_out, metrics, missed, problems, revisions, safety, selection, time,
};
pub(crate) use mutants::{alone, by_operator, missed_mutants, mutants, unanswered_mutants};

/// A table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub(crate) title: &'static str,
    /// What a reader has to know to read it.
    pub(crate) note: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) head: String,
    pub(crate) right: bool,
}

/// A foreign or own string with what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Good,
    Bad,
    Warning,
    Faint,
}

impl Cell {
    pub(crate) fn new(text: impl Into<String>, tone: Tone) -> Cell {
        let text = crate::phrases::clean(&text.into());
        Cell { text, tone }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Cell {
        Cell::new(text, Tone::Plain)
    }

    pub(crate) fn faint(text: impl Into<String>) -> Cell {
        Cell::new(text, Tone::Faint)
    }

    /// A number of things that should not be.
    pub(crate) fn bad(number: usize) -> Cell {
        let tone = if number > 0 { Tone::Bad } else { Tone::Plain };
        Cell::new(number.to_string(), tone)
    }
}

impl Table {
    /// A table with heads, of which those of numbers start with `>`.
    fn new(title: &'static str, heads: &[&str], note: &str) -> Table {
        let column = |head: &&str| Column {
            head: head.trim_start_matches('>').to_owned(),
            right: head.starts_with('>'),
        };
        Table {
            title,
            note: note.to_owned(),
            columns: heads.iter().map(column).collect(),
            rows: Vec::new(),
        }
    }

    fn with(mut self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Table {
        self.rows = rows.into_iter().collect();
        self
    }
}

/// The tables of a report, without those that have no rows.
pub(crate) fn report(figures: &crate::Figures) -> Vec<Table> {
    let all = [
        missed(figures),
        missed_mutants(figures),
        problems(figures),
        unanswered_mutants(figures),
        selection(figures),
        time(figures),
        safety(figures),
        metrics(figures),
        comparisons(figures),
        alone(figures),
        mutants(figures),
        by_operator(figures),
        left_out(figures),
    ];
    let some = |table: &Table| !table.rows.is_empty();
    all.into_iter().filter(some).collect()
}
