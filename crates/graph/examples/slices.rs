//! Counts what slices a test suite has: `cargo run --release -p tamis-graph --example slices -- CLASS_PATH`.
//!
//! The class path ends with what tells which classes are tests, such as JUnit's archive. `assumed` is what the SELERTION
//! paper assumes: calls change the objects that they are given and nothing else; an assertion changes nothing.
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::collections::BTreeMap;
use std::error::Error;
use tamis_classfile::ClassFile;
use tamis_classpath::Entries;
use tamis_code::slices::{Changed, Effects, Slice, slices};
use tamis_code::statements::{Statement, statements};
use tamis_frameworks::is_assertion;
use tamis_snapshot::{Snapshot, find_tests};

#[derive(Default)]
struct Counts {
    tests: usize,
    with_assertions: usize,
    with_several: usize,
    assertions: usize,
    statements: usize,
    /// Statements of all slices of assertions.
    sliced: usize,
    /// The same if each were all that stands before its assertion.
    before: usize,
    without_slice: usize,
    whole: BTreeMap<String, usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("no class path")?;
    let path: Vec<_> = std::env::split_paths(&path).collect();
    let class_path = Entries::new(None).class_path(&path);
    let snapshot = Snapshot::read(&class_path, None);
    let mut counts = Counts::default();
    for test in find_tests(&snapshot).tests {
        let Some(entry) = class_path
            .entries()
            .find(|entry| entry.path() == test.class.entry())
        else {
            continue;
        };
        let name = test.class.name();
        let bytes = match entry.lookup(name) {
            tamis_classpath::Lookup::Found(digest) => entry.class_file(name, digest),
            _ => None,
        };
        let Some(bytes) = bytes else { continue };
        let class = ClassFile::parse(&bytes)?;
        for member in class.methods() {
            let member = member?;
            let name = String::from_utf8_lossy(class.pool.utf8(member.name)?).into_owned();
            if test.methods.iter().any(|method| method.name == name)
                && let Some(code) = class.code(&member)?
            {
                counts.add(statements(&class, &code)?.map_err(|why| format!("{why:?}")));
            }
        }
    }
    counts.show();
    Ok(())
}

impl Counts {
    fn add(&mut self, statements: Result<Vec<Statement<'_>>, String>) {
        self.tests += 1;
        let statements = match statements {
            Ok(statements) => statements,
            Err(why) => {
                *self.whole.entry(why).or_default() += 1;
                return;
            }
        };
        let checks = |number: usize| {
            let calls = statements.get(number).into_iter().flat_map(|s| &s.calls);
            let mut calls = calls.map(|call| is_assertion(call.owner, call.name));
            calls.any(|is_assertion| is_assertion)
        };
        let assumed = |number: usize| Effects {
            changes: match checks(number) {
                true => Changed::Nothing,
                false => Changed::Objects,
            },
            sees_world: false,
        };
        let slices = slices(&statements, assumed, checks);
        let of_assertions: Vec<&Slice> = slices.iter().filter(|slice| slice.is_assertion).collect();
        self.with_assertions += usize::from(!of_assertions.is_empty());
        self.with_several += usize::from(of_assertions.len() > 1);
        self.assertions += of_assertions.len();
        self.statements += statements.len();
        for slice in &of_assertions {
            self.sliced += slice.statements.len();
            self.before += slice.target + 1;
        }
        self.without_slice += slices.len() - of_assertions.len();
    }

    fn show(&self) {
        let share = |part: usize, all: usize| {
            format!("{part} ({:.0} %)", 100.0 * part as f64 / all.max(1) as f64)
        };
        println!("tests {}, as a whole only {:?}", self.tests, self.whole);
        println!(
            "with assertions {}",
            share(self.with_assertions, self.tests)
        );
        println!("with several {}", share(self.with_several, self.tests));
        println!(
            "statements {}, assertions {}",
            self.statements, self.assertions
        );
        println!(
            "statements of slices, assumed {}",
            share(self.sliced, self.before)
        );
        println!("slices without an assertion {}", self.without_slice);
    }
}
