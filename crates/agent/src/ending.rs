//! Ends JVMs of a run that only asks, before a build tool can take their tests for passed.

use crate::agent::Agent;
use crate::config::Mode;
use crate::facts::property;
use crate::frameworks;
use std::ffi::c_int;
use std::io::Write;
use tamis_jvmti::Jni;
use tamis_recording::Ended;
use tamis_recording::run_dir::{ENDED_CODE, ENDED_EXTENSION};

unsafe extern "C" {
    safe fn _exit(code: c_int) -> !;
}

/// Ends the JVM as a failure if its tests were only asked about. Build tools cache tests that
/// passed; those that do not would stop before the next module.
pub(crate) fn after_asking(agent: &Agent) {
    let asked = agent.session.get().is_some();
    if asks(agent) && asked && !frameworks::keep_no_results() {
        end(agent, &Ended::Asked);
    }
}

/// Ends the JVM if a run that only asks could not keep tests of this framework from running.
pub(crate) fn before_tests(agent: &Agent, jni: &mut Jni<'_>, framework: &str) {
    if !asks(agent) {
        return;
    }
    let directory = || Some(agent.facts.get()?.directory.clone());
    let module = property(jni, c"basedir").or_else(directory);
    end(
        agent,
        &Ended::Unheld {
            framework: framework.to_owned(),
            module: module.unwrap_or_default(),
        },
    );
}

fn asks(agent: &Agent) -> bool {
    agent.config.mode == Mode::Select && !agent.is_started_by_a_test()
}

fn end(agent: &Agent, ended: &Ended) {
    let name = format!("{}.{ENDED_EXTENSION}", std::process::id());
    // If nobody can be told, the build still fails, and `tamis select` with it.
    let _ = std::fs::write(agent.config.run_dir.join(name), ended.to_string());
    let why = match ended {
        Ended::Asked => "its tests were only asked about, so they must not count as passed".into(),
        Ended::Unheld { framework, .. } => {
            format!("it was about to run tests of {framework}, which tamis cannot skip")
        }
    };
    // In the build's log, where the failure of the JVM stands.
    let line = format!("tamis select: this JVM ends with exit code {ENDED_CODE}: {why}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    _exit(ENDED_CODE)
}
