//! Starts the tests of a project through its build tool, with the agent in every test JVM.
//!
//! A [`Driver`] is all that tamis knows of one build tool: Maven, or any command the user names. Each has a module of its own;
//! what they share stands beside them: how processes run, where Java is, the option that loads the agent. This crate knows
//! nothing of stores, selections or what is told to users of a run.

mod agent_option;
mod command;
mod driver;
mod error;
mod java;
mod location;
mod maven;
mod process;
mod reports;
mod tools;

/// All build tools; a directory that is a project of several belongs to the first of them.
static TOOLS: [tools::Tool; 1] = [maven::TOOL];

pub use agent_option::AgentOption;
pub use driver::{
    Build, Capability, Driver, ForkPerClass, Goal, Listing, PlainBuild, PlainBuilds, Purpose,
    TestOptions, TestOrder, Unrecorded,
};
pub use error::BuildError;
pub use java::find_java;
pub use location::ProjectLocation;
pub use process::{Finished, Interrupt, Output, Signals, run, run_within};
pub use reports::{ReportedFact, ReportedTest, TestEnd};
pub use tools::{command_driver, find_driver, find_root};
