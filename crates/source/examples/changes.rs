//! Lists what changed in the sources of a project since a revision, or what mentions a name.
//!
//! ```text
//! cargo run -p tamis-source --example changes -- PROJECT REVISION
//! cargo run -p tamis-source --example changes -- PROJECT --mentions NAME...
//! ```
#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use tamis_source::{changes, mentions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let project = PathBuf::from(arguments.next().ok_or("no project")?);
    let revision = arguments.next().ok_or("no revision")?;

    let start = Instant::now();
    let files = match revision.as_str() {
        "--mentions" => mentions(&project, &arguments.collect::<BTreeSet<_>>())?,
        _ => changes(&project, &revision)?.files,
    };
    let took = start.elapsed();
    files.iter().for_each(|file| println!("{file}"));
    println!("{} files in {took:.0?}", files.len());
    Ok(())
}
