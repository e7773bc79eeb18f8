//! `.tamis/audit`: what an audit has observed so far, so that it can go on where it stopped.

use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use tamis_audit::Step;
use tamis_store::Store;

/// The version of the journal's format.
const VERSION: u32 = 2;

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    journal: u32,
    /// The state of the project's sources, if anybody knows; all observations are of that.
    sources: Option<String>,
}

/// The observations of an audit, one per line, and what tests used in the usual run.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    usual: PathBuf,
    pub(crate) steps: Vec<Step>,
    /// Whether earlier observations were thrown away.
    pub(crate) is_dropped: bool,
}

impl Journal {
    /// Opens the journal of an audit of these sources; whether it goes on with an earlier one. Observations
    /// of other sources, or of class files that have changed since (`is_valid`), are thrown away.
    pub(crate) fn open(
        dir: &Path,
        sources: Option<String>,
        is_valid: impl FnOnce(&Store) -> bool,
    ) -> Result<(Journal, Option<Store>), Error> {
        let (path, usual) = (dir.join("journal"), dir.join("usual"));
        let head = Head {
            journal: VERSION,
            sources,
        };
        let known = Store::load_from(&usual).filter(is_valid);
        let text = fs::read_to_string(&path).unwrap_or_default();
        let steps = parse(&text, &head).filter(|_| known.is_some());
        let is_dropped = steps.is_none() && text.lines().count() > 1;
        let mut journal = Journal {
            // Written anew, without what was cut off.
            file: File::create(&path).map_err(Error::io("create", &path))?,
            path,
            usual,
            steps: Vec::new(),
            is_dropped,
        };
        journal.line(&head)?;
        for step in steps.into_iter().flatten() {
            journal.add(step)?;
        }
        let known = known.filter(|_| !journal.steps.is_empty());
        Ok((journal, known))
    }

    /// Keeps what tests used in the usual run.
    pub(crate) fn keep_usual(&self, store: &Store) -> Result<(), Error> {
        Ok(store.save_as(&self.usual)?)
    }

    pub(crate) fn add(&mut self, step: Step) -> Result<(), Error> {
        self.line(&step)?;
        self.steps.push(step);
        Ok(())
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_string(line).unwrap_or_default() + "\n";
        let written = self.file.write_all(text.as_bytes());
        written.map_err(Error::io("write", &self.path))
    }
}

/// The steps behind the head, up to the first line that is none; `None` if there is another head.
fn parse(text: &str, head: &Head) -> Option<Vec<Step>> {
    let mut lines = text.lines();
    let found: Head = serde_json::from_str(lines.next()?).ok()?;
    let steps = lines.map_while(|line| serde_json::from_str(line).ok());
    (found == *head).then(|| steps.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis_audit::Ended;
    use tamis_select::{Outcome, TestId};

    fn usual() -> Step {
        let ended = Ended {
            test: TestId::new("", "a.T"),
            outcome: Outcome::Passed,
            methods: 1,
        };
        Step::Usual {
            jvms: vec![vec![ended]],
        }
    }

    /// How many steps are there when the journal is opened again.
    fn check(sources: &str, valid: bool, cut: usize, expected: usize) {
        let dir = tempfile::tempdir().unwrap();
        let open = |sources: &str, valid| {
            Journal::open(dir.path(), Some(sources.to_owned()), |_| valid).unwrap()
        };
        let (mut journal, known) = open("a", true);
        assert!(known.is_none());
        journal.keep_usual(&Store::default()).unwrap();
        journal.add(usual()).unwrap();
        journal.add(usual()).unwrap();
        drop(journal);
        let path = dir.path().join("journal");
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() - cut]).unwrap();
        let (journal, known) = open(sources, valid);
        assert_eq!(journal.steps.len(), expected);
        assert_eq!(known.is_some(), expected > 0);
        drop(journal);
        assert_eq!(open(sources, true).0.steps.len(), expected);
    }

    #[test]
    fn an_audit_goes_on_where_it_stopped_unless_something_changed() {
        check("a", true, 0, 2);
        check("a", true, 5, 1);
        check("b", true, 0, 0);
        check("a", false, 0, 0);
    }
}
