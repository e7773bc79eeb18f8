//! The list of techniques.

use crate::{Facts, Selection};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tamis_fingerprint::Rules;

/// A technique: one algorithm that selects tests.
pub trait Technique: Sync {
    /// Its name.
    fn name(&self) -> TechniqueName;

    /// The facts that it asks for beside those of classes.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Decides for every test of `facts`.
    fn select(&self, facts: &Facts<'_>) -> Selection;
}

/// Optional facts that a technique asks for.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    /// [`Facts::members`], and what may be excused there.
    pub members: Option<Rules>,
    /// [`Detail::blocks`](crate::Detail::blocks) too.
    pub blocks: bool,
    /// [`Facts::statics`] instead of what was recorded.
    pub statics: bool,
}

impl Needs {
    /// The classes as they are now, and nothing that was recorded.
    pub(crate) fn of_classes_now() -> Needs {
        Needs {
            statics: true,
            ..Needs::default()
        }
    }
}

macro_rules! techniques {
    ($($(#[$attribute:meta])* $variant:ident = $name:literal, $summary:literal;)*) => {
        /// The techniques, from coarse to fine, and `all`.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize,
        )]
        pub enum TechniqueName {
            $(#[doc = $summary] #[serde(rename = $name)] $(#[$attribute])* $variant,)*
        }

        impl TechniqueName {
            /// All values.
            pub const ALL: &'static [TechniqueName] = &[$(TechniqueName::$variant),*];

            /// The name by which users call it.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(TechniqueName::$variant => $name,)*
                }
            }

            /// A summary of what it selects by, for help texts.
            pub fn summary(self) -> &'static str {
                match self {
                    $(TechniqueName::$variant => $summary,)*
                }
            }
        }
    };
}

techniques! {
    Ekstazi = "ekstazi", "by the classes that a test used";
    HyrtsF = "hyrts-f", "as `hyrts`, but added and deleted methods count for their class";
    #[default] Hyrts = "hyrts", "by the methods that a test executed";
    HyrtsB = "hyrts-b", "by the basic blocks that a test executed where a method changed";
    Firewall = "firewall", "without recordings, by the classes that a test depends on";
    Fest = "fest", "as `firewall`, and by classes that only texts, files and services name";
    Mest = "mest", "without recordings, by the methods and fields that a test can reach";
    MestS = "mest-s", "as `mest`, without reflection and dynamic binding: for comparison, not safe";
    MestSR1 = "mest-s-r1", "as `mest-s`, with reflection: for comparison, not safe";
    MestSR2 = "mest-s-r2", "as `mest-s`, with dynamic binding: for comparison, not safe";
    All = "all", "everything";
}

impl TechniqueName {
    /// Those that decide by what was recorded.
    pub fn recorded() -> impl Iterator<Item = TechniqueName> {
        let all = TechniqueName::ALL.iter().copied();
        all.filter(|name| *name != TechniqueName::All && !name.is_static())
    }

    /// Those that decide by the classes as they are now.
    pub fn statics() -> impl Iterator<Item = TechniqueName> {
        let all = TechniqueName::ALL.iter().copied();
        all.filter(|name| name.is_static())
    }

    /// Whether it compares members, and so has options for that.
    pub fn compares_members(self) -> bool {
        match self {
            TechniqueName::Hyrts | TechniqueName::HyrtsF | TechniqueName::HyrtsB => true,
            TechniqueName::Ekstazi
            | TechniqueName::Firewall
            | TechniqueName::Fest
            | TechniqueName::Mest
            | TechniqueName::MestS
            | TechniqueName::MestSR1
            | TechniqueName::MestSR2
            | TechniqueName::All => false,
        }
    }

    /// Whether it decides by the classes as they are now, and not by what was recorded.
    pub fn is_static(self) -> bool {
        match self {
            TechniqueName::Firewall
            | TechniqueName::Fest
            | TechniqueName::Mest
            | TechniqueName::MestS
            | TechniqueName::MestSR1
            | TechniqueName::MestSR2 => true,
            TechniqueName::Ekstazi
            | TechniqueName::HyrtsF
            | TechniqueName::Hyrts
            | TechniqueName::HyrtsB
            | TechniqueName::All => false,
        }
    }
}

impl fmt::Display for TechniqueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// There is no technique of this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoTechnique;

impl FromStr for TechniqueName {
    type Err = NoTechnique;

    fn from_str(text: &str) -> Result<Self, NoTechnique> {
        let mut all = TechniqueName::ALL.iter().copied();
        all.find(|name| name.as_str() == text).ok_or(NoTechnique)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_technique_is_found_by_its_name() {
        for name in TechniqueName::ALL {
            assert_eq!(name.as_str().parse(), Ok(*name));
        }
        assert_eq!("Hyrts".parse::<TechniqueName>(), Err(NoTechnique));
    }
}
