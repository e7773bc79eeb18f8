//! Changes of members and heads, and the tests that executed them.

use super::*;

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
        let added = super::change(Kind::Aim, "m", None, PUBLIC);
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
