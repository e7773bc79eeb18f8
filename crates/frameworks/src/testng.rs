//! TestNG.

use crate::{Framework, Hook, Shape, THIS, declare_entrances};

declare_entrances! {
    /// TestNG is about to run tests.
    STARTS = "testngStarts" "(Ljava/lang/Object;)V";
}

/// TestNG, whose tests are not recorded.
pub const TESTNG: Framework = Framework {
    packages: &["org/testng/"],
    markers: &["org/testng/TestNG"],
    signs: &["org/testng/"],
    hooks: &[Hook::new(
        "org/testng/TestNG",
        "run",
        "()V",
        STARTS,
        Shape::Notify { locals: &[THIS] },
    )],
    entrances: ENTRANCES,
    ..Framework::new("TestNG")
};
