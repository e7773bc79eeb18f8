//! Decides where probes and hooks go in a class and inserts them. Pure: bytes in, bytes out.
//!
//! [`probes`] says where, [`blocks`] the same for basic blocks, [`runtime`] is the Java side that probes and hooks call, [`hooks`] knows
//! the test frameworks' own classes.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod assemble;
pub mod blocks;
pub mod hooks;
pub mod probes;
pub mod runtime;
