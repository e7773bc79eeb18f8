//! Selects tests: dependencies and changes in, selected tests with reasons as values out.
//!
//! This crate does no I/O and reads no clock. [`Facts`] says what is known of each test and what
//! became of every class it used; a [`Technique`] turns facts into a [`Selection`] in which every
//! selected test has at least one [`Reason`], and a test without a reason is not selected.
//!
//! Tests that are not in a selection are unknown and therefore run: a selection only ever names
//! what may be left out.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod all;
mod choice;
mod due;
mod ekstazi;
mod excuse;
mod facts;
mod footprint;
mod hyrts;
mod ids;
mod readable;
mod reason;
#[cfg(test)]
mod samples;
mod sapient;
mod selection;
mod technique;

pub use all::All;
pub use choice::{Choice, NoChoice, StaticChoice};
pub use ekstazi::Ekstazi;
pub use excuse::Excuse;
pub use facts::{
    ChangedBlocks, ClassPathState, Declared, Detail, Facts, Log, LogPart, Members, Numbering, Pair,
    Shape, TestFacts, UnloggedReflection,
};
pub use footprint::Footprint;
pub use hyrts::{Hyrts, Receivers};
pub use ids::{Ids, IdsBuf, Malformed};
pub use readable::{readable, tame};
pub use reason::{Change, InputKind, Path, Reason};
pub use sapient::{
    Compared, Fest, Firewall, Mest, MestS, MestSR1, MestSR2, StaticFacts, StaticTest,
};
pub use selection::{Granularity, Known, Outcome, Selection, Verdict};
pub use tamis_identity::{MemberName, TestId, TestName};
pub use technique::{Needs, Technique, TechniqueName};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_selects_what_no_change_affects() {
        let facts = Facts {
            tests: vec![samples::passed()],
            changes: vec![vec![]],
            ..Facts::default()
        };
        assert_eq!(Ekstazi.select(&facts).selected().count(), 0);
        assert_eq!(All.select(&facts).selected().count(), 1);
    }
}
