//! Test frameworks, what starts them, and what keeps something for tests.

mod archives;
pub(crate) mod junit4;
pub(crate) mod junit_platform;
pub(crate) mod surefire;

pub(crate) use archives::{Archives, note};
