//! Brings the parts of a class into another order without changing what it means.

use std::collections::BTreeSet;

use fastrand::Rng;
use tamis_classfile::{ClassFile, tag};

use super::indexes::slots;
use super::model::Class;

/// The same class with fields, methods and attributes in another order.
pub(crate) fn members_and_attributes(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut class = Class::parse(bytes);
    random.shuffle(&mut class.fields);
    random.shuffle(&mut class.methods);
    class.each_table(|_, attributes| random.shuffle(attributes));
    class.bytes()
}

/// The same class with its constants in another order.
pub(crate) fn pool(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let class = ClassFile::parse(bytes).unwrap();
    let slots = slots(&class);
    let mut used: Vec<u16> = class.pool.iter().map(|(index, _)| index).collect();
    random.shuffle(&mut used);
    // What `ldc` reaches with its one byte stays within its reach.
    let near: BTreeSet<u16> = slots
        .iter()
        .filter(|s| s.width == 1)
        .map(|s| s.index)
        .collect();
    used.sort_by_key(|index| !near.contains(index));
    let entries = entries(&class);
    let mut places = vec![0; usize::from(class.pool.count())];
    let mut next = 1u16;
    for &index in &used {
        places[usize::from(index)] = next;
        let wide = matches!(entries[usize::from(index)][0], tag::LONG | tag::DOUBLE);
        next += 1 + u16::from(wide);
    }
    let mut out = bytes[..10].to_vec();
    for &index in &used {
        out.extend(moved(entries[usize::from(index)], &places));
    }
    assert_eq!(out.len(), class.pool.end());
    out.extend(&bytes[class.pool.end()..]);
    for slot in slots {
        let place = places[usize::from(slot.index)].to_be_bytes();
        out[slot.at..slot.at + slot.width].copy_from_slice(&place[2 - slot.width..]);
    }
    out
}

/// The bytes of each constant, by its index.
fn entries<'a>(class: &ClassFile<'a>) -> Vec<&'a [u8]> {
    let mut entries = vec![&class.bytes[..0]; usize::from(class.pool.count())];
    let mut at = 10;
    for (index, _) in class.pool.iter() {
        let length = match class.bytes[at] {
            tag::UTF8 => {
                3 + usize::from(u16::from_be_bytes([
                    class.bytes[at + 1],
                    class.bytes[at + 2],
                ]))
            }
            tag::LONG | tag::DOUBLE => 9,
            tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 3,
            tag::METHOD_HANDLE => 4,
            _ => 5,
        };
        entries[usize::from(index)] = &class.bytes[at..at + length];
        at += length;
    }
    entries
}

/// A constant that refers to the new places of others.
fn moved(entry: &[u8], places: &[u16]) -> Vec<u8> {
    // Where in an entry indexes stand; the first of a dynamic constant is no constant-pool index.
    let positions: &[usize] = match entry[0] {
        tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => &[1],
        tag::FIELDREF | tag::METHODREF | tag::INTERFACE_METHODREF | tag::NAME_AND_TYPE => &[1, 3],
        tag::METHOD_HANDLE => &[2],
        tag::DYNAMIC | tag::INVOKE_DYNAMIC => &[3],
        _ => &[],
    };
    let mut entry = entry.to_vec();
    for &at in positions {
        let old = u16::from_be_bytes([entry[at], entry[at + 1]]);
        entry[at..at + 2].copy_from_slice(&places[usize::from(old)].to_be_bytes());
    }
    entry
}
