use clap::{Args, ValueEnum};

/// The heading of [`Statics`] in help texts.
const STATICS: &str = "Without recordings (firewall, fest, mest, and with --unrecorded)";

/// Options of techniques that need no recording.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct Statics {
    /// Select by what changed in the sources since this git revision, such as `main`, instead of by what changed in
    /// class files since each test last ran; works in a fresh clone.
    #[arg(long, value_name = "REV", help_heading = STATICS)]
    pub(crate) diff: Option<String>,
    /// With other techniques: how to decide for tests without a usable recording: run them, or ask one that needs none.
    #[arg(long, value_name = "WHAT", default_value = "run", help_heading = STATICS)]
    pub(crate) unrecorded: Unrecorded,
    /// What a test depends on if its code looks for classes by names that nobody knows; `nothing` is not safe.
    #[arg(long, value_name = "WHAT", default_value = "everything", help_heading = STATICS)]
    pub(crate) unknown_reflection: UnknownReflection,
    /// Also select test classes that failed in one of the last N recorded runs.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = STATICS)]
    pub(crate) recent_runs: u32,
}

/// What decides for tests without a usable recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unrecorded {
    #[default]
    Run,
    Fest,
    Mest,
}

/// What code depends on that looks for classes by unknown names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownReflection {
    #[default]
    Everything,
    Nothing,
}
