//! `.tamis/savings`: how many runs there were and how much time they saved, for `tamis status`.
//! Nothing depends on it: what cannot be read counts from zero.

use std::fs;
use std::time::Duration;
use tamis_store::Project;

/// The sum over all runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Savings {
    pub(crate) runs: u64,
    pub(crate) saved: Duration,
}

impl Savings {
    pub(crate) fn read(project: &Project) -> Savings {
        let text = fs::read_to_string(project.dir().join("savings")).unwrap_or_default();
        Savings::parse(&text).unwrap_or_default()
    }

    /// One run more. Nobody is stopped for a number that could not be written.
    pub(crate) fn add(project: &Project, saved: Duration) {
        let before = Savings::read(project);
        let now = Savings {
            runs: before.runs.saturating_add(1),
            saved: before.saved.saturating_add(saved),
        };
        let _ = fs::write(project.dir().join("savings"), now.text());
    }

    fn text(&self) -> String {
        format!("runs={}\nsaved_us={}\n", self.runs, self.saved.as_micros())
    }

    fn parse(text: &str) -> Option<Savings> {
        let mut lines = text.lines();
        let mut number = |key: &str| lines.next()?.strip_prefix(key)?.parse().ok();
        Some(Savings {
            runs: number("runs=")?,
            saved: Duration::from_micros(number("saved_us=")?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn savings_add_up_and_start_from_zero_when_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project {
            root: dir.path().to_owned(),
        };
        project.create_dir().unwrap();
        assert_eq!(Savings::read(&project), Savings::default());
        Savings::add(&project, Duration::from_secs(3));
        Savings::add(&project, Duration::from_millis(5));
        let expected = Savings {
            runs: 2,
            saved: Duration::from_millis(3_005),
        };
        assert_eq!(Savings::read(&project), expected);
        fs::write(project.dir().join("savings"), "runs=x").unwrap();
        assert_eq!(Savings::read(&project), Savings::default());
    }
}
