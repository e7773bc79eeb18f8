//! What checks a result, by the names of its methods.

/// Packages and classes of which every method is a part of a check.
const CHECKS: [&str; 8] = [
    "com/google/common/truth/",
    "io/kotest/assertions/",
    "io/kotest/matchers/",
    "kotlin/test/",
    "org/assertj/core/api/",
    "org/fest/assertions/",
    "org/hamcrest/MatcherAssert",
    "strikt/api/",
];

/// Classes of which a method is a check if its name starts so.
const VERIFIERS: [(&str, &str); 4] = [
    ("io/mockk/MockKKt", "verify"),
    ("org/easymock/EasyMock", "verify"),
    ("org/mockito/", "verify"),
    ("org/mockito/", "should"),
];

/// Whether a call of this method checks something. Methods of any class count if they are called so: JUnit's and
/// TestNG's are, those that tests inherit, and helpers that only check.
pub fn is_assertion(owner: &[u8], name: &[u8]) -> bool {
    let is_in = |of: &str| owner.starts_with(of.as_bytes());
    // What `assert` of Java throws.
    let is_thrown = owner == b"java/lang/AssertionError" && name == b"<init>";
    let is_verifier = |(of, start): &(&str, &str)| is_in(of) && name.starts_with(start.as_bytes());
    is_thrown
        || name.starts_with(b"assert")
        || name == b"fail"
        || CHECKS.iter().any(|of| is_in(of))
        || VERIFIERS.iter().any(is_verifier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_known_by_their_names() {
        let check = |owner: &str, name: &str, expected: bool| {
            let found = is_assertion(owner.as_bytes(), name.as_bytes());
            assert_eq!(found, expected, "{owner}.{name}");
        };
        check("org/junit/Assert", "assertEquals", true);
        check("org/junit/jupiter/api/Assertions", "fail", true);
        check("org/testng/Assert", "assertNull", true);
        check("a/ATest", "assertTrue", true);
        check("a/TestUtils", "assertSame", true);
        check(
            "org/assertj/core/api/AbstractStringAssert",
            "isEqualTo",
            true,
        );
        check("com/google/common/truth/Subject", "isNotNull", true);
        check("org/hamcrest/MatcherAssert", "assertThat", true);
        check("org/mockito/Mockito", "verify", true);
        check("org/mockito/BDDMockito$Then", "should", true);
        check("org/mockito/Mockito", "when", false);
        check("java/lang/AssertionError", "<init>", true);
        check("java/util/List", "add", false);
        check("a/Verifier", "verify", false);
    }
}
