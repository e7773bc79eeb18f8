//! JUnit 3.

use crate::{Framework, Hook, Shape, THIS, declare_entrances};

declare_entrances! {
    /// JUnit 3 is about to run tests without a runner of JUnit 4.
    STARTS = "junit3Starts" "(Ljava/lang/Object;)V";
}

const STARTED: Shape = Shape::Notify { locals: &[THIS] };

/// JUnit 3, which is recorded where JUnit 4 runs it.
pub const JUNIT3: Framework = Framework {
    packages: &["junit/"],
    markers: &["junit/framework/TestCase"],
    signs: &["junit/framework/", "junit/textui/"],
    hooks: &[
        Hook::new(
            "junit/framework/TestResult",
            "run",
            "(Ljunit/framework/TestCase;)V",
            STARTS,
            STARTED,
        ),
        // It also runs classes without any framework.
        Hook::new(
            "org/apache/maven/surefire/junit/JUnit3Provider",
            "invoke",
            "(Ljava/lang/Object;",
            STARTS,
            STARTED,
        ),
    ],
    entrances: ENTRANCES,
    ..Framework::new("JUnit 3")
};
