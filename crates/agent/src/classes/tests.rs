use super::*;
use std::collections::HashSet;
use tamis_fingerprint::signature;
use tamis_recording::ANY;

/// A class with two methods, whose probes are `first` and the next.
fn class<'a>(name: &'a str, first: u32) -> Loaded<'a> {
    Loaded {
        name: name.as_bytes(),
        first_probe: Some(first),
        ..Loaded::default()
    }
}

fn all(loaded: &[Loaded<'_>]) -> Classes {
    let mut classes = Classes::default();
    loaded.iter().for_each(|class| {
        classes.add(class, 2);
    });
    classes
}

fn initialized(classes: &mut Classes, class: u32, probes: &[u32], broken: bool) {
    let probes = probes.iter().copied().collect();
    classes.initialized(&Initialized {
        class,
        probes,
        broken,
    });
}

/// What a unit depends on that executed `probes` in the class `root`.
fn check(classes: &Classes, probes: &[u32], root: &str, expected: &[&str]) {
    let probes = probes.iter().copied().collect();
    let found = classes.dependencies(&probes, [root.as_bytes()]);
    let names = found.classes.iter().filter_map(|&id| classes.get(id));
    let mut names: Vec<_> = names
        .map(|class| std::str::from_utf8(classes.name(class)).unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_unit_depends_on_its_class_and_on_those_it_executed() {
    let classes = all(&[class("T", 0), class("A", 2), class("B", 4)]);
    check(&classes, &[], "T", &["T"]);
    check(&classes, &[3], "T", &["A", "T"]);
    check(&classes, &[2, 5], "T", &["A", "B", "T"]);
    check(&classes, &[99], "Unknown", &[]);
}

#[test]
fn only_executed_methods_count_with_what_they_refer_to() {
    let a = Loaded {
        types: vec![(0, b"B"), (1, b"C"), (1, b"C")],
        ..class("A", 0)
    };
    let classes = all(&[a, class("B", 2), class("C", 4)]);
    check(&classes, &[0], "", &["A", "B"]);
    check(&classes, &[1], "", &["A", "C"]);
    check(&classes, &[], "A", &["A"]);
}

#[test]
fn supertypes_and_annotations_count_to_the_end_of_the_chain() {
    let a = Loaded {
        structural: vec![b"B"],
        ..class("A", 0)
    };
    let b = Loaded {
        structural: vec![b"C", b"A"],
        ..class("B", 2)
    };
    let classes = all(&[a, b, class("C", 4)]);
    check(&classes, &[0], "", &["A", "B", "C"]);
    check(&classes, &[4], "", &["C"]);
}

#[test]
fn reflection_depends_on_what_asked_classes_show_and_on_those_around() {
    let shows = |name, first, shown: &str| Loaded {
        shown: HashSet::from([shown.as_bytes().to_vec()]),
        ..class(name, first)
    };
    let reflecting = Loaded {
        types: vec![(0, b"Foo"), (1, b"Foo")],
        reflection: vec![(1, ReflectionKind::Members)],
        ..class("Mirror", 0)
    };
    let foo = Loaded {
        around: vec![b"Outer"],
        ..shows("Foo", 2, "Type")
    };
    let (outer, shown, last) = (
        class("Outer", 4),
        shows("Type", 6, "Last"),
        class("Last", 8),
    );
    let mut classes = all(&[reflecting, foo, outer, shown, last]);
    check(&classes, &[1], "", &["Foo", "Mirror", "Outer"]);
    classes.ask(&HashSet::from([b"Foo".to_vec()]));
    check(&classes, &[1], "", &["Foo", "Mirror", "Outer", "Type"]);
    check(&classes, &[0], "", &["Foo", "Mirror"]);
    classes.ask_all();
    check(
        &classes,
        &[1],
        "",
        &["Foo", "Last", "Mirror", "Outer", "Type"],
    );
}

#[test]
fn what_an_initializer_ran_counts_for_all_who_use_its_class() {
    let a = Loaded {
        types: vec![(1, b"B")],
        ..class("A", 0)
    };
    let mut classes = all(&[a, class("B", 2), class("C", 4)]);
    // The initializer of B ran C.
    initialized(&mut classes, 1, &[4], false);
    check(&classes, &[1], "", &["A", "B", "C"]);
    check(&classes, &[0], "", &["A"]);
}

#[test]
fn a_static_call_counts_if_the_class_it_names_does_not_run_it() {
    let call = signature(b"size", b"()I");
    let a = Loaded {
        static_calls: vec![(0, b"Declares", call), (1, b"Inherits", call)],
        ..class("A", 0)
    };
    let declares = Loaded {
        statics: vec![signature(b"other", b"()I"), call],
        ..class("Declares", 2)
    };
    let mut classes = all(&[a, declares, class("Inherits", 4)]);
    check(&classes, &[0], "", &["A"]);
    check(&classes, &[1], "", &["A", "Inherits"]);
    initialized(&mut classes, 1, &[], true);
    check(&classes, &[0], "", &["A", "Declares"]);
}

#[test]
fn a_class_without_probes_counts_always_with_all_it_refers_to() {
    let bare = Loaded {
        name: b"Bare",
        types: vec![(0, b"B")],
        static_calls: vec![(1, b"C", 1)],
        ..Loaded::default()
    };
    let native = Loaded {
        unprobed: true,
        ..class("Native", 6)
    };
    let classes = all(&[bare, class("B", 2), class("C", 4), native]);
    check(&classes, &[], "", &["B", "Bare", "C", "Native"]);
}

#[test]
fn all_classes_of_a_name_count_and_probes_are_found_by_their_bytes() {
    let old = Loaded {
        raw: 1,
        code: 1,
        ..class("A", 0)
    };
    let new = Loaded {
        raw: 2,
        code: 2,
        ..class("A", 2)
    };
    let classes = all(&[old, new]);
    check(&classes, &[], "A", &["A", "A"]);
    assert_eq!(classes.probes_of(b"A", 1).map(|s| s.probes.first), Some(0));
    assert_eq!(classes.probes_of(b"A", 2).map(|s| s.probes.first), Some(2));
    assert_eq!(classes.probes_of(b"A", 3), None);
    assert_eq!(classes.find(b"A").map(|class| class.raw), Some(2));
    assert!(classes.find(b"B").is_none());
    assert_eq!(
        [0, 1, 2, 3, 4].map(|p| classes.owner(p)),
        [Some(0), Some(0), Some(1), Some(1), None]
    );
}

#[test]
fn a_unit_has_the_methods_it_executed_and_those_of_the_initializers_it_depends_on() {
    let mut classes = all(&[class("T", 0), class("A", 2), class("B", 4)]);
    initialized(&mut classes, 1, &[5], false);
    let used = classes.dependencies(&[3].into_iter().collect(), [b"T".as_slice()]);
    assert_eq!(used.members, [3, 5]);
    assert_eq!(used.reflection, ReflectionUse::default());
}

#[test]
fn a_unit_uses_reflection_if_a_method_it_depends_on_does() {
    let reflecting = Loaded {
        reflection: vec![(1, ReflectionKind::Members)],
        ..class("A", 0)
    };
    let classes = all(&[reflecting]);
    let asks = |probe: u32| {
        let used = classes.dependencies(&[probe].into_iter().collect(), []);
        used.asks
    };
    assert!(asks(1));
    assert!(!asks(0));
}

fn ask(classes: &mut Classes, names: &[&str]) {
    let names = names.iter().map(|name| name.as_bytes().to_vec());
    classes.ask(&names.collect());
}

#[test]
fn a_class_that_was_asked_for_its_members_is_told_once() {
    let mut classes = all(&[class("A", 0), class("B", 2)]);
    ask(&mut classes, &["B", "java/lang/String"]);
    assert_eq!(classes.newly_asked(), [1]);
    ask(&mut classes, &["A", "B"]);
    assert_eq!(classes.newly_asked(), [0]);
}

#[test]
fn an_initializer_sees_members_of_classes_that_were_asked_until_it_ended() {
    let reflecting = Loaded {
        reflection: vec![(1, ReflectionKind::Members)],
        ..class("A", 0)
    };
    let mut classes = all(&[reflecting, class("B", 2)]);
    ask(&mut classes, &["A"]);
    initialized(&mut classes, 0, &[1], false);
    ask(&mut classes, &["B"]);
    let sees = |probe: u32| {
        let used = classes.dependencies(&[probe].into_iter().collect(), []);
        used.reflection.members
    };
    // A method of the class, the initializer itself, and a method of another class.
    assert_eq!([0, 1, 2].map(sees), [1, 2, 0]);
}

#[test]
fn the_first_object_of_a_class_is_told_once() {
    let made = |name| Loaded {
        constructors: vec![0],
        ..class(name, if name == "A" { 0 } else { 2 })
    };
    let mut classes = all(&[made("A"), made("B")]);
    let executed = |probes: &[u32]| probes.iter().copied().collect();
    assert_eq!(classes.created(&executed(&[1])), [] as [u32; 0]);
    assert_eq!(classes.created(&executed(&[1, 2])), [1]);
    assert_eq!(classes.created(&executed(&[0, 1, 2])), [0]);
}

#[test]
fn a_block_that_ran_counts_for_its_method() {
    // Three blocks, no code, two blocks.
    let a = Loaded {
        counts: vec![3, 0, 2],
        types: vec![(0, b"B"), (2, b"C")],
        constructors: vec![0],
        reflection: vec![(2, ReflectionKind::StackTraces)],
        ..class("A", 0)
    };
    let mut classes = all(&[a, class("B", 5), class("C", 7)]);
    check(&classes, &[2], "", &["A", "B"]);
    check(&classes, &[3], "", &["A", "C"]);
    check(&classes, &[4], "", &["A", "C"]);
    check(&classes, &[5], "", &["B"]);
    let traces = |probe: u32| {
        let used = classes.dependencies(&[probe].into_iter().collect(), []);
        used.reflection.traces
    };
    // The first block of a method runs whenever the method does.
    assert_eq!([0, 2, 3].map(traces), [false, false, true]);
    let created = classes.created(&[0, 1].into_iter().collect());
    assert_eq!(created, [0]);
}

#[test]
fn unlogged_reflection_may_see_any_class() {
    let a = Loaded {
        unprobed: true,
        reflection: vec![(1, ReflectionKind::Members)],
        ..class("A", 0)
    };
    let classes = all(&[a, class("B", 2)]);
    let used = classes.dependencies(&Bits::default(), [b"B".as_slice()]);
    assert!(used.asks);
}

#[test]
fn a_receiver_is_told_with_its_method_unless_it_is_of_the_same_class() {
    let mut classes = all(&[
        class("a/A", 0),
        class("a/B", 2),
        class("T", 4),
        class("a/B", 6),
    ]);
    assert_eq!(classes.pair(1, Some(b"a.A")), None);
    let b = classes.pair(1, Some(b"a.B"));
    assert_eq!(classes.pair(1, Some(b"a.B")), b);
    // A class that is not recorded, a hidden one, one without a name.
    let other = classes.pair(0, Some(b"java.util.ArrayList"));
    assert_eq!(classes.pair(0, Some(b"a.A/0x01")), other);
    assert_eq!(classes.pair(0, None), other);
    let executed = |numbers: &[Option<u32>]| numbers.iter().flatten().copied().collect::<Bits>();
    let used = classes.dependencies(&executed(&[Some(1), b]), []);
    assert_eq!(used.members, [1]);
    assert_eq!(used.receivers, [(1, 1), (1, 3)]);
    let used = classes.dependencies(&executed(&[other, Some(0), b]), []);
    assert_eq!(used.receivers, [(0, ANY), (1, 1), (1, 3)]);
    // What an initializer ran counts with its receivers.
    let pair = b.unwrap();
    initialized(&mut classes, 2, &[1, pair], false);
    let used = classes.dependencies(&executed(&[]), [b"T".as_slice()]);
    assert_eq!(
        (used.members, used.receivers),
        (vec![1], vec![(1, 1), (1, 3)])
    );
}

#[test]
fn what_is_nested_in_a_test_class_or_in_its_superclass_may_get_tests() {
    let derived = Loaded {
        structural: vec![b"Base"],
        ..class("T", 0)
    };
    let classes = all(&[
        derived,
        class("T$In", 2),
        class("T$In$Deep", 4),
        class("Base", 6),
        class("Base$In", 8),
        class("Tx", 10),
    ]);
    let mut names = classes.nested_in(b"T");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, [&b"Base$In"[..], b"T$In", b"T$In$Deep"]);
    assert!(classes.nested_in(b"Tx").is_empty());
}

#[test]
fn code_needs_the_loaded_classes_from_elsewhere_that_it_names() {
    let from = |name, first, location, linked| Loaded {
        location,
        linked,
        ..class(name, first)
    };
    let classes = all(&[
        from("Early", 0, 2, vec![]),
        from("A", 2, 1, vec![b"Early", b"Near", b"Late", b"Never"]),
        from("Near", 4, 1, vec![]),
        from("Late", 6, 2, vec![]),
    ]);
    let check = |probes: &[u32], expected: &[&str]| {
        let used = classes.dependencies(&probes.iter().copied().collect(), []);
        let names = used
            .linked
            .iter()
            .map(|name| &classes.texts[*name as usize]);
        let mut names: Vec<_> = names
            .map(|name| std::str::from_utf8(name).unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(names, expected, "{probes:?}");
    };
    check(&[2], &["Early", "Late"]);
    check(&[0, 4, 6], &[]);
}

/// The classes that a unit used in type checks alone.
fn check_checked(classes: &Classes, probes: &[u32], expected: &[&str]) {
    let probes = probes.iter().copied().collect();
    let used = classes.dependencies(&probes, []);
    assert!(used.checked.iter().all(|id| used.classes.contains(id)));
    assert!(used.classes.is_sorted());
    let names = used.checked.iter().filter_map(|&id| classes.get(id));
    let names = names.map(|class| std::str::from_utf8(classes.name(class)).unwrap());
    assert_eq!(names.collect::<Vec<_>>(), expected);
}

#[test]
fn a_class_in_type_checks_alone_is_not_initialized_and_not_used_otherwise() {
    let a = Loaded {
        checks: vec![(0, b"B"), (1, b"B")],
        types: vec![(1, b"B")],
        ..class("A", 0)
    };
    let b = Loaded {
        structural: vec![b"C"],
        ..class("B", 2)
    };
    let mut classes = all(&[a, b, class("C", 4), class("D", 6)]);
    initialized(&mut classes, 1, &[2, 6], false);
    check(&classes, &[0], "", &["A", "B", "C"]);
    check_checked(&classes, &[0], &["B"]);
    // Other code, or the same, uses it too.
    for probes in [&[1][..], &[0, 1], &[0, 3]] {
        check(&classes, probes, "", &["A", "B", "C", "D"]);
        check_checked(&classes, probes, &[]);
    }
    check_checked(&classes, &[0, 4], &["B"]);
}

#[test]
fn a_class_that_is_checked_and_called_is_used() {
    let a = Loaded {
        checks: vec![(0, b"B")],
        calls: vec![(1, b"C")],
        ..class("A", 0)
    };
    let d = Loaded {
        static_calls: vec![(0, b"B", 1)],
        statics: vec![],
        ..class("D", 6)
    };
    let c = Loaded {
        structural: vec![b"B"],
        ..class("C", 4)
    };
    let classes = all(&[a, class("B", 2), c, d]);
    check_checked(&classes, &[0], &["B"]);
    // The call may find a method of its supertype. It uses nothing by itself.
    check(&classes, &[1], "", &["A"]);
    check(&classes, &[0, 1], "", &["A", "B"]);
    check_checked(&classes, &[0, 1], &[]);
    check_checked(&classes, &[0, 6], &[]);
}

#[test]
fn a_class_with_state_in_the_jdk_that_is_checked_is_used() {
    let checked = |superclass: &'static str, expected: &[&str]| {
        let a = Loaded {
            checks: vec![(0, b"B")],
            ..class("A", 0)
        };
        let b = Loaded {
            superclass: b"C",
            ..class("B", 2)
        };
        let c = Loaded {
            superclass: superclass.as_bytes(),
            ..class("C", 4)
        };
        check_checked(&all(&[a, b, c]), &[0], expected);
    };
    checked("java/lang/Object", &["B"]);
    checked("java/lang/Record", &["B"]);
    checked("java/io/IOException", &["B"]);
    checked("java/lang/Enum", &[]);
    checked("java/util/ArrayList", &[]);
    checked("javax/swing/JPanel", &[]);
}

#[test]
fn reflection_uses_what_was_asked_and_what_no_log_records() {
    let reflecting = |kind| {
        let a = Loaded {
            checks: vec![(0, b"B"), (1, b"B")],
            reflection: vec![(1, kind)],
            ..class("A", 0)
        };
        all(&[a, class("B", 2)])
    };
    let mut classes = reflecting(ReflectionKind::Members);
    check_checked(&classes, &[1], &["B"]);
    ask(&mut classes, &["B"]);
    check_checked(&classes, &[0], &["B"]);
    check_checked(&classes, &[1], &[]);
    let classes = reflecting(ReflectionKind::Unlogged);
    check_checked(&classes, &[0], &["B"]);
    check_checked(&classes, &[1], &[]);
}
