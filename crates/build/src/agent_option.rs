use crate::BuildError;
use std::path::{Path, PathBuf};

/// The JVM option that loads the agent: `-agentpath:<library>=<run directory>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentOption(String);

impl AgentOption {
    /// The option, in quotes that Surefire and the JVM both take off again.
    pub fn new(library: &Path, run_dir: &Path) -> Result<AgentOption, BuildError> {
        let library = text(library)?;
        if library.contains('=') {
            // The JVM takes everything after the first `=` for the agent's own options.
            return Err(BuildError::Unquotable(library.into(), "an equals sign"));
        }
        let plain = format!("-agentpath:{library}={}", text(run_dir)?);
        let quote = match (plain.contains('"'), plain.contains('\'')) {
            (false, _) => '"',
            (true, false) => '\'',
            (true, true) => return Err(BuildError::Unquotable(run_dir.into(), "both quotes")),
        };
        Ok(AgentOption(format!("{quote}{plain}{quote}")))
    }

    /// The quoted option.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The option after what is there already, as in `JAVA_TOOL_OPTIONS`.
    pub fn after(&self, before: &str) -> String {
        if before.trim().is_empty() {
            self.0.clone()
        } else {
            format!("{before} {}", self.0)
        }
    }
}

fn text(path: &Path) -> Result<&str, BuildError> {
    let text = path.to_str().ok_or_else(|| {
        BuildError::Unquotable(
            PathBuf::from(path.to_string_lossy().as_ref()),
            "bytes that are not text",
        )
    })?;
    if text.contains(['\n', '\r']) {
        return Err(BuildError::Unquotable(path.into(), "a line break"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(library: &str, run_dir: &str, expected: Option<&str>) {
        let option = AgentOption::new(Path::new(library), Path::new(run_dir)).ok();
        assert_eq!(option.as_ref().map(AgentOption::as_str), expected);
    }

    #[test]
    fn paths_are_quoted_by_the_quote_they_do_not_contain() {
        check("/c/a.so", "/p/r", Some("\"-agentpath:/c/a.so=/p/r\""));
        check(
            "/c d/a.so",
            "/p=q/r s",
            Some("\"-agentpath:/c d/a.so=/p=q/r s\""),
        );
        check("/c/a.so", "/p\"q", Some("'-agentpath:/c/a.so=/p\"q'"));
        check("/c/a.so", "/p'q", Some("\"-agentpath:/c/a.so=/p'q\""));
    }

    #[test]
    fn paths_that_no_option_can_carry_are_refused() {
        check("/c=d/a.so", "/p", None);
        check("/c/a.so", "/p\"'q", None);
        check("/c/a.so", "/p\nq", None);
    }

    #[test]
    fn other_options_stay_in_front() {
        let option = AgentOption::new(Path::new("/a"), Path::new("/r")).unwrap();
        assert_eq!(option.after("-Xmx1g"), "-Xmx1g \"-agentpath:/a=/r\"");
        assert_eq!(option.after(" "), "\"-agentpath:/a=/r\"");
    }
}
