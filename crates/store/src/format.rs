//! The store as bytes: a magic line, the version, the length of the body, the body, and a checksum
//! of all that. Lists in the body refer to earlier ones by index.

use crate::model::{ClassVersion, InputVersion, Location, Module, Store, TestRecord};
use crate::shapes::{Shape, Shapes};
use crate::wire::{Decoder, Encoder};
use bytes::Bytes;
use tamis_classpath::Place;
use tamis_inputs::{Aspect, Input};
use tamis_select::{Declared, IdsBuf, Log, LogPart, Outcome, UnloggedReflection};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8; 12] = b"tamis store\n";

/// The version of the format, and of everything its digests depend on.
const VERSION: u32 = 10;

/// Magic, version, and length of the body.
pub(crate) const HEAD: usize = MAGIC.len() + 4 + 8;

const CHECKSUM: usize = 16;

const OUTCOMES: [Outcome; 5] = [
    Outcome::Passed,
    Outcome::Ignored,
    Outcome::Aborted,
    Outcome::Failed,
    Outcome::Unfinished,
];

/// Why bytes are not a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FormatError {
    #[error("not a store of tamis")]
    Foreign,
    #[error("written by another version of tamis (format {0}, this one reads {VERSION})")]
    OtherVersion(u32),
    #[error("cut off or lengthened: {actual} bytes and not {expected}")]
    Length { expected: u64, actual: u64 },
    #[error("damaged: its checksum does not match")]
    Checksum,
    #[error("inconsistent, though its checksum matches")]
    Inconsistent,
}

/// Checks the first bytes of a file of this length; the rest is worth reading only then.
pub(crate) fn check_head(head: &[u8], actual: u64) -> Result<(), FormatError> {
    let short = FormatError::Length {
        expected: (HEAD + CHECKSUM) as u64,
        actual,
    };
    let rest = match head.strip_prefix(MAGIC) {
        Some(rest) => rest,
        None if MAGIC.starts_with(head) => return Err(short),
        None => return Err(FormatError::Foreign),
    };
    let (version, rest) = rest.split_first_chunk::<4>().ok_or(short.clone())?;
    match u32::from_le_bytes(*version) {
        VERSION => {}
        other => return Err(FormatError::OtherVersion(other)),
    }
    let (length, _) = rest.split_first_chunk::<8>().ok_or(short)?;
    let expected = u64::from_le_bytes(*length).saturating_add((HEAD + CHECKSUM) as u64);
    match expected == actual {
        true => Ok(()),
        false => Err(FormatError::Length { expected, actual }),
    }
}

pub(crate) fn encode(store: &Store) -> Vec<u8> {
    let mut e = Encoder::default();
    e.list(store.places.iter(), |e, place| {
        e.text(&place.to_string());
    });
    e.list(store.runtimes.iter(), |e, runtime| {
        e.text(runtime);
    });
    e.list(store.class_paths.iter(), |e, places| {
        e.list(places.iter(), |e, place| {
            e.id(*place);
        });
    });
    e.list(store.versions.iter(), encode_version);
    e.list(store.inputs.iter(), encode_input);
    e.list(store.shapes.iter(), |e, (shape, _)| {
        e.digest(shape.smart).id(shape.methods).blob(&shape.print);
        e.list(shape.counts.iter(), |e, count| {
            e.uint((*count).into());
        });
        e.blob(&shape.blocks);
    });
    e.list(store.logs.iter(), |e, log| {
        for versions in [&log.created, &log.looked_at] {
            e.list(versions.iter(), |e, version| {
                e.id(*version);
            });
        }
    });
    e.list(store.pairs.iter(), |e, (method, class)| {
        e.id(*method).option(*class, Encoder::id);
    });
    e.list(store.modules.iter(), |e, (name, module)| {
        e.text(name)
            .id(module.class_path)
            .id(module.runtime)
            .uint(module.last_run_ms);
        e.list(module.tests.iter(), |e, (class, test)| {
            e.text(class);
            encode_test(e, test);
        });
    });
    e.list(store.outside.iter(), |e, (name, declared)| {
        e.text(name);
        e.list(declared.supertypes.iter(), |e, name| {
            e.text(name);
        });
        let methods = declared.methods.iter();
        e.blob(&methods.flat_map(|m| m.to_le_bytes()).collect::<Vec<u8>>());
    });
    let body = e.finish();
    let mut bytes = Vec::with_capacity(HEAD + body.len() + CHECKSUM);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes.extend_from_slice(&xxh3_128(&bytes).to_le_bytes());
    bytes
}

fn encode_version(e: &mut Encoder, version: &ClassVersion) {
    e.text(&version.name);
    match version.location {
        Location::OnPath => e.byte(0),
        Location::At(place) => e.byte(1).id(place),
        Location::Absent => e.byte(2),
    };
    e.digest(version.raw).option(version.smart, Encoder::digest);
}

fn encode_input(e: &mut Encoder, version: &InputVersion) {
    match &version.input {
        Input::File { place, aspect, own } => {
            e.byte(0).id(*place).byte(*aspect as u8);
            e.list(own.iter(), |e, name| {
                e.text(name);
            });
        }
        Input::Resource { name, all } => {
            e.byte(1).text(name).byte((*all).into());
        }
        Input::Declared(name) => {
            e.byte(9).text(name);
        }
        Input::Linked(name) => {
            e.byte(8).text(name);
        }
        Input::Entry { place, name } => {
            e.byte(7).id(*place).text(name);
        }
        Input::Archive(url) => {
            e.byte(2).text(url);
        }
        Input::Pattern(pattern) => {
            e.byte(5).text(pattern);
        }
        // No process outlives its run: none is ever in the store.
        Input::Process { .. } => {
            e.byte(6);
        }
        Input::Property(name) => {
            e.byte(3).text(name);
        }
        Input::Variable(name) => {
            e.byte(4).text(name);
        }
    }
    e.option(version.state, Encoder::digest);
}

fn decode_input(d: &mut Decoder<'_>, places: usize) -> Option<InputVersion> {
    let input = match d.byte()? {
        0 => Input::File {
            place: d.id(places)?,
            aspect: *Aspect::ALL.get(usize::from(d.byte()?))?,
            own: d.list(|d| d.text().map(str::to_owned))?,
        },
        1 => Input::Resource {
            name: d.text()?.to_owned(),
            all: d.flag()?,
        },
        7 => Input::Entry {
            place: d.id(places)?,
            name: d.text()?.to_owned(),
        },
        8 => Input::Linked(d.text()?.to_owned()),
        9 => Input::Declared(d.text()?.to_owned()),
        2 => Input::Archive(d.text()?.to_owned()),
        3 => Input::Property(d.text()?.to_owned()),
        4 => Input::Variable(d.text()?.to_owned()),
        5 => Input::Pattern(d.text()?.to_owned()),
        _ => return None,
    };
    let state = d.option(Decoder::digest)?;
    Some(InputVersion { input, state })
}

fn encode_test(e: &mut Encoder, test: &TestRecord) {
    e.byte(test.outcome as u8)
        .byte(test.container.into())
        .byte(test.isolated.into());
    e.uint(test.last_run_ms).uint(test.duration_us);
    e.option(test.distrust.as_deref(), Encoder::text);
    e.id(test.class_path)
        .id(test.runtime)
        .option(test.own, Encoder::id);
    e.blob(&test.classes.0)
        .blob(&test.checked.0)
        .blob(&test.whole.0)
        .blob(&test.members.0)
        .blob(&test.inputs.0)
        .byte(test.looks.traces.into())
        .byte(test.looks.unseen.into());
    e.list(test.logs.iter(), |e, part| {
        e.id(part.log).id(part.created).id(part.looked_at);
    });
    let receivers = test.receivers.as_ref().map(|ids| &*ids.0);
    e.option(receivers, Encoder::blob);
    e.list(test.inherited.iter(), |e, (through, from)| {
        e.text(through)
            .list(from.iter(), |e, test| _ = e.text(test));
    });
    e.list(test.changed.iter(), |e, root| _ = e.text(root));
}

/// Reads what [`encode`] wrote. Most of a store is lists of numbers and fingerprints: they stay where
/// they are in `bytes`.
pub(crate) fn decode(bytes: &Bytes) -> Result<Store, FormatError> {
    check_head(bytes, bytes.len() as u64)?;
    let (content, sum) = bytes
        .split_last_chunk::<CHECKSUM>()
        .ok_or(FormatError::Checksum)?;
    if xxh3_128(content) != u128::from_le_bytes(*sum) {
        return Err(FormatError::Checksum);
    }
    let body = content.get(HEAD..).ok_or(FormatError::Inconsistent)?;
    decode_body(Decoder::new(bytes, body)).ok_or(FormatError::Inconsistent)
}

fn decode_body(mut d: Decoder<'_>) -> Option<Store> {
    let places: Vec<Place> = d.list(|d| d.text()?.parse().ok())?;
    let runtimes: Vec<String> = d.list(|d| d.text().map(str::to_owned))?;
    let class_paths: Vec<Vec<u32>> = d.list(|d| d.list(|d| d.id(places.len())))?;
    let versions: Vec<ClassVersion> = d.list(|d| decode_version(d, places.len()))?;
    let inputs: Vec<InputVersion> = d.list(|d| decode_input(d, places.len()))?;
    let shapes = decode_shapes(&mut d)?;
    let logs: Vec<Log> = d.list(|d| {
        Some(Log {
            created: d.list(|d| d.id(versions.len()))?,
            looked_at: d.list(|d| d.id(versions.len()))?,
        })
    })?;
    let pairs = d.list(|d| {
        let method = d.id(shapes.end() as usize)?;
        Some((method, d.option(|d| d.id(versions.len()))?))
    })?;
    let mut store = Store {
        places,
        runtimes,
        class_paths,
        versions,
        inputs,
        shapes,
        logs,
        pairs,
        ..Store::default()
    };
    store.modules = d.list(|d| {
        let name = d.text()?.to_owned();
        let module = Module {
            class_path: d.id(store.class_paths.len())?,
            runtime: d.id(store.runtimes.len())?,
            last_run_ms: d.uint()?,
            tests: d.list(|d| Some((d.text()?.to_owned(), decode_test(d, &store)?)))?,
        };
        Some((name, module))
    })?;
    store.outside = d.list(|d| Some((d.text()?.to_owned(), decode_declared(d)?)))?;
    d.is_empty().then_some(store)
}

fn decode_declared(d: &mut Decoder<'_>) -> Option<Declared> {
    let supertypes = d.list(|d| d.text().map(str::to_owned))?;
    let (methods, rest) = d.blob()?.as_chunks::<8>();
    let methods = methods.iter().map(|method| u64::from_le_bytes(*method));
    rest.is_empty().then(|| Declared {
        supertypes,
        methods: methods.collect(),
    })
}

fn decode_shapes(d: &mut Decoder<'_>) -> Option<Shapes> {
    let mut shapes = Shapes::default();
    for _ in 0..d.uint()? {
        let shape = Shape {
            smart: d.digest()?,
            methods: d.uint()?.try_into().ok()?,
            print: d.shared()?,
            counts: decode_counts(d)?.into(),
            blocks: d.shared()?,
        };
        if !shape.counts.is_empty() && shape.counts.len() != shape.methods as usize {
            return None;
        }
        shapes.push(shape)?;
    }
    Some(shapes)
}

fn decode_counts(d: &mut Decoder<'_>) -> Option<Vec<u16>> {
    d.list(|d| d.uint()?.try_into().ok())
}

fn decode_version(d: &mut Decoder<'_>, places: usize) -> Option<ClassVersion> {
    Some(ClassVersion {
        name: d.text()?.to_owned(),
        location: match d.byte()? {
            0 => Location::OnPath,
            1 => Location::At(d.id(places)?),
            2 => Location::Absent,
            _ => return None,
        },
        raw: d.digest()?,
        smart: d.option(Decoder::digest)?,
    })
}

fn decode_test(d: &mut Decoder<'_>, store: &Store) -> Option<TestRecord> {
    Some(TestRecord {
        outcome: *OUTCOMES.get(usize::from(d.byte()?))?,
        container: d.flag()?,
        isolated: d.flag()?,
        last_run_ms: d.uint()?,
        duration_us: d.uint()?,
        distrust: d.option(|d| d.text().map(str::to_owned))?,
        class_path: d.id(store.class_paths.len())?,
        runtime: d.id(store.runtimes.len())?,
        own: d.option(|d| d.id(store.versions.len()))?,
        classes: IdsBuf(d.shared()?),
        checked: IdsBuf(d.shared()?),
        whole: IdsBuf(d.shared()?),
        members: IdsBuf(d.shared()?),
        inputs: IdsBuf(d.shared()?),
        looks: UnloggedReflection {
            traces: d.flag()?,
            unseen: d.flag()?,
        },
        logs: d.list(|d| {
            let number = d.id(store.logs.len())?;
            let log = store.logs.get(number as usize)?;
            Some(LogPart {
                log: number,
                created: d.id(log.created.len() + 1)?,
                looked_at: d.id(log.looked_at.len() + 1)?,
            })
        })?,
        receivers: d.option(|d| d.shared().map(IdsBuf))?,
        inherited: {
            let pair = |d: &mut Decoder<'_>| {
                let through = d.text()?.to_owned();
                Some((through, d.list(|d| d.text().map(str::to_owned))?))
            };
            d.list(pair)?
        },
        changed: d.list(|d| d.text().map(str::to_owned))?,
    })
}
