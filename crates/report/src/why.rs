use crate::line;
use crate::phrases::{BOLD, DIM, GREEN, YELLOW, ago, count, duration, styled};
use std::time::Duration;
use tamis_select::{Known, Path, Reason, Verdict};

/// What `tamis why` tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The name that the user gave.
    pub asked: String,
    /// The technique's name.
    pub technique: String,
    /// One verdict per test of that name.
    pub verdicts: Vec<Verdict>,
}

impl Why {
    /// The whole answer.
    pub fn text(&self, now_ms: u64) -> String {
        let mut text = String::new();
        for verdict in &self.verdicts {
            tell(&mut text, verdict, now_ms);
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
        let nothing = match verdict.excused.is_empty() {
            true => format!(" nothing it used has changed ({used})"),
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

/// The change, and the dependency that leads from it to the test.
fn explained(reason: &Reason) -> String {
    match reason {
        Reason::Class { .. } => format!("{reason}, which it used when it last ran"),
        Reason::Member {
            path: Path::Executed,
            ..
        } => format!("{reason}, which it executed when it last ran"),
        Reason::New => "it is new: no run of it is known".into(),
        Reason::Failed | Reason::Aborted | Reason::Unfinished => {
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
    use tamis_select::Outcome;

    fn text(known: Option<Known>, reasons: Vec<Reason>) -> String {
        told(Verdict::new(id("a.ATest"), known, reasons))
    }

    fn told(verdict: Verdict) -> String {
        let why = Why {
            asked: "ATest".into(),
            technique: "ekstazi".into(),
            verdicts: vec![verdict],
        };
        plain(&why.text(61_000))
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
