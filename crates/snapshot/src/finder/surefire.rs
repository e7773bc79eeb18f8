/// Whether Surefire takes the class with this internal name for a test class if nobody tells it which to
/// take: `Test*`, `*Test`, `*Tests` or `*TestCase`, and not nested in another class.
pub fn is_surefire_default(name: &str) -> bool {
    let simple = name.rsplit('/').next().unwrap_or(name);
    let ends = ["Test", "Tests", "TestCase"];
    !simple.contains('$')
        && (simple.starts_with("Test") || ends.iter().any(|end| simple.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_test_classes() {
        let check = |name: &str, expected: bool| {
            assert_eq!(is_surefire_default(name), expected, "{name}");
        };
        check("p/FooTest", true);
        check("p/FooTests", true);
        check("p/FooTestCase", true);
        check("p/TestFoo", true);
        check("p/Testimony", true);
        check("Test", true);
        check("p/Foo", false);
        check("test/Foo", false);
        check("p/FooTest$Inner", false);
        check("p/FooTesting", false);
        check("p/ATestFoo", false);
    }
}
