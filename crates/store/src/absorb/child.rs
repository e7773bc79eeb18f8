//! JVMs that tests started: what they used counts for the tests.

use super::log::JvmLog;
use crate::decide::Disk;
use crate::dependencies::{Dependencies, dependencies};
use crate::inputs::{inputs, names_like, whole};
use crate::jvm::Jvm;
use crate::model::{ClassVersion, Location, Tables};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use tamis_classpath::{ClassPath, Entry};
use tamis_inputs::Input;
use tamis_select::Log;

/// A JVM that a test started.
pub(super) struct Child<'a> {
    pub(super) jvm: &'a Jvm<'a>,
    pub(super) log: JvmLog,
    pub(super) dependencies: Dependencies,
    pub(super) inputs: HashMap<u32, Option<u32>>,
    /// Where it looks for classes, if that is not where tests do.
    pub(super) whole_path: Vec<u32>,
}

impl<'a> Child<'a> {
    /// Its classes are looked for on the class path of the tests, if it has the same; and else where
    /// they came from.
    pub(super) fn new(
        disk: &Disk,
        jvm: &'a Jvm<'a>,
        of_tests: &ClassPath,
        tables: &mut Tables,
        logs: &mut Vec<Log>,
    ) -> Self {
        let own = disk.entries.class_path(&jvm.class_path);
        let entries = |path: &ClassPath| -> Vec<PathBuf> {
            let entries = path.entries().filter(|entry| !entry.is_missing());
            entries.map(|entry| entry.path().to_owned()).collect()
        };
        let path = match entries(&own) == entries(of_tests) {
            true => own.clone(),
            false => ClassPath::default(),
        };
        let mut dependencies = dependencies(disk, jvm, &path, tables);
        dependencies.keep(|version| {
            let version = tables.versions.items().get(version as usize);
            let is_absent = |version: &ClassVersion| version.location == Location::Absent;
            !version.is_some_and(is_absent) || path.entries().next().is_some()
        });
        let mut inputs = inputs(disk, jvm, &path, &mut tables.places, &mut tables.inputs);
        // Properties that it has from the test are the test's work.
        for (id, input, _) in &jvm.inputs {
            if matches!(input, Input::Property(_)) {
                inputs.insert(*id, None);
            }
        }
        // What comes to a class path of its own may come before what was found.
        let mut whole_path = Vec::new();
        if path.entries().next().is_none() {
            // Manifests may add what is not there yet.
            let added = own.entries().map(Entry::path);
            let given = jvm.class_path.iter().map(PathBuf::as_path);
            for file in given.chain(added).collect::<BTreeSet<_>>() {
                let names = names_like(disk, file, "**").filter(|_| file.is_dir());
                let version = names.unwrap_or_else(|| whole(disk, jvm, file, &mut tables.places));
                whole_path.push(tables.inputs.id(version));
            }
        }
        Child {
            jvm,
            log: JvmLog::new(jvm, &dependencies, logs),
            dependencies,
            inputs,
            whole_path,
        }
    }
}
