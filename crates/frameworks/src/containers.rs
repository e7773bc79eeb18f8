//! Frameworks that make the objects of a program and connect them by themselves: the code of a test does not tell
//! which classes they find.

const PACKAGES: [&[u8]; 16] = [
    b"com/google/inject/",
    b"io/cucumber/",
    b"io/dropwizard/testing/",
    b"io/micronaut/",
    b"io/quarkus/",
    b"jakarta/ejb/",
    b"jakarta/enterprise/",
    b"jakarta/inject/",
    b"javax/enterprise/",
    b"javax/inject/",
    b"org/apache/camel/",
    b"org/glassfish/jersey/",
    b"org/jboss/arquillian/",
    b"org/jboss/weld/",
    b"org/junit/platform/suite/",
    b"org/springframework/",
];

/// Annotations that hand a test class over to classes which they name.
const HANDING_OVER: [&[u8]; 2] = [
    b"org/junit/jupiter/api/extension/ExtendWith",
    b"org/junit/runner/RunWith",
];

/// Where runners and extensions are from that work with what the test class declares alone.
const KNOWN_HELPERS: [&[u8]; 6] = [
    b"java/",
    b"javax/",
    b"junitparams/",
    b"org/junit/",
    b"org/junitpioneer/",
    b"org/mockito/",
];

/// Whether an annotation of this type hands a test class over to classes which it names.
pub fn hands_over_to_classes(annotation: &[u8]) -> bool {
    HANDING_OVER.contains(&annotation)
}

/// Whether a class that an annotation names is known to work with what the test class declares alone.
pub fn is_known_helper(class: &[u8]) -> bool {
    KNOWN_HELPERS
        .iter()
        .any(|package| class.starts_with(package))
}

/// Whether a class with this internal name belongs to such a framework.
pub fn is_of_container(class: &[u8]) -> bool {
    PACKAGES.iter().any(|package| class.starts_with(package))
}
