//! Starts the tests of a project through its build tool, with the agent in every test JVM.
//!
//! A *driver* is what starts the tests: Maven, or any command the user names. This crate finds the
//! project and the build tool, puts the agent into the command line, runs it and says how it ended.
//! It knows nothing of stores, selections or reports, and never parses what a build tool prints.

mod agent_option;
mod error;
mod gradle;
mod java;
mod listing;
mod maven;
mod maven_arguments;
mod pom;
mod process;
mod root;
mod unrecorded;

pub use agent_option::AgentOption;
pub use error::BuildError;
pub use gradle::for_purpose;
pub use java::find_java;
pub use listing::{Listing, take_listing};
pub use maven::{Maven, Purpose};
pub use maven_arguments::MavenArguments;
pub use process::{Finished, Interrupt, Output, Signals, any_command, run, run_within};
pub use root::{Place, find_command_place, find_maven_place, has_modules};
pub use unrecorded::{Unrecorded, find_out_of_reach, find_unrecorded};
