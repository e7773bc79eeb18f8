use crate::{MavenArguments, Place, pom};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A module whose tests ran without the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecorded {
    /// Its directory.
    pub module: PathBuf,
    /// The setting that kept the agent out, if it was found.
    pub cause: Option<&'static str>,
}

/// Modules with test reports newer than `since`, but not among those that were recorded.
pub fn find_unrecorded(
    place: &Place,
    arguments: &MavenArguments,
    since: SystemTime,
    recorded: &[PathBuf],
) -> Vec<Unrecorded> {
    let base = arguments
        .pom_file()
        .map_or(place.dir.clone(), |file| place.dir.join(file));
    let base = if base.is_file() {
        base.parent().unwrap_or(&base).to_owned()
    } else {
        base
    };
    let modules = modules_below(base.canonicalize().unwrap_or(base));
    let silent = modules
        .into_iter()
        .filter(|module| !recorded.contains(module));
    silent
        .filter(|module| has_reports(module, since))
        .map(|module| Unrecorded {
            cause: cause(place, arguments, &module),
            module,
        })
        .collect()
}

/// The directory and all modules that its POM leads to.
fn modules_below(dir: PathBuf) -> Vec<PathBuf> {
    let mut found = vec![dir];
    let mut next = 0;
    while let Some(dir) = found.get(next).cloned() {
        next += 1;
        for module in pom::modules(&pom::read(&dir), &dir) {
            if !found.contains(&module) {
                found.push(module);
            }
        }
    }
    found
}

fn has_reports(module: &Path, since: SystemTime) -> bool {
    let dirs = ["target/surefire-reports", "target/failsafe-reports"];
    let files = dirs
        .iter()
        .filter_map(|dir| fs::read_dir(module.join(dir)).ok())
        .flatten();
    files.filter_map(Result::ok).any(|file| {
        let name = file.file_name();
        let is_report = name
            .to_str()
            .is_some_and(|n| n.starts_with("TEST-") && n.ends_with(".xml"));
        let changed = file.metadata().and_then(|data| data.modified());
        is_report && changed.is_ok_and(|changed| changed >= since)
    })
}

fn cause(place: &Place, arguments: &MavenArguments, module: &Path) -> Option<&'static str> {
    if arguments.property("forkCount") == Some("0") {
        return Some("-DforkCount=0");
    }
    if arguments.property("forkMode") == Some("never") {
        return Some("-DforkMode=never");
    }
    let within = module
        .ancestors()
        .take_while(|dir| dir.starts_with(&place.root));
    within
        .map(|dir| pom::without_comments(&pom::read(dir)))
        .find_map(|pom| cause_in_pom(&pom))
}

fn cause_in_pom(pom: &str) -> Option<&'static str> {
    let has = |tag, value| pom::elements(pom, tag).iter().any(|text| text == value);
    if has("forkCount", "0") {
        Some("<forkCount>0</forkCount>")
    } else if has("forkMode", "never") {
        Some("<forkMode>never</forkMode>")
    } else if !pom::elements(pom, "debugForkedProcess").is_empty() {
        Some("<debugForkedProcess>")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn check(pom: &str, arguments: &str, expected: Option<&'static str>) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let place = Place {
            root: root.clone(),
            dir: root.clone(),
        };
        let since = SystemTime::now() - Duration::from_secs(60);
        let core = root.join("core");
        fs::create_dir_all(core.join("target/surefire-reports")).unwrap();
        fs::write(root.join("pom.xml"), format!("<module>core</module>{pom}")).unwrap();
        let arguments = MavenArguments::new(vec![arguments.into()]);
        assert_eq!(find_unrecorded(&place, &arguments, since, &[]), []);

        fs::write(core.join("target/surefire-reports/TEST-a.B.xml"), "").unwrap();
        let unrecorded = Unrecorded {
            module: core.clone(),
            cause: expected,
        };
        assert_eq!(
            find_unrecorded(&place, &arguments, since, &[]),
            [unrecorded]
        );
        assert_eq!(find_unrecorded(&place, &arguments, since, &[core]), []);
        let later = SystemTime::now() + Duration::from_secs(60);
        assert_eq!(find_unrecorded(&place, &arguments, later, &[]), []);
    }

    #[test]
    fn a_module_with_new_reports_and_no_recording_is_found_with_its_cause() {
        check("", "-o", None);
        check("", "-DforkCount=0", Some("-DforkCount=0"));
        check(
            "<forkCount> 0 </forkCount>",
            "-o",
            Some("<forkCount>0</forkCount>"),
        );
        check(
            "<forkMode>never</forkMode>",
            "-o",
            Some("<forkMode>never</forkMode>"),
        );
        check(
            "<debugForkedProcess>x</debugForkedProcess>",
            "-o",
            Some("<debugForkedProcess>"),
        );
        check("<!-- <forkCount>0</forkCount> -->", "-o", None);
    }
}
