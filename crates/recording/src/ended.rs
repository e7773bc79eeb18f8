use std::fmt;

/// Why the agent ended a JVM of a run that only asks which tests would run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// All its tests were asked about and none ran: a build tool must not take them for passed.
    Asked,
    /// Tests were about to run that the agent cannot skip.
    Unheld {
        /// The test framework.
        framework: String,
        /// Directory of the module whose tests they are.
        module: String,
    },
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Asked => f.write_str("asked"),
            Ended::Unheld { framework, module } => write!(f, "unheld\n{framework}\n{module}"),
        }
    }
}

impl Ended {
    /// Reads what `Display` wrote.
    pub fn read(text: &str) -> Option<Ended> {
        let mut lines = text.splitn(3, '\n');
        let ended = match lines.next()? {
            "asked" => Ended::Asked,
            "unheld" => Ended::Unheld {
                framework: lines.next()?.to_owned(),
                module: lines.next()?.to_owned(),
            },
            _ => return None,
        };
        lines.next().is_none().then_some(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let check = |text: &str, expected: Option<Ended>| {
            assert_eq!(Ended::read(text), expected, "{text:?}");
            if let Some(ended) = expected {
                assert_eq!(ended.to_string(), text);
            }
        };
        check("asked", Some(Ended::Asked));
        let unheld = Ended::Unheld {
            framework: "TestNG".into(),
            module: "/p/a\nb".into(),
        };
        check("unheld\nTestNG\n/p/a\nb", Some(unheld));
        check("unheld\nTestNG", None);
        check("asked\nmore", None);
        check("", None);
    }
}
