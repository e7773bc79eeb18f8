use crate::error::Error;
use std::fmt;
use tamis_select::{Choice, Receivers};

/// A technique with its options, as users name it: `hyrts`, `hyrts+method`, `hyrts+exact+method`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TechniqueVariant {
    name: String,
    /// What to hand to `tamis test`.
    pub(crate) arguments: Vec<String>,
}

impl TechniqueVariant {
    /// Whether it selects single tests.
    pub(crate) fn is_by_method(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "method")
    }
}

impl fmt::Display for TechniqueVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl std::str::FromStr for TechniqueVariant {
    type Err = Error;

    fn from_str(name: &str) -> Result<TechniqueVariant, Error> {
        let mut parts = name.split('+');
        let technique = parts.next().unwrap_or_default();
        let mut arguments = vec!["--technique".to_owned(), technique.to_owned()];
        let mut receivers = Receivers::Created;
        for part in parts {
            let more = match part {
                "method" => ["--granularity", "method"],
                "exact" => {
                    receivers = Receivers::Exact;
                    ["--receivers", "exact"]
                }
                "no-rules" => ["--without-rules", "all"],
                "known" => ["--unknown-reflection", "nothing"],
                _ => {
                    let known = "`+method`, `+exact`, `+no-rules` and `+known`";
                    let message = format!("`+{part}` of `{name}` is unknown; known are {known}");
                    return Err(Error::Technique(message));
                }
            };
            arguments.extend(more.map(str::to_owned));
        }
        let without = match arguments
            .iter()
            .any(|argument| argument == "--without-rules")
        {
            true => "all",
            false => "",
        };
        Choice::new(technique, "", without, receivers)
            .map_err(|error| Error::Technique(error.to_string()))?;
        Ok(TechniqueVariant {
            name: name.to_owned(),
            arguments,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_read_from_its_name() {
        let check = |name: &str, expected: Result<&str, &str>| {
            let read = name.parse::<TechniqueVariant>();
            match (read, expected) {
                (Ok(technique), Ok(arguments)) => {
                    assert_eq!(technique.arguments.join(" "), arguments);
                    assert_eq!(technique.to_string(), name);
                }
                (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
                (read, _) => panic!("{name}: {read:?}"),
            }
        };
        check("ekstazi", Ok("--technique ekstazi"));
        check(
            "hyrts+exact+method",
            Ok("--technique hyrts --receivers exact --granularity method"),
        );
        check(
            "hyrts+no-rules",
            Ok("--technique hyrts --without-rules all"),
        );
        check(
            "mest+known",
            Ok("--technique mest --unknown-reflection nothing"),
        );
        check("ekstasy", Err("ekstasy"));
        check("hyrts+fast", Err("`+fast`"));
        check("ekstazi+exact", Err("does not compare members"));
    }
}
