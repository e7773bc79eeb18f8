//! Variants of the technique: rules, blocks, receivers, study variants.

use super::*;

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
    let reflecting = Did {
        reflection: UNLOGGED,
        ..did(&[0], &[0, 1])
    };
    check(vec![throws()], &reflecting, &[]);
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
