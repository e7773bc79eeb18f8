//! Identities: which test, which class around it, which member of a class.
//!
//! A name is printed as `a.b.C` or as `a.b.C#m`. The first `#` ends the class, because methods of Kotlin and
//! Groovy may have a `#` in their names and classes hardly ever have one. In a class, `#` is printed as
//! `\#`, and `\` as `\\`. So every text is a name, and every name comes back from its text.
//!
//! No other place puts such names together or takes them apart.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod class;
mod member;
mod test;
mod text;

pub use class::{is_part, outermost};
pub use member::MemberName;
pub use test::{TestId, TestName};
