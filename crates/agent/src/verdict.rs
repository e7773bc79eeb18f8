//! Asks the command, once per module and class path, which test classes need not run.

use crate::config::Config;
use crate::facts::Facts;
use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tamis_attribution::is_part;
use tamis_inputs::policy::property_counts;
use tamis_recording::run_dir::{self, VERDICT_EXTENSION};

/// How long the command may think; after that everything runs.
const PATIENCE: Duration = Duration::from_secs(120);

/// The test classes that need not run. Whatever is odd about the answer means: none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The class path with the manifests of its jars followed: some of those jars (Surefire's) are
    /// gone when the JVM has ended.
    pub(crate) class_path: Option<Vec<String>>,
    skip: HashSet<String>,
}

impl Verdict {
    pub(crate) fn ask(
        config: &Config,
        module: &str,
        facts: &Facts,
        properties: &[(String, Vec<u8>)],
        environment: u128,
    ) -> Verdict {
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
        Self::try_ask(config, &request).unwrap_or_default()
    }

    pub(crate) fn skips(&self, test: &str) -> bool {
        self.skip.contains(test)
    }

    /// Whether it skips tests of this class or of one nested in it.
    pub(crate) fn skips_parts(&self, class: &str) -> bool {
        let mut parts = self.skip.iter().filter_map(|test| test.split_once('#'));
        parts.any(|(of, _)| is_part(of, class))
    }

    fn try_ask(config: &Config, request: &[String]) -> Option<Verdict> {
        if request.iter().any(|line| line.contains('\n')) {
            return None;
        }
        let mut hasher = DefaultHasher::new();
        request.hash(&mut hasher);
        let base = config.run_dir.join(format!("{:016x}", hasher.finish()));
        let answer = base.with_extension(VERDICT_EXTENSION);
        // Other JVMs of this run may ask the same; the first one does the work.
        let lock = File::create(base.with_extension("lock")).ok()?;
        lock.lock().ok()?;
        if !answer.exists() {
            let file = base.with_extension("request");
            std::fs::write(&file, request.join("\n") + "\n").ok()?;
            run(&config.tamis, &config.run_dir, &file)?;
        }
        parse(&std::fs::read_to_string(answer).ok()?)
    }
}

fn run(tamis: &Path, run_dir: &Path, request: &Path) -> Option<()> {
    let mut child = Command::new(tamis)
        .arg("verdict")
        .arg("--run")
        .arg(run_dir)
        .arg("--request")
        .arg(request)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().ok()? {
            return status.success().then_some(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn parse(text: &str) -> Option<Verdict> {
    let mut lines = text.lines();
    if lines.next()? != "tamis verdict 1" {
        return None;
    }
    let (mut skip, mut class_path) = (HashSet::new(), Vec::new());
    for line in lines.by_ref() {
        match line.split_once(' ')? {
            ("cp", entry) => class_path.push(entry.to_owned()),
            ("skip", test) => {
                skip.insert(test.to_owned());
            }
            ("end", count) => {
                let whole = lines.next().is_none() && count.parse() == Ok(skip.len());
                let class_path = (!class_path.is_empty()).then_some(class_path);
                return whole.then_some(Verdict { class_path, skip });
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
        let expected = expected.map(|e| e.iter().map(|s| s.to_string()).collect());
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
}
