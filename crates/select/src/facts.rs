use crate::{Change, Ids, InputKind, Known, StaticFacts, TestId};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use tamis_fingerprint::Diff;

/// The facts that a technique decides on.
#[derive(Debug, Default)]
pub struct Facts<'a> {
    /// The tests to decide for, sorted.
    pub tests: Vec<TestFacts<'a>>,
    /// Internal names of the classes that tests used; a class id is an index here.
    pub names: Vec<&'a str>,
    /// Per class path, the change of each class id; `None` if nothing relevant changed.
    pub changes: Vec<Vec<Option<Change>>>,
    /// The inputs of tests: the kind of each, and its place or name. An input id is an index
    /// here.
    pub inputs: Vec<(InputKind, String)>,
    /// Per class path, the change of each input id; `None` if it did not change.
    pub input_changes: Vec<Vec<Option<Change>>>,
    /// The runtime on which tests would run; `None` if it is the one they last ran on.
    pub runtime: Option<&'a str>,
    /// Facts about members, for techniques that ask for them.
    pub members: Members<'a>,
    /// What static techniques decide on instead.
    pub statics: Option<StaticFacts<'a>>,
}

/// Facts about the members of classes.
#[derive(Debug, Default)]
pub struct Members<'a> {
    /// Per class id, its fingerprint, if it is known.
    pub shapes: Vec<Option<Shape<'a>>>,
    /// The logs of JVMs.
    pub logs: &'a [Log],
    /// Per class path, details of the classes that changed there and can be compared.
    pub details: Vec<HashMap<u32, Detail>>,
    /// Methods and the classes of objects on which they ran; a pair id is an index here.
    pub pairs: &'a [Pair],
    /// The declarations of types of the JDK, by internal name.
    pub outside: HashMap<&'a [u8], &'a Declared>,
    /// Internal names of classes that some test used without their fingerprint being known.
    pub unseen: HashSet<&'a [u8]>,
}

/// The log of a JVM: events in their order, as far as its tests tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Log {
    /// The classes of which it made objects.
    pub created: Vec<u32>,
    /// The classes that any code asked for their members.
    pub inspected: Vec<u32>,
}

/// The part of a log that concerns a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPart {
    /// The index of the log.
    pub log: u32,
    /// The length of that part of [`Log::created`].
    pub created: u32,
    /// The length of that part of [`Log::inspected`]; 0 if its code uses no such reflection.
    pub inspected: u32,
}

/// Reflection uses of a test that no log records: what it can see of the members of classes beside those that
/// somebody has asked for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnloggedReflection {
    /// The names of methods that run, as a stack shows them.
    pub traces: bool,
    /// The members of any class.
    pub unlogged: bool,
}

/// The declarations of a type without a fingerprint.
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
    /// The numberings of its methods in the lists of tests: by methods, by their blocks, or in both
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
    /// The differences.
    pub diff: Diff,
    /// Where it is now; equal numbers mean the same directory or archive.
    pub home: u32,
    /// For some methods whose code changed, by their index before, the changed blocks.
    pub blocks: HashMap<u16, ChangedBlocks>,
}

/// The blocks of a method that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedBlocks {
    /// How many the method had.
    pub of: usize,
    /// The blocks that lead to the change: a test that executed none of them behaves the same now.
    pub blocks: Vec<u16>,
}

/// The facts about one test.
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
    /// The classes of these that it used in type checks alone: casts, `instanceof`, handlers.
    pub checked: Ids<'a>,
    /// The classes of these of which it may have used anything.
    pub whole: Ids<'a>,
    /// The methods it executed.
    pub members: Ids<'a>,
    /// Its inputs.
    pub inputs: Ids<'a>,
    /// The reflection uses of the code that it executed.
    pub reflection: UnloggedReflection,
    /// The [`Members::logs`] of its JVMs.
    pub logs: &'a [LogPart],
    /// The ids of its [`Members::pairs`], if it was recorded on which objects its methods ran. There
    /// are none for static and private methods, for constructors, nor for objects of a method's
    /// own class.
    pub receivers: Option<Ids<'a>>,
    /// Where its own class is now, as in [`Detail::home`]; `None` if that is not known.
    pub home: Option<u32>,
    /// The state of the class path on which its classes are looked up.
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
