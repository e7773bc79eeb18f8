use super::*;
use crate::samples::{alone, edges, hostile, missing, replay, short, sized};

fn of(replay: &Replay) -> String {
    page(replay, &Figures::of(replay))
}

fn all() -> Vec<(&'static str, Replay)> {
    let mut all = edges();
    let mut varied = replay();
    for (place, step) in varied.steps.iter_mut().enumerate() {
        let factor = if place % 3 == 0 { 40.0 } else { 1.0 };
        step.retest
            .seconds
            .iter_mut()
            .for_each(|time| *time *= factor);
    }
    all.extend([
        ("usual", replay()),
        ("missing", missing()),
        ("alone", alone()),
        ("short", short()),
        ("hostile", hostile()),
        ("varied", varied),
        ("long", sized(120, 900, 2400.0)),
    ]);
    all
}

/// Tags that have no end.
const VOID: [&str; 2] = ["meta", "!DOCTYPE"];

/// Fails unless every tag that opens is closed in its place.
fn check_tags(name: &str, page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let style = page.find("</style>").unwrap();
    let page = page[..page.find("<style>").unwrap()].to_owned() + &page[style + 8..];
    for piece in page.split('<').skip(1) {
        let (tag, text) = piece
            .split_once('>')
            .unwrap_or_else(|| panic!("{name}: {piece}"));
        assert!(!text.contains('>'), "{name}: {piece}");
        let word = tag.split([' ', '\n']).next().unwrap();
        match word.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed), "{name}: {piece}"),
            None if VOID.contains(&word) || tag.ends_with('/') => {}
            None => open.push(word),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{name}: {tag}");
    }
    assert!(open.is_empty(), "{name}: {open:?}");
}

#[test]
fn pages_are_whole_and_ask_nobody() {
    for (name, replay) in all() {
        let page = of(&replay);
        check_tags(name, &page);
        for word in [
            "NaN", "inf\"", "inf ", "http", "url(", "@import", "<script", "<link", "<img",
        ] {
            assert!(!page.contains(word), "{name}: {word}");
        }
        assert_eq!(
            page.matches("<svg").count(),
            page.matches("</desc>").count(),
            "{name}"
        );
        assert_eq!(page.matches("<h1").count(), 1, "{name}");
    }
}

#[test]
fn ids_are_there_once() {
    let page = of(&missing());
    let ids: Vec<&str> = page
        .split(" id=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!((once.len(), ids.len()), (20, 20));
}

#[test]
fn foreign_strings_are_escaped() {
    let page = of(&hostile());
    assert!(!page.contains("<b>") && !page.contains('\u{1b}'));
    assert!(page.contains("&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;"));
    assert_eq!(escaped("a<b>&\"'\u{7}"), "a&lt;b&gt;&amp;&quot;&#39; ");
}

#[test]
fn misses_come_first_and_are_red() {
    let page = of(&missing());
    let head = page
        .find("<h1 class=\"missed\">Not safe: mest missed 1 of 12")
        .unwrap();
    assert!(head < page.find("<svg").unwrap());
    assert!(page.contains("<tr class=\"bad-row\">") && page.contains("✕"));
    assert!(!of(&replay()).contains("<tr class=\"bad-row\">"));
}

#[test]
fn times_that_differ_a_lot_are_dots_on_a_logarithmic_scale() {
    let page = of(&all()
        .into_iter()
        .find(|(name, _)| *name == "varied")
        .unwrap()
        .1);
    assert!(page.contains("all-stroke\""));
}

/// With `TAMIS_PAGES=DIR` it writes them where a browser can open them.
#[test]
fn every_sample_has_a_page() {
    for (name, replay) in all() {
        let page = of(&replay);
        assert!(page.trim_end().ends_with("</html>"), "{name}");
        if let Some(directory) = std::env::var_os("TAMIS_PAGES") {
            let file = std::path::Path::new(&directory).join(format!("{name}.html"));
            std::fs::write(file, page).unwrap();
        }
    }
}
