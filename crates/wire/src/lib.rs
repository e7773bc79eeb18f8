//! Values as bytes, in one encoding for all that tamis writes for itself: recordings, the store,
//! fingerprints, basic blocks.
//!
//! Numbers are LEB128 in their shortest form. Byte strings, texts and lists have their length before
//! them. What has a fixed size is written as it is. There are no names, tags or types: a [`Reader`] asks
//! for the values that a [`Writer`] wrote, in the same order.
//!
//! A value has one encoding, and a reader refuses every other one. It never panics, and whatever the
//! lengths in the bytes say, the memory it takes is at most a small multiple of their number. This
//! crate does no I/O and has no dependencies, because the agent has it, too.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod reader;
mod writer;

pub use reader::{Reader, read};
pub use writer::Writer;
