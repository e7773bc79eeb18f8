use super::reports::outermost;
use std::collections::BTreeSet;

/// The classes that Surefire said it starts to run, without their modules.
pub(super) fn started(log: &str) -> BTreeSet<&str> {
    let names = log.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.strip_prefix("[INFO] ").unwrap_or(line);
        line.strip_prefix("Running ")
    });
    names.map(|class| outermost(class.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_tells_what_was_started() {
        let check = |log: &str, expected: &[&str]| {
            let started: Vec<&str> = started(log).into_iter().collect();
            assert_eq!(started, expected, "{log}");
        };
        check("", &[]);
        check(
            "[INFO] Running a.FooTest\nRunning b.BarTest$Inner\n",
            &["a.FooTest", "b.BarTest"],
        );
        check(
            "he is Running away\n[INFO] Tests run: 3 - in a.FooTest",
            &[],
        );
    }
}
