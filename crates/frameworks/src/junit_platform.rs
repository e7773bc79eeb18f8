//! The JUnit Platform.

use crate::{FIRST, Framework, Hook, SECOND, Shape, THIS, declare_entrances};

declare_entrances! {
    /// A run is cancelled, so that tests are skipped which nobody disabled.
    CANCELLED = "runCancelled" "(Ljava/lang/Object;)V";
    /// A node will start, be skipped, or fail before; what decides about it runs now.
    NODE_STARTED = "nodeStarted" "(Ljava/lang/Object;)V";
    /// A run tells that a descriptor started.
    STARTED = "descriptorStarted" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// A run tells that a descriptor ended, with its result.
    FINISHED = "descriptorFinished" "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)V";
    /// A run tells that a descriptor is disabled.
    DISABLED = "descriptorDisabled" "(Ljava/lang/Object;Ljava/lang/Object;)V";
    /// A discovery request is asked for its filters.
    FILTERS = "discoveryFilters" "(Ljava/lang/Object;)V";
    /// Our filter asks whether a descriptor need not run.
    EXCLUDED = "descriptorExcluded" "(Ljava/lang/Object;)Z";
}

/// The class of the launcher that tells what runs; with it, tests are left out when they are discovered.
pub const LAUNCHER: &str = "org/junit/platform/launcher/core/ExecutionListenerAdapter";

const OBJECT: Shape = Shape::Notify { locals: &[THIS] };

/// The JUnit Platform, whatever the engine.
pub const JUNIT_PLATFORM: Framework = Framework {
    packages: &["org/junit/", "org/apiguardian/", "org/opentest4j/"],
    markers: &[
        "org/apiguardian/api/API",
        "org/junit/platform/commons/JUnitException",
        "org/junit/platform/console/ConsoleLauncher",
        "org/junit/platform/engine/TestEngine",
        "org/junit/platform/launcher/Launcher",
        "org/junit/platform/reporting/legacy/LegacyReportingUtils",
        "org/junit/platform/runner/JUnitPlatform",
        "org/junit/platform/suite/api/Suite",
        "org/junit/platform/suite/commons/SuiteLauncherDiscoveryRequestBuilder",
        "org/junit/platform/suite/engine/SuiteTestEngine",
        "org/junit/vintage/engine/VintageTestEngine",
        "org/opentest4j/AssertionFailedError",
    ],
    signs: &["org/junit/"],
    finders: &["org/junit/platform/"],
    // It converts arguments, and looks at their types for that.
    inspecting_beyond_tests: &["org/junit/platform/commons/support/conversion/Fallback"],
    hooks: &[
        Hook::new(
            "org/junit/platform/engine/RegularCancellationToken",
            "cancel",
            "()V",
            CANCELLED,
            OBJECT,
        ),
        Hook::new(
            "org/junit/platform/engine/support/hierarchical/NodeTestTask",
            "execute",
            "()V",
            NODE_STARTED,
            OBJECT,
        ),
        Hook::new(
            LAUNCHER,
            "executionStarted",
            "(Lorg/junit/platform/engine/TestDescriptor;)V",
            STARTED,
            Shape::Notify {
                locals: &[THIS, FIRST],
            },
        ),
        Hook::new(
            LAUNCHER,
            "executionSkipped",
            "(Lorg/junit/platform/engine/TestDescriptor;Ljava/lang/String;)V",
            DISABLED,
            Shape::Notify {
                locals: &[THIS, FIRST],
            },
        ),
        Hook::new(
            LAUNCHER,
            "executionFinished",
            "(Lorg/junit/platform/engine/TestDescriptor;\
              Lorg/junit/platform/engine/TestExecutionResult;)V",
            FINISHED,
            Shape::Notify {
                locals: &[THIS, FIRST, SECOND],
            },
        ),
        // Without it nothing is left out.
        Hook::new(
            "org/junit/platform/launcher/core/DefaultDiscoveryRequest",
            "getPostDiscoveryFilters",
            "()Ljava/util/List;",
            FILTERS,
            OBJECT,
        )
        .that_may_be_missing(),
    ],
    entrances: ENTRANCES,
    ..Framework::new("the JUnit Platform")
};
