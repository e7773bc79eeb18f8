//! Names of test frameworks and of the tools around them: their classes, and the methods that tamis enters. Nothing
//! here runs: what the agent does at an entrance stands in the agent's module of the framework.
//!
//! Names of classes are internal ones (`org/junit/Test`); those that only start so stand in lists that say it.

mod assertions;
mod containers;
mod hook;
pub mod junit3;
pub mod junit4;
pub mod junit_platform;
pub mod jupiter;
pub mod sbt;
pub mod scalatest;
pub mod spring;
pub mod surefire;
pub mod testng;

pub use assertions::is_assertion;
pub use containers::{hands_over_to_classes, is_known_helper, is_of_container};
pub use hook::{Entrance, FIRST, Hook, SECOND, Shape, THIS};

/// A test framework, a tool that starts one, or a library that caches objects for its tests.
#[derive(Debug)]
pub struct Framework {
    /// Its name, as messages call it.
    pub name: &'static str,
    /// How the names of all classes in its archives start. Classes of a program may be called so, too.
    pub packages: &'static [&'static str],
    /// Classes of which one is in each of its archives.
    pub markers: &'static [&'static str],
    /// How the names of classes start that a JVM loads before it runs tests.
    pub signs: &'static [&'static str],
    /// The same of classes before tests that are not recorded. These must not run either where tamis only asks.
    pub signs_of_unrecorded: &'static [&'static str],
    /// How the names of its classes start that look for tests.
    pub finders: &'static [&'static str],
    /// How the names of its classes start that start other frameworks, and look at nothing for them.
    pub starters: &'static [&'static str],
    /// How the names of its classes start that inspect other classes than those of tests.
    pub inspecting_beyond_tests: &'static [&'static str],
    /// How the names of its classes start whose subclasses it asks for methods with an annotation.
    pub inspecting_subclasses: &'static [&'static str],
    /// Annotations that make a method a test.
    pub tests: &'static [&'static str],
    /// Annotations that say that the tests of a class may build on each other.
    pub orders: &'static [&'static str],
    /// How the names of interfaces start whose implementations may do so for the tests of a class, and those among
    /// these names that are annotations.
    pub extensions: Option<(&'static str, &'static [&'static str])>,
    /// Classes that walk through directories for the names of files.
    pub scanners: &'static [&'static str],
    /// Methods that read class files and skip their code: class and method.
    pub declaration_readers: &'static [(&'static str, &'static str)],
    /// How the names of classes start that open files for those.
    pub declaration_openers: &'static [&'static str],
    /// The hooks in its classes.
    pub hooks: &'static [Hook],
    /// The entrances that its classes and ours call.
    pub entrances: &'static [Entrance],
    /// Classes whose objects the search for shared state does not follow, nor those of subclasses.
    pub unfollowed: &'static [&'static str],
}

impl Framework {
    /// One of which nothing is known but its name.
    const fn new(name: &'static str) -> Framework {
        Framework {
            name,
            packages: &[],
            markers: &[],
            signs: &[],
            signs_of_unrecorded: &[],
            finders: &[],
            starters: &[],
            inspecting_beyond_tests: &[],
            inspecting_subclasses: &[],
            tests: &[],
            orders: &[],
            extensions: None,
            scanners: &[],
            declaration_readers: &[],
            declaration_openers: &[],
            hooks: &[],
            entrances: &[],
            unfollowed: &[],
        }
    }
}

/// All that are known. The first hook that fits a method enters it.
pub static ALL: [&Framework; 9] = [
    &junit3::JUNIT3,
    &testng::TESTNG,
    &scalatest::SCALATEST,
    &sbt::SBT,
    &spring::SPRING,
    &jupiter::JUPITER,
    &surefire::SUREFIRE,
    &junit4::JUNIT4,
    &junit_platform::JUNIT_PLATFORM,
];

fn any_starts(list: impl Fn(&Framework) -> &'static [&'static str], name: &[u8]) -> bool {
    let mut starts = ALL.iter().flat_map(|framework| list(framework));
    starts.any(|start| name.starts_with(start.as_bytes()))
}

fn any_is(list: impl Fn(&Framework) -> &'static [&'static str], name: &[u8]) -> bool {
    let mut names = ALL.iter().flat_map(|framework| list(framework));
    names.any(|known| known.as_bytes() == name)
}

/// Whether a class is named as those of test frameworks and of what starts them are. Classes of a program may be,
/// too.
pub fn is_named_as_framework(class: &[u8]) -> bool {
    any_starts(|framework| framework.packages, class)
}

/// Whether an archive that has this class is marked as one of a framework.
pub fn is_marker(class: &[u8]) -> bool {
    any_is(|framework| framework.markers, class)
}

/// Whether loading this class is a sign that the JVM runs tests.
pub fn is_sign_of_tests(class: &[u8]) -> bool {
    any_starts(|framework| framework.signs, class)
}

/// Whether loading this class is a sign that the JVM runs tests which are not recorded.
pub fn is_sign_of_unrecorded_tests(class: &[u8]) -> bool {
    any_starts(|framework| framework.signs_of_unrecorded, class)
}

/// Whether a class of a framework looks for tests.
pub fn looks_for_tests(class: &[u8]) -> bool {
    any_starts(|framework| framework.finders, class)
}

/// Whether a class of a framework starts other frameworks.
pub fn starts_frameworks(class: &[u8]) -> bool {
    any_starts(|framework| framework.starters, class)
}

/// Whether a class of a framework inspects test classes and no others.
pub fn inspects_tests_alone(class: &[u8]) -> bool {
    !any_starts(|framework| framework.inspecting_beyond_tests, class)
}

/// Whether a framework asks the subclasses of this class for methods with an annotation.
pub fn inspects_subclasses(class: &[u8]) -> bool {
    any_starts(|framework| framework.inspecting_subclasses, class)
}

/// Whether an annotation, by its descriptor, makes a method a test.
pub fn is_test(annotation: &[u8]) -> bool {
    let class = annotation.strip_prefix(b"L");
    let class = class.and_then(|class| class.strip_suffix(b";"));
    class.is_some_and(|class| any_is(|framework| framework.tests, class))
}

/// The annotations that say that the tests of a class may build on each other.
pub fn orders() -> impl Iterator<Item = &'static [u8]> {
    let orders = ALL.iter().flat_map(|framework| framework.orders);
    orders.map(|name| name.as_bytes())
}

/// Whether an implementation of this interface may make the tests of a class build on each other.
pub fn is_extension(interface: &[u8]) -> bool {
    let mut extensions = ALL.iter().filter_map(|framework| framework.extensions);
    extensions.any(|(start, annotations)| {
        let name = interface.strip_prefix(start.as_bytes());
        name.is_some_and(|name| !annotations.iter().any(|known| known.as_bytes() == name))
    })
}

/// Whether the search for shared state does not follow objects of this class.
pub fn is_unfollowed(class: &[u8]) -> bool {
    any_is(|framework| framework.unfollowed, class)
}

/// Whether a class walks through directories for the names of files.
pub fn scans_directories(class: &[u8]) -> bool {
    any_is(|framework| framework.scanners, class)
}

/// Whether a method reads class files and skips their code.
pub fn reads_declarations(class: &[u8], method: &[u8]) -> bool {
    let mut readers = ALL
        .iter()
        .flat_map(|framework| framework.declaration_readers);
    readers.any(|(of, name)| of.as_bytes() == class && name.as_bytes() == method)
}

/// Whether a class opens files for those who read class files so.
pub fn opens_declarations(class: &[u8]) -> bool {
    any_starts(|framework| framework.declaration_openers, class)
}

/// The hooks in classes of all frameworks.
pub fn hooks() -> impl Iterator<Item = &'static Hook> {
    ALL.iter().flat_map(|framework| framework.hooks)
}

/// The entrances that classes of frameworks call, and ours that they call.
pub fn entrances() -> impl Iterator<Item = &'static Entrance> {
    ALL.iter().flat_map(|framework| framework.entrances)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_entrance_is_declared_once_and_every_hook_calls_one_of_its_framework() {
        let mut names = HashSet::new();
        for framework in ALL {
            for entrance in framework.entrances {
                assert!(names.insert(entrance.name), "{}", entrance.name);
            }
            for hook in framework.hooks {
                assert!(framework.entrances.contains(&hook.entrance), "{hook:?}");
            }
        }
    }

    #[test]
    fn classes_are_known_by_their_names() {
        let check = |name: &str, is_named, is_sign| {
            let name = name.as_bytes();
            assert_eq!(
                (is_named_as_framework(name), is_sign_of_tests(name)),
                (is_named, is_sign)
            );
        };
        check("org/junit/Test", true, true);
        check("junit/framework/TestCase", true, true);
        check("junit/extensions/TestSetup", true, false);
        check("org/apache/maven/surefire/booter/ForkedBooter", true, true);
        check("org/apache/maven/surefire/Suite", true, false);
        check("org/springframework/core/io/Resource", false, false);
        assert!(is_sign_of_unrecorded_tests(b"org/scalatest/Suite"));
        assert!(!is_sign_of_unrecorded_tests(b"org/junit/Test"));
    }

    #[test]
    fn annotations_and_extensions_are_told_apart() {
        assert!(is_test(b"Lorg/junit/Test;") && is_test(b"Lorg/junit/jupiter/api/Test;"));
        assert!(!is_test(b"Lorg/junit/Ignore;") && !is_test(b"org/junit/Test"));
        let start = "org/junit/jupiter/api/extension/";
        let is_one = |name: &str| is_extension(format!("{start}{name}").as_bytes());
        assert!(is_one("BeforeEachCallback") && !is_one("ExtendWith"));
        assert!(!is_extension(b"a/BeforeEachCallback"));
    }
}
