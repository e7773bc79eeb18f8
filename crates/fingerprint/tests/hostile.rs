//! Malformed classes give an error: no panic, no endless work, and no digest.

mod support;

use fastrand::Rng;
use support::model::Class;
use support::{everything, try_digest};

const SQUARE: &str = "everything/Everything$Square.class";

#[test]
fn cut_and_damaged_classes_do_not_panic() {
    for (seed, bytes) in everything().values().enumerate() {
        for length in (0..bytes.len()).step_by(7) {
            assert!(try_digest(&bytes[..length]).is_err());
        }
        let mut random = Rng::with_seed(seed as u64);
        for _ in 0..2000 {
            let mut damaged = bytes.clone();
            for _ in 0..=random.usize(..3) {
                let at = random.usize(..damaged.len());
                damaged[at] = random.u8(..);
            }
            // Either is fine: many bytes may be anything.
            let _ = try_digest(&damaged);
        }
    }
}

#[test]
fn a_dynamic_constant_that_needs_itself_is_an_error() {
    let mut class = Class::parse(&everything()["everything/Everything.class"]);
    let name = class.add_utf8("x").to_be_bytes();
    let descriptor = class.add_utf8("I").to_be_bytes();
    let name_and_type = [&[12][..], &name, &descriptor].concat();
    let name_and_type = class.add_constant(&name_and_type).to_be_bytes();
    // The first bootstrap method gets a constant as its argument that it computes itself.
    let dynamic = [&[17, 0, 0][..], &name_and_type].concat();
    let dynamic = class.add_constant(&dynamic).to_be_bytes();
    let data = class.raw_attribute("BootstrapMethods");
    assert_ne!(
        data[4..6],
        [0, 0],
        "the first bootstrap method has arguments"
    );
    data[6..8].copy_from_slice(&dynamic);
    assert!(try_digest(&class.bytes()).is_err());
}

#[test]
fn annotations_without_end_are_an_error() {
    let classes = everything();
    for (depth, readable) in [(63, true), (64, false), (200_000, false)] {
        let mut class = Class::parse(&classes[SQUARE]);
        let [high, low] = class.add_utf8("x").to_be_bytes();
        let mut data = vec![0, 1, high, low, 0, 1, high, low];
        data.extend([b'[', 0, 1].repeat(depth));
        data.extend([b's', high, low]);
        let attribute = class.new_attribute("RuntimeVisibleAnnotations", &data);
        class.attributes.push(attribute);
        assert_eq!(try_digest(&class.bytes()).is_ok(), readable, "{depth}");
    }
}

#[test]
fn attributes_with_too_little_or_too_much_in_them_are_an_error() {
    let classes = everything();
    for (name, data) in [
        ("Signature", &[][..]),
        ("NestHost", &[0]),
        ("NestMembers", &[0, 0, 0]),
        ("InnerClasses", &[0, 1, 0, 1]),
        ("Record", &[0, 0, 0]),
        ("RuntimeVisibleAnnotations", &[0, 1]),
        ("PermittedSubclasses", &[0, 1, 255, 255]),
    ] {
        let mut class = Class::parse(&classes[SQUARE]);
        class.attributes.retain(|attribute| attribute.name != name);
        let attribute = class.new_attribute(name, data);
        class.attributes.push(attribute);
        assert!(try_digest(&class.bytes()).is_err(), "{name}");
    }
}
