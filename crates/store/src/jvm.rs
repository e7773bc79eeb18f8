use crate::Project;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tamis_fingerprint::Digest;
use tamis_inputs::Input;
use tamis_recording::{Damage, Inherited, Record, ReflectionUse, Spool, UnitOutcome};
use tamis_select::TestName;

use crate::locate::Recorded;

/// The recording of one JVM, sorted.
#[derive(Debug, Default)]
pub(crate) struct Jvm<'a> {
    pub(crate) module: String,
    pub(crate) runtime: &'a str,
    pub(crate) started_ms: u64,
    /// Files that changed at this time or later may have changed since it started.
    pub(crate) since_ms: u64,
    pub(crate) class_path: Vec<PathBuf>,
    /// If a test started it: its process and those above it, up to the JVM that runs the test.
    pub(crate) above: &'a [u32],
    /// Whether it recorded what tests use.
    pub(crate) records: bool,
    pub(crate) classes: HashMap<u32, Recorded<'a>>,
    /// The names of classes that were looked up and did not exist.
    pub(crate) absent: HashMap<u32, &'a str>,
    /// Its inputs.
    pub(crate) inputs: Vec<InputState<'a>>,
    pub(crate) units: Vec<Unit<'a>>,
    /// Ids of the classes of which objects were made, in that order as far as units tell.
    pub(crate) created: Vec<u32>,
    /// Ids of the classes that were asked for their members, in that order as far as units tell.
    pub(crate) inspected: Vec<u32>,
    pub(crate) skipped: Vec<&'a TestName>,
    pub(crate) wanted: Vec<&'a TestName>,
    /// Name, supertypes and methods of types without fingerprint.
    pub(crate) outside: Vec<(&'a str, &'a [String], &'a [u64])>,
}

/// The id of an input, the input and its state.
pub(crate) type InputState<'a> = (u32, &'a Input<Vec<u8>>, Option<u128>);

/// A test that started, and how it ended if it did.
#[derive(Debug)]
pub(crate) struct Unit<'a> {
    pub(crate) test: &'a TestName,
    pub(crate) at_ms: u64,
    pub(crate) end: Option<End<'a>>,
}

/// How a unit ended.
#[derive(Debug)]
pub(crate) struct End<'a> {
    pub(crate) outcome: UnitOutcome,
    pub(crate) container: bool,
    pub(crate) split: bool,
    pub(crate) duration_us: u64,
    pub(crate) classes: &'a [u32],
    pub(crate) checked: &'a [u32],
    pub(crate) members: &'a [u32],
    pub(crate) inputs: &'a [u32],
    pub(crate) reflection: ReflectionUse,
    /// How many classes had objects when it ended.
    pub(crate) created: usize,
    pub(crate) distrust: Option<&'a str>,
    pub(crate) receivers: Option<&'a [(u32, u32)]>,
    pub(crate) inherited: &'a [Inherited],
    pub(crate) changed: &'a [String],
}

impl<'a> Jvm<'a> {
    /// `None` if the records do not say of which JVM they are.
    pub(crate) fn new(project: &Project, spool: &'a Spool) -> Option<Self> {
        let records = &spool.records;
        let mut jvm = records
            .iter()
            .find_map(|record| Jvm::start(project, record))?;
        let mut sources: HashMap<u32, &str> = HashMap::new();
        let mut units: HashMap<u32, usize> = HashMap::new();
        // What cannot be read may have been a problem.
        let damaged = (spool.damage == Some(Damage::Corrupt)).then_some("its record is damaged");
        let mut problem = damaged;
        for record in records {
            match record {
                Record::Location { id, url } => {
                    sources.insert(*id, url);
                }
                Record::Class {
                    id,
                    name,
                    location,
                    raw,
                    smart,
                    print,
                    members,
                    counts,
                    blocks,
                } => {
                    let source = sources.get(location).copied();
                    let (raw, smart) = (Digest(*raw), smart.map(Digest));
                    jvm.classes.insert(
                        *id,
                        Recorded {
                            name,
                            source,
                            raw,
                            smart,
                            print,
                            members: *members,
                            counts,
                            blocks,
                        },
                    );
                }
                Record::Absent { id, name } => {
                    jvm.absent.insert(*id, name);
                }
                Record::Input { id, input, state } => jvm.inputs.push((*id, input, *state)),
                Record::UnitStarted { unit, test, at_ms } => {
                    units.insert(*unit, jvm.units.len());
                    jvm.units.push(Unit {
                        test,
                        at_ms: *at_ms,
                        end: None,
                    });
                }
                Record::UnitFinished {
                    unit,
                    created,
                    inspected,
                    ..
                } => {
                    jvm.created.extend(created);
                    jvm.inspected.extend(inspected);
                    let created = jvm.created.len();
                    let unit = units.get(unit).and_then(|at| jvm.units.get_mut(*at));
                    if let Some(unit) = unit {
                        unit.end = End::new(record, created);
                    }
                }
                Record::Skipped { test } => jvm.skipped.push(test),
                Record::Wanted { test } => jvm.wanted.push(test),
                Record::Problem { message } => problem = Some(message.as_str()),
                Record::Outside {
                    name,
                    supertypes,
                    methods,
                } => jvm.outside.push((name, supertypes, methods)),
                Record::Jvm { .. } | Record::Closed => {}
            }
        }
        jvm.since_ms = since(&jvm);
        // A problem may concern tests that had ended before it was noticed.
        for end in jvm.units.iter_mut().filter_map(|unit| unit.end.as_mut()) {
            end.distrust = end.distrust.or(problem);
        }
        Some(jvm)
    }

    fn start(project: &Project, record: &'a Record) -> Option<Self> {
        let Record::Jvm {
            started_ms,
            runtime,
            module,
            class_path,
            records,
            above,
            ..
        } = record
        else {
            return None;
        };
        // A relative entry, as is the empty one, means the JVM's own directory.
        let entry = |entry: &String| Path::new(module).join(entry);
        Some(Jvm {
            module: project.module_name(Path::new(module)),
            runtime,
            started_ms: *started_ms,
            class_path: class_path.iter().map(entry).collect(),
            records: *records,
            above,
            ..Jvm::default()
        })
    }
}

impl Jvm<'_> {
    /// Whether it is, or was started by, this process, which a test started.
    pub(crate) fn is_below(&self, pid: u32) -> bool {
        let tests = self.above.len().saturating_sub(1);
        self.above.iter().take(tests).any(|above| *above == pid)
    }

    /// Whether it ran one test class and no other; suites hold tests and are none.
    pub(crate) fn runs_one_class(&self) -> bool {
        let is_suite = |unit: &&Unit<'_>| unit.end.as_ref().is_some_and(|end| end.container);
        let tests = self.units.iter().filter(|unit| !is_suite(unit));
        let classes: HashSet<&TestName> = tests.map(|unit| unit.test).collect();
        classes.len() == 1
    }

    /// The processes that an input stands for, and whether it must be known what they used.
    pub(crate) fn processes(&self) -> HashMap<u32, (u32, bool)> {
        let processes = self.inputs.iter().filter_map(|(id, input, _)| match input {
            Input::Process { pid, is_jvm } => Some((*id, (*pid, *is_jvm))),
            _ => None,
        });
        processes.collect()
    }
}

/// The start of a JVM; or, if the clock was set back since, the beginning of time: then the times of
/// files tell nothing.
fn since(jvm: &Jvm<'_>) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_ms = now.map_or(0, |now| now.as_millis() as u64);
    let units = jvm.units.iter().map(|unit| unit.at_ms);
    let readings = [jvm.started_ms].into_iter().chain(units).chain([now_ms]);
    match readings.is_sorted() {
        true => jvm.started_ms,
        false => 0,
    }
}

impl<'a> End<'a> {
    fn new(record: &'a Record, created: usize) -> Option<Self> {
        match record {
            Record::UnitFinished {
                outcome,
                container,
                split,
                duration_us,
                classes,
                checked,
                members,
                inputs,
                reflection,
                distrust,
                receivers,
                inherited,
                changed,
                ..
            } => Some(End {
                outcome: *outcome,
                container: *container,
                split: *split,
                duration_us: *duration_us,
                classes,
                checked,
                members,
                inputs,
                reflection: *reflection,
                created,
                distrust: distrust.as_deref(),
                receivers: receivers.as_deref(),
                inherited,
                changed,
            }),
            _ => None,
        }
    }
}
