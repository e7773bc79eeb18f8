//! What Surefire and Failsafe report of tests.

mod log;
mod printed;

pub(crate) use log::started;
pub(crate) use printed::Printed;

use crate::error::Error;
use crate::rows::ClassOutcome;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use tamis_select::TestName;

/// What one test ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum End {
    Passed,
    Skipped,
    Failed,
}

/// What each test ended with, by `module:class`. Nested classes belong to their outermost one.
///
/// As it is read, a test belongs to the class whose report it is in: that of a suite may have tests of classes
/// which nobody runs by themselves, such as those of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcomes(pub(crate) BTreeMap<String, BTreeMap<String, End>>);

/// All that is read from reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reports {
    pub(crate) outcomes: Outcomes,
    pub(crate) printed: Printed,
}

const DIRECTORIES: [&str; 2] = ["surefire-reports", "failsafe-reports"];

impl Reports {
    /// Those of all reports below a directory.
    pub(crate) fn read(root: &Path) -> Result<Reports, Error> {
        let mut all = Reports::default();
        for file in reports(root) {
            let text = fs::read_to_string(&file).map_err(Error::io("read", &file))?;
            // Two directories up: `target/surefire-reports`.
            let module = file.ancestors().nth(3).unwrap_or(root);
            let module = module.strip_prefix(root).unwrap_or(module);
            all.add(&module.to_string_lossy(), &text);
        }
        Ok(all)
    }

    /// The same by classes that are known, see [`Outcomes::by_class`].
    pub(crate) fn by_class(&self, known: &BTreeSet<String>) -> Reports {
        Reports {
            outcomes: self.outcomes.by_class(known),
            printed: self.printed.by_class(known),
        }
    }

    fn add(&mut self, module: &str, text: &str) {
        let mut reader = Reader::from_str(text);
        let mut suite = None;
        let mut test: Option<(String, String)> = None;
        let mut end = End::Passed;
        let mut digest: Option<DefaultHasher> = None;
        loop {
            match reader.read_event() {
                Ok(Event::Start(element)) => match element.name().as_ref() {
                    b"testsuite" => suite = value(&element, "name"),
                    b"testcase" => {
                        test = test_of(module, suite.as_deref(), &element);
                        end = End::Passed;
                    }
                    stream @ (b"system-out" | b"system-err") => {
                        let mut started = DefaultHasher::new();
                        started.write(stream);
                        digest = Some(started);
                    }
                    name => end = end.max(end_of(name)),
                },
                Ok(Event::Empty(element)) => match element.name().as_ref() {
                    b"testcase" => {
                        let passed = test_of(module, suite.as_deref(), &element);
                        passed
                            .into_iter()
                            .for_each(|test| self.outcomes.note(test, End::Passed));
                    }
                    name => end = end.max(end_of(name)),
                },
                Ok(Event::End(element)) => match element.name().as_ref() {
                    b"testcase" => {
                        test.take()
                            .into_iter()
                            .for_each(|test| self.outcomes.note(test, end));
                    }
                    b"system-out" | b"system-err" => {
                        let of_suite = || {
                            let suite = suite.as_deref()?;
                            let class = format!("{module}:{}", outermost(suite));
                            Some((class, TestName::of_method(suite, "").to_string()))
                        };
                        if let (Some(digest), Some(test)) =
                            (digest.take(), test.clone().or_else(of_suite))
                        {
                            self.printed.note(test, digest.finish());
                        }
                    }
                    _ => {}
                },
                // What cannot be read to its end was cut off with its JVM.
                Ok(Event::Eof) | Err(_) => return,
                Ok(event) => {
                    if let Some(digest) = &mut digest {
                        digest.write(&event);
                    }
                }
            }
        }
    }
}

impl Outcomes {
    fn note(&mut self, (class, test): (String, String), end: End) {
        let tests = self.0.entry(class).or_default();
        // Parameters may give several tests one name.
        tests
            .entry(test)
            .and_modify(|before| *before = (*before).max(end))
            .or_insert(end);
    }

    /// The same by classes that are known: a test belongs to its own class, and to the one whose report it is
    /// in if only that is known.
    pub(crate) fn by_class(&self, known: &BTreeSet<String>) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for (suite, tests) in &self.0 {
            for (test, end) in tests {
                outcomes.note((known_class(suite, test, known), test.clone()), *end);
            }
        }
        outcomes
    }

    /// How each class ended.
    pub(crate) fn classes(&self) -> BTreeMap<String, ClassOutcome> {
        let outcome =
            |tests: &BTreeMap<String, End>| match tests.values().any(|end| *end == End::Failed) {
                true => ClassOutcome::Failed,
                false => ClassOutcome::Passed,
            };
        let classes = self.0.iter();
        classes
            .map(|(class, tests)| (class.clone(), outcome(tests)))
            .collect()
    }

    /// How many tests there are.
    pub(crate) fn tests(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// The classes that end differently in the other one, or are not in it.
    pub(crate) fn differing(&self, other: &Outcomes) -> Vec<String> {
        let differs =
            |(class, tests): &(&String, &BTreeMap<String, End>)| other.0.get(*class) != Some(tests);
        let differing = self.0.iter().filter(differs);
        differing.map(|(class, _)| class.clone()).collect()
    }

    /// The classes that do not end the same in both.
    pub(crate) fn unlike(&self, other: &Outcomes) -> BTreeSet<String> {
        let both = [self.differing(other), other.differing(self)];
        both.into_iter().flatten().collect()
    }
}

fn value(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    Some(attribute.unescape_value().ok()?.into_owned())
}

fn test_of(
    module: &str,
    suite: Option<&str>,
    element: &BytesStart<'_>,
) -> Option<(String, String)> {
    let (class, name) = (value(element, "classname")?, value(element, "name")?);
    let suite = outermost(suite.unwrap_or(&class));
    let suite = format!("{module}:{suite}");
    Some((suite, TestName::of_method(class, name).to_string()))
}

fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

/// The class of a test, in the module of the suite that ran it.
fn class_of(suite: &str, test: &str) -> String {
    let module = suite.split(':').next().unwrap_or_default();
    format!("{module}:{}", outermost(TestName::from(test).class()))
}

/// The class that a test belongs to: its own, or that of the suite if only that is known.
fn known_class(suite: &str, test: &str, known: &BTreeSet<String>) -> String {
    let class = class_of(suite, test);
    match known.contains(suite) && !known.contains(&class) {
        true => suite.to_owned(),
        false => class,
    }
}

fn end_of(element: &[u8]) -> End {
    match element {
        b"failure" | b"error" => End::Failed,
        b"skipped" => End::Skipped,
        _ => End::Passed,
    }
}

/// Removes all reports below a directory, so that those of the next run are its own.
pub(crate) fn forget(root: &Path) -> Result<(), Error> {
    for file in reports(root) {
        fs::remove_file(&file).map_err(Error::io("remove", &file))?;
    }
    Ok(())
}

fn reports(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![root.to_owned()];
    while let Some(directory) = work.pop() {
        let is_reports = DIRECTORIES.iter().any(|name| directory.ends_with(name));
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && name != ".git" && name != ".tamis" => {
                    work.push(entry.path())
                }
                Ok(_) if is_reports && name.starts_with("TEST-") && name.ends_with(".xml") => {
                    found.push(entry.path());
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="a.FooTest" tests="5">
  <properties><property name="x" value="y"/></properties>
  <testcase name="passes" classname="a.FooTest" time="0.1"/>
  <testcase name="fails" classname="a.FooTest"><failure message="&lt;no&gt;">trace</failure></testcase>
  <testcase name="errs" classname="a.FooTest$Inner"><error type="E"/><system-out>x</system-out></testcase>
  <testcase name="left out" classname="a.FooTest"><skipped/></testcase>
  <testcase name="tried again" classname="a.BarTest"><flakyFailure>first</flakyFailure></testcase>
</testsuite>"#;

    fn read(text: &str) -> Reports {
        let mut reports = Reports::default();
        reports.add("core", text);
        reports
    }

    fn as_read(text: &str) -> Outcomes {
        read(text).outcomes
    }

    fn outcomes(text: &str) -> Outcomes {
        as_read(text).by_class(&BTreeSet::new())
    }

    #[test]
    fn a_report_says_how_each_test_ended() {
        let shown: Vec<String> = outcomes(REPORT)
            .0
            .iter()
            .flat_map(|(class, tests)| {
                tests
                    .iter()
                    .map(move |(test, end)| format!("{class} {test} {end:?}"))
            })
            .collect();
        let expected = [
            "core:a.BarTest a.BarTest#tried again Passed",
            "core:a.FooTest a.FooTest#fails Failed",
            "core:a.FooTest a.FooTest#left out Skipped",
            "core:a.FooTest a.FooTest#passes Passed",
            "core:a.FooTest a.FooTest$Inner#errs Failed",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_test_of_a_suite_belongs_to_its_own_class_if_that_is_known_and_else_to_the_suite() {
        let check = |known: &[&str], expected: &[&str]| {
            let known = known.iter().map(|class| (*class).to_owned()).collect();
            let by_class = as_read(REPORT).by_class(&known);
            let classes: Vec<&str> = by_class.0.keys().map(String::as_str).collect();
            assert_eq!(classes, expected, "{known:?}");
        };
        check(&[], &["core:a.BarTest", "core:a.FooTest"]);
        check(&["core:a.FooTest"], &["core:a.FooTest"]);
        let both = ["core:a.BarTest", "core:a.FooTest"];
        check(&both, &both);
    }

    #[test]
    fn classes_that_end_differently_or_are_new_differ() {
        let before = outcomes(REPORT);
        let check = |old: &str, new: &str, expected: &[&str]| {
            let now = outcomes(&REPORT.replace(old, new));
            assert_eq!(now.differing(&before), expected, "{new}");
        };
        check("", "", &[]);
        check("<skipped/>", "", &["core:a.FooTest"]);
        check("a.BarTest", "a.NewTest", &["core:a.NewTest"]);
        assert_eq!(outcomes("<testsuite><testcase name=\"a\" cl").0.len(), 0);
    }

    #[test]
    fn reports_are_found_in_modules_and_can_be_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let reports = dir.path().join("core/target/surefire-reports");
        fs::create_dir_all(&reports).unwrap();
        fs::write(reports.join("TEST-a.FooTest.xml"), REPORT).unwrap();
        fs::write(reports.join("a.FooTest.txt"), "").unwrap();
        assert_eq!(Reports::read(dir.path()).unwrap(), read(REPORT));
        assert_eq!(outcomes(REPORT).tests(), 5);
        forget(dir.path()).unwrap();
        assert_eq!(Reports::read(dir.path()).unwrap(), Reports::default());
    }

    #[test]
    fn what_a_test_prints_is_compared_test_by_test() {
        let before = read(REPORT);
        let check = |old: &str, new: &str, expected: &[(&str, &str)]| {
            let now = read(&REPORT.replace(old, new));
            let unlike = now.printed.unlike(&before.printed);
            let unlike: Vec<(&str, &str)> = unlike
                .iter()
                .map(|(class, test)| (class.as_str(), test.as_str()))
                .collect();
            assert_eq!(unlike, expected, "{new}");
        };
        let inner = ("core:a.FooTest", "a.FooTest$Inner#errs");
        check("", "", &[]);
        check("<skipped/>", "<failure/>", &[]);
        check(">x<", "><![CDATA[x]]><", &[]);
        check(">x<", ">y<", &[inner]);
        check("<system-out>x</system-out>", "", &[inner]);
        check("system-out", "system-err", &[inner]);
        let of_suite = ("core:a.FooTest", "a.FooTest#");
        check(
            "</testsuite>",
            "<system-err><![CDATA[1 < 2]]></system-err></testsuite>",
            &[of_suite],
        );
    }
}
