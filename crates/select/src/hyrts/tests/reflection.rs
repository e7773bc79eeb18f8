//! Changes that reflection can see.

use super::*;

#[test]
fn who_asks_for_members_sees_those_of_classes_that_were_asked() {
    let asks = |inspected: u32| Did {
        inspected,
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
        reflection: UnloggedReflection {
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
fn reflection_sees_every_declaration_and_no_code() {
    let reflecting = || Did {
        reflection: UNLOGGED,
        ..did(&[1], &[2])
    };
    let at_home = || Did {
        at_home: true,
        ..did(&[1], &[2])
    };
    for did in [reflecting(), at_home()] {
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
fn an_added_nested_class_concerns_those_who_use_reflection() {
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
    let reflecting = Did {
        reflection: UNLOGGED,
        ..did(&[1], &[2])
    };
    let at_home = Did {
        at_home: true,
        ..did(&[1], &[2])
    };
    let seen = "B was given the nested class B$1 (visible to reflection)";
    check("B$1", &reflecting, &[seen]);
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
    let reflecting = Did {
        reflection: UNLOGGED,
        ..at_home(Some("A#old"))
    };
    check(true, reflecting, (&[seen], false));
}
