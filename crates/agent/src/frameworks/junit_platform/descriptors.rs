//! Calls to test descriptors of the JUnit Platform.

use crate::frameworks::java::{optional, string};
use tamis_identity::TestName;
use tamis_jvmti::{Jni, Object};

const CLASS_SOURCE: &str = "org.junit.platform.engine.support.descriptor.ClassSource";

/// Whether a descriptor may have children. Most have none: they are single tests, and for those
/// nothing more is asked.
pub(super) fn is_container(jni: &Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    // SAFETY: takes nothing and returns a boolean.
    unsafe {
        jni.call_boolean(descriptor, c"isContainer", c"()Z", &[])
            .ok()
    }
}

/// [`class_of`], without a look at single tests.
pub(super) fn class_of_container(jni: &mut Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    if is_container(jni, descriptor)? {
        class_of(jni, descriptor)
    } else {
        None
    }
}

/// The test class that a descriptor stands for. Nested classes are parts of the class around them,
/// whatever their names: a class inherits those of its superclass.
pub(super) fn class_of(jni: &mut Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    jni.frame(|jni| {
        let class = any_class_of(jni, descriptor)?;
        (!is_nested(&unique_id(jni, descriptor)?)).then_some(class)
    })
}

/// The nested class that a descriptor stands for.
pub(super) fn nested_class_of(jni: &mut Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    jni.frame(|jni| {
        let class = any_class_of(jni, descriptor)?;
        is_nested(&unique_id(jni, descriptor)?).then_some(class)
    })
}

fn any_class_of(jni: &Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    let source = optional(jni, descriptor, c"getSource")?;
    let kind = string(jni, jni.class_of(source).ok()?, c"getName")?;
    if kind == CLASS_SOURCE {
        string(jni, source, c"getClassName")
    } else {
        None
    }
}

/// The classes that the descriptors around this one stand for, outermost first.
pub(super) fn classes_around(jni: &mut Jni<'_>, descriptor: Object<'_>) -> Vec<String> {
    jni.frame(|jni| {
        let mut names = Vec::new();
        let mut parent = optional(jni, descriptor, c"getParent");
        while let Some(this) = parent {
            names.extend(class_of(jni, this));
            parent = optional(jni, this, c"getParent");
        }
        names.reverse();
        names
    })
}

pub(super) fn unique_id(jni: &Jni<'_>, descriptor: Object<'_>) -> Option<String> {
    // SAFETY: takes nothing and returns a unique id.
    let id = unsafe {
        let signature = c"()Lorg/junit/platform/engine/UniqueId;";
        jni.call_object(descriptor, c"getUniqueId", signature, &[])
            .ok()??
    };
    string(jni, id, c"toString")
}

/// The last part of a unique id: `[class:a.B]`.
fn last(unique_id: &str) -> &str {
    unique_id
        .rsplit_once('/')
        .map_or(unique_id, |(_, last)| last)
}

/// Whether this is the unique id of a suite, which runs other test classes.
pub(super) fn is_suite(unique_id: &str) -> bool {
    last(unique_id).starts_with("[suite:")
}

/// Whether this is the unique id of an engine.
pub(super) fn is_engine(unique_id: &str) -> bool {
    last(unique_id).starts_with("[engine:")
}

/// The engine of a unique id.
pub(super) fn engine(unique_id: &str) -> Option<&str> {
    let (engine, _) = unique_id.strip_prefix("[engine:")?.split_once(']')?;
    Some(engine)
}

/// A single test of a test class.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SingleTest {
    /// The class, or the nested class, whose test it is.
    pub(super) class: String,
    /// Its name: with parameters, if it has some.
    pub(super) name: TestName,
    /// Whether the descriptor is the test itself, and not one of its invocations.
    pub(super) is_whole: bool,
    /// Whether JUnit 4 runs it, which tells of it too.
    pub(super) is_junit4: bool,
}

/// The single test that the descriptor with this unique id is, or belongs to; `None` if it is none,
/// or of an engine whose tests are not known to be methods.
pub(super) fn single_test(unique_id: &str) -> Option<SingleTest> {
    let mut class = None;
    let mut segments = unique_id.split("]/");
    while let Some(segment) = segments.next() {
        let (kind, value) = segment.trim_start_matches('[').split_once(':')?;
        let value = decoded(value.strip_suffix(']').unwrap_or(value))?;
        match (kind, &mut class) {
            ("class" | "runner", _) => class = Some(value),
            ("nested-class", Some(class)) => *class = format!("{class}${value}"),
            ("method" | "test-template" | "test-factory", Some(class)) => {
                let name = value.strip_suffix("()").unwrap_or(&value);
                return Some(SingleTest {
                    name: TestName::of_method(&*class, name),
                    class: class.clone(),
                    is_whole: segments.next().is_none(),
                    is_junit4: false,
                });
            }
            ("test", Some(class)) if unique_id.contains("[runner:") => {
                // `foo(a.B)`, `foo[0](a.B)`; or `[0]` around the tests with the same parameters.
                let name = value.split(['[', '(']).next().unwrap_or_default();
                if !name.is_empty() {
                    return Some(SingleTest {
                        name: TestName::of_method(&*class, name),
                        class: class.clone(),
                        is_whole: segments.next().is_none(),
                        is_junit4: true,
                    });
                }
            }
            _ => {}
        }
    }
    None
}

/// A value of a unique id, in which odd characters are written as `%5B`.
fn decoded(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            b'+' => b' ',
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn is_nested(unique_id: &str) -> bool {
    last(unique_id).starts_with("[nested-class")
}

/// The unique ids of the suites that a descriptor is in.
pub(super) fn suites_around(unique_id: &str) -> impl Iterator<Item = &str> {
    let ends = unique_id.match_indices("]/").map(|(at, _)| at + 1);
    ends.filter_map(|end| unique_id.get(..end))
        .filter(|id| is_suite(id))
}

pub(super) fn has_no_children(jni: &mut Jni<'_>, descriptor: Object<'_>) -> Option<bool> {
    jni.frame(|jni| {
        // SAFETY: takes nothing and returns a set, which has `isEmpty`.
        unsafe {
            let children = jni
                .call_object(descriptor, c"getChildren", c"()Ljava/util/Set;", &[])
                .ok()??;
            jni.call_boolean(children, c"isEmpty", c"()Z", &[]).ok()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unique_id_tells_its_kind_and_the_suites_around_it() {
        let suite = "[engine:junit-platform-suite]/[suite:All]";
        let test = format!("{suite}/[engine:junit-jupiter]/[class:a.B]/[nested-class:C]");
        assert!(is_suite(suite) && !is_suite(&test));
        assert_eq!(engine(&test), Some("junit-platform-suite"));
        assert_eq!(engine("odd"), None);
        assert!(is_engine("[engine:junit-jupiter]") && !is_engine(suite));
        assert!(is_nested(&test) && !is_nested(suite));
        assert_eq!(suites_around(&test).collect::<Vec<_>>(), [suite]);
        assert_eq!(suites_around(suite).count(), 0);
    }

    #[test]
    fn a_unique_id_tells_its_single_test() {
        let check = |id: &str, expected: Option<(&str, bool, bool)>| {
            let test = single_test(id);
            let told = test
                .as_ref()
                .map(|test| (test.name.to_string(), test.is_whole, test.is_junit4));
            let expected =
                expected.map(|(name, is_whole, is_junit4)| (name.to_owned(), is_whole, is_junit4));
            assert_eq!(told, expected, "{id}");
        };
        let jupiter = "[engine:junit-jupiter]/[class:a.B]";
        check(jupiter, None);
        check(
            &format!("{jupiter}/[method:m()]"),
            Some(("a.B#m", true, false)),
        );
        check(
            &format!("{jupiter}/[nested-class:C]/[method:m(int, %5BI)]"),
            Some(("a.B$C#m(int, [I)", true, false)),
        );
        let template = format!("{jupiter}/[test-template:m(int)]");
        check(&template, Some(("a.B#m(int)", true, false)));
        check(
            &format!("{template}/[test-template-invocation:#1]"),
            Some(("a.B#m(int)", false, false)),
        );
        let vintage = "[engine:junit-vintage]/[runner:a.B]";
        check(
            &format!("{vintage}/[test:m(a.B)]"),
            Some(("a.B#m", true, true)),
        );
        check(&format!("{vintage}/[test:%5B0%5D]"), None);
        check(
            &format!("{vintage}/[test:%5B0%5D]/[test:m%5B0%5D(a.B)]"),
            Some(("a.B#m", true, true)),
        );
        check("[engine:spock]/[spec:a.B]/[feature:f]", None);
        check("odd", None);
    }
}
