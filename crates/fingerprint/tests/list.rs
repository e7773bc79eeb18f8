//! Holds the code to the list in `docs/fingerprint.md`, and the list to the specification.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use support::model::{Attribute, Class};
use support::{digest, everything};
use tamis_classfile::ClassFile;
use tamis_fingerprint::{ATTRIBUTES, Fingerprint, Kind, Rule, Treatment};

const DOCUMENT: &str = include_str!("../../../docs/fingerprint.md");

/// All attributes of section 4.7 of the specification, Java 25.
const SPECIFIED: &[&str] = &[
    "AnnotationDefault",
    "BootstrapMethods",
    "Code",
    "ConstantValue",
    "Deprecated",
    "EnclosingMethod",
    "Exceptions",
    "InnerClasses",
    "LineNumberTable",
    "LocalVariableTable",
    "LocalVariableTypeTable",
    "MethodParameters",
    "Module",
    "ModuleMainClass",
    "ModulePackages",
    "NestHost",
    "NestMembers",
    "PermittedSubclasses",
    "Record",
    "RuntimeInvisibleAnnotations",
    "RuntimeInvisibleParameterAnnotations",
    "RuntimeInvisibleTypeAnnotations",
    "RuntimeVisibleAnnotations",
    "RuntimeVisibleParameterAnnotations",
    "RuntimeVisibleTypeAnnotations",
    "Signature",
    "SourceDebugExtension",
    "SourceFile",
    "StackMapTable",
    "Synthetic",
];

/// A name that no one uses, for what the document calls any other.
const OTHER: &str = "org.example.Other";

/// The table of attributes: verdict and part for each name and place.
fn listed() -> BTreeMap<(String, String), (String, String)> {
    let table = DOCUMENT
        .split("## Attributes")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let mut listed = BTreeMap::new();
    for row in table
        .lines()
        .filter(|line| line.starts_with("| `") || line.starts_with("| any"))
    {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = if cells[1] == "any other" {
            OTHER
        } else {
            cells[1].trim_matches('`')
        };
        assert!(!cells[5].is_empty(), "{name} has no reason");
        let parts = cells[4].split(", ").cycle();
        for (place, part) in cells[2].split(", ").zip(parts) {
            let value = (cells[3].to_owned(), part.to_owned());
            let before = listed.insert((name.to_owned(), place.to_owned()), value);
            assert_eq!(before, None, "{name} is listed twice for {place}");
        }
    }
    listed
}

#[test]
fn the_list_names_what_the_code_and_the_specification_name() {
    let names = |names: &mut dyn Iterator<Item = String>| names.collect::<BTreeSet<String>>();
    let listed = names(
        &mut listed()
            .into_keys()
            .map(|(name, _)| name)
            .filter(|n| n != OTHER),
    );
    let known = |(name, _): &(&[u8], Treatment)| String::from_utf8(name.to_vec()).unwrap();
    assert_eq!(listed, names(&mut ATTRIBUTES.iter().map(known)));
    let missing = SPECIFIED.iter().find(|&&name| !listed.contains(name));
    assert_eq!(missing, None);
}

#[test]
fn the_verdicts_are_the_treatments() {
    for ((name, place), (verdict, _)) in listed() {
        let treatment = ATTRIBUTES
            .iter()
            .find(|(known, _)| *known == name.as_bytes());
        let expected = match treatment.map_or(Treatment::Unknown, |(_, treatment)| *treatment) {
            Treatment::Ignored => "ignored",
            Treatment::ThroughUse => "through use",
            Treatment::TypeAnnotations if place == "code" => "ignored",
            _ => "counts",
        };
        assert_eq!(verdict, expected, "{name} of {place}");
    }
}

#[test]
fn taking_an_attribute_away_shows_in_the_part_that_the_list_says() {
    for ((name, place), (verdict, part)) in listed() {
        let classes = with_attribute(&name, &place);
        let shown: Vec<Option<BTreeSet<&str>>> = classes
            .iter()
            .map(|bytes| {
                let mut class = Class::parse(bytes);
                class.each_table(|at, attributes| {
                    if at == place {
                        attributes.retain(|attribute| attribute.name != name);
                    }
                });
                parts_that_differ(bytes, &class.bytes())
            })
            .collect();
        let shows = |expected: &str| {
            let expected = Some(BTreeSet::from([expected]));
            shown.iter().all(|shown| *shown == expected)
        };
        let what = format!("{name} of {place}: {shown:?}");
        match (verdict.as_str(), part.as_str()) {
            // Of inner classes, only some concern the class that lists them; its own entry is in the
            // head.
            ("counts", "nested") if name == "InnerClasses" => {
                assert!(shown.contains(&Some(BTreeSet::from(["head"]))), "{what}");
                assert!(shown.contains(&Some(BTreeSet::from(["nested"]))), "{what}");
            }
            ("counts", part) => assert!(shows(part), "{what}"),
            // What needs it can no longer be read.
            ("through use", "where used") => {
                assert!(shown.iter().all(Option::is_none), "{what}");
            }
            ("ignored", "none") => {
                let nothing = Some(BTreeSet::new());
                assert!(shown.iter().all(|shown| *shown == nothing), "{what}");
            }
            unknown => panic!("{unknown:?}"),
        }
    }
}

/// The parts that differ between two classes, if both can be read.
fn parts_that_differ(before: &[u8], after: &[u8]) -> Option<BTreeSet<&'static str>> {
    let before = ClassFile::parse(before).unwrap();
    let before = Fingerprint::of(&before).unwrap();
    let after = ClassFile::parse(after).unwrap();
    let after = Fingerprint::of(&after).ok()?;
    let mut parts = BTreeSet::new();
    let mut part = |differs: bool, name| parts.extend(differs.then_some(name));
    part(before.head != after.head, "head");
    part(before.nested != after.nested, "nested");
    let [old, new] = [&before, &after].map(|print| print.fields.iter().chain(&print.methods));
    for (before, after) in old.zip(new) {
        part(before.mirror != after.mirror, "mirror");
        part(before.thrown != after.thrown, "thrown");
        part(before.body != after.body, "body");
    }
    assert_eq!(parts.is_empty(), before.class() == after.class());
    Some(parts)
}

/// The classes that have the attribute `name` at `place`; one that is given it if there is none.
fn with_attribute(name: &str, place: &str) -> Vec<Vec<u8>> {
    let has = |bytes: &&Vec<u8>| {
        let mut found = false;
        Class::parse(bytes).each_table(|at, attributes| {
            found |= at == place && attributes.iter().any(|attribute| attribute.name == name);
        });
        found
    };
    let found: Vec<Vec<u8>> = everything().values().filter(has).cloned().collect();
    if !found.is_empty() {
        return found;
    }
    let given = everything().values().filter_map(|bytes| {
        let mut class = Class::parse(bytes);
        let index = class.add_utf8("text");
        let attribute = class.new_attribute(name, &sample(name, index));
        add(&mut class, place, &attribute).then(|| class.bytes())
    });
    let given: Vec<Vec<u8>> = given.take(1).collect();
    assert!(!given.is_empty(), "no {place} for {name}");
    given
}

/// Adds `attribute` to the first table at `place`, if there is one.
fn add(class: &mut Class, place: &str, attribute: &Attribute) -> bool {
    let mut added = false;
    class.each_table(|at, attributes| {
        if at == place && !added {
            attributes.push(attribute.clone());
            added = true;
        }
    });
    added
}

/// A small content of an attribute that the compiler does not write at some place.
fn sample(name: &str, index: u16) -> Vec<u8> {
    let [high, low] = index.to_be_bytes();
    match name {
        "Deprecated" | "Synthetic" | "Scala" => vec![],
        "SourceDebugExtension" => b"SMAP".to_vec(),
        "ModuleMainClass" => vec![high, low],
        "ModulePackages" => vec![0, 1, high, low],
        "RuntimeVisibleAnnotations" | "RuntimeInvisibleAnnotations" => {
            vec![0, 1, high, low, 0, 0]
        }
        "RuntimeVisibleTypeAnnotations" | "RuntimeInvisibleTypeAnnotations" => {
            vec![0, 1, 0x13, 0, high, low, 0, 0]
        }
        "ScalaSig" | "TASTY" | OTHER => vec![5, 2, 0],
        _ => panic!("no class has {name}"),
    }
}

#[test]
fn a_bootstrap_method_counts_only_if_it_is_used() {
    let classes = everything();
    let bytes = &classes["everything/Everything.class"];
    let mut class = Class::parse(bytes);
    let data = class.raw_attribute("BootstrapMethods");
    // One more entry, with the method of the first and no arguments.
    let method = [data[2], data[3]];
    data[1] += 1;
    data.extend([method[0], method[1], 0, 0]);
    assert_eq!(digest(&class.bytes()), digest(bytes));
}

#[test]
fn an_unknown_attribute_makes_the_constant_pool_count() {
    let classes = everything();
    let mut class = Class::parse(&classes["everything/Everything$Square.class"]);
    let attribute = class.new_attribute(OTHER, &[0, 7]);
    class.attributes.push(attribute);
    let before = digest(&class.bytes());
    class.add_utf8("unused");
    assert_ne!(digest(&class.bytes()), before);
}

#[test]
fn the_kinds_and_rules_are_listed() {
    let section = |title: &str| {
        let text = DOCUMENT.split(title).nth(1).unwrap();
        text.split("\n##").next().unwrap()
    };
    let kinds = section("## Changes");
    for kind in Kind::ALL {
        assert!(kinds.contains(&format!(" {kind} ")), "{kind}");
    }
    let rows = section("### Rules").lines();
    let listed: Vec<&str> = rows
        .filter_map(|row| row.strip_prefix("| `")?.split('`').next())
        .collect();
    let rules: Vec<String> = Rule::ALL.iter().map(Rule::to_string).collect();
    assert_eq!(listed, rules);
}
