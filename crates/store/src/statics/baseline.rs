//! What the classes of a project were like at one moment, to compare them later.
//!
//! One file for each state, named by its content and never changed: `.tamis/baselines/DIGEST`. It has checksums
//! only; what members a class had is known from what tests recorded of it, or else all of it changed.

use crate::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;
use tamis_classpath::{ClassPath, Entry, Lookup, Roots};
use tamis_fingerprint::{Fingerprint, MemberPrint};
use tamis_graph::{Change, Changes, MemberKey, Resource};
use tamis_select::{Change as Became, Reason};
use tamis_snapshot::Snapshot;
use tamis_wire::{Reader, Writer};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: &[u8; 17] = b"tamis baseline 1\n";

/// The state of what cannot be read: it equals nothing.
const UNREADABLE: u128 = 0;

/// Texts that are longer are not looked through for names of classes.
const LONGEST_TEXT: usize = 1 << 20;

/// What a project is like at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    /// The classes of the project with the digests of their fingerprints.
    classes: BTreeMap<String, u128>,
    /// Its other files on the class path, by their paths below their entries.
    files: BTreeMap<String, u128>,
    /// Libraries, in the order of the class path.
    libraries: Vec<(String, u128)>,
    /// The Java runtime, if it is known.
    runtime: Option<String>,
    resources: Vec<Resource>,
}

impl Baseline {
    /// What a class path is like now.
    pub(super) fn of(
        snapshot: &Snapshot,
        path: &ClassPath,
        roots: &Roots,
        is_own: impl Fn(&Entry) -> bool,
        runtime: Option<&str>,
    ) -> Baseline {
        let mut baseline = Baseline::default();
        let own: BTreeSet<&Path> = path
            .entries()
            .filter(|entry| is_own(entry))
            .map(|entry| entry.path())
            .collect();
        let classes = snapshot.classes();
        for class in classes.filter(|class| own.contains(class.entry())) {
            // Of a class with several versions nobody knows which one runs.
            let digests = class
                .versions()
                .map(|version| version.facts().map(|f| f.digest().0));
            let digest = match digests.collect::<Option<Vec<u128>>>().as_deref() {
                Some([digest]) => *digest,
                Some(all) => {
                    xxh3_128(&all.iter().flat_map(|d| d.to_le_bytes()).collect::<Vec<_>>())
                }
                None => UNREADABLE,
            };
            baseline.classes.insert(class.name().to_owned(), digest);
        }
        for entry in path.entries() {
            if is_own(entry) && entry.path().is_dir() {
                baseline.files_below(entry.path(), entry.path());
            } else if !entry.is_missing() {
                let files = is_own(entry).then(|| entry.archive_files()).flatten();
                match files {
                    Some(files) => {
                        let classes = snapshot.classes();
                        let inside = classes.filter(|class| class.entry() == entry.path());
                        let inside: Vec<_> = inside.map(|class| class.name().to_owned()).collect();
                        for (name, digest) in files {
                            // It may name any of them; its text is not looked through.
                            let may_name = name.starts_with("META-INF/services/");
                            let classes = may_name.then(|| inside.clone());
                            baseline.add_file(&name, digest, classes.unwrap_or_default());
                        }
                    }
                    None => {
                        let name = roots.place(entry.path()).to_string();
                        let digest = entry.archive_digest();
                        let digest = digest.map_or(UNREADABLE, |digest| digest.0);
                        baseline.libraries.push((name, digest));
                    }
                }
            }
        }
        baseline.runtime = runtime.map(str::to_owned);
        baseline
    }

    /// Adds the files below a directory that are no classes.
    fn files_below(&mut self, root: &Path, directory: &Path) {
        let listed = fs::read_dir(directory).into_iter().flatten().flatten();
        for file in listed {
            let path = file.path();
            let name = path.strip_prefix(root).ok().and_then(Path::to_str);
            let is_directory = file.file_type().is_ok_and(|kind| kind.is_dir());
            match name {
                _ if is_directory => self.files_below(root, &path),
                Some(name) if !name.ends_with(".class") => {
                    let bytes = fs::read(&path).ok();
                    let digest = bytes.as_deref().map_or(UNREADABLE, xxh3_128);
                    let classes = bytes.map(|bytes| self.classes_in(&bytes));
                    self.add_file(name, digest, classes.unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    /// Who looks for a file may find the first one of its name, or all.
    fn add_file(&mut self, name: &str, digest: u128, classes: Vec<String>) {
        let digests = self.files.entry(name.to_owned()).or_insert(digest);
        if *digests != digest {
            *digests = xxh3_128(&[digests.to_le_bytes(), digest.to_le_bytes()].concat());
        }
        match self.resources.iter_mut().find(|known| known.path == name) {
            Some(known) => known.classes.extend(classes),
            None => self.resources.push(Resource {
                path: name.to_owned(),
                classes,
            }),
        }
    }

    /// The classes of the project that a text names.
    fn classes_in(&self, bytes: &[u8]) -> Vec<String> {
        if bytes.len() > LONGEST_TEXT || bytes.contains(&0) {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(bytes);
        let is_part = |c: char| c.is_alphanumeric() || "_$./".contains(c);
        let words = text.split(|c: char| !is_part(c));
        let names = words.map(|word| word.trim_matches(['.', '/']).replace('.', "/"));
        let known = names.filter(|name| self.classes.contains_key(name));
        let known: BTreeSet<String> = known.collect();
        known.into_iter().collect()
    }

    /// The files of the project that are no classes.
    pub(super) fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// What changed between this state and another, and why everything is affected, if it is. `print` has the encoded
    /// fingerprints of classes by their digests.
    pub(super) fn changes<'p>(
        &self,
        now: &Baseline,
        snapshot: &Snapshot,
        print: impl Fn(u128) -> Option<&'p [u8]>,
    ) -> (Changes, Option<Reason>) {
        let runtime = self.runtime_change(now);
        let everything = runtime.or_else(|| self.library_change(now));
        let mut changes = Changes::default();
        for (name, change) in differences(&self.classes, &now.classes) {
            let change = match change {
                Became::Deleted => Change::Deleted,
                Became::Changed => {
                    let before = self.classes.get(name).and_then(|digest| print(*digest));
                    parts(before, snapshot, name).unwrap_or(Change::Whole)
                }
                _ => Change::Whole,
            };
            changes.classes.insert(name.to_owned(), change);
        }
        let files = differences(&self.files, &now.files);
        changes.resources = files.map(|(name, _)| name.to_owned()).collect();
        (changes, everything)
    }

    fn runtime_change(&self, now: &Baseline) -> Option<Reason> {
        let (before, now) = (self.runtime.clone()?, now.runtime.clone()?);
        (before != now).then_some(Reason::Runtime { before, now })
    }

    fn library_change(&self, now: &Baseline) -> Option<Reason> {
        let before: BTreeMap<_, _> = self.libraries.iter().cloned().collect();
        let after: BTreeMap<_, _> = now.libraries.iter().cloned().collect();
        let mut changed = differences(&before, &after);
        if let Some((name, change)) = changed.next() {
            let name = name.to_owned();
            return Some(Reason::Build { name, change });
        }
        let order = |all: &[(String, u128)]| all.iter().map(|(name, _)| name.clone()).collect();
        let (before, after): (Vec<_>, Vec<_>) = (order(&self.libraries), order(&now.libraries));
        (before != after).then(|| Reason::Build {
            name: "the order of the class path".into(),
            change: Became::Changed,
        })
    }

    /// The files that are not there any more: code may still look for them.
    pub(super) fn gone(&self, now: &Baseline) -> impl Iterator<Item = Resource> {
        let gone = self
            .files
            .keys()
            .filter(|name| !now.files.contains_key(*name));
        let resource = |path: String| Resource {
            path,
            classes: Vec::new(),
        };
        gone.cloned().map(resource).collect::<Vec<_>>().into_iter()
    }

    /// Writes it, if it is not there yet; the digest by which it is found.
    pub(super) fn save(&self, project: &Project) -> io::Result<u128> {
        let bytes = self.encode();
        let digest = xxh3_128(&bytes);
        let file = project.baseline_file(digest);
        if !file.exists() {
            project.create_dir().map_err(io::Error::other)?;
            fs::create_dir_all(project.baselines_dir())?;
            tamis_files::write(&file, &bytes)?;
        }
        Ok(digest)
    }

    /// Reads one; `None` if it is not there or damaged.
    pub(super) fn load(project: &Project, digest: u128) -> Option<Baseline> {
        let bytes = fs::read(project.baseline_file(digest)).ok()?;
        (xxh3_128(&bytes) == digest).then(|| decode(&bytes))?
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.raw(MAGIC);
        for digests in [&self.classes, &self.files] {
            let digests: Vec<_> = digests.iter().collect();
            out.list(&digests, |out, (name, digest)| {
                out.text(name).digest(**digest)
            });
        }
        out.list(&self.libraries, |out, (name, digest)| {
            out.text(name).digest(*digest)
        });
        out.option(self.runtime.as_deref(), |out, runtime| out.text(runtime));
        out.finish()
    }
}

fn decode(bytes: &[u8]) -> Option<Baseline> {
    let mut from = Reader::new(bytes.strip_prefix(MAGIC)?);
    let pair = |from: &mut Reader<'_>| Some((from.text()?.to_owned(), from.digest()?));
    let baseline = Baseline {
        classes: from.list(pair)?,
        files: from.list(pair)?,
        libraries: from.list(pair)?,
        runtime: from.option(|from| from.text().map(str::to_owned))?,
        resources: Vec::new(),
    };
    from.is_empty().then_some(baseline)
}

/// So old a file belongs to no run that has not ended.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

/// Deletes the baselines that nobody needs. One that is young may be that of a run that has not ended.
pub(super) fn clean(project: &Project, needed: &BTreeSet<u128>) {
    let files = fs::read_dir(project.baselines_dir()).into_iter().flatten();
    for file in files.flatten() {
        let name = file.file_name();
        let digest = name
            .to_str()
            .and_then(|name| u128::from_str_radix(name, 16).ok());
        let modified = file.metadata().and_then(|metadata| metadata.modified());
        let is_old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > OLD));
        if digest.is_none_or(|digest| !needed.contains(&digest)) && is_old {
            // What is left is looked at again next time.
            let _ = fs::remove_file(file.path());
        }
    }
}

/// What differs between two states, by name; what could not be read equals nothing.
fn differences<'a>(
    before: &'a BTreeMap<String, u128>,
    now: &'a BTreeMap<String, u128>,
) -> impl Iterator<Item = (&'a str, Became)> {
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let gone = gone.map(|name| (name.as_str(), Became::Deleted));
    let here = now.iter().filter_map(|(name, digest)| {
        let change = match before.get(name) {
            _ if *digest == UNREADABLE => Became::Unreadable,
            None => Became::Added,
            Some(before) if before == digest => return None,
            Some(_) => Became::Changed,
        };
        Some((name.as_str(), change))
    });
    here.chain(gone)
}

/// Which parts of a class changed; `None` if nobody can say.
fn parts(before: Option<&[u8]>, snapshot: &Snapshot, name: &str) -> Option<Change> {
    let before = Fingerprint::decode(before?)?;
    let Lookup::Found(class) = snapshot.class(name) else {
        return None;
    };
    if class.versions().count() != 1 {
        return None;
    }
    let now = class.facts()?.fingerprint()?;
    let (was, is) = (members(&before)?, members(&now)?);
    let keys = |of: &BTreeMap<MemberKey, MemberPrint<'_>>, other: &BTreeMap<_, _>| {
        let keys = of.keys().filter(|key| !other.contains_key(*key));
        keys.cloned().collect::<BTreeSet<MemberKey>>()
    };
    let changed = is.iter().filter(|(key, print)| {
        let before = was.get(*key);
        before.is_some_and(|before| before != *print)
    });
    // One with other flags may override others, or be overridden, where it was not before.
    let flags = is.iter().filter(|(key, print)| {
        let before = was.get(*key);
        before.is_some_and(|before| before.access != print.access)
    });
    let mut deleted = keys(&was, &is);
    deleted.extend(flags.map(|(key, _)| key.clone()));
    Some(Change::Parts {
        head: before.head != now.head,
        nested: before.nested != now.nested,
        changed: changed.map(|(key, _)| key.clone()).collect(),
        added: keys(&is, &was),
        deleted,
    })
}

fn members<'a>(print: &Fingerprint<'a>) -> Option<BTreeMap<MemberKey, MemberPrint<'a>>> {
    let text = tamis_classfile::decode_mutf8;
    let members = print.fields.iter().chain(&print.methods);
    let members = members.map(|member| {
        let key = MemberKey {
            name: text(member.name)?,
            descriptor: text(member.descriptor)?,
        };
        Some((key, *member))
    });
    members.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(all: &[(&str, u128)]) -> BTreeMap<String, u128> {
        all.iter()
            .map(|(name, state)| ((*name).to_owned(), *state))
            .collect()
    }

    fn baseline() -> Baseline {
        Baseline {
            classes: states(&[("a/B", 1), ("a/C", 2), ("a/Broken", UNREADABLE)]),
            files: states(&[("data.txt", 3)]),
            libraries: vec![("m2/x.jar".into(), 4)],
            runtime: Some("JDK 17".into()),
            resources: Vec::new(),
        }
    }

    #[test]
    fn a_baseline_is_found_by_its_content_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let project = Project {
            root: dir.path().to_owned(),
        };
        let digest = baseline().save(&project).unwrap();
        assert_eq!(Baseline::load(&project, digest), Some(baseline()));
        assert_eq!(Baseline::load(&project, digest + 1), None);
        let file = project.baseline_file(digest);
        let bytes = fs::read(&file).unwrap();
        for length in 0..bytes.len() {
            fs::write(&file, &bytes[..length]).unwrap();
            assert_eq!(Baseline::load(&project, digest), None, "cut to {length}");
        }
    }

    #[test]
    fn what_cannot_be_read_equals_nothing() {
        let check = |before: &[(&str, u128)], now: &[(&str, u128)], expected: &[(&str, Became)]| {
            let (before, now) = (states(before), states(now));
            let found: Vec<_> = differences(&before, &now).collect();
            assert_eq!(found, expected);
        };
        check(&[("a", 1)], &[("a", 1)], &[]);
        check(&[("a", 1)], &[("a", 2)], &[("a", Became::Changed)]);
        check(&[], &[("a", 1)], &[("a", Became::Added)]);
        check(&[("a", 1)], &[], &[("a", Became::Deleted)]);
        let broken = [("a", UNREADABLE)];
        check(&broken, &broken, &[("a", Became::Unreadable)]);
    }

    #[test]
    fn libraries_and_the_runtime_concern_everything() {
        let check = |change: &dyn Fn(&mut Baseline), expected: Option<&str>| {
            let mut now = baseline();
            change(&mut now);
            let runtime = baseline().runtime_change(&now);
            let reason = runtime.or_else(|| baseline().library_change(&now));
            assert_eq!(reason.map(|reason| reason.to_string()).as_deref(), expected);
        };
        check(&|_| {}, None);
        check(&|now| now.libraries[0].1 = 5, Some("m2/x.jar changed"));
        check(&|now| now.libraries.clear(), Some("m2/x.jar was deleted"));
        check(&|now| now.runtime = None, None);
        let other = |now: &mut Baseline| now.runtime = Some("JDK 25".into());
        check(&other, Some("ran on … 17, now … 25"));
    }
}
