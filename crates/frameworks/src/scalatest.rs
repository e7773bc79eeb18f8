//! ScalaTest.

use crate::{Framework, Hook, Shape, THIS, declare_entrances};

declare_entrances! {
    /// A suite of ScalaTest is about to run.
    STARTS = "scalatestStarts" "(Ljava/lang/Object;)V";
}

/// ScalaTest, whose tests are not recorded.
pub const SCALATEST: Framework = Framework {
    signs_of_unrecorded: &["org/scalatest/"],
    hooks: &[Hook::of_any_class(
        "run",
        "(Lscala/Option;Lorg/scalatest/Args;)Lorg/scalatest/Status;",
        STARTS,
        Shape::Notify { locals: &[THIS] },
    )],
    entrances: ENTRANCES,
    ..Framework::new("ScalaTest")
};
