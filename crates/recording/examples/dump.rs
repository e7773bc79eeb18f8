//! Prints the records of spool files, for people who debug the agent.
#![allow(clippy::print_stdout)]

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let spool = tamis_recording::read(&std::fs::read(&path)?);
        for record in &spool.records {
            println!("{record:?}");
        }
        println!(
            "{path}: {} records, damage: {:?}",
            spool.records.len(),
            spool.damage
        );
    }
    Ok(())
}
