//! Numbers and names as people read them.

use anstyle::{AnsiColor, Style};
use std::time::Duration;

// The styles of `tamis-report`.
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The sign for a missing figure.
pub(crate) const NONE: &str = "–";

/// How many digits of a commit are shown.
const REVISION: usize = 8;

/// The text in that style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A share with one digit: `9.1 %`. What is not all does not read as all, what is not nothing not as nothing.
pub(crate) fn percent(share: f64) -> String {
    match share {
        _ if share > 0.0 && share < 0.0005 => "<0.1 %".into(),
        _ if (0.9995..1.0).contains(&share) => ">99.9 %".into(),
        _ => format!("{:.1} %", share * 100.0 + 0.0).replace('-', "−"),
    }
}

/// A share without digits, for sentences: `9 %`.
pub(crate) fn about(share: f64) -> String {
    match share {
        _ if share > 0.0 && share < 0.005 => "less than 1 %".into(),
        _ if (0.995..1.0).contains(&share) => "more than 99 %".into(),
        _ => format!("{:.0} %", share * 100.0 + 0.0),
    }
}

/// Seconds in a table: `350 ms`, `4.2 s`, `2 min 5 s`, with a minus if time was lost.
pub(crate) fn seconds(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "−" } else { "" };
    let text = match Duration::try_from_secs_f64(seconds.abs()) {
        Ok(duration) if duration.as_millis() == 0 => "0 s".into(),
        Ok(duration) => tamis_report::duration(duration),
        Err(_) => return NONE.into(),
    };
    format!("{sign}{text}").replace("−0 s", "0 s")
}

/// A probability: `0.031`, `<0.001`.
pub(crate) fn probability(p: f64) -> String {
    match p < 0.001 {
        true => "<0.001".into(),
        false => format!("{p:.3}"),
    }
}

/// An effect or the like, from -1 to 1: `−0.42`.
pub(crate) fn signed(value: f64) -> String {
    format!("{:+.2}", value + 0.0).replace('-', "−")
}

/// The value as text, or [`NONE`].
pub(crate) fn or_none<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NONE.to_owned(), show)
}

/// The first digits of a commit.
pub(crate) fn short(revision: &str) -> String {
    clean(revision).chars().take(REVISION).collect()
}

/// `1 commit`, `2 commits`, `2 test classes`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    tamis_report::count(number as u64, noun)
}

/// A foreign string on one line, without what moves cursors, changes colours or turns the direction of writing.
pub(crate) fn clean(text: &str) -> String {
    let harmless = |character: char| match character {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
        _ if character.is_control() => ' ',
        _ => character,
    };
    text.chars().map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_rounded_to_all_or_nothing() {
        let check = |share, table: &str, sentence: &str| {
            assert_eq!(
                (percent(share).as_str(), about(share).as_str()),
                (table, sentence)
            );
        };
        check(0.0, "0.0 %", "0 %");
        check(0.0001, "<0.1 %", "less than 1 %");
        check(0.0912, "9.1 %", "9 %");
        check(0.9999, ">99.9 %", "more than 99 %");
        check(1.0, "100.0 %", "100 %");
        check(1.38, "138.0 %", "138 %");
        check(-0.25, "−25.0 %", "-25 %");
    }

    #[test]
    fn times_may_be_lost() {
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(seconds(-0.0), "0 s");
        assert_eq!(seconds(-4.24), "−4.2 s");
        assert_eq!(seconds(0.35), "350 ms");
        assert_eq!(seconds(f64::NAN), NONE);
    }

    #[test]
    fn small_numbers_read_well() {
        assert_eq!(
            (probability(0.0312), probability(1e-9)),
            ("0.031".into(), "<0.001".into())
        );
        assert_eq!(
            (signed(-0.5), signed(0.25), signed(-0.0)),
            ("−0.50".into(), "+0.25".into(), "+0.00".into())
        );
        assert_eq!(clean("a\u{1b}[31m\nb\u{202e}c"), "a [31m b c");
        assert_eq!(short("ccd90e9c24fa"), "ccd90e9c");
    }
}
