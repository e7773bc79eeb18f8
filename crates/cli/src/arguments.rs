mod statics;

use crate::error::Error;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
pub(crate) use statics::{Statics, UnknownReflection, Unrecorded};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use tamis_select::TechniqueName;

/// Runs only the tests that a change can break.
#[derive(Debug, Parser)]
#[command(name = "tamis", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command; they may stand before or after it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Work in this directory instead of the current one.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Write the answer as JSON to a file; `-` is standard output, and nothing else goes there.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// When to use colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Print only warnings and errors; Maven gets `-q` too.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Name every test, also the skipped ones.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// When the dependencies of tests are recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// While they run.
    #[default]
    Online,
    /// Afterwards, with `tamis collect`: results are there sooner.
    Offline,
    /// Not at all: tests stay compared with their last recording.
    RunOnly,
}

/// The granularity: what is selected or skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Granularity {
    #[default]
    Class,
    Method,
}

impl From<Granularity> for tamis_select::Granularity {
    fn from(granularity: Granularity) -> Self {
        match granularity {
            Granularity::Class => tamis_select::Granularity::Class,
            Granularity::Method => tamis_select::Granularity::Method,
        }
    }
}

/// The objects on which an added method is assumed to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Receivers {
    #[default]
    Created,
    Exact,
}

impl From<Receivers> for tamis_select::Receivers {
    fn from(receivers: Receivers) -> Self {
        match receivers {
            Receivers::Created => tamis_select::Receivers::Created,
            Receivers::Exact => tamis_select::Receivers::Exact,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the tests that a change can break, and record what they use.
    Test {
        #[command(flatten)]
        run: Run,
        /// When to record: while tests run, later with `tamis collect`, or not at all.
        #[arg(long, value_name = "MODE", default_value = "online")]
        mode: Mode,
    },
    /// Record the tests that ran with `--mode offline`, by running them once more.
    Collect(Collect),
    /// Find tests that affect each other: dependencies that a shared JVM hides, tests that fail alone or in
    /// another order, tests that differ from run to run.
    ///
    /// Runs all tests several times, and test classes alone in fresh JVMs. The recordings made alone go into the
    /// store. To continue an interrupted audit, run the same command again.
    Audit(Audit),
    /// Show what `tamis test` would run, without running it.
    Select {
        #[command(flatten)]
        run: Run,
        /// Do not compile: answer from the class files as they are.
        #[arg(long)]
        no_build: bool,
    },
    /// Explain why a test would run, or why not.
    Why {
        /// The test class, with or without its package.
        test: String,
        #[command(flatten)]
        run: Run,
        /// Do not compile: answer from the class files as they are.
        #[arg(long)]
        no_build: bool,
    },
    /// List the tests that use a class or execute a method.
    Affected {
        /// The class or method, such as `com.acme.Foo` or `com.acme.Foo#bar`.
        class: String,
    },
    /// Show the status of the project: known tests, failures, time saved.
    Status,
    /// Demonstrate tamis on a small project in a temporary directory.
    Demo {
        /// Keep the project.
        #[arg(long)]
        keep: bool,
    },
    /// Try techniques on the history of the project: what they would have run, saved and missed.
    ///
    /// Works on a clone: your checkout is not touched. To continue an interrupted replay, run the same command again.
    Replay(Replay),
    /// Answer the agent's question which tests to skip.
    #[command(hide = true)]
    Verdict {
        #[arg(long)]
        run: PathBuf,
        #[arg(long)]
        request: PathBuf,
    },
}

/// Arguments of `tamis collect`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Collect {
    #[command(flatten)]
    pub(crate) run: Run,
    /// Run each known test class alone in a fresh JVM, so that nothing it uses is hidden by others.
    #[arg(long)]
    pub(crate) isolated: bool,
    /// With `--isolated`: only test classes of these names, with or without package; `*` stands for
    /// anything.
    #[arg(
        long,
        value_name = "PATTERNS",
        value_delimiter = ',',
        requires = "isolated"
    )]
    pub(crate) tests: Vec<String>,
    /// With `--isolated`: start no tests after this time, such as `90s`, `10m` or `2h`; run the same command
    /// again to continue.
    #[arg(long, value_name = "TIME", value_parser = time, requires = "isolated")]
    pub(crate) budget: Option<Duration>,
    /// Return at once; the output goes to `.tamis/collect.log`.
    #[arg(long)]
    pub(crate) background: bool,
}

/// Arguments of `tamis audit`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Audit {
    #[command(flatten)]
    pub(crate) run: Run,
    /// Run N test classes alone, chosen at random, instead of all.
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<usize>,
    /// Start no tests after this time, such as `90s`, `10m` or `2h`; run the same command again to continue.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) budget: Option<Duration>,
    /// The seed of random choices.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// With Maven: run all tests in K other orders: the first by name backwards, the others random.
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) orders: usize,
    /// Discard the results of an earlier audit.
    #[arg(long)]
    pub(crate) restart: bool,
    /// Return at once; the output goes to `.tamis/audit.log`.
    #[arg(long)]
    pub(crate) background: bool,
}

/// Reads `90s`, `10m` or `2h`.
fn time(text: &str) -> Result<Duration, String> {
    let units = [("h", 3600), ("m", 60), ("s", 1)];
    let split = |(unit, seconds): (&str, u64)| Some((text.strip_suffix(unit)?, seconds));
    let parts = units.into_iter().find_map(split);
    let seconds = parts.and_then(|(number, unit)| number.parse::<u64>().ok()?.checked_mul(unit));
    let seconds = seconds.ok_or("give a time as `90s`, `10m` or `2h`");
    Ok(Duration::from_secs(seconds?))
}

/// Arguments of `tamis replay`.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(crate) struct Replay {
    /// The revision to start from, at which everything is new; instead of `--last`.
    #[arg(long, value_name = "REV", conflicts_with = "last")]
    pub(crate) from: Option<String>,
    /// The last revision.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub(crate) to: String,
    /// How many revisions before the last to start from.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) last: usize,
    /// The techniques to compare; each may have `+method` for single tests, `+exact` for exact receivers,
    /// `+no-rules` for no rules, `+known` for reflection by known names only.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "ekstazi,hyrts-f,hyrts,hyrts-b"
    )]
    pub(crate) techniques: Vec<String>,
    /// How often to measure each time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) runs: usize,
    /// Skip the runs without recording: takes half the time, reports no AE.
    #[arg(long)]
    pub(crate) no_ae: bool,
    /// Instead of history, put this many small faults into the classes of the last revision, one by one, and see
    /// which tests fail: techniques must select them.
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "last", "runs", "no_ae"])]
    pub(crate) mutants: Option<usize>,
    /// With `--mutants`: take them from all methods, whatever was recorded, and run all tests for each one alone, without
    /// tamis: techniques must select every test class that ends differently or prints something else.
    #[arg(long, requires = "mutants")]
    pub(crate) alone: bool,
    /// Stop after this time, such as `30m`, `90s` or `2h`; run the same command again to continue.
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) budget: Option<Duration>,
    /// With `--mutants`: the seed of random choices.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Also replay revisions that change only documents and the like.
    #[arg(long)]
    pub(crate) all_revisions: bool,
    /// The work area; in `.tamis` of the project if absent: `replay`, `mutants`, or with `--alone` `mutants-alone`.
    #[arg(long, value_name = "DIR")]
    pub(crate) area: Option<PathBuf>,
    /// Discard an earlier replay in the work area.
    #[arg(long)]
    pub(crate) restart: bool,
    /// Where to write the report: rows as JSON and CSV, tables as Markdown, a page with plots. `report` in
    /// the work area if absent.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// For Maven, such as `-o -pl core -Drat.skip`.
    #[arg(value_name = "MAVEN ARGUMENTS")]
    pub(crate) build_arguments: Vec<String>,
    /// A command after `--`: a replay refuses it.
    #[arg(skip)]
    pub(crate) command: Vec<String>,
}

/// The techniques, as the help describes them.
fn techniques() -> String {
    let all = TechniqueName::ALL.iter();
    let all: Vec<String> = all
        .map(|name| format!("`{name}` {}", name.summary()))
        .collect();
    format!("How to select: {}", all.join("; "))
}

/// Arguments of the commands that select tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Run {
    #[arg(
        long,
        value_name = "NAME",
        default_value = TechniqueName::default().as_str(),
        help = techniques()
    )]
    pub(crate) technique: String,
    /// With `hyrts`: take changes of these kinds, such as `CIM,CSM`, as changes of their class.
    #[arg(
        long,
        value_name = "KINDS",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) treat_as_file: String,
    /// With `hyrts`: excuse no change by these rules, such as `renamed,throws`, or by `all`.
    #[arg(
        long,
        value_name = "RULES",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) without_rules: String,
    /// With `hyrts`: an added method concerns tests that ran what it replaces while objects of its class
    /// existed, or exactly those that ran it on such objects, which costs more to record.
    #[arg(long, value_name = "WHICH", default_value = "created")]
    pub(crate) receivers: Receivers,
    /// What to select: test classes, or single tests where they can be told apart.
    #[arg(long, value_name = "WHAT", default_value = "class")]
    pub(crate) granularity: Granularity,
    /// Record basic blocks, as `hyrts-b` needs them, whatever the technique of this run.
    #[arg(long)]
    pub(crate) record_blocks: bool,
    #[command(flatten)]
    pub(crate) statics: Statics,
    /// For Maven, such as `-o -pl core -Dtest=FooTest verify`; the goal is `test` if none is named.
    #[arg(value_name = "MAVEN ARGUMENTS")]
    pub(crate) build_arguments: Vec<String>,
    /// Run this instead of Maven, such as `java -cp … org.junit.runner.JUnitCore FooTest`.
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// A time such as `30m`.
fn budget(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3600)];
    let time = units.iter().find_map(|(unit, seconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(Duration::from_secs(number.checked_mul(*seconds)?))
    });
    time.ok_or_else(|| "give a whole number with s, m or h behind it, such as `30m`".to_owned())
}

/// Reads the command line; help, version and errors of use end the process as usual.
pub(crate) fn read(given: impl Iterator<Item = OsString>) -> Result<Arguments, Error> {
    let not_text = |text: OsString| Error::Usage(format!("not text: {}", text.to_string_lossy()));
    let given = given
        .map(OsString::into_string)
        .collect::<Result<Vec<_>, _>>();
    let split = Split::of(given.map_err(not_text)?);
    let mut arguments = Arguments::parse_from(split.for_tamis);
    if let Command::Test { run, .. }
    | Command::Collect(Collect { run, .. })
    | Command::Audit(Audit { run, .. })
    | Command::Select { run, .. }
    | Command::Why { run, .. } = &mut arguments.command
    {
        run.build_arguments = split.build_arguments;
        run.command = split.command;
    } else if let Command::Replay(replay) = &mut arguments.command {
        replay.build_arguments = split.build_arguments;
        replay.command = split.command;
    }
    Ok(arguments)
}

/// Whether an argument such as `--json` is an option of a command, and if so, whether it takes a value. Every
/// other argument of a command that runs Maven is for Maven.
fn takes_value(option: &str, command: &clap::Command) -> Option<bool> {
    let is_it = |argument: &&clap::Arg| match option.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        None => {
            let short = argument.get_short();
            short.is_some_and(|short| option == format!("-{short}"))
        }
    };
    let option = command.get_arguments().find(is_it)?;
    Some(option.get_action().takes_values())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Split {
    /// For tamis, the program's name included.
    for_tamis: Vec<String>,
    /// For the build tool.
    build_arguments: Vec<String>,
    /// What follows `--`.
    command: Vec<String>,
}

impl Split {
    fn of(given: Vec<String>) -> Split {
        let mut split = Split::default();
        let mut tamis = Arguments::command();
        tamis.build();
        let mut given = given.into_iter();
        split.for_tamis.extend(given.next());
        let mut subcommand = None;
        let mut expects_test = false;
        while let Some(argument) = given.next() {
            let name = argument
                .split_once('=')
                .map_or(argument.as_str(), |(name, _)| name);
            let runs_maven = matches!(
                subcommand.as_deref(),
                Some("test" | "collect" | "audit" | "select" | "why" | "replay")
            );
            let command = subcommand.as_deref();
            let command = command.and_then(|name| tamis.find_subcommand(name));
            let takes_value = takes_value(name, command.unwrap_or(&tamis));
            if takes_value == Some(true) {
                let apart = name == argument;
                split.for_tamis.push(argument);
                if apart {
                    split.for_tamis.extend(given.next());
                }
            } else if runs_maven && argument == "--" {
                split.command = given.collect();
                break;
            } else if !runs_maven || takes_value == Some(false) {
                if subcommand.is_none() && !argument.starts_with('-') {
                    expects_test = argument == "why";
                    subcommand = Some(argument.clone());
                }
                split.for_tamis.push(argument);
            } else if expects_test && !argument.starts_with('-') {
                expects_test = false;
                split.for_tamis.push(argument);
            } else {
                split.build_arguments.push(argument);
            }
        }
        split
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn check(given: &str, for_tamis: &str, maven: &str, command: &str) {
        let expected = Split {
            for_tamis: words(for_tamis),
            build_arguments: words(maven),
            command: words(command),
        };
        assert_eq!(Split::of(words(given)), expected);
        Arguments::try_parse_from(words(for_tamis)).unwrap();
    }

    #[test]
    fn what_tamis_does_not_know_is_for_maven() {
        check("tamis test", "tamis test", "", "");
        check(
            "tamis test -Dtest=Foo -pl core -o verify",
            "tamis test",
            "-Dtest=Foo -pl core -o verify",
            "",
        );
        check(
            "tamis test verify -am --technique all -T 2 -V",
            "tamis test --technique all",
            "verify -am -T 2 -V",
            "",
        );
        check(
            "tamis replay --no-ae -o --last 3 -Dx",
            "tamis replay --no-ae --last 3",
            "-o -Dx",
            "",
        );
        check(
            "tamis audit --budget 10m -o --orders 2 -pl core",
            "tamis audit --budget 10m --orders 2",
            "-o -pl core",
            "",
        );
        check(
            "tamis collect --isolated --tests=Foo* -o",
            "tamis collect --isolated --tests=Foo*",
            "-o",
            "",
        );
        check(
            "tamis select --no-build -o",
            "tamis select --no-build",
            "-o",
            "",
        );
    }

    #[test]
    fn a_time_has_a_unit() {
        let check = |text, expected: Option<u64>| {
            assert_eq!(time(text).ok(), expected.map(Duration::from_secs), "{text}");
        };
        check("90s", Some(90));
        check("10m", Some(600));
        check("2h", Some(7200));
        check("10", None);
        check("m", None);
        check("-1m", None);
    }

    #[test]
    fn common_options_may_stand_anywhere_before_the_command_to_run() {
        check(
            "tamis --project a test --json=b -q clean --color never",
            "tamis --project a test --json=b -q --color never",
            "clean",
            "",
        );
        check(
            "tamis -v test -- java -v --json x",
            "tamis -v test",
            "",
            "java -v --json x",
        );
        check("tamis --json test test", "tamis --json test test", "", "");
    }

    #[test]
    fn the_first_name_after_why_is_the_test() {
        check("tamis why FooTest", "tamis why FooTest", "", "");
        check(
            "tamis why -o FooTest verify",
            "tamis why FooTest",
            "-o verify",
            "",
        );
        check(
            "tamis -q why --no-build a.Foo -Px",
            "tamis -q why --no-build a.Foo",
            "-Px",
            "",
        );
    }

    #[test]
    fn other_commands_take_nothing_for_maven() {
        check(
            "tamis affected a.Foo --json -",
            "tamis affected a.Foo --json -",
            "",
            "",
        );
        assert!(Arguments::try_parse_from(words("tamis status -o")).is_err());
        assert_eq!(
            Split::of(words("tamis status -o")).build_arguments,
            words("")
        );
    }

    #[test]
    fn a_budget_has_a_unit() {
        let check = |text: &str, expected: Option<u64>| {
            assert_eq!(
                budget(text).ok(),
                expected.map(Duration::from_secs),
                "{text}"
            );
        };
        check("90s", Some(90));
        check("30m", Some(1800));
        check("2h", Some(7200));
        check("30", None);
        check("-1m", None);
        check("m", None);
        check("99999999999999999999h", None);
    }

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
    }
}
