//! The directory in which a replay works: a clone, what each technique knows at the last revision, and the
//! journal, from which an interrupted replay goes on.

use crate::error::Error;
use crate::rows::{Mutation, Replay, Setting, Skip, Step, Unmutated};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Start {
        setting: Setting,
        /// The first and the last commit.
        commits: (String, String),
    },
    Step(Step),
    Skip(Skip),
    Unmutated(Unmutated),
    Mutant(Mutation),
}

pub(crate) struct Area {
    directory: PathBuf,
    journal: File,
    /// What is done already.
    pub(crate) replay: Replay,
}

impl Area {
    /// Opens the area, or makes it; what another replay left there is an error unless it is to be thrown away.
    pub(crate) fn open(
        directory: &Path,
        setting: Setting,
        commits: (String, String),
        restart: bool,
    ) -> Result<Area, Error> {
        let journal = directory.join("journal.jsonl");
        if restart {
            remove(directory)?;
        }
        fs::create_dir_all(directory).map_err(Error::io("create", directory))?;
        let mut replay = Replay {
            setting,
            ..Replay::default()
        };
        let text = fs::read_to_string(&journal).unwrap_or_default();
        // What was cut off with the last process was not done.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text.get(..whole).unwrap_or_default().lines();
        let first = lines.next().map(serde_json::from_str);
        match first {
            None => {}
            Some(Ok(Line::Start {
                setting,
                commits: of,
            })) => {
                let differs = difference(&setting, &replay.setting, &of, &commits);
                if let Some(differs) = differs {
                    return Err(Error::OtherReplay {
                        area: directory.to_owned(),
                        differs,
                    });
                }
            }
            Some(_) => {
                return Err(Error::OtherReplay {
                    area: directory.to_owned(),
                    differs: "its journal cannot be read".into(),
                });
            }
        }
        let mut kept = whole as u64;
        let mut read = first_length(&text);
        for line in lines {
            match serde_json::from_str(line) {
                Ok(Line::Step(step)) => replay.steps.push(step),
                Ok(Line::Skip(skip)) => replay.skipped.push(skip),
                Ok(Line::Unmutated(unmutated)) => replay.unmutated = Some(unmutated),
                Ok(Line::Mutant(mutant)) => replay.mutants.push(mutant),
                _ => {
                    kept = read;
                    break;
                }
            }
            read += line.len() as u64 + 1;
        }
        let open = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&journal)
            .map_err(Error::io("open", &journal))?;
        open.set_len(kept).map_err(Error::io("write", &journal))?;
        let mut area = Area {
            directory: directory.to_owned(),
            journal: open,
            replay,
        };
        if kept == 0 {
            let setting = area.replay.setting.clone();
            area.write(&Line::Start { setting, commits })?;
        }
        area.forget_stores()?;
        Ok(area)
    }

    /// The clone.
    pub(crate) fn checkout(&self) -> PathBuf {
        self.directory.join("checkout")
    }

    /// The log file for the output of a run.
    pub(crate) fn log(&self, name: &str) -> Result<File, Error> {
        let directory = self.directory.join("logs");
        fs::create_dir_all(&directory).map_err(Error::io("create", &directory))?;
        let path = self.log_path(name);
        File::create(&path).map_err(Error::io("create", &path))
    }

    /// The file that what a run printed is in.
    pub(crate) fn log_path(&self, name: &str) -> PathBuf {
        self.directory.join("logs").join(format!("{name}.log"))
    }

    /// The file for an answer in JSON.
    pub(crate) fn answer(&self) -> PathBuf {
        self.directory.join("answer.json")
    }

    /// The directory of a revision: one per technique inside, and the outcomes of all tests.
    pub(crate) fn known_at(&self, revision: &str) -> PathBuf {
        self.directory.join("stores").join(revision)
    }

    /// The last revision that was replayed.
    pub(crate) fn last(&self) -> Option<&str> {
        self.replay.steps.last().map(|step| step.revision.as_str())
    }

    /// A revision is done.
    pub(crate) fn add(&mut self, step: Step) -> Result<(), Error> {
        self.write(&Line::Step(step.clone()))?;
        self.replay.steps.push(step);
        self.forget_stores()
    }

    /// A revision is left out.
    pub(crate) fn skip(&mut self, skip: Skip) -> Result<(), Error> {
        self.write(&Line::Skip(skip.clone()))?;
        self.replay.skipped.push(skip);
        Ok(())
    }

    /// All tests ran without mutants; what was known of such runs before no longer counts.
    pub(crate) fn set_unmutated(&mut self, unmutated: Unmutated) -> Result<(), Error> {
        self.write(&Line::Unmutated(unmutated.clone()))?;
        self.replay.unmutated = Some(unmutated);
        Ok(())
    }

    /// A mutant was tried.
    pub(crate) fn add_mutant(&mut self, mutant: Mutation) -> Result<(), Error> {
        self.write(&Line::Mutant(mutant.clone()))?;
        self.replay.mutants.push(mutant);
        Ok(())
    }

    /// Keeps what a run printed at a revision, which the next one would overwrite, and says where.
    pub(crate) fn keep_log(&self, name: &str, revision: &str) -> Result<PathBuf, Error> {
        let logs = self.directory.join("logs");
        let from = logs.join(format!("{name}.log"));
        let to = logs.join(format!("{name}-{revision:.8}.log"));
        fs::rename(&from, &to).map_err(Error::io("move", from))?;
        Ok(to)
    }

    fn write(&mut self, line: &Line) -> Result<(), Error> {
        let journal = self.directory.join("journal.jsonl");
        let text = serde_json::to_string(line).unwrap_or_default() + "\n";
        self.journal
            .write_all(text.as_bytes())
            .and_then(|()| self.journal.sync_data())
            .map_err(Error::io("write", journal))
    }

    /// Removes what was known at other revisions than the last.
    fn forget_stores(&self) -> Result<(), Error> {
        let stores = self.directory.join("stores");
        for entry in fs::read_dir(&stores).into_iter().flatten().flatten() {
            if Some(entry.file_name().to_string_lossy().as_ref()) != self.last() {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

fn first_length(text: &str) -> u64 {
    text.find('\n').map_or(0, |end| end as u64 + 1)
}

/// The relevant difference between two replays, if any.
fn difference(
    there: &Setting,
    here: &Setting,
    theirs: &(String, String),
    ours: &(String, String),
) -> Option<String> {
    let is_other = [
        (theirs.0 != ours.0, "it starts at another revision"),
        (there.techniques != here.techniques, "its techniques differ"),
        (there.runs != here.runs, "its number of runs differs"),
        (
            there.build_arguments != here.build_arguments,
            "its build arguments differ",
        ),
        (
            there.version != here.version,
            "another version of tamis made it",
        ),
        (
            there.runtime != here.runtime,
            "it used another Java runtime",
        ),
        (there.seed != here.seed, "its seed differs"),
        (
            there.alone != here.alone,
            "one runs each mutant alone, the other does not",
        ),
    ];
    let differs = is_other.into_iter().find(|(differs, _)| *differs);
    differs.map(|(_, what)| what.to_owned())
}

/// Removes a file or a directory with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(Error::io("remove", path))
}

/// Copies a directory with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(Error::io("create", to))?;
    for entry in fs::read_dir(from)
        .map_err(Error::io("list", from))?
        .flatten()
    {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            copy(&path, &to)?;
        } else {
            fs::copy(&path, &to).map_err(Error::io("copy", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Why;

    fn setting(techniques: &[&str]) -> Setting {
        Setting {
            techniques: techniques.iter().map(|name| name.to_string()).collect(),
            ..Setting::default()
        }
    }

    fn step(revision: &str) -> Step {
        Step {
            revision: revision.into(),
            ..Step::default()
        }
    }

    #[test]
    fn an_interrupted_replay_goes_on_where_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let commits = || ("a".to_owned(), "z".to_owned());
        let open = || Area::open(dir.path(), setting(&["x"]), commits(), false);
        let mut area = open().unwrap();
        fs::create_dir_all(area.known_at("a")).unwrap();
        area.add(step("a")).unwrap();
        let skip = Skip {
            revision: "b".into(),
            why: Why::DoesNotBuild,
        };
        area.skip(skip.clone()).unwrap();
        fs::create_dir_all(area.known_at("c")).unwrap();
        let journal = dir.path().join("journal.jsonl");
        let whole = fs::read(&journal).unwrap();
        drop(area);
        for cut in 0..whole.len() {
            fs::write(&journal, &whole[..cut]).unwrap();
            fs::create_dir_all(dir.path().join("stores/a")).unwrap();
            fs::create_dir_all(dir.path().join("stores/c")).unwrap();
            let area = open().unwrap();
            let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(area.last(), (lines > 1).then_some("a"), "{cut}");
            assert_eq!(area.known_at("a").exists(), lines > 1, "{cut}");
            assert!(!area.known_at("c").exists(), "{cut}");
            // It can be gone on with.
            let mut area = area;
            area.add(step("d")).unwrap();
            assert_eq!(open().unwrap().last(), Some("d"), "{cut}");
        }
    }

    #[test]
    fn another_replay_is_not_gone_on_with() {
        let dir = tempfile::tempdir().unwrap();
        let commits = || ("a".to_owned(), "z".to_owned());
        let open = |techniques: &[&str], restart| {
            Area::open(dir.path(), setting(techniques), commits(), restart)
        };
        open(&["x"], false).unwrap().add(step("a")).unwrap();
        let refused = open(&["y"], false).err().unwrap().to_string();
        assert!(refused.contains("its techniques differ"), "{refused}");
        assert_eq!(open(&["y"], true).unwrap().last(), None);
        fs::write(dir.path().join("journal.jsonl"), "no journal\n").unwrap();
        let refused = open(&["y"], false).err().unwrap().to_string();
        assert!(refused.contains("cannot be read"), "{refused}");
    }
}
