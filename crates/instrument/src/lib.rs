//! Decides where probes go in a class and inserts them. Pure: bytes in, bytes out.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

pub mod references;
