//! How test classes ended in recorded runs, and what the classes of the project were like when each last ran.

use crate::Project;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use tamis_select::{TestId, TestName};
use tamis_wire::{Reader, Writer};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8; 16] = b"tamis history 1\n";

/// So many recorded runs are remembered.
const RUNS: u32 = 1_000;

/// What is known of earlier runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// How many runs were recorded.
    runs: u32,
    classes: BTreeMap<TestId, Past>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Past {
    /// The numbers of the runs in which it failed.
    failures: Vec<u32>,
    /// What the project was like when all of it last ran.
    baseline: Option<u128>,
}

/// A test class that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The test class.
    pub class: TestId,
    /// Whether something in it failed.
    pub failed: bool,
    /// Whether all of it ran.
    pub is_complete: bool,
    /// What the project was like.
    pub baseline: Option<u128>,
}

impl History {
    /// Reads what is known of a project; nothing if there is no whole file.
    pub fn load(project: &Project) -> History {
        let bytes = fs::read(project.history_file()).ok();
        bytes.and_then(|bytes| decode(&bytes)).unwrap_or_default()
    }

    /// Takes in a run.
    pub fn add(&mut self, ended: impl IntoIterator<Item = Ended>) {
        self.runs += 1;
        for ended in ended {
            let past = self.classes.entry(ended.class).or_default();
            // What did not run is still to be compared with what was before.
            if ended.is_complete {
                past.baseline = ended.baseline;
            }
            past.failures.extend(ended.failed.then_some(self.runs));
            let oldest = self.runs.saturating_sub(RUNS);
            past.failures.retain(|run| *run > oldest);
        }
    }

    /// Writes it, whole or not at all.
    pub fn save(&self, project: &Project) -> io::Result<()> {
        tamis_files::write(&project.history_file(), &self.encode())
    }

    /// How many recorded runs ago a test class failed, if that was one of the last `runs`; 1 is the last one.
    pub fn failed(&self, class: &TestId, runs: u32) -> Option<u32> {
        let last = self.classes.get(class)?.failures.last()?;
        let ago = self.runs.checked_sub(*last)? + 1;
        (ago <= runs).then_some(ago)
    }

    /// What the project was like when a test class last ran.
    pub fn baseline(&self, class: &TestId) -> Option<u128> {
        self.classes.get(class)?.baseline
    }

    /// All baselines that some test class is compared with.
    pub(super) fn baselines(&self) -> impl Iterator<Item = u128> + '_ {
        self.classes.values().filter_map(|past| past.baseline)
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.raw(MAGIC).number(self.runs);
        let classes: Vec<_> = self.classes.iter().collect();
        out.list(&classes, |out, (id, past)| {
            out.text(&id.module)
                .text(&id.name.to_string())
                .list(&past.failures, |out, run| out.number(*run))
                .option(past.baseline, Writer::digest)
        });
        let checksum = xxh3_128(out.as_bytes());
        out.digest(checksum);
        out.finish()
    }
}

fn decode(bytes: &[u8]) -> Option<History> {
    let (body, checksum) = bytes.split_last_chunk::<16>()?;
    if xxh3_128(body) != u128::from_le_bytes(*checksum) {
        return None;
    }
    let mut from = Reader::new(body.strip_prefix(MAGIC)?);
    let runs = from.number()?;
    let classes: Vec<_> = from.list(|from| {
        let module = from.text()?.to_owned();
        let name = TestName::from(from.text()?);
        let past = Past {
            failures: from.list(|from| from.number())?,
            baseline: from.option(|from| from.digest())?,
        };
        Some((TestId::new(module, name), past))
    })?;
    from.is_empty().then(|| History {
        runs,
        classes: classes.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(class: &str, failed: bool) -> Ended {
        Ended {
            class: TestId::new("core", class),
            failed,
            is_complete: true,
            baseline: Some(7),
        }
    }

    fn history() -> History {
        let mut history = History::default();
        history.add([ended("a.FooTest", true), ended("a.BarTest", false)]);
        history.add([ended("a.FooTest", false)]);
        history.add([]);
        history
    }

    #[test]
    fn a_failure_counts_for_so_many_runs() {
        let check = |class: &str, runs: u32, expected: Option<u32>| {
            let class = TestId::new("core", class);
            assert_eq!(history().failed(&class, runs), expected, "{class}, {runs}");
        };
        check("a.FooTest", 3, Some(3));
        check("a.FooTest", 2, None);
        check("a.BarTest", 3, None);
        check("a.NewTest", 3, None);
    }

    #[test]
    fn only_a_whole_history_is_believed() {
        let bytes = history().encode();
        assert_eq!(decode(&bytes), Some(history()));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "cut to {length}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(decode(&damaged), None, "damaged at {at}");
        }
    }
}
