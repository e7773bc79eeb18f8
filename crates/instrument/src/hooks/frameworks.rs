//! Where tamis enters test frameworks and what keeps state for tests, and how their classes are known by
//! name.

use super::{FIRST, Hook, SECOND, Shape, THIS};
use crate::runtime::{self, Entrance};

const ADAPTER: &[u8] = b"org/junit/platform/launcher/core/ExecutionListenerAdapter";
const REQUEST: &[u8] = b"org/junit/platform/launcher/core/DefaultDiscoveryRequest";
const NODE: &[u8] = b"org/junit/platform/engine/support/hierarchical/NodeTestTask";
const BUILDER: &[u8] = b"org/junit/runners/model/RunnerBuilder";

const SUREFIRE_JUNIT4: &[u8] = b"org/apache/maven/surefire/junit4/JUnit4Provider";

/// Where extensions of Jupiter put something into a store, and get what they or others put there.
const STORE: &[u8] = b"org/junit/jupiter/engine/execution/NamespaceAwareStore";

/// The application contexts of Spring: whoever uses one asks for its factory of beans.
const CONTEXTS: [&[u8]; 2] = [
    b"org/springframework/context/support/GenericApplicationContext",
    b"org/springframework/context/support/AbstractRefreshableApplicationContext",
];

const fn context(class: &'static [u8]) -> Hook {
    Hook {
        class: Some(class),
        method: b"getBeanFactory",
        descriptor: b"()",
        entrance: runtime::CONTEXT_USED,
        shape: Shape::Notify { locals: &[THIS] },
    }
}

const fn store(method: &'static [u8]) -> Hook {
    Hook {
        class: Some(STORE),
        method,
        descriptor: b"(Ljava/lang/Object;",
        entrance: runtime::STORE_VALUE,
        shape: Shape::Result,
    }
}

/// A framework whose tests the agent cannot hold back is about to run them.
const fn starts(
    class: Option<&'static [u8]>,
    method: &'static [u8],
    descriptor: &'static [u8],
    entrance: Entrance,
) -> Hook {
    Hook {
        class,
        method,
        descriptor,
        entrance,
        shape: Shape::Notify { locals: &[THIS] },
    }
}

pub(super) const HOOKS: &[Hook] = &[
    starts(
        Some(b"junit/framework/TestResult"),
        b"run",
        b"(Ljunit/framework/TestCase;)V",
        runtime::JUNIT3_STARTS,
    ),
    // It also runs classes without any framework.
    starts(
        Some(b"org/apache/maven/surefire/junit/JUnit3Provider"),
        b"invoke",
        b"(Ljava/lang/Object;",
        runtime::JUNIT3_STARTS,
    ),
    starts(
        Some(b"org/testng/TestNG"),
        b"run",
        b"()V",
        runtime::TESTNG_STARTS,
    ),
    starts(
        None,
        b"run",
        b"(Lscala/Option;Lorg/scalatest/Args;)Lorg/scalatest/Status;",
        runtime::SCALATEST_STARTS,
    ),
    starts(
        None,
        b"execute",
        b"(Lsbt/testing/EventHandler;[Lsbt/testing/Logger;)[Lsbt/testing/Task;",
        runtime::SBT_TASK_STARTS,
    ),
    context(CONTEXTS[0]),
    context(CONTEXTS[1]),
    store(b"get"),
    store(b"getOrComputeIfAbsent"),
    store(b"computeIfAbsent"),
    store(b"remove"),
    Hook {
        class: Some(STORE),
        method: b"put",
        descriptor: b"(Ljava/lang/Object;Ljava/lang/Object;)V",
        entrance: runtime::STORE_VALUE,
        shape: Shape::Notify {
            locals: &[SECOND, FIRST],
        },
    },
    Hook {
        class: Some(SUREFIRE_JUNIT4),
        method: b"executeTestSet",
        descriptor: b"(Ljava/lang/Class;",
        entrance: runtime::SUREFIRE_CLASS,
        shape: Shape::Around,
    },
    Hook {
        class: None,
        method: b"run",
        descriptor: b"(Lorg/junit/runner/notification/RunNotifier;)V",
        entrance: runtime::RUNNER_RUN,
        shape: Shape::Around,
    },
    Hook {
        class: Some(BUILDER),
        method: b"safeRunnerForClass",
        descriptor: b"(Ljava/lang/Class;)Lorg/junit/runner/Runner;",
        entrance: runtime::RUNNER_BUILD,
        shape: Shape::AroundRunner,
    },
    Hook {
        class: None,
        method: b"filter",
        descriptor: b"(Lorg/junit/runner/manipulation/Filter;)V",
        entrance: runtime::RUNNER_FILTERED,
        shape: Shape::Notify { locals: &[THIS] },
    },
    Hook {
        class: None,
        method: b"fireTestStarted",
        descriptor: b"(Lorg/junit/runner/Description;)V",
        entrance: runtime::TEST_STARTED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestFinished",
        descriptor: b"(Lorg/junit/runner/Description;)V",
        entrance: runtime::TEST_FINISHED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestIgnored",
        descriptor: b"(Lorg/junit/runner/Description;)V",
        entrance: runtime::TEST_IGNORED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestFailure",
        descriptor: b"(Lorg/junit/runner/notification/Failure;)V",
        entrance: runtime::TEST_FAILED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: None,
        method: b"fireTestAssumptionFailed",
        descriptor: b"(Lorg/junit/runner/notification/Failure;)V",
        entrance: runtime::ASSUMPTION_FAILED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: Some(b"org/junit/platform/engine/RegularCancellationToken"),
        method: b"cancel",
        descriptor: b"()V",
        entrance: runtime::RUN_CANCELLED,
        shape: Shape::Notify { locals: &[THIS] },
    },
    Hook {
        class: Some(NODE),
        method: b"execute",
        descriptor: b"()V",
        entrance: runtime::NODE_STARTED,
        shape: Shape::Notify { locals: &[THIS] },
    },
    Hook {
        class: Some(ADAPTER),
        method: b"executionStarted",
        descriptor: b"(Lorg/junit/platform/engine/TestDescriptor;)V",
        entrance: runtime::DESCRIPTOR_STARTED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: Some(ADAPTER),
        method: b"executionSkipped",
        descriptor: b"(Lorg/junit/platform/engine/TestDescriptor;Ljava/lang/String;)V",
        entrance: runtime::DESCRIPTOR_DISABLED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST],
        },
    },
    Hook {
        class: Some(ADAPTER),
        method: b"executionFinished",
        descriptor: b"(Lorg/junit/platform/engine/TestDescriptor;\
                     Lorg/junit/platform/engine/TestExecutionResult;)V",
        entrance: runtime::DESCRIPTOR_FINISHED,
        shape: Shape::Notify {
            locals: &[THIS, FIRST, SECOND],
        },
    },
    Hook {
        class: Some(REQUEST),
        method: b"getPostDiscoveryFilters",
        descriptor: b"()Ljava/util/List;",
        entrance: runtime::DISCOVERY_FILTERS,
        shape: Shape::Notify { locals: &[THIS] },
    },
];

/// Whether nothing is lost if a class does not have the method: without those that leave tests out nothing
/// is left out, and only JUnit 6 has one of them.
pub(super) fn may_be_missing(hook: &Hook) -> bool {
    let skips = [SUREFIRE_JUNIT4, REQUEST].map(Some).contains(&hook.class);
    let is_new = hook.class == Some(STORE) && hook.method == b"computeIfAbsent";
    skips || is_new
}

/// Whether loading this class (internal name) is a sign that the JVM runs tests.
pub fn is_sign_of_tests(name: &[u8]) -> bool {
    [
        b"org/junit/".as_slice(),
        b"junit/framework/",
        b"junit/textui/",
        b"org/testng/",
    ]
    .iter()
    .any(|prefix| name.starts_with(prefix))
        || is_surefire(name)
}

/// Whether loading this class is a sign that the JVM runs tests which the agent does not record, but
/// must not let run where it only asks.
pub fn is_sign_of_other_tests(name: &[u8]) -> bool {
    [b"org/scalatest/".as_slice(), b"sbt/testing/"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// Whether a class is named as those of test frameworks and of what starts them are. Classes of a
/// program may be, too.
pub fn is_named_as_framework(name: &[u8]) -> bool {
    const PACKAGES: [&[u8]; 7] = [
        b"org/junit/",
        b"junit/",
        b"org/apiguardian/",
        b"org/opentest4j/",
        b"org/testng/",
        b"org/apache/maven/surefire/",
        b"org/apache/maven/plugin/surefire/",
    ];
    PACKAGES.iter().any(|package| name.starts_with(package))
}

/// Whether a class of a test framework looks at test classes and at nothing else.
pub fn looks_at_tests_alone(name: &[u8]) -> bool {
    // These look at classes that tests name: for methods that are conditions, for methods and
    // constructors that convert an argument, and for those that provide arguments.
    const OTHERS: [&[u8]; 6] = [
        b"org/junit/jupiter/api/condition/MethodBasedCondition",
        b"org/junit/jupiter/params/converter/Fallback",
        b"org/junit/jupiter/params/provider/FieldArgumentsProvider",
        b"org/junit/jupiter/params/provider/MethodArgumentsProvider",
        b"org/junit/platform/commons/support/conversion/Fallback",
        b"org/junit/experimental/theories/",
    ];
    !OTHERS.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether this class starts a JVM that Surefire or Failsafe forked.
pub fn is_surefire(name: &[u8]) -> bool {
    name == b"org/apache/maven/surefire/booter/ForkedBooter"
}

/// Whether this class belongs to the JUnit Platform's launcher, which then does the skipping.
pub fn is_platform_launcher(name: &[u8]) -> bool {
    name == ADAPTER
}
