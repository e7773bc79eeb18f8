//! What tests put out, and what they left for others.

use crate::print::WROTE;
use std::collections::{BTreeMap, BTreeSet};

/// What each test put out, by class and method.
pub(crate) type Texts = BTreeMap<String, String>;

/// A change of a part of the state by a test.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    test: String,
    part: String,
    from: String,
    to: String,
}

/// What tests put out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    pub(crate) texts: Texts,
    /// In the order in which they happened.
    pub(crate) writes: Vec<Write>,
}

/// What tests did.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) texts: Texts,
    pub(crate) writes: Vec<Write>,
    /// The tests, or the classes of tests, that passed or were ignored.
    pub(crate) passed: BTreeSet<String>,
    /// Those that ran, however they ended.
    pub(crate) ran: BTreeSet<String>,
}

impl Seen {
    /// The parts of the state that tests, or classes of tests, left in another way than they found them.
    pub(crate) fn left(&self, by_method: bool) -> BTreeSet<(&str, &str)> {
        left(&self.writes, by_method)
    }
}

fn left(writes: &[Write], by_method: bool) -> BTreeSet<(&str, &str)> {
    let mut ends: BTreeMap<(&str, &str), (&str, &str)> = BTreeMap::new();
    for write in writes {
        let class = write.test.split('#').next().unwrap_or_default();
        let unit = if by_method { &write.test } else { class };
        let end = ends.entry((unit, &write.part));
        end.or_insert((&write.from, &write.to)).1 = &write.to;
    }
    ends.retain(|_, (from, to)| from != to);
    ends.into_keys().collect()
}

/// What tests put out, in lines of which each may have JUnit's own dots before it. A test tells what it
/// wrote before it tells its text.
pub(crate) fn said_by_tests(output: &str) -> Said {
    let (mut said, mut told) = (Said::default(), 0);
    for line in output.lines() {
        if let Some((test, text)) = line.split_once("@@").and_then(|(_, l)| l.split_once(' ')) {
            for write in &mut said.writes[told..] {
                write.test = test.to_owned();
            }
            told = said.writes.len();
            said.texts.insert(test.to_owned(), text.to_owned());
        } else if let Some((_, write)) = line.split_once(WROTE) {
            let mut words = write.split('|').map(str::to_owned);
            let mut next = || words.next().unwrap_or_default();
            said.writes.push(Write {
                test: String::new(),
                part: next(),
                from: next(),
                to: next(),
            });
        }
    }
    said
}

#[test]
fn a_part_is_left_if_it_is_not_put_back() {
    let check = |output: &str, by_method: bool, expected: &[(&str, &str)]| {
        let said = said_by_tests(output);
        let expected = expected.iter().copied().collect();
        assert_eq!(left(&said.writes, by_method), expected, "{output}");
    };
    check(".@@ATest#t x\n", false, &[]);
    check(".@w G1.a|1|2\n@@ATest#t x\n", false, &[("ATest", "G1.a")]);
    check(".@w G1.a|1|1\n@@ATest#t x\n", false, &[]);
    let back = ".@w G1.a|1|2\n@@ATest#t x\n.@w G1.a|2|1\n@@ATest#u x\n";
    check(back, false, &[]);
    check(back, true, &[("ATest#t", "G1.a"), ("ATest#u", "G1.a")]);
}
