use crate::MemberName;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A change that would select a test if a rule did not excuse it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Excuse {
    /// The rule, by its name.
    pub rule: String,
    /// Binary name, `a.b.C`.
    pub class: String,
    /// The member, `m(int)` or the name of a field.
    pub member: String,
    /// The kind of the change, as in [`Reason::Member`](crate::Reason::Member).
    pub change: String,
}

impl fmt::Display for Excuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = match self.change.get(..1) {
            Some("A") => "was added, which",
            Some("D") => "was deleted, which",
            _ => "changed only in a way that",
        };
        let member = MemberName::member(&self.class, &self.member);
        write!(f, "{member} {done} cannot matter (rule {})", self.rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excuse_is_a_value_in_json_and_a_sentence_for_people() {
        let check = |change: &str, rule: &str, text: &str| {
            let excuse = Excuse {
                rule: rule.into(),
                class: "a.B".into(),
                member: "m(int)".into(),
                change: change.into(),
            };
            let json = format!(
                r#"{{"rule":"{rule}","class":"a.B","member":"m(int)","change":"{change}"}}"#
            );
            assert_eq!(serde_json::to_string(&excuse).unwrap(), json);
            assert_eq!(serde_json::from_str::<Excuse>(&json).unwrap(), excuse);
            assert_eq!(excuse.to_string(), text);
        };
        check(
            "CIM",
            "throws",
            "a.B#m(int) changed only in a way that cannot matter (rule throws)",
        );
        check(
            "DIM",
            "removed-private-method",
            "a.B#m(int) was deleted, which cannot matter (rule removed-private-method)",
        );
        check(
            "AFD",
            "private-field",
            "a.B#m(int) was added, which cannot matter (rule private-field)",
        );
    }
}
