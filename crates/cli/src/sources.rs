//! `.tamis/sources`: the state of the project after the last run, so that `tamis select` knows
//! whether the class files are still those of the sources.

use crate::error::Error;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use tamis_build::Listing;
use tamis_select::TestId;
use tamis_store::Project;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: &str = "tamis sources 2";

/// The state of the sources after the last run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sources {
    /// A build ran, asked for these tests, and found the sources as in this listing.
    Listed {
        listing: String,
        asked: BTreeSet<TestId>,
    },
    /// A build ran of which is not known what it compiles.
    Unknown,
}

impl Sources {
    pub(crate) fn listed(listing: Listing, asked: BTreeSet<TestId>) -> Sources {
        Sources::Listed {
            listing: listing.to_string(),
            asked,
        }
    }

    /// Reads it; nothing if it is not exactly what was written.
    pub(crate) fn read(project: &Project) -> Option<Sources> {
        Sources::parse(&fs::read_to_string(file(project)).ok()?)
    }

    pub(crate) fn write(&self, project: &Project) -> Result<(), Error> {
        let file = file(project);
        tamis_files::write(&file, self.text().as_bytes()).map_err(Error::io("write", file))
    }

    /// From now on nothing is known of the state of the class files.
    pub(crate) fn forget(project: &Project) -> Result<(), Error> {
        let file = file(project);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", file)(error))
            }
            _ => Ok(()),
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        match self {
            Sources::Unknown => text += "unknown\n",
            Sources::Listed { listing, asked } => {
                text += &format!("listing {listing}\n");
                for TestId { module, name } in asked {
                    text += &format!("test {name} {module}\n");
                }
            }
        }
        let sum = xxh3_64(text.as_bytes());
        text + &format!("end {sum:016x}\n")
    }

    fn parse(text: &str) -> Option<Sources> {
        let mut lines = text.lines();
        let head = (lines.next()? == HEADER).then(|| lines.next())??;
        let sources = match head.strip_prefix("listing ") {
            None => Sources::Unknown,
            Some(listing) => {
                let tests = lines.map_while(|line| line.strip_prefix("test ")?.split_once(' '));
                let asked = tests.map(|(name, module)| TestId::new(module, name));
                Sources::Listed {
                    listing: listing.to_owned(),
                    asked: asked.collect(),
                }
            }
        };
        // Written again it must be the same, checksum and all.
        (sources.text() == text).then_some(sources)
    }
}

fn file(project: &Project) -> PathBuf {
    project.dir().join("sources")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Sources {
        let asked = [TestId::new("", "a.ATest"), TestId::new("web ui", "a.BTest")];
        Sources::Listed {
            listing: "00ff".into(),
            asked: asked.into(),
        }
    }

    #[test]
    fn what_was_written_is_read() {
        for sources in [sample(), Sources::Unknown] {
            assert_eq!(Sources::parse(&sources.text()), Some(sources));
        }
    }

    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_not_read() {
        let text = sample().text();
        for length in 0..text.len() {
            assert_eq!(Sources::parse(&text[..length]), None, "cut at {length}");
        }
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(Sources::parse(&changed), None, "changed at {at}");
        }
    }
}
