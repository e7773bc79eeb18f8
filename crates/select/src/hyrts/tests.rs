//! Programs of a few classes, each a fingerprint, and what tests did with them.

mod members;
mod reflection;
mod type_checks;
mod variants;

use super::{Hyrts, Receivers};
use crate::samples::passed;
use crate::{
    Change, ChangedBlocks, Declared, Detail, Excuse, Facts, IdsBuf, Log, LogPart, Members,
    Numbering, Pair, Reason, Shape, Technique, TestFacts, TestId, UnloggedReflection, Verdict,
};
use std::collections::HashMap;
use tamis_fingerprint::{
    Before, Diff, Digest, Fingerprint, Kind, MemberChange, MemberPrint, Rule, Rules, signature,
};

const PUBLIC: u16 = 1;
const PRIVATE: u16 = 2;
const ABSTRACT: u16 = 0x400;
const ANNOTATION: u16 = 0x2000;

fn member<'a>(name: &'a str, descriptor: &'a str, access: u16) -> MemberPrint<'a> {
    MemberPrint {
        name: name.as_bytes(),
        descriptor: descriptor.as_bytes(),
        access,
        mirror: Digest::ABSENT,
        thrown: Digest::ABSENT,
        body: None,
    }
}

/// A class with methods of these names, all without parameters.
fn class(name: &str, super_class: &str, interfaces: &[&str], methods: &[&str]) -> Vec<u8> {
    Fingerprint {
        head: Digest::ABSENT,
        access: PUBLIC,
        name: name.as_bytes(),
        super_class: Some(super_class.as_bytes()),
        interfaces: interfaces.iter().map(|name| name.as_bytes()).collect(),
        fields: vec![],
        methods: methods
            .iter()
            .map(|name| member(name, "()V", PUBLIC))
            .collect(),
        nested: vec![],
    }
    .encode()
}

/// A change of the method (or field) of this name; `index` is what it was among the methods.
fn change(kind: Kind, name: &str, index: Option<u16>, access: u16) -> MemberChange {
    let added = index.is_none();
    let deleted = matches!(
        kind,
        Kind::Dim | Kind::Dsm | Kind::Di | Kind::Dsi | Kind::Dfd
    );
    MemberChange {
        kind,
        name: name.as_bytes().into(),
        descriptor: b"()V".as_slice().into(),
        before: index.map(|index| Before { index, access }),
        now_access: (!deleted).then_some(access),
        flags: false,
        mirror: false,
        thrown: false,
        body: !added && !deleted,
        ignored: None,
        is_test: false,
    }
}

/// A, B extends A, C extends B, D extends what is not known; A has `<init>` and `m`, the others `<init>`.
/// Numbers: A 0 and 1, B 2, C 3, D 100. The test class is in another place than they are.
struct Program {
    prints: Vec<Vec<u8>>,
    numberings: Vec<Vec<Numbering<'static>>>,
    outside: Vec<(&'static str, Declared)>,
    unseen: &'static [&'static str],
}

impl Program {
    fn reasons(&self, technique: &Hyrts, id: u32, diff: Diff, did: &Did) -> Vec<String> {
        self.reasons_of(technique, id, detail(diff), did)
    }

    fn reasons_of(&self, technique: &Hyrts, id: u32, detail: Detail, did: &Did) -> Vec<String> {
        let reasons = self.verdict(technique, id, detail, did).reasons;
        reasons.iter().map(Reason::to_string).collect()
    }

    /// The verdict on a test when the class `id` changed so. Objects were made of A, B and C, in
    /// this order; A and B were asked for their members.
    fn verdict(&self, technique: &Hyrts, id: u32, detail: Detail, did: &Did) -> Verdict {
        let pack = |ids: &Vec<u32>| IdsBuf::pack(ids.clone());
        let (classes, whole, members) = (pack(&did.classes), pack(&did.whole), pack(&did.members));
        let checked = pack(&did.checked);
        let shapes = self.prints.iter().zip(&self.numberings);
        let shapes = shapes.map(|(print, numberings)| {
            let numberings = numberings.clone();
            Some(Shape { print, numberings })
        });
        let mut changes = vec![None; self.prints.len()];
        changes[id as usize] = Some(Change::Changed);
        let logs = [Log {
            created: vec![0, 1, 2],
            inspected: vec![0, 1],
        }];
        let parts = [LogPart {
            log: 0,
            created: did.created,
            inspected: did.inspected,
        }];
        let receivers = did.receivers.as_ref().map(pack);
        let facts = Facts {
            tests: vec![TestFacts {
                classes: classes.as_ids(),
                checked: checked.as_ids(),
                whole: whole.as_ids(),
                members: members.as_ids(),
                reflection: did.reflection,
                home: Some(u32::from(!did.at_home)),
                logs: &parts,
                receivers: receivers.as_ref().map(IdsBuf::as_ids),
                test: match did.single {
                    Some(name) => TestId::new("", name),
                    None => passed().test,
                },
                ..passed()
            }],
            names: vec!["A", "B", "C", "D"],
            changes: vec![changes],
            members: Members {
                shapes: shapes.collect(),
                logs: &logs,
                pairs: &PAIRS,
                details: vec![HashMap::from([(id, detail)])],
                outside: self
                    .outside
                    .iter()
                    .map(|(name, declared)| (name.as_bytes(), declared))
                    .collect(),
                unseen: self.unseen.iter().map(|name| name.as_bytes()).collect(),
            },
            ..Facts::default()
        };
        technique.select(&facts).verdicts.remove(0)
    }
}

fn by_methods(first: u32) -> Vec<Numbering<'static>> {
    vec![Numbering { first, counts: &[] }]
}

fn detail(diff: Diff) -> Detail {
    Detail {
        diff,
        home: 0,
        blocks: HashMap::new(),
    }
}

/// What a type of the JDK declares.
fn declared(supertypes: &[&str], methods: &[(&str, &str)]) -> Declared {
    let signature = |(name, descriptor): &(&str, &str)| {
        let (name, descriptor) = (name.as_bytes(), descriptor.as_bytes());
        signature(name, descriptor)
    };
    Declared {
        supertypes: supertypes.iter().map(|name| name.to_string()).collect(),
        methods: methods.iter().map(signature).collect(),
    }
}

fn chain() -> Program {
    Program {
        prints: vec![
            class("A", "java/lang/Object", &[], &["<init>", "m"]),
            class("B", "A", &[], &["<init>"]),
            class("C", "B", &["java/lang/Runnable"], &["<init>"]),
            class("D", "Unknown", &[], &["<init>"]),
        ],
        numberings: [0, 2, 3, 100].map(by_methods).into(),
        outside: vec![
            (
                "java/lang/Object",
                declared(&[], &[("toString", "()Ljava/lang/String;")]),
            ),
            ("java/lang/Runnable", declared(&[], &[("run", "()V")])),
        ],
        unseen: &[],
    }
}

#[derive(Default)]
struct Did {
    /// The test, if it is a single one.
    single: Option<&'static str>,
    classes: Vec<u32>,
    checked: Vec<u32>,
    whole: Vec<u32>,
    members: Vec<u32>,
    reflection: UnloggedReflection,
    at_home: bool,
    created: u32,
    inspected: u32,
    receivers: Option<Vec<u32>>,
}

const UNLOGGED: UnloggedReflection = UnloggedReflection {
    traces: false,
    unlogged: true,
};

/// `m` of A ran on objects of B, of C, of a class that is not known, and of D.
const PAIRS: [Pair; 4] = [(1, Some(1)), (1, Some(2)), (1, None), (1, Some(3))];

#[track_caller]
fn check(id: u32, changed: MemberChange, did: &Did, expected: &[&str]) {
    let diff = Diff {
        members: vec![changed],
        ..Diff::default()
    };
    let technique = Hyrts::basic(vec![], Rules::default());
    assert_eq!(chain().reasons(&technique, id, diff, did), expected);
}

fn did(classes: &[u32], members: &[u32]) -> Did {
    Did {
        classes: classes.to_vec(),
        members: members.to_vec(),
        ..Did::default()
    }
}
