//! Keeps what tests used and how they ended.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod error;
mod project;
mod types;

pub use error::{StoreError, StoreWarning};
pub use project::{Lock, Project};
pub use types::{Absorbed, Loaded, ModuleInfo, Ran, Scope, Store};
