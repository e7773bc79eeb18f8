//! The life of a JVM that runs tests: what is known of it, its spool, what it leaves out, its units.

mod boundaries;
mod ended;
mod records;
mod threads;

pub(crate) use boundaries::{
    announce, finish, merge_parts, outcome, part_finished, part_outcome, part_started, start,
    start_as_a_whole,
};

use crate::agent::Agent;
use crate::config::Mode;
use crate::facts::{now, property};
use crate::hooks;
use crate::sharing::settings;
use crate::spool::Spool;
use crate::verdict::SkipList;
use crate::watchers::processes;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use tamis_identity::TestName;
use tamis_inputs::{ALL, Values, variables};
use tamis_jvmti::Jni;
use tamis_recording::Record;

/// The unit of a JVM that a test started.
const WHOLE: &str = "";

/// A JVM that runs tests.
pub(crate) struct Session {
    skip_list: SkipList,
    /// Tests that have been told as skipped or wanted.
    told: Mutex<HashSet<TestName>>,
}

impl Session {
    /// The session; the first call opens the spool and asks the command for its verdict.
    pub(crate) fn of<'a>(agent: &'a Agent, jni: &mut Jni<'_>) -> Option<&'a Session> {
        let facts = agent.facts.get()?;
        Some(agent.session.get_or_init(|| {
            // Surefire says which module it tests; otherwise it is where the JVM was started.
            let module = property(jni, c"basedir").unwrap_or_else(|| facts.directory.clone());
            let is_odd = |name: &String| !name.is_ascii();
            if let Some(encoding) = &facts.other_names
                && (is_odd(&module) || facts.class_path.iter().any(is_odd))
            {
                agent.distrust(not_found(encoding));
            }
            let settings = settings::sample(agent, jni);
            let unseen = settings.is_none() || (agent.config.records && !hooks::check(agent, jni));
            let settings = settings.unwrap_or_default();
            let properties = settings.properties();
            let variables: Vec<_> = match agent.of_the_test.get() {
                Some(of_the_test) => of_the_test.clone().into_iter().collect(),
                None => variables().collect(),
            };
            let properties_now = properties.iter().cloned();
            let values = Values::of_run(properties_now, variables, &agent.config.project);
            let skip_list = match unseen || agent.is_started_by_a_test() {
                true => SkipList::default(),
                false => {
                    let environment = values.variable(ALL);
                    SkipList::ask(&agent.config, &module, facts, &properties, environment)
                }
            };
            agent.environment.start_with(values);
            agent.settings.start(settings);
            processes::runs_tests(agent);
            let class_path = skip_list.class_path.clone();
            let mut spool = Spool::create(&agent.config.run_dir, now().as_nanos());
            spool.write(&[Record::Jvm {
                pid: std::process::id(),
                started_ms: facts.started_ms,
                runtime: facts.runtime.clone(),
                module,
                class_path: class_path.unwrap_or_else(|| facts.class_path.clone()),
                records: agent.config.records,
                above: agent.above.get().cloned().unwrap_or_default(),
            }]);
            let mut state = agent.state();
            if unseen {
                let why =
                    "this JVM does not show which resources, properties and variables are read";
                state.distrust.get_or_insert(why.into());
            }
            if let Some(why) = &state.distrust {
                spool.write(&[Record::Problem {
                    message: why.clone(),
                }]);
            }
            state.spool = Some(spool);
            drop(state);
            Session {
                skip_list,
                told: Mutex::default(),
            }
        }))
    }
}

/// Why what this JVM reads cannot be found again.
fn not_found(encoding: &str) -> String {
    format!("its JVM encodes file names as {encoding}, not as UTF-8")
}

/// Whether the verdict names the test as one that need not run. Such a class is no suite.
pub(crate) fn is_unaffected(agent: &Agent, jni: &mut Jni<'_>, class: &str) -> bool {
    is_test_unaffected(agent, jni, &TestName::of_class(class))
}

fn is_test_unaffected(agent: &Agent, jni: &mut Jni<'_>, test: &TestName) -> bool {
    Session::of(agent, jni).is_some_and(|session| session.skip_list.skips(test))
}

/// Whether the test class need not run now; tells the spool of it. Suites are never asked about.
pub(crate) fn is_skipped(agent: &Agent, jni: &mut Jni<'_>, class: &str) -> bool {
    is_test_skipped(agent, jni, TestName::of_class(class))
}

fn is_test_skipped(agent: &Agent, jni: &mut Jni<'_>, test: TestName) -> bool {
    let unaffected = is_test_unaffected(agent, jni, &test);
    let selecting = agent.config.mode == Mode::Select;
    if unaffected || selecting {
        let told = agent.session.get().map(|session| session.told.lock());
        let told = told.map(|told| told.unwrap_or_else(PoisonError::into_inner));
        if told.is_some_and(|mut told| told.insert(test.clone()))
            && let Some(spool) = &mut agent.state().spool
        {
            spool.write(&[if unaffected {
                Record::Skipped { test }
            } else {
                Record::Wanted { test }
            }]);
        }
    }
    unaffected || selecting
}

/// Whether a single test need not run, though others of its class do; tells the spool of it.
pub(crate) fn is_part_skipped(agent: &Agent, jni: &mut Jni<'_>, part: &TestName) -> bool {
    agent.config.by_method && is_test_skipped(agent, jni, part.clone())
}

/// Whether some tests of this class need not run.
pub(crate) fn skips_parts(agent: &Agent, jni: &mut Jni<'_>, class: &str) -> bool {
    let session = Session::of(agent, jni);
    agent.config.by_method && session.is_some_and(|session| session.skip_list.skips_parts(class))
}

/// The JVM ends.
pub(crate) fn close(agent: &Agent, jni: &mut Jni<'_>) {
    if agent.is_started_by_a_test() {
        finish(agent, jni, WHOLE);
    }
    if let Some(spool) = &mut agent.state().spool {
        spool.write(&[Record::Closed]);
    }
}
