//! Encoded fingerprints read as they were, and damaged ones do no harm.

mod support;

use fastrand::Rng;
use support::{Classes, everything, jdk_classes};
use tamis_classfile::ClassFile;
use tamis_fingerprint::{Fingerprint, Outline};

/// Reads a fingerprint, and sees that its outline is read exactly if it is, and is the same.
fn decode(bytes: &[u8]) -> Option<Fingerprint<'_>> {
    let print = Fingerprint::decode(bytes);
    let outline = print.as_ref().map(|print| Outline {
        access: print.access,
        name: print.name,
        super_class: print.super_class,
        interfaces: print.interfaces.clone(),
    });
    assert_eq!(Outline::decode(bytes), outline);
    print
}

/// Calls `check` with the fingerprint of each of `classes` and its bytes.
fn each(classes: &Classes, mut check: impl FnMut(&str, &Fingerprint<'_>, &[u8])) {
    for (name, bytes) in classes {
        let class = ClassFile::parse(bytes).unwrap();
        let print = Fingerprint::of(&class).unwrap();
        check(name, &print, &print.encode());
    }
}

#[test]
fn what_is_decoded_is_what_was_encoded() {
    let mut classes = jdk_classes();
    classes.extend(everything().clone());
    each(&classes, |name, print, bytes| {
        let decoded = decode(bytes).unwrap();
        assert_eq!(decoded, *print, "{name}");
        assert_eq!(decoded.class(), print.class(), "{name}");
    });
}

#[test]
fn parts_that_are_absent_take_no_space() {
    let bytes = &everything()["everything/Everything$Square.class"];
    let class = ClassFile::parse(bytes).unwrap();
    let print = Fingerprint::of(&class).unwrap();
    let names = print.name.len() + b"java/lang/Object".len() + print.interfaces[0].len();
    // Lengths and counts, the head with its flags, and of the constructor one digest.
    let expected = 7 + names + 18 + 3 + 2 + b"<init>()V".len() + 16;
    assert_eq!(print.encode().len(), expected);
}

#[test]
fn cut_bytes_are_refused() {
    each(everything(), |name, _, bytes| {
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{name}");
        }
        let longer = [bytes, &[0]].concat();
        assert_eq!(decode(&longer), None, "{name}");
    });
}

#[test]
fn damaged_bytes_are_refused_or_mean_something_else() {
    let mut random = Rng::with_seed(7);
    each(everything(), |name, print, bytes| {
        for _ in 0..5000 {
            let mut damaged = bytes.to_vec();
            for _ in 0..=random.usize(..2) {
                let at = random.usize(..damaged.len());
                damaged[at] = random.u8(..);
            }
            if let Some(decoded) = decode(&damaged) {
                assert_eq!(decoded.encode(), damaged, "{name}");
                assert_eq!(decoded == *print, damaged == bytes, "{name}");
            }
        }
    });
}

#[test]
fn counts_that_lie_are_refused() {
    let head = [0; 18];
    for rest in [
        &[0, 0, 0xff, 0xff, 0xff, 0x7f][..],
        &[0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0],
        &[0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f],
        &[0x80, 0x00, 0, 0, 0, 0, 0],
    ] {
        assert_eq!(decode(&[&head[..], rest].concat()), None);
    }
    assert!(decode(&[&head[..], &[0; 6]].concat()).is_some());
}
