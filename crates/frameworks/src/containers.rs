//! Frameworks that make the objects of a program and connect them by themselves: the code of a test does not tell
//! which classes they find.

const PACKAGES: [&[u8]; 14] = [
    b"com/google/inject/",
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
    b"org/springframework/",
];

/// Whether a class with this internal name belongs to such a framework.
pub fn is_of_container(class: &[u8]) -> bool {
    PACKAGES.iter().any(|package| class.starts_with(package))
}
