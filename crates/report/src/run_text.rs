use crate::phrases::{BOLD, DIM, GREEN, RED, YELLOW, ago, count, duration, names, styled};
use crate::{BuildEnd, Recorded, Run, RunKind, TestReport, line};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use tamis_select::{Granularity, Outcome, Reason, TestId};

/// How many names a line carries.
const MOST_NAMES: usize = 5;

/// How many tests that share state are worth a word.
const MANY_SHARE: usize = 10;

impl Run {
    /// The lines that close `tamis test`.
    pub fn test_text(&self, verbose: bool, now_ms: u64) -> String {
        let mut text = String::new();
        let mut say = |words: String| {
            line(
                &mut text,
                format_args!("{} {words}", styled(BOLD, "tamis:")),
            )
        };
        for warning in &self.warnings {
            say(format!("{} {warning}", styled(YELLOW, "warning:")));
        }
        if verbose {
            self.ran()
                .for_each(|test| say(format!("ran {}", with_reasons(test))));
            self.skipped()
                .for_each(|test| say(styled(DIM, skipped(test, now_ms))));
        } else if !self.first && self.selected().next().is_some() {
            say(format!(
                "why: {}",
                grouped(&self.selected().collect::<Vec<_>>())
            ));
        }
        let mut say_which = |words: String, tests: &mut dyn Iterator<Item = &TestReport>| {
            let tests: Vec<&TestId> = tests.map(|test| &test.test).collect();
            if !tests.is_empty() {
                let tests = names(tests.into_iter(), MOST_NAMES);
                say(format!("{words} {tests}"));
            }
        };
        let failed = &mut self.ended(Outcome::Failed);
        say_which(styled(RED, "failed:"), failed);
        let unfinished = &mut self.ended(Outcome::Unfinished);
        say_which(styled(RED, "did not finish:"), unfinished);
        let flaky = styled(YELLOW, "flaky:");
        let flaky = format!("{flaky} failed last time and passed now, and nothing changed for");
        say_which(flaky, &mut self.tests.iter().filter(|test| test.is_flaky()));
        for words in [self.by_rules(), self.as_a_whole(), self.by_sharing()]
            .into_iter()
            .flatten()
        {
            say(words);
        }
        say(self.closing());
        text
    }

    /// How many tests each rule kept from running, if any did: `saved by rules: throws 12, final 3`.
    pub fn by_rules(&self) -> Option<String> {
        let mut saved: Vec<(&str, u64)> = self.saved_by_rules().into_iter().collect();
        saved.sort_by_key(|(_, tests)| Reverse(*tests));
        let rules: Vec<String> = saved
            .iter()
            .map(|(rule, tests)| format!("{rule} {tests}"))
            .collect();
        (!rules.is_empty()).then(|| format!("saved by rules: {}", rules.join(", ")))
    }

    /// A line about the classes that ran as one test each, where single tests count.
    fn as_a_whole(&self) -> Option<String> {
        let by_method = self.granularity == Granularity::Method;
        let ended = [Outcome::Passed, Outcome::Aborted, Outcome::Failed];
        let ran = self.tests.iter();
        let ran = ran.filter(|test| test.outcome.is_some_and(|outcome| ended.contains(&outcome)));
        let whole = ran.map(|test| &test.test).filter(|test| !test.is_single());
        let whole: Vec<&TestId> = whole.collect();
        (by_method && !whole.is_empty()).then(|| {
            let classes = names(whole.into_iter(), MOST_NAMES);
            format!(
                "selected as whole classes, because their tests cannot be told apart: {classes}"
            )
        })
    }

    /// A hint if most tests that must run share state, and so inherit what others used.
    pub fn by_sharing(&self) -> Option<String> {
        let selected = self.selected().count();
        let known = self.selected().filter_map(|test| test.known);
        let sharing = known.filter(|known| known.shares).count();
        (sharing >= MANY_SHARE && sharing * 2 >= selected).then(|| {
            format!(
                "{sharing} of the {selected} may read state that other tests left, so they inherit what those used: \
                 `tamis collect --isolated` records each alone, then fewer need run"
            )
        })
    }

    /// The answer of `tamis select`: a line per test that would run. The closing line is apart.
    pub fn select_text(&self, verbose: bool, now_ms: u64) -> String {
        let mut text = String::new();
        for test in self.selected() {
            line(&mut text, format_args!("{}", with_reasons(test)));
        }
        if verbose {
            for test in self.skipped() {
                line(
                    &mut text,
                    format_args!("{}", styled(DIM, skipped(test, now_ms))),
                );
            }
        }
        text
    }

    /// The closing line, a summary.
    pub fn closing(&self) -> String {
        let (all, ran) = (self.tests.len() as u64, self.ran().count() as u64);
        let of_all = count(all, self.noun());
        let saved = duration(self.saved());
        let end = self.build.unwrap_or_default();
        let failed_early = self.build.is_some_and(|end| !end.success);
        let words = match self.kind {
            _ if end.interrupted => return self.interrupted(),
            _ if all == 0 && failed_early && !self.unrecorded => {
                let what = "the build failed before any test ran (see above)";
                return format!(
                    "{}; nothing recorded, the store is as it was",
                    styled(RED, what)
                );
            }
            _ if all == 0 && !self.unheld.is_empty() => {
                return styled(YELLOW, "no answer (see above)");
            }
            _ if all == 0 && self.unrecorded => {
                "all tests ran and nothing was recorded (see above)".to_owned()
            }
            _ if all == 0 => format!("nothing to run: the build asked for no {}", self.noun()),
            _ if ran == 0 => {
                format!("nothing to run: none of the {of_all} is affected; {saved} saved")
            }
            RunKind::Select if ran == all => format!("all of the {of_all} would run"),
            RunKind::Select => format!("{ran} of {of_all} would run, {saved} saved"),
            RunKind::Collect if ran == all => format!("recorded all of the {of_all}"),
            RunKind::Collect => format!("recorded {ran} of {of_all}"),
            RunKind::Test if self.recorded != Recorded::Now => {
                let later = match self.recorded {
                    Recorded::Later => "not recorded yet, `tamis collect` does it",
                    _ => "not recorded",
                };
                match ran == all {
                    true => format!("ran all of the {of_all}; {later}"),
                    false => format!("ran {ran} of {of_all}, {saved} saved; {later}"),
                }
            }
            RunKind::Test if self.first => {
                format!("recorded {of_all} (first run); next time only what changed will run")
            }
            RunKind::Test if ran == all => format!("ran all of the {of_all}"),
            RunKind::Test => format!("ran {ran} of {of_all}, {saved} saved"),
        };
        format!("{}{}", styled(GREEN, words), self.trouble(end))
    }

    fn trouble(&self, end: BuildEnd) -> String {
        let failed = self.ended(Outcome::Failed).count();
        let unfinished = self.ended(Outcome::Unfinished).count();
        let mut parts = Vec::new();
        if !self.unheld.is_empty() {
            parts.push("no answer for others (see above)".into());
        }
        if failed > 0 {
            parts.push(format!("{failed} failed"));
        }
        if unfinished > 0 {
            parts.push(format!("{unfinished} did not finish"));
        }
        if parts.is_empty() && self.build.is_some() && !end.success {
            parts.push("the build failed (see above)".into());
        }
        parts
            .iter()
            .map(|part| format!("; {}", styled(RED, part)))
            .collect()
    }

    fn interrupted(&self) -> String {
        let unfinished = self.ended(Outcome::Unfinished).count() as u64;
        let ran = self
            .selected()
            .filter(|test| test.outcome.is_some())
            .count() as u64
            - unfinished;
        let mut words = format!(
            "interrupted; the results of {} are kept",
            count(ran, self.noun())
        );
        if unfinished > 0 {
            words += &format!(", {unfinished} did not finish and will run again");
        }
        styled(YELLOW, words)
    }
}

fn with_reasons(test: &TestReport) -> String {
    let reasons: Vec<String> = test.reasons.iter().map(Reason::to_string).collect();
    let names = names(reasons.iter().map(String::as_str), MOST_NAMES);
    format!("{}  {}", test.test, styled(DIM, names))
}

fn skipped(test: &TestReport, now_ms: u64) -> String {
    let last = test.known.map(|known| {
        let aborted = match known.outcome {
            Outcome::Aborted => " (aborted)",
            _ => "",
        };
        format!("; last run {}{aborted}", ago(known.last_run_ms, now_ms))
    });
    let why = match test.excused.first() {
        Some(excuse) => excuse.to_string(),
        None => "nothing it used has changed".into(),
    };
    format!("skipped {}  {why}{}", test.test, last.unwrap_or_default())
}

/// The reasons of all tests in one phrase: `12 for changes in 2 classes (a.B, a.C), 1 new`.
fn grouped(tests: &[&TestReport]) -> String {
    let mut classes = BTreeSet::new();
    let mut for_classes = 0;
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    for test in tests {
        let mut named = test.reasons.iter().filter_map(|reason| match reason {
            Reason::Class { class, .. }
            | Reason::Member { class, .. }
            | Reason::Nested { class, .. } => Some(class.as_str()),
            _ => None,
        });
        match named.next() {
            Some(first) => {
                for_classes += 1;
                classes.insert(first);
                classes.extend(named);
            }
            None => {
                let reason = test
                    .reasons
                    .first()
                    .map(Reason::to_string)
                    .unwrap_or_default();
                *others.entry(reason).or_default() += 1;
            }
        }
    }
    let changes = (for_classes > 0).then(|| {
        let number = count(classes.len() as u64, "class");
        format!(
            "{for_classes} for changes in {number} ({})",
            names(classes.into_iter(), MOST_NAMES)
        )
    });
    let others = others
        .iter()
        .map(|(reason, number)| format!("{number} {reason}"));
    changes
        .into_iter()
        .chain(others)
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unheld;
    use crate::phrases::plain;
    use crate::run::samples::{changed, known, ran, run, saved, skipped};
    use tamis_select::Known;

    fn some() -> Vec<TestReport> {
        vec![
            ran(
                "a.ATest",
                Outcome::Passed,
                vec![changed("a.A"), changed("a.B")],
            ),
            ran(
                "a.BTest",
                Outcome::Failed,
                vec![Reason::Failed, changed("a.B")],
            ),
            ran("a.CTest", Outcome::Passed, vec![Reason::New]),
            skipped("a.DTest"),
            skipped("a.ETest"),
        ]
    }

    fn check(report: &Run, expected: &str) {
        assert_eq!(plain(&report.closing()), expected);
    }

    #[test]
    fn the_closing_line_of_test_says_what_ran() {
        let passed = || vec![ran("a.ATest", Outcome::Passed, vec![Reason::New])];
        check(
            &run(RunKind::Test, some()),
            "ran 3 of 5 test classes, 38 s saved; 1 failed",
        );
        let none = run(RunKind::Test, vec![skipped("a.DTest")]);
        check(
            &none,
            "nothing to run: none of the 1 test class is affected; 19 s saved",
        );
        check(&run(RunKind::Test, passed()), "ran all of the 1 test class");
        let first = Run {
            first: true,
            ..run(RunKind::Test, passed())
        };
        check(
            &first,
            "recorded 1 test class (first run); next time only what changed will run",
        );
        check(
            &run(RunKind::Test, vec![]),
            "nothing to run: the build asked for no test class",
        );
        let unrecorded = |recorded| Run {
            recorded,
            ..run(RunKind::Test, some())
        };
        check(
            &unrecorded(Recorded::Later),
            "ran 3 of 5 test classes, 38 s saved; not recorded yet, `tamis collect` does it; 1 failed",
        );
        check(
            &unrecorded(Recorded::Never),
            "ran 3 of 5 test classes, 38 s saved; not recorded; 1 failed",
        );
        check(
            &run(RunKind::Collect, some()),
            "recorded 3 of 5 test classes; 1 failed",
        );
    }

    #[test]
    fn a_test_that_passed_after_it_failed_is_flaky_if_nothing_changed() {
        let check = |reasons: &[Reason], outcome, expected| {
            let test = ran("a.ATest", outcome, reasons.to_vec());
            let text = run(RunKind::Test, vec![test]).test_text(false, 61_000);
            assert_eq!(text.contains("flaky"), expected, "{reasons:?} {text}");
        };
        check(&[Reason::Failed], Outcome::Passed, true);
        check(&[Reason::Failed], Outcome::Failed, false);
        check(&[Reason::New], Outcome::Passed, false);
        check(
            &[Reason::Failed, Reason::ClassPathUnknown],
            Outcome::Passed,
            false,
        );
        // Something changed that cannot reach it.
        let changed = TestReport {
            unchanged: false,
            ..ran("a.ATest", Outcome::Passed, vec![Reason::Failed])
        };
        let text = run(RunKind::Test, vec![changed]).test_text(false, 61_000);
        assert!(!text.contains("flaky"), "{text}");
    }

    #[test]
    fn a_build_that_failed_says_whether_tests_ran() {
        let build = Some(BuildEnd {
            success: false,
            exit_code: Some(1),
            interrupted: false,
        });
        let early = Run {
            build,
            ..run(RunKind::Test, vec![])
        };
        check(
            &early,
            "the build failed before any test ran (see above); nothing recorded, the store is as \
             it was",
        );
        let late = Run {
            build,
            ..run(RunKind::Test, vec![skipped("a.DTest")])
        };
        check(
            &late,
            "nothing to run: none of the 1 test class is affected; 19 s saved; the build failed \
             (see above)",
        );
        let unseen = Run {
            build,
            unrecorded: true,
            ..run(RunKind::Test, vec![])
        };
        check(
            &unseen,
            "all tests ran and nothing was recorded (see above); the build failed (see above)",
        );
    }

    #[test]
    fn select_says_that_it_cannot_answer_for_all_tests() {
        let unheld = |tests| Run {
            unheld: vec![Unheld {
                module: "core".into(),
                framework: "TestNG".into(),
            }],
            ..run(RunKind::Select, tests)
        };
        check(&unheld(vec![]), "no answer (see above)");
        check(
            &unheld(vec![skipped("a.DTest")]),
            "nothing to run: none of the 1 test class is affected; 19 s saved; no answer for \
             others (see above)",
        );
        assert_eq!(
            unheld(vec![]).unheld[0].to_string(),
            "no answer for the tests of TestNG in core: tamis cannot keep them from running, so it ended \
             their JVM before they ran; `tamis test` runs them every time"
        );
    }

    #[test]
    fn an_interrupted_run_says_what_is_kept() {
        let build = Some(BuildEnd {
            success: false,
            exit_code: None,
            interrupted: true,
        });
        let mut tests = some();
        tests.push(ran("a.FTest", Outcome::Unfinished, vec![Reason::New]));
        check(
            &Run {
                build,
                ..run(RunKind::Test, tests)
            },
            "interrupted; the results of 3 test classes are kept, 1 did not finish and will run \
             again",
        );
    }

    #[test]
    fn test_tells_its_reasons_in_groups() {
        insta::assert_snapshot!(plain(&run(RunKind::Test, some()).test_text(false, 61_000)));
    }

    #[test]
    fn test_names_everything_when_verbose() {
        insta::assert_snapshot!(plain(&run(RunKind::Test, some()).test_text(true, 61_000)));
    }

    #[test]
    fn rules_that_saved_tests_are_counted() {
        let tests = vec![
            saved("a.ATest", &["throws", "throws"]),
            saved("a.BTest", &["final", "throws"]),
            skipped("a.CTest"),
            TestReport {
                outcome: Some(Outcome::Passed),
                ..saved("a.DTest", &["renamed"])
            },
        ];
        let report = run(RunKind::Test, tests);
        insta::assert_snapshot!(plain(&report.test_text(true, 61_000)));
        assert_eq!(run(RunKind::Test, some()).by_rules(), None);
    }

    #[test]
    fn many_that_share_state_are_told_how_to_become_fewer() {
        let sharing = |n: usize| {
            let mut test = ran(&format!("a.T{n}"), Outcome::Passed, vec![changed("a.C")]);
            test.known = Some(Known {
                shares: true,
                ..known(Outcome::Passed)
            });
            test
        };
        let said = |shared: usize, others: usize| {
            let mut tests: Vec<TestReport> = (0..shared).map(sharing).collect();
            let other = || ran("a.Other", Outcome::Passed, vec![changed("a.C")]);
            tests.extend((0..others).map(|_| other()));
            run(RunKind::Select, tests).by_sharing()
        };
        let expected = "10 of the 12 may read state that other tests left, so they inherit what those used: \
                        `tamis collect --isolated` records each alone, then fewer need run";
        assert_eq!(said(10, 2).as_deref(), Some(expected));
        assert_eq!(said(9, 2), None, "too few to care");
        assert_eq!(said(10, 11), None, "most have other reasons");
    }

    #[test]
    fn classes_that_are_one_test_are_named_where_single_tests_count() {
        let ran = |class: &str| TestReport {
            outcome: Some(Outcome::Passed),
            ..skipped(class)
        };
        let tests = || vec![ran("a.ATest#m"), ran("a.BTest"), skipped("a.CTest")];
        let said = "selected as whole classes, because their tests cannot be told apart: a.BTest";
        let mut report = run(RunKind::Test, tests());
        assert_eq!(report.as_a_whole(), None);
        report.granularity = Granularity::Method;
        assert_eq!(report.as_a_whole().as_deref(), Some(said));
    }

    #[test]
    fn select_tells_the_tests_and_their_reasons() {
        let report = run(RunKind::Select, some());
        insta::assert_snapshot!(plain(&report.select_text(true, 61_000)));
        check(
            &report,
            "3 of 5 test classes would run, 38 s saved; 1 failed",
        );
    }
}
