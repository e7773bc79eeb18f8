use crate::policy::{is_lasting_entry, is_read_by_the_jdk, property_counts, variable_counts};
use crate::{part, value};
use std::collections::BTreeMap;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Stands for all properties or variables.
pub const ALL: &str = "*";

/// Stands for all properties that the JDK itself reads.
pub const OF_THE_JDK: &str = "java.*";

/// The property with the class path. It is compared for those alone who ask for it by name: among all of
/// them its value would be another after each change of a dependency.
pub const CLASS_PATH: &str = "java.class.path";

/// Where runs are, in any project.
const RUNS: &[u8] = b"/.tamis/runs/";

/// The values with which a JVM starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    properties: BTreeMap<String, Vec<u8>>,
    variables: BTreeMap<String, Vec<u8>>,
}

impl Values {
    /// The values of these that count. Directories that may move go by their names: `roots` says which,
    /// the innermost first.
    pub fn new(
        properties: impl IntoIterator<Item = (String, Vec<u8>)>,
        variables: impl IntoIterator<Item = (String, Vec<u8>)>,
        roots: &[(&[u8], &[u8])],
    ) -> Values {
        let named = |(name, value): (String, Vec<u8>)| {
            let value = with_names(without_agent(value)?, roots);
            Some(match name == CLASS_PATH {
                true => (name, lasting_entries(&value)),
                false => (name, value),
            })
        };
        Values {
            properties: properties
                .into_iter()
                .filter(|(name, _)| property_counts(name))
                .filter_map(named)
                .collect(),
            variables: variables
                .into_iter()
                .filter(|(name, _)| variable_counts(name))
                .filter_map(named)
                .collect(),
        }
    }

    /// The values of a JVM with these properties and variables, for the project in `project`.
    pub fn of_run(
        properties: impl IntoIterator<Item = (String, Vec<u8>)>,
        variables: impl IntoIterator<Item = (String, Vec<u8>)>,
        project: &Path,
    ) -> Values {
        let variables: BTreeMap<String, Vec<u8>> = variables.into_iter().collect();
        let home = variables.get("HOME").cloned().or_else(|| {
            let home = std::env::home_dir()?;
            Some(home.into_os_string().into_encoded_bytes())
        });
        let roots: [(&[u8], &[u8]); 2] = [
            (project.as_os_str().as_encoded_bytes(), b"<project>"),
            (&home.unwrap_or_default(), b"<home>"),
        ];
        Values::new(properties, variables, &roots)
    }

    /// The digest of a system property, of [`ALL`] or of those [`OF_THE_JDK`].
    pub fn property(&self, name: &str) -> u128 {
        digest(&self.properties, name)
    }

    /// The digest of an environment variable, or of [`ALL`].
    pub fn variable(&self, name: &str) -> u128 {
        digest(&self.variables, name)
    }
}

/// The environment of this process.
pub fn variables() -> impl Iterator<Item = (String, Vec<u8>)> {
    std::env::vars_os().filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        Some((name, value.into_encoded_bytes()))
    })
}

fn digest(values: &BTreeMap<String, Vec<u8>>, name: &str) -> u128 {
    if ![ALL, OF_THE_JDK].contains(&name) {
        return value(values.get(name).map(Vec::as_slice));
    }
    let mut digest = Xxh3::new();
    let counts = |(other, _): &(&String, _)| {
        *other != CLASS_PATH && (name == ALL || is_read_by_the_jdk(other))
    };
    for (name, value) in values.iter().filter(counts) {
        part(&mut digest, b"name", name.as_bytes());
        part(&mut digest, b"value", value);
    }
    digest.digest128()
}

/// The value without the option that loads the agent, which tells of one run; nothing if nothing else is
/// there, or if it speaks of a run in another way.
fn without_agent(value: Vec<u8>) -> Option<Vec<u8>> {
    let is_of_a_run = |text: &[u8]| text.windows(RUNS.len()).any(|part| part == RUNS);
    if !is_of_a_run(&value) {
        return Some(value);
    }
    let options = options(&value).filter(|option| !is_of_a_run(option));
    let rest = options.collect::<Vec<_>>().join(&b' ');
    (!rest.is_empty()).then_some(rest)
}

/// The options in a text: white space separates them, except within quotes, which stay.
pub fn options(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quote = None;
    let separates = move |byte: &u8| match quote {
        Some(open) => {
            quote = quote.filter(|_| *byte != open);
            false
        }
        None => {
            quote = Some(*byte).filter(|byte| b"\"'".contains(byte));
            byte.is_ascii_whitespace()
        }
    };
    text.split(separates).filter(|option| !option.is_empty())
}

/// The entries of a class path but those that a build makes for one run.
fn lasting_entries(path: &[u8]) -> Vec<u8> {
    let entries = path.split(|byte| *byte == b':');
    let entries = entries.filter(|entry| is_lasting_entry(entry));
    entries.collect::<Vec<_>>().join(&b':')
}

/// The value with the names of directories in the place of their paths.
fn with_names(value: Vec<u8>, roots: &[(&[u8], &[u8])]) -> Vec<u8> {
    roots.iter().fold(value, |value, (path, name)| {
        if path.len() < 2 {
            return value;
        }
        let mut named = Vec::with_capacity(value.len());
        let mut rest = value.as_slice();
        while let Some(first) = rest.first() {
            match rest.strip_prefix(*path) {
                Some(after) => {
                    named.extend_from_slice(name);
                    rest = after;
                }
                None => {
                    named.push(*first);
                    rest = rest.get(1..).unwrap_or_default();
                }
            }
        }
        named
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(properties: &[(&str, &str)]) -> Values {
        let properties = properties
            .iter()
            .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let roots: [(&[u8], &[u8]); 2] = [(b"/home/u/p", b"<project>"), (b"/home/u", b"<home>")];
        Values::new(properties, [], &roots)
    }

    /// Whether `a` can be told from the other values, and all properties from all others.
    fn check(before: &[(&str, &str)], after: &[(&str, &str)], expected: [bool; 3]) {
        let (before, after) = (values(before), values(after));
        let differs =
            ["a", ALL, OF_THE_JDK].map(|name| before.property(name) != after.property(name));
        assert_eq!(differs, expected, "{before:?} {after:?}");
    }

    #[test]
    fn a_property_is_compared_by_its_value() {
        check(&[("a", "1")], &[("a", "1")], [false, false, false]);
        check(&[("a", "1")], &[("a", "2")], [true, true, false]);
        check(&[("a", "1")], &[], [true, true, false]);
        check(&[("a", "")], &[], [true, true, false]);
        check(&[], &[("user.timezone", "UTC")], [false, true, true]);
        check(
            &[("a", "1")],
            &[("a", "1"), ("b", "1")],
            [false, true, false],
        );
        check(
            &[],
            &[("surefire.x", "1"), ("user.dir", "/")],
            [false, false, false],
        );
    }

    #[test]
    fn the_option_that_loads_the_agent_does_not_count() {
        let option = "-agentpath:x=/p/.tamis/runs/1";
        check(&[], &[("argLine", option)], [false, false, false]);
        let check = |with: &str, without: &[(&str, &str)]| {
            let with = with.replace("AGENT", &format!("\"{option} 1\""));
            assert_eq!(values(&[("a", &with)]), values(without), "{with}");
        };
        check("AGENT", &[]);
        check("-Dx=1 AGENT", &[("a", "-Dx=1")]);
        check("-Dx='1  2' AGENT -ea", &[("a", "-Dx='1  2' -ea")]);
    }

    #[test]
    fn the_class_path_counts_for_who_asks_for_it_by_name() {
        let path = |path: &str| values(&[(CLASS_PATH, path)]);
        let check = |before: &str, after: &str, differs: bool| {
            let (before, after) = (path(before), path(after));
            let of = |values: &Values| values.property(CLASS_PATH);
            assert_eq!(of(&before) != of(&after), differs, "{before:?} {after:?}");
            for all in [ALL, OF_THE_JDK] {
                assert_eq!(before.property(all), after.property(all));
            }
        };
        check("a.jar:b.jar", "a.jar:b.jar", false);
        check("a.jar", "a.jar:b.jar", true);
        check("a.jar:b.jar", "b.jar:a.jar", true);
        check(
            "/home/u/p/target/surefire/surefirebooter1.jar:a",
            "/home/u/p/target/surefire/surefirebooter2-x.jar:a",
            false,
        );
        check("a:/tmp/1/x", "/tmp/2/y:a", false);
        check("a", "a:/home/u/p/tmp/x", true);
    }

    #[test]
    fn what_moves_with_the_project_stays_the_same() {
        assert_eq!(
            with_names(b"x:/p/q:/p".to_vec(), &[(b"/p", b"P")]),
            b"x:P/q:P"
        );
        check(
            &[("a", "/home/u/p/x")],
            &[("a", "/home/u/p/y")],
            [true, true, false],
        );
        let moved = Values::new(
            [("a".to_owned(), b"/q/x".to_vec())],
            [],
            &[(b"/q", b"<project>")],
        );
        assert_eq!(
            values(&[("a", "/home/u/p/x")]).property("a"),
            moved.property("a")
        );
    }
}
