//! Static dependency graphs: what the classes and members of a project refer to, and which tests reach what.
//!
//! A [`Program`] links the classes of a snapshot that belong to the project: its hierarchy, its members, what each
//! reference can mean. [`ClassGraph`] has an edge from each class to the classes that it depends on; it is searched
//! from changes back to tests. [`MemberGraph`] has methods and fields; it is searched from each test on, because which
//! override a call reaches depends on the objects that this test makes. Libraries and the JDK are outside: what they
//! can call back is known from what they declare ([`Outside`]).
//!
//! All input is in memory: nothing here does I/O, and nothing panics on what a class file says.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod changes;
mod class_graph;
mod member_graph;
mod names;
mod nodes;
mod outside;
mod program;
mod reach;
mod references;
mod resources;
mod rules;

pub use changes::{Change, Changes, MemberKey};
pub use class_graph::{ClassGraph, Relations};
pub use member_graph::MemberGraph;
pub use nodes::NodeName;
pub use outside::{Declared, Nothing, Outside};
pub use program::Program;
pub use reach::{Affected, Cause};
pub use resources::Resource;
pub use rules::{MemberRules, UnknownReflection};
