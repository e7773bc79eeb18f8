//! One plain report model per answer, shown as text for people or as JSON for machines.
//!
//! This crate does no I/O and reads no clock: models in, text out. Text carries ANSI styles; whoever
//! prints it decides whether they stay. The JSON is described in `docs/json.md`.

mod affected;
mod audit;
mod audit_json;
mod isolated;
mod json;
mod phrases;
mod run;
mod run_text;
mod status;
mod why;

pub use affected::Affected;
pub use audit::Audit;
pub use isolated::Isolated;
pub use json::{
    BuildItem, Counts, KnownItem, PhaseTimes, RunDocument, RunItem, RunTest, SCHEMA, TestItem,
    to_json,
};
pub use phrases::{ago, count, duration};
pub use run::{BuildEnd, Phases, Recorded, Run, RunKind, TestReport, Unheld};
pub use status::{ModuleStatus, Status};
pub use why::{Share, Why};

use std::fmt::Write;

/// Appends a line to text that is being written; writing to a `String` cannot fail.
fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(line);
    text.push('\n');
}
