//! Builds the agent, which the `tamis` binary carries inside itself.
//!
//! Cargo cannot depend on a shared library, so a second Cargo builds it, in a target directory of
//! its own: the outer one holds the lock of the usual one.
#![allow(clippy::print_stdout)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The agent and the workspace crates it is made of.
const SOURCES: [&str; 12] = [
    "agent",
    "attribution",
    "classfile",
    "code",
    "fingerprint",
    "frameworks",
    "identity",
    "inputs",
    "instrument",
    "jvmti",
    "recording",
    "wire",
];

/// What the outer Cargo sets for this crate only, or for a check that makes no library.
const NOT_FOR_THE_AGENT: [&str; 6] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "RUSTC_WORKSPACE_WRAPPER",
    "CLIPPY_ARGS",
    "CARGO_BUILD_TARGET",
    "LLVM_PROFILE_FILE",
];

fn main() {
    let crates = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("..");
    for name in SOURCES {
        watch(&crates.join(name).join("src"));
        watch(&crates.join(name).join("Cargo.toml"));
    }
    watch(&crates.join("../Cargo.lock"));
    watch(&crates.join("../Cargo.toml"));

    let target_dir = PathBuf::from(variable("OUT_DIR")).join("agent");
    build(&crates.join("agent/Cargo.toml"), &target_dir);
    let library = target_dir
        .join(variable("TARGET"))
        .join("agent")
        .join(file_name());
    assert!(
        library.is_file(),
        "the agent was not built: no {}",
        library.display()
    );
    println!("cargo::rustc-env=TAMIS_AGENT_LIBRARY={}", library.display());
}

fn build(manifest: &Path, target_dir: &Path) {
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args([
        "build",
        "--package",
        "tamis-agent",
        "--lib",
        "--profile",
        "agent",
    ]);
    cargo.arg("--manifest-path").arg(manifest);
    cargo.arg("--target-dir").arg(target_dir);
    cargo.args(["--target", &variable("TARGET")]);
    for name in NOT_FOR_THE_AGENT {
        cargo.env_remove(name);
    }
    let status = cargo.status().expect("cargo can be started");
    assert!(status.success(), "the agent cannot be built");
}

fn file_name() -> &'static str {
    match variable("CARGO_CFG_TARGET_OS").as_str() {
        "macos" => "libtamis_agent.dylib",
        _ => "libtamis_agent.so",
    }
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
