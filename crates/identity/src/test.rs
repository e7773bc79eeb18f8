use crate::{is_part, outermost, text};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A test of a module: a test class as a whole, or a single test of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct TestName {
    class: String,
    method: Option<String>,
}

impl TestName {
    /// A test class, by its binary name, `a.b.FooTest`.
    pub fn of_class(class: impl Into<String>) -> Self {
        TestName {
            class: class.into(),
            method: None,
        }
    }

    /// A single test of a class: its method, with all its invocations.
    pub fn of_method(class: impl Into<String>, method: impl Into<String>) -> Self {
        TestName {
            class: class.into(),
            method: Some(method.into()),
        }
    }

    /// The class that it is, or whose test it is.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// The method that a single test is: `bar`, or `bar(int)` if it has parameters.
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// Whether it is a single test, and not a class.
    pub fn is_single(&self) -> bool {
        self.method.is_some()
    }

    /// The class that it is, or whose test it is, as a whole.
    pub fn whole_class(&self) -> TestName {
        TestName::of_class(&*self.class)
    }

    /// The test class around it: nested classes belong to the outermost one.
    pub fn outermost(&self) -> TestName {
        TestName::of_class(outermost(&self.class))
    }

    /// Whether it is `around`, or in that class: nested in it, or a test of either.
    pub fn is_in(&self, around: &TestName) -> bool {
        match around.is_single() {
            true => self == around,
            false => is_part(&self.class, &around.class),
        }
    }

    /// Whether `asked` is a name of it: the class may be without its package, and without the
    /// classes around it.
    pub fn is_called(&self, asked: &TestName) -> bool {
        let before = self.class.strip_suffix(&asked.class);
        let is_class = before.is_some_and(|b| b.is_empty() || b.ends_with(['.', '$']));
        is_class && self.method == asked.method
    }

    /// The class that must be there for the test to exist. A nested class may be inherited, so of a single
    /// test it is the outermost one.
    pub fn needed_class(&self) -> &str {
        match self.is_single() {
            true => outermost(&self.class),
            false => &self.class,
        }
    }
}

impl From<&str> for TestName {
    fn from(text: &str) -> Self {
        let (class, method) = text::split(text);
        TestName {
            class: class.into_owned(),
            method: method.map(str::to_owned),
        }
    }
}

impl From<String> for TestName {
    fn from(text: String) -> Self {
        TestName::from(text.as_str())
    }
}

impl From<TestName> for String {
    fn from(name: TestName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(f, &self.class, self.method.as_deref())
    }
}

/// A test of a project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestId {
    /// The directory of its module relative to the project's root, with `/`; empty for the root.
    pub module: String,
    /// Its name in the module.
    #[serde(rename = "id")]
    pub name: TestName,
}

impl TestId {
    /// The test of a module that has this name.
    pub fn new(module: impl Into<String>, name: impl Into<TestName>) -> Self {
        TestId {
            module: module.into(),
            name: name.into(),
        }
    }

    /// The class that it is, or whose test it is.
    pub fn class(&self) -> &str {
        self.name.class()
    }

    /// Whether it is a single test, and not a class.
    pub fn is_single(&self) -> bool {
        self.name.is_single()
    }

    /// The class that it is, or whose test it is, as a whole.
    pub fn whole_class(&self) -> TestId {
        TestId::new(&*self.module, self.name.whole_class())
    }

    /// The test class around it: nested classes belong to the outermost one.
    pub fn outermost(&self) -> TestId {
        TestId::new(&*self.module, self.name.outermost())
    }

    /// Whether it is `around`, or in that class: nested in it, or a test of either.
    pub fn is_in(&self, around: &TestId) -> bool {
        self.module == around.module && self.name.is_in(&around.name)
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_separator_ends_the_class() {
        let check = |text: &str, class: &str, method: Option<&str>| {
            let name = TestName::from(text);
            assert_eq!((name.class(), name.method()), (class, method), "{text}");
            assert_eq!(name.to_string(), text);
        };
        check("a.b.FooTest", "a.b.FooTest", None);
        check(
            "a.b.FooTest$In#bar(int)",
            "a.b.FooTest$In",
            Some("bar(int)"),
        );
        check("T#adds 1 to #2", "T", Some("adds 1 to #2"));
        check("T#C:\\dir", "T", Some("C:\\dir"));
        check("T#", "T", Some(""));
        check("#m", "", Some("m"));
        check("", "", None);
    }

    #[test]
    fn a_class_with_a_separator_in_its_name_is_escaped() {
        let check = |name: TestName, text: &str| {
            assert_eq!(name.to_string(), text);
            assert_eq!(TestName::from(text), name);
        };
        check(TestName::of_class("a.B#C"), "a.B\\#C");
        check(TestName::of_method("a.B#C", "m#1"), "a.B\\#C#m#1");
        check(TestName::of_method("a.B\\", "m"), "a.B\\\\#m");
        assert_eq!(TestName::from("a\\b").class(), "a\\b");
    }

    #[test]
    fn nested_classes_and_single_tests_belong_to_the_outermost_class() {
        let id = |text: &str| TestId::new("core", text);
        let check = |test: &str, outermost: &str| assert_eq!(id(test).outermost(), id(outermost));
        check("a.b.T", "a.b.T");
        check("a.b.T$In$In2#m", "a.b.T");
        check("T#m(int)", "T");
        check("a.$T$In", "a.$T");
        assert!(id("a.T$In#m").is_in(&id("a.T")));
        assert!(id("a.T").is_in(&id("a.T")));
        assert!(id("a.T#m").is_in(&id("a.T#m")));
        assert!(!id("a.TT#m").is_in(&id("a.T")));
        assert!(!id("a.T#m$x").is_in(&id("a.T#m")));
        assert!(!id("a.T").is_in(&TestId::new("web", "a.T")));
    }

    #[test]
    fn a_test_is_called_by_its_name_with_or_without_its_package() {
        let check = |name: &str, asked: &str, expected| {
            assert_eq!(TestName::from(name).is_called(&asked.into()), expected);
        };
        check("a.b.FooTest", "a.b.FooTest", true);
        check("a.b.FooTest", "FooTest", true);
        check("a.b.FooTest", "b.FooTest", true);
        check("a.b.FooTest", "oTest", false);
        check("a.b.FooTest", "c.FooTest", false);
        check("a.b.FooTest$In", "In", true);
        check("a.b.FooTest#m", "FooTest#m", true);
        check("a.b.FooTest#m", "FooTest", false);
        check("a.b.FooTest#m", "m", false);
    }

    #[test]
    fn a_single_test_needs_the_outermost_class_and_a_class_itself() {
        let check =
            |test: &str, class: &str| assert_eq!(TestName::from(test).needed_class(), class);
        check("a.T$In", "a.T$In");
        check("a.T$In#m", "a.T");
    }

    #[test]
    fn an_id_has_its_text_in_json() {
        let id = TestId::new("core", "a.T#m");
        let json = r#"{"module":"core","id":"a.T#m"}"#;
        assert_eq!(serde_json::to_string(&id).unwrap(), json);
        assert_eq!(serde_json::from_str::<TestId>(json).unwrap(), id);
    }

    /// Names of classes and methods, with a liking for what separates and escapes.
    fn odd() -> impl Strategy<Value = String> {
        prop_oneof!["[a.$ #\\\\é]{0,8}", any::<String>()]
    }

    proptest! {
        #[test]
        fn every_name_comes_back_from_its_text(class in odd(), method in proptest::option::of(odd())) {
            let name = TestName { class, method };
            prop_assert_eq!(TestName::from(name.to_string()), name);
        }

        #[test]
        fn every_text_is_a_name(text in odd()) {
            let name = TestName::from(text.as_str());
            prop_assert_eq!(TestName::from(name.to_string()), name);
        }
    }
}
