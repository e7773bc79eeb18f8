//! The configuration that the command writes for the agent, `run.conf`.

use std::path::{Path, PathBuf};
use tamis_recording::run_dir;

/// Whether tests run or are only asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Skip what the verdict skips, run and record the rest.
    Test,
    /// Run nothing; record what would run.
    Select,
}

/// The run this JVM is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) run_dir: PathBuf,
    pub(crate) tamis: PathBuf,
    /// The root of the project.
    pub(crate) project: PathBuf,
    pub(crate) mode: Mode,
    /// Whether single tests are units, not only test classes.
    pub(crate) by_method: bool,
    /// Whether basic blocks are told apart, not only methods.
    pub(crate) blocks: bool,
    /// Whether what tests use is recorded, or only how they end.
    pub(crate) records: bool,
    /// Why test classes may run only in part, if so.
    pub(crate) partial: Option<String>,
    /// Whether the classes of the objects that methods run on are recorded.
    pub(crate) receivers: bool,
    /// Hooks that are to be missing, for tests of the agent.
    #[cfg(debug_assertions)]
    pub(crate) broken: Vec<String>,
}

impl Config {
    /// Reads the configuration of `run_dir`; without one there is no run, and the agent sleeps.
    pub(crate) fn read(run_dir: &Path) -> Option<Config> {
        let text = std::fs::read_to_string(run_dir.join(run_dir::CONFIG)).ok()?;
        Self::parse(run_dir, &text)
    }

    fn parse(run_dir: &Path, text: &str) -> Option<Config> {
        let value = |key: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
        };
        let mode = match value("mode")? {
            "test" => Mode::Test,
            "select" => Mode::Select,
            _ => return None,
        };
        Some(Config {
            run_dir: run_dir.to_owned(),
            tamis: value("tamis")?.into(),
            project: value("project")?.into(),
            mode,
            records: value("collect") != Some("no"),
            by_method: value("granularity") == Some("method"),
            blocks: value("blocks") == Some("yes"),
            partial: value("partial").map(str::to_owned),
            receivers: value("receivers") == Some("exact"),
            #[cfg(debug_assertions)]
            broken: value("broken")
                .into_iter()
                .flat_map(|names| names.split_whitespace())
                .map(str::to_owned)
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<Mode>) {
        assert_eq!(
            Config::parse(Path::new("/r"), text).map(|c| c.mode),
            expected,
            "{text}"
        );
    }

    #[test]
    fn a_run_needs_a_mode_and_the_command() {
        check("tamis=/t\nproject=/p\nmode=test\n", Some(Mode::Test));
        check("mode=select\ntamis=/a=b\nproject=/p", Some(Mode::Select));
        check("mode=dance\ntamis=/t\nproject=/p", None);
        check("mode=test\ntamis=/t", None);
        check("mode=test", None);
        check("", None);
    }
}
