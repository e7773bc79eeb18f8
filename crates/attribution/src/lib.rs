//! Attribution: which unit gets which event.
//!
//! Pure: no JNI, no I/O, no clock but the one that times units. The agent feeds in what happens
//! (units start and end, probes fire, class initializers run, static state is looked at) and reads out
//! what each unit used.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod bits;
mod initializers;
mod leading;
mod runners;
mod shared;
mod unit;
mod units;

pub use bits::{Bits, HIGH, SparseBits, Word, numbers};
pub use initializers::Initialized;
pub use leading::that_lead_to;
pub use shared::{Heritage, Shared, State};
pub use unit::{Leaf, Unit};
pub use units::{Start, TestClass, Units};
