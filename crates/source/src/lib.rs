//! What changed in the sources since a git revision, by class and member, without a build of that revision.
//!
//! [`changes`] compares the files of the working tree with those of a revision. A Java file is parsed on
//! both sides, and each member is compared with itself by its tokens: comments and white space do not
//! count, and a member that only moved did not change. This is the rule of MEST and FEST, which map the
//! changed lines of `git diff` to members and leave out blank lines and comments, in a stronger form: a
//! change that a line shows is a change of tokens, and what only looks changed by its lines is none.
//!
//! What other members are compiled into follows: initializers of fields into constructors or the static
//! initializer, names that an import gives another meaning into all members that mention them.
//! [`mentions`] finds the members that mention a name, for what javac takes from other sources: values of
//! constants, and names of members that are gone.
//!
//! What is not understood is never dropped: it is [`Change::Unparsed`] or [`Change::Other`], and whoever
//! selects must take more than a member then. Annotation processors are not known, but for Lombok: where
//! it is used, a change of the members is a change of the class.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod change;
mod changes;
mod compare;
mod descriptor;
mod error;
mod git;
mod java;
mod language;
mod mentions;
#[cfg(test)]
mod tests;
mod text;
mod unit;
mod unparsed;

pub use change::{Change, FileChange, Kind, Member, MemberChange, SourceChanges};
pub use changes::{changes, resolve};
pub use error::SourceError;
pub use mentions::mentions;
