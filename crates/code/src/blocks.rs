//! Basic blocks: where they start ([`Leaders`]), what they do and where they lead ([`Blocks`]), and
//! which of them a change touches ([`compare`]).
//!
//! A block is entered at its first instruction only. It ends where a jump, a switch, a return or a
//! `throw` stands, or before an instruction that something jumps to. A call does not end it, so an
//! exception can leave it half-way.

mod compare;
mod graph;
mod leaders;
mod wire;

pub use compare::compare;
pub use graph::Blocks;
pub use leaders::Leaders;
pub(crate) use leaders::targets;
pub use wire::{decode_all, encode_all};

#[cfg(test)]
mod tests;
