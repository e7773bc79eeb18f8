//! JUnit 4.

use crate::{FIRST, Framework, Hook, Shape, THIS, declare_entrances};

declare_entrances! {
    /// `Runner.run(RunNotifier)`: whether the call has been dealt with.
    RUN = "runnerRun" "(Ljava/lang/Object;Ljava/lang/Object;)Z";
    /// `RunnerBuilder.safeRunnerForClass(Class)`: whether the call has been dealt with.
    BUILD = "runnerBuild" "(Ljava/lang/Object;Ljava/lang/Object;)Z";
    /// The runner that `runnerBuild` made.
    BUILT = "runnerBuilt" "()Ljava/lang/Object;";
    /// `ParentRunner.filter(Filter)`: some tests of its class may be left out.
    FILTERED = "runnerFiltered" "(Ljava/lang/Object;)V";
    /// `RunNotifier.fireTestStarted(Description)`.
    TEST_STARTED = "testStarted" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// `RunNotifier.fireTestFinished(Description)`.
    TEST_FINISHED = "testFinished" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// `RunNotifier.fireTestIgnored(Description)`.
    TEST_IGNORED = "testIgnored" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// `RunNotifier.fireTestFailure(Failure)`.
    TEST_FAILED = "testFailed" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// `RunNotifier.fireTestAssumptionFailed(Failure)`.
    ASSUMPTION_FAILED = "assumptionFailed" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// Our filter asks whether a description is of tests of which one must run.
    SELECTED = "descriptionSelected" "(Ljava/lang/Object;)Z";
}

const DESCRIPTION: &str = "(Lorg/junit/runner/Description;)V";
const FAILURE: &str = "(Lorg/junit/runner/notification/Failure;)V";

/// What a notifier is told.
const TOLD: Shape = Shape::Notify {
    locals: &[THIS, FIRST],
};

/// JUnit 4 and whatever runs by its runners and notifiers, which are known by the shapes of their methods.
pub const JUNIT4: Framework = Framework {
    packages: &["org/junit/", "junit/"],
    markers: &["org/junit/runner/Runner"],
    signs: &["org/junit/"],
    // It looks at classes that tests name.
    inspecting_beyond_tests: &["org/junit/experimental/theories/"],
    tests: &["org/junit/Test"],
    orders: &[
        "org/junit/FixMethodOrder",
        "org/junit/runners/Parameterized",
    ],
    hooks: &[
        Hook::of_any_class(
            "run",
            "(Lorg/junit/runner/notification/RunNotifier;)V",
            RUN,
            Shape::Around,
        ),
        Hook::new(
            "org/junit/runners/model/RunnerBuilder",
            "safeRunnerForClass",
            "(Ljava/lang/Class;)Lorg/junit/runner/Runner;",
            BUILD,
            Shape::AroundResult {
                class: "org/junit/runner/Runner",
                result: BUILT,
            },
        ),
        Hook::of_any_class(
            "filter",
            "(Lorg/junit/runner/manipulation/Filter;)V",
            FILTERED,
            Shape::Notify { locals: &[THIS] },
        ),
        Hook::of_any_class("fireTestStarted", DESCRIPTION, TEST_STARTED, TOLD),
        Hook::of_any_class("fireTestFinished", DESCRIPTION, TEST_FINISHED, TOLD),
        Hook::of_any_class("fireTestIgnored", DESCRIPTION, TEST_IGNORED, TOLD),
        Hook::of_any_class("fireTestFailure", FAILURE, TEST_FAILED, TOLD),
        Hook::of_any_class("fireTestAssumptionFailed", FAILURE, ASSUMPTION_FAILED, TOLD),
    ],
    entrances: ENTRANCES,
    ..Framework::new("JUnit 4")
};
