use crate::classes::Classes;
use crate::config::Config;
use crate::facts::Facts;
use crate::frameworks::Archives;
use crate::hooks::Hooks;
use crate::locations::Locations;
use crate::probes::{Allocation, Segments};
use crate::receivers::Places;
use crate::session::Session;
use crate::sharing::settings::Settings;
use crate::sharing::statics::Statics;
use crate::sharing::{CachedObjects, SharedByParts};
use crate::spool::Spool;
use crate::watchers::callers::Callers;
use crate::watchers::class_readers::ClassReaders;
use crate::watchers::environment::Environment;
use crate::watchers::files::Files;
use crate::watchers::inputs::InputLog;
use crate::watchers::jdk_caches::JdkCaches;
use crate::watchers::lookups::Lookups;
use crate::watchers::outside::Outside;
use crate::watchers::reflection::ReflectionLog;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use tamis_attribution::{Shared, Units};

/// The one agent of this JVM.
pub(crate) struct Agent {
    pub(crate) config: Config,
    /// A test framework has been seen; until then only checksums of classes are kept.
    pub(crate) awake: AtomicBool,
    pub(crate) facts: OnceLock<Facts>,
    /// If a test started this JVM: the processes up to the one that runs the test.
    pub(crate) above: OnceLock<Vec<u32>>,
    /// If a test started this JVM: the environment of the one that runs the test.
    pub(crate) of_the_test: OnceLock<HashMap<String, Vec<u8>>>,
    pub(crate) session: OnceLock<Session>,
    pub(crate) allocation: Mutex<Allocation>,
    /// Held while locations are asked for, which calls Java; never inside `state`.
    pub(crate) resolving: Mutex<()>,
    /// Held while a unit ends, so that units are written in the order in which they ended; never
    /// inside `state`.
    pub(crate) finishing: Mutex<()>,
    /// The classes that are asked for their members.
    pub(crate) reflection: ReflectionLog,
    /// The classes that are looked up by name.
    pub(crate) lookups: Lookups,
    /// The inputs that are read.
    pub(crate) inputs: InputLog,
    /// The files that are read and written.
    pub(crate) files: Files,
    /// The values with which the tests start.
    pub(crate) environment: Environment,
    /// The static fields of the program. Its lock may be taken inside `state`, never the other way.
    pub(crate) statics: Statics,
    /// The objects that frameworks cache for several tests.
    pub(crate) cached_objects: CachedObjects,
    /// Settings of the whole JVM. Its lock may be taken inside `state`, never the other way.
    pub(crate) settings: Settings,
    /// The callers of what is watched.
    pub(crate) callers: Callers,
    /// The readers of class files that skip code.
    pub(crate) class_readers: ClassReaders,
    /// The archives of test frameworks.
    pub(crate) archives: Archives,
    /// The hooks inside the JDK.
    pub(crate) hooks: Hooks,
    state: Mutex<State>,
}

/// The state that changes while the JVM runs.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) classes: Classes,
    pub(crate) segments: Segments,
    pub(crate) places: Places,
    pub(crate) units: Units,
    pub(crate) locations: Locations,
    pub(crate) outside: Outside,
    pub(crate) jdk_caches: JdkCaches,
    /// State that outlives units.
    pub(crate) shared: Shared,
    /// Changes of shared state by single tests of running classes, by the ids of the classes.
    pub(crate) parts: HashMap<u32, SharedByParts>,
    /// The names of the units that have ended, by their ids.
    pub(crate) names: HashMap<u32, String>,
    pub(crate) spool: Option<Spool>,
    /// Why what is recorded from now on may be incomplete.
    pub(crate) distrust: Option<String>,
}

static AGENT: OnceLock<Agent> = OnceLock::new();
static NEXT_THREAD: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static THREAD: u64 = NEXT_THREAD.fetch_add(1, Ordering::Relaxed);
}

/// A number for the current thread.
pub(crate) fn thread() -> u64 {
    THREAD.with(|id| *id)
}

impl Agent {
    pub(crate) fn start(config: Config) {
        let state = State {
            distrust: config.partial.clone(),
            units: Units::new(config.by_method),
            ..State::default()
        };
        let _ = AGENT.set(Agent {
            config,
            awake: AtomicBool::new(false),
            facts: OnceLock::new(),
            above: OnceLock::new(),
            of_the_test: OnceLock::new(),
            session: OnceLock::new(),
            allocation: Mutex::default(),
            resolving: Mutex::default(),
            finishing: Mutex::default(),
            reflection: ReflectionLog::default(),
            lookups: Lookups::default(),
            inputs: InputLog::default(),
            files: Files::default(),
            environment: Environment::default(),
            statics: Statics::default(),
            cached_objects: CachedObjects::default(),
            settings: Settings::default(),
            callers: Callers::default(),
            class_readers: ClassReaders::default(),
            archives: Archives::default(),
            hooks: Hooks::default(),
            state: Mutex::new(state),
        });
    }

    /// Whether a test started this JVM: it is then part of that test as a whole.
    pub(crate) fn is_started_by_a_test(&self) -> bool {
        self.above.get().is_some()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a test class has started and not ended.
    pub(crate) fn is_inside_a_test(&self) -> bool {
        self.state().units.inside_test()
    }

    /// Whether a class, by its signature, is known to be of a library.
    pub(crate) fn is_of_library(&self, class: &[u8]) -> bool {
        let name = class.strip_prefix(b"L");
        let name = name.and_then(|name| name.strip_suffix(b";"));
        name.is_some_and(|name| self.is_library(name))
    }

    /// Whether a class, by its internal name, is known to be of a library.
    pub(crate) fn is_library(&self, name: &[u8]) -> bool {
        let mut state = self.state();
        let location = state.classes.find(name).map(|class| class.location);
        location.is_some_and(|id| state.locations.is_library(id, &self.config.project))
    }

    /// Runs the body of a callback; a panic ends here, and costs the trust in this JVM's records.
    pub(crate) fn contain<T>(otherwise: T, body: impl FnOnce(&Agent) -> T) -> T {
        let Some(agent) = AGENT.get() else {
            return otherwise;
        };
        catch_unwind(AssertUnwindSafe(|| body(agent))).unwrap_or_else(|_| {
            agent.distrust("the agent failed inside the JVM".into());
            otherwise
        })
    }

    /// From now on, units of this JVM count as not fully recorded.
    pub(crate) fn distrust(&self, why: String) {
        let mut state = self.state();
        if state.distrust.is_none() {
            if let Some(spool) = &mut state.spool {
                spool.write(&[tamis_recording::Record::Problem {
                    message: why.clone(),
                }]);
            }
            state.distrust = Some(why);
        }
    }
}
