//! Asks the command, once per module and class path, which tests need not run.

use crate::config::Config;
use crate::facts::Facts;
use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tamis_identity::{TestName, is_part};
use tamis_inputs::policy::property_counts;
use tamis_recording::run_dir::{self, PROBLEM_EXTENSION, VERDICT_EXTENSION};

/// How long the command may think; after that everything runs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The tests that need not run. Whatever is odd about the answer means: none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SkipList {
    /// The class path with the manifests of its jars followed: some of those jars (Surefire's) are
    /// gone when the JVM has ended.
    pub(crate) class_path: Option<Vec<String>>,
    skip: HashSet<TestName>,
}

impl SkipList {
    pub(crate) fn ask(
        config: &Config,
        module: &str,
        facts: &Facts,
        properties: &[(String, Vec<u8>)],
        environment: u128,
    ) -> SkipList {
        let mut request = vec![
            format!("module={module}"),
            format!("runtime={}", facts.runtime),
        ];
        let entries = facts.class_path.iter();
        request.extend(entries.map(|entry| format!("cp={entry}")));
        let mut properties: Vec<String> = properties
            .iter()
            .filter(|(name, _)| property_counts(name))
            .map(|(name, value)| format!("property={}", run_dir::property(name, value)))
            .collect();
        properties.sort_unstable();
        request.extend(properties);
        // Only JVMs with the same environment share an answer; the command has that of who asks.
        request.push(format!("environment={environment:032x}"));
        let base = base(config, &request);
        Self::try_ask(config, &base, &request).unwrap_or_else(|problem| {
            // The command tells the user. On a full disk the file is empty, or not even there.
            let _ = std::fs::write(base.with_extension(PROBLEM_EXTENSION), problem);
            SkipList::default()
        })
    }

    pub(crate) fn skips(&self, test: &TestName) -> bool {
        self.skip.contains(test)
    }

    /// Whether it skips tests of this class or of one nested in it.
    pub(crate) fn skips_parts(&self, class: &str) -> bool {
        let mut single = self.skip.iter().filter(|test| test.is_single());
        single.any(|test| is_part(test.class(), class))
    }

    /// The answer, or why there is none.
    fn try_ask(config: &Config, base: &Path, request: &[String]) -> Result<SkipList, String> {
        if request.iter().any(|line| line.contains('\n')) {
            return Err("a path of the module or its class path has a line break in it".into());
        }
        let answer = base.with_extension(VERDICT_EXTENSION);
        // Other JVMs of this run may ask the same; the first one does the work.
        let lock = base.with_extension("lock");
        let held = File::create(&lock).map_err(cannot("create", &lock))?;
        held.lock().map_err(cannot("lock", &lock))?;
        if !answer.exists() {
            let file = base.with_extension("request");
            std::fs::write(&file, request.join("\n") + "\n").map_err(cannot("write", &file))?;
            run(&config.tamis, &config.run_dir, &file, PATIENCE)?;
        }
        let text = std::fs::read_to_string(&answer).map_err(cannot("read", &answer))?;
        parse(&text).ok_or_else(|| format!("{} is not a whole answer", answer.display()))
    }
}

/// The path of all files about a request, without their extensions.
fn base(config: &Config, request: &[String]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    request.hash(&mut hasher);
    config.run_dir.join(format!("{:016x}", hasher.finish()))
}

fn cannot<'a>(action: &'a str, path: &'a Path) -> impl FnOnce(std::io::Error) -> String + 'a {
    move |error| format!("cannot {action} {}: {error}", path.display())
}

/// Has the command answer; if it does not, says why.
fn run(tamis: &Path, run_dir: &Path, request: &Path, patience: Duration) -> Result<(), String> {
    let said = request.with_extension("stderr");
    let stderr = File::create(&said).map_or_else(|_| Stdio::null(), Stdio::from);
    let mut child = Command::new(tamis)
        .arg("verdict")
        .arg("--run")
        .arg(run_dir)
        .arg("--request")
        .arg(request)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .map_err(cannot("start", tamis))?;
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Some(status) = child.try_wait().map_err(cannot("wait for", tamis))? {
            return match status.success() {
                true => Ok(()),
                false => Err(failure(status, &std::fs::read(&said).unwrap_or_default())),
            };
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let _ = child.wait();
    let seconds = patience.as_secs();
    Err(format!(
        "`tamis verdict` took longer than {seconds} s and was ended"
    ))
}

fn failure(status: ExitStatus, said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let said = match said.trim() {
        "" => "it said nothing",
        said => said.strip_prefix("tamis: ").unwrap_or(said),
    };
    format!("`tamis verdict` failed ({status}): {said}")
}

fn parse(text: &str) -> Option<SkipList> {
    let mut lines = text.lines();
    if lines.next()? != "tamis verdict 1" {
        return None;
    }
    let (mut skip, mut class_path) = (HashSet::new(), Vec::new());
    for line in lines.by_ref() {
        match line.split_once(' ')? {
            ("cp", entry) => class_path.push(entry.to_owned()),
            ("skip", test) => {
                skip.insert(test.into());
            }
            ("end", count) => {
                let whole = lines.next().is_none() && count.parse() == Ok(skip.len());
                let class_path = (!class_path.is_empty()).then_some(class_path);
                return whole.then_some(SkipList { class_path, skip });
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&[&str]>) {
        let expected = expected.map(|e| e.iter().map(|s| TestName::from(*s)).collect());
        assert_eq!(parse(text).map(|v| v.skip), expected, "{text:?}");
    }

    #[test]
    fn only_a_whole_verdict_skips_anything() {
        check(
            "tamis verdict 1\nskip a.B\nskip c.D\nend 2\n",
            Some(&["a.B", "c.D"]),
        );
        check("tamis verdict 1\nend 0\n", Some(&[]));
        check(
            "tamis verdict 1\ncp /a b.jar\nskip a.B\nend 1\n",
            Some(&["a.B"]),
        );
        check("tamis verdict 1\nskip a.B\n", None);
        check("tamis verdict 1\nskip a.B\nend 2\n", None);
        check("tamis verdict 1\nend 0\nskip a.B\n", None);
        check("tamis verdict 2\nend 0\n", None);
        check("tamis verdict 1\nskap a.B\nend 1\n", None);
        check("", None);
    }

    #[test]
    fn a_command_that_gives_no_answer_leaves_its_cause() {
        let dir = tempfile::tempdir().unwrap();
        let request = dir.path().join("a.request");
        let check = |program: &str, patience: u64, words: &[&str]| {
            let patience = Duration::from_secs(patience);
            let ran = run(Path::new(program), dir.path(), &request, patience);
            let cause = ran.err().unwrap_or_default();
            assert_eq!(cause.is_empty(), words.is_empty(), "{cause}");
            assert!(words.iter().all(|word| cause.contains(word)), "{cause}");
        };
        check("true", 60, &[]);
        check("false", 60, &["failed (exit status: 1): it said nothing"]);
        // It knows no such option, and says so.
        check("ls", 60, &["failed (exit status: ", "--run"]);
        check("true", 0, &["took longer than 0 s and was ended"]);
        check("/nowhere/tamis", 60, &["cannot start /nowhere/tamis: "]);
    }
}
