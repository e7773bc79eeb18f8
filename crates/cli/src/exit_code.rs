/// The exit code of the `tamis` process. Part of its documented interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ExitCode {
    /// The build succeeded and every selected test passed; or the question was answered.
    Success = 0,
    /// A test failed or the build did.
    Failed = 1,
    /// Wrong use or configuration: not a project, no Maven, no JDK, an unknown option or test.
    Usage = 2,
    /// tamis itself failed: store locked, disk full, directory read-only.
    Internal = 3,
    /// Interrupted by Ctrl-C or ended by a signal.
    Interrupted = 130,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        std::process::ExitCode::from(code as u8)
    }
}
