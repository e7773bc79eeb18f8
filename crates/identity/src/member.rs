use crate::text;
use std::borrow::Cow;
use std::fmt;

/// A class of the program or of its tests, `a.b.C`, or a member of it: `a.b.C#m`, `a.b.C#m(int)`, `a.b.C#field`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberName<'a> {
    /// The name of the class.
    pub class: Cow<'a, str>,
    /// The member; absent if the class is meant.
    pub member: Option<Cow<'a, str>>,
}

impl<'a> MemberName<'a> {
    /// A class.
    pub fn class(class: impl Into<Cow<'a, str>>) -> Self {
        MemberName {
            class: class.into(),
            member: None,
        }
    }

    /// A member of a class.
    pub fn member(class: impl Into<Cow<'a, str>>, member: impl Into<Cow<'a, str>>) -> Self {
        MemberName {
            class: class.into(),
            member: Some(member.into()),
        }
    }
}

impl<'a> From<&'a str> for MemberName<'a> {
    fn from(text: &'a str) -> Self {
        let (class, member) = text::split(text);
        MemberName {
            class,
            member: member.map(Cow::Borrowed),
        }
    }
}

impl fmt::Display for MemberName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        text::write(f, &self.class, self.member.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_member_is_written_behind_its_class() {
        let check = |text: &str, class: &str, member: Option<&str>| {
            let name = MemberName::from(text);
            assert_eq!((&*name.class, name.member.as_deref()), (class, member));
            assert_eq!(name.to_string(), text);
        };
        check("a.B", "a.B", None);
        check("a.B#m(int,String[])", "a.B", Some("m(int,String[])"));
        check("a.B#<init>()", "a.B", Some("<init>()"));
        check("a.B#a#b", "a.B", Some("a#b"));
    }

    proptest! {
        #[test]
        fn every_name_comes_back_from_its_text(class in "[ab.#\\\\$é]{0,8}", member in proptest::option::of("[ab #\\\\]{0,8}")) {
            let name = MemberName {
                class: class.into(),
                member: member.map(Cow::Owned),
            };
            let text = name.to_string();
            prop_assert_eq!(MemberName::from(text.as_str()), name);
        }
    }
}
