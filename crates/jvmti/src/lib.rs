//! The boundary to the JVM, in layers: [`raw`] tables as the JDK's headers lay them out, [`Jvmti`]
//! and [`Jni`] that check every answer. Types hold what the JVM asks of its callers: an object stays in the
//! frame that made it, a global reference frees itself. What this crate does not do: keep state (but which JVM
//! this is), decide anything, or know what tamis is.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod comparison;
mod declared;
mod env;
mod heap;
mod jni;
pub mod raw;
mod stacks;

pub use comparison::{HeapComparison, Seen};
pub use declared::{BootMethod, DeclaredMethod};
pub use env::{Callbacks, Jvmti, JvmtiError, Library, is_exported, library_at, symbol_at};
pub use heap::{Heap, Kind, Tag};
pub use jni::{Global, Jni, Object, StaticField, Thrown, Value, Weak};
pub use stacks::{Ask, CALLERS, Details, Frame, Shown};
