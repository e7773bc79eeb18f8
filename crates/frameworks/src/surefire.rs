//! Surefire and Failsafe.

use crate::{Framework, Hook, Shape, declare_entrances};

declare_entrances! {
    /// Surefire is about to run a JUnit 4 class and to say so: whether it need not.
    CLASS_STARTS = "surefireClass" "(Ljava/lang/Object;Ljava/lang/Object;)Z";
}

/// The class that starts a JVM which Surefire or Failsafe forked.
pub const BOOTER: &str = "org/apache/maven/surefire/booter/ForkedBooter";

/// Surefire and Failsafe, which run the tests of other frameworks.
pub const SUREFIRE: Framework = Framework {
    packages: &[
        "org/apache/maven/surefire/",
        "org/apache/maven/plugin/surefire/",
    ],
    markers: &[
        BOOTER,
        "org/apache/maven/surefire/api/provider/SurefireProvider",
        "org/apache/maven/surefire/common/junit3/JUnit3Reflector",
        "org/apache/maven/surefire/common/junit4/JUnit4RunListener",
        "org/apache/maven/surefire/extensions/ForkNodeFactory",
        "org/apache/maven/surefire/junit/JUnit3Provider",
        "org/apache/maven/surefire/junit4/JUnit4Provider",
        "org/apache/maven/surefire/junitcore/JUnitCoreProvider",
        "org/apache/maven/surefire/junitplatform/JUnitPlatformProvider",
        "org/apache/maven/surefire/providerapi/SurefireProvider",
        "org/apache/maven/surefire/report/SmartStackTraceParser",
        "org/apache/maven/surefire/shared/utils/StringUtils",
        "org/apache/maven/surefire/spi/MasterProcessChannelProcessorFactory",
        "org/apache/maven/surefire/testng/TestNGProvider",
    ],
    signs: &[BOOTER],
    starters: &["org/apache/maven/surefire/"],
    // Without it nothing is left out.
    hooks: &[Hook::new(
        "org/apache/maven/surefire/junit4/JUnit4Provider",
        "executeTestSet",
        "(Ljava/lang/Class;",
        CLASS_STARTS,
        Shape::Around,
    )
    .that_may_be_missing()],
    entrances: ENTRANCES,
    ..Framework::new("Surefire")
};
