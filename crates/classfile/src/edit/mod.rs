//! Inserts code at the start and at the end of methods, and constants at the end of the pool.
//!
//! A prefix whose length is a multiple of four moves no branch offset and no switch padding,
//! because both are relative to an instruction or to the method's start. What names absolute
//! positions is adjusted: exception table, line and variable tables, stack map frames and type
//! annotations. Everything else is copied as it is.

mod annotations;
mod apply;
mod code;
mod frames;
mod output;
mod pool_builder;
mod shift;

pub use apply::{MethodEdit, apply};
pub use code::single_trailing_return;
pub use pool_builder::PoolBuilder;

#[cfg(test)]
mod tests;
