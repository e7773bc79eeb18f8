//! Programs of a few classes, each a fingerprint, and what tests did with them.

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
    looks: UnloggedReflection,
    at_home: bool,
    created: u32,
    looked_at: u32,
    receivers: Option<Vec<u32>>,
}

const UNSEEN: UnloggedReflection = UnloggedReflection {
    traces: false,
    unseen: true,
};

/// `m` of A ran on objects of B, of C, of a class that is not known, and of D.
const PAIRS: [Pair; 4] = [(1, Some(1)), (1, Some(2)), (1, None), (1, Some(3))];

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
            looked_at: vec![0, 1],
        }];
        let parts = [LogPart {
            log: 0,
            created: did.created,
            looked_at: did.looked_at,
        }];
        let receivers = did.receivers.as_ref().map(pack);
        let facts = Facts {
            tests: vec![TestFacts {
                classes: classes.as_ids(),
                checked: checked.as_ids(),
                whole: whole.as_ids(),
                members: members.as_ids(),
                looks: did.looks,
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

#[test]
fn a_changed_method_concerns_those_who_executed_it() {
    let changed = || change(Kind::Cim, "m", Some(1), PUBLIC);
    check(0, changed(), &did(&[0], &[0, 1]), &["A#m() changed (CIM)"]);
    check(0, changed(), &did(&[0], &[0]), &[]);
    check(0, changed(), &did(&[1], &[1]), &[]);
    let whole = Did {
        whole: vec![0],
        ..did(&[0], &[])
    };
    let users = "A#m() changed (CIM, concerns all users of the class)";
    check(0, changed(), &whole, &[users]);
}

#[test]
fn an_added_method_concerns_those_who_executed_what_it_may_replace() {
    let added = || change(Kind::Aim, "m", None, PUBLIC);
    let instead = "B#m() was added (AIM, may run instead of A#m())";
    check(1, added(), &did(&[0, 1], &[0, 1, 2]), &[instead]);
    // It made objects of B and never called the method.
    check(1, added(), &did(&[0, 1], &[0, 2]), &[]);
    // It called the method, and there was no B.
    check(1, added(), &did(&[0], &[0, 1]), &[]);
    let after = |created| Did {
        created,
        ..did(&[0], &[0, 1])
    };
    // Objects of earlier tests: first only A, then B or its subclass C.
    check(1, added(), &after(1), &[]);
    check(1, added(), &after(2), &[instead]);
}

#[test]
fn an_added_method_that_may_replace_one_of_the_jdk_concerns_the_users_of_its_class() {
    let did = did(&[0, 1], &[0, 2]);
    let to_string = MemberChange {
        descriptor: b"()Ljava/lang/String;".as_slice().into(),
        ..change(Kind::Aim, "toString", None, PUBLIC)
    };
    let users = "B#toString() was added (AIM, concerns all users of the class)";
    check(1, to_string, &did, &[users]);
    // A subclass implements `Runnable`.
    let run = "B#run() was added (AIM, concerns all users of the class)";
    check(1, change(Kind::Aim, "run", None, PUBLIC), &did, &[run]);
    check(1, change(Kind::Aim, "other", None, PUBLIC), &did, &[]);
    // It has the name and not the descriptor.
    check(1, change(Kind::Aim, "toString", None, PUBLIC), &did, &[]);
}

#[test]
fn what_types_without_a_trace_declare_may_be_replaced() {
    let reasons = |change: &dyn Fn(&mut Program)| {
        let mut program = chain();
        change(&mut program);
        let technique = Hyrts::basic(vec![], Rules::default());
        let added = super::tests::change(Kind::Aim, "m", None, PUBLIC);
        let diff = Diff {
            members: vec![added],
            ..Diff::default()
        };
        let reasons = program.reasons(&technique, 1, diff, &did(&[0, 1], &[0, 2]));
        reasons.len()
    };
    assert_eq!(reasons(&|_| {}), 0);
    let runnable = |declared| ("java/lang/Runnable", declared);
    // Nothing is known of a supertype of a subclass.
    assert_eq!(reasons(&|program| drop(program.outside.pop())), 1);
    // Nor of its supertype.
    assert_eq!(
        reasons(&|program| program.outside[1] = runnable(declared(&["J"], &[]))),
        1
    );
    let with_above = |methods: &[(&str, &str)]| {
        let above = declared(&[], methods);
        reasons(&|program| {
            program.outside[1] = runnable(declared(&["J"], &[]));
            program.outside.push(("J", above.clone()));
        })
    };
    assert_eq!(with_above(&[("n", "()V")]), 0);
    assert_eq!(with_above(&[("m", "()V")]), 1);
    // There are two types of one name, and one of them is not known.
    assert_eq!(reasons(&|program| program.unseen = &["A"]), 1);
    assert_eq!(
        reasons(&|program| program.unseen = &["java/lang/Object"]),
        1
    );
    assert_eq!(reasons(&|program| program.prints[0] = vec![]), 1);
}

#[test]
fn a_method_of_a_class_used_as_a_whole_may_have_run() {
    let added = || change(Kind::Aim, "m", None, PUBLIC);
    let instead = "B#m() was added (AIM, may run instead of A#m())";
    let whole = |classes: &[u32], created| Did {
        whole: vec![0],
        created,
        ..did(classes, &[2])
    };
    check(1, added(), &whole(&[0, 1], 0), &[instead]);
    check(1, added(), &whole(&[0], 2), &[instead]);
    check(1, added(), &whole(&[0], 0), &[]);
    check(
        1,
        change(Kind::Aim, "n", None, PUBLIC),
        &whole(&[0, 1], 2),
        &[],
    );
}

#[test]
fn an_element_added_to_an_annotation_type_concerns_its_users() {
    let mut program = chain();
    let annotation = Fingerprint {
        access: PUBLIC | ANNOTATION,
        ..Fingerprint::decode(&program.prints[1]).unwrap()
    };
    program.prints[1] = annotation.encode();
    let technique = Hyrts::basic(vec![], Rules::default());
    let diff = Diff {
        members: vec![change(Kind::Aim, "n", None, PUBLIC | ABSTRACT)],
        ..Diff::default()
    };
    assert_eq!(
        program.reasons(&technique, 1, diff, &did(&[1], &[])),
        ["B#n() was added (AIM, concerns all users of the class)"]
    );
}

#[test]
fn what_is_linked_or_leaves_no_trace_concerns_all_users() {
    let user = || did(&[0], &[0]);
    let users = |member: &str, done: &str, kind: &str| {
        format!("A#{member} {done} ({kind}, concerns all users of the class)")
    };
    let all = |changed: MemberChange, expected: String| check(0, changed, &user(), &[&expected]);
    all(
        change(Kind::Csi, "<clinit>", Some(9), PUBLIC),
        users("<clinit>()", "changed", "CSI"),
    );
    all(
        change(Kind::Afd, "f", None, PRIVATE),
        users("f()", "was added", "AFD"),
    );
    all(
        change(Kind::Ai, "<init>", None, PUBLIC),
        users("<init>()", "was added", "AI"),
    );
    all(
        change(Kind::Dim, "m", Some(1), ABSTRACT),
        users("m()", "was deleted", "DIM"),
    );
    all(
        change(Kind::Cim, "m", Some(1), ABSTRACT),
        users("m()", "changed", "CIM"),
    );
    let flags = MemberChange {
        flags: true,
        body: false,
        ..change(Kind::Cim, "m", Some(1), PUBLIC)
    };
    all(flags, users("m()", "changed", "CIM"));
    check(0, change(Kind::Dim, "m", Some(1), PRIVATE), &user(), &[]);
    check(
        0,
        change(Kind::Afd, "f", None, PRIVATE),
        &did(&[1], &[2]),
        &[],
    );
}

#[test]
fn a_deleted_method_concerns_those_who_executed_it_or_what_overrides_it() {
    let deleted = || change(Kind::Dim, "m", Some(1), PUBLIC);
    let gone = "A#m() was deleted (DIM)";
    check(0, deleted(), &did(&[0], &[0, 1]), &[gone]);
    check(0, deleted(), &did(&[0, 1, 2], &[0, 2, 3]), &[]);
    // B has one too, number 4.
    let mut program = chain();
    program.prints[1] = class("B", "A", &[], &["<init>", "m"]);
    program.numberings = [0, 2, 4].map(by_methods).into();
    let reasons = |id: u32, index: u16, did: Did| {
        let diff = Diff {
            members: vec![change(Kind::Dim, "m", Some(index), PUBLIC)],
            ..Diff::default()
        };
        let technique = Hyrts::basic(vec![], Rules::default());
        program.reasons(&technique, id, diff, &did)
    };
    // The call may name A; what ran was B's.
    assert_eq!(reasons(0, 1, did(&[0, 1], &[0, 2, 3])), [gone]);
    // Where A's ran, the object was no B.
    assert!(reasons(1, 1, did(&[0, 1], &[0, 1, 2])).is_empty());
    let whole = Did {
        whole: vec![1],
        ..did(&[0, 1], &[0])
    };
    assert_eq!(reasons(0, 1, whole), [gone]);
}

#[test]
fn who_asks_for_members_sees_those_of_classes_that_were_asked() {
    let asks = |looked_at: u32| Did {
        looked_at,
        ..did(&[1], &[2])
    };
    let added = || change(Kind::Aim, "other", None, PUBLIC);
    let seen = "B#other() was added (AIM, visible to reflection)";
    check(1, added(), &asks(2), &[seen]);
    // B was asked after the test had ended.
    check(1, added(), &asks(1), &[]);
}

#[test]
fn a_stack_shows_names_and_not_what_was_added() {
    let traces = Did {
        looks: UnloggedReflection {
            traces: true,
            ..UnloggedReflection::default()
        },
        ..did(&[1], &[2])
    };
    let added = change(Kind::Aim, "other", None, PUBLIC);
    check(1, added.clone(), &traces, &[]);
    let excused = |rule| MemberChange {
        ignored: Some(rule),
        ..added.clone()
    };
    check(1, excused(Rule::PrivateField), &traces, &[]);
    let seen = "B#other() was added (AIM, visible to reflection)";
    check(1, excused(Rule::Renamed), &traces, &[seen]);
}

#[test]
fn who_looks_sees_every_declaration_and_no_code() {
    let looks = || Did {
        looks: UNSEEN,
        ..did(&[1], &[2])
    };
    let at_home = || Did {
        at_home: true,
        ..did(&[1], &[2])
    };
    for did in [looks(), at_home()] {
        let added = change(Kind::Aim, "other", None, PUBLIC);
        let seen = "B#other() was added (AIM, visible to reflection)";
        check(1, added.clone(), &did, &[seen]);
        let excused = MemberChange {
            ignored: Some(Rule::ALL[0]),
            ..added
        };
        check(1, excused, &did, &[seen]);
        let annotated = MemberChange {
            mirror: true,
            body: false,
            ..change(Kind::Cim, "n", Some(7), PUBLIC)
        };
        let seen = "B#n() changed (CIM, visible to reflection)";
        check(1, annotated, &did, &[seen]);
        check(1, change(Kind::Cim, "n", Some(7), PUBLIC), &did, &[]);
    }
}

#[test]
fn another_head_concerns_users_and_those_who_execute_what_its_objects_inherited() {
    let head = || Diff {
        head: true,
        ..Diff::default()
    };
    let technique = Hyrts::basic(vec![], Rules::default());
    let reasons = |did: &Did| chain().reasons(&technique, 1, head(), did);
    let expected = "B changed its head (flags, supertypes, annotations)";
    assert_eq!(reasons(&did(&[1], &[])), [expected]);
    assert!(reasons(&did(&[0], &[1])).is_empty());
    let after = Did {
        created: 3,
        ..did(&[0], &[1])
    };
    assert_eq!(reasons(&after), [expected]);
}

/// A test that used these classes in type checks alone, and executed `<init>` and `m` of A.
fn checked(classes: &[u32]) -> Did {
    Did {
        checked: classes.to_vec(),
        ..did(classes, &[0, 1])
    }
}

#[test]
fn members_do_not_concern_those_who_only_check_types() {
    let flags = |changed| MemberChange {
        flags: true,
        ..changed
    };
    for changed in [
        change(Kind::Afd, "f", None, PUBLIC),
        change(Kind::Dfd, "f", Some(0), PUBLIC),
        change(Kind::Cfd, "f", Some(0), PUBLIC),
        change(Kind::Asi, "<clinit>", None, PUBLIC),
        change(Kind::Csi, "<clinit>", Some(0), PUBLIC),
        change(Kind::Ai, "<init>", None, PUBLIC),
        change(Kind::Dim, "n", Some(0), ABSTRACT),
        flags(change(Kind::Cim, "n", Some(0), PUBLIC)),
    ] {
        let reasons = |did: &Did| {
            let members = vec![changed.clone()];
            let diff = Diff {
                members,
                ..Diff::default()
            };
            let technique = Hyrts::f(vec![], Rules::default());
            chain().reasons(&technique, 3, diff, did).len()
        };
        assert_eq!(reasons(&did(&[3], &[])), 1, "{changed:?}");
        assert_eq!(reasons(&checked(&[3])), 0, "{changed:?}");
        let looks = Did {
            looks: UNSEEN,
            ..checked(&[3])
        };
        let at_home = Did {
            at_home: true,
            ..checked(&[3])
        };
        let whole = Did {
            whole: vec![3],
            ..checked(&[3])
        };
        for did in [looks, at_home, whole] {
            assert_ne!(reasons(&did), 0, "{changed:?}");
        }
    }
}

#[test]
fn who_only_checks_types_sees_what_a_class_was_asked_for() {
    let field = || change(Kind::Afd, "f", None, PUBLIC);
    let after = |looked_at| Did {
        looked_at,
        ..checked(&[1])
    };
    check(1, field(), &after(1), &[]);
    let seen = "B#f() was added (AFD, visible to reflection)";
    check(1, field(), &after(2), &[seen]);
}

#[test]
fn what_may_replace_methods_concerns_those_who_only_check_types() {
    let instead = "B#m() was added (AIM, may run instead of A#m())";
    check(
        1,
        change(Kind::Aim, "m", None, PUBLIC),
        &checked(&[1]),
        &[instead],
    );
    let run = "B#run() was added (AIM, concerns all users of the class)";
    check(
        1,
        change(Kind::Aim, "run", None, PUBLIC),
        &checked(&[1]),
        &[run],
    );
}

#[test]
fn the_head_concerns_those_who_only_check_types_and_lost_nested_classes_do_not() {
    let technique = Hyrts::basic(vec![], Rules::default());
    let reasons = |head, lost: &[&str], did: &Did| {
        let nested_lost = lost.iter().map(|name| name.as_bytes().into());
        let diff = Diff {
            head,
            nested_lost: nested_lost.collect(),
            ..Diff::default()
        };
        chain().reasons(&technique, 1, diff, did)
    };
    let expected = "B changed its head (flags, supertypes, annotations)";
    assert_eq!(reasons(true, &[], &checked(&[1])), [expected]);
    assert_eq!(reasons(false, &["B$1"], &did(&[1], &[])), [expected]);
    assert!(reasons(false, &["B$1"], &checked(&[1])).is_empty());
    // A class of this name is there.
    assert_eq!(reasons(false, &["C"], &checked(&[1, 2])), [expected]);
    assert!(reasons(false, &["C"], &checked(&[1])).is_empty());
}

#[test]
fn a_nested_class_that_comes_concerns_those_who_look() {
    let check = |nested: &str, did: &Did, expected: &[&str]| {
        let diff = Diff {
            nested: vec![nested.as_bytes().into()],
            ..Diff::default()
        };
        let technique = Hyrts::f(vec![], Rules::default());
        assert_eq!(chain().reasons(&technique, 1, diff, did), expected);
    };
    let user = did(&[1], &[2]);
    check("B$1", &user, &[]);
    let looks = Did {
        looks: UNSEEN,
        ..did(&[1], &[2])
    };
    let at_home = Did {
        at_home: true,
        ..did(&[1], &[2])
    };
    let seen = "B was given the nested class B$1 (visible to reflection)";
    check("B$1", &looks, &[seen]);
    check("B$1", &at_home, &[seen]);
    let whole = Did {
        whole: vec![1],
        ..did(&[1], &[])
    };
    let users = |nested: &str| {
        format!("B was given the nested class {nested} (concerns all users of the class)")
    };
    check("B$1", &whole, &[&users("B$1")]);
    // A class of this name was there before, for who used it.
    check("C", &did(&[1, 2], &[2]), &[&users("C")]);
    check("C", &user, &[]);
    check("C", &did(&[0], &[0]), &[]);
}

#[test]
fn a_rule_is_named_where_it_saved_a_test() {
    let check = |members: Vec<MemberChange>, did: &Did, expected: &[&str]| {
        let diff = Diff {
            members,
            ..Diff::default()
        };
        let technique = Hyrts::basic(vec![], Rules::default());
        let verdict = chain().verdict(&technique, 0, detail(diff), did);
        let excused: Vec<String> = verdict.excused.iter().map(Excuse::to_string).collect();
        assert_eq!(excused, expected);
        assert!(excused.is_empty() || !verdict.selected);
    };
    let excused = |rule, changed: MemberChange| MemberChange {
        body: false,
        ignored: Some(rule),
        ..changed
    };
    let throws = || excused(Rule::Throws, change(Kind::Cim, "m", Some(1), PUBLIC));
    let field = |name| excused(Rule::PrivateField, change(Kind::Afd, name, None, PRIVATE));
    let executed = did(&[0], &[0, 1]);
    let by_throws = "A#m() changed only in a way that cannot matter (rule throws)";
    let by_field = "A#f() was added, which cannot matter (rule private-field)";
    check(vec![throws()], &executed, &[by_throws]);
    check(
        vec![throws(), field("f")],
        &executed,
        &[by_field, by_throws],
    );
    // It did not execute the method, or used another class.
    check(vec![throws(), field("f")], &did(&[0], &[0]), &[by_field]);
    check(vec![throws(), field("f")], &did(&[1], &[1, 2]), &[]);
    // It is selected all the same.
    let looks = Did {
        looks: UNSEEN,
        ..did(&[0], &[0, 1])
    };
    check(vec![throws()], &looks, &[]);
    let body = change(Kind::Ci, "<init>", Some(0), PUBLIC);
    check(vec![throws(), body], &executed, &[]);
    // Of each rule a few changes are named.
    let fields = ["a", "b", "c", "d", "e", "f"].map(field);
    let many: Vec<MemberChange> = fields.into_iter().chain([throws()]).collect();
    let named: Vec<String> = ["a", "b", "c", "d", "e"]
        .iter()
        .map(|name| by_field.replace("#f", &format!("#{name}")))
        .chain([by_throws.to_owned()])
        .collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    check(many, &executed, &named);
}

#[test]
fn hyrts_f_and_the_study_variants_take_changes_as_those_of_their_class() {
    let reasons = |technique: &Hyrts, changed: MemberChange| {
        let diff = Diff {
            members: vec![changed],
            ..Diff::default()
        };
        chain().reasons(technique, 1, diff, &did(&[1], &[2])).len()
    };
    let added = || change(Kind::Aim, "other", None, PUBLIC);
    let changed = || change(Kind::Cim, "n", Some(7), PUBLIC);
    let basic = Hyrts::basic(vec![], Rules::default());
    let f = Hyrts::f(vec![], Rules::default());
    let study = Hyrts::basic(vec![Kind::Cim], Rules::default());
    assert_eq!(
        (reasons(&basic, added()), reasons(&basic, changed())),
        (0, 0)
    );
    assert_eq!((reasons(&f, added()), reasons(&f, changed())), (1, 0));
    assert_eq!(
        (reasons(&study, added()), reasons(&study, changed())),
        (0, 1)
    );
}

#[test]
fn hyrts_b_selects_those_who_executed_blocks_that_lead_to_the_change() {
    // Some tests were recorded by methods (m is 1), others by blocks (m is 5, 6, 7).
    let mut program = chain();
    program.numberings[0].push(Numbering {
        first: 4,
        counts: &[1, 3],
    });
    let check = |of: usize, members: &[u32], b: &[&str], basic: &[&str]| {
        let changed = |of| Detail {
            blocks: HashMap::from([(
                1,
                ChangedBlocks {
                    of,
                    blocks: vec![2],
                },
            )]),
            ..detail(Diff {
                members: vec![change(Kind::Cim, "m", Some(1), PUBLIC)],
                ..Diff::default()
            })
        };
        let did = did(&[0], members);
        let technique = Hyrts::b(vec![], Rules::default());
        assert_eq!(program.reasons_of(&technique, 0, changed(of), &did), b);
        let technique = Hyrts::basic(vec![], Rules::default());
        let detail = Detail {
            blocks: HashMap::new(),
            ..changed(of)
        };
        assert_eq!(program.reasons_of(&technique, 0, detail, &did), basic);
    };
    let (method, blocks) = (
        "A#m() changed (CIM)",
        "A#m() changed (CIM, in blocks that ran)",
    );
    check(3, &[4, 5, 6], &[], &[method]);
    check(3, &[4, 5, 7], &[blocks], &[method]);
    check(3, &[4], &[], &[]);
    check(3, &[0, 1], &[method], &[method]);
    // The blocks that were compared are not those that have numbers.
    check(5, &[4, 5, 6], &[method], &[method]);
}

#[test]
fn an_added_method_may_replace_one_of_which_any_block_ran() {
    let mut program = chain();
    program.numberings[0] = vec![Numbering {
        first: 4,
        counts: &[1, 3],
    }];
    let diff = || Diff {
        members: vec![change(Kind::Aim, "m", None, PUBLIC)],
        ..Diff::default()
    };
    let technique = Hyrts::basic(vec![], Rules::default());
    let reasons = |members: &[u32]| {
        let did = did(&[0, 1], members);
        program.reasons(&technique, 1, diff(), &did)
    };
    let instead = "B#m() was added (AIM, may run instead of A#m())";
    assert_eq!(reasons(&[2, 4, 7]), [instead]);
    assert!(reasons(&[2, 4]).is_empty());
}

#[test]
fn an_added_test_is_nothing_to_the_others_where_single_tests_are_told_apart() {
    let check = |is_test: bool, did: Did, expected: (&[&str], bool)| {
        let added = MemberChange {
            is_test,
            ..change(Kind::Aim, "fresh", None, PUBLIC)
        };
        let diff = Diff {
            members: vec![added],
            ..Diff::default()
        };
        let technique = Hyrts::basic(vec![], Rules::default());
        let verdict = chain().verdict(&technique, 0, detail(diff), &did);
        let reasons: Vec<String> = verdict.reasons.iter().map(Reason::to_string).collect();
        let (reasons_expected, grown) = expected;
        assert_eq!(reasons, reasons_expected);
        assert_eq!(verdict.grown, grown);
    };
    let at_home = |single| Did {
        single,
        at_home: true,
        ..did(&[0], &[0])
    };
    let seen = "A#fresh() was added (AIM, visible to reflection)";
    check(true, at_home(None), (&[seen], false));
    check(true, at_home(Some("A#old")), (&[], true));
    check(false, at_home(Some("A#old")), (&[seen], false));
    // It is known already, and its class need not be opened for it.
    check(true, at_home(Some("A#fresh")), (&[], false));
    // One of that name is known, but in another class.
    check(true, at_home(Some("B#fresh")), (&[], true));
    let looks = Did {
        looks: UNSEEN,
        ..at_home(Some("A#old"))
    };
    check(true, looks, (&[seen], false));
}

#[test]
fn where_receivers_were_recorded_an_added_method_concerns_those_who_called_on_its_objects() {
    let exact = Hyrts::basic(vec![], Rules::default()).on(Receivers::Exact);
    let check = |kind: Kind, class: u32, did: &Did, expected: bool| {
        let diff = Diff {
            members: vec![change(kind, "m", None, PUBLIC)],
            ..Diff::default()
        };
        let reasons = chain().reasons(&exact, class, diff, did);
        assert_eq!(
            !reasons.is_empty(),
            expected,
            "{:?}: {reasons:?}",
            did.receivers
        );
    };
    let on = |receivers: Option<&[u32]>| Did {
        receivers: receivers.map(<[u32]>::to_vec),
        ..did(&[0, 1, 2], &[0, 1, 2, 3])
    };
    // B gets the method: B and its subclass C are concerned, and what nobody knows.
    for (receivers, expected) in [
        (None, true),
        (Some(&[][..]), false),
        (Some(&[0]), true),
        (Some(&[1]), true),
        (Some(&[2]), true),
        (Some(&[3]), true),
    ] {
        check(Kind::Aim, 1, &on(receivers), expected);
    }
    // C gets it: B is not concerned.
    check(Kind::Aim, 2, &on(Some(&[0])), false);
    check(Kind::Aim, 2, &on(Some(&[0, 1])), true);
    // A static method has no object.
    check(Kind::Asm, 2, &on(Some(&[])), true);
    // Objects of earlier tests.
    let after = |receivers: &[u32]| Did {
        created: 2,
        receivers: Some(receivers.to_vec()),
        ..did(&[0], &[0, 1])
    };
    check(Kind::Aim, 1, &after(&[]), false);
    check(Kind::Aim, 1, &after(&[0]), true);
    // Of A anything may have run, on any object.
    let whole = Did {
        whole: vec![0],
        ..on(Some(&[]))
    };
    check(Kind::Aim, 1, &whole, true);
}

#[test]
fn a_changed_method_without_a_number_concerns_those_who_may_have_used_all_of_its_class() {
    let mut program = chain();
    program.numberings[0] = vec![Numbering {
        first: 0,
        counts: &[2, 0],
    }];
    let diff = || Diff {
        members: vec![change(Kind::Cim, "m", Some(1), PUBLIC)],
        ..Diff::default()
    };
    let whole = Did {
        whole: vec![0],
        ..did(&[0], &[])
    };
    for technique in [
        Hyrts::basic(vec![], Rules::default()),
        Hyrts::b(vec![], Rules::default()),
    ] {
        assert_eq!(program.reasons(&technique, 0, diff(), &whole).len(), 1);
    }
}
