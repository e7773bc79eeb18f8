use tamis_identity::TestName;
use tamis_inputs::Input;
use tamis_wire::{Reader, Writer};

/// How a unit ended, as the agent saw it. The worst one counts when a test ran several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum UnitOutcome {
    /// Every test in it passed.
    Passed = 0,
    /// It was disabled as a whole (`@Disabled`, `@Ignore`).
    Ignored = 1,
    /// An assumption failed in at least one test.
    Aborted = 2,
    /// At least one test failed.
    Failed = 3,
}

/// The class of a receiver that is not recorded: any class may be meant.
pub const ANY: u32 = u32::MAX;

/// The reflection uses of a unit: what its code can see of members without calling them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReflectionUse {
    /// The names of methods that run, as a stack shows them.
    pub traces: bool,
    /// The number of classes, in the order in which they were asked, whose members it can see.
    pub members: u32,
    /// The members of any class.
    pub unlogged: bool,
}

/// The state through which a unit inherits, and from whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inherited {
    /// The name of the shared state: a static field, `a.b.C.field`, or an object that a framework caches.
    pub through: String,
    /// Test classes that changed it before, not more than a few.
    pub from: Vec<String>,
}

/// A record: one observation of the agent. Paths are absolute here; the store makes them relative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// First record of a JVM that runs tests; written before the first unit.
    Jvm {
        /// Process id.
        pid: u32,
        /// Milliseconds since 1970.
        started_ms: u64,
        /// `java.vm.name` and `java.vm.version`, everything that identifies the runtime.
        runtime: String,
        /// Directory of the module whose tests run here.
        module: String,
        /// Class and module path entries, in order.
        class_path: Vec<String>,
        /// Whether what tests use is recorded; if not, only how they end counts.
        records: bool,
        /// If a test started it: its process id and those of the processes above it, up to the JVM
        /// that runs the test. It has one unit, which is no test.
        above: Vec<u32>,
    },
    /// Where classes come from; ids start at 1.
    Location {
        /// The id.
        id: u32,
        /// The URL of the code source.
        url: String,
    },
    /// A class that was loaded.
    Class {
        /// Its id in this spool.
        id: u32,
        /// Internal name, `a/b/C`.
        name: String,
        /// Location id, 0 if the JVM knows none.
        location: u32,
        /// Checksum of its bytes.
        raw: u128,
        /// Smart checksum; absent where only the bytes count.
        smart: Option<u128>,
        /// Its fingerprint, encoded; empty exactly if there is no smart checksum.
        print: Vec<u8>,
        /// The number of its first method among the members of this spool; the others follow in
        /// the order of the class file. Absent if what is executed of it cannot be seen: whoever
        /// uses it uses all of it.
        members: Option<u32>,
        /// How many numbers each method has, one per basic block; empty if each has one.
        counts: Vec<u16>,
        /// The basic blocks of its methods, encoded; empty if there are no counts.
        blocks: Vec<u8>,
    },
    /// A class that was looked up by name and does not exist.
    Absent {
        /// Its id, among those of the classes.
        id: u32,
        /// Internal name, `a/b/C`.
        name: String,
    },
    /// An input of tests.
    Input {
        /// Its id in this spool.
        id: u32,
        /// What it is; files by their absolute paths, which need not be Unicode.
        input: Input<Vec<u8>>,
        /// The digest of what could be seen; absent if it is unknown, or if the store must find
        /// out.
        state: Option<u128>,
    },
    /// A unit started.
    UnitStarted {
        /// Id of this unit in this spool.
        unit: u32,
        /// Which test it is.
        test: TestName,
        /// Milliseconds since 1970.
        at_ms: u64,
    },
    /// A test class ended; with all it used.
    UnitFinished {
        /// The unit's id.
        unit: u32,
        /// How it ended.
        outcome: UnitOutcome,
        /// Whether other test classes ran inside it (a suite): it is then never skipped as a whole.
        container: bool,
        /// Whether its tests are units of their own (`a.FooTest#bar`), which stand before it: then it
        /// stands for none of them, and says that they are all there.
        split: bool,
        /// How long it took.
        duration_us: u64,
        /// Ids of the classes it used, ascending.
        classes: Vec<u32>,
        /// Those of them that it used in type checks alone (casts, `instanceof`, handlers), ascending.
        checked: Vec<u32>,
        /// Numbers of the methods it executed, ascending, with those of the initializers it
        /// depends on.
        members: Vec<u32>,
        /// Ids of its inputs, ascending.
        inputs: Vec<u32>,
        /// The reflection uses of the code that it executed.
        reflection: ReflectionUse,
        /// Ids of the classes of which the first object was made since the last unit ended,
        /// ascending.
        created: Vec<u32>,
        /// Ids of the classes that any code first asked for their members since the last unit ended,
        /// in that order.
        inspected: Vec<u32>,
        /// Why its dependencies may be incomplete, if so: it must run next time.
        distrust: Option<String>,
        /// Pairs of a method that it executed and a class of objects on which that ran, if they
        /// were asked for: the number of the method and the id of the class, or [`ANY`], ascending.
        /// Of static and private methods, constructors and methods of final classes there are
        /// none, and none of a method with its own class.
        receivers: Option<Vec<(u32, u32)>>,
        /// From whom it inherits what they used, because it may have read state that they changed.
        inherited: Vec<Inherited>,
        /// The places of shared state that it changed itself, by their names.
        changed: Vec<String>,
    },
    /// The build asked for this test, and the verdict let the agent skip it.
    Skipped {
        /// Which.
        test: TestName,
    },
    /// The build asked for this test in a run that only asks (`tamis select`): it would run.
    Wanted {
        /// Which.
        test: TestName,
    },
    /// Something went wrong in the agent; the tests of this JVM carry it as their distrust.
    Problem {
        /// What, as a lower-case fragment.
        message: String,
    },
    /// The JVM ended in an orderly way.
    Closed,
    /// A type without a `Class` record that classes have among their supertypes: one of the JDK.
    Outside {
        /// Internal name, `a/b/C`.
        name: String,
        /// Internal names of its direct supertypes.
        supertypes: Vec<String>,
        /// The signatures (`tamis_fingerprint::signature`) of all methods that it declares.
        methods: Vec<u64>,
    },
}

impl Record {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Record::Jvm {
                pid,
                started_ms,
                runtime,
                module,
                class_path,
                records,
                above,
            } => out
                .byte(1)
                .number(*pid)
                .number(*started_ms)
                .text(runtime)
                .text(module)
                .texts(class_path)
                .flag(*records)
                .list(above, |out, pid| out.number(*pid)),
            Record::Location { id, url } => out.byte(2).number(*id).text(url),
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
            } => out
                .byte(3)
                .number(*id)
                .text(name)
                .number(*location)
                .digest(*raw)
                .option(*smart, Writer::digest)
                .bytes(print)
                .option(*members, Writer::number)
                .list(counts, |out, count| out.number(*count))
                .bytes(blocks),
            Record::Absent { id, name } => out.byte(11).number(*id).text(name),
            Record::Input { id, input, state } => {
                out.byte(12).number(*id);
                input.write(&mut out, |out, place| out.bytes(place));
                out.option(*state, Writer::digest)
            }
            Record::UnitStarted { unit, test, at_ms } => {
                let test = test.to_string();
                out.byte(4).number(*unit).text(&test).number(*at_ms)
            }
            Record::UnitFinished {
                unit,
                outcome,
                container,
                split,
                duration_us,
                classes,
                checked,
                members,
                inputs,
                reflection,
                created,
                inspected,
                distrust,
                receivers,
                inherited,
                changed,
            } => out
                .byte(5)
                .number(*unit)
                .byte(*outcome as u8)
                .flag(*container)
                .flag(*split)
                .number(*duration_us)
                .ascending(classes)
                .ascending(checked)
                .ascending(members)
                .ascending(inputs)
                .flag(reflection.traces)
                .number(reflection.members)
                .flag(reflection.unlogged)
                .ascending(created)
                .list(inspected, |out, class| out.number(*class))
                .option(distrust.as_deref(), Writer::text)
                .option(receivers.as_deref(), Writer::pairs)
                .list(inherited, |out, inherited| {
                    out.text(&inherited.through).texts(&inherited.from)
                })
                .texts(changed),
            Record::Skipped { test } => out.byte(6).text(&test.to_string()),
            Record::Wanted { test } => out.byte(7).text(&test.to_string()),
            Record::Problem { message } => out.byte(8).text(message),
            Record::Closed => out.byte(9),
            Record::Outside {
                name,
                supertypes,
                methods,
            } => out
                .byte(10)
                .text(name)
                .texts(supertypes)
                .list(methods, |out, method| out.fixed(method.to_le_bytes())),
        };
        out.finish()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Record> {
        tamis_wire::read(bytes, Record::read)
    }

    fn read(from: &mut Reader<'_>) -> Option<Record> {
        Some(match from.byte()? {
            1 => Record::Jvm {
                pid: from.number()?,
                started_ms: from.number()?,
                runtime: from.text()?.to_owned(),
                module: from.text()?.to_owned(),
                class_path: from.texts()?,
                records: from.flag()?,
                above: from.list(Reader::number)?,
            },
            2 => Record::Location {
                id: from.number()?,
                url: from.text()?.to_owned(),
            },
            3 => Record::Class {
                id: from.number()?,
                name: from.text()?.to_owned(),
                location: from.number()?,
                raw: from.digest()?,
                smart: from.option(Reader::digest)?,
                print: from.bytes()?.to_vec(),
                members: from.option(Reader::number)?,
                counts: from.list(Reader::number)?,
                blocks: from.bytes()?.to_vec(),
            },
            4 => Record::UnitStarted {
                unit: from.number()?,
                test: from.text()?.into(),
                at_ms: from.number()?,
            },
            5 => Record::UnitFinished {
                unit: from.number()?,
                outcome: match from.byte()? {
                    0 => UnitOutcome::Passed,
                    1 => UnitOutcome::Ignored,
                    2 => UnitOutcome::Aborted,
                    3 => UnitOutcome::Failed,
                    _ => return None,
                },
                container: from.flag()?,
                split: from.flag()?,
                duration_us: from.number()?,
                classes: from.ascending()?,
                checked: from.ascending()?,
                members: from.ascending()?,
                inputs: from.ascending()?,
                reflection: ReflectionUse {
                    traces: from.flag()?,
                    members: from.number()?,
                    unlogged: from.flag()?,
                },
                created: from.ascending()?,
                inspected: from.list(Reader::number)?,
                distrust: from.option(|from| from.text().map(str::to_owned))?,
                receivers: from.option(Reader::pairs)?,
                inherited: from.list(|from| {
                    Some(Inherited {
                        through: from.text()?.to_owned(),
                        from: from.texts()?,
                    })
                })?,
                changed: from.texts()?,
            },
            6 => Record::Skipped {
                test: from.text()?.into(),
            },
            7 => Record::Wanted {
                test: from.text()?.into(),
            },
            8 => Record::Problem {
                message: from.text()?.to_owned(),
            },
            9 => Record::Closed,
            10 => Record::Outside {
                name: from.text()?.to_owned(),
                supertypes: from.texts()?,
                methods: from.list(|from| from.fixed().map(u64::from_le_bytes))?,
            },
            11 => Record::Absent {
                id: from.number()?,
                name: from.text()?.to_owned(),
            },
            12 => Record::Input {
                id: from.number()?,
                input: Input::read(from, |from| from.bytes().map(<[u8]>::to_vec))?,
                state: from.option(Reader::digest)?,
            },
            _ => return None,
        })
    }
}
