use crate::line;
use crate::phrases::{BOLD, DIM, RED, YELLOW, ago, count, duration, styled};
use std::time::Duration;

/// The status of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleStatus {
    /// Its directory relative to the root; empty for the root.
    pub module: String,
    /// How many tests are known.
    pub tests: usize,
    /// When it last ran, in milliseconds since 1970.
    pub last_run_ms: u64,
    /// The Java runtime on which it last ran.
    pub runtime: String,
}

/// The answer of `tamis status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// How many tests are known.
    pub tests: usize,
    /// How many of them failed when they last ran.
    pub failed: usize,
    /// How many of them did not finish.
    pub unfinished: usize,
    /// How many of them were recorded alone in their JVM.
    pub isolated: usize,
    /// How long all of them take.
    pub duration: Duration,
    /// How many runs there were.
    pub runs: u64,
    /// How much time skipping saved in all of them.
    pub saved: Duration,
    /// The size of the store.
    pub store_bytes: u64,
    /// Warnings for the user, as lower-case fragments.
    pub warnings: Vec<String>,
    /// The modules, sorted.
    pub modules: Vec<ModuleStatus>,
}

impl Status {
    /// The whole answer.
    pub fn text(&self, now_ms: u64) -> String {
        let mut text = String::new();
        let mut say = |words: String| line(&mut text, format_args!("{words}"));
        for warning in &self.warnings {
            say(format!("{} {warning}", styled(YELLOW, "warning:")));
        }
        if self.tests == 0 {
            say("nothing is known yet: `tamis test` runs all tests and records them".into());
            return text;
        }
        let all = styled(
            BOLD,
            format!("{} known", count(self.tests as u64, "test class")),
        );
        let size = styled(DIM, format!("({} kB)", self.store_bytes.div_ceil(1000)));
        say(format!("{all}, {} in all {size}", duration(self.duration)));
        for (number, what) in [(self.failed, "failed"), (self.unfinished, "did not finish")] {
            if number > 0 {
                let due = format!("{} {what}", count(number as u64, "test class"));
                say(format!(
                    "{} when last run, and will run again",
                    styled(RED, due)
                ));
            }
        }
        if self.isolated > 0 {
            let isolated = count(self.isolated as u64, "test class");
            say(format!("{isolated} recorded alone in a JVM"));
        }
        let runs = count(self.runs, "run");
        say(format!(
            "{} saved by skipping in {runs}",
            duration(self.saved)
        ));
        for module in &self.modules {
            let name = if module.module.is_empty() {
                "."
            } else {
                &module.module
            };
            let tests = count(module.tests as u64, "test class");
            let when = ago(module.last_run_ms, now_ms);
            let runtime = styled(DIM, &module.runtime);
            say(format!(
                "{}: {tests}, last run {when} on {runtime}",
                styled(BOLD, name)
            ));
        }
        text
    }
}

#[cfg(test)]
pub(crate) fn sample() -> Status {
    let module = |module: &str, tests| ModuleStatus {
        module: module.into(),
        tests,
        last_run_ms: 1_000,
        runtime: "OpenJDK 64-Bit Server VM 17.0.15".into(),
    };
    Status {
        tests: 505,
        failed: 2,
        unfinished: 1,
        isolated: 3,
        duration: Duration::from_secs(41),
        runs: 7,
        saved: Duration::from_secs(190),
        store_bytes: 123_456,
        warnings: vec![],
        modules: vec![module("", 5), module("core", 500)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrases::plain;

    #[test]
    fn what_is_known_is_told() {
        insta::assert_snapshot!(plain(&sample().text(61_000)));
    }

    #[test]
    fn an_empty_store_says_what_to_do() {
        let warnings = vec!["the store is not used".into()];
        let empty = Status {
            tests: 0,
            warnings,
            ..sample()
        };
        insta::assert_snapshot!(plain(&empty.text(61_000)));
    }
}
