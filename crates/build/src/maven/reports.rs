//! The XML reports of Surefire and Failsafe.

use crate::{BuildError, ReportedFact, ReportedTest, TestEnd};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// Directories with reports, in that where a module is built.
pub(super) const DIRECTORIES: [&str; 2] = ["surefire-reports", "failsafe-reports"];

/// Whether a file in one of these directories is a report.
pub(super) fn is_report(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with("TEST-") && name.ends_with(".xml")
}

/// Reads all reports below a directory.
pub(super) fn read(root: &Path) -> Result<Vec<ReportedTest>, BuildError> {
    let mut all = Vec::new();
    for file in find(root) {
        let text = fs::read_to_string(&file).map_err(BuildError::file("read", &file))?;
        // Two directories up: `target/surefire-reports`.
        let module = file.ancestors().nth(3).unwrap_or(root);
        let module = module.strip_prefix(root).unwrap_or(module);
        all.extend(parse(&module.to_string_lossy(), &text));
    }
    Ok(all)
}

/// Removes all reports below a directory.
pub(super) fn forget(root: &Path) -> Result<(), BuildError> {
    for file in find(root) {
        fs::remove_file(&file).map_err(BuildError::file("remove", &file))?;
    }
    Ok(())
}

/// The outermost class of a nested one.
pub(super) fn outermost(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

fn find(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![root.to_owned()];
    while let Some(directory) = work.pop() {
        let has_reports = DIRECTORIES.iter().any(|name| directory.ends_with(name));
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let name = entry.file_name();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && name != ".git" && name != ".tamis" => {
                    work.push(entry.path());
                }
                Ok(_) if has_reports && is_report(&name) => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Parses one report; of one that was cut off with its JVM, what it has.
fn parse(module: &str, text: &str) -> Vec<ReportedTest> {
    let mut reader = Reader::from_str(text);
    let mut parser = Parser {
        module,
        suite: None,
        test: None,
        end: TestEnd::Passed,
        digest: None,
        found: Vec::new(),
    };
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => parser.start(&element),
            Ok(Event::Empty(element)) => parser.empty(&element),
            Ok(Event::End(element)) => parser.end(element.name().as_ref()),
            Ok(Event::Eof) | Err(_) => return parser.found,
            Ok(event) => {
                if let Some(digest) = &mut parser.digest {
                    digest.write(event.as_bytes());
                }
            }
        }
    }
}

struct Parser<'a> {
    module: &'a str,
    /// The class that the report is about.
    suite: Option<String>,
    /// The class of the report and the test that is open.
    test: Option<(String, String)>,
    end: TestEnd,
    /// Of the output that is open.
    digest: Option<DefaultHasher>,
    found: Vec<ReportedTest>,
}

impl Parser<'_> {
    fn start(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "testsuite" => self.suite = value(element, "name"),
            "testcase" => {
                self.test = self.test_of(element);
                self.end = TestEnd::Passed;
            }
            stream @ ("system-out" | "system-err") => {
                let mut started = DefaultHasher::new();
                started.write(stream.as_bytes());
                self.digest = Some(started);
            }
            name => self.end = self.end.max(end_of(name)),
        }
    }

    fn empty(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "testcase" => {
                let passed = self.test_of(element);
                self.add(passed, ReportedFact::Ended(TestEnd::Passed));
            }
            name => self.end = self.end.max(end_of(name)),
        }
    }

    fn end(&mut self, element: &str) {
        match element {
            "testcase" => {
                let test = self.test.take();
                self.add(test, ReportedFact::Ended(self.end));
            }
            "system-out" | "system-err" => {
                if let Some(digest) = self.digest.take() {
                    let test = self.test.clone().or_else(|| self.whole_suite());
                    self.add(test, ReportedFact::Printed(digest.finish()));
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, test: Option<(String, String)>, fact: ReportedFact) {
        let test = test.map(|(suite, test)| ReportedTest { suite, test, fact });
        self.found.extend(test);
    }

    fn test_of(&self, element: &BytesStart<'_>) -> Option<(String, String)> {
        let (class, name) = (value(element, "classname")?, value(element, "name")?);
        let suite = outermost(self.suite.as_deref().unwrap_or(&class));
        Some((
            format!("{}:{suite}", self.module),
            format!("{class}#{name}"),
        ))
    }

    fn whole_suite(&self) -> Option<(String, String)> {
        let suite = self.suite.as_deref()?;
        let class = format!("{}:{}", self.module, outermost(suite));
        Some((class, format!("{suite}#")))
    }
}

fn value(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Explicit1_0).ok()?;
    Some(value.into_owned())
}

fn end_of(element: &str) -> TestEnd {
    match element {
        "failure" | "error" => TestEnd::Failed,
        "skipped" => TestEnd::Skipped,
        _ => TestEnd::Passed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    const REPORT: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="a.FooTest" tests="5">
  <properties><property name="x" value="y"/></properties>
  <testcase name="passes" classname="a.FooTest" time="0.1"/>
  <testcase name="fails" classname="a.FooTest"><failure message="&lt;no&gt;">trace</failure></testcase>
  <testcase name="errs" classname="a.FooTest$Inner"><error type="E"/><system-out>x</system-out></testcase>
  <testcase name="left out" classname="a.FooTest"><skipped/></testcase>
  <testcase name="tried again" classname="a.BarTest"><flakyFailure>first</flakyFailure></testcase>
</testsuite>"#;

    #[test]
    fn a_report_says_how_each_test_ended() {
        let shown = |text: &str| -> Vec<String> {
            let ended = parse("core", text)
                .into_iter()
                .filter_map(|test| match test.fact {
                    ReportedFact::Ended(end) => {
                        Some(format!("{} {} {end:?}", test.suite, test.test))
                    }
                    ReportedFact::Printed(_) => None,
                });
            ended.collect()
        };
        let expected = [
            "core:a.FooTest a.FooTest#passes Passed",
            "core:a.FooTest a.FooTest#fails Failed",
            "core:a.FooTest a.FooTest$Inner#errs Failed",
            "core:a.FooTest a.FooTest#left out Skipped",
            "core:a.FooTest a.BarTest#tried again Passed",
        ];
        assert_eq!(shown(REPORT), expected);
        let cut_off = REPORT.split_inclusive("</testcase>").next().unwrap();
        assert_eq!(shown(cut_off), expected[..2]);
        assert_eq!(shown("<testsuite><testcase name=\"a\" cl"), [""; 0]);
    }

    #[test]
    fn reports_are_found_in_modules_and_can_be_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let reports = dir.path().join("core/target/surefire-reports");
        fs::create_dir_all(&reports).unwrap();
        fs::write(reports.join("TEST-a.FooTest.xml"), REPORT).unwrap();
        fs::write(reports.join("a.FooTest.txt"), "").unwrap();
        assert_eq!(read(dir.path()).unwrap(), parse("core", REPORT));
        forget(dir.path()).unwrap();
        assert_eq!(read(dir.path()).unwrap(), []);
        assert!(reports.join("a.FooTest.txt").exists());
    }

    #[test]
    fn what_tests_print_is_told_apart() {
        let printed = |text: &str| -> BTreeMap<(String, String), u64> {
            let facts = parse("core", text)
                .into_iter()
                .filter_map(|test| match test.fact {
                    ReportedFact::Ended(_) => None,
                    ReportedFact::Printed(digest) => Some(((test.suite, test.test), digest)),
                });
            facts.collect()
        };
        let before = printed(REPORT);
        let check = |old: &str, new: &str, expected: &[&str]| {
            let now = printed(&REPORT.replace(old, new));
            let tests: BTreeSet<_> = before.keys().chain(now.keys()).collect();
            let unlike = tests
                .into_iter()
                .filter(|test| before.get(test) != now.get(test));
            let unlike: Vec<String> = unlike.map(|(of, test)| format!("{of} {test}")).collect();
            assert_eq!(unlike, expected, "{new}");
        };
        let inner = "core:a.FooTest a.FooTest$Inner#errs";
        check("", "", &[]);
        check("<skipped/>", "<failure/>", &[]);
        check(">x<", "><![CDATA[x]]><", &[]);
        check(">x<", ">y<", &[inner]);
        check("<system-out>x</system-out>", "", &[inner]);
        check("system-out", "system-err", &[inner]);
        check(
            "</testsuite>",
            "<system-err><![CDATA[1 < 2]]></system-err></testsuite>",
            &["core:a.FooTest a.FooTest#"],
        );
    }
}
