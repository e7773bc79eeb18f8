//! Surefire and Failsafe, which start JVMs and run tests of other frameworks there.
//!
//! What they tell a JVM stands in a file: groups, parameters of engines, whether assertions are on. It is no property
//! of the system, and can change how every test ends.

use super::{Framework, junit4};
use crate::entrances::asked;
use crate::watchers::arguments::command_line;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tamis_frameworks::surefire::{BOOTER, SUREFIRE};
use tamis_inputs::policy::surefire_setting_counts;

static STARTED_THIS_JVM: AtomicBool = AtomicBool::new(false);

/// Whether Surefire or Failsafe started this JVM.
pub(super) fn started_this_jvm() -> bool {
    STARTED_THIS_JVM.load(Ordering::Acquire)
}

/// Surefire and Failsafe, to the rest of the agent.
pub(super) struct Surefire;

impl Framework for Surefire {
    fn description(&self) -> &'static tamis_frameworks::Framework {
        &SUREFIRE
    }

    fn loaded(&self, class: &[u8]) {
        if class == BOOTER.as_bytes() {
            STARTED_THIS_JVM.store(true, Ordering::Release);
        }
    }

    fn settings(&self, project: &Path) -> io::Result<Option<String>> {
        settings(project)
    }

    /// Maven would stop before the next module if the JVM failed.
    fn keeps_no_results(&self) -> bool {
        started_this_jvm()
    }
}

asked! {
    Java_java_lang_TamisHook_surefireClass(agent, jni, _provider, class)
        junit4::is_left_out(agent, jni, class)?, else 0;
}

/// The settings of this JVM, if Surefire started it; an error if they cannot be read.
fn settings(project: &Path) -> io::Result<Option<String>> {
    let command = command_line()?;
    let arguments: Vec<&str> = command
        .iter()
        .filter_map(|argument| std::str::from_utf8(argument).ok())
        .collect();
    // A directory, the name of a dump, the name of the file.
    let file = arguments.windows(3).find_map(|window| match window {
        [directory, _, name] if name.starts_with("surefire") && name.ends_with("tmp") => {
            Some(Path::new(directory).join(name))
        }
        _ => None,
    });
    let Some(file) = file else { return Ok(None) };
    // Written by Java, one setting per line, and in ASCII.
    let settings = of_text(&std::fs::read_to_string(file)?);
    let settings = settings.replace(&*project.to_string_lossy(), "<project>");
    Ok(Some(settings))
}

fn of_text(text: &str) -> String {
    let mut settings: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.ends_with('='))
        .filter(|line| surefire_setting_counts(line))
        .collect();
    settings.sort_unstable();
    settings.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_change_tests_is_told_in_order() {
        let check = |text: &str, expected: &str| assert_eq!(of_text(text), expected, "{text}");
        check(
            "#surefire\n#Sun Nov 15\ntc.0=a.FooTest\nrequestedTest=\ngroups=slow\nenableAssertions=true\n",
            "enableAssertions=true groups=slow",
        );
        check(
            "excludedgroups=\nexcludes0=**/A\nincludes0=B\npluginPid=7\nforkNumber=2\nforkTestSet=java.lang.Class|a.FooTest\nclassPathUrl.0=/a\n",
            "",
        );
        check(
            "useSystemClassLoader=false\nproviderConfiguration=P\n",
            "providerConfiguration=P useSystemClassLoader=false",
        );
        check(
            "configurationParameters=a\\=b\\nc\\=d\n",
            "configurationParameters=a\\=b\\nc\\=d",
        );
    }
}
