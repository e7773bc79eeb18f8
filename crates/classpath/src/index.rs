//! The index of a jar, stored so that an unchanged jar is read once.
//!
//! A cache file is believed only if it is whole and the jar's size, times and inode are those it
//! was made from. It is not even written while the jar is so young that a further change could
//! leave the same times (git knows this as the racy index).

use crate::jar::{self, JarContent};
use crate::stamp::Stamp;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tamis_fingerprint::{Digest, raw};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8; 12] = b"tamis jar 3\n";

/// Class names, by their hash, with digests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct JarIndex {
    /// Sorted by the hash of the name. Where a class has several versions, the digest covers all.
    classes: Vec<(u128, u128)>,
    /// Each version of the classes that have several, sorted.
    versions: Vec<(u128, u128)>,
    /// What is no class, sorted by the hash of its path. The digest of a directory covers all in it.
    resources: Vec<(u128, u128)>,
    /// URLs of the manifest's class path.
    pub(crate) class_path: Vec<String>,
}

impl JarIndex {
    /// The index of `jar`, from `cache` if that is still true.
    pub(crate) fn open(jar: &Path, cache: Option<&Path>) -> io::Result<Self> {
        let file = File::open(jar)?;
        let stamp = Stamp::of(&file.metadata()?);
        let cached = cache.map(|cache| cache_file(cache, jar));
        if let Some(index) = cached.as_deref().and_then(|cached| load(cached, &stamp)) {
            return Ok(index);
        }
        let index = JarIndex::new(jar::read(&file)?);
        if Stamp::of(&file.metadata()?) != stamp {
            return Err(io::Error::other("changed while it was read"));
        }
        // An archive without classes, such as a manifest that only lists others, is read as fast.
        if let Some(cached) = cached.filter(|_| stamp.is_settled() && !index.classes.is_empty()) {
            // Without a cache the jar is read again next time, which is slower and not wrong.
            let _ = save(&cached, &index.encode(&stamp));
        }
        Ok(index)
    }

    fn new(content: JarContent) -> Self {
        let mut index = JarIndex {
            class_path: content.class_path,
            ..JarIndex::default()
        };
        for (name, digests) in &content.classes {
            let key = key(name);
            match digests.as_slice() {
                [digest] => index.classes.push((key, digest.0)),
                digests => {
                    let all: Vec<u8> = digests.iter().flat_map(|d| d.0.to_le_bytes()).collect();
                    index.classes.push((key, raw(&all).0));
                    index
                        .versions
                        .extend(digests.iter().map(|digest| (key, digest.0)));
                }
            }
        }
        let paths = content.resources.iter();
        let paths = paths.map(|(path, digests)| (path.as_str(), digests.as_slice()));
        let classes = content.classes.iter();
        let classes = classes.map(|(name, digests)| (name.as_str(), digests.as_slice()));
        let mut below: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        for (path, digests) in paths.clone().chain(classes) {
            let digests: Vec<u8> = digests.iter().flat_map(|d| d.0.to_le_bytes()).collect();
            let mut directory = path;
            while let Some((outer, _)) = directory.rsplit_once('/') {
                let all = below.entry(outer).or_default();
                all.extend(key(path).to_le_bytes());
                all.extend(&digests);
                directory = outer;
            }
        }
        for (path, digests) in paths {
            let mut all: Vec<u8> = digests.iter().flat_map(|d| d.0.to_le_bytes()).collect();
            all.extend(below.remove(path).into_iter().flatten());
            index.resources.push((key(path), raw(&all).0));
        }
        let below = below.iter().map(|(path, all)| (key(path), raw(all).0));
        index.resources.extend(below);
        index.classes.sort_unstable();
        index.versions.sort_unstable();
        index.resources.sort_unstable();
        index
    }

    /// The digest of what is no class and has this path.
    pub(crate) fn resource(&self, path: &str) -> Option<Digest> {
        find(&self.resources, key(path))
    }

    /// The digest of all that is in it.
    pub(crate) fn digest(&self) -> Digest {
        let pairs = self.classes.iter().chain(&self.resources);
        let bytes = pairs.flat_map(|(key, digest)| [key.to_le_bytes(), digest.to_le_bytes()]);
        raw(&bytes.flatten().collect::<Vec<u8>>())
    }

    /// Whether the jar is nothing but a list of others.
    pub(crate) fn is_list(&self) -> bool {
        let manifest = ["META-INF", "META-INF/MANIFEST.MF"].map(key);
        let mut resources = self.resources.iter();
        self.classes.is_empty()
            && !self.class_path.is_empty()
            && resources.all(|(resource, _)| manifest.contains(resource))
    }

    /// The digest of the class whose name has this key.
    pub(crate) fn get(&self, key: u128) -> Option<Digest> {
        find(&self.classes, key)
    }

    /// Whether a version of the class `name` has this digest.
    pub(crate) fn has(&self, name: &str, digest: Digest) -> bool {
        let pair = (key(name), digest.0);
        self.classes.binary_search(&pair).is_ok() || self.versions.binary_search(&pair).is_ok()
    }

    /// Whether the class `name` has several versions.
    pub(crate) fn has_versions(&self, name: &str) -> bool {
        let key = key(name);
        let at = self.versions.partition_point(|(other, _)| *other < key);
        self.versions
            .get(at)
            .is_some_and(|(other, _)| *other == key)
    }

    fn encode(&self, stamp: &Stamp) -> Vec<u8> {
        let mut bytes = head(stamp);
        let class_path = self.class_path.join(" ");
        let lists = [&self.classes, &self.versions, &self.resources];
        for length in lists.map(Vec::len).into_iter().chain([class_path.len()]) {
            bytes.extend_from_slice(&(length as u64).to_le_bytes());
        }
        for (key, digest) in lists.into_iter().flatten() {
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend_from_slice(&digest.to_le_bytes());
        }
        bytes.extend_from_slice(class_path.as_bytes());
        bytes.extend_from_slice(&xxh3_128(&bytes).to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8], stamp: &Stamp) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk::<16>()?;
        if xxh3_128(body) != u128::from_le_bytes(*sum) {
            return None;
        }
        let mut rest = body.strip_prefix(head(stamp).as_slice())?;
        let mut length = || {
            let (length, tail) = rest.split_first_chunk::<8>()?;
            rest = tail;
            usize::try_from(u64::from_le_bytes(*length)).ok()
        };
        let (classes, versions, resources, class_path) =
            (length()?, length()?, length()?, length()?);
        let (classes, rest) = rest.split_at_checked(classes.checked_mul(32)?)?;
        let (versions, rest) = rest.split_at_checked(versions.checked_mul(32)?)?;
        let (resources, rest) = rest.split_at_checked(resources.checked_mul(32)?)?;
        let text = std::str::from_utf8(rest)
            .ok()
            .filter(|text| text.len() == class_path)?;
        Some(JarIndex {
            classes: pairs(classes),
            versions: pairs(versions),
            resources: pairs(resources),
            class_path: text.split_whitespace().map(str::to_owned).collect(),
        })
    }
}

fn find(sorted: &[(u128, u128)], key: u128) -> Option<Digest> {
    let at = sorted.binary_search_by_key(&key, |(key, _)| *key).ok()?;
    sorted.get(at).map(|(_, digest)| Digest(*digest))
}

/// What stands for a class name in an index.
pub(crate) fn key(name: &str) -> u128 {
    xxh3_128(name.as_bytes())
}

fn head(stamp: &Stamp) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for value in stamp.numbers() {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes
}

fn pairs(bytes: &[u8]) -> Vec<(u128, u128)> {
    let (pairs, _) = bytes.as_chunks::<32>();
    let number = |bytes: &[u8]| {
        bytes
            .try_into()
            .map(u128::from_le_bytes)
            .unwrap_or_default()
    };
    pairs
        .iter()
        .map(|pair| {
            let (key, digest) = pair.split_at(16);
            (number(key), number(digest))
        })
        .collect()
}

fn cache_file(cache: &Path, jar: &Path) -> PathBuf {
    let name = xxh3_128(jar.as_os_str().as_encoded_bytes());
    cache.join(format!("{name:032x}.jar-index"))
}

fn load(cached: &Path, stamp: &Stamp) -> Option<JarIndex> {
    JarIndex::decode(&fs::read(cached).ok()?, stamp)
}

fn save(cached: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(cached.parent().unwrap_or(Path::new("")))?;
    tamis_files::write(cached, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (JarIndex, Stamp) {
        let mut content = JarContent {
            class_path: vec!["a.jar".into(), "b%20c.jar".into()],
            ..JarContent::default()
        };
        let digests = |text: &str| text.bytes().map(|byte| raw(&[byte])).collect();
        content.classes.insert("p/A".into(), digests("a"));
        content.classes.insert("p/Versions".into(), digests("bc"));
        let stamp = Stamp {
            size: 1,
            modified_ns: 2,
            changed_ns: 3,
            inode: 4,
            device: 5,
        };
        (JarIndex::new(content), stamp)
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        let (index, stamp) = sample();
        assert_eq!(JarIndex::decode(&index.encode(&stamp), &stamp), Some(index));
    }

    #[test]
    fn any_cut_any_flip_and_any_addition_is_refused() {
        let (index, stamp) = sample();
        let good = index.encode(&stamp);
        for length in 0..good.len() {
            assert_eq!(JarIndex::decode(&good[..length], &stamp), None);
        }
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(JarIndex::decode(&bad, &stamp), None, "bit {bit}");
        }
        assert_eq!(JarIndex::decode(&[&good[..], b"x"].concat(), &stamp), None);
    }

    #[test]
    fn the_index_of_another_file_is_refused() {
        let (index, stamp) = sample();
        let bytes = index.encode(&stamp);
        let others: [fn(&mut Stamp) -> &mut u64; 5] = [
            |stamp| &mut stamp.size,
            |stamp| &mut stamp.modified_ns,
            |stamp| &mut stamp.changed_ns,
            |stamp| &mut stamp.inode,
            |stamp| &mut stamp.device,
        ];
        for field in others {
            let mut other = stamp;
            *field(&mut other) += 1;
            assert_eq!(JarIndex::decode(&bytes, &other), None);
        }
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        let (index, stamp) = sample();
        let good = index.encode(&stamp);
        let lengths = head(&stamp).len();
        for at in 0..3 {
            for lie in [0, 3, 1 << 59, u64::MAX] {
                let mut bad = good[..good.len() - 16].to_vec();
                let at = lengths + at * 8;
                bad[at..at + 8].copy_from_slice(&lie.to_le_bytes());
                bad.extend_from_slice(&xxh3_128(&bad).to_le_bytes());
                assert_eq!(JarIndex::decode(&bad, &stamp), None, "{lie} at {at}");
            }
        }
    }
}
