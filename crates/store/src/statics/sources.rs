//! From what changed in the sources since a revision to what changed in a program.

use super::Now;
use std::collections::BTreeSet;
use std::path::Path;
use tamis_classpath::Lookup;
use tamis_graph::{Change, Changes, MemberKey, Program, Resource};
use tamis_inputs::files::{is_of_build, is_relevant};
use tamis_select::{Change as Became, Reason};
use tamis_source::{
    Change as Source, FileChange, Kind, Member, MemberChange, SourceChanges, SourceError,
};

/// What changed since a revision, as far as a program can have it.
#[derive(Debug, Clone, Default)]
pub(super) struct SinceRevision {
    pub(super) changes: Changes,
    /// Why everything is affected, if it is.
    pub(super) everything: Option<Reason>,
    /// Files that changed and are on no class path: code may open them by their names.
    pub(super) files: Vec<Resource>,
}

/// The files of a project that changed since a revision, and those that javac compiles from what changed in others.
pub(super) fn files(project: &Path, revision: &str) -> Result<Vec<FileChange>, SourceError> {
    let SourceChanges { mut files, names } = tamis_source::changes(project, revision)?;
    if !names.is_empty() {
        files.extend(tamis_source::mentions(project, &names)?);
    }
    Ok(files)
}

/// What that means for a program.
pub(super) fn since(
    files: &[FileChange],
    now: &Now<'_>,
    program: &Program<'_>,
    resources: &[Resource],
) -> SinceRevision {
    let mut found = SinceRevision::default();
    for file in files {
        let path = file.path.to_string_lossy().replace('\\', "/");
        match &file.change {
            Source::Members { classes, members } => {
                let is_here = classes.iter().any(|class| program.class(class).is_some());
                if is_here {
                    members
                        .iter()
                        .for_each(|change| found.member(change, program));
                } else {
                    found.resource(&path, resources);
                    found.library(classes, now);
                }
            }
            Source::Classes {
                before,
                now: classes,
            } => {
                let all: BTreeSet<&String> = before.iter().chain(classes).collect();
                for class in &all {
                    match program.class(class) {
                        Some(_) => found.whole(class, program),
                        None if before.contains(class) => found.set(class, Change::Deleted),
                        None => {}
                    }
                }
                found.resource(&path, resources);
                found.library(all, now);
            }
            Source::Unparsed { copied, classes } => {
                if *copied {
                    found.everything(path.clone());
                }
                let name = path.rsplit('/').next().unwrap_or_default();
                let of_file = |class: &tamis_snapshot::Class<'_>| {
                    class
                        .facts()
                        .is_some_and(|facts| facts.source() == Some(name))
                };
                for class in now.snapshot.classes().filter(of_file) {
                    found.whole(class.name(), program);
                }
                found.resource(&path, resources);
                found.library(classes, now);
            }
            Source::Other if is_of_build(&path) => {
                found.everything(path);
            }
            Source::Other => {
                let is_known = found.resource(&path, resources);
                let is_outside = path.starts_with("../");
                if !is_known && !is_outside && is_relevant(&path) {
                    found.changes.resources.insert(path.clone());
                    found.files.push(Resource {
                        path,
                        classes: Vec::new(),
                    });
                }
            }
        }
    }
    found
}

impl SinceRevision {
    /// Takes a file for a resource if the class path has one that may come from it.
    fn resource(&mut self, path: &str, resources: &[Resource]) -> bool {
        let is_end = |resource: &&Resource| {
            let before = path.strip_suffix(&*resource.path);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let known: Vec<String> = resources
            .iter()
            .filter(is_end)
            .map(|resource| resource.path.clone())
            .collect();
        let is_known = !known.is_empty();
        self.changes.resources.extend(known);
        is_known
    }

    /// A source may be that of a library, if another module was installed: it is not known what depends on its members.
    fn library<'c>(&mut self, classes: impl IntoIterator<Item = &'c String>, now: &Now<'_>) {
        let found = classes.into_iter().map(|class| now.path.lookup(class));
        let mut outside = found.filter_map(|found| match found {
            Lookup::Found(found) => Some(found.entry.path()),
            Lookup::Absent | Lookup::Unreadable => None,
        });
        if let Some(path) = outside.find(|path| !now.is_own(path)) {
            self.everything(now.disk.roots.place(path).to_string());
        }
    }

    /// A file changed, and nobody knows whom this concerns.
    fn everything(&mut self, name: String) {
        self.everything.get_or_insert(Reason::Build {
            name,
            change: Became::Changed,
        });
    }

    fn set(&mut self, class: &str, change: Change) {
        self.changes.classes.insert(class.to_owned(), change);
    }

    /// All of a class, and what has no name of its own in it.
    fn whole(&mut self, class: &str, program: &Program<'_>) {
        self.set(class, Change::Whole);
        self.inside(class, program);
    }

    /// The anonymous and local classes of a class.
    fn inside(&mut self, class: &str, program: &Program<'_>) {
        for name in program.names_from(&format!("{class}$")) {
            let rest = name.get(class.len() + 1..).unwrap_or_default();
            if rest.starts_with(|c: char| c.is_ascii_digit()) {
                self.set(name, Change::Whole);
            }
        }
    }

    fn member(&mut self, change: &MemberChange, program: &Program<'_>) {
        let class = &*change.class;
        if program.class(class).is_none() {
            if change.kind == Kind::Deleted {
                self.set(class, Change::Deleted);
            }
            return;
        }
        if change.inside {
            self.inside(class, program);
        }
        let is_whole = matches!(change.member, Member::Class) || change.kind == Kind::Deleted;
        let mut keys: Vec<MemberKey> = Vec::new();
        for key in program.members_of(class) {
            let is_of_lambda = change.inside && key.name.starts_with("lambda$");
            if change.may_be(&key.name, &key.descriptor) || is_of_lambda {
                keys.push(key);
            }
        }
        let is_part_of_others = matches!(change.member, Member::Initializer { .. });
        if is_whole || keys.is_empty() && !is_part_of_others {
            self.set(class, Change::Whole);
            return;
        }
        let entry = self.changes.classes.entry(class.to_owned());
        let Change::Parts { changed, added, .. } = entry.or_insert_with(Change::nothing) else {
            return;
        };
        match change.kind {
            Kind::Added => added.extend(keys),
            Kind::Changed | Kind::Deleted => changed.extend(keys),
        }
    }
}
