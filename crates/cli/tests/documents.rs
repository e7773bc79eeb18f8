//! The documents speak of what is there.

use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 12] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/design.md",
    "docs/evidence.md",
    "docs/manual.md",
    "docs/json.md",
    "docs/fingerprint.md",
    "docs/hunter.md",
    "docs/mutants.md",
    "docs/safety.md",
];

/// First parts of paths in this repository.
const FOLDERS: [&str; 6] = [
    "crates/",
    "docs/",
    "bench/",
    "fixtures/",
    "scripts/",
    ".ci/",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_path_that_a_document_names_exists() {
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        let quoted = text.split('`').skip(1).step_by(2);
        let linked = text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', '#']).next());
        let in_repository = |path: &&str| FOLDERS.iter().any(|folder| path.starts_with(folder));
        let is_plain = |path: &&str| !path.contains(['<', '*', ' ', '$']);
        for path in quoted.filter(in_repository).filter(is_plain) {
            assert!(root().join(path).exists(), "{document} names {path}");
        }
        let folder = root().join(document).parent().unwrap().to_owned();
        for path in linked.filter(|path| !path.is_empty() && !path.starts_with("http")) {
            assert!(folder.join(path).exists(), "{document} links to {path}");
        }
    }
}

#[test]
fn the_manual_names_every_technique() {
    let manual = fs::read_to_string(root().join("docs/manual.md")).unwrap();
    for name in tamis_select::TechniqueName::ALL {
        assert!(manual.contains(&format!("`{name}`")), "no `{name}`");
    }
}

#[test]
fn every_crate_stands_on_the_map() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            map.contains(&format!("`crates/{name}`")),
            "crates/{name} is not on the map"
        );
    }
}

#[test]
fn every_safety_case_stands_in_the_table() {
    let table = fs::read_to_string(root().join("docs/safety.md")).unwrap();
    for entry in fs::read_dir(root().join("fixtures/safety")).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let about = text.lines().next().unwrap().replace('|', "\\|");
        let mut rows = table.lines();
        let is_there = rows.any(|row| {
            row.starts_with(&format!("| `{name}` |")) && row.contains(&format!(" | {about}"))
        });
        assert!(
            is_there,
            "docs/safety.md lacks {name}, or has another sentence: write it again with SAFETY_TABLE, see there"
        );
    }
}
