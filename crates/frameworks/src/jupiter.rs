//! Jupiter.

use crate::{FIRST, Framework, Hook, SECOND, Shape, declare_entrances};

declare_entrances! {
    /// A store hands out this value, for this key.
    STORE_VALUE = "storeValue" "(Ljava/lang/Object;Ljava/lang/Object;)V";
}

/// Where extensions put something into a store, and get what they or others put there.
const STORE: &str = "org/junit/jupiter/engine/execution/NamespaceAwareStore";

const fn store(method: &'static str) -> Hook {
    Hook::new(
        STORE,
        method,
        "(Ljava/lang/Object;",
        STORE_VALUE,
        Shape::Result,
    )
}

/// Jupiter, an engine of the JUnit Platform, which keeps stores for several tests.
pub const JUPITER: Framework = Framework {
    packages: &["org/junit/"],
    markers: &[
        "org/junit/jupiter/api/Test",
        "org/junit/jupiter/engine/JupiterTestEngine",
        "org/junit/jupiter/migrationsupport/EnableJUnit4MigrationSupport",
        "org/junit/jupiter/params/ParameterizedTest",
    ],
    signs: &["org/junit/"],
    finders: &["org/junit/jupiter/engine/"],
    // These look at classes that tests name: for methods that are conditions, for methods and constructors that
    // convert an argument, and for those that provide arguments.
    inspecting_beyond_tests: &[
        "org/junit/jupiter/api/condition/MethodBasedCondition",
        "org/junit/jupiter/params/converter/Fallback",
        "org/junit/jupiter/params/provider/FieldArgumentsProvider",
        "org/junit/jupiter/params/provider/MethodArgumentsProvider",
    ],
    inspecting_subclasses: &["org/junit/jupiter/params/"],
    tests: &["org/junit/jupiter/api/Test"],
    orders: &[
        "org/junit/jupiter/api/TestInstance",
        "org/junit/jupiter/api/TestMethodOrder",
    ],
    extensions: Some((
        "org/junit/jupiter/api/extension/",
        &["ExtendWith", "Extensions", "RegisterExtension"],
    )),
    hooks: &[
        store("get"),
        store("getOrComputeIfAbsent"),
        // Only JUnit 6 has it.
        store("computeIfAbsent").that_may_be_missing(),
        store("remove"),
        Hook::new(
            STORE,
            "put",
            "(Ljava/lang/Object;Ljava/lang/Object;)V",
            STORE_VALUE,
            Shape::Notify {
                locals: &[SECOND, FIRST],
            },
        ),
    ],
    entrances: ENTRANCES,
    ..Framework::new("Jupiter")
};
