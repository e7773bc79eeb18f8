use crate::{Record, VERSION};
use xxhash_rust::xxh3::xxh3_64;

/// How every spool starts; the version follows as a little-endian `u32`.
pub const MAGIC: &[u8; 12] = b"tamis spool\n";

const FRAME_HEAD: usize = 12;

/// The bytes of one frame: length, checksum, payload.
pub fn frame(record: &Record) -> Vec<u8> {
    let payload = record.encode();
    let mut bytes = Vec::with_capacity(FRAME_HEAD + payload.len());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&xxh3_64(&payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

/// The damage because of which the rest of a spool was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It does not start as a spool.
    NotASpool,
    /// It was written by another version of the agent.
    OtherVersion(u32),
    /// It ends in the middle of a frame: the JVM was killed or the disk was full.
    CutOff,
    /// A frame does not match its checksum or holds no record.
    Corrupt,
}

/// The content of a spool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spool {
    /// All whole records up to the first damage.
    pub records: Vec<Record>,
    /// The damage after them, if any.
    pub damage: Option<Damage>,
}

/// Reads a spool; what follows the first damage is ignored.
pub fn read(bytes: &[u8]) -> Spool {
    let mut records = Vec::new();
    let damage = match body(bytes) {
        Ok(body) => read_frames(body, &mut records),
        Err(damage) => Some(damage),
    };
    Spool { records, damage }
}

fn body(bytes: &[u8]) -> Result<&[u8], Damage> {
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or(if MAGIC.starts_with(bytes) {
            Damage::CutOff
        } else {
            Damage::NotASpool
        })?;
    let (version, body) = rest.split_first_chunk::<4>().ok_or(Damage::CutOff)?;
    match u32::from_le_bytes(*version) {
        VERSION => Ok(body),
        other => Err(Damage::OtherVersion(other)),
    }
}

fn read_frames(mut rest: &[u8], records: &mut Vec<Record>) -> Option<Damage> {
    while !rest.is_empty() {
        let Some((length, tail)) = rest.split_first_chunk::<4>() else {
            return Some(Damage::CutOff);
        };
        let Some((sum, tail)) = tail.split_first_chunk::<8>() else {
            return Some(Damage::CutOff);
        };
        let Some((payload, tail)) = tail.split_at_checked(u32::from_le_bytes(*length) as usize)
        else {
            return Some(Damage::CutOff);
        };
        if xxh3_64(payload) != u64::from_le_bytes(*sum) {
            return Some(Damage::Corrupt);
        }
        let Some(record) = Record::decode(payload) else {
            return Some(Damage::Corrupt);
        };
        records.push(record);
        rest = tail;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnitOutcome;
    use tamis_inputs::{Aspect, Input};

    fn samples() -> Vec<Record> {
        vec![
            Record::Jvm {
                pid: 7,
                started_ms: 1_700_000_000_000,
                runtime: "OpenJDK 17".into(),
                module: "/p/core".into(),
                class_path: vec!["/p/core/target/classes".into(), "/m2/é.jar".into()],
                records: true,
                above: vec![7, 70_000],
            },
            Record::Location {
                id: 1,
                url: "file:/p/core/target/classes/".into(),
            },
            Record::Class {
                id: 0,
                name: "a/B".into(),
                location: 1,
                raw: u128::MAX,
                smart: None,
                print: vec![],
                members: None,
                counts: vec![],
                blocks: vec![],
            },
            Record::Class {
                id: 1,
                name: "a/C".into(),
                location: 0,
                raw: 3,
                smart: Some(4),
                print: vec![1, 2, 255],
                members: Some(70_000),
                counts: vec![1, 0, u16::MAX],
                blocks: vec![0, 7],
            },
            Record::Input {
                id: 0,
                input: Input::File {
                    place: b"/p/\xff".to_vec(),
                    aspect: Aspect::Content,
                    test_created: vec!["a".into()],
                },
                state: Some(3),
            },
            Record::Input {
                id: 5,
                input: Input::Resource {
                    name: "a/b.txt".into(),
                    all: true,
                },
                state: None,
            },
            Record::UnitStarted {
                unit: 0,
                test: "a.BTest".into(),
                at_ms: 5,
            },
            Record::UnitFinished {
                unit: 0,
                outcome: UnitOutcome::Failed,
                container: true,
                split: true,
                duration_us: u64::MAX,
                classes: vec![0, 1, 70_000, u32::MAX],
                checked: vec![1, 70_000],
                members: vec![70_000, 70_001],
                inputs: vec![0, 5],
                reflection: crate::ReflectionUse {
                    members: 2,
                    ..crate::ReflectionUse::default()
                },
                inspected: vec![7, 4],
                created: vec![1],
                distrust: Some("why".into()),
                receivers: Some(vec![(70_000, 0), (70_000, u32::MAX), (70_001, 1)]),
                inherited: vec![crate::Inherited {
                    through: "a.Cache.entries".into(),
                    from: vec!["a.FirstTest".into()],
                }],
                changed: vec!["a.Cache.size".into()],
            },
            Record::Skipped {
                test: "a.CTest".into(),
            },
            Record::Wanted {
                test: "a.DTest".into(),
            },
            Record::Problem {
                message: "odd".into(),
            },
            Record::Outside {
                name: "java/util/List".into(),
                supertypes: vec!["java/util/Collection".into()],
                methods: vec![0, u64::MAX],
            },
            Record::Closed,
        ]
    }

    fn spool(records: &[Record]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        records.iter().for_each(|r| bytes.extend(frame(r)));
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let records = samples();
        assert_eq!(
            read(&spool(&records)),
            Spool {
                records,
                damage: None
            }
        );
    }

    #[test]
    fn a_spool_cut_after_any_byte_gives_its_whole_frames() {
        let records = samples();
        let bytes = spool(&records);
        for length in 0..bytes.len() {
            let cut = read(&bytes[..length]);
            assert!(records.starts_with(&cut.records), "cut at {length}");
            let whole = spool(&cut.records).len() == length;
            assert_eq!(
                cut.damage,
                (!whole).then_some(Damage::CutOff),
                "cut at {length}"
            );
        }
    }

    #[test]
    fn a_flipped_bit_never_gives_a_wrong_record() {
        let records = samples();
        let bytes = spool(&records);
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let spool = read(&flipped);
            assert!(records.starts_with(&spool.records), "bit {bit}");
            assert!(spool.damage.is_some(), "bit {bit}");
        }
    }
}
