//! Small faults in compiled classes. A technique of test selection is safe if it selects every test
//! that such a fault makes fail, so faults are made on purpose and the choice is looked at.
//!
//! [`mutants`] lists what can be done to a class, [`Mutant::apply`] does it. Pure: bytes in, bytes out.
//! What [`mutants`] lists
//!
//! - differs from the original class file;
//! - is a class file again, and passes the verifier with the stack map frames as they are: what is put
//!   in the place of an instruction leaves the same types on the stack. Where it is longer than what it
//!   replaces, [`tamis_classfile::edit`] moves the rest;
//! - comes in the same order each time: the class itself, then its methods as they stand in the file.
//!
//! Whether a mutant behaves differently is not known here; some are equivalent to the original, some
//! never end.
//!
//! What compilers generate without a line of source to show for it is left alone (see the module
//! `generated`). Each group of [`Operator`]s has its file in `operators`.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod body;
mod change;
mod descriptor;
mod find;
mod generated;
mod mutant;
mod operator;
mod operators;
mod text;

pub use find::mutants;
pub use mutant::Mutant;
pub use operator::Operator;
pub use tamis_classfile::{Error, Result};
