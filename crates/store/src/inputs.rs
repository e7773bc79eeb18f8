//! Inputs of tests: which of them count, and how they changed.
//!
//! What the build makes does not count, but for what is on the class path, and for the content of
//! files there: a build may generate what tests read. So tests may keep their own files there.

use crate::decide::{Disk, Scope};
use crate::jvm::Jvm;
use crate::model::{InputVersion, Interner, Store};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use tamis_classpath::{Base, ClassPath, Entry, Lookup, Place, changed_since};
use tamis_inputs::policy::{is_build_output, is_handed_over_by_surefire};
use tamis_inputs::{Aspect, Input, file_of_url, missing, percent_decoded, state};
use tamis_select::{Change, InputKind};

/// The input of the store for each recorded one; nothing for one that does not count.
pub(crate) fn inputs(
    disk: &Disk,
    jvm: &Jvm<'_>,
    path: &ClassPath,
    places: &mut Interner<Place>,
    versions: &mut Interner<InputVersion>,
) -> HashMap<u32, Option<u32>> {
    let mut ids = HashMap::new();
    let outputs = outputs(disk, jvm, path);
    for (id, input, state) in &jvm.inputs {
        let version = match input {
            Input::File {
                place,
                aspect,
                test_created,
            } => {
                let file = PathBuf::from(OsString::from_vec(place.clone()));
                let place = disk.roots.place(&file);
                let version = |place| InputVersion {
                    input: Input::File {
                        place,
                        aspect: *aspect,
                        test_created: test_created.clone(),
                    },
                    // The store has no words for a name that is not Unicode.
                    state: state.filter(|_| file.to_str().is_some()),
                };
                let real = real(&file);
                let is_output = outputs.iter().any(|output| real.starts_with(output));
                let counts = !is_handed_over_by_surefire(&file)
                    && (!is_output || counts_as_output(&file, *aspect, *state, path));
                counts.then(|| version(places.id(place)))
            }
            Input::Resource { name, all } => {
                let is_as_it_was = !path.resource_changed_since(name, jvm.since_ms);
                Some(InputVersion {
                    input: Input::Resource {
                        name: name.clone(),
                        all: *all,
                    },
                    state: path.resource(name, *all).filter(|_| is_as_it_was),
                })
            }
            Input::Declared(name) => {
                let is_as_it_was = !path.resource_changed_since(name, jvm.since_ms);
                Some(InputVersion {
                    input: Input::Declared(name.clone()),
                    state: path.declared(name).filter(|_| is_as_it_was),
                })
            }
            Input::Linked(name) => Some(InputVersion {
                input: Input::Linked(name.clone()),
                state: is_there(path, name),
            }),
            Input::Archive(url) if entry_of(url).is_some() => {
                let entry = entry_of(url);
                let version = |(file, name): (PathBuf, String)| {
                    if let Some(all) = is_behind(path, &file, &name) {
                        let is_as_it_was = !path.resource_changed_since(&name, jvm.since_ms);
                        let state = path.resource(&name, all).filter(|_| is_as_it_was);
                        let input = Input::Resource { name, all };
                        return InputVersion { input, state };
                    }
                    let archive = disk.entries.entry(&file);
                    let is_as_it_was = !archive.resource_changed_since(&name, jvm.since_ms);
                    let state = found(archive.resource(&name)).filter(|_| is_as_it_was);
                    let place = places.id(disk.roots.place(&file));
                    let input = Input::Entry { place, name };
                    InputVersion { input, state }
                };
                entry.map(version)
            }
            Input::Archive(url) => archive(disk, jvm, path, url, places),
            Input::Pattern(directory) => {
                let directory = Path::new(directory);
                let names = names_like(disk, directory, "*.{jar,JAR}");
                Some(names.unwrap_or_else(|| whole(disk, jvm, directory, places)))
            }
            // Only the store makes the former; what processes used counts, and not they themselves.
            Input::Entry { .. } | Input::Process { .. } => None,
            Input::Property(name) => Some(InputVersion {
                input: Input::Property(name.clone()),
                state: *state,
            }),
            Input::Variable(name) => Some(InputVersion {
                input: Input::Variable(name.clone()),
                state: *state,
            }),
        };
        ids.insert(*id, version.map(|version| versions.id(version)));
    }
    ids
}

/// The archive and the name of an entry in it, if the URL is that of one.
fn entry_of(url: &str) -> Option<(PathBuf, String)> {
    let (archive, name) = url.strip_prefix("jar:")?.split_once("!/")?;
    // Behind the name may stand for which release it is wanted.
    let name = name.split('#').next()?;
    let name = percent_decoded(name)?;
    let file = file_of_url(archive)?;
    (!name.is_empty() && !name.contains("!/")).then_some((file, name))
}

/// If the archive is on the class path: whether what it has under a name is not the first there, so that
/// all must be compared. It may have another file name in its next version.
fn is_behind(path: &ClassPath, archive: &Path, name: &str) -> Option<bool> {
    let mut entries = path.entries();
    let on_path = entries.any(|entry| entry.path() == archive);
    let mut having = path.entries();
    let first = having.find(|entry| entry.resource(name.trim_matches('/')) != Lookup::Absent);
    on_path.then(|| first.is_none_or(|first| first.path() != archive))
}

/// Whether the class path has a class of this internal name.
fn is_there(path: &ClassPath, name: &str) -> Option<u128> {
    let state = path.resource(&file_of(name), false)?;
    Some(if state == missing() { state } else { 1 })
}

/// The name of the file of a class.
fn file_of(name: &str) -> String {
    format!("{name}.class")
}

fn found(looked_up: Lookup<u128>) -> Option<u128> {
    match looked_up {
        Lookup::Found(digest) => Some(digest),
        Lookup::Absent => Some(missing()),
        Lookup::Unreadable => None,
    }
}

/// The inputs of all tests: files that the project's settings name, and the settings themselves.
pub(crate) fn global_inputs(
    disk: &Disk,
    started_ms: u64,
    places: &mut Interner<Place>,
    versions: &mut Interner<InputVersion>,
) -> Vec<u32> {
    let mut ids = Vec::new();
    let mut add = |file: &Path| {
        let changed = file.exists() && changed_since(file, started_ms);
        let state = state(file, Aspect::Content, |_| false).filter(|_| !changed);
        let input = Input::File {
            place: places.id(disk.roots.place(file)),
            aspect: Aspect::Content,
            test_created: Vec::new(),
        };
        ids.push(versions.id(InputVersion { input, state }));
    };
    add(&disk.settings_file());
    let mut patterns = Vec::new();
    for pattern in disk.settings.iter().flat_map(|settings| &settings.global) {
        let files = disk.files_like(pattern);
        let names = files.as_deref().map(names_of);
        let in_root = files.iter().flatten().map(|file| disk.root().join(file));
        in_root.for_each(|file| add(&file));
        patterns.push((Input::Pattern(pattern.clone()), names));
    }
    let patterns = patterns.into_iter();
    ids.extend(patterns.map(|(input, state)| versions.id(InputVersion { input, state })));
    ids
}

/// The digest of a list of files.
fn names_of(files: &[PathBuf]) -> u128 {
    let names: Vec<&[u8]> = files
        .iter()
        .map(|file| file.as_os_str().as_bytes())
        .collect();
    tamis_inputs::value(Some(&names.join(&0)))
}

/// The directories of the project into which the build writes: those that are called so and have what
/// is on the class path, and Maven's.
fn outputs(disk: &Disk, jvm: &Jvm<'_>, path: &ClassPath) -> Vec<PathBuf> {
    let module = disk.root().join(&jvm.module);
    let directories = path
        .entries()
        .map(Entry::path)
        .filter(|path| !path.is_file());
    let output = |directory: &Path| {
        let mut above = directory.ancestors();
        let is_output = |path: &&Path| path.file_name().is_some_and(is_build_output);
        let output = above.find(is_output)?;
        // The project itself may be called so.
        let is_inside = output.starts_with(disk.root()) && !module.starts_with(output);
        is_inside.then(|| output.to_owned())
    };
    let maven = module.join("target");
    directories.filter_map(output).chain([maven]).collect()
}

/// Whether a file counts although it is where the build writes.
fn counts_as_output(file: &Path, aspect: Aspect, state: Option<u128>, path: &ClassPath) -> bool {
    let mut entries = path.entries().map(Entry::path);
    let is_there = state != Some(missing());
    entries.any(|entry| file.starts_with(entry))
        || (aspect.is_inside_a_file() && is_there && !file.is_dir())
}

/// An archive that is not on the class path, and what it is like.
fn archive(
    disk: &Disk,
    jvm: &Jvm<'_>,
    path: &ClassPath,
    url: &str,
    places: &mut Interner<Place>,
) -> Option<InputVersion> {
    let Some(file) = file_of_url(url) else {
        // It is not on this disk.
        let input = Input::Archive(url.to_owned());
        return Some(InputVersion { input, state: None });
    };
    let is_on_path =
        path.entries().any(|entry| entry.path() == file) || jvm.class_path.contains(&file);
    if is_on_path || file.is_dir() {
        return None;
    }
    Some(whole(disk, jvm, &file, places))
}

/// A file that counts as a whole.
pub(crate) fn whole(
    disk: &Disk,
    jvm: &Jvm<'_>,
    file: &Path,
    places: &mut Interner<Place>,
) -> InputVersion {
    let changed = file.exists() && changed_since(file, jvm.since_ms);
    InputVersion {
        input: Input::File {
            place: places.id(disk.roots.place(file)),
            aspect: Aspect::Content,
            test_created: Vec::new(),
        },
        state: state(file, Aspect::Content, |_| false).filter(|_| !changed),
    }
}

/// The names of the files in a directory of the project that match a pattern.
pub(crate) fn names_like(disk: &Disk, directory: &Path, pattern: &str) -> Option<InputVersion> {
    let place = disk.roots.place(&real(directory));
    let inside = globset::escape(&place.path);
    let pattern = match place.base {
        Base::Project if inside.is_empty() => pattern.to_owned(),
        Base::Project => format!("{inside}/{pattern}"),
        _ => return None,
    };
    Some(InputVersion {
        state: disk.files_like(&pattern).as_deref().map(names_of),
        input: Input::Pattern(pattern),
    })
}

/// The path with links and `..` followed, where it has the latter; there need not be anything at its end.
fn real(file: &Path) -> Cow<'_, Path> {
    let mut parts = file.components();
    if !parts.any(|part| part == Component::ParentDir) {
        return Cow::Borrowed(file);
    }
    let in_parent = || Some(file.parent()?.canonicalize().ok()?.join(file.file_name()?));
    let real = file.canonicalize().ok().or_else(in_parent);
    // What leads nowhere is no output.
    real.unwrap_or_default().into()
}

impl Store {
    /// The kind of an input, and its place or name.
    pub(crate) fn input_name(&self, version: &InputVersion) -> (InputKind, String) {
        match &version.input {
            Input::File { place, .. } => {
                let place = self.places.get(*place as usize);
                let name = match place {
                    Some(Place {
                        base: Base::Project,
                        path,
                    }) => path.clone(),
                    Some(Place {
                        base: Base::System,
                        path,
                    }) => format!("/{path}"),
                    Some(place) => place.to_string(),
                    None => String::new(),
                };
                (InputKind::File, name)
            }
            Input::Resource { name, .. } | Input::Declared(name) => {
                (InputKind::Resource, name.clone())
            }
            Input::Linked(name) => (InputKind::Resource, file_of(name)),
            Input::Entry { place, name } => {
                let archive = self.places.get(*place as usize);
                let archive = archive.map(Place::to_string).unwrap_or_default();
                (InputKind::Resource, format!("{name} of {archive}"))
            }
            Input::Archive(url) => (InputKind::File, url.clone()),
            Input::Process { pid, .. } => (InputKind::File, pid.to_string()),
            Input::Pattern(pattern) => (InputKind::Pattern, pattern.clone()),
            Input::Property(name) => (InputKind::Property, name.clone()),
            Input::Variable(name) => (InputKind::Variable, name.clone()),
        }
    }

    /// How an input changed.
    pub(crate) fn input_change(
        &self,
        disk: &Disk,
        path: &ClassPath,
        scope: &Scope,
        version: &InputVersion,
    ) -> Option<Change> {
        let now = match &version.input {
            Input::File {
                place,
                aspect,
                test_created,
            } => {
                let file = disk.roots.resolve(self.places.get(*place as usize)?);
                file.map_or(Some(missing()), |file| {
                    let is_test_created =
                        |name: &OsStr| test_created.iter().any(|created| name == created.as_str());
                    state(&file, *aspect, is_test_created)
                })
            }
            Input::Resource { name, all } => path.resource(name, *all),
            Input::Declared(name) => path.declared(name),
            Input::Linked(name) => is_there(path, name),
            Input::Entry { place, name } => {
                let file = disk.roots.resolve(self.places.get(*place as usize)?);
                let archive = file.map(|file| disk.entries.entry(&file));
                archive.map_or(Some(missing()), |archive| found(archive.resource(name)))
            }
            Input::Archive(_) | Input::Process { .. } => None,
            Input::Pattern(pattern) => disk.files_like(pattern).map(|files| names_of(&files)),
            Input::Property(name) => match &scope.values {
                None => version.state,
                Some(values) => Some(values.property(name)),
            },
            Input::Variable(name) => match &scope.values {
                None => version.state,
                Some(values) => Some(values.variable(name)),
            },
        };
        match (version.state, now) {
            (Some(before), Some(now)) if before == now => None,
            (_, None) | (None, _) => Some(Change::Unreadable),
            (_, Some(now)) if now == missing() => Some(Change::Deleted),
            (Some(before), _) if before == missing() => Some(Change::Added),
            _ => Some(Change::Changed),
        }
    }
}
