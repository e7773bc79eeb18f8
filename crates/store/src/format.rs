//! The store as bytes: a magic line, the version, the length of the body, the body, and a checksum
//! of all that. Lists in the body refer to earlier ones by index.

use crate::model::{ClassVersion, InputVersion, Location, Module, Store, TestRecord};
use crate::shapes::{Shape, Shapes};
use bytes::Bytes;
use tamis_classpath::Place;
use tamis_inputs::Input;
use tamis_select::{Declared, IdsBuf, Log, LogPart, Outcome, UnloggedReflection};
use tamis_wire::{Reader, Writer};
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
    let mut out = Writer::default();
    out.list(&store.places, |out, place| out.text(&place.to_string()));
    out.texts(&store.runtimes);
    out.list(&store.class_paths, |out, places| {
        out.list(places, |out, place| out.number(*place))
    });
    out.list(&store.versions, encode_version);
    out.list(&store.inputs, encode_input);
    out.list(store.shapes.iter(), |out, (shape, _)| {
        out.digest(shape.smart)
            .number(shape.methods)
            .bytes(&shape.print)
            .list(shape.counts.iter(), |out, count| out.number(*count))
            .bytes(&shape.blocks)
    });
    out.list(&store.logs, |out, log| {
        out.list(&log.created, |out, version| out.number(*version))
            .list(&log.inspected, |out, version| out.number(*version))
    });
    out.list(&store.pairs, |out, (method, class)| {
        out.number(*method).option(*class, Writer::number)
    });
    out.list(&store.modules, |out, (name, module)| {
        out.text(name)
            .number(module.class_path)
            .number(module.runtime)
            .number(module.last_run_ms)
            .list(&module.tests, |out, (name, test)| {
                encode_test(out.text(&name.to_string()), test)
            })
    });
    out.list(&store.outside, |out, (name, declared)| {
        let methods = declared.methods.iter();
        let methods: Vec<u8> = methods.flat_map(|method| method.to_le_bytes()).collect();
        out.text(name).texts(&declared.supertypes).bytes(&methods)
    });
    let body = out.finish();
    let mut bytes = Vec::with_capacity(HEAD + body.len() + CHECKSUM);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes.extend_from_slice(&xxh3_128(&bytes).to_le_bytes());
    bytes
}

fn encode_version<'w>(out: &'w mut Writer, version: &ClassVersion) -> &'w mut Writer {
    out.text(&version.name);
    match version.location {
        Location::OnPath => out.byte(0),
        Location::At(place) => out.byte(1).number(place),
        Location::Absent => out.byte(2),
    }
    .digest(version.raw)
    .option(version.smart, Writer::digest)
}

fn encode_input<'w>(out: &'w mut Writer, version: &InputVersion) -> &'w mut Writer {
    version.input.write(out, |out, place| out.number(*place));
    out.option(version.state, Writer::digest)
}

fn decode_input(from: &mut Reader<'_>, places: usize) -> Option<InputVersion> {
    let input = Input::read(from, |from| from.below(places))?;
    let state = from.option(Reader::digest)?;
    // No process outlives its run: none is ever in the store.
    let is_process = matches!(input, Input::Process { .. });
    (!is_process).then_some(InputVersion { input, state })
}

fn encode_test<'w>(out: &'w mut Writer, test: &TestRecord) -> &'w mut Writer {
    out.byte(test.outcome as u8)
        .flag(test.container)
        .flag(test.isolated)
        .number(test.last_run_ms)
        .number(test.duration_us)
        .option(test.distrust.as_deref(), Writer::text)
        .number(test.class_path)
        .number(test.runtime)
        .option(test.test_class, Writer::number)
        .bytes(&test.classes.0)
        .bytes(&test.checked.0)
        .bytes(&test.whole.0)
        .bytes(&test.members.0)
        .bytes(&test.inputs.0)
        .flag(test.reflection.traces)
        .flag(test.reflection.unlogged)
        .list(&test.logs, |out, part| {
            out.number(part.log)
                .number(part.created)
                .number(part.inspected)
        })
        .option(test.receivers.as_ref(), |out, ids| out.bytes(&ids.0))
        .list(&test.inherited, |out, (through, from)| {
            out.text(through).texts(from)
        })
        .texts(&test.changed)
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
    tamis_wire::read(body, |from| decode_body(from, bytes)).ok_or(FormatError::Inconsistent)
}

fn decode_body(from: &mut Reader<'_>, all: &Bytes) -> Option<Store> {
    let places: Vec<Place> = from.list(|from| from.text()?.parse().ok())?;
    let runtimes = from.texts()?;
    let class_paths = from.list(|from| from.list(|from| from.below(places.len())))?;
    let versions: Vec<ClassVersion> = from.list(|from| decode_version(from, places.len()))?;
    let inputs = from.list(|from| decode_input(from, places.len()))?;
    let shapes = decode_shapes(from, all)?;
    let logs = from.list(|from| {
        Some(Log {
            created: from.list(|from| from.below(versions.len()))?,
            inspected: from.list(|from| from.below(versions.len()))?,
        })
    })?;
    let pairs = from.list(|from| {
        let method = from.below(shapes.end() as usize)?;
        Some((method, from.option(|from| from.below(versions.len()))?))
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
    store.modules = from.list(|from| {
        let name = from.text()?.to_owned();
        let module = Module {
            class_path: from.below(store.class_paths.len())?,
            runtime: from.below(store.runtimes.len())?,
            last_run_ms: from.number()?,
            tests: from.list(|from| {
                let name = from.text()?.into();
                Some((name, decode_test(from, &store, all)?))
            })?,
        };
        Some((name, module))
    })?;
    store.outside = from.list(|from| Some((from.text()?.to_owned(), decode_declared(from)?)))?;
    Some(store)
}

/// Bytes that share the memory of `all`, of which they are a part.
fn shared(from: &mut Reader<'_>, all: &Bytes) -> Option<Bytes> {
    Some(all.slice_ref(from.bytes()?))
}

fn decode_declared(from: &mut Reader<'_>) -> Option<Declared> {
    let supertypes = from.texts()?;
    let (methods, rest) = from.bytes()?.as_chunks::<8>();
    let methods = methods.iter().map(|method| u64::from_le_bytes(*method));
    rest.is_empty().then(|| Declared {
        supertypes,
        methods: methods.collect(),
    })
}

fn decode_shapes(from: &mut Reader<'_>, all: &Bytes) -> Option<Shapes> {
    let mut shapes = Shapes::default();
    for _ in 0..from.number::<u64>()? {
        let shape = Shape {
            smart: from.digest()?,
            methods: from.number()?,
            print: shared(from, all)?,
            counts: from.list(Reader::number)?,
            blocks: shared(from, all)?,
        };
        if !shape.counts.is_empty() && shape.counts.len() != shape.methods as usize {
            return None;
        }
        shapes.push(shape)?;
    }
    Some(shapes)
}

fn decode_version(from: &mut Reader<'_>, places: usize) -> Option<ClassVersion> {
    Some(ClassVersion {
        name: from.text()?.to_owned(),
        location: match from.byte()? {
            0 => Location::OnPath,
            1 => Location::At(from.below(places)?),
            2 => Location::Absent,
            _ => return None,
        },
        raw: from.digest()?,
        smart: from.option(Reader::digest)?,
    })
}

fn decode_test(from: &mut Reader<'_>, store: &Store, all: &Bytes) -> Option<TestRecord> {
    let ids = |from: &mut Reader<'_>| shared(from, all).map(IdsBuf);
    Some(TestRecord {
        outcome: *OUTCOMES.get(usize::from(from.byte()?))?,
        container: from.flag()?,
        isolated: from.flag()?,
        last_run_ms: from.number()?,
        duration_us: from.number()?,
        distrust: from.option(|from| from.text().map(str::to_owned))?,
        class_path: from.below(store.class_paths.len())?,
        runtime: from.below(store.runtimes.len())?,
        test_class: from.option(|from| from.below(store.versions.len()))?,
        classes: ids(from)?,
        checked: ids(from)?,
        whole: ids(from)?,
        members: ids(from)?,
        inputs: ids(from)?,
        reflection: UnloggedReflection {
            traces: from.flag()?,
            unlogged: from.flag()?,
        },
        logs: from.list(|from| {
            let number = from.below(store.logs.len())?;
            let log = store.logs.get(number as usize)?;
            Some(LogPart {
                log: number,
                created: from.below(log.created.len() + 1)?,
                inspected: from.below(log.inspected.len() + 1)?,
            })
        })?,
        receivers: from.option(ids)?,
        inherited: from.list(|from| Some((from.text()?.to_owned(), from.texts()?)))?,
        changed: from.texts()?,
    })
}
