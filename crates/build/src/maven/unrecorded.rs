use super::pom::Pom;
use super::{MavenArguments, reports};
use crate::{ProjectLocation, Unrecorded};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The advice for such a project.
const REMEDY: &str = "tamis needs tests in a JVM of their own (forkCount of 1 or more, no debugForkedProcess in the POM)";

/// Modules with test reports newer than `since`, but not among those that were recorded.
pub(super) fn find_unrecorded(
    location: &ProjectLocation,
    arguments: &MavenArguments,
    since: SystemTime,
    recorded: &[PathBuf],
) -> Vec<Unrecorded> {
    let silent = modules(location, arguments)
        .into_iter()
        .filter(|module| !recorded.contains(module));
    silent
        .filter(|module| has_reports(module, since))
        .map(|module| Unrecorded {
            cause: cause(location, arguments, &module, |pom| pom),
            module,
            remedy: REMEDY,
        })
        .collect()
}

/// The first module of which is known before the build that its tests would run without the agent.
/// What profiles say is left out: nobody knows yet which of them are active.
pub(super) fn find_out_of_reach(
    location: &ProjectLocation,
    arguments: &MavenArguments,
) -> Option<Unrecorded> {
    modules(location, arguments).into_iter().find_map(|module| {
        let cause = cause(location, arguments, &module, Pom::without_profiles)?;
        Some(Unrecorded {
            module,
            cause: Some(cause),
            remedy: REMEDY,
        })
    })
}

/// The directories of all modules that a build is about.
fn modules(location: &ProjectLocation, arguments: &MavenArguments) -> Vec<PathBuf> {
    let base = arguments
        .pom_file()
        .map_or(location.dir.clone(), |file| location.dir.join(file));
    let base = if base.is_file() {
        base.parent().unwrap_or(&base).to_owned()
    } else {
        base
    };
    modules_below(base.canonicalize().unwrap_or(base))
}

/// The directory and all modules that its POM leads to.
fn modules_below(dir: PathBuf) -> Vec<PathBuf> {
    let mut found = vec![dir];
    let mut next = 0;
    while let Some(dir) = found.get(next).cloned() {
        next += 1;
        for module in Pom::of(&dir).modules(&dir) {
            if !found.contains(&module) {
                found.push(module);
            }
        }
    }
    found
}

fn has_reports(module: &Path, since: SystemTime) -> bool {
    let dirs = reports::DIRECTORIES.map(|name| module.join("target").join(name));
    let files = dirs.iter().filter_map(|dir| fs::read_dir(dir).ok());
    files.flatten().filter_map(Result::ok).any(|file| {
        let changed = file.metadata().and_then(|data| data.modified());
        reports::is_report(&file.file_name()) && changed.is_ok_and(|changed| changed >= since)
    })
}

fn cause(
    location: &ProjectLocation,
    arguments: &MavenArguments,
    module: &Path,
    part: impl Fn(Pom) -> Pom,
) -> Option<&'static str> {
    if arguments.property("forkCount") == Some("0") {
        return Some("-DforkCount=0");
    }
    if arguments.property("forkMode") == Some("never") {
        return Some("-DforkMode=never");
    }
    let within = module
        .ancestors()
        .take_while(|dir| dir.starts_with(&location.root));
    within
        .map(|dir| part(Pom::of(dir)))
        .find_map(|pom| cause_in_pom(&pom))
}

fn cause_in_pom(pom: &Pom) -> Option<&'static str> {
    let has = |name, value| pom.texts(name).any(|text| text == value);
    if has("forkCount", "0") {
        Some("<forkCount>0</forkCount>")
    } else if has("forkMode", "never") {
        Some("<forkMode>never</forkMode>")
    } else if pom.texts("debugForkedProcess").next().is_some() {
        Some("<debugForkedProcess>")
    } else if has("artifactId", "scalatest-maven-plugin") {
        Some("scalatest-maven-plugin")
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
        let location = ProjectLocation {
            root: root.clone(),
            dir: root.clone(),
        };
        let since = SystemTime::now() - Duration::from_secs(60);
        let core = root.join("core");
        fs::create_dir_all(core.join("target/surefire-reports")).unwrap();
        fs::write(root.join("pom.xml"), format!("<module>core</module>{pom}")).unwrap();
        let arguments = MavenArguments::new(vec![arguments.into()]);
        assert_eq!(find_unrecorded(&location, &arguments, since, &[]), []);

        fs::write(core.join("target/surefire-reports/TEST-a.B.xml"), "").unwrap();
        let unrecorded = Unrecorded {
            module: core.clone(),
            cause: expected,
            remedy: REMEDY,
        };
        assert_eq!(
            find_unrecorded(&location, &arguments, since, &[]),
            [unrecorded]
        );
        assert_eq!(find_unrecorded(&location, &arguments, since, &[core]), []);
        let later = SystemTime::now() + Duration::from_secs(60);
        assert_eq!(find_unrecorded(&location, &arguments, later, &[]), []);
    }

    #[test]
    fn what_keeps_the_agent_out_is_found_before_the_build() {
        let check = |pom: &str, arguments: &str, expected: Option<&'static str>| {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap();
            let location = ProjectLocation {
                root: root.clone(),
                dir: root.clone(),
            };
            fs::write(root.join("pom.xml"), pom).unwrap();
            let arguments = MavenArguments::new(vec![arguments.into()]);
            let found = find_out_of_reach(&location, &arguments);
            assert_eq!(found.and_then(|module| module.cause), expected, "{pom}");
        };
        check("<project/>", "-o", None);
        check("<project/>", "-DforkCount=0", Some("-DforkCount=0"));
        let fork = "<forkCount>0</forkCount>";
        check(fork, "-o", Some(fork));
        let profiles = format!("<profiles><profile>{fork}</profile></profiles>");
        check(&profiles, "-o", None);
        check(&format!("{profiles}{fork}"), "-o", Some(fork));
        check(
            "<artifactId>scalatest-maven-plugin</artifactId>",
            "-o",
            Some("scalatest-maven-plugin"),
        );
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
