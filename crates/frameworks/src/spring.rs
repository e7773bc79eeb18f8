//! The names of Spring.

use crate::{Framework, Hook, Shape, THIS, declare_entrances};

declare_entrances! {
    /// An application context is used.
    CONTEXT_USED = "contextUsed" "(Ljava/lang/Object;)V";
}

/// The hook of a class of application contexts: whoever uses one asks for its bean factory.
const fn context(class: &'static str) -> Hook {
    Hook::new(
        class,
        "getBeanFactory",
        "()",
        CONTEXT_USED,
        Shape::Notify { locals: &[THIS] },
    )
}

/// Spring, which caches contexts for several tests and searches class files for components.
pub const SPRING: Framework = Framework {
    scanners: &["org/springframework/core/io/support/PathMatchingResourcePatternResolver"],
    // Spring before 5.2 has other ones: it also sees annotations that are not kept at run time.
    declaration_readers: &[
        (
            "org/springframework/core/type/classreading/ClassFileMetadataReader",
            "parseClassModel",
        ),
        (
            "org/springframework/core/type/classreading/SimpleMetadataReader",
            "getClassReader",
        ),
    ],
    declaration_openers: &["org/springframework/core/io/"],
    hooks: &[
        context("org/springframework/context/support/GenericApplicationContext"),
        context("org/springframework/context/support/AbstractRefreshableApplicationContext"),
    ],
    entrances: ENTRANCES,
    unfollowed: &[
        "org/springframework/beans/factory/support/DefaultSingletonBeanRegistry",
        "org/springframework/context/support/AbstractApplicationContext",
    ],
    ..Framework::new("Spring")
};
