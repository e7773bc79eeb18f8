//! Order that means nothing does not show, and everything that counts does.

mod support;

use fastrand::Rng;
use std::collections::BTreeSet;

use support::indexes::slots;
use support::shuffle::{members_and_attributes, pool};
use support::{digest, everything, jdk_classes, try_digest};
use tamis_classfile::{ClassFile, Code, Constant, opcode};
use tamis_fingerprint::ATTRIBUTES;

#[test]
fn order_of_constants_members_and_attributes_does_not_show() {
    let mut classes = jdk_classes();
    assert!(classes.len() > 500, "{} classes", classes.len());
    classes.extend(everything().clone());
    for (seed, (name, bytes)) in classes.iter().enumerate() {
        let expected = digest(bytes);
        let mut random = Rng::with_seed(seed as u64);
        assert_eq!(digest(&pool(bytes, &mut random)), expected, "{name}: pool");
        let shuffled = members_and_attributes(bytes, &mut random);
        assert_eq!(digest(&shuffled), expected, "{name}: members");
        assert_eq!(
            digest(&pool(&shuffled, &mut random)),
            expected,
            "{name}: both"
        );
    }
}

/// The constants that count: what is referred to from outside the pool, and what these refer to.
fn counting(class: &ClassFile<'_>) -> BTreeSet<u16> {
    let mut pending: Vec<u16> = slots(class)
        .iter()
        .filter(|slot| !slot.ignored)
        .map(|slot| slot.index)
        .collect();
    let bootstraps = class.find(class.attributes(), b"BootstrapMethods").unwrap();
    let bootstrap = |wanted: u16| {
        let mut r = bootstraps.unwrap().reader();
        r.u16().unwrap();
        let mut entry = Vec::new();
        for _ in 0..=wanted {
            entry = vec![r.u16().unwrap()];
            entry.extend((0..r.u16().unwrap()).map(|_| r.u16().unwrap()));
        }
        entry
    };
    let mut counting = BTreeSet::new();
    while let Some(index) = pending.pop() {
        if !counting.insert(index) {
            continue;
        }
        match class.pool.get(index).unwrap() {
            Constant::Class { name: a }
            | Constant::String { utf8: a }
            | Constant::MethodHandle { reference: a, .. }
            | Constant::MethodType { descriptor: a }
            | Constant::Module { name: a }
            | Constant::Package { name: a } => pending.push(a),
            Constant::Field {
                class: a,
                name_and_type: b,
            }
            | Constant::Method {
                class: a,
                name_and_type: b,
            }
            | Constant::InterfaceMethod {
                class: a,
                name_and_type: b,
            }
            | Constant::NameAndType {
                name: a,
                descriptor: b,
            } => pending.extend([a, b]),
            Constant::Dynamic {
                bootstrap: a,
                name_and_type: b,
            }
            | Constant::InvokeDynamic {
                bootstrap: a,
                name_and_type: b,
            } => {
                pending.extend(bootstrap(a));
                pending.push(b);
            }
            _ => {}
        }
    }
    counting
}

/// Whether a change would make an ignored attribute an unknown one.
fn is_attribute_name(text: &[u8]) -> bool {
    ATTRIBUTES.iter().any(|(name, _)| *name == text)
}

#[test]
fn a_changed_constant_shows_exactly_if_something_that_counts_refers_to_it() {
    for (name, bytes) in everything() {
        let class = ClassFile::parse(bytes).unwrap();
        let expected = digest(bytes);
        let counting = counting(&class);
        for (index, constant) in class.pool.iter() {
            let text: &[u8] = match constant.unwrap() {
                Constant::Utf8(text) if !text.is_empty() && !is_attribute_name(text) => text,
                _ => continue,
            };
            let at = text.as_ptr() as usize - bytes.as_ptr() as usize + text.len() - 1;
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let same = try_digest(&changed).is_ok_and(|digest| digest == expected);
            let text = String::from_utf8_lossy(text);
            assert_eq!(
                same,
                !counting.contains(&index),
                "{name}: constant {index}, {text}"
            );
        }
    }
}

#[test]
fn every_changed_byte_of_code_shows_but_padding() {
    for (name, bytes) in everything() {
        let class = ClassFile::parse(bytes).unwrap();
        let expected = digest(bytes);
        for method in class.methods() {
            let Some(code) = class.code(&method.unwrap()).unwrap() else {
                continue;
            };
            let padding = padding(&code);
            for at in 0..code.code.len() {
                for flip in [1, 4, 0x80] {
                    let mut changed = bytes.clone();
                    changed[code.code_offset + at] ^= flip;
                    let same = try_digest(&changed) == Ok(expected);
                    assert_eq!(same, padding.contains(&at), "{name}: byte {at} of {code:?}");
                }
            }
        }
    }
}

fn padding(code: &Code<'_>) -> BTreeSet<usize> {
    code.instructions()
        .map(|instruction| instruction.unwrap())
        .filter(|instruction| {
            matches!(
                instruction.opcode,
                opcode::TABLESWITCH | opcode::LOOKUPSWITCH
            )
        })
        .flat_map(|switch| switch.pc + 1..(switch.pc + 4) / 4 * 4)
        .collect()
}
