use crate::arguments::{Color, Common};
use crate::error::Error;
use serde::Serialize;
use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::path::Path;
use tamis_report::to_json;

/// The console: answers go to standard output, everything else to standard error.
#[derive(Debug, Clone)]
pub(crate) struct Console {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    json: Option<std::path::PathBuf>,
}

impl Console {
    pub(crate) fn new(common: &Common) -> Console {
        let choice = match common.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        Console {
            quiet: common.quiet,
            verbose: common.verbose,
            json: common.json.clone(),
        }
    }

    /// Whether standard output is kept for JSON.
    pub(crate) fn stdout_is_json(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// The answer to what the user asked.
    pub(crate) fn answer(&self, text: impl Display) {
        if !self.stdout_is_json() {
            // Nobody may be listening any more, as behind `| head`.
            let _ = write!(anstream::stdout(), "{text}");
        }
    }

    /// The closing lines of `tamis test`, which belong behind those of the build.
    pub(crate) fn closing(&self, text: impl Display) {
        if self.stdout_is_json() {
            let _ = write!(anstream::stderr(), "{text}");
        } else {
            let _ = write!(anstream::stdout(), "{text}");
        }
    }

    /// Prints progress.
    pub(crate) fn progress(&self, text: impl Display) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr(), "tamis: {text}");
        }
    }

    /// Prints a warning, also when quiet.
    pub(crate) fn warning(&self, text: impl Display) {
        let _ = writeln!(anstream::stderr(), "tamis: warning: {text}");
    }

    pub(crate) fn error(text: impl Display) {
        let _ = writeln!(anstream::stderr(), "tamis: {text}");
    }

    /// Passes on the output of a build.
    pub(crate) fn build_output(&self, bytes: &[u8]) {
        let _ = std::io::stderr().write_all(bytes);
    }

    /// Writes the JSON that `--json` asks for.
    pub(crate) fn json(&self, document: impl Serialize) -> Result<(), Error> {
        let Some(path) = &self.json else {
            return Ok(());
        };
        let text = to_json(&document);
        if self.stdout_is_json() {
            let _ = std::io::stdout().write_all(text.as_bytes());
            return Ok(());
        }
        fs::write(path, text).map_err(Error::io("write", path))
    }
}
