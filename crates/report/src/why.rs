use crate::line;
use crate::phrases::{BOLD, DIM, GREEN, YELLOW, ago, count, duration, styled};
use serde::Serialize;
use std::time::Duration;
use tamis_select::{Known, Outcome, Path, Reason, Verdict};

/// The answer of `tamis why`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The name that the user gave.
    pub asked: String,
    /// The technique's name.
    pub technique: String,
    /// One verdict per test of that name.
    pub verdicts: Vec<Verdict>,
    /// Per verdict, the state that the test shares with others.
    pub shares: Vec<Vec<Share>>,
    /// Per verdict, ways in the code from the test to what changed, as far as they are known.
    pub paths: Vec<Vec<Vec<String>>>,
}

/// State that a test shares with tests that ran before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The name of the state.
    pub through: String,
    /// Tests that changed it before.
    pub from: Vec<String>,
}

/// How many shares are told.
const TOLD: usize = 5;

impl Why {
    /// The whole answer.
    pub fn text(&self, now_ms: u64) -> String {
        let mut text = String::new();
        let mut shares = self.shares.iter();
        let mut paths = self.paths.iter();
        for verdict in &self.verdicts {
            tell(&mut text, verdict, now_ms);
            for path in paths.next().into_iter().flatten() {
                let path = styled(DIM, path.join(" → "));
                line(&mut text, format_args!("  a path in the code: {path}"));
            }
            share(&mut text, shares.next().map_or(&[], Vec::as_slice));
        }
        text
    }
}

fn tell(text: &mut String, verdict: &Verdict, now_ms: u64) {
    let name = styled(BOLD, &verdict.test);
    let module = match verdict.test.module.as_str() {
        "" => String::new(),
        module => styled(DIM, format!(" in {module}")),
    };
    if verdict.selected {
        line(
            text,
            format_args!("{name}{module} {}:", styled(YELLOW, "would run")),
        );
        for reason in &verdict.reasons {
            line(text, format_args!("  {}", explained(reason)));
        }
    } else {
        let used = verdict.known.map_or(0, |known| known.classes as u64);
        let used = count(used, "class");
        let answer = styled(GREEN, "would be skipped");
        let aborted = verdict.known.map(|known| known.outcome) == Some(Outcome::Aborted);
        let again = if aborted {
            ", so its assumption fails again"
        } else {
            ""
        };
        let nothing = match verdict.excused.is_empty() {
            _ if verdict.known.is_none() => " nothing that it can reach has changed".to_owned(),
            true => format!(" nothing it used has changed ({used}){again}"),
            false => String::new(),
        };
        line(text, format_args!("{name}{module} {answer}:{nothing}"));
        for excuse in &verdict.excused {
            line(text, format_args!("  {excuse}"));
        }
    }
    if let Some(known) = &verdict.known {
        line(
            text,
            format_args!("  {}", styled(DIM, last_run(known, now_ms))),
        );
    }
}

fn share(text: &mut String, shares: &[Share]) {
    if shares.is_empty() {
        return;
    }
    let words = "it inherits what other tests used, because it may read state that they left in";
    line(text, format_args!("  {words}"));
    for Share { through, from } in shares.iter().take(TOLD) {
        let from = from.join(", ");
        line(
            text,
            format_args!("    {through} {}", styled(DIM, format!("({from})"))),
        );
    }
    if let Some(more) = shares.len().checked_sub(TOLD).filter(|more| *more > 0) {
        line(
            text,
            format_args!("    and {}", count(more as u64, "more place")),
        );
    }
}

/// The change, and the dependency that leads from it to the test.
fn explained(reason: &Reason) -> String {
    match reason {
        Reason::Class { .. } => format!("{reason}, which it used when it last ran"),
        Reason::Member {
            path: Path::Executed,
            ..
        } => format!("{reason}, which it executed when it last ran"),
        Reason::New => "it is new: no run of it is known".into(),
        Reason::Failed | Reason::Unfinished => {
            format!("it {reason}, and stays due until it passes")
        }
        other => other.to_string(),
    }
}

fn last_run(known: &Known, now_ms: u64) -> String {
    let took = duration(Duration::from_micros(known.duration_us));
    let used = count(known.classes as u64, "class");
    let when = ago(known.last_run_ms, now_ms);
    let alone = match known.isolated {
        true => ", recorded alone in a JVM",
        false => "",
    };
    format!(
        "last run {when}: {} in {took}, used {used}{alone}",
        known.outcome
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrases::plain;
    use crate::run::samples::{changed, excuse, id, known};

    fn text(known: Option<Known>, reasons: Vec<Reason>) -> String {
        told(Verdict::new(id("a.ATest"), known, reasons))
    }

    fn told(verdict: Verdict) -> String {
        let why = Why {
            asked: "ATest".into(),
            technique: "ekstazi".into(),
            verdicts: vec![verdict],
            shares: vec![],
            paths: vec![],
        };
        plain(&why.text(61_000))
    }

    #[test]
    fn a_test_that_shares_state_says_where_and_with_whom() {
        let share = |field: &str| Share {
            through: format!("a.Cache.{field}"),
            from: vec!["a.FirstTest".into()],
        };
        let why = Why {
            asked: "ATest".into(),
            technique: "hyrts".into(),
            verdicts: vec![Verdict::new(
                id("a.ATest"),
                Some(known(Outcome::Passed)),
                vec![],
            )],
            shares: vec![["a", "b", "c", "d", "e", "f"].map(share).to_vec()],
            paths: vec![],
        };
        insta::assert_snapshot!(plain(&why.text(61_000)));
    }

    #[test]
    fn a_selected_test_names_the_change_and_the_dependency() {
        let known = Some(known(Outcome::Failed));
        insta::assert_snapshot!(text(known, vec![Reason::Failed, changed("a.A")]));
    }

    #[test]
    fn a_skipped_test_says_that_nothing_changed_and_when_it_ran() {
        insta::assert_snapshot!(text(Some(known(Outcome::Passed)), vec![]));
        let alone = Known {
            isolated: true,
            ..known(Outcome::Passed)
        };
        assert!(text(Some(alone), vec![]).contains(", recorded alone in a JVM"));
    }

    #[test]
    fn a_skipped_test_with_a_failed_assumption_says_that_it_fails_again() {
        let said = text(Some(known(Outcome::Aborted)), vec![]);
        let again = "nothing it used has changed (14 classes), so its assumption fails again";
        assert!(
            said.contains(again) && said.contains(": aborted in"),
            "{said}"
        );
    }

    #[test]
    fn a_test_that_a_rule_saved_names_it() {
        let known = Some(known(Outcome::Passed));
        let excused = vec![excuse("final", "n()"), excuse("throws", "m(int)")];
        insta::assert_snapshot!(told(Verdict {
            excused,
            ..Verdict::new(id("a.ATest"), known, vec![])
        }));
    }

    #[test]
    fn a_new_test_says_so() {
        insta::assert_snapshot!(text(None, vec![Reason::New]));
    }
}
