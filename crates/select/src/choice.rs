use crate::{
    All, Ekstazi, Fest, Firewall, Hyrts, Mest, MestS, MestSR1, MestSR2, Receivers, Technique,
    TechniqueName,
};
use std::fmt;
use std::str::FromStr;
use tamis_fingerprint::{Kind, Rule, Rules};
use tamis_graph::UnknownReflection;

/// The technique and its options, as a user chose them.
///
/// As text it is the technique's name, and what differs from the usual: `hyrts as-file=CIM,CSM
/// without=renamed,throws receivers=exact`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    name: TechniqueName,
    as_file: Vec<Kind>,
    without: Vec<Rule>,
    receivers: Receivers,
    statics: StaticChoice,
}

/// How static techniques decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticChoice {
    /// The commit since which changes count; `None` for what was when each test last ran.
    pub since: Option<String>,
    /// The static technique that decides for tests without a usable recording; `None` to run them.
    pub unrecorded: Option<TechniqueName>,
    /// What a test depends on whose code looks for classes by names that nobody knows.
    pub unknown_reflection: UnknownReflection,
    /// Tests that failed in so many of the last recorded runs are selected.
    pub recent_runs: u32,
}

impl Default for StaticChoice {
    fn default() -> Self {
        StaticChoice {
            since: None,
            unrecorded: None,
            unknown_reflection: UnknownReflection::default(),
            recent_runs: 10,
        }
    }
}

/// The reason why a text is no choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoChoice(String);

impl fmt::Display for NoChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoChoice {}

impl Choice {
    /// A technique; changes of the kinds `as_file` are taken as changes of their class, and the
    /// rules `without` excuse nothing. Both are lists of names with commas; `all` stands for all
    /// rules.
    pub fn new(
        name: &str,
        as_file: &str,
        without: &str,
        receivers: Receivers,
    ) -> Result<Choice, NoChoice> {
        let known = name.parse::<TechniqueName>();
        let name = known.map_err(|_| none("technique", name, TechniqueName::ALL))?;
        let as_file = list(as_file, |kind| {
            kind.parse()
                .map_err(|_| none("kind of change", kind, Kind::ALL))
        })?;
        let without = match without {
            "all" => Rule::ALL.to_vec(),
            _ => list(without, |rule| {
                rule.parse().map_err(|_| none("rule", rule, Rule::ALL))
            })?,
        };
        // Whoever runs everything may record what others need.
        let exact = receivers == Receivers::Exact && name != TechniqueName::All;
        let has_options = exact || !(as_file.is_empty() && without.is_empty());
        if has_options && !name.compares_members() {
            let others = TechniqueName::ALL.iter().copied();
            let others = others.filter(|name| name.compares_members());
            let others: Vec<&str> = others.map(TechniqueName::as_str).collect();
            let others = others.join(", ");
            let message =
                format!("`{name}` does not compare members; these techniques do: {others}");
            return Err(NoChoice(message));
        }
        Ok(Choice {
            name,
            as_file,
            without,
            receivers,
            statics: StaticChoice::default(),
        })
    }

    /// The same with options of static techniques; others take them only for tests without a usable recording.
    pub fn with_statics(self, statics: StaticChoice) -> Result<Choice, NoChoice> {
        let names = || {
            let names: Vec<&str> = TechniqueName::statics()
                .map(TechniqueName::as_str)
                .collect();
            names.join(", ")
        };
        let message = match statics.unrecorded {
            Some(name) if !name.is_static() => {
                format!("`{name}` needs recordings; these do not: {}", names())
            }
            Some(_) if self.name.is_static() || self.name == TechniqueName::All => format!(
                "`{}` asks for no recordings: leave out `--unrecorded`",
                self.name
            ),
            None if statics != StaticChoice::default() && self.name == TechniqueName::All => {
                format!(
                    "`{}` selects every test, whatever changed; options of these do not go with it: {}",
                    self.name,
                    names()
                )
            }
            None if statics != StaticChoice::default() && !self.name.is_static() => format!(
                "`{}` decides by recordings; these do not: {}; or add `--unrecorded mest`",
                self.name,
                names()
            ),
            _ => return Ok(Choice { statics, ..self }),
        };
        Err(NoChoice(message))
    }

    /// The options of static techniques.
    pub fn statics(&self) -> &StaticChoice {
        &self.statics
    }

    /// Whether it decides by the classes as they are now, for some tests at least.
    pub fn looks_at_classes_now(&self) -> bool {
        self.name.is_static() || self.statics.unrecorded.is_some()
    }

    /// The static technique that decides for tests without a usable recording.
    pub fn for_unrecorded(&self) -> Option<Box<dyn Technique>> {
        let choice = Choice {
            name: self.statics.unrecorded?,
            ..self.clone()
        };
        Some(choice.technique())
    }

    /// The objects on which added methods are assumed to run; the exact ones have to be recorded.
    pub fn receivers(&self) -> Receivers {
        self.receivers
    }

    /// Whether it compares basic blocks, so that they should be recorded.
    pub fn compares_blocks(&self) -> bool {
        self.technique().needs().blocks
    }

    /// The technique itself.
    pub fn technique(&self) -> Box<dyn Technique> {
        let as_file = self.as_file.clone();
        let mut rules = Rules::default();
        for rule in &self.without {
            rules = rules.without(*rule);
        }
        let unknown_reflection = self.statics.unknown_reflection;
        match self.name {
            TechniqueName::Hyrts => Box::new(Hyrts::basic(as_file, rules).on(self.receivers)),
            TechniqueName::HyrtsB => Box::new(Hyrts::b(as_file, rules).on(self.receivers)),
            TechniqueName::HyrtsF => Box::new(Hyrts::f(as_file, rules).on(self.receivers)),
            TechniqueName::All => Box::new(All),
            TechniqueName::Ekstazi => Box::new(Ekstazi),
            TechniqueName::Firewall => Box::new(Firewall),
            TechniqueName::Fest => Box::new(Fest),
            TechniqueName::Mest => Box::new(Mest { unknown_reflection }),
            TechniqueName::MestS => Box::new(MestS),
            TechniqueName::MestSR1 => Box::new(MestSR1 { unknown_reflection }),
            TechniqueName::MestSR2 => Box::new(MestSR2),
        }
    }
}

fn none<T: fmt::Display>(what: &str, name: &str, all: impl IntoIterator<Item = T>) -> NoChoice {
    let all: Vec<String> = all.into_iter().map(|known| known.to_string()).collect();
    NoChoice(format!("no {what} `{name}`; there are: {}", all.join(", ")))
}

fn list<T>(text: &str, read: impl Fn(&str) -> Result<T, NoChoice>) -> Result<Vec<T>, NoChoice> {
    let names = text.split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).map(read).collect()
}

fn join<T: fmt::Display>(items: &[T]) -> String {
    let texts: Vec<String> = items.iter().map(T::to_string).collect();
    texts.join(",")
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if !self.as_file.is_empty() {
            write!(f, " as-file={}", join(&self.as_file))?;
        }
        match &self.without[..] {
            [] => {}
            without if without == Rule::ALL => f.write_str(" without=all")?,
            without => write!(f, " without={}", join(without))?,
        }
        if self.receivers == Receivers::Exact {
            f.write_str(" receivers=exact")?;
        }
        if let Some(name) = self.statics.unrecorded {
            write!(f, " unrecorded={name}")?;
        }
        if let Some(commit) = &self.statics.since {
            write!(f, " since={commit}")?;
        }
        if self.statics.unknown_reflection == UnknownReflection::Nothing {
            f.write_str(" unknown-reflection=nothing")?;
        }
        match self.statics.recent_runs {
            usual if usual == StaticChoice::default().recent_runs => Ok(()),
            runs => write!(f, " recent-runs={runs}"),
        }
    }
}

impl FromStr for Choice {
    type Err = NoChoice;

    fn from_str(text: &str) -> Result<Self, NoChoice> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let (mut as_file, mut without) = ("", "");
        let mut receivers = Receivers::default();
        let mut statics = StaticChoice::default();
        for word in words {
            match word.split_once('=') {
                Some(("as-file", kinds)) => as_file = kinds,
                Some(("without", rules)) => without = rules,
                Some(("receivers", "exact")) => receivers = Receivers::Exact,
                Some(("unknown-reflection", "nothing")) => {
                    statics.unknown_reflection = UnknownReflection::Nothing;
                }
                Some(("since", commit)) => statics.since = Some(commit.to_owned()),
                Some(("unrecorded", name)) => {
                    let known = name.parse();
                    let all = TechniqueName::statics();
                    let known = known.map_err(|_| none("static technique", name, all))?;
                    statics.unrecorded = Some(known);
                }
                Some(("recent-runs", runs)) => {
                    let runs = runs.parse();
                    statics.recent_runs =
                        runs.map_err(|_| NoChoice(format!("`{word}` has no number")))?;
                }
                _ => return Err(NoChoice(format!("`{word}` is no option of a technique"))),
            }
        }
        Choice::new(name, as_file, without, receivers)?.with_statics(statics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_reads_as_it_is_written() {
        for text in [
            "ekstazi",
            "hyrts",
            "hyrts-f",
            "hyrts-b",
            "all",
            "all receivers=exact",
            "hyrts as-file=CIM,CSM",
            "hyrts-f without=throws",
            "hyrts as-file=AIM without=all",
            "hyrts-f without=throws receivers=exact",
            "mest",
            "mest-s-r1 unknown-reflection=nothing",
            "fest recent-runs=3",
            "mest since=0123abc",
            "hyrts unrecorded=fest since=0123abc",
        ] {
            let choice: Choice = text.parse().unwrap();
            assert_eq!(choice.to_string(), text);
            let name = text.split(' ').next().unwrap();
            assert_eq!(choice.technique().name().as_str(), name);
        }
    }

    #[test]
    fn a_wrong_choice_says_what_there_is() {
        let check = |name, as_file, without, expected: &str| {
            let usual = Receivers::default();
            let error = Choice::new(name, as_file, without, usual).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
        };
        check(
            "none",
            "",
            "",
            "no technique `none`; there are: ekstazi, hyrts-f",
        );
        check(
            "hyrts",
            "CIM,XYZ",
            "",
            "no kind of change `XYZ`; there are: ",
        );
        check("hyrts", "", "luck", "no rule `luck`; there are: ");
        check(
            "ekstazi",
            "CIM",
            "",
            "`ekstazi` does not compare members; these techniques do: hyrts-f, hyrts, hyrts-b",
        );
        assert!(Choice::new("ekstazi", "", "", Receivers::Exact).is_err());
    }

    #[test]
    fn options_of_static_techniques_are_refused_where_nothing_uses_them() {
        let check = |text: &str, expected: Option<&str>| {
            let error = text.parse::<Choice>().err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected, "{text}");
        };
        let names = "firewall, fest, mest, mest-s, mest-s-r1, mest-s-r2";
        let by_recordings = |name: &str| {
            format!(
                "`{name}` decides by recordings; these do not: {names}; or add `--unrecorded mest`"
            )
        };
        check("mest since=0123abc recent-runs=0", None);
        check("hyrts unrecorded=mest since=0123abc", None);
        check("ekstazi unrecorded=fest recent-runs=3", None);
        check("hyrts since=0123abc", Some(&by_recordings("hyrts")));
        check("ekstazi recent-runs=3", Some(&by_recordings("ekstazi")));
        check(
            "hyrts-b unknown-reflection=nothing",
            Some(&by_recordings("hyrts-b")),
        );
        let everything = format!(
            "`all` selects every test, whatever changed; options of these do not go with it: {names}"
        );
        check("all since=0123abc", Some(&everything));
        check(
            "mest unrecorded=fest",
            Some("`mest` asks for no recordings: leave out `--unrecorded`"),
        );
        check(
            "all unrecorded=mest",
            Some("`all` asks for no recordings: leave out `--unrecorded`"),
        );
        let needs = format!("`ekstazi` needs recordings; these do not: {names}");
        check("hyrts unrecorded=ekstazi", Some(&needs));
        check(
            "hyrts unrecorded=luck",
            Some(&format!("no static technique `luck`; there are: {}", names)),
        );
        check(
            "mest recent-runs=many",
            Some("`recent-runs=many` has no number"),
        );
    }
}
