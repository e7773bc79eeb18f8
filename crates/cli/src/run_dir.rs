use crate::error::Error;
use crate::verdict_file::Answer;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tamis_build::Purpose;
use tamis_recording::{Ended, Record, Spool, run_dir};
use tamis_select::{Granularity, Receivers, TestId};
use tamis_store::Project;

/// Held by the process that made the directory; free when it is dead.
const OWNER: &str = "owner.lock";

/// The test classes of a run that leaves out all others, each with its module.
const ONLY: &str = "only";

/// How many lines of a message are shown.
const MOST_LINES: usize = 4;

/// Said where not even the cause of a problem could be written.
pub(crate) const NO_CAUSE: &str =
    "the cause could not be written: is the disk full, or `.tamis` not writable?";

/// How long it may take to make a run directory.
const IN_MAKING: Duration = Duration::from_secs(60);

/// The settings of a run.
pub(crate) struct Settings {
    pub(crate) purpose: Purpose,
    pub(crate) technique: String,
    pub(crate) granularity: Granularity,
    /// Whether basic blocks are recorded, and not only methods.
    pub(crate) blocks: bool,
    /// Whether what tests use is recorded, and not only how they end.
    pub(crate) records: bool,
    /// Why test classes may run only in part, if so.
    pub(crate) partial: Option<String>,
    /// Whether the objects are recorded on which methods run.
    pub(crate) receivers: Receivers,
    /// The test classes to run, of those that are known; all others are left out.
    pub(crate) only: Option<BTreeSet<TestId>>,
}

/// The directory of one run: what the agents of its JVMs are told, and what they write.
#[derive(Debug)]
pub(crate) struct RunDir {
    pub(crate) path: PathBuf,
    /// Open as long as the run lasts.
    _owner: Option<File>,
}

impl RunDir {
    /// Makes the directory of a new run. It gets its name only when it is complete, so that nobody
    /// takes it for one that was left behind.
    pub(crate) fn create(project: &Project, settings: &Settings) -> Result<RunDir, Error> {
        project.create_dir()?;
        let runs = project.runs_dir();
        let since_1970 = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let name = format!("{}-{}", since_1970.as_millis(), std::process::id());
        let (path, making) = (runs.join(&name), runs.join(format!(".{name}")));
        fs::create_dir_all(&making).map_err(Error::io("create", &making))?;
        let lock = making.join(OWNER);
        File::create_new(&lock).map_err(Error::io("create", &lock))?;
        let owner = claim(&making)?;
        let config = config(project, settings)?;
        let file = making.join(run_dir::CONFIG);
        fs::write(&file, config).map_err(Error::io("write", file))?;
        if let Some(only) = &settings.only {
            let file = making.join(ONLY);
            let lines = only
                .iter()
                .map(|test| format!("{} {}\n", test.name, test.module));
            fs::write(&file, lines.collect::<String>()).map_err(Error::io("write", file))?;
        }
        fs::rename(&making, &path).map_err(Error::io("create", &path))?;
        Ok(RunDir {
            path,
            _owner: owner,
        })
    }

    /// The test classes to which the run in a directory is limited, if it is.
    pub(crate) fn only(run: &Path) -> Result<Option<BTreeSet<TestId>>, Error> {
        let file = run.join(ONLY);
        if !file.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&file).map_err(Error::io("read", file))?;
        let tests = text.lines().filter_map(|line| line.split_once(' '));
        let tests = tests.map(|(name, module)| TestId::new(module, name));
        Ok(Some(tests.collect()))
    }

    /// Directories of runs whose process died before it could take them in.
    pub(crate) fn left_behind(project: &Project) -> Vec<RunDir> {
        let Ok(entries) = fs::read_dir(project.runs_dir()) else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let named = paths
            .into_iter()
            .filter(|path| path.join(OWNER).exists() && !in_making(path));
        named
            .filter_map(|path| {
                let owner = claim(&path).ok().flatten()?;
                // Another process may have taken it in just now.
                path.join(OWNER).exists().then_some(RunDir {
                    path,
                    _owner: Some(owner),
                })
            })
            .collect()
    }

    /// Reads the spools of all JVMs of the run.
    pub(crate) fn spools(&self) -> Result<Vec<Spool>, Error> {
        let files = self.files(run_dir::SPOOL_EXTENSION)?;
        let read = |file: &PathBuf| Ok(tamis_recording::read(&fs::read(file)?));
        files
            .iter()
            .map(|file| read(file).map_err(Error::io("read", file)))
            .collect()
    }

    /// The verdicts that were given; what cannot be read was not given.
    pub(crate) fn answers(&self) -> Vec<Answer> {
        let files = self.files("json").unwrap_or_default();
        let read = |file: PathBuf| serde_json::from_slice(&fs::read(file).ok()?).ok();
        files.into_iter().filter_map(read).collect()
    }

    /// Why JVMs got no verdict, where they got none.
    pub(crate) fn problems(&self) -> BTreeSet<String> {
        let files = self.files(run_dir::PROBLEM_EXTENSION).unwrap_or_default();
        let read = |file: PathBuf| problem(&fs::read(file).unwrap_or_default());
        files.into_iter().map(read).collect()
    }

    /// The JVMs that the agent ended, and why; an unreadable file was not written to its end.
    pub(crate) fn ended(&self) -> Vec<Ended> {
        let files = self.files(run_dir::ENDED_EXTENSION).unwrap_or_default();
        let read = |file: PathBuf| Ended::read(&fs::read_to_string(file).ok()?);
        files.into_iter().filter_map(read).collect()
    }

    /// Ends the run: everything in it is in the store. What makes it a run goes first, so that
    /// nobody takes in what is left of it if this is cut off.
    pub(crate) fn remove(self) -> Result<(), Error> {
        let owner = self.path.join(OWNER);
        fs::remove_file(&owner).map_err(Error::io("remove", owner))?;
        fs::remove_dir_all(&self.path).map_err(Error::io("remove", &self.path))
    }

    fn files(&self, extension: &str) -> Result<Vec<PathBuf>, Error> {
        let entries = fs::read_dir(&self.path).map_err(Error::io("read", &self.path))?;
        let paths = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|e| e == extension))
            .collect();
        files.sort();
        Ok(files)
    }
}

/// The reason in one line why an agent got no verdict.
fn problem(written: &[u8]) -> String {
    let text = String::from_utf8_lossy(written);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    match lines.get(..lines.len().min(MOST_LINES)).unwrap_or_default() {
        [] => NO_CAUSE.to_owned(),
        some => some.join("; "),
    }
}

/// Whether another process may just be making this directory.
fn in_making(path: &Path) -> bool {
    let hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let age = path
        .metadata()
        .and_then(|data| data.modified())
        .map(|time| time.elapsed());
    hidden && !matches!(age, Ok(Ok(age)) if age > IN_MAKING)
}

/// Claims a run directory, unless a living process has it.
fn claim(dir: &Path) -> Result<Option<File>, Error> {
    let path = dir.join(OWNER);
    let file = File::options().append(true).open(&path);
    let file = file.map_err(Error::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(source)) => Err(Error::io("lock", path)(source)),
    }
}

fn config(project: &Project, settings: &Settings) -> Result<String, Error> {
    let tamis = std::env::current_exe().map_err(Error::io("find", "the tamis executable"))?;
    let mode = match settings.purpose {
        Purpose::Test => "test",
        Purpose::Select => "select",
    };
    let (tamis, root) = (tamis.display(), project.root.display());
    let Settings {
        technique,
        granularity,
        ..
    } = settings;
    let mut config = format!(
        "tamis={tamis}\nproject={root}\nmode={mode}\ntechnique={technique}\n\
         granularity={granularity}\n"
    );
    if settings.blocks {
        config += "blocks=yes\n";
    }
    if !settings.records {
        config += "collect=no\n";
    }
    if let Some(why) = &settings.partial {
        config += &format!("partial={why}\n");
    }
    if settings.receivers == Receivers::Exact {
        config += "receivers=exact\n";
    }
    Ok(config)
}

/// The directories of the modules whose tests ran under the agent.
pub(crate) fn recorded_modules(spools: &[Spool]) -> Vec<PathBuf> {
    let modules =
        spools
            .iter()
            .flat_map(|spool| &spool.records)
            .filter_map(|record| match record {
                Record::Jvm { module, .. } => Some(PathBuf::from(module)),
                _ => None,
            });
    modules
        .map(|module| module.canonicalize().unwrap_or(module))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Project, Settings) {
        let dir = tempfile::tempdir().unwrap();
        let project = Project {
            root: dir.path().to_owned(),
        };
        let settings = Settings {
            purpose: Purpose::Test,
            technique: "ekstazi".into(),
            granularity: Granularity::Class,
            blocks: false,
            records: true,
            partial: None,
            receivers: Receivers::Created,
            only: None,
        };
        (dir, project, settings)
    }

    #[test]
    fn a_problem_is_one_line() {
        let check =
            |written: &str, expected: &str| assert_eq!(problem(written.as_bytes()), expected);
        check("cannot start tamis\n", "cannot start tamis");
        check(
            "failed: panicked:\n  oh no\n\nnote\n4\n5",
            "failed: panicked:; oh no; note; 4",
        );
        // Of a file that could not be written there is only the name.
        check("", NO_CAUSE);
    }

    #[test]
    fn a_run_is_left_behind_only_when_its_process_is_gone() {
        let (_dir, project, settings) = project();
        let run = RunDir::create(&project, &settings).unwrap();
        let path = run.path.clone();
        assert_eq!(RunDir::left_behind(&project).len(), 0);
        drop(run);
        let left = RunDir::left_behind(&project);
        assert_eq!(
            left.iter().map(|run| &run.path).collect::<Vec<_>>(),
            [&path]
        );
        left.into_iter().for_each(|run| run.remove().unwrap());
        assert_eq!(RunDir::left_behind(&project).len(), 0);
    }

    #[test]
    fn of_many_that_come_at_once_one_takes_a_run_that_was_left_behind() {
        let (_dir, project, settings) = project();
        for round in 0..50 {
            drop(RunDir::create(&project, &settings).unwrap());
            let taken: usize = std::thread::scope(|scope| {
                let take = || {
                    let runs = RunDir::left_behind(&project).into_iter();
                    runs.map(|run| {
                        run.spools().unwrap();
                        run.remove().unwrap();
                    })
                    .count()
                };
                let takers: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
                takers.into_iter().map(|taker| taker.join().unwrap()).sum()
            });
            assert_eq!(taken, 1, "round {round}");
            assert_eq!(fs::read_dir(project.runs_dir()).unwrap().count(), 0);
        }
    }
}
