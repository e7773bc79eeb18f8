use crate::{MemberName, tame};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The change of a class since a test used it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Its class file differs in a way that can change behaviour.
    Changed,
    /// Its flags, supertypes or attributes differ; its members may differ too.
    Head,
    /// It is gone from where it was.
    Deleted,
    /// It appeared where none was before, so that it is found first.
    Added,
    /// Unknown: its class file or an archive before it cannot be read.
    Unreadable,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Change::Changed => "changed",
            Change::Head => "changed its head (flags, supertypes, annotations)",
            Change::Deleted => "was deleted",
            Change::Added => "was added",
            Change::Unreadable => "cannot be read",
        })
    }
}

/// The kind of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// A file or a directory.
    File,
    /// What the class path has under a name.
    Resource,
    /// The files that match a pattern.
    Pattern,
    /// A system property.
    Property,
    /// An environment variable.
    Variable,
}

impl fmt::Display for InputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            InputKind::File => "file",
            InputKind::Resource => "resource",
            InputKind::Pattern => "list of files like",
            InputKind::Property => "system property",
            InputKind::Variable => "environment variable",
        })
    }
}

/// How a change of a member reaches a test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "path", rename_all = "kebab-case")]
pub enum Path {
    /// The test executed the member.
    Executed,
    /// The test executed a basic block of it that leads to what changed.
    Block,
    /// The test used the class, and such a change concerns all its users.
    Class,
    /// The test looks at what classes declare, or the test framework does so for it.
    Reflection,
    /// The member may run where another one ran.
    Lookup {
        /// That one, `a.b.C#m(int)`.
        instead_of: String,
    },
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Executed => f.write_str("was executed"),
            Path::Block => f.write_str("in blocks that ran"),
            Path::Class => f.write_str("concerns all users of the class"),
            Path::Reflection => f.write_str("visible to reflection"),
            Path::Lookup { instead_of } => write!(f, "may run instead of {instead_of}"),
        }
    }
}

/// Why a test is selected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// Nothing is known of it.
    New,
    /// It failed when it last ran.
    Failed,
    /// It was started and its end was never seen.
    Unfinished,
    /// What it used may not have been recorded completely.
    Distrusted {
        /// What went wrong.
        why: String,
    },
    /// A class that it used is not what it was.
    Class {
        /// Binary name, `a.b.C`.
        class: String,
        /// How it changed.
        change: Change,
    },
    /// A member of a class that it used is not what it was.
    Member {
        /// Binary name, `a.b.C`.
        class: String,
        /// The member, `m(int)` or the name of a field.
        member: String,
        /// The kind of the change, by its name in the HyRTS paper: `CIM`, `AIM`, ...; those of
        /// fields are `AFD`, `DFD`, `CFD`.
        change: String,
        /// How it reaches the test.
        #[serde(flatten)]
        path: Path,
    },
    /// A class that it used was given a nested class.
    Nested {
        /// Binary name, `a.b.C`.
        class: String,
        /// Binary name of the nested class, `a.b.C$1`.
        nested: String,
        /// How it reaches the test.
        #[serde(flatten)]
        path: Path,
    },
    /// An input of it changed.
    Input {
        /// What it is.
        input: InputKind,
        /// A place or a name.
        name: String,
        /// How it changed.
        change: Change,
    },
    /// More classes or members than are named one by one.
    MoreClasses {
        /// How many more.
        count: usize,
    },
    /// The Java runtime is another one.
    Runtime {
        /// The one of its last run.
        before: String,
        /// The present one.
        now: String,
    },
    /// Where its classes are is not known.
    ClassPathUnknown,
    /// What the store says of it makes no sense.
    Store {
        /// What is wrong.
        why: String,
    },
    /// It reaches what changed, as far as code tells.
    Reaches {
        /// Classes and members from the test to what changed: `a.BTest#t()`, `a.B#m(int)`.
        path: Vec<String>,
    },
    /// It reaches code that looks for classes by names that nobody knows.
    UnknownReflection {
        /// Classes and members from the test to that code.
        path: Vec<String>,
    },
    /// A library, or a file of the build, changed: nobody says what that concerns.
    Build {
        /// Its place.
        name: String,
        /// How it changed.
        change: Change,
    },
    /// It failed in one of the last runs.
    RecentlyFailed {
        /// How many recorded runs ago; 1 is the last one.
        runs: u32,
    },
    /// It is not known what the classes were like when it last ran.
    NothingToCompare,
    /// Its class cannot be found or read.
    NotRead,
    /// The technique selects every test.
    Everything,
}

impl Reason {
    /// Whether it says nothing of the test, only that what was recorded of it cannot be used.
    pub(crate) fn is_of_recording(&self) -> bool {
        matches!(
            self,
            Reason::Distrusted { .. }
                | Reason::Runtime { .. }
                | Reason::ClassPathUnknown
                | Reason::Store { .. }
        )
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::New => f.write_str("new"),
            Reason::Failed => f.write_str("failed last time"),
            Reason::Unfinished => f.write_str("did not finish last time"),
            Reason::Distrusted { why } => write!(f, "recorded incompletely: {why}"),
            Reason::Class { class, change } => write!(f, "{} {change}", tame(class)),
            Reason::Member {
                class,
                member,
                change,
                path,
            } => {
                let done = match change.get(..1) {
                    Some("A") => "was added",
                    Some("D") => "was deleted",
                    _ => "changed",
                };
                let member = MemberName::member(tame(class), tame(member));
                write!(f, "{member} {done} ({change}")?;
                match path {
                    Path::Executed => f.write_str(")"),
                    other => write!(f, ", {other})"),
                }
            }
            Reason::Nested {
                class,
                nested,
                path,
            } => {
                let (class, nested) = (tame(class), tame(nested));
                write!(f, "{class} was given the nested class {nested} ({path})")
            }
            Reason::Input {
                input,
                name,
                change,
            } => write!(f, "{input} {} {change}", tame(name)),
            Reason::MoreClasses { count: 1 } => f.write_str("1 more change"),
            Reason::MoreClasses { count } => write!(f, "{count} more changes"),
            Reason::Runtime { before, now } => {
                let (before, now) = unlike(before.lines().next().unwrap_or_default(), now);
                write!(f, "ran on {before}, now {now}")
            }
            Reason::ClassPathUnknown => f.write_str("its class path is unknown"),
            Reason::Store { why } => write!(f, "its stored results could not be used: {why}"),
            Reason::Reaches { path } => {
                let path: Vec<_> = path.iter().map(|node| tame(node)).collect();
                match &path[..] {
                    [alone] => write!(f, "{alone} changed"),
                    path => write!(f, "{} (changed)", path.join(" → ")),
                }
            }
            Reason::UnknownReflection { path } => {
                let path: Vec<_> = path.iter().map(|node| tame(node)).collect();
                let path = path.join(" → ");
                write!(f, "looks for classes by unknown names: {path}")
            }
            Reason::Build { name, change } => write!(f, "{} {change}", tame(name)),
            Reason::RecentlyFailed { runs: 1 } => f.write_str("failed in the last run"),
            Reason::RecentlyFailed { runs } => write!(f, "failed {runs} runs ago"),
            Reason::NothingToCompare => {
                f.write_str("it is not known what the classes were like when it last ran")
            }
            Reason::NotRead => f.write_str("its class cannot be read"),
            Reason::Everything => f.write_str("everything is selected"),
        }
    }
}

/// The words of each of two texts from where they differ to where they do not any more.
fn unlike(before: &str, now: &str) -> (String, String) {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (before, now) = (words(before), words(now));
    let most = before.len().min(now.len());
    let same = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
    let ends = before.iter().rev().zip(now.iter().rev());
    let same_at_end = ends.take(most - same).take_while(|(a, b)| a == b).count();
    let middle = |words: &[String]| {
        let words = words.get(same..words.len() - same_at_end);
        let mut shown = words.unwrap_or_default().join(" ");
        if same > 0 {
            shown = format!("… {shown}").trim_end().into();
        }
        if same_at_end > 0 {
            shown += " …";
        }
        shown
    };
    (middle(&before), middle(&now))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_runtimes_only_what_differs_is_said() {
        let check = |before: &str, now: &str, expected: &str| {
            let (before, now) = (before.into(), now.into());
            assert_eq!(Reason::Runtime { before, now }.to_string(), expected);
        };
        check("JDK 17 -ea x", "JDK 25 -ea x", "ran on … 17 …, now … 25 …");
        check("JDK 17 -ea", "JDK 17", "ran on … -ea, now …");
        check("17", "25", "ran on 17, now 25");
        check("a b a", "a b a b a", "ran on …, now … b a");
        check("a 1\na 2", "a 3", "ran on … 1, now … 3");
    }

    fn check(reason: Reason, json: &str, text: &str) {
        assert_eq!(serde_json::to_string(&reason).unwrap(), json);
        assert_eq!(serde_json::from_str::<Reason>(json).unwrap(), reason);
        assert_eq!(reason.to_string(), text);
    }

    #[test]
    fn reasons_are_tagged_values_in_json_and_sentences_for_people() {
        check(Reason::New, r#"{"kind":"new"}"#, "new");
        check(
            Reason::Class {
                class: "a.B".into(),
                change: Change::Deleted,
            },
            r#"{"kind":"class","class":"a.B","change":"deleted"}"#,
            "a.B was deleted",
        );
        check(
            Reason::ClassPathUnknown,
            r#"{"kind":"class-path-unknown"}"#,
            "its class path is unknown",
        );
        check(
            Reason::Input {
                input: InputKind::File,
                name: "data/x.txt".into(),
                change: Change::Added,
            },
            r#"{"kind":"input","input":"file","name":"data/x.txt","change":"added"}"#,
            "file data/x.txt was added",
        );
        check(
            Reason::MoreClasses { count: 3 },
            r#"{"kind":"more-classes","count":3}"#,
            "3 more changes",
        );
        let member = |path| Reason::Member {
            class: "a.B".into(),
            member: "m(int)".into(),
            change: "AIM".into(),
            path,
        };
        check(
            member(Path::Executed),
            r#"{"kind":"member","class":"a.B","member":"m(int)","change":"AIM","path":"executed"}"#,
            "a.B#m(int) was added (AIM)",
        );
        let instead_of = "a.A#m(int)".to_owned();
        check(
            member(Path::Lookup { instead_of }),
            r#"{"kind":"member","class":"a.B","member":"m(int)","change":"AIM","path":"lookup","instead_of":"a.A#m(int)"}"#,
            "a.B#m(int) was added (AIM, may run instead of a.A#m(int))",
        );
        check(
            Reason::Nested {
                class: "a.B".into(),
                nested: "a.B$1".into(),
                path: Path::Reflection,
            },
            r#"{"kind":"nested","class":"a.B","nested":"a.B$1","path":"reflection"}"#,
            "a.B was given the nested class a.B$1 (visible to reflection)",
        );
    }

    #[test]
    fn reasons_of_static_techniques_name_the_way_to_the_change() {
        let path = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        check(
            Reason::Reaches {
                path: path(&["a.BTest", "a.BTest#t()", "a.B#m(int)"]),
            },
            r#"{"kind":"reaches","path":["a.BTest","a.BTest#t()","a.B#m(int)"]}"#,
            "a.BTest → a.BTest#t() → a.B#m(int) (changed)",
        );
        check(
            Reason::Reaches {
                path: path(&["a.BTest"]),
            },
            r#"{"kind":"reaches","path":["a.BTest"]}"#,
            "a.BTest changed",
        );
        check(
            Reason::UnknownReflection {
                path: path(&["a.BTest", "a.B#load(String)", "reflection"]),
            },
            r#"{"kind":"unknown-reflection","path":["a.BTest","a.B#load(String)","reflection"]}"#,
            "looks for classes by unknown names: a.BTest → a.B#load(String) → reflection",
        );
        check(
            Reason::Build {
                name: "maven:a/b/1/b-1.jar".into(),
                change: Change::Changed,
            },
            r#"{"kind":"build","name":"maven:a/b/1/b-1.jar","change":"changed"}"#,
            "maven:a/b/1/b-1.jar changed",
        );
        check(
            Reason::NothingToCompare,
            r#"{"kind":"nothing-to-compare"}"#,
            "it is not known what the classes were like when it last ran",
        );
        check(
            Reason::NotRead,
            r#"{"kind":"not-read"}"#,
            "its class cannot be read",
        );
    }

    #[test]
    fn a_failure_is_named_by_how_long_ago_it_was() {
        let check = |runs, json, text| check(Reason::RecentlyFailed { runs }, json, text);
        check(
            1,
            r#"{"kind":"recently-failed","runs":1}"#,
            "failed in the last run",
        );
        check(
            3,
            r#"{"kind":"recently-failed","runs":3}"#,
            "failed 3 runs ago",
        );
    }
}
