/// What a member graph takes into account beside what references say literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberRules {
    /// Rule 1 of MEST: dynamic invocation in reflection.
    pub reflection: Option<UnknownReflection>,
    /// Rule 2 of MEST: dynamic binding in inheritance.
    pub binding: bool,
}

/// What a test depends on that looks for classes by names which nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownReflection {
    /// On everything.
    #[default]
    Everything,
    /// On nothing else than what is known: not safe.
    Nothing,
}
