use anstyle::{AnsiColor, Style};
use std::time::Duration;
use tamis_select::tame;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The text in that style.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A duration with as many digits as a person wants: `350 ms`, `4.2 s`, `38 s`, `2 min 5 s`.
pub fn duration(duration: Duration) -> String {
    let ms = duration.as_millis();
    let seconds = (ms + 500) / 1000;
    match ms {
        0 => "less than 1 ms".into(),
        1..1_000 => format!("{ms} ms"),
        1_000..9_950 => format!("{:.1} s", ms as f64 / 1000.0),
        _ if seconds < 60 => format!("{seconds} s"),
        _ if seconds < 3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

/// The time between two moments in words; both are milliseconds since 1970.
pub fn ago(then_ms: u64, now_ms: u64) -> String {
    let seconds = now_ms.saturating_sub(then_ms) / 1000;
    match seconds {
        0..2 => "just now".into(),
        2..60 => format!("{seconds} seconds ago"),
        60..3_600 => format!("{} ago", count(seconds / 60, "minute")),
        3_600..86_400 => format!("{} ago", count(seconds / 3_600, "hour")),
        _ => format!("{} ago", count(seconds / 86_400, "day")),
    }
}

/// `1 class`, `2 classes`, `3 tests`.
pub fn count(number: u64, noun: &str) -> String {
    let ending = match noun {
        _ if number == 1 => "",
        _ if noun.ends_with('s') => "es",
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

/// Names with commas, at most `most` of them.
pub(crate) fn names(all: impl ExactSizeIterator<Item = impl ToString>, most: usize) -> String {
    let more = all.len().saturating_sub(most);
    let named = all.take(most).map(|name| name.to_string());
    let mut named: Vec<String> = named.map(|name| tame(&name).into_owned()).collect();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    named.join(", ")
}

/// The text without its styles.
#[cfg(test)]
pub(crate) fn plain(text: &str) -> String {
    let mut pieces = text.split('\x1b');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |all, piece| {
        all + piece.split_once('m').map_or("", |(_, text)| text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        let check = |us, expected| assert_eq!(duration(Duration::from_micros(us)), expected);
        check(0, "less than 1 ms");
        check(999, "less than 1 ms");
        check(350_000, "350 ms");
        check(4_240_000, "4.2 s");
        check(9_949_000, "9.9 s");
        check(9_950_000, "10 s");
        check(59_400_000, "59 s");
        check(59_600_000, "1 min 0 s");
        check(125_000_000, "2 min 5 s");
        check(3_725_000_000, "1 h 2 min");
    }

    #[test]
    fn ages_read_as_people_say_them() {
        let check =
            |seconds: u64, expected| assert_eq!(ago(5_000, 5_000 + seconds * 1000), expected);
        check(0, "just now");
        check(59, "59 seconds ago");
        check(60, "1 minute ago");
        check(7_300, "2 hours ago");
        check(200_000, "2 days ago");
        assert_eq!(ago(5_000, 0), "just now");
    }

    #[test]
    fn nouns_are_counted_and_long_lists_cut() {
        assert_eq!(count(1, "class"), "1 class");
        assert_eq!(count(0, "class"), "0 classes");
        assert_eq!(count(2, "test"), "2 tests");
        assert_eq!(names(["a", "b", "c"].into_iter(), 2), "a, b, 1 more");
        assert_eq!(names(["a", "b"].into_iter(), 2), "a, b");
    }
}
