//! The cache of analysed class path entries: only what changed is read again.
//!
//! A file in the cache is believed if its checksum is right. It says which files its classes came from, each with
//! a stamp that a later file does not have, or with none while the file was so young that a further change
//! could leave the same. A file with another stamp is read; if its bytes are those of a class that is known,
//! nothing else is done. Entries are known by [`Place`](tamis_classpath::Place), so a project may move.

use crate::analysis::{analyse, unreadable};
use crate::archive::ArchiveNames;
use crate::merge::{Copier, Merge};
use crate::tables::{ClassRow, Tables};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tamis_classpath::{ClassFiles, ClassSource, Entry, Roots, parallel};
use tamis_fingerprint::{Digest, raw};
use tamis_wire::{Reader, Writer};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8; 17] = b"tamis snapshot 8\n";
const NAMES: &[u8; 14] = b"tamis names 1\n";

/// How many files are read before what they say is put together, which takes less memory.
const FILES: usize = 1_024;

/// How many classes one thread takes at a time.
const BLOCK: usize = 16;

/// A directory of what is known of entries.
#[derive(Debug, Clone)]
pub struct Cache {
    directory: PathBuf,
    roots: Roots,
}

impl Cache {
    /// The cache in `directory`, whose entries lie below `roots`.
    pub fn new(directory: PathBuf, roots: Roots) -> Cache {
        Cache { directory, roots }
    }

    fn file(&self, entry: &Path) -> PathBuf {
        let place = self.roots.place(entry).to_string();
        let name = xxh3_128(place.as_bytes());
        self.directory.join(format!("{name:032x}.snapshot"))
    }
}

impl Cache {
    /// The names in the archive with this digest.
    pub(crate) fn load_names(&self, archive: Digest) -> Option<ArchiveNames> {
        let bytes = fs::read(self.file_of_names(archive)).ok()?;
        tamis_wire::read(checked(&bytes, NAMES)?, |from| {
            let mut hashes = || from.list(|from| Some(u64::from_le_bytes(from.fixed()?)));
            Some(ArchiveNames {
                declared: hashes()?,
                named: hashes()?,
            })
        })
    }

    pub(crate) fn save_names(&self, archive: Digest, names: &ArchiveNames) -> io::Result<()> {
        let mut out = Writer::default();
        out.raw(NAMES);
        for hashes in [&names.declared, &names.named] {
            out.list(hashes, |out, hash| out.fixed(hash.to_le_bytes()));
        }
        fs::create_dir_all(&self.directory)?;
        tamis_files::write(&self.file_of_names(archive), &with_checksum(out))
    }

    fn file_of_names(&self, archive: Digest) -> PathBuf {
        self.directory.join(format!("{:032x}.names", archive.0))
    }
}

/// The bytes with their checksum behind them.
fn with_checksum(mut out: Writer) -> Vec<u8> {
    let checksum = xxh3_128(out.as_bytes());
    out.digest(checksum);
    out.finish()
}

/// What stands between the first bytes and the checksum, if both are right.
fn checked<'b>(bytes: &'b [u8], magic: &[u8]) -> Option<&'b [u8]> {
    let (body, checksum) = bytes.split_last_chunk::<16>()?;
    let is_right = xxh3_128(body) == u128::from_le_bytes(*checksum);
    body.strip_prefix(magic).filter(|_| is_right)
}

/// The classes of an entry, and the files they came from.
#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    /// The sources by name with their stamps; none where a change may not show in it.
    sources: Vec<(String, Option<[u64; 5]>)>,
    tables: Tables,
}

/// A class file of a source.
enum File<'t> {
    Known(&'t ClassRow),
    Read {
        name: String,
        release: u32,
        bytes: Vec<u8>,
    },
    Unreadable(&'t str),
}

/// A class file that was looked into.
enum Piece<'t> {
    Known(&'t ClassRow),
    /// A class that is alone in its tables.
    New(Tables),
}

/// The classes of an entry; `None` if that is unknown.
pub(crate) fn classes_of(entry: &Entry, cache: Option<&Cache>) -> Option<Tables> {
    let mut sources = entry.class_sources()?;
    sources.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let file = cache.map(|cache| cache.file(entry.path()));
    let known = file.as_deref().and_then(Known::load).unwrap_or_default();
    if known.is_of(&sources) {
        return Some(known.tables);
    }
    let now = known.update(entry, &sources)?;
    if let Some(file) = file.filter(|_| !now.tables.classes.is_empty()) {
        // Without a cache everything is read again next time, which is slower and not wrong.
        let _ = now.save(&file);
    }
    Some(now.tables)
}

impl Known {
    /// Whether all is as it was.
    fn is_of(&self, sources: &[ClassSource]) -> bool {
        let is_same = |((name, stamp), source): (&(String, _), &ClassSource)| {
            *name == source.name && *stamp == Some(source.stamp)
        };
        self.sources.len() == sources.len() && self.sources.iter().zip(sources).all(is_same)
    }

    /// What the sources hold now.
    fn update(&self, entry: &Entry, sources: &[ClassSource]) -> Option<Known> {
        let stamps: HashMap<&str, Option<[u64; 5]>> = {
            let known = self.sources.iter();
            known.map(|(name, stamp)| (name.as_str(), *stamp)).collect()
        };
        let is_same =
            |source: &ClassSource| stamps.get(source.name.as_str()) == Some(&Some(source.stamp));
        let by_bytes = self.by_bytes();
        let (mut copier, mut merge) = (Copier::new(&self.tables), Merge::default());
        let mut known = Vec::with_capacity(sources.len());
        for sources in sources.chunks(FILES) {
            let read = parallel::map(sources, BLOCK, |source| {
                (!is_same(source)).then(|| entry.read_source(source))
            });
            let mut files = Vec::new();
            for (source, read) in sources.iter().zip(read) {
                let is_unreadable = matches!(read, Some(None));
                let stamp = (source.is_settled && !is_unreadable).then_some(source.stamp);
                known.push((source.name.clone(), stamp));
                match read {
                    None => files.extend(self.tables.named(&source.name).iter().map(File::Known)),
                    Some(Some(classes)) => files.extend(in_order(classes)),
                    // Nobody can say what an archive holds that cannot be read.
                    Some(None) if source.name.is_empty() => return None,
                    Some(None) => files.push(File::Unreadable(&source.name)),
                }
            }
            let pieces = parallel::map(&files, BLOCK, |file| file.look_into(&by_bytes));
            for piece in pieces.into_iter().flatten() {
                match piece {
                    Piece::Known(class) => copier.class(class, &mut merge),
                    Piece::New(tables) => {
                        let mut copier = Copier::new(&tables);
                        let classes = tables.classes.iter();
                        classes.for_each(|class| copier.class(class, &mut merge));
                    }
                }
            }
        }
        Some(Known {
            sources: known,
            tables: merge.finish(),
        })
    }

    fn by_bytes(&self) -> ByBytes<'_> {
        let classes = self.tables.classes.iter();
        let key =
            |class: &ClassRow| Some((self.tables.text(class.name), class.release, class.raw?));
        classes
            .filter_map(|class| Some((key(class)?, class)))
            .collect()
    }

    fn load(file: &Path) -> Option<Known> {
        Known::decode(&fs::read(file).ok()?)
    }

    fn save(&self, file: &Path) -> io::Result<()> {
        fs::create_dir_all(file.parent().unwrap_or(Path::new("")))?;
        tamis_files::write(file, &self.encode())
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.raw(MAGIC);
        out.list(&self.sources, |out, (name, stamp)| {
            out.text(name).option(*stamp, |out, stamp| {
                let numbers = stamp.iter();
                numbers.fold(out, |out, number| out.fixed(number.to_le_bytes()))
            })
        });
        self.tables.write(&mut out);
        with_checksum(out)
    }

    fn decode(bytes: &[u8]) -> Option<Known> {
        let known = tamis_wire::read(checked(bytes, MAGIC)?, |from| {
            Some(Known {
                sources: from.list(read_source)?,
                tables: Tables::read(from)?,
            })
        })?;
        known.tables.is_in_order().then_some(known)
    }
}

/// Classes by their names, releases and the digests of their bytes.
type ByBytes<'t> = HashMap<(&'t str, u32, Digest), &'t ClassRow>;

impl<'t> File<'t> {
    /// What it says; nothing if it is no class of this name.
    fn look_into(&self, known: &ByBytes<'t>) -> Option<Piece<'t>> {
        match self {
            File::Known(class) => Some(Piece::Known(class)),
            File::Read {
                name,
                release,
                bytes,
            } => match known.get(&(name.as_str(), *release, raw(bytes))) {
                Some(class) => Some(Piece::Known(class)),
                None => analyse(name, *release, bytes).map(Piece::New),
            },
            File::Unreadable(name) => Some(Piece::New(unreadable(name))),
        }
    }
}

/// The class files of one source in the order of tables.
fn in_order<'t>(mut classes: ClassFiles) -> impl Iterator<Item = File<'t>> {
    classes.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    classes
        .into_iter()
        .map(|(name, release, bytes)| File::Read {
            name,
            release,
            bytes,
        })
}

fn read_source(from: &mut Reader<'_>) -> Option<(String, Option<[u64; 5]>)> {
    let name = from.text()?.to_owned();
    let stamp = from.option(|from| {
        let mut stamp = [0; 5];
        for number in &mut stamp {
            *number = u64::from_le_bytes(from.fixed()?);
        }
        Some(stamp)
    })?;
    Some((name, stamp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{
        AskRow, Asked, DeclaredRow, FactsRow, MemberRow, PassedRow, ReferenceKind, ReferenceRow,
    };
    use proptest::prelude::*;
    use tamis_classpath::Entries;

    fn texts() -> impl Strategy<Value = u32> {
        0..3u32
    }

    fn list(numbers: impl Strategy<Value = u32>) -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(numbers, 0..4)
    }

    fn members() -> impl Strategy<Value = Vec<MemberRow>> {
        let member = (texts(), texts(), any::<u16>(), list(texts()), list(0..2u32));
        let member =
            member.prop_map(
                |(name, descriptor, access, annotations, references)| MemberRow {
                    name,
                    descriptor,
                    access,
                    annotations,
                    references,
                    asks: vec![AskRow {
                        target: Asked::Member,
                        parameter: Some(access),
                    }],
                    passed: vec![PassedRow {
                        name,
                        descriptor,
                        argument: access,
                        parameters: vec![0, access],
                    }],
                },
            );
        prop::collection::vec(member, 0..3)
    }

    fn declared() -> impl Strategy<Value = DeclaredRow> {
        prop_oneof![
            Just(DeclaredRow::TopLevel),
            Just(DeclaredRow::Local),
            (texts(), any::<u16>())
                .prop_map(|(outer, access)| DeclaredRow::Member { outer, access }),
        ]
    }

    fn facts() -> impl Strategy<Value = FactsRow> {
        let class = (any::<u128>(), any::<Vec<u8>>(), any::<u16>(), declared());
        let names = (
            prop::option::of(texts()),
            list(texts()),
            list(texts()),
            list(texts()),
            prop::option::of(texts()),
            list(0..2u32),
        );
        (class, names, members(), members()).prop_map(|(class, names, fields, methods)| FactsRow {
            digest: Digest(class.0),
            print: class.1.into(),
            access: class.2,
            declared: class.3,
            super_class: names.0,
            interfaces: names.1,
            annotations: names.2,
            classes: names.3,
            source: names.4,
            annotation_values: names.5,
            fields,
            methods,
        })
    }

    fn known() -> impl Strategy<Value = Known> {
        let stamp = prop::option::of(any::<[u64; 5]>());
        let sources = prop::collection::vec((any::<String>(), stamp), 0..3);
        let class = (
            texts(),
            0..30u32,
            prop::option::of(any::<u128>()),
            prop::option::of(facts()),
        );
        let class = class.prop_map(|(name, release, raw, facts)| ClassRow {
            name,
            release,
            raw: raw.map(Digest),
            facts: facts.map(Box::new),
        });
        let references = (0..ReferenceKind::ALL.len(), 0..3u32).prop_map(|(kind, text)| {
            let kind = ReferenceKind::ALL[kind];
            let mut texts = [0; 3];
            texts[..kind.texts()].fill(text);
            ReferenceRow { kind, texts }
        });
        let references = prop::collection::vec(references, 2);
        let classes = prop::collection::vec(class, 0..4);
        (sources, references, classes).prop_map(|(sources, references, mut classes)| {
            classes.sort_by_key(|class| (class.name, class.release));
            let texts = ["a", "b/C", "é"].map(Box::from).to_vec();
            let tables = Tables {
                texts,
                references,
                classes,
            };
            Known { sources, tables }
        })
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(known in known()) {
            let bytes = known.encode();
            prop_assert_eq!(Known::decode(&bytes), Some(known));
        }

        #[test]
        fn any_cut_flip_and_addition_is_refused(known in known(), at in any::<prop::sample::Index>(), bit in 0..8) {
            let good = known.encode();
            let at = at.index(good.len());
            prop_assert_eq!(Known::decode(&good[..at]), None);
            let mut bad = good.clone();
            bad[at] ^= 1u8 << bit;
            prop_assert_eq!(Known::decode(&bad), None);
            prop_assert_eq!(Known::decode(&[&good[..], b"x"].concat()), None);
        }

        /// Whoever writes checksums may write anything; nothing of it leads out of the tables.
        #[test]
        fn what_is_decoded_makes_sense(known in known(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = known.encode();
            bytes.truncate(bytes.len() - 16);
            let at = MAGIC.len() + at.index(bytes.len() - MAGIC.len());
            bytes[at] = byte;
            let checksum = xxh3_128(&bytes).to_le_bytes();
            bytes.extend(checksum);
            if let Some(read) = Known::decode(&bytes) {
                let again = Known::decode(&read.encode());
                prop_assert_eq!(again.as_ref(), Some(&read));
                let mut merge = Merge::default();
                let mut copier = Copier::new(&read.tables);
                read.tables.classes.iter().for_each(|class| copier.class(class, &mut merge));
            }
        }
    }

    #[test]
    fn only_what_has_another_stamp_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            fs::write(dir.path().join(format!("{name}.class")), text).unwrap();
        };
        write("A", "a");
        write("B", "b");
        let entries = Entries::new(None);
        let entry = entries.entry(dir.path());
        // As if they were old.
        let sources = || {
            let mut sources = entry.class_sources().unwrap();
            sources.sort_by(|a, b| a.name.cmp(&b.name));
            sources
                .iter_mut()
                .for_each(|source| source.is_settled = true);
            sources
        };
        let before = sources();
        let first = Known::default().update(&entry, &before).unwrap();
        assert!(first.is_of(&before));
        write("A", "new a");
        write("B", "new b");
        let mut now = sources();
        assert!(!first.is_of(&now));
        // B looks as before.
        now[1].stamp = before[1].stamp;
        let second = first.update(&entry, &now).unwrap();
        let raws = |known: &Known| -> Vec<_> {
            let classes = known.tables.classes.iter();
            classes.map(|class| class.raw).collect()
        };
        assert_eq!(raws(&first), [Some(raw(b"a")), Some(raw(b"b"))]);
        assert_eq!(raws(&second), [Some(raw(b"new a")), Some(raw(b"b"))]);
        // What is too young to be told by its stamp is read again.
        now[0].is_settled = false;
        assert!(!first.update(&entry, &now).unwrap().is_of(&now));
    }
}
