use crate::{Change, Ids, Known, TestId};
use std::collections::{BTreeSet, HashMap, HashSet};
use tamis_fingerprint::Diff;

/// Everything a technique decides on.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// The tests to decide for, sorted.
    pub tests: Vec<TestFacts<'a>>,
    /// Internal names of the classes that tests used; a class id is an index here.
    pub names: Vec<&'a str>,
    /// Per class path, what became of each class id; `None` if nothing that matters.
    pub changes: Vec<Vec<Option<Change>>>,
    /// The runtime on which tests would run; `None` if it is the one they last ran on.
    pub runtime: Option<&'a str>,
    /// What is known of members, for techniques that ask for it.
    pub members: Members<'a>,
}

/// What is known of the members of classes.
#[derive(Debug, Default)]
pub struct Members<'a> {
    /// Per class id, its fingerprint, if it is known.
    pub shapes: Vec<Option<Shape<'a>>>,
    /// Per JVM, the classes of which it made objects, in that order.
    pub created: &'a [Vec<u32>],
    /// Per class path, details of the classes that changed there and can be compared.
    pub details: Vec<HashMap<u32, Detail>>,
    /// What types outside of all this declare, those of the JDK, by internal name.
    pub outside: HashMap<&'a [u8], &'a Declared>,
    /// Internal names of classes that some test used without their fingerprint being known.
    pub unseen: HashSet<&'a [u8]>,
}

/// What a type declares that has no fingerprint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    /// Internal names of its direct supertypes.
    pub supertypes: BTreeSet<String>,
    /// The signatures of its methods ([`tamis_fingerprint::signature`]); those of others may be
    /// among them.
    pub methods: BTreeSet<u64>,
}

/// A class as tests saw it.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// Its fingerprint, encoded.
    pub print: &'a [u8],
    /// The number of its first method; the others follow in the fingerprint's order.
    pub first: u32,
}

/// A class that changed.
#[derive(Debug)]
pub struct Detail {
    /// How it changed.
    pub diff: Diff,
    /// Where it is now; equal numbers mean the same directory or archive.
    pub home: u32,
}

/// What is known of one test.
#[derive(Debug)]
pub struct TestFacts<'a> {
    /// The test.
    pub test: TestId,
    /// Its last run.
    pub known: Known,
    /// Why its classes may be incomplete, if so.
    pub distrust: Option<&'a str>,
    /// The runtime of its last run.
    pub runtime: &'a str,
    /// The classes it used.
    pub classes: Ids<'a>,
    /// Those of them of which it may have used anything.
    pub whole: Ids<'a>,
    /// The methods it executed.
    pub members: Ids<'a>,
    /// Whether code that it executed looks at classes by reflection.
    pub reflective: bool,
    /// The lists of [`Members::created`] of its JVMs, and how much of each was there when it ended.
    pub created: &'a [(u32, u32)],
    /// Where its own class is now, as in [`Detail::home`]; `None` if that is not known.
    pub home: Option<u32>,
    /// Where its classes are looked for.
    pub class_path: ClassPathState,
}

/// Whether the class path of a test is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassPathState {
    /// It is not.
    Unknown,
    /// It is the one with this index in [`Facts::changes`].
    Known(usize),
}
