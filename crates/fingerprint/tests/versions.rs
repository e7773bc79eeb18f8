//! Class file versions show where they change what a class means.

mod support;

use support::model::Class;
use support::{digest, everything, try_digest};
use tamis_classfile::access;

const PREVIEW: u16 = 65535;
const PLAIN: &str = "everything/Everything$Square.class";
const RECORD: &str = "everything/Everything$Circle.class";
const SEALED: &str = "everything/Everything$Shape.class";

fn check(name: &str, versions: [(u16, u16); 2], same: bool) {
    let mut class = Class::parse(&everything()[name]);
    let [before, after] = versions.map(|(major, minor)| {
        class.set_version(major, minor);
        digest(&class.bytes())
    });
    assert_eq!(before == after, same, "{name} {versions:?}");
}

#[test]
fn versions_are_one_between_boundaries() {
    for (from, to) in [(46, 48), (53, 54), (55, 69)] {
        check(PLAIN, [(from, 0), (to, 0)], true);
    }
    for boundary in [46, 49, 50, 51, 52, 53, 55, 70, 71, 72] {
        check(PLAIN, [(boundary - 1, 3), (boundary, 3)], false);
    }
}

#[test]
fn records_and_sealed_types_have_boundaries_of_their_own() {
    check(RECORD, [(59, 0), (60, 0)], false);
    check(RECORD, [(60, 0), (61, 0)], true);
    check(SEALED, [(59, 0), (60, 0)], true);
    check(SEALED, [(60, 0), (61, 0)], false);
}

#[test]
fn strict_methods_have_a_boundary_of_their_own() {
    let mut class = Class::parse(&everything()[PLAIN]);
    class.methods[0].head[0] |= access::STRICT.to_be_bytes()[0];
    let [before, after] = [60, 61].map(|major| {
        class.set_version(major, 0);
        digest(&class.bytes())
    });
    assert_ne!(before, after);
}

#[test]
fn preview_features_show_with_their_exact_version() {
    check(PLAIN, [(61, 0), (61, PREVIEW)], false);
    check(PLAIN, [(61, PREVIEW), (62, PREVIEW)], false);
    check(PLAIN, [(52, 0), (52, 3)], true);
}

#[test]
fn versions_with_another_layout_of_code_are_refused() {
    let mut class = Class::parse(&everything()[PLAIN]);
    for (major, minor, readable) in [(45, 2, false), (45, 3, true), (44, 9, false)] {
        class.set_version(major, minor);
        assert_eq!(
            try_digest(&class.bytes()).is_ok(),
            readable,
            "{major}.{minor}"
        );
    }
}
