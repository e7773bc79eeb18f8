//! The `tamis` command.
fn main() {}
