//! Whether the tests of a case show what it says: those that must run end in another way on the second
//! revision, those that must not run do not.

use crate::case::{Case, Runner};
use crate::project::{Project, Tests};
use crate::run::Problem;

/// What is wrong with the tests of a case, whose second revision is in place.
pub(crate) fn prove(project: &Project<'_>, first: &Tests, second: &Tests) -> Vec<Problem> {
    let case = project.program.case;
    let mut problems = same_ends(case, first, second);
    let passed = |test: &&String| first.get(*test) == Some(&Some("passed".into()));
    let spared: Vec<&String> = case.must_not("hyrts").into_iter().filter(passed).collect();
    if !spared.is_empty() && is_readable(project.runner) {
        let output = project.run_without_tamis(2);
        let failed = spared.into_iter().filter(|test| fails(&output, test));
        problems.extend(failed.map(|test| format!("{test} must not run, and fails").into()));
    }
    problems
}

/// Tests that must run, and end in the same way on both revisions without a reason; or with one, and do not.
fn same_ends(case: &Case, first: &Tests, second: &Tests) -> Vec<Problem> {
    let mut problems = Vec::new();
    let must = case.must("hyrts");
    for test in &case.same_end {
        if !must.contains(&test) {
            problems.push(format!("`same end` of {test}, which need not run").into());
        }
    }
    for test in must {
        // New ones, and those that a technique misses, show nothing here.
        let (Some(was), Some(Some(is))) = (first.get(test), second.get(test)) else {
            continue;
        };
        match (was.as_ref() == Some(is), case.same_end.contains(test)) {
            (true, false) => problems.push(
                format!("{test} must run, and ends in the same way: it shows nothing").into(),
            ),
            (false, true) => {
                problems.push(format!("`same end` of {test}, which ends in another way").into());
            }
            _ => {}
        }
    }
    problems
}

/// Whether its output tells which tests failed.
fn is_readable(runner: &Runner) -> bool {
    matches!(runner, Runner::JUnit4 | Runner::Platform | Runner::Each)
}

/// Whether a test class fails, by what `JUnitCore` or `Launch` put out.
fn fails(output: &str, class: &str) -> bool {
    let named = format!("className = '{class}'");
    let [of_test, of_class] = [format!("({class})"), format!(") {class}")];
    output.lines().any(|line| {
        let is_numbered = line
            .split(')')
            .next()
            .is_some_and(|n| n.parse::<u32>().is_ok());
        let is_of_junit4 = is_numbered && (line.ends_with(&of_test) || line.ends_with(&of_class));
        is_of_junit4 || line.contains(&named)
    })
}

/// Panics if failures are not read from what runners put out.
pub(crate) fn failures_are_read() {
    let check = |output: &str, class: &str, expected: bool| {
        assert_eq!(fails(output, class), expected, "{class} in {output}");
    };
    check("1) adds(acme.ATest)", "acme.ATest", true);
    check("12) acme.ATest", "acme.ATest", true);
    check("1) adds(acme.ATest)", "ATest", false);
    check("at run(ATest)", "ATest", false);
    let platform = "    => MethodSource [className = 'ATest', methodName = 'adds']";
    check(platform, "ATest", true);
    check(platform, "BTest", false);
}
