//! From the start of the JVM to its end: what is known of it, its spool, its verdict, its units.

use crate::agent::{Agent, State, thread};
use crate::classes::Used;
use crate::config::Mode;
use crate::facts::{now, property};
use crate::hooks;
use crate::locations;
use crate::probes;
use crate::sharing::settings;
use crate::sharing::{self, Extent, Ran};
use crate::spool::Spool;
use crate::verdict::Verdict;
use crate::watchers;
use crate::watchers::arguments;
use crate::watchers::outside;
use crate::watchers::processes;
use crate::watchers::reflection;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use tamis_attribution::{Bits, Part, Parts, Start, Unit, Units};
use tamis_classfile::decode_mutf8;
use tamis_inputs::{ALL, CLASS_PATH, Values, variables};
use tamis_jvmti::Jni;
use tamis_recording::{Outcome, Record};

/// The unit of a JVM that a test started.
const WHOLE: &str = "";

/// A JVM that runs tests.
pub(crate) struct Session {
    verdict: Verdict,
    /// Tests that have been told as skipped or wanted.
    told: Mutex<HashSet<String>>,
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
            let verdict = match unseen || agent.is_started_by_a_test() {
                true => Verdict::default(),
                false => {
                    let environment = values.variable(ALL);
                    Verdict::ask(&agent.config, &module, facts, &properties, environment)
                }
            };
            agent.environment.start_with(values);
            agent.settings.start(settings);
            processes::runs_tests(agent);
            let class_path = verdict.class_path.clone();
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
                let why = "this JVM does not show which resources and values are asked for";
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
                verdict,
                told: Mutex::default(),
            }
        }))
    }
}

/// Why what this JVM reads cannot be found again.
fn not_found(encoding: &str) -> String {
    format!("its JVM takes names of files as {encoding} and not as UTF-8")
}

/// Whether the verdict names the test as one that need not run. Such a class is no suite.
pub(crate) fn is_unaffected(agent: &Agent, jni: &mut Jni<'_>, test: &str) -> bool {
    Session::of(agent, jni).is_some_and(|session| session.verdict.skips(test))
}

/// Whether the test class need not run now; tells the spool of it. Suites are never asked about.
pub(crate) fn is_skipped(agent: &Agent, jni: &mut Jni<'_>, test: &str) -> bool {
    let unaffected = is_unaffected(agent, jni, test);
    let selecting = agent.config.mode == Mode::Select;
    if unaffected || selecting {
        let told = agent.session.get().map(|session| session.told.lock());
        let told = told.map(|told| told.unwrap_or_else(PoisonError::into_inner));
        if told.is_some_and(|mut told| told.insert(test.into()))
            && let Some(spool) = &mut agent.state().spool
        {
            let test = test.into();
            spool.write(&[if unaffected {
                Record::Skipped { test }
            } else {
                Record::Wanted { test }
            }]);
        }
    }
    unaffected || selecting
}

/// A test class starts.
pub(crate) fn start(
    agent: &Agent,
    jni: &mut Jni<'_>,
    test: &str,
    around: Vec<String>,
    suite: bool,
) {
    begin(agent, jni, test, |units| units.start(test, around, suite));
}

/// A test class will start, and what decides about that runs now.
pub(crate) fn announce(agent: &Agent, jni: &mut Jni<'_>, test: &str, around: Vec<String>) {
    begin(agent, jni, test, |units| units.announce(test, around));
}

/// Starts the one unit of a JVM that a test started.
pub(crate) fn start_as_a_whole(agent: &Agent, jni: &mut Jni<'_>) {
    if agent.is_started_by_a_test() {
        start(agent, jni, WHOLE, Vec::new(), false);
        for directory in arguments::directories_of_archives() {
            agent.files.look_for_archives(&agent.inputs, &directory);
        }
    }
}

fn begin(agent: &Agent, jni: &mut Jni<'_>, test: &str, start: impl FnOnce(&mut Units) -> Start) {
    // What runs tests inside a test is part of it.
    if agent.is_started_by_a_test() && test != WHOLE {
        return;
    }
    if Session::of(agent, jni).is_none() {
        return;
    }
    let settings = sharing::settings_if_they_may_differ(agent, jni);
    let mut guard = agent.state();
    let state = &mut *guard;
    probes::settle(agent, state, jni);
    if let Some(facts) = agent.facts.get().filter(|_| agent.config.records) {
        sharing::outside(agent, facts.jvmti, jni, state, settings);
    }
    let start = start(&mut state.units);
    if matches!(start, Start::New(_)) {
        watchers::unit_starts(agent);
    }
    if let Start::New(unit) = start
        && let Some(spool) = &mut state.spool
    {
        let at_ms = now().as_millis() as u64;
        spool.write(&[Record::UnitStarted {
            unit,
            test: test.into(),
            at_ms,
        }]);
    }
    drop(guard);
    goes_on(agent, jni);
}

/// What other threads are in the middle of counts for who is active now. What they enter from now on
/// leaves its traces, so this comes behind the boundary.
fn goes_on(agent: &Agent, jni: &mut Jni<'_>) {
    let running = running(agent, jni);
    agent.state().goes_on(&running, agent.config.receivers);
}

/// The classes of which other threads are executing methods: what goes on now left its traces in
/// what came before.
fn running(agent: &Agent, jni: &mut Jni<'_>) -> HashSet<Vec<u8>> {
    let facts = agent.facts.get().filter(|_| agent.config.records);
    let running = facts.map(|facts| facts.jvmti.classes_on_other_stacks(jni));
    match running {
        Some(Ok(classes)) => classes,
        Some(Err(error)) => {
            agent.distrust(format!("other threads could not be seen: {error}"));
            HashSet::new()
        }
        None => HashSet::new(),
    }
}

impl State {
    /// Whatever may go on of these classes counts for who is active now; with `receivers`, on any
    /// object.
    fn goes_on(&mut self, running: &HashSet<Vec<u8>>, receivers: bool) {
        let names = running.iter();
        let names = names.filter_map(|class| class.strip_prefix(b"L")?.strip_suffix(b";"));
        let mut probes: Vec<u32> = names
            .flat_map(|name| self.classes.all_probes(name))
            .collect();
        if receivers {
            let pairs = probes.iter().map(|probe| self.classes.pair(*probe, None));
            let pairs: Vec<u32> = pairs.flatten().collect();
            probes.extend(pairs);
        }
        self.units.executed(&probes.into_iter().collect());
    }
}

/// A test class ends.
pub(crate) fn finish(agent: &Agent, jni: &mut Jni<'_>, test: &str) {
    let in_order = agent.finishing.lock();
    let Some(ended) = settle_unit(agent, jni, test) else {
        return;
    };
    locations::resolve(agent, jni, &ended.places);
    let types = outside::records(agent, jni, &ended.supertypes);
    write_unit(agent, ended, types);
    drop(in_order);
}

/// A unit that has ended.
struct Ended {
    unit: Unit,
    /// What it used, or what each of its tests used.
    used: Whole,
    /// Classes of which the first object was made since the last unit ended.
    created: Vec<u32>,
    /// Classes that were asked for their members since then for the first time.
    looked_at: Vec<u32>,
    /// The classes of both that the spool does not know yet, and their locations.
    untold: Vec<u32>,
    places: Vec<u32>,
    /// Names of their supertypes that may be types of the JDK and are not recorded yet.
    supertypes: Vec<Vec<u8>>,
    /// The roots of shared state that it changed, by their names.
    changed: Vec<String>,
}

/// A class that is one unit, or its single tests.
enum Whole {
    Class(Box<Used>),
    Tests(Vec<(Part, Used)>),
}

impl Whole {
    fn all_mut(&mut self) -> impl Iterator<Item = &mut Used> {
        let (class, tests) = match self {
            Whole::Class(used) => (Some(&mut **used), &mut [][..]),
            Whole::Tests(tests) => (None, &mut tests[..]),
        };
        let tests = tests.iter_mut().map(|(_, used)| used);
        class.into_iter().chain(tests)
    }

    fn all(&self) -> impl Iterator<Item = &Used> {
        let (class, tests) = match self {
            Whole::Class(used) => (Some(&**used), &[][..]),
            Whole::Tests(tests) => (None, &tests[..]),
        };
        class.into_iter().chain(tests.iter().map(|(_, used)| used))
    }
}

/// The unit that ends with `test`, and what it depends on.
fn settle_unit(agent: &Agent, jni: &mut Jni<'_>, test: &str) -> Option<Ended> {
    let settings = match agent.config.records {
        true => sharing::settings(agent, jni),
        false => None,
    };
    let mut state = agent.state();
    let state = &mut *state;
    probes::settle(agent, state, jni);
    reflection::settle(agent, &mut state.classes);
    for seen in state.units.settle_initializers(thread()) {
        state.classes.initialized(&seen);
    }
    let mut unit = state.units.finish(test)?;
    let own_probes = unit.probes.clone();
    let looked_at = state.classes.newly_asked();
    let own = unit.name.replace('.', "/");
    let mut test_classes: Vec<Vec<u8>> =
        unit.classes().map(|n| n.replace('.', "/").into()).collect();
    test_classes.extend(state.classes.nested_in(own.as_bytes()));
    // What names others looked up before does not matter.
    unit.outer = state.classes.with_names_if_asked(&unit.outer).into_owned();
    unit.probes.union(&unit.outer);
    let parts = unit.parts_of_class.take();
    let (locations, project) = (&mut state.locations, &agent.config.project);
    let is_own = |location: u32| !locations.is_library(location, project);
    let split = parts
        .filter(|_| {
            !unit.container
                && !state
                    .classes
                    .are_ordered(test_classes.iter().map(Vec::as_slice), is_own)
        })
        .and_then(|parts| parts.split(&state.classes.constructors_of(test)));
    let facts = agent.facts.get()?;
    let by_parts = state.parts.remove(&unit.id).unwrap_or_default();
    let jvmti = facts.jvmti;
    let ran = Ran {
        unit: unit.id,
        executed: &own_probes,
        classes: &test_classes,
    };
    state.shared.ends(unit.id);
    let found = sharing::changed_roots(agent, jvmti, jni, state, ran, Extent::Unit, settings);
    let mut changed = [&by_parts.changed[..], &found.changed].concat();
    changed.sort_unstable();
    changed.dedup();
    let mut late = Vec::new();
    let mut dependencies = |state: &mut State, probes: &Bits| {
        let ran = Ran {
            executed: probes,
            ..ran
        };
        let (used, also_changed) = sharing::dependencies(agent, jvmti, jni, state, ran);
        late.extend(also_changed);
        used
    };
    let mut used = match split {
        None => Whole::Class(Box::new(dependencies(state, &unit.probes))),
        Some((mut shared, parts)) => {
            shared.union(&unit.outer);
            let of_class = (&parts[..], &shared, &unit.outer);
            let together =
                sharing::together(agent, state, &test_classes, of_class, &by_parts, &changed);
            let mut all: Vec<(Part, Bits, Used)> = Vec::new();
            for (part, probes) in parts.into_iter().zip(together) {
                // Those that share state have executed the same.
                let same = all.iter().find(|(_, others, _)| *others == probes);
                let used = match same {
                    Some((_, _, used)) => used.clone(),
                    None => dependencies(state, &probes),
                };
                all.push((part, probes, used));
            }
            Whole::Tests(
                all.into_iter()
                    .map(|(part, _, used)| (part, used))
                    .collect(),
            )
        }
    };
    changed.extend(late);
    state.names.insert(unit.id, unit.name.clone());
    if !changed.is_empty() || state.shared.may_blame(unit.id) {
        let mut footprint = Bits::default();
        used.all().for_each(|used| footprint.union(&used.probes));
        state.shared.keep(unit.id, footprint);
    }
    state.shared.has_ended(unit.id);
    let changed = changed.iter().map(|root| sharing::name(agent, *root));
    let changed: Vec<String> = changed.collect();
    let has_modules = agent.facts.get().is_some_and(|facts| facts.has_modules);
    for used in used.all_mut() {
        used.inputs.extend(state.classes.there(&used.linked));
        if used.packages {
            used.inputs.push(state.classes.manifests());
        }
        if used.class_path {
            let value = agent.environment.property(CLASS_PATH);
            used.inputs.push(state.classes.class_path(value));
        }
        if has_modules {
            used.inputs.push(state.classes.declarations());
        }
        used.inputs.sort_unstable();
        used.inputs.dedup();
        used.classes.extend(state.classes.absent(&used.absent));
        used.classes.sort_unstable();
    }
    let created = state.classes.created(state.units.ever());
    let mut untold = Vec::new();
    let mut places = Vec::new();
    let receivers = used.all().flat_map(|used| &used.receivers);
    let receivers = receivers.map(|(_, class)| class);
    let mut supertypes = Vec::new();
    let classes = used.all().flat_map(|used| &used.classes);
    let classes = classes.chain(receivers).chain(&created).chain(&looked_at);
    let mut classes: Vec<u32> = classes.copied().collect();
    classes.sort_unstable();
    classes.dedup();
    for id in classes {
        if let Some(class) = state.classes.get(id).filter(|class| !class.written) {
            untold.push(id);
            places.push(class.location);
            outside::add_supertypes(&class.print, &mut supertypes);
        }
    }
    places.sort_unstable();
    places.dedup();
    supertypes.retain(|name| outside::has_copies(name) || state.classes.find(name).is_none());
    state.outside.narrow(&mut supertypes);
    Some(Ended {
        unit,
        used,
        created,
        looked_at,
        untold,
        places,
        supertypes,
        changed,
    })
}

fn write_unit(agent: &Agent, ended: Ended, types: Vec<Record>) {
    let Ended { unit, used, .. } = ended;
    let mut state = agent.state();
    let state = &mut *state;
    let mut records = types;
    let inputs = state.classes.new_inputs().into_iter();
    records.extend(inputs.map(|(id, (input, state))| Record::Input { id, input, state }));
    let mut distrust = state.distrust.clone();
    if state.units.is_cut(&unit.name) {
        distrust.get_or_insert("only some of its tests ran".into());
    }
    let started_ms = agent.facts.get().map_or(0, |facts| facts.started_ms);
    for id in ended.untold {
        let Some(class) = state.classes.get(id).filter(|class| !class.written) else {
            continue;
        };
        let Some(name) = decode_mutf8(state.classes.name(class)) else {
            distrust.get_or_insert("a class has a name that is not valid Unicode".into());
            continue;
        };
        if class.absent {
            records.push(Record::Absent { id, name });
            if let Some(class) = state.classes.get_mut(id) {
                class.written = true;
            }
            continue;
        }
        let (mut location, raw, smart) = (class.location, class.raw, class.smart);
        let url = state.locations.url(location).unwrap_or_default();
        if agent.files.is_made_by_tests(&url, &name, started_ms) {
            // It is known by the code that makes it.
            location = 0;
        }
        let encoding = agent
            .facts
            .get()
            .and_then(|facts| facts.other_names.as_ref());
        if let Some(encoding) =
            encoding.filter(|_| state.locations.is_beyond_ascii(location, &name))
        {
            // All that come later may use it too.
            let why = state.distrust.get_or_insert_with(|| not_found(encoding));
            distrust.get_or_insert(why.clone());
        }
        let members = state.classes.members(class);
        let Some(class) = state.classes.get_mut(id) else {
            continue;
        };
        class.written = true;
        let print = std::mem::take(&mut class.print);
        let blocks = std::mem::take(&mut class.blocks);
        let counts = class.counts.to_vec();
        records.extend(state.locations.record(location));
        records.push(Record::Class {
            id,
            name,
            location,
            raw,
            smart,
            print,
            members,
            counts,
            blocks,
        });
    }
    let finished = |unit: u32, outcome, duration_us, used: Used| Record::UnitFinished {
        unit,
        outcome,
        container: false,
        split: false,
        duration_us,
        classes: used.classes,
        checked: used.checked,
        members: used.members,
        inputs: used.inputs,
        looks: agent.reflection.seen_by(used.looks, used.asks),
        created: Vec::new(),
        looked_at: Vec::new(),
        distrust: distrust.clone(),
        receivers: agent.config.receivers.then_some(used.receivers),
        inherited: used.inherited,
        changed: ended.changed.clone(),
    };
    let (of_class, tests) = match used {
        Whole::Class(used) => (*used, None),
        Whole::Tests(tests) => (Used::default(), Some(tests)),
    };
    let mut whole = finished(unit.id, unit.outcome, unit.micros(), of_class);
    if let Record::UnitFinished {
        container, split, ..
    } = &mut whole
    {
        *container = unit.container;
        *split = tests.is_some();
    }
    let mut units = Vec::new();
    for (part, used) in tests.into_iter().flatten() {
        let unit = state.units.next_id();
        units.push(Record::UnitStarted {
            unit,
            test: part.name.clone(),
            at_ms: now().as_millis() as u64,
        });
        units.push(finished(unit, part.outcome, part.micros(), used));
    }
    // Behind its tests: if the spool is cut off between them, the class did not end.
    units.push(whole);
    let first = units.iter_mut().find_map(|record| match record {
        Record::UnitFinished {
            created, looked_at, ..
        } => Some((created, looked_at)),
        _ => None,
    });
    if let Some((created, looked_at)) = first {
        *created = ended.created;
        *looked_at = ended.looked_at;
    }
    records.extend(units);
    if let Some(spool) = &mut state.spool {
        spool.write(&records);
    }
}

/// A test in the class `test` did not simply pass.
pub(crate) fn outcome(agent: &Agent, test: Option<&str>, outcome: Outcome) {
    agent.state().units.outcome(test, outcome);
}

/// A single test of the class `class` did not simply pass.
pub(crate) fn part_outcome(agent: &Agent, class: &str, part: &str, outcome: Outcome) {
    agent.state().units.part_outcome(class, part, outcome);
}

/// A single test of the class `class` starts.
pub(crate) fn part_started(agent: &Agent, jni: &mut Jni<'_>, class: &str, part: &str) {
    at_part(agent, jni, class, |parts| parts.start(part));
    if agent.config.by_method {
        watchers::at_single_test(agent, true);
        goes_on(agent, jni);
    }
}

/// A single test of the class `class` ends.
pub(crate) fn part_finished(agent: &Agent, jni: &mut Jni<'_>, class: &str, part: &str) {
    at_part(agent, jni, class, |parts| parts.finish(part));
    if agent.config.by_method {
        watchers::at_single_test(agent, false);
        sharing::part_finished(agent, jni, class, part);
    }
}

/// The tests of the class `class` cannot be told apart.
pub(crate) fn merge_parts(agent: &Agent, class: &str) {
    if let Some(parts) = agent.state().units.parts(class) {
        parts.merge();
    }
}

fn at_part(agent: &Agent, jni: &Jni<'_>, class: &str, change: impl FnOnce(&mut Parts)) {
    let mut state = agent.state();
    let state = &mut *state;
    if state.units.parts(class).is_some() {
        probes::settle(agent, state, jni);
    }
    if let Some(parts) = state.units.parts(class) {
        change(parts);
    }
}

/// Whether a single test need not run, though others of its class do; tells the spool of it.
pub(crate) fn is_part_skipped(agent: &Agent, jni: &mut Jni<'_>, part: &str) -> bool {
    agent.config.by_method && is_skipped(agent, jni, part)
}

/// Whether some tests of this class need not run.
pub(crate) fn skips_parts(agent: &Agent, jni: &mut Jni<'_>, class: &str) -> bool {
    let session = Session::of(agent, jni);
    agent.config.by_method && session.is_some_and(|session| session.verdict.skips_parts(class))
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
