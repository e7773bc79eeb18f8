use crate::line;
use crate::phrases::{BOLD, DIM, GREEN, RED, YELLOW, count, names, styled};
use tamis_audit::{Cause, Circumstance, Dependent, Findings, Hidden, Unstable};
use tamis_select::Outcome;

/// How many lines a list has at most; the JSON has all.
const MOST: usize = 10;

/// How many names a line has at most.
const NAMES: usize = 3;

/// The answer of `tamis audit`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// The findings.
    pub findings: Findings,
    /// How many test classes were to run alone.
    pub to_isolate: usize,
    /// How many of them did not yet.
    pub not_isolated: usize,
    /// How many orders were not tried yet.
    pub missing_orders: usize,
    /// Whether the tests did not run twice in the usual order yet.
    pub missing_repeat: bool,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// If the build ran no tests that could be observed, where to read what it printed.
    pub no_tests: Option<String>,
}

impl Audit {
    /// Whether nothing is left to do.
    pub fn is_complete(&self) -> bool {
        self.no_tests.is_none()
            && self.not_isolated == 0
            && self.missing_orders == 0
            && !self.missing_repeat
            && self.causes_missing() == 0
    }

    fn causes_missing(&self) -> usize {
        let dependents = self.findings.dependents.iter();
        dependents.filter(|d| d.cause.is_none()).count()
    }

    /// The whole answer.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if let Some(log) = &self.no_tests {
            line(
                &mut text,
                format_args!(
                    "{} no test ran under tamis, so there is nothing to compare; the output of the build is in {log}",
                    styled(RED, "audit:")
                ),
            );
            return text;
        }
        self.tell_what_ran(&mut text);
        self.tell_hidden(&mut text);
        self.tell_dependents(&mut text);
        self.tell_unstable(&mut text);
        self.tell_failing(&mut text);
        self.tell_not_alone(&mut text);
        self.tell_rest(&mut text);
        text
    }

    fn tell_what_ran(&self, text: &mut String) {
        let Findings {
            tests,
            alone,
            orders,
            fixed,
            repeated,
            ..
        } = &self.findings;
        let tests = count(tests.len() as u64, "test class");
        let twice = if *repeated { "twice" } else { "once" };
        let orders = match orders.len() - fixed.len() {
            0 => String::new(),
            number => format!(", in {}", count(number as u64, "other order")),
        };
        line(
            text,
            format_args!(
                "{} {tests} ran together {twice}{orders}; {alone} of them alone",
                styled(BOLD, "audit:")
            ),
        );
        for order in fixed {
            let why = "the build fixes the order";
            line(
                text,
                format_args!(
                    "{} {order} was the usual one: {why}",
                    styled(YELLOW, "note:")
                ),
            );
        }
    }

    fn tell_hidden(&self, text: &mut String) {
        let Findings {
            hidden, sources, ..
        } = &self.findings;
        if hidden.is_empty() {
            if self.findings.alone > 0 {
                let none = "no dependencies were hidden by the shared JVM";
                line(text, format_args!("{}", styled(GREEN, none)));
            }
        } else {
            let what = format!(
                "{} had dependencies that the shared JVM hid",
                count(hidden.len() as u64, "test class")
            );
            line(
                text,
                format_args!(
                    "{}: {} of test and method, {}",
                    styled(YELLOW, what),
                    count(self.findings.pairs() as u64, "pair"),
                    count(self.findings.methods() as u64, "method")
                ),
            );
            list(text, "by class that was used", sources, |source| {
                let tests = count(source.tests as u64, "test class");
                let methods = count(source.methods as u64, "method");
                format!("{}: {methods}, hidden from {tests}", source.class)
            });
            list(text, "by test class", hidden, hidden_line);
            let open = hidden.iter().filter(|hidden| !hidden.taken_in).count();
            let known = hidden.len() - open;
            if known > 0 {
                let of = count(known as u64, "test class");
                line(
                    text,
                    format_args!("  the dependencies of {of} are in the store now"),
                );
            }
            if open > 0 {
                let of = count(open as u64, "test class");
                line(
                    text,
                    format_args!(
                        "  {of} could not be recorded alone: the store is as it was there"
                    ),
                );
            }
        }
        let (usual, alone) = (self.findings.methods_usual, self.findings.methods_alone);
        if usual > alone {
            let fewer = (usual - alone) * 100 / usual;
            line(
                text,
                format_args!("  recorded alone, tests depend on {fewer} % fewer methods"),
            );
        }
    }

    fn tell_dependents(&self, text: &mut String) {
        let dependents = &self.findings.dependents;
        if dependents.is_empty() {
            return;
        }
        let what = count(dependents.len() as u64, "test class");
        let what = format!("{what} ended differently, depending on which tests ran before");
        line(text, format_args!("{}:", styled(RED, what)));
        for dependent in dependents {
            line(text, format_args!("  {}", dependent_line(dependent)));
        }
    }

    fn tell_unstable(&self, text: &mut String) {
        let unstable = &self.findings.unstable;
        if unstable.is_empty() {
            return;
        }
        let what = count(unstable.len() as u64, "test class");
        let what = format!("{what} differed between two runs in the same order");
        line(text, format_args!("{}:", styled(YELLOW, what)));
        rows(text, unstable, unstable_line);
    }

    fn tell_failing(&self, text: &mut String) {
        let failing = &self.findings.failing;
        if !failing.is_empty() {
            let what = format!(
                "{} failed as usual",
                count(failing.len() as u64, "test class")
            );
            line(text, format_args!("{}:", styled(YELLOW, what)));
            rows(text, failing, |test| test.to_string());
        }
    }

    fn tell_not_alone(&self, text: &mut String) {
        let not_alone = &self.findings.not_alone;
        if not_alone.is_empty() {
            return;
        }
        let what = count(not_alone.len() as u64, "test class");
        let what = format!("{what} could not be run alone");
        line(text, format_args!("{}:", styled(YELLOW, what)));
        rows(text, not_alone, |(test, ran)| match ran {
            true => format!("{test}: others ran in the same JVM"),
            false => format!("{test}: it did not run"),
        });
    }

    fn tell_rest(&self, text: &mut String) {
        let mut rest = Vec::new();
        if self.missing_repeat {
            rest.push("a second run in the usual order".to_owned());
        }
        if self.missing_orders > 0 {
            rest.push(count(self.missing_orders as u64, "other order"));
        }
        if self.not_isolated > 0 {
            let classes = count(self.to_isolate as u64, "test class");
            rest.push(format!("{} of {classes} alone", self.not_isolated));
        }
        if self.causes_missing() > 0 {
            rest.push(count(self.causes_missing() as u64, "cause"));
        }
        if !rest.is_empty() {
            let why = match self.interrupted {
                true => "interrupted",
                false => "the time is up",
            };
            let rest = rest.join(", ");
            let rest = styled(
                DIM,
                format!("{why}; not done: {rest}; run the same command again to continue"),
            );
            line(text, format_args!("{rest}"));
        }
    }
}

fn list<T>(text: &mut String, title: &str, items: &[T], row: impl Fn(&T) -> String) {
    if !items.is_empty() {
        line(text, format_args!("  {}", styled(BOLD, title)));
    }
    rows(text, items, |item| format!("  {}", row(item)));
}

/// The first items, a line each, and how many more there are.
fn rows<T>(text: &mut String, items: &[T], row: impl Fn(&T) -> String) {
    for item in items.iter().take(MOST) {
        line(text, format_args!("  {}", row(item)));
    }
    if items.len() > MOST {
        let more = items.len() - MOST;
        line(text, format_args!("    {more} more, see `--json`"));
    }
}

fn hidden_line(hidden: &Hidden) -> String {
    let difference = &hidden.difference;
    let methods = count(difference.methods.len() as u64, "method");
    let (number, kind, names) = match difference.methods.is_empty() {
        false => (methods, "", &difference.methods),
        true if !difference.classes.is_empty() => {
            let classes = count(difference.classes.len() as u64, "class");
            (classes, " without methods", &difference.classes)
        }
        true => (
            count(difference.inputs.len() as u64, "input"),
            "",
            &difference.inputs,
        ),
    };
    let names = shortened(names.iter().map(String::as_str));
    format!("{}: {number}{kind} ({names})", hidden.test)
}

fn shortened<'a>(all: impl ExactSizeIterator<Item = &'a str>) -> String {
    names(all, NAMES)
}

fn dependent_line(dependent: &Dependent) -> String {
    let Dependent {
        test,
        circumstance,
        usual,
        outcome,
        cause,
    } = dependent;
    let fails = *outcome >= Outcome::Failed;
    let verb = match outcome {
        Outcome::Unfinished => "does not finish",
        _ if fails => "fails",
        _ => "passes",
    };
    let end = match usual {
        Outcome::Failed | Outcome::Unfinished => {
            format!("{verb} {circumstance}, and fails as usual")
        }
        _ => format!("{verb} {circumstance}"),
    };
    let name = styled(BOLD, test);
    match (cause, circumstance) {
        (Some(Cause::Test { test: other }), Circumstance::Alone) if fails => {
            format!("{name} {end}: it needs what {other} leaves behind")
        }
        (Some(Cause::Test { test: other }), _) => {
            format!("{name} {end}: it breaks on what {other} leaves behind")
        }
        (Some(Cause::Several), _) => {
            format!("{name} {end}: no single test before it is the cause")
        }
        (Some(Cause::Flaky), _) => {
            format!("{name} {end}, but not each time: it may be flaky")
        }
        (None, _) => format!("{name} {end}"),
    }
}

fn unstable_line(unstable: &Unstable) -> String {
    let Unstable {
        test,
        difference,
        outcomes,
    } = unstable;
    let outcomes = match outcomes {
        Some((first, second)) => format!("{first}, then {second}; "),
        None => String::new(),
    };
    let number = difference.methods.len() + difference.classes.len() + difference.inputs.len();
    let used = count(number as u64, "dependency").replace("dependencys", "dependencies");
    let all: Vec<&str> = (difference.methods.iter())
        .chain(&difference.classes)
        .chain(&difference.inputs)
        .map(String::as_str)
        .collect();
    match number {
        0 => format!("{test}: {}", outcomes.trim_end_matches("; ")),
        _ => format!(
            "{test}: {outcomes}{used} in one of them only ({})",
            shortened(all.into_iter())
        ),
    }
}

#[cfg(test)]
pub(crate) mod tests;
