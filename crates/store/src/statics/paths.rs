//! How tests can reach a class or member, as far as code tells.

use super::{Now, StaticTest};
use crate::Project;
use crate::decide::Disk;
use crate::model::Store;
use crate::statics::libraries::Libraries;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use tamis_graph::{Change, Changes, MemberKey, Program};
use tamis_select::{
    Compared, Facts, MemberName, Mest, Reason, StaticFacts, Technique, TestId, readable,
};

/// Where build tools put classes, as the ends of directories.
const OUTPUTS: [&str; 4] = [
    "target/classes",
    "target/test-classes",
    "build/classes/java/main",
    "build/classes/java/test",
];

/// Directories go no deeper than this below the root before the classes of a module are found.
const DEEPEST: usize = 8;

/// The tests that can reach a class or member, as far as code tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reaching {
    /// Those tests, each with the way from it.
    pub tests: Vec<(TestId, Vec<String>)>,
    /// How many test classes there are.
    pub known: usize,
    /// Whether there is such a class or member.
    pub exists: bool,
}

impl Project {
    /// The tests that can reach `asked`, found in the class files of all modules without any recording.
    pub fn reaching(&self, asked: &MemberName<'_>, java_home: Option<&Path>) -> Reaching {
        let disk = Disk::new(self);
        let path = disk.entries.class_path(&outputs(&self.root));
        let now = Now::read(self, &disk, path, None, true);
        let libraries = Libraries::new(&now.path, java_home);
        let program = now.program(&libraries);
        let mut tests: Vec<StaticTest> = Vec::new();
        let mut seen = BTreeSet::new();
        for found in now.find_tests().tests {
            let name = found.class.name();
            if seen.insert(name) {
                let module = self.module_name(&module_of(found.class.entry()));
                tests.push(StaticTest {
                    test: TestId::new(module, name.replace('/', ".").as_str()),
                    class: program.class(name),
                    suites: Vec::new(),
                    known: None,
                    due: Vec::new(),
                });
            }
        }
        let changes = asked_of(&program, asked);
        let known = tests.len();
        let exists = !changes.is_empty();
        Reaching {
            tests: paths(&program, &now, &libraries, changes, tests),
            known,
            exists,
        }
    }
}

impl Store {
    /// A way in the code from a test to a class or member; `None` if none is known.
    pub fn path(
        &self,
        project: &Project,
        test: &TestId,
        to: &MemberName<'_>,
        java_home: Option<&Path>,
    ) -> Option<Vec<String>> {
        let disk = Disk::new(project);
        let module = self.modules.get(&test.module)?;
        let path = disk.class_path(self, module.class_path)?;
        let now = Now::read(project, &disk, path, None, true);
        let libraries = Libraries::new(&now.path, java_home);
        let program = now.program(&libraries);
        let tests = vec![StaticTest {
            class: program.class(&test.name.needed_class().replace('.', "/")),
            test: test.clone(),
            suites: Vec::new(),
            known: None,
            due: Vec::new(),
        }];
        let changes = asked_of(&program, to);
        let found = paths(&program, &now, &libraries, changes, tests);
        found.into_iter().next().map(|(_, path)| path)
    }
}

/// The ways from tests to what is asked for, as if that had changed.
fn paths(
    program: &Program<'_>,
    now: &Now<'_>,
    libraries: &Libraries<'_>,
    changes: Changes,
    tests: Vec<StaticTest>,
) -> Vec<(TestId, Vec<String>)> {
    let compared = [Compared {
        changes,
        everything: None,
        tests,
    }];
    let selection = Mest::default().select(&Facts {
        statics: Some(StaticFacts {
            program,
            resources: now.baseline.resources(),
            outside: libraries,
            compared: &compared,
        }),
        ..Facts::default()
    });
    let verdicts = selection.verdicts.into_iter();
    let reached = verdicts.filter_map(|verdict| {
        let mut reasons = verdict.reasons.into_iter();
        let path = reasons.find_map(|reason| match reason {
            Reason::Reaches { path } | Reason::UnknownReflection { path } => Some(path),
            _ => None,
        })?;
        Some((verdict.test, path))
    });
    reached.collect()
}

/// The classes `a.b.C`, or any `C`, or their members of a name, with or without parameters.
fn asked_of(program: &Program<'_>, asked: &MemberName<'_>) -> Changes {
    let name = asked.class.replace('.', "/");
    let mut changes = Changes::default();
    for class in program.names_from("") {
        let before = class.strip_suffix(&*name);
        if !before.is_some_and(|before| before.is_empty() || before.ends_with(['/', '$'])) {
            continue;
        }
        let Some(member) = asked.member.as_deref() else {
            changes.classes.insert(class.to_owned(), Change::Whole);
            continue;
        };
        let is_it = |key: &MemberKey| {
            let readable = readable(key.name.as_bytes(), key.descriptor.as_bytes());
            key.name == member || readable == member
        };
        let keys: BTreeSet<MemberKey> = {
            let members = program.members_of(class).into_iter();
            members.filter(is_it).collect()
        };
        if !keys.is_empty() {
            let mut change = Change::nothing();
            if let Change::Parts { changed, .. } = &mut change {
                *changed = keys;
            }
            changes.classes.insert(class.to_owned(), change);
        }
    }
    changes
}

/// The directories with classes below a root, main classes first.
fn outputs(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut next = vec![(root.to_owned(), 0)];
    while let Some((directory, depth)) = next.pop() {
        found.extend(
            OUTPUTS
                .iter()
                .enumerate()
                .map(|(order, end)| (order, directory.join(end)))
                .filter(|(_, path)| path.is_dir()),
        );
        let listed = fs::read_dir(&directory).into_iter().flatten().flatten();
        let inner = listed.filter(|file| file.file_type().is_ok_and(|kind| kind.is_dir()));
        let inner = inner.filter(|file| {
            let name = file.file_name();
            let name = name.to_string_lossy();
            !name.starts_with('.') && !["src", "target", "build", "node_modules"].contains(&&*name)
        });
        if depth < DEEPEST {
            next.extend(inner.map(|file| (file.path(), depth + 1)));
        }
    }
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// The directory of the module whose classes are here.
fn module_of(output: &Path) -> PathBuf {
    let ends = OUTPUTS.iter().filter(|end| output.ends_with(end));
    let parts = ends.map(|end| end.split('/').count()).next().unwrap_or(0);
    let mut module = output;
    for _ in 0..parts {
        module = module.parent().unwrap_or(module);
    }
    module.to_owned()
}
