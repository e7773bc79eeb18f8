//! Starts the tests of a project through its build tool, with the agent in every test JVM.
//!
//! A *driver* is what starts the tests: Maven, or any command the user names. This crate finds the
//! project and the build tool, puts the agent into the command line, runs it and says how it ended.
//! It knows nothing of stores, selections or reports, and never parses what a build tool prints.

mod agent_option;
mod command;
mod error;
mod java;
mod maven;
mod process;

pub use agent_option::AgentOption;
pub use command::for_purpose;
pub use error::BuildError;
pub use java::find_java;
pub use maven::{
    Listing, Maven, MavenArguments, Place, Purpose, Unrecorded, find_command_place,
    find_maven_place, find_out_of_reach, find_unrecorded, has_modules, take_listing,
};
pub use process::{Finished, Interrupt, Output, Signals, any_command, run, run_within};
