//! Releases of the JDK.

/// A range of feature releases of the JDK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Releases {
    /// The first of them.
    pub first: u16,
    /// The last of them.
    pub last: u16,
}

impl Releases {
    /// The releases that tamis is tested with. Others may show too little to skip a test.
    pub const ALL: Releases = Releases::new(11, 25);
    /// JDK 11 to 17.
    pub const UNTIL_17: Releases = Releases::new(11, 17);
    /// JDK 11 to 21.
    pub const UNTIL_21: Releases = Releases::new(11, 21);
    /// JDK 17 to 21.
    pub const FROM_17_UNTIL_21: Releases = Releases::new(17, 21);
    /// JDK 17 and later.
    pub const FROM_17: Releases = Releases::new(17, 25);
    /// JDK 21 and later.
    pub const FROM_21: Releases = Releases::new(21, 25);
    /// JDK 8, whose tests run every time.
    pub const ONLY_8: Releases = Releases::new(8, 8);
    /// JDK 11.
    pub const ONLY_11: Releases = Releases::new(11, 11);
    /// JDK 25.
    pub const ONLY_25: Releases = Releases::new(25, 25);

    const fn new(first: u16, last: u16) -> Releases {
        Releases { first, last }
    }

    /// Whether a release is one of them.
    pub fn contains(self, release: u16) -> bool {
        (self.first..=self.last).contains(&release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_have_both_ends() {
        let check = |release, expected| {
            assert_eq!(Releases::ALL.contains(release), expected, "{release}");
        };
        check(8, false);
        check(11, true);
        check(25, true);
        check(26, false);
    }
}
