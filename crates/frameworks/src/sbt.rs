//! sbt.

use crate::{Framework, Hook, Shape, THIS, declare_entrances};

declare_entrances! {
    /// A task of sbt's test interface is about to run tests.
    STARTS = "sbtTaskStarts" "(Ljava/lang/Object;)V";
}

/// The interface through which sbt runs the tests of any framework.
pub const SBT: Framework = Framework {
    signs_of_unrecorded: &["sbt/testing/"],
    hooks: &[Hook::of_any_class(
        "execute",
        "(Lsbt/testing/EventHandler;[Lsbt/testing/Logger;)[Lsbt/testing/Task;",
        STARTS,
        Shape::Notify { locals: &[THIS] },
    )],
    entrances: ENTRANCES,
    ..Framework::new("sbt")
};
