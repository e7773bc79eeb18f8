use crate::wire::{Decoder, Encoder};
use tamis_inputs::{Aspect, Input};

/// How a unit ended. The worst one counts when a test ran several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
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

/// What code can see of the members of classes without calling them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReflectionUse {
    /// The names of methods that run, as a stack shows them.
    pub traces: bool,
    /// The members of the first so many classes that the agent saw being asked for them.
    pub members: u32,
    /// The members of any class.
    pub unseen: bool,
}

/// Why a unit inherits what others used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inherited {
    /// The place of the shared state: a static field, `a.b.C.field`, or what a framework keeps.
    pub through: String,
    /// Test classes that changed it before, not more than a few.
    pub from: Vec<String>,
}

/// One thing the agent saw. Paths are absolute here; the store makes them relative.
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
    /// Something beside code that tests look at.
    Input {
        /// Its id in this spool.
        id: u32,
        /// What it is; files by their absolute paths, which need not be Unicode.
        input: Input<Vec<u8>>,
        /// The digest of what could be seen; absent if nobody can say, or if the store must find
        /// out.
        state: Option<u128>,
    },
    /// A test class started.
    UnitStarted {
        /// Id of this unit in this spool.
        unit: u32,
        /// Binary name of the test class, `a.b.FooTest`, or a test of it, `a.b.FooTest#bar`.
        test: String,
        /// Milliseconds since 1970.
        at_ms: u64,
    },
    /// A test class ended; with all it used.
    UnitFinished {
        /// The unit's id.
        unit: u32,
        /// How it ended.
        outcome: Outcome,
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
        /// Ids of what it looked at beside code, ascending.
        inputs: Vec<u32>,
        /// What code that it executed can see of the members of classes.
        looks: ReflectionUse,
        /// Ids of the classes of which the first object was made since the last unit ended,
        /// ascending.
        created: Vec<u32>,
        /// Ids of the classes that were first asked for their members since the last unit ended,
        /// by whomever, in that order.
        looked_at: Vec<u32>,
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
    /// The build asked for this test class, and the verdict let the agent skip it.
    Skipped {
        /// Binary name of the test class.
        test: String,
    },
    /// The build asked for this test class in a run that only asks (`tamis select`): it would run.
    Wanted {
        /// Binary name of the test class.
        test: String,
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
        let mut e = Encoder::default();
        match self {
            Record::Jvm {
                pid,
                started_ms,
                runtime,
                module,
                class_path,
                records,
                above,
            } => {
                e.byte(1)
                    .uint((*pid).into())
                    .uint(*started_ms)
                    .text(runtime)
                    .text(module)
                    .texts(class_path)
                    .byte(u8::from(*records))
                    .uint(above.len() as u64);
                for pid in above {
                    e.uint((*pid).into());
                }
            }
            Record::Location { id, url } => {
                e.byte(2).uint((*id).into()).text(url);
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
                e.byte(3)
                    .uint((*id).into())
                    .text(name)
                    .uint((*location).into())
                    .digest(*raw);
                e.byte(u8::from(smart.is_some()))
                    .digest(smart.unwrap_or_default());
                e.blob(print)
                    .byte(u8::from(members.is_some()))
                    .uint(members.unwrap_or_default().into());
                e.uint(counts.len() as u64);
                for count in counts {
                    e.uint((*count).into());
                }
                e.blob(blocks);
            }
            Record::Absent { id, name } => {
                e.byte(11).uint((*id).into()).text(name);
            }
            Record::Input { id, input, state } => {
                e.byte(12).uint((*id).into());
                encode_input(&mut e, input);
                e.byte(u8::from(state.is_some()))
                    .digest(state.unwrap_or_default());
            }
            Record::UnitStarted { unit, test, at_ms } => {
                e.byte(4).uint((*unit).into()).text(test).uint(*at_ms);
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
                looks,
                created,
                looked_at,
                distrust,
                receivers,
                inherited,
                changed,
            } => {
                e.byte(5)
                    .uint((*unit).into())
                    .byte(*outcome as u8)
                    .byte(u8::from(*container))
                    .byte(u8::from(*split));
                e.uint(*duration_us)
                    .ascending(classes)
                    .ascending(checked)
                    .ascending(members)
                    .ascending(inputs)
                    .byte(u8::from(looks.traces))
                    .uint(looks.members.into())
                    .byte(u8::from(looks.unseen))
                    .ascending(created)
                    .uint(looked_at.len() as u64);
                for class in looked_at {
                    e.uint((*class).into());
                }
                e.byte(u8::from(distrust.is_some()))
                    .text(distrust.as_deref().unwrap_or_default());
                e.byte(u8::from(receivers.is_some()))
                    .pairs(receivers.as_deref().unwrap_or_default());
                e.uint(inherited.len() as u64);
                for inherited in inherited {
                    e.text(&inherited.through).texts(&inherited.from);
                }
                e.texts(changed);
            }
            Record::Skipped { test } => {
                e.byte(6).text(test);
            }
            Record::Wanted { test } => {
                e.byte(7).text(test);
            }
            Record::Problem { message } => {
                e.byte(8).text(message);
            }
            Record::Closed => {
                e.byte(9);
            }
            Record::Outside {
                name,
                supertypes,
                methods,
            } => {
                e.byte(10).text(name).texts(supertypes);
                let methods: Vec<u8> = methods.iter().flat_map(|m| m.to_le_bytes()).collect();
                e.blob(&methods);
            }
        }
        e.finish()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Record> {
        let mut d = Decoder::new(bytes);
        let record = match d.byte()? {
            1 => Record::Jvm {
                pid: d.u32()?,
                started_ms: d.uint()?,
                runtime: d.text()?,
                module: d.text()?,
                class_path: d.texts()?,
                records: d.flag()?,
                above: {
                    let n = d.uint()?;
                    (0..n).map(|_| d.u32()).collect::<Option<_>>()?
                },
            },
            2 => Record::Location {
                id: d.u32()?,
                url: d.text()?,
            },
            3 => Record::Class {
                id: d.u32()?,
                name: d.text()?,
                location: d.u32()?,
                raw: d.digest()?,
                smart: {
                    let present = d.flag()?;
                    let smart = d.digest()?;
                    present.then_some(smart)
                },
                print: d.blob()?,
                members: {
                    let present = d.flag()?;
                    let first = d.u32()?;
                    present.then_some(first)
                },
                counts: {
                    let n = d.uint()?;
                    let count = |_| d.uint()?.try_into().ok();
                    (0..n).map(count).collect::<Option<_>>()?
                },
                blocks: d.blob()?,
            },
            4 => Record::UnitStarted {
                unit: d.u32()?,
                test: d.text()?,
                at_ms: d.uint()?,
            },
            5 => Record::UnitFinished {
                unit: d.u32()?,
                outcome: match d.byte()? {
                    0 => Outcome::Passed,
                    1 => Outcome::Ignored,
                    2 => Outcome::Aborted,
                    3 => Outcome::Failed,
                    _ => return None,
                },
                container: d.flag()?,
                split: d.flag()?,
                duration_us: d.uint()?,
                classes: d.ascending()?,
                checked: d.ascending()?,
                members: d.ascending()?,
                inputs: d.ascending()?,
                looks: ReflectionUse {
                    traces: d.flag()?,
                    members: d.u32()?,
                    unseen: d.flag()?,
                },
                created: d.ascending()?,
                looked_at: {
                    let n = d.uint()?;
                    (0..n).map(|_| d.u32()).collect::<Option<_>>()?
                },
                distrust: {
                    let present = d.flag()?;
                    let text = d.text()?;
                    present.then_some(text)
                },
                receivers: {
                    let present = d.flag()?;
                    let pairs = d.pairs()?;
                    present.then_some(pairs)
                },
                inherited: {
                    let n = d.uint()?;
                    let one = |_| {
                        Some(Inherited {
                            through: d.text()?,
                            from: d.texts()?,
                        })
                    };
                    (0..n).map(one).collect::<Option<_>>()?
                },
                changed: d.texts()?,
            },
            6 => Record::Skipped { test: d.text()? },
            7 => Record::Wanted { test: d.text()? },
            8 => Record::Problem { message: d.text()? },
            9 => Record::Closed,
            11 => Record::Absent {
                id: d.u32()?,
                name: d.text()?,
            },
            12 => Record::Input {
                id: d.u32()?,
                input: decode_input(&mut d)?,
                state: {
                    let present = d.flag()?;
                    let state = d.digest()?;
                    present.then_some(state)
                },
            },
            10 => Record::Outside {
                name: d.text()?,
                supertypes: d.texts()?,
                methods: {
                    let bytes = d.blob()?;
                    let (methods, rest) = bytes.as_chunks::<8>();
                    if !rest.is_empty() {
                        return None;
                    }
                    methods.iter().map(|m| u64::from_le_bytes(*m)).collect()
                },
            },
            _ => return None,
        };
        d.is_empty().then_some(record)
    }
}

fn encode_input(e: &mut Encoder, input: &Input<Vec<u8>>) {
    match input {
        Input::File { place, aspect, own } => {
            e.byte(0).blob(place).byte(*aspect as u8).texts(own);
        }
        Input::Resource { name, all } => {
            e.byte(1).text(name).byte(u8::from(*all));
        }
        Input::Declared(name) => {
            e.byte(9).text(name);
        }
        Input::Linked(name) => {
            e.byte(8).text(name);
        }
        Input::Entry { place, name } => {
            e.byte(7).blob(place).text(name);
        }
        Input::Archive(url) => {
            e.byte(2).text(url);
        }
        Input::Pattern(pattern) => {
            e.byte(5).text(pattern);
        }
        Input::Process { pid, is_jvm } => {
            e.byte(6).uint((*pid).into()).byte(u8::from(*is_jvm));
        }
        Input::Property(name) => {
            e.byte(3).text(name);
        }
        Input::Variable(name) => {
            e.byte(4).text(name);
        }
    }
}

fn decode_input(d: &mut Decoder<'_>) -> Option<Input<Vec<u8>>> {
    Some(match d.byte()? {
        0 => Input::File {
            place: d.blob()?,
            aspect: *Aspect::ALL.get(usize::from(d.byte()?))?,
            own: d.texts()?,
        },
        1 => Input::Resource {
            name: d.text()?,
            all: d.flag()?,
        },
        7 => Input::Entry {
            place: d.blob()?,
            name: d.text()?,
        },
        8 => Input::Linked(d.text()?),
        9 => Input::Declared(d.text()?),
        2 => Input::Archive(d.text()?),
        3 => Input::Property(d.text()?),
        4 => Input::Variable(d.text()?),
        5 => Input::Pattern(d.text()?),
        6 => Input::Process {
            pid: d.u32()?,
            is_jvm: d.flag()?,
        },
        _ => return None,
    })
}
