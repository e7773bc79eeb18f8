//! One module per command.

mod affected;
mod collect;
mod demo;
mod replay;
mod select;
mod status;
mod test;
mod verdict;
mod why;

pub(crate) use affected::affected;
pub(crate) use collect::{collect, collect_in_background};
pub(crate) use demo::demo;
pub(crate) use replay::replay;
pub(crate) use select::select;
pub(crate) use status::status;
pub(crate) use test::test;
pub(crate) use verdict::verdict;
pub(crate) use why::why;

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    since_1970.as_millis().try_into().unwrap_or(u64::MAX)
}
