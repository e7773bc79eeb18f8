//! Builds without tamis.

use super::{GO_ON, Maven, location, log, program, reports};
use crate::{BuildError, Driver, Goal, PlainBuild, PlainBuilds, ProjectLocation, ReportedTest};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Nothing is compiled again because a class file is another.
const AS_COMPILED: [&str; 2] = [
    "-Dmaven.main.skip=true",
    "-Dmaven.compiler.useIncrementalCompilation=false",
];

impl PlainBuilds for Maven {
    fn for_copy(&self, dir: &Path) -> Box<dyn Driver> {
        Box::new(Maven {
            location: ProjectLocation {
                root: dir.to_owned(),
                dir: dir.to_owned(),
            },
            arguments: self.arguments.clone(),
        })
    }

    fn has_project(&self) -> bool {
        let dir = &self.location.dir;
        match self.arguments.pom_file() {
            Some(file) => dir.join(file).exists(),
            None => location::has_pom(dir),
        }
    }

    fn command(&self, build: &PlainBuild) -> Result<Command, BuildError> {
        let mut command = program::start(&self.location)?;
        command
            .args(self.arguments.as_given())
            .args(self.goal_and_options(build));
        Ok(command)
    }

    fn goal_name(&self, goal: Goal) -> &'static str {
        match goal {
            Goal::CompileTests => "test-compile",
            Goal::Test => "test",
            Goal::OnlyTests => "surefire:test@default-test",
        }
    }

    fn arguments_to_continue(&self) -> Vec<String> {
        vec![format!("-D{GO_ON}=true")]
    }

    fn forget_reports(&self) -> Result<(), BuildError> {
        reports::forget(&self.location.dir)
    }

    fn read_reports(&self) -> Result<Vec<ReportedTest>, BuildError> {
        reports::read(&self.location.dir)
    }

    fn started_classes(&self, printed: &str) -> BTreeSet<String> {
        let started = log::started(printed).into_iter();
        started.map(str::to_owned).collect()
    }

    fn class_files(&self) -> Vec<PathBuf> {
        class_files(&self.location.dir)
    }

    fn is_build_file(&self, file: &str) -> bool {
        file.ends_with(location::POM) || file.contains(".mvn/")
    }
}

impl Maven {
    fn goal_and_options(&self, build: &PlainBuild) -> Vec<String> {
        let mut all = vec![self.goal_name(build.goal).to_owned()];
        if build.goal != Goal::CompileTests {
            all.extend(self.arguments_to_continue());
        }
        if build.keeps_classes && build.goal == Goal::Test {
            all.extend(AS_COMPILED.map(str::to_owned));
        }
        let limit = build.jvm_limit;
        all.extend(limit.map(|limit| format!("-Dsurefire.timeout={}", limit.as_secs())));
        all
    }
}

fn class_files(project: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![project.to_owned()];
    while let Some(directory) = work.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            let is_left_out = [".git", ".tamis", "src", "test-classes"].contains(&&*name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_left_out => work.push(path),
                Ok(kind) if kind.is_file() && name.ends_with(".class") => found.push(path),
                _ => {}
            }
        }
    }
    found.retain(|path| path.components().any(|part| part.as_os_str() == "classes"));
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maven::arguments::MavenArguments;
    use std::time::Duration;

    fn maven() -> Maven {
        Maven {
            location: ProjectLocation {
                root: "/p".into(),
                dir: "/p".into(),
            },
            arguments: MavenArguments::default(),
        }
    }

    #[test]
    fn a_build_without_tamis_is_asked_for_what_is_needed() {
        let check = |build: PlainBuild, expected: &str| {
            assert_eq!(maven().goal_and_options(&build).join(" "), expected);
        };
        check(Goal::CompileTests.into(), "test-compile");
        check(Goal::Test.into(), "test -Dmaven.test.failure.ignore=true");
        let with_fault = |goal| PlainBuild {
            goal,
            keeps_classes: true,
            jvm_limit: Some(Duration::from_secs(90)),
        };
        check(
            with_fault(Goal::Test),
            "test -Dmaven.test.failure.ignore=true -Dmaven.main.skip=true \
             -Dmaven.compiler.useIncrementalCompilation=false -Dsurefire.timeout=90",
        );
        check(
            with_fault(Goal::OnlyTests),
            "surefire:test@default-test -Dmaven.test.failure.ignore=true -Dsurefire.timeout=90",
        );
    }

    #[test]
    fn a_copy_has_the_same_arguments_and_its_own_project() {
        let dir = tempfile::tempdir().unwrap();
        let copy = maven().for_copy(dir.path());
        let builds = copy.plain_builds().unwrap();
        assert!(!builds.has_project());
        fs::write(dir.path().join("pom.xml"), "<project/>").unwrap();
        assert!(builds.has_project());
        assert_eq!(copy.location().root, dir.path());
        let target = dir.path().join("target");
        for file in [
            "classes/a/A.class",
            "classes/a/A.txt",
            "test-classes/a/ATest.class",
        ] {
            let file = target.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        assert_eq!(builds.class_files(), [target.join("classes/a/A.class")]);
    }
}
