//! Inserts code into methods and constants at the end of the pool.
//!
//! A prefix whose length is a multiple of four moves no branch offset and no switch padding,
//! because both are relative to an instruction or to the method's start. What names absolute
//! positions is adjusted: exception table, line and variable tables, stack map frames and type
//! annotations. Everything else is copied as it is.
//!
//! Code between instructions moves what comes behind it: branches and switches get new distances
//! and padding, jumps their wide form where they need it, and all of the above its new positions.

mod annotations;
mod apply;
mod code;
mod frames;
mod layout;
mod output;
mod pool_builder;
mod shift;

pub use apply::{InsideEdit, MethodEdit, apply, apply_inside};
pub use code::{has_room, single_trailing_return};
pub use layout::Insertion;
pub use pool_builder::PoolBuilder;

#[cfg(test)]
mod tests;
