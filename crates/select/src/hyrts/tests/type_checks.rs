//! Classes that a test used in type checks alone.

use super::*;

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
        let reflecting = Did {
            reflection: UNLOGGED,
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
        for did in [reflecting, at_home, whole] {
            assert_ne!(reasons(&did), 0, "{changed:?}");
        }
    }
}

#[test]
fn who_only_checks_types_sees_what_a_class_was_asked_for() {
    let field = || change(Kind::Afd, "f", None, PUBLIC);
    let after = |inspected| Did {
        inspected,
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
