use crate::{Change, Ids, InputKind, Known, StaticFacts, TestId};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
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
    /// What tests looked at beside code: what it is, and its place or name. An input id is an index
    /// here.
    pub inputs: Vec<(InputKind, String)>,
    /// Per class path, what became of each input id; `None` if nothing.
    pub input_changes: Vec<Vec<Option<Change>>>,
    /// The runtime on which tests would run; `None` if it is the one they last ran on.
    pub runtime: Option<&'a str>,
    /// What is known of members, for techniques that ask for it.
    pub members: Members<'a>,
    /// What static techniques decide on instead.
    pub statics: Option<StaticFacts<'a>>,
}

/// What is known of the members of classes.
#[derive(Debug, Default)]
pub struct Members<'a> {
    /// Per class id, its fingerprint, if it is known.
    pub shapes: Vec<Option<Shape<'a>>>,
    /// What happened in JVMs.
    pub logs: &'a [Log],
    /// Per class path, details of the classes that changed there and can be compared.
    pub details: Vec<HashMap<u32, Detail>>,
    /// Methods and the classes of objects on which they ran; a pair id is an index here.
    pub pairs: &'a [Pair],
    /// What types outside of all this declare, those of the JDK, by internal name.
    pub outside: HashMap<&'a [u8], &'a Declared>,
    /// Internal names of classes that some test used without their fingerprint being known.
    pub unseen: HashSet<&'a [u8]>,
}

/// What happened in a JVM, in this order as far as its tests tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// The classes of which it made objects.
    pub created: Vec<u32>,
    /// The classes that were asked for their members, by whomever.
    pub looked_at: Vec<u32>,
}

/// How much of a log concerns a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPart {
    /// The index of the log.
    pub log: u32,
    /// How much of [`Log::created`].
    pub created: u32,
    /// How much of [`Log::looked_at`], as far as its code can see members of classes.
    pub looked_at: u32,
}

/// What a test can see of the members of classes without calling them, beside those of classes that
/// somebody has asked for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnloggedReflection {
    /// The names of methods that run, as a stack shows them.
    pub traces: bool,
    /// The members of any class.
    pub unseen: bool,
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

/// The number of a method, and the class of objects on which it ran; `None` if that may be any class.
pub type Pair = (u32, Option<u32>);

/// A class as tests saw it.
#[derive(Debug, Clone)]
pub struct Shape<'a> {
    /// Its fingerprint, encoded.
    pub print: &'a [u8],
    /// How its methods are numbered in the lists of tests: by methods, by their blocks, or in both
    /// ways by different tests.
    pub numberings: Vec<Numbering<'a>>,
}

/// The numbers of the methods of a class, in the order of its fingerprint.
#[derive(Debug, Clone, Copy)]
pub struct Numbering<'a> {
    /// The first number.
    pub first: u32,
    /// How many numbers each method has, one per basic block; none at all if each has one.
    pub counts: &'a [u16],
}

impl Numbering<'_> {
    /// The numbers of the method at this index.
    pub fn of(&self, method: u16) -> Range<u32> {
        let method = usize::from(method);
        if self.counts.is_empty() {
            let number = self.first + method as u32;
            return number..number + 1;
        }
        let before = self.counts.iter().take(method);
        let first = self.first + before.map(|count| u32::from(*count)).sum::<u32>();
        let count = self.counts.get(method).copied().unwrap_or_default();
        first..first + u32::from(count)
    }
}

/// A class that changed.
#[derive(Debug)]
pub struct Detail {
    /// How it changed.
    pub diff: Diff,
    /// Where it is now; equal numbers mean the same directory or archive.
    pub home: u32,
    /// For some methods whose code changed, by their index before, what became of their blocks.
    pub blocks: HashMap<u16, ChangedBlocks>,
}

/// The blocks of a method that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedBlocks {
    /// How many the method had.
    pub of: usize,
    /// Those that lead to what changed: who executed none of them executes the same now.
    pub blocks: Vec<u16>,
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
    /// The runtime of its last run; a line for each, if it ran on several.
    pub runtime: &'a str,
    /// The classes it used.
    pub classes: Ids<'a>,
    /// Those of them that it used in type checks alone: casts, `instanceof`, handlers.
    pub checked: Ids<'a>,
    /// Those of them of which it may have used anything.
    pub whole: Ids<'a>,
    /// The methods it executed.
    pub members: Ids<'a>,
    /// What it looked at beside code.
    pub inputs: Ids<'a>,
    /// What code that it executed can see of the members of classes.
    pub looks: UnloggedReflection,
    /// The [`Members::logs`] of its JVMs.
    pub logs: &'a [LogPart],
    /// The ids of its [`Members::pairs`], if it was recorded on which objects its methods ran. There
    /// are none for static and private methods, for constructors, nor for objects of a method's
    /// own class.
    pub receivers: Option<Ids<'a>>,
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
