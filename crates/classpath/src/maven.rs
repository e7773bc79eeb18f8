use std::fs;
use std::path::{Path, PathBuf};

const OPTION: &str = "-Dmaven.repo.local=";

/// The local Maven repository, looked for where Maven looks: options of the project, of the
/// environment, the user's settings, and else below the home directory.
///
/// A wrong answer costs no safety: jars are then placed below another base.
pub(crate) fn local_repository(project: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let config = fs::read_to_string(project.join(".mvn/maven.config")).unwrap_or_default();
    let variable = |name| std::env::var(name).unwrap_or_default();
    [variable("MAVEN_ARGS"), config, variable("MAVEN_OPTS")]
        .iter()
        .find_map(|options| from_options(options))
        .or_else(|| from_settings(&fs::read_to_string(home?.join(".m2/settings.xml")).ok()?))
        .filter(|path| path.is_absolute())
        .or_else(|| Some(home?.join(".m2/repository")))
}

fn from_options(options: &str) -> Option<PathBuf> {
    let value = options
        .split_whitespace()
        .find_map(|option| option.strip_prefix(OPTION))?;
    Some(value.into())
}

fn from_settings(xml: &str) -> Option<PathBuf> {
    let (_, rest) = xml.split_once("<localRepository>")?;
    let (value, _) = rest.split_once("</localRepository>")?;
    Some(value.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_settings_name_the_repository() {
        let path = Some(PathBuf::from("/r"));
        assert_eq!(from_options("-q -Dmaven.repo.local=/r\n-T1"), path);
        assert_eq!(from_options("-Dx=y"), None);
        let xml = "<settings><localRepository> /r </localRepository></settings>";
        assert_eq!(from_settings(xml), path);
        assert_eq!(from_settings("<settings/>"), None);
    }
}
