//! What the dependencies are: permissive licences, from the registry, with versions that somebody chose.

use serde_json::Value;
use std::process::Command;

const LICENCES: [&str; 5] = ["Apache-2.0", "BSL-1.0", "MIT", "Unicode-3.0", "Zlib"];

#[test]
fn dependencies_may_be_used_by_everybody() {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--all-features",
            "--format-version=1",
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50, "{} packages", packages.len());
    let problems: Vec<String> = packages.iter().flat_map(problems_of).collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

fn problems_of(package: &Value) -> Vec<String> {
    let name = package["name"].as_str().unwrap();
    let mut problems = Vec::new();
    let licence = package["license"].as_str().unwrap_or_default();
    if !is_permissive(licence) {
        problems.push(format!("{name} has the licence {licence:?}"));
    }
    match package["source"].as_str() {
        Some(source) if !source.contains("crates.io-index") => {
            problems.push(format!("{name} comes from {source}"));
        }
        Some(_) => {}
        None => {
            let required = package["dependencies"].as_array().unwrap().iter();
            let any = required.filter(|on| on["req"] == "*" && on["path"].is_null());
            problems.extend(any.map(|on| format!("{name} takes any version of {}", on["name"])));
        }
    }
    problems
}

fn is_permissive(licence: &str) -> bool {
    let mode = spdx::ParseMode::LAX;
    spdx::Expression::parse_mode(licence, mode).is_ok_and(|expression| {
        expression.evaluate(|asked| {
            let id = asked.license.id();
            id.is_some_and(|id| LICENCES.contains(&id.name))
        })
    })
}

#[test]
fn licences_are_read() {
    let check = |licence: &str, expected: bool| {
        assert_eq!(is_permissive(licence), expected, "{licence}");
    };
    check("MIT", true);
    check("MIT/Apache-2.0", true);
    check("GPL-3.0", false);
    check("GPL-3.0 OR MIT", true);
    check("GPL-3.0 AND MIT", false);
    check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
    check("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true);
    check("", false);
}
