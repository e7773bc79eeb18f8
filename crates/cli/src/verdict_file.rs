//! The question of an agent, and the answer to it; see the run directory in `docs/manual.md`.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use tamis_recording::run_dir;
use tamis_select::{Selection, TestId};

/// The request of an agent before the first test of its JVM.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) module: PathBuf,
    pub(crate) runtime: String,
    pub(crate) class_path: Vec<PathBuf>,
    pub(crate) properties: Vec<(String, Vec<u8>)>,
}

impl Request {
    /// Reads `key=value` lines; a request with anything else in it is not answered.
    pub(crate) fn read(text: &str) -> Option<Request> {
        let mut request = Request::default();
        for line in text.lines() {
            let (key, value) = line.split_once('=')?;
            match key {
                "module" => request.module = value.into(),
                "runtime" => request.runtime = value.to_owned(),
                "cp" => request.class_path.push(value.into()),
                "property" => request.properties.push(run_dir::read_property(value)?),
                // It tells requests apart.
                "environment" => {}
                _ => return None,
            }
        }
        (request.module.is_absolute() && !request.runtime.is_empty()).then_some(request)
    }
}

/// The answer with its reasons: for the command, not for the agent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The module whose JVM asked.
    pub(crate) module: String,
    /// What the classes of that JVM are like: the digest of what was kept of them.
    pub(crate) baseline: Option<String>,
    pub(crate) selection: Selection,
    /// Of the tests that ran alone when they were recorded, those for which nothing has changed.
    pub(crate) unchanged: Vec<TestId>,
    pub(crate) analysis: Duration,
    /// Why nothing is known, if the store could not be read.
    pub(crate) warning: Option<String>,
}

/// The answer as the agent reads it. It tells the class path with the manifests of its jars
/// followed, because some of those jars are gone when the JVM has ended.
pub(crate) fn verdict(selection: &Selection, class_path: &[PathBuf]) -> String {
    let mut text = String::from("tamis verdict 1\n");
    for entry in class_path {
        text += &format!("cp {}\n", entry.display());
    }
    let left_out = selection.left_out();
    for test in &left_out {
        text += &format!("skip {test}\n");
    }
    text + &format!("end {}\n", left_out.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tamis_select::TechniqueName;
    use tamis_select::{Reason, Verdict};

    #[test]
    fn a_request_is_read_or_refused() {
        let check =
            |text: &str, expected: Option<Request>| assert_eq!(Request::read(text), expected);
        let request = Request {
            module: "/p/core".into(),
            runtime: "OpenJDK = 17".into(),
            class_path: vec!["/p/core/target/classes".into(), "/m2/a=b.jar".into()],
            properties: vec![("a".into(), b"=".to_vec())],
        };
        let text = "module=/p/core\nruntime=OpenJDK = 17\ncp=/p/core/target/classes\ncp=/m2/a=b.jar\n\
             property=a %3d\nenvironment=0f\n";
        check(text, Some(request));
        check("module=/p\n", None);
        check("module=core\nruntime=17\n", None);
        check("module=/p\nruntime=17\nother=x\n", None);
        check("module=/p\nruntime=17\ncut", None);
    }

    #[test]
    fn a_verdict_names_what_is_skipped_and_how_many() {
        let verdicts = vec![
            Verdict::new(TestId::new("", "a.ATest"), None, vec![]),
            Verdict::new(TestId::new("", "a.BTest"), None, vec![Reason::New]),
        ];
        let selection = Selection {
            technique: TechniqueName::Ekstazi,
            verdicts,
        };
        assert_eq!(
            verdict(&selection, &["/p/target/classes".into()]),
            "tamis verdict 1\ncp /p/target/classes\nskip a.ATest\nend 1\n"
        );
    }
}
